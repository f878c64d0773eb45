"""Model Selector: the label expected to tell most about which candidate is most often right.

Okanovic et al. 2025, *All Models Are Wrong, Some Are Useful*; noise 0.46. It knows predictions only, not
confidences. Rows on which the same candidates agree with each other have the same score, so the few
*partitions* of the candidates are scored, not the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from certify.policies.seen import Cursor, Mask, Order, Seen, Stretch
from certify.pool import Pool
from certify.risks import Codes

NOISE = 0.46
_GAMMA = (1 - NOISE) / NOISE
_LOG_GAMMA = float(np.log2(_GAMMA))
_TIE = 1e-12  # bits

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partitions:
    """How predictions split the candidates: P partitions, made of G different sets of candidates.

    sets: (G, K) of 0 and 1. parts: the sets that each partition consists of, one partition after the
    other. starts: (P,) where each begins in `parts`.
    """

    sets: Floats
    parts: Index
    starts: Index

    @classmethod
    def of(cls, predictions: Codes) -> tuple[Self, Index]:
        """The partitions that occur in predictions, (K, n), and which one each row has, (n,)."""
        leaders = _leaders(predictions)
        of_row: Index = np.zeros(predictions.shape[1], dtype=np.int64)
        for k, leader in enumerate(leaders):
            _, of_row = np.unique(of_row * (k + 1) + leader, return_inverse=True)
        _, examples = np.unique(of_row, return_index=True)
        candidates = np.arange(len(leaders))
        together = leaders[:, examples].T[:, None, :] == candidates[:, None]  # partition × leader × member
        exists = together.any(axis=2)
        sets, parts = np.unique(together[exists], axis=0, return_inverse=True)
        sizes = exists.sum(axis=1)
        return cls(sets.astype(np.float64), parts.ravel(), np.cumsum(sizes) - sizes), of_row

    def entropy_changes(self, right: Index) -> Floats:
        """Σ over the classes predicted of H_c − H, for each partition; (P,), bits, smaller is better.

        right: (K,) labelled rows that each candidate got right. H is the entropy of the belief
        π_j ∝ γ^right_j, and H_c the one that it would have after a label c.
        """
        log_belief = (right - right.max()) * _LOG_GAMMA
        log_belief -= math.log2(np.exp2(log_belief).sum())
        belief = np.exp2(log_belief)
        own = -belief * log_belief
        entropy = own.sum()
        total = 1 + self.sets @ ((_GAMMA - 1) * belief)
        moved = self.sets @ ((_GAMMA - 1) * own - (_GAMMA * _LOG_GAMMA) * belief)
        change = np.log2(total) + (entropy + moved) / total - entropy
        changes: Floats = np.add.reduceat(change[self.parts], self.starts)
        return changes


def _leaders(predictions: Codes) -> npt.NDArray[np.int64]:
    """The first candidate that predicts the same, for each candidate and row; (K, n)."""
    leaders = np.empty(predictions.shape, dtype=np.int64)
    for k, own in enumerate(predictions):
        leaders[k] = k
        for j in range(k - 1, -1, -1):
            leaders[k, predictions[j] == own] = j
    return leaders


@dataclass
class ModelSelector:
    """First the rows on which candidates disagree, best partition first; then the others, by chance.

    Rows of equally good partitions (scores alike to 1e-12 bits) are drawn uniformly, anew for each label, by
    a hash of seed, row and the number of labels read. Duplicate candidates all keep their share of belief.
    """

    pool: Pool
    seed: int
    name: str = field(init=False, default="model-selector")
    _disputed: Order = field(init=False)
    """Rows on which candidates disagree, partition by partition."""
    _of_row: Index = field(init=False)
    _first: Index = field(init=False)
    """Where each partition begins in `_disputed`."""
    _partitions: Partitions = field(init=False)
    _agreed: Cursor = field(init=False)
    _row_bits: npt.NDArray[np.uint64] = field(init=False)
    _label_bits: npt.NDArray[np.uint64] = field(init=False)
    _right: Index = field(init=False)
    _counted: tuple[int, int] = field(init=False, default=(0, 0))
    """How many labels, and after how many corrections, `_right` counts."""

    def __post_init__(self) -> None:
        predictions = self.pool.predictions
        disputed = (predictions != predictions[:1]).any(axis=0)
        rows = np.flatnonzero(disputed)
        self._partitions, of_row = Partitions.of(predictions[:, rows])
        grouped = np.argsort(of_row, kind="stable")
        self._disputed, self._of_row = rows[grouped], of_row[grouped]
        self._first = np.searchsorted(self._of_row, np.arange(len(self._partitions.starts)))
        # raw bits, because numpy keeps their stream for ever
        bits = np.random.PCG64(self.seed).random_raw(2 * self.pool.n)
        self._row_bits, self._label_bits = bits[: self.pool.n], bits[self.pool.n :]
        order = np.argsort(self._row_bits, kind="stable")
        self._agreed = Cursor(order[~disputed[order]])
        self._right = np.zeros(self.pool.candidates, dtype=np.int64)

    def stretch(self, seen: Seen, readable: Mask, m: int) -> Stretch:
        open_ = readable[self._disputed]
        if not open_.any():
            return Stretch(self._agreed.rest(readable), None, False)
        found = self._best(self._scores(seen), open_, len(seen.told), m)
        if len(found) < m:
            found = np.concatenate([found, self._agreed.rest(readable)])
        return Stretch(found, 1, False)

    def _scores(self, seen: Seen) -> Floats:
        """Scores of the partitions; counts only the labels that are new since the last call."""
        counted, corrections = self._counted
        if corrections != seen.corrections or counted > len(seen.told):
            self._right[:], counted = 0, 0
        new = seen.told[counted:]
        if len(new):
            self._right += (self.pool.predictions[:, new] == seen.labels[new]).sum(axis=1)
        self._counted = len(seen.told), seen.corrections
        return self._partitions.entropy_changes(self._right)

    def _best(self, scores: Floats, open_: Mask, read: int, m: int) -> Order:
        """The m best open disputed rows, or all of them, after `read` labels."""
        levels = np.rint(scores / _TIE)
        occupied = levels[np.logical_or.reduceat(open_, self._first)]
        found: list[Order] = []
        missing = m
        while missing > 0 and len(occupied):
            level = occupied.min()
            rows = self._disputed[open_ & (levels == level)[self._of_row]]
            found.append(self._drawn(rows, read, missing))
            missing -= len(found[-1])
            occupied = occupied[occupied > level]
        return np.concatenate(found)

    def _drawn(self, rows: Order, read: int, m: int) -> Order:
        """m of the rows, or all of them, in an order that depends on seed, `read` and the rows alone."""
        mixed = self._row_bits[rows] + self._label_bits[read]
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        first = np.argsort(mixed, kind="stable")[:m] if m > 1 else mixed.argmin(keepdims=True)
        chosen: Order = rows[first]
        return chosen
