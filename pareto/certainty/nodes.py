"""A few ranges in place of many: sums of g(λa, 0) over millions of bundles, for any λ, from weights of nodes.

On a bin of ranges, from one end to √2 times it, a ↦ g(λa, 0) is as good as equal to the polynomial through
its values at 14 Chebyshev nodes. It is analytic but for some λa on the imaginary axis, so that for no λ does
the error exceed about 11^−14 of the value. Hence Σ g(λa, 0) over many a is Σ w g(λν, 0) over nodes ν, with
weights w that depend on the a only (Trefethen 2013, chapters 5 and 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NODES = 14
"""Nodes in a bin."""
WIDTH = 2**0.5
"""Upper over lower end of a bin."""
_ANGLES = (np.arange(NODES) + 0.5) * np.pi / NODES
_PLACES: Reals = (1 + WIDTH) / 2 + (WIDTH - 1) / 2 * np.cos(_ANGLES)
"""The nodes of the bin that begins at 1."""
_WEIGHTS: Reals = np.cos(np.arange(NODES)[:, None] * _ANGLES) * np.where(np.arange(NODES) == 0, 1, 2)[:, None]
"""Weights of nodes (columns) from sums of Chebyshev polynomials (rows), times `NODES`."""


@dataclass(frozen=True)
class Nodes:
    """Nodes for ranges that lie in `bins` bins, the lowest of which begins at √2 to the power of `lowest`."""

    lowest: int
    bins: int

    @classmethod
    def between(cls, low: float, high: float) -> Nodes:
        """For ranges from low > 0 to high."""
        first, last = (int(each) for each in _bin(np.array([low, high])))
        return cls(first, last - first + 1)

    @property
    def ranges(self) -> Reals:
        """(bins · NODES,)."""
        begin = WIDTH ** np.arange(self.lowest, self.lowest + self.bins, dtype=np.float64)
        return np.asarray(np.outer(begin, _PLACES).ravel(), dtype=np.float64)

    def weights(self, group: Counts, ranges: Reals, sign: Reals, groups: int) -> csr_matrix:
        """(groups, bins · NODES): what stands for Σ sign · g(λ · range, 0) by group; inputs (m,)."""
        from scipy.sparse import csr_matrix

        where = _bin(ranges)
        key = group * self.bins + (where - self.lowest)
        used = np.zeros(groups * self.bins, dtype=np.bool_)
        used[key] = True
        keys = np.flatnonzero(used)
        row = (np.cumsum(used) - 1)[key]
        # rounding may put a range just outside its bin, where the polynomial is as good
        place = (ranges * WIDTH ** -where.astype(np.float64) - (1 + WIDTH) / 2) / ((WIDTH - 1) / 2)
        sums = np.empty((NODES, len(keys)))
        before, now = sign * place, sign  # T₋₁ = T₁
        for degree in range(NODES):
            sums[degree] = np.bincount(row, now, len(keys))
            before, now = now, 2 * place * now - before
        values = sums.T @ _WEIGHTS / NODES
        column = (keys % self.bins * NODES)[:, None] + np.arange(NODES)
        ends = NODES * np.cumsum(np.bincount(keys // self.bins, minlength=groups))
        start = np.concatenate([[0], ends])
        return csr_matrix((values.ravel(), column.ravel(), start), shape=(groups, self.bins * NODES))


def terms_of(bundles: int) -> int:
    """How many terms a sum through nodes counts for in its rounding: weights are sums over all bundles and
    `NODES` polynomials with values up to 1, and absolute weights of nodes add up to about twice the sum."""
    return 2 * NODES * (bundles + NODES) if bundles else 0


def condensed(ranges: Reals) -> tuple[Reals, Reals]:
    """Nodes and their weights for a sum over `ranges` (m,) > 0; of few ranges, they themselves."""
    if len(ranges) <= NODES:
        return ranges, np.ones(len(ranges))
    nodes = Nodes.between(ranges.min(), ranges.max())
    weights = nodes.weights(np.zeros(len(ranges), dtype=np.int64), ranges, np.ones(len(ranges)), 1)
    return nodes.ranges, np.asarray(weights.toarray()[0], dtype=np.float64)


def _bin(ranges: Reals) -> Counts:
    return np.asarray(np.floor(2 * np.log2(ranges)), dtype=np.int64)
