"""Integer risks of the candidates and what one label does to each pair of them.

Every setting (two classes, a shared multiclass prediction, differing multiclass predictions) is one
formula. With d = w_j − w_k and the *span* s = |d| where the pair predicts alike and w_j + w_k where it
does not, r_j − r_k takes on one row values between (d − s)/2 and (d + s)/2, and the label read decides
which. For two classes and for shared predictions s = |b_jki| of the paper (section 3, equations 3–4).

AURC's weights are no whole numbers. Its `Risks` hold them rounded down, and `blocks` to find the true ones:
then each L_jk is off by less than `radius`, and `most_span` and `most_gain` are what the true spans and gains
cannot exceed. `certify.deciding` draws exact conclusions from that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from certify.harmonic import Blocks
from solvers.disk_tables import DiskTable

Rows = slice | npt.NDArray[np.int64]
Codes = npt.NDArray[np.int16]
UNLABELLED = -1
_BLOCK = 1 << 15  # columns per pass, so that a block of every candidate stays in cache


@dataclass(frozen=True, eq=False)
class Risks:
    """r_j(y) = Σ_i weights[j, i] · 1[predictions[j, i] ≠ y_i], a loss of `scale` times the objective.

    weights: (K, n) int32, ≥ 0 and < 2³⁰. predictions: (K, n) class codes, or (1, n) when all candidates
    predict alike. scale: 2n² for AUGRC. |r| < 2⁶³ is guaranteed by n ≤ 2²⁹. blocks: what the true weights are
    found from where the integers round them down, else None.
    """

    weights: npt.NDArray[np.int32]
    predictions: Codes
    scale: int
    blocks: Blocks | None = None

    @property
    def shape(self) -> tuple[int, int]:
        candidates, n = self.weights.shape
        return candidates, n

    @property
    def kept(self) -> npt.NDArray[np.int32] | Codes:
        """The table that says where further tables are kept, in memory or on disk; (K, n) or (1, n)."""
        return self.predictions if isinstance(self.predictions, DiskTable) else self.weights

    @property
    def shared(self) -> bool:
        """Whether all candidates predict alike by construction."""
        return len(self.predictions) == 1

    def span(self, j: int, k: int, rows: Rows = slice(None)) -> npt.NDArray[np.int32]:
        """Width of r_j − r_k on each row: the most that its label can add to L_jk or to L_kj."""
        first, second = self.weights[j, rows], self.weights[k, rows]
        same: npt.NDArray[np.int32] = np.abs(first - second)
        if self.shared:
            return same
        agree = self.predictions[j, rows] == self.predictions[k, rows]
        return np.where(agree, same, first + second)

    def gain(self, j: int, k: int, labels: Codes, rows: Rows = slice(None)) -> npt.NDArray[np.int32]:
        """What reading `labels` (aligned with `rows`) adds to L_jk: g ≥ 0, 0 where unlabelled.

        Paper, equation 7; g_jk + g_kj = span for a label predicted by j or k.
        """
        first, second = self.weights[j, rows], self.weights[k, rows]
        difference = first - second
        gained: npt.NDArray[np.int32]
        if self.shared:
            gained = np.maximum(difference, 0)
            correct = self.predictions[0, rows] == labels
            gained -= difference * correct
        else:
            j_wrong = self.predictions[j, rows] != labels
            k_wrong = self.predictions[k, rows] != labels
            agree = self.predictions[j, rows] == self.predictions[k, rows]
            gained = first * j_wrong - second * k_wrong  # the value of r_j − r_k on the row …
            gained -= np.where(agree, np.minimum(difference, 0), -second)  # … above its lowest
        gained[labels == UNLABELLED] = 0
        return gained

    @cached_property
    def radius(self) -> npt.NDArray[np.int64]:
        """Every true L_jk, times `scale`, is less than this away from the integer one, equal where 0; (K, K).

        On a row L_jk holds one weight or a difference of two, so rounding moves it by less than one; on rows
        where the pair has the same block and prediction, not at all. O(K²n) once.
        """
        candidates, n = self.shape
        radius = np.zeros((candidates, candidates), dtype=np.int64)
        if self.blocks is not None:
            for j, k in self.pairs():
                radius[j, k] = radius[k, j] = n - np.count_nonzero(self._identical(self.blocks, j, k))
        return radius

    @cached_property
    def matters(self) -> npt.NDArray[np.bool_]:
        """Rows on which some pair of candidates has a span; no other row need ever be read; (n,), O(Kn)."""
        differ = np.zeros(self.shape[1], dtype=bool)
        for k in range(1, self.shape[0]):
            alike = self.weights[0] == self.weights[k] if self.blocks is None else self.blocks.same(0, k)
            if not self.shared:
                alike &= (self.predictions[0] == self.predictions[k]) | (self.weights[0] == 0)
            differ |= ~alike
        return differ

    def most_span(self, j: int, k: int, rows: Rows = slice(None)) -> npt.NDArray[np.int32]:
        """An integer not below the true span: the span itself unless the weights are rounded."""
        span = self.span(j, k, rows)
        if self.blocks is not None:
            span += np.int32(2) * ~self._identical(self.blocks, j, k, rows)
        return span

    def most_gain(self, j: int, k: int, labels: Codes, rows: Rows = slice(None)) -> npt.NDArray[np.int32]:
        """An integer not below the true gain: the gain itself unless the weights are rounded.

        A true gain is 0 where the integer one is, but for rows where two different weights round alike.
        """
        gain = self.gain(j, k, labels, rows)
        if self.blocks is not None:
            hidden = (self.weights[j, rows] == self.weights[k, rows]) & (labels != UNLABELLED)
            hidden &= ~self.blocks.same(j, k, rows)
            if not self.shared:
                hidden &= self.predictions[j, rows] == self.predictions[k, rows]
            gain += np.int32(2) * ((gain > 0) | hidden)
        return gain

    def _identical(self, blocks: Blocks, j: int, k: int, rows: Rows = slice(None)) -> npt.NDArray[np.bool_]:
        same = blocks.same(j, k, rows)
        if not self.shared:
            same &= self.predictions[j, rows] == self.predictions[k, rows]
        return same

    def totals(self, labels: Codes) -> npt.NDArray[np.int64]:
        """Full-pool risks r_j, (K,); every row must be labelled."""
        candidates, n = self.shape
        totals = np.zeros(candidates, dtype=np.int64)
        for block in blocks(n):
            wrong = self.predictions[:, block] != labels[block]
            totals += np.sum(self.weights[:, block] * wrong, axis=1, dtype=np.int64)
        return totals

    def pairs(self, candidates: npt.NDArray[np.bool_] | None = None) -> Iterator[tuple[int, int]]:
        """Unordered pairs j < k, of the marked candidates where given."""
        chosen = [
            int(k) for k in (range(self.shape[0]) if candidates is None else np.flatnonzero(candidates))
        ]
        return ((j, k) for at, j in enumerate(chosen) for k in chosen[at + 1 :])


def blocks(n: int) -> Iterator[slice]:
    """Consecutive column slices that cover n rows."""
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
