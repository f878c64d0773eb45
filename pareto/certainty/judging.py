"""Certainty from a log alone: who is on the frontier of the population that the votes come from.

With a log there is nothing to be bought; what it says about its own frontier is exact, and what it says
about the population is not. Here for every model one of three things is said: it is on the frontier, it is
dominated, or the log leaves that undecided; all that is said is right with probability at least 1 − δ.

`sample` writes differences of Borda scores as sums over cells, `tails` bounds how far such sums stray,
`line` divides δ among claims, `outside` puts the claims in order, `protection` has the tests that keep a
model on the frontier. What is assumed is returned as a text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pareto.certainty.deciding import Decisions, decide
from pareto.certainty.differences import Differences, Tails
from pareto.certainty.line import line
from pareto.certainty.next_comparisons import Forecast
from pareto.certainty.outside import Outlook, outlook, outside_wins
from pareto.certainty.protection import (
    Protection,
    Shares,
    dominated_prospects,
    frontier_prospects,
    shares,
)
from pareto.certainty.result import DOMINATED, FRONTIER, UNDECIDED, Certainty, Evidence, protections
from pareto.certainty.sample import Sample, sample_of
from pareto.certainty.wording import assumptions
from pareto.errors import BattleError
from pareto.exact_order import exact_leads, mean_rates
from pareto.gaps import gaps_from_leads
from pareto.links import Reals
from pareto.schemas import LAYOUTS
from pareto.targets import treatment

if TYPE_CHECKING:
    from pareto.retention import Log


def certainty(
    log: Log, delta: float = 0.05, *, cluster: str | bool | None = None, ties: str = "decisive"
) -> Certainty:
    """What a log says about the frontier of the population; right for all models with chance ≥ 1 − delta.

    cluster: given, votes of one session or voter may depend on each other in any way: those that
        `log.records` has. True takes them by whatever column they are; "session", "voter" or a column must be
        what the log was read by. Otherwise all votes are independent.
    ties: "decisive" drops ties, "half" counts them ½. "davidson" means the same scores in the population as
        "half", win plus half the tie probability, and is judged the same way, without the model.

    Raises `BattleError` for what is no log of retained models, a `delta` outside 0 to 1, and for clusters in
    a log without single records, or with those of other clusters.
    """
    _check_log(log)
    if not 0 < delta < 1:
        raise BattleError(f"delta is {delta}; a number between 0 and 1 is accepted, e.g. 0.05")
    name = treatment(ties)
    clustered = bool(cluster)
    if isinstance(cluster, str) and log.records is not None:
        _check_cluster(cluster, log.records.by)
    sample = sample_of(log, halves=name != "decisive", clustered=clustered)
    differences = Differences(sample)
    view = outlook(*outside_wins(log, clustered), differences.variance)
    found = judge(sample, differences, view, delta)
    status = tuple(
        DOMINATED if gone else FRONTIER if kept else UNDECIDED
        for gone, kept in zip(found.decisions.dominated, found.decisions.frontier, strict=True)
    )
    evidence = tuple(found.evidence(i, status[i]) for i in range(sample.models))
    borda, gaps = _scores(sample)
    return Certainty(
        models=log.models,
        objectives=log.objectives,
        delta=delta,
        ties=name,
        by=log.records.by if clustered and log.records is not None else "",
        status=status,
        witness=found.decisions.witness,
        protection=protections(evidence, status),
        evidence=evidence,
        borda=borda,
        gaps=gaps,
        outside=view.comparisons,
        assumptions=assumptions(log, name, clustered, sample.apart, view.comparisons),
        next=found.forecast(differences).next(),
    )


@dataclass(frozen=True, eq=False)
class Judgement:
    """Decisions, and what they were made from."""

    sample: Sample
    tails: Tails
    shares: Shares
    protection: Protection
    decisions: Decisions

    def evidence(self, i: int, status: str) -> Evidence | None:
        """What the status of model i rests on."""
        level = float(self.decisions.log_level[i])
        if status == DOMINATED:
            witness = int(self.decisions.witness[i])
            objectives = range(self.sample.objectives)
            return Evidence(
                level, tuple(self.protection.single(witness, i, r, whole=True) for r in objectives)
            )
        if status == FRONTIER:
            live = np.flatnonzero(~self.decisions.dominated).tolist()
            return Evidence(level, tuple(self.protection.test(i, j) for j in live if j != i))
        return None

    def forecast(self, differences: Differences) -> Forecast:
        """Of what would settle the rest."""
        cell = np.divide(
            0.25, self.sample.total, out=np.zeros(self.tails.log_bound.shape), where=self.sample.total > 0
        )
        row = cell.sum(axis=2)
        alone = row[:, :, None] + row[:, None, :] + 2 * cell
        inflation = np.divide(differences.variance, alone, out=np.ones_like(alone), where=alone > 0)
        return Forecast(
            self.sample,
            np.maximum(inflation, 1.0),
            self.tails.log_bound,
            self.shares,
            self.protection,
            self.decisions,
        )


def judge(sample: Sample, differences: Differences, view: Outlook, delta: float) -> Judgement:
    """Decisions on a sample, claims in the order that the outlook gives."""
    tails = differences.tails(sample.lead)
    split = shares(sample, view, differences.variance)
    protection = Protection(sample, differences, tails, split)
    prospects = dominated_prospects(view)
    queue = line(prospects, frontier_prospects(view, prospects), informed=view.comparisons > 0)
    decisions = decide(queue, _dominated(tails), protection, delta)
    return Judgement(sample, tails, split, protection, decisions)


def _check_log(log: object) -> None:
    from pareto.retention import Log

    if isinstance(log, Log):
        return
    if hasattr(log, "retain"):
        raise BattleError(
            f"log is {type(log).__name__}, whose models are not retained yet; call .retain() on it and give "
            "what that returns"
        )
    raise BattleError(
        f"log is {type(log).__name__}; a log of retained models is accepted, as of "
        "pareto.read_battles(file or frame).retain()"
    )


def _check_cluster(wanted: str, by: str) -> None:
    """`wanted` is the column `by`, or what layouts with this column call it; "" asks for no clusters."""
    named = [("session", layout.session) for layout in LAYOUTS.values()]
    named += [("voter", layout.voter) for layout in LAYOUTS.values()]
    accepted = dict.fromkeys([*(word for word, column in named if column == by), by])
    if wanted and wanted not in accepted:
        raise BattleError(
            f"cluster is {wanted!r}, but the log was read with the clusters of column {by!r}; accepted: "
            f"{', '.join(map(repr, accepted))}, or None for independent votes; for other clusters read the "
            f"log with cluster={wanted!r}"
        )


def _scores(sample: Sample) -> tuple[Reals, Reals]:
    """Scores (K, d) and their gaps (K,), NaN where a cell is without comparisons."""
    off = ~np.eye(sample.models, dtype=np.bool_)
    lacking = ((sample.total == 0) & off).any(axis=2).T
    credit = np.rint(2 * sample.points).astype(np.int64)
    scores, rank = mean_rates(credit, np.where(sample.total > 0, 2 * sample.total, 1))
    if lacking.any():
        return np.where(lacking, np.nan, scores), np.full(sample.models, np.nan)
    return scores, gaps_from_leads(exact_leads(scores, rank), np.ones(sample.models, dtype=np.bool_))


def _dominated(tails: Tails) -> Reals:
    """(K, K): log p of the claim that the column dominates the row."""
    found = tails.log_bound.max(axis=0).T.copy()
    np.fill_diagonal(found, math.inf)
    return np.asarray(found, dtype=np.float64)
