"""What alternatives answer to an allocation: their closest scores, and the information of every cell there.

Against scores λ of an alternative, allocation w has information Σ_e w_e κ_e(λ) a comparison, κ_e the
divergence on cell e. This is linear in w, and whatever λ is, no less than what w has against its closest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pareto.alternatives import Alternative
from pareto.comparisons import Counts
from pareto.exact_glr import DivergenceCosts, forced_below
from pareto.glr.log_ratios import bernoulli_divergence
from pareto.limit.cells import Cells
from pareto.links import Reals

Row = tuple[Counts, Reals]
"""Classes of cells with information, and how much."""
Rows = Any
"""Information (n, classes) as a scipy sparse array by rows."""


ROWS = 3
"""Rows that are kept of one alternative."""


class Responses:
    """Those to one allocation, `mass` (classes,). Information up to `faint` on a class is left out."""

    def __init__(self, theta: Reals, cells: Cells, mass: Reals, faint: float) -> None:
        self.mass, self._cells, self._faint = mass, cells, faint
        self.costs = DivergenceCosts(theta, cells.weights(mass))
        self._lead = theta[cells.first] - theta[cells.second]
        self._known: dict[Alternative, tuple[float, Row]] = {}

    def of(self, alternatives: Iterable[Alternative]) -> tuple[Reals, list[Row]]:
        """Information against each alternative (n,), and that of classes of cells."""
        found = [self._of(one) for one in alternatives]
        return np.array([value for value, _ in found]), [row for _, row in found]

    def _of(self, alternative: Alternative) -> tuple[float, Row]:
        if alternative not in self._known:
            self._known[alternative] = self._worked_out(alternative)
        return self._known[alternative]

    def _worked_out(self, alternative: Alternative) -> tuple[float, Row]:
        cells = self._cells
        information = np.zeros(cells.number.shape)
        value = 0.0
        for r in range(len(information)):
            found = self.costs.forced(r, alternative.top, forced_below(alternative, r))
            if found.moves.any():
                value += found.value
                shift = found.moves[cells.first] - found.moves[cells.second]
                information[r] = bernoulli_divergence(self._lead[:, r], shift)
        mean = cells.mean(information)
        some = np.flatnonzero(mean > self._faint)
        return value, (some, mean[some])


def stacked(rows: Sequence[Row], classes: int) -> Rows:
    """Rows below each other."""
    from scipy.sparse import csr_array  # a slow import

    ends = np.cumsum([0, *(len(some) for some, _ in rows)])
    index, value = (np.concatenate(part) for part in zip(*rows, strict=True))
    return csr_array((value, index, ends), shape=(len(rows), classes))


def merged(pairs: Sequence[tuple[Alternative, Row]], share: Reals) -> list[tuple[Alternative, Row]]:
    """`ROWS` rows for each alternative with a share: those with the largest shares (n,), the rest averaged.

    Information is convex in the scores, so averaged scores have no more.
    """
    parts: dict[Alternative, list[tuple[float, Row]]] = {}
    for (alternative, row), part in zip(pairs, share.tolist(), strict=True):
        if part > 0:
            parts.setdefault(alternative, []).append((part, row))
    kept = []
    for alternative, rows in parts.items():
        rows.sort(key=lambda pair: -pair[0])
        kept += [(alternative, row) for _, row in rows[: ROWS - 1]]
        if rows[ROWS - 1 :]:
            kept.append((alternative, _average(rows[ROWS - 1 :])))
    return kept


def _average(rows: Sequence[tuple[float, Row]]) -> Row:
    if len(rows) == 1:
        return rows[0][1]
    total = sum(part for part, _ in rows)
    where = np.concatenate([some for _, (some, _) in rows])
    some, place = np.unique(where, return_inverse=True)
    values = np.concatenate([value * (part / total) for part, (_, value) in rows])
    return some.astype(np.int64), np.asarray(np.bincount(place, values, len(some)), dtype=np.float64)
