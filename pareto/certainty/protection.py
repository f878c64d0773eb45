"""Tests of "j is better than i on every objective", which would make i dominated: what protects i from j.

If it is so, the mean lead of i over j is negative on every objective, and so is that of every weighted sum
of leads with weights ≥ 0. Tests are sums with weights fixed in advance, each with a share of the level, all
shares of a pair adding up to at most 1: every objective by itself, and, if comparisons on different
objectives are independent, one sum with weights in proportion to what outside comparisons predict, where that
is positive. It does what a single objective does where one stands out, and more where several agree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr

from pareto.certainty.differences import Differences, Tails
from pareto.certainty.outside import Outlook
from pareto.certainty.sample import Sample
from pareto.certainty.tails import Tail, tail
from pareto.comparisons import Counts
from pareto.links import Reals

POOLED = 0.9
"""Share of the sum over objectives; without it, of objectives in proportion to their prospects."""
BAR = 2.0
"""Standard deviations by which a lead is about significant."""


@dataclass(frozen=True)
class LeadTest:
    """One test of a weighted sum of leads of `better` over `worse`.

    Attributes:
        better, worse: models.
        weights: (d,) of the objectives' leads.
        lead: the weighted sum.
        tail: bound of its chance if `better` is not better.
        log_share: logarithm of its part of the level.
    """

    better: int
    worse: int
    weights: tuple[float, ...]
    lead: float
    tail: Tail
    log_share: float = 0.0

    @property
    def log_p(self) -> float:
        """It is significant at every level whose logarithm is at least this; 0 or more if at none."""
        return self.tail.log_bound - self.log_share


@dataclass(frozen=True, eq=False)
class Shares:
    """Attributes:

    weights: (d, K, K) of the sum over objectives; None if there is none.
    pooled: its share.
    each: (d, K, K) shares of single objectives.
    """

    weights: Reals | None
    pooled: float
    each: Reals


def shares(sample: Sample, outlook: Outlook, variance: Reals) -> Shares:
    """Weights and shares, from outside comparisons where there are any."""
    even = np.full(sample.lead.shape, 1 / sample.objectives)
    if not outlook.comparisons:
        return Shares(None, 0.0, even)
    if sample.apart:
        weights = _weights(outlook) / np.sqrt(np.where(variance > 0, variance, np.inf))
        return Shares(weights, POOLED, (1 - POOLED) * even)
    hope = ndtr(_prospect(outlook.mean, outlook.spread)) + 1e-300
    return Shares(None, 0.0, POOLED * hope / hope.sum(axis=0) + (1 - POOLED) * even)


def frontier_prospects(outlook: Outlook, dominated: Reals) -> Reals:
    """(K,): log chance, roughly, that all rivals left are beaten; dominated (K, K): log chances of that."""
    weights = _weights(outlook)
    mean = (weights * outlook.mean).sum(axis=0)
    error = (weights * weights * outlook.spread**2).sum(axis=0)
    gone = np.exp(dominated.max(axis=1))
    beaten = 1 - (1 - gone) * ndtr(-_prospect(mean, np.sqrt(error)))
    np.fill_diagonal(beaten, 1.0)
    return np.asarray(np.log(np.maximum(beaten, 1e-300)).sum(axis=1), dtype=np.float64)


def dominated_prospects(outlook: Outlook) -> Reals:
    """(K, K): log chance, roughly, that the column will be seen to lead the row on every objective."""
    found = log_ndtr(_prospect(outlook.mean, outlook.spread)).sum(axis=0).T
    np.fill_diagonal(found, -np.inf)
    return np.asarray(found, dtype=np.float64)


class Protection:
    """Tests for all ordered pairs, those over several objectives worked out when they are asked for."""

    def __init__(self, sample: Sample, differences: Differences, tails: Tails, shares: Shares) -> None:
        self._sample, self._tails, self._shares = sample, tails, shares
        self._known: dict[tuple[int, int], LeadTest] = {}
        self.promise = self._promise(differences.variance)

    def test(self, i: int, j: int) -> LeadTest:
        """The test that protects i from j best."""
        if (i, j) not in self._known:
            tests = [self.single(i, j, r) for r in range(self._sample.objectives)]
            if self._shares.weights is not None:
                tests.append(self._pooled(i, j, self._shares.weights[:, i, j]))
            self._known[i, j] = min(tests, key=lambda test: test.log_p)
        return self._known[i, j]

    def single(self, i: int, j: int, r: int, whole: bool = False) -> LeadTest:
        """The test by objective r; `whole`: with all of the level, as for a claim that i dominates j."""
        where = (r, i, j)
        weights = tuple(float(r == other) for other in range(self._sample.objectives))
        found = Tail(*(float(one[where]) for one in self._tails.all))
        log_share = 0.0 if whole else float(np.log(self._shares.each[where]))
        return LeadTest(i, j, weights, float(self._sample.lead[where]), found, log_share)

    def _promise(self, variance: Reals) -> Reals:
        """(K, K): about the least log p to be expected of the tests of row against column."""
        lead, deviation = self._sample.lead, np.sqrt(np.where(variance > 0, variance, np.inf))
        found = (log_ndtr(-lead / deviation) - np.log(self._shares.each)).min(axis=0)
        weights = self._shares.weights
        if weights is not None:
            joint = (weights**2 * variance).sum(axis=0)
            size = (weights * lead).sum(axis=0) / np.sqrt(np.where(joint > 0, joint, np.inf))
            found = np.minimum(found, log_ndtr(-size) - np.log(self._shares.pooled))
        return np.asarray(found, dtype=np.float64)

    def _pooled(self, i: int, j: int, weights: Reals) -> LeadTest:
        lead = float(weights @ self._sample.lead[:, i, j])
        ranges, counts, bundles = pair_parts(self._sample, i, j, weights)
        found = tail(lead, ranges, counts, bundles, self._sample.halves)
        return LeadTest(i, j, tuple(weights.tolist()), lead, found, float(np.log(self._shares.pooled)))


def pair_parts(sample: Sample, i: int, j: int, weights: Reals) -> tuple[Reals, Reals, Reals]:
    """Independent parts of Σ_r w_r lead_r of i over j: ranges, numbers (m,) of single ones; bundles (b,)."""
    total = sample.total
    scale = np.divide(weights[:, None, None], total, out=np.zeros(total.shape), where=total > 0)
    if sample.votes is None:
        cells = [(total[:, i].copy(), scale[:, i]), (total[:, j].copy(), scale[:, j])]
        cells[0][0][:, j] = cells[1][0][:, i] = 0
        cells.append((total[:, i, j], 2 * scale[:, i, j]))
        number, each = (np.concatenate([one.ravel() for one in parts]) for parts in zip(*cells, strict=True))
        used = (number > 0) & (each > 0)
        return *_grouped(each[used], number[used]), np.zeros(0)
    votes, mine = sample.votes, sample.votes.of(i)
    vote = np.concatenate([mine, sample.votes.of(j)])  # those between the two are here twice
    first, second = votes.first[vote], votes.second[vote]
    each = scale[votes.objective[vote], first, second]
    again = (np.arange(len(vote)) >= len(mine)) & ((first == i) | (second == i))
    used = each > 0
    vote, each, again = vote[used], each[used], again[used]
    cluster = votes.cluster[vote]
    order = np.argsort(cluster, kind="stable")
    start = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    if not len(start):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    worth = np.add.reduceat(each[order], start)
    size = np.add.reduceat((~again[order]).astype(np.int64), start)
    return *_grouped(worth[size == 1], np.ones(int((size == 1).sum()))), worth[size > 1]


def _grouped(ranges: Reals, numbers: Reals | Counts) -> tuple[Reals, Reals]:
    distinct, where = np.unique(ranges, return_inverse=True)
    return distinct, np.asarray(np.bincount(where, numbers, len(distinct)), dtype=np.float64)


def _weights(outlook: Outlook) -> Reals:
    """(d, K, K), of leads in standard deviations; squares sum to 1."""
    hope = np.maximum(outlook.mean, 0.0) / (1 + outlook.spread**2)
    best = np.arange(len(hope))[:, None, None] == outlook.mean.argmax(axis=0)
    found = np.where(hope.max(axis=0) > 0, hope, best)
    return np.asarray(found / np.sqrt((found**2).sum(axis=0)), dtype=np.float64)


def _prospect(mean: Reals, spread: Reals) -> Reals:
    """By how much the bar is expected to be cleared, in standard deviations of the prediction."""
    return np.asarray((mean - BAR) / np.sqrt(1 + spread**2), dtype=np.float64)
