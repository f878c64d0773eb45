"""A bounded dual simplex for few rows and a few hundred columns, dense and in floating point.

It solves min cost·x, rows @ x ≥ rhs, low ≤ x ≤ high, restarts from any basis, and takes more rows as it goes.
Its prices are suggestions: whoever uses them recomputes bounds in integers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

TOLERANCE = 1e-9
REFACTOR = 20
"""Pivots between two fresh inversions of the basis."""

Reals = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


class Outcome(Enum):
    """Why the pivoting stopped."""

    OPTIMAL = "optimal"
    CUTOFF = "the objective passed the cutoff, or nothing is feasible"
    STEPS = "step limit"


@dataclass(slots=True, eq=False)
class Simplex:
    """A dual feasible basis, changed in place by :meth:`solve`; variable N + r is the surplus of row r.

    Attributes:
        rows: (R, N); rhs: (R,); cost, low, high: (N,).
        at_high: bool (N,), nonbasic columns at their upper bound (False for basic ones).
        basis: (R,) variables; inverse: (R, R) of their columns.
        prices: (R,) row duals; reduced: (N,) reduced costs; values: (R,) basic values.
        objective: of the current point; infinite once infeasible.
        ray: (R,) nonnegative row weights that show infeasibility, if that was found.
    """

    rows: Reals
    rhs: Reals
    cost: Reals
    low: Reals
    high: Reals
    at_high: Mask
    basis: Places
    inverse: Reals
    prices: Reals = field(default_factory=lambda: np.zeros(0))
    reduced: Reals = field(default_factory=lambda: np.zeros(0))
    values: Reals = field(default_factory=lambda: np.zeros(0))
    objective: float = -np.inf
    ray: Reals | None = None

    @classmethod
    def fresh(cls, rows: Reals, rhs: Reals, cost: Reals) -> Simplex:
        """All surpluses basic, 0 ≤ x ≤ 1: dual feasible because costs are positive."""
        r, n = rows.shape
        zeros, ones = np.zeros(n), np.ones(n)
        basis = np.arange(n, n + r)
        return cls(rows, rhs, cost, zeros, ones, np.zeros(n, dtype=np.bool_), basis, -np.eye(r))

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.rows.shape[1])

    @property
    def structural(self) -> Mask:
        """Bool (R,): which basic variables are columns."""
        return np.asarray(self.basis < self.n)

    def refactor(self) -> None:
        """Invert the basis afresh."""
        extended = np.concatenate([self.rows, -np.eye(len(self.rhs))], axis=1)
        self.inverse = np.linalg.inv(extended[:, self.basis])

    def price(self) -> None:
        """Prices, reduced costs, basic values and objective of the basis."""
        is_column = self.structural
        chosen = self.basis[is_column]
        basic_cost = np.zeros(len(self.basis))
        basic_cost[is_column] = self.cost[chosen]
        self.prices = basic_cost @ self.inverse
        self.reduced = self.cost - self.prices @ self.rows
        self.reduced[chosen] = 0.0
        resting = np.where(self.at_high, self.high, self.low)
        resting[chosen] = 0.0
        self.values = self.inverse @ (self.rhs - self.rows @ resting)
        self.objective = float(self.cost @ resting + basic_cost @ self.values)

    def point(self) -> Reals:
        """The current point, (N,)."""
        x = np.where(self.at_high, self.high, self.low)
        is_column = self.structural
        x[self.basis[is_column]] = self.values[is_column]
        return x

    def solve(self, cutoff: float, steps: int) -> Outcome:
        """Pivot until optimal, beyond the cutoff, or out of steps."""
        for step in range(steps):
            if step % REFACTOR == REFACTOR - 1:
                self.refactor()
            self.price()
            if self.objective > cutoff:
                return Outcome.CUTOFF
            leaving = self._leaving()
            if leaving is None:
                return Outcome.OPTIMAL
            if not self._pivot(*leaving, cutoff):
                return Outcome.CUTOFF
        self.price()
        return Outcome.STEPS

    def _leaving(self) -> tuple[int, float, bool] | None:
        """Row of the basic variable furthest outside its bounds, by how much, and whether it is below."""
        is_column = self.structural
        chosen = self.basis[is_column]
        under = -self.values
        over = np.full(len(self.rhs), -1.0)
        under[is_column] += self.low[chosen]
        over[is_column] = self.values[is_column] - self.high[chosen]
        outside = np.maximum(under, over)
        score = np.where(outside > TOLERANCE, outside**2 / (self.inverse**2).sum(axis=1), 0.0)
        r = int(score.argmax()) if len(score) else 0
        return (r, float(outside[r]), bool(under[r] > 0)) if len(score) and score[r] > 0.0 else None

    def _pivot(self, r: int, outside: float, below: bool, cutoff: float) -> bool:
        """One dual step that takes basic variable r to its bound; False if nothing can (infeasible)."""
        n = self.n
        sign = 1.0 if below else -1.0
        direction = sign * np.concatenate([self.inverse[r] @ self.rows, -self.inverse[r]])
        helps = direction < -TOLERANCE
        helps[:n] = np.where(self.at_high, direction[:n] > TOLERANCE, helps[:n]) & (self.high > self.low)
        helps[self.basis] = False
        entering = np.flatnonzero(helps)
        size = np.abs(direction[entering])
        ratio = np.abs(np.concatenate([self.reduced, self.prices])[entering]) / size
        order = np.argsort(ratio, kind="stable")
        entering, size = entering[order], size[order]
        # Along this edge of the dual the slope falls by ``size`` at every column that flips its bound.
        slope = outside - np.cumsum(np.where(entering < n, size, np.inf))
        stop = np.flatnonzero(slope <= 1e-12)
        if not len(stop):  # the edge rises for ever
            last = float(slope[-1]) if len(slope) else outside
            far = (cutoff + 1.0 - self.objective) / max(last, 1e-12) + float(ratio.max(initial=0.0))
            self.ray = np.maximum(-sign * self.inverse[r], 0.0)
            self.prices = np.maximum(self.prices - sign * far * self.inverse[r], 0.0)
            self.objective = np.inf
            return False
        flips = entering[: stop[0]]
        self.at_high[flips] = ~self.at_high[flips]
        enter = int(entering[stop[0]])
        column = self.inverse @ self.rows[:, enter] if enter < n else -self.inverse[:, enter - n]
        self.inverse[r] /= column[r]
        column[r] = 0.0
        self.inverse -= np.outer(column, self.inverse[r])
        leave = int(self.basis[r])
        self.basis[r] = enter
        if enter < n:
            self.at_high[enter] = False
        if leave < n:
            self.at_high[leave] = not below
        return True

    def with_row(self, row: Reals, bound: float) -> Simplex:
        """A copy with one more row row·x ≥ bound, its surplus basic."""
        n, r = self.n, len(self.rhs)
        is_column = self.structural
        basic = np.zeros(r)
        basic[is_column] = row[self.basis[is_column]]
        inverse = np.zeros((r + 1, r + 1))
        inverse[:r, :r] = self.inverse
        inverse[r, :r] = basic @ self.inverse
        inverse[r, r] = -1.0
        return replace(
            self,
            rows=np.vstack([self.rows, row]),
            rhs=np.append(self.rhs, bound),
            at_high=self.at_high.copy(),
            basis=np.append(self.basis, n + r),
            inverse=inverse,
        )

    def with_fixed(self, held: Mask, value: int) -> Simplex:
        """A copy with some columns held at 0 or 1."""
        low, high = self.low.copy(), self.high.copy()
        low[held] = high[held] = value
        return replace(
            self,
            low=low,
            high=high,
            at_high=self.at_high.copy(),
            basis=self.basis.copy(),
            inverse=self.inverse.copy(),
        )

    def without_columns(self, gone: Mask) -> Simplex | None:
        """A copy without nonbasic columns, the others free again; None if one of them is basic."""
        if gone[self.basis[self.structural]].any():
            return None
        kept = ~gone
        place = np.append(np.cumsum(kept) - 1, 0)
        was, n = self.n, int(kept.sum())
        basis = np.where(self.basis < was, place[np.minimum(self.basis, was)], self.basis - was + n)
        return replace(
            self,
            rows=np.ascontiguousarray(self.rows[:, kept]),
            cost=self.cost[kept],
            low=np.zeros(n),
            high=np.ones(n),
            at_high=self.at_high[kept],
            basis=basis,
            inverse=self.inverse.copy(),
        )

    def without_rows(self, gone: Mask) -> Simplex:
        """A copy without rows whose surplus is basic."""
        n = self.n
        out: npt.NDArray[Any] = ~self.structural
        out[out] = gone[self.basis[out] - n]
        place = np.cumsum(~gone) - 1
        basis = self.basis[~out]
        basis = np.where(basis < n, basis, n + place[np.maximum(basis - n, 0)])
        return replace(
            self,
            rows=self.rows[~gone],
            rhs=self.rhs[~gone],
            at_high=self.at_high.copy(),
            basis=basis,
            inverse=self.inverse[np.ix_(~out, ~gone)],
        )
