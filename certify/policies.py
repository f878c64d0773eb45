"""Query orders: which unread row to label next (paper, sections 5 and 6.4).

Any order is valid, because the stopping test is exact for all of them; they differ in how many labels
are read before it fires. A policy never sees a label that was not bought.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, eliminated
from certify.errors import PoolError
from certify.risks import Risks, blocks

Mask = npt.NDArray[np.bool_]
Order = npt.NDArray[np.int64]


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
    """A policy whose order of rows depends only on which candidates are still in the race."""

    name: str
    risks: Risks
    seed: int
    score: Callable[[Risks, Mask], npt.NDArray[np.int64]] | None
    adaptive: bool
    _kept: Mask = field(init=False)
    _active: Mask | None = field(init=False, default=None)
    _order: Order = field(init=False)
    _start: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._kept = distinct(self.risks)

    def active(self, lower: PairMatrix) -> Mask:
        """Candidates whose pairs are scored now: distinct, and for adaptive policies not eliminated."""
        return self._kept & ~eliminated(lower) if self.adaptive else self._kept

    def order(self, active: Mask) -> Order:
        """All rows, best first; equal scores by row index. Scores cost O(K²n), the sort O(n log n)."""
        if self.score is None:
            # raw bits, because numpy keeps their stream for ever, that of permutation() it does not
            draws = np.random.PCG64(self.seed).random_raw(self.risks.shape[1])
            return np.argsort(draws, kind="stable")
        return np.argsort(-self.score(self.risks, active), kind="stable")

    def propose(self, lower: PairMatrix, readable: Mask, held: Collection[int], m: int) -> list[int]:
        """The next m rows among `readable` ((n,), unread and not skipped) that nobody holds."""
        active = self.active(lower)
        if self._active is None or not np.array_equal(active, self._active):
            self._active, self._order, self._start = active, self.order(active), 0
        order = self._order
        while self._start < len(order) and not readable[order[self._start]]:
            self._start += 1
        chosen: list[int] = []
        at = self._start
        while len(chosen) < m and at < len(order):
            row = int(order[at])
            if readable[row] and row not in held:
                chosen.append(row)
            at += 1
        return chosen


_ORDERS: dict[str, tuple[Callable[[Risks, Mask], npt.NDArray[np.int64]] | None, bool]] = {
    "random": (None, False),
    "static-range": (range_scores, False),
    "static-pair-sum": (pair_sum_scores, False),
    "adaptive-range": (range_scores, True),
    "adaptive-pair-sum": (pair_sum_scores, True),
}
POLICIES = tuple(_ORDERS)
DEFAULT_POLICY = "adaptive-pair-sum"


def make_policy(name: str, risks: Risks, seed: int = 0) -> OrderPolicy:
    """The policy called `name`, one of `POLICIES`; `seed` matters to `random` only."""
    if name not in _ORDERS:
        raise PoolError(f"unknown policy {name!r}; choose one of {', '.join(POLICIES)}")
    score, adaptive = _ORDERS[name]
    return OrderPolicy(name, risks, seed, score, adaptive)
