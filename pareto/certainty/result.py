"""What a log alone makes certain, and what it does not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pareto.certainty.next_comparisons import NextComparisons, Plan
from pareto.certainty.protection import LeadTest
from pareto.certainty.tails import Index
from pareto.links import Reals

Record = dict[str, object]
FRONTIER, DOMINATED, UNDECIDED = "frontier", "dominated", "undecided"


@dataclass(frozen=True)
class Evidence:
    """What a claim about a model rests on.

    Attributes:
        log_level: logarithm of the error that the claim may make.
        tests: significant at that level. Of a dominated model, the witness against it on each objective; of
            one on the frontier, the model against every rival not said to be dominated, `log_share` being
            what part of the level the test may use.
    """

    log_level: float
    tests: tuple[LeadTest, ...]

    @property
    def log_p(self) -> float:
        """Largest of the tests; at most `log_level`."""
        return max((test.log_p for test in self.tests), default=-math.inf)


@dataclass(frozen=True, eq=False)
class Certainty:
    """What can be said of every model, all of it right with probability at least 1 − delta.

    Attributes:
        models, objectives: names.
        delta: error allowed, for all models together.
        ties: treatment of ties, by name.
        by: what clusters are of; empty if comparisons are taken to be independent.
        status: for each model "frontier", "dominated" or "undecided".
        witness: (K,) who was shown to dominate it, −1 for the others. Each is right with probability at least
            1 − delta by itself.
        protection: (K, K) objective with the largest weight in the test by which a model on the frontier was
            shown not to be dominated by the column; −1 elsewhere.
        evidence: for each model what its status rests on, None if undecided.
        borda: (K, d) scores of this log by which claims are made, ties counted ½ also under "davidson"; NaN
            where some pair has no comparison.
        gaps: (K,) gaps of these scores; NaN if a score is.
        outside: comparisons with removed models, which put the claims in order.
        assumptions: a text.
        next: what would settle the rest.
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    delta: float
    ties: str
    by: str
    status: tuple[str, ...]
    witness: Index
    protection: Index
    evidence: tuple[Evidence | None, ...]
    borda: Reals
    gaps: Reals
    outside: int
    assumptions: str
    next: NextComparisons

    def having(self, status: str) -> tuple[str, ...]:
        """Names of the models of this status."""
        return tuple(name for name, one in zip(self.models, self.status, strict=True) if one == status)

    def records(self) -> list[Record]:
        """One flat record a model, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        Keys: model; status; witness (who dominates it); rival and objective: the model, and where it is
        compared, of the test that came closest to failing (a claim rests on several); log_p of that test
        and log_level, which it had to stay below; looks and more: of an undecided model how it looks by
        present estimates, and how many more comparisons would probably decide it; gap; and borda.OBJECTIVE
        for every objective. None where there is nothing to say; with more than 100 models polars is to be
        given infer_schema_length=None.

        >>> import pareto
        >>> log = pareto.read_battles(pareto.bundled_log("arena140k-decisive")).retain(["code", "general"])
        >>> record = pareto.certainty(log).records()[0]
        >>> record["model"], record["status"], record["witness"]
        ('amazon.nova-pro-v1:0', 'dominated', 'gemini-2.5-pro')
        """
        plans = {plan.model: plan for plan in self.next.plans}
        return [
            {
                "model": name,
                "status": self.status[i],
                "witness": self.models[int(self.witness[i])] if self.witness[i] >= 0 else None,
                **self._closest(i),
                "looks": plans[i].looks if i in plans else None,
                "more": plans[i].more if i in plans else None,
                "gap": _number(self.gaps[i]),
                **{
                    f"borda.{one}": _number(score)
                    for one, score in zip(self.objectives, self.borda[i], strict=True)
                },
            }
            for i, name in enumerate(self.models)
        ]

    def next_records(self) -> list[Record]:
        """One flat record for each cell in which more comparisons are wanted, most wanted first.

        Keys: first, second, objective; have and more: comparisons that count so far, and that should be
        added; helps: how many undecided models the cell helps to decide.
        """
        return [{**cell, "helps": len(settled)} for cell, settled in self._cells()]

    def record(self) -> Record:
        """Everything, for JSON, by names."""
        return {
            "delta": self.delta,
            "ties": self.ties,
            "clusters": self.by or None,
            "assumptions": self.assumptions,
            "outside_comparisons": self.outside,
            "models": [self._model(i) for i in range(len(self.models))],
            "next": self._next(),
        }

    def _model(self, i: int) -> Record:
        found: Record = {"model": self.models[i], "status": self.status[i]}
        if self.witness[i] >= 0:
            found["witness"] = self.models[int(self.witness[i])]
        evidence = self.evidence[i]
        if evidence is not None:
            found["log_level"] = evidence.log_level
            found["tests"] = [self._test(test) for test in evidence.tests]
        return found

    def _test(self, test: LeadTest) -> Record:
        return {
            "better": self.models[test.better],
            "than": self.models[test.worse],
            "weights": dict(zip(self.objectives, test.weights, strict=True)),
            "lead": test.lead,
            "log_bound": test.tail.log_bound,
            "rate": test.tail.rate,
            "kappa": test.tail.kappa,
            "log_share": test.log_share,
        }

    def _next(self) -> Record:
        return {
            "forecast": "if present estimates are the truth; not a guarantee",
            "total": self.next.total,
            "cells": [{**cell, "settles": settled} for cell, settled in self._cells()],
            "models": [self._plan(plan) for plan in self.next.plans],
        }

    def _cells(self) -> Iterator[tuple[Record, list[str]]]:
        """Every cell that wants more, and the models that this would help to decide."""
        found = self.next
        numbers = (found.first, found.second, found.objective, found.have, found.more)
        columns = (column.tolist() for column in numbers)
        for i, j, r, have, more, settles in zip(*columns, found.settles, strict=True):
            yield (
                {
                    "first": self.models[i],
                    "second": self.models[j],
                    "objective": self.objectives[r],
                    "have": have,
                    "more": more,
                },
                [self.models[model] for model in settles],
            )

    def _closest(self, i: int) -> Record:
        """Of the evidence for a model, the test that came closest to failing."""
        evidence = self.evidence[i]
        closest = None if evidence is None else max(evidence.tests, key=lambda one: one.log_p, default=None)
        if evidence is None or closest is None:
            level = None if evidence is None else evidence.log_level
            return {"rival": None, "objective": None, "log_p": None, "log_level": level}
        rival = closest.better if closest.worse == i else closest.worse
        return {
            "rival": self.models[rival],
            "objective": self.objectives[int(np.argmax(closest.weights))],
            "log_p": closest.log_p,
            "log_level": evidence.log_level,
        }

    def _plan(self, plan: Plan) -> Record:
        return {
            "model": self.models[plan.model],
            "looks": plan.looks,
            "rivals": [self.models[rival] for rival in plan.rivals],
            "more": plan.more,
            "reason": plan.reason or None,
        }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def protections(evidence: tuple[Evidence | None, ...], status: tuple[str, ...]) -> Index:
    """(K, K), see `Certainty.protection`."""
    found = np.full((len(status), len(status)), -1, dtype=np.int64)
    for one, what in zip(evidence, status, strict=True):
        if one is not None and what == FRONTIER:
            for test in one.tests:
                weights: Reals = np.asarray(test.weights)
                found[test.better, test.worse] = int(weights.argmax())
    return found
