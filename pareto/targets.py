"""What a log says about every model, by how ties are treated (paper, appendix 9).

D, decisive: win rates of the comparisons that somebody won. H, half: every tie and both-bad vote is half a
win for both. F, davidson: win probability plus half the tie probability of a fitted Davidson model. The
Borda scores, with uniform opponents, are the target; its strict frontier is what resampling recovers.

Under D and H scores are sums of whole numbers over whole numbers, and who equals whom is decided without
rounding: a tie on one objective protects a model. Scores of a fit that lie within `FITTED` count as equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pareto.borda import borda_of_probabilities
from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.exact_order import chained, differences, exact_leads, mean_rates
from pareto.frontier import frontier
from pareto.gaps import gaps, gaps_from_leads
from pareto.links import Reals
from pareto.pair_counts import PairCounts
from pareto.result import Mask
from pareto.scores import as_scores
from pareto.standing import Standing

TREATMENTS = {"decisive": "D", "half": "H", "davidson": "F"}
"""Names of the treatments of ties, and the paper's letters."""
FITTED = 1e-9
"""Scores of a fit closer than this count as equal."""
SLACK = 1e-12
"""Far more than rounding moves a score, far less than matters."""


class Counted(Protocol):
    """What has counts of its pairs, such as the models kept of a log."""

    @property
    def counts(self) -> PairCounts: ...


@dataclass(frozen=True, eq=False)
class Target:
    """Borda scores of a log under one treatment of ties, and what follows from them.

    Attributes:
        name, letter: of the treatment.
        models, objectives: names.
        probabilities: (K, K, d) mean points of row against column, ½ on the diagonal.
        tie_share: (K, K, d) probability that a comparison gives half a win; 0 unless under H.
        borda: (K, d).
        rank: (K, d) places by score, 0 the lowest; equal exactly where scores count as equal.
        frontier: (K,) True for models that nobody beats on every objective.
        gaps: (K,) classification gaps Δ_i, 0 exactly where they are.
        certificates: who dominates a dominated model, and what protects a kept one.
        exact: True if no tie was judged by rounded numbers.
    """

    name: str
    letter: str
    models: tuple[str, ...]
    objectives: tuple[str, ...]
    probabilities: Reals
    tie_share: Reals
    borda: Reals
    rank: Counts
    frontier: Mask
    gaps: Reals
    certificates: Standing
    exact: bool

    @property
    def kept(self) -> tuple[str, ...]:
        """Names on the frontier."""
        return tuple(self.models[i] for i in np.flatnonzero(self.frontier))

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence about every model: who dominates it, or what protects it."""
        standing = self.certificates
        return tuple(standing.reason(i, self.models, self.objectives) for i in range(len(self.models)))

    def records(self) -> list[dict[str, Any]]:
        """One flat record a model, such as `polars.DataFrame` or `pandas.DataFrame` takes.

        Those of `Standing.records`, gap, and borda.OBJECTIVE for every objective.
        """
        found = self.certificates.records(self.models, self.objectives)
        for record, gap, scores in zip(found, self.gaps.tolist(), self.borda.tolist(), strict=True):
            record["gap"] = gap
            record |= {f"borda.{one}": score for one, score in zip(self.objectives, scores, strict=True)}
        return found

    @property
    def minimum_gap(self) -> float:
        """Δ_min."""
        return float(self.gaps.min())

    @property
    def hardness(self) -> float:
        """Σ 1/Δ_i²; infinite if a gap is 0."""
        return math.inf if not self.recoverable else float((1 / self.gaps**2).sum())

    @property
    def recoverable(self) -> bool:
        """Δ_min > 0, under which resampling recovers the frontier with probability 1 − δ (Remark D.1).

        Otherwise a model equals another where it counts, and no method can be sure to stop.
        """
        return self.minimum_gap > 0

    @property
    def radius(self) -> float:
        """Δ_min / 2: whatever scores differ from these by less everywhere have the same frontier."""
        return self.minimum_gap / 2

    @property
    def variance(self) -> Reals:
        """(K, d): b(1 − b) − u/4 of a comparison with a uniform opponent, u the probability of half a win."""
        return self.borda * (1 - self.borda) - borda_of_probabilities(self.tie_share) / 4


def treatment(ties: str) -> str:
    """The name of a treatment given by name or letter."""
    by_letter = {letter: name for name, letter in TREATMENTS.items()}
    name = by_letter.get(ties, ties)
    if name not in TREATMENTS:
        accepted = ", ".join(f"{name} ({letter})" for name, letter in TREATMENTS.items())
        raise BattleError(f"no treatment of ties {ties!r}; accepted are {accepted}")
    return name


def target(log: Counted | PairCounts, ties: str = "decisive") -> Target:
    """The target of a log, or of bare counts, under a treatment of ties.

    Raises `BattleError` under D and H for a pair without a comparison that counts on some objective: what
    is missing is not ½.
    """
    name = treatment(ties)
    counts = log if isinstance(log, PairCounts) else log.counts
    if len(counts.models) < 2 or not counts.objectives:
        raise BattleError(
            f"{len(counts.models)} models on {len(counts.objectives)} objectives; at least 2 and 1 are needed"
        )
    if name == "davidson":
        from pareto.davidson import davidson_target

        return fitted_target(counts, davidson_target(counts))
    halves = counts.undecided if name == "half" else np.zeros_like(counts.wins)
    return _counted(counts, halves, name)


def frontier_carries_over(empirical: npt.ArrayLike, population: npt.ArrayLike) -> bool:
    """True if max |b_emp − b_pop| < Δ_min(b_pop) / 2, so that both (K, d) have the same frontier (Lemma D.2).

    False says nothing. Nearer to equality than rounding it is False.
    """
    ours, true = as_scores(empirical, least=2), as_scores(population, least=2)
    if ours.shape != true.shape:
        raise BattleError(f"scores of shapes {ours.shape} and {true.shape}; give scores of the same models")
    return bool(np.abs(ours - true).max() + SLACK < gaps(true).min() / 2)


def _counted(counts: PairCounts, halves: Counts, name: str) -> Target:
    """D and H, from credits and totals in halves of a win."""
    credit, total = 2 * counts.wins + halves, 2 * (counts.decided + halves)
    off = ~np.eye(len(counts.models), dtype=np.bool_)
    _refuse_missing(counts, (total == 0) & off, name)
    probabilities = np.divide(credit, total, out=np.full(total.shape, 0.5), where=off)
    share = np.divide(2 * halves, total, out=np.zeros(total.shape), where=off)
    scores, rank = mean_rates(credit, total)
    return _judged(counts, name, np.moveaxis(probabilities, 0, 2), np.moveaxis(share, 0, 2), scores, rank)


def fitted_target(counts: PairCounts, probabilities: Reals) -> Target:
    """F from half-credit probabilities (K, K, d) of models that were fitted elsewhere."""
    scores = borda_of_probabilities(probabilities)
    rank = np.stack([chained(column, FITTED) for column in scores.T], axis=1)
    return _judged(counts, "davidson", probabilities, np.zeros_like(probabilities), scores, rank)


def _judged(
    counts: PairCounts, name: str, probabilities: Reals, share: Reals, scores: Reals, rank: Counts
) -> Target:
    lead = exact_leads(scores, rank)
    kept = frontier(rank)
    return Target(
        name=name,
        letter=TREATMENTS[name],
        models=counts.models,
        objectives=counts.objectives,
        probabilities=np.ascontiguousarray(probabilities),
        tie_share=np.ascontiguousarray(share),
        borda=np.ascontiguousarray(scores),
        rank=rank,
        frontier=kept,
        gaps=gaps_from_leads(lead, np.ones_like(kept)),
        certificates=_certificates(scores, rank, lead, kept),
        exact=name != "davidson",
    )


def _certificates(scores: Reals, rank: Counts, lead: Reals, kept: Mask) -> Standing:
    """As `standing`, but from leads that are 0 exactly where they are."""
    models = np.arange(len(kept))
    rivals = np.where(kept[None, :] & (models[:, None] != models), lead, -np.inf)
    rival = rivals.argmax(axis=1)
    there = np.stack([differences(scores, rank, r)[models, rival] for r in range(scores.shape[1])])
    alone = rivals.max(axis=1) == -np.inf
    return Standing(
        frontier=kept,
        rival=np.where(alone, -1, rival),
        objective=np.where(alone, -1, there.argmin(axis=0)),
        lead=rivals.max(axis=1),
    )


def _refuse_missing(counts: PairCounts, missing: Mask, name: str) -> None:
    if not missing.any():
        return
    cells = np.argwhere(np.triu(missing))
    r, i, j = (int(index) for index in cells[0])
    kind = "decisive comparison" if name == "decisive" else "comparison"
    more = f", nor have {len(cells) - 1} more cells" if len(cells) > 1 else ""
    raise BattleError(
        f"{counts.models[i]!r} and {counts.models[j]!r} have no {kind} on {counts.objectives[r]!r}{more}; "
        "what is missing is not ½. Keep models that met everywhere (rule clique), or treat ties as davidson "
        "does, which fits what is missing"
    )
