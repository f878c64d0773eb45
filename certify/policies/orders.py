"""Orders that depend only on which candidates are still in the race (paper, equation 10, section 6.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, eliminated
from certify.policies.seen import Cursor, Mask, Order, Seen, Stretch
from certify.pool import Pool
from certify.risks import Risks, blocks

Score = Callable[[Risks, Mask], npt.NDArray[np.int64]]


def distinct(risks: Risks) -> Mask:
    """Marks the candidates that are no exact duplicate of an earlier one; (K,).

    Duplicates have equal losses for every row and label, so pair scores must not count them twice.
    """
    candidates, _ = risks.shape
    keep = np.ones(candidates, dtype=bool)
    for j, k in risks.pairs():
        if keep[j] and keep[k] and np.array_equal(risks.weights[j], risks.weights[k]):
            alike = risks.shared or np.array_equal(risks.predictions[j], risks.predictions[k])
            keep[k] = not alike
    return keep


def range_scores(risks: Risks, active: Mask) -> npt.NDArray[np.int64]:
    """Largest span of any active pair on each row (equation 10); (n,)."""
    return _over_pairs(risks, active, np.maximum)


def pair_sum_scores(risks: Risks, active: Mask) -> npt.NDArray[np.int64]:
    """Sum of the active pairs' spans on each row; (n,)."""
    return _over_pairs(risks, active, np.add)


def _over_pairs(risks: Risks, active: Mask, combine: np.ufunc) -> npt.NDArray[np.int64]:
    scores = np.zeros(risks.shape[1], dtype=np.int64)
    for block in blocks(risks.shape[1]):
        for j, k in risks.pairs(active):
            combine(scores[block], risks.span(j, k, block), out=scores[block])
    return scores


@dataclass
class OrderPolicy:
    """All rows by score, scored again when a candidate is eliminated if `adaptive`."""

    name: str
    risks: Risks
    score: Score
    adaptive: bool
    _kept: Mask = field(init=False)
    _active: Mask | None = field(init=False, default=None)
    _cursor: Cursor = field(init=False)

    def __post_init__(self) -> None:
        self._kept = distinct(self.risks)

    def active(self, lower: PairMatrix) -> Mask:
        """Candidates whose pairs are scored now: distinct, and for adaptive policies not eliminated."""
        return self._kept & ~eliminated(lower) if self.adaptive else self._kept

    def order(self, active: Mask) -> Order:
        """All rows, best first; equal scores by row index. Scores cost O(K²n), the sort O(n log n)."""
        return np.argsort(-self.score(self.risks, active), kind="stable")

    def stretch(self, seen: Seen, readable: Mask, m: int) -> Stretch:
        active = self.active(seen.lower)
        if self._active is None or not np.array_equal(active, self._active):
            self._active, self._cursor = active, Cursor(self.order(active))
        return Stretch(self._cursor.rest(readable), None, self.adaptive)


@dataclass
class FixedPolicy:
    """One order of all rows, settled before the first label."""

    name: str
    order: Order
    _cursor: Cursor = field(init=False)

    def __post_init__(self) -> None:
        self._cursor = Cursor(self.order)

    def stretch(self, seen: Seen, readable: Mask, m: int) -> Stretch:
        return Stretch(self._cursor.rest(readable), None, False)


def random_order(pool: Pool, seed: int) -> FixedPolicy:
    """All rows in an order that depends on the seed and their number alone."""
    # raw bits, because numpy keeps their stream for ever, that of permutation() it does not
    draws = np.random.PCG64(seed).random_raw(pool.n)
    return FixedPolicy("random", np.argsort(draws, kind="stable"))


def static_range(pool: Pool, seed: int) -> OrderPolicy:
    """Largest span of any pair first (paper, equation 10)."""
    return OrderPolicy("static-range", pool.risks, range_scores, adaptive=False)


def static_pair_sum(pool: Pool, seed: int) -> OrderPolicy:
    """Largest sum of the pairs' spans first (paper, section 6.4)."""
    return OrderPolicy("static-pair-sum", pool.risks, pair_sum_scores, adaptive=False)


def adaptive_range(pool: Pool, seed: int) -> OrderPolicy:
    """As `static_range`, over pairs of candidates that can still win."""
    return OrderPolicy("adaptive-range", pool.risks, range_scores, adaptive=True)


def adaptive_pair_sum(pool: Pool, seed: int) -> OrderPolicy:
    """As `static_pair_sum`, over pairs of candidates that can still win."""
    return OrderPolicy("adaptive-pair-sum", pool.risks, pair_sum_scores, adaptive=True)
