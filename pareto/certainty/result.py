"""What a log alone makes certain, and what it does not."""

from __future__ import annotations

import math
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
    outside: int
    assumptions: str
    next: NextComparisons

    def having(self, status: str) -> tuple[str, ...]:
        """Names of the models of this status."""
        return tuple(name for name, one in zip(self.models, self.status, strict=True) if one == status)

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
        found = self.next
        cells = zip(
            found.first, found.second, found.objective, found.have, found.more, found.settles, strict=True
        )
        return {
            "forecast": "if present estimates are the truth; not a guarantee",
            "total": found.total,
            "cells": [
                {
                    "first": self.models[i],
                    "second": self.models[j],
                    "objective": self.objectives[r],
                    "have": int(have),
                    "more": int(more),
                    "settles": [self.models[model] for model in settles],
                }
                for i, j, r, have, more, settles in cells
            ],
            "models": [self._plan(plan) for plan in found.plans],
        }

    def _plan(self, plan: Plan) -> Record:
        return {
            "model": self.models[plan.model],
            "looks": plan.looks,
            "rivals": [self.models[rival] for rival in plan.rivals],
            "more": plan.more,
            "reason": plan.reason or None,
        }


def protections(evidence: tuple[Evidence | None, ...], status: tuple[str, ...]) -> Index:
    """(K, K), see `Certainty.protection`."""
    found = np.full((len(status), len(status)), -1, dtype=np.int64)
    for one, what in zip(evidence, status, strict=True):
        if one is not None and what == FRONTIER:
            for test in one.tests:
                weights: Reals = np.asarray(test.weights)
                found[test.better, test.worse] = int(weights.argmax())
    return found
