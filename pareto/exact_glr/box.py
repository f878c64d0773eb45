"""Costs of forced orders within a box, by any back end of `solvers`, in exact arithmetic.

The log-likelihood ratio between the best scores of the box Σϑ = 0, |ϑ_i| ≤ S and the best that also have the
orders: each fit is a `solvers.OrderedBradleyTerry` whose optimum is enclosed by rationals, so the difference
of two likelihoods that agree in most digits loses none.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pareto.errors import BattleError
from pareto.exact_glr.forced import Forced
from pareto.links import Reals
from solvers import OrderedBradleyTerry, Solution, solve


class BoxCosts:
    """Costs at the maximum-likelihood scores of wins (d, K, K), row over column, within the box.

    Slower than `DivergenceCosts`, and the same where the box binds nowhere.
    """

    def __init__(self, wins: Reals, box: float = 2.0, backend: str = "auto") -> None:
        self.wins, self.box, self.backend = wins, box, backend
        self._free = [self._solved(r, ()) for r in range(len(wins))]
        self.theta = np.stack([_point(solution) for solution in self._free], axis=1)
        self.least = np.zeros_like(wins)
        self._known: dict[tuple[int, int, tuple[int, ...]], Forced] = {}

    def forced(self, objective: int, top: int, below: tuple[int, ...]) -> Forced:
        key = (objective, top, below)
        if key not in self._known:
            self._known[key] = self._forced(objective, top, below)
        return self._known[key]

    def _forced(self, objective: int, top: int, below: tuple[int, ...]) -> Forced:
        theta = self.theta[:, objective]
        if all(theta[top] >= theta[p] for p in below):
            return Forced(0.0, 0.0, np.zeros(len(theta)), np.asarray(theta <= theta[top]))
        best, found = self._free[objective], self._solved(objective, tuple((top, p) for p in below))
        point = _point(found)
        return Forced(
            value=_above(_exact(best.bound) - _exact(found.objective)),
            lower=max(0.0, -_above(_exact(found.bound) - _exact(best.objective))),
            moves=point - theta,
            met=np.asarray(point <= point[top]),
        )

    def _solved(self, objective: int, order: tuple[tuple[int, int], ...]) -> Solution:
        solution = solve(OrderedBradleyTerry(self.wins[objective], order, self.box), self.backend)
        if solution.x is None or solution.objective is None or solution.bound is None:
            raise BattleError(
                f"back end {solution.backend!r} has no fit on objective {objective} with {len(order)} orders "
                f"({solution.reason}); take another one"
            )
        return solution


def _point(solution: Solution) -> Reals:
    assert solution.x is not None
    return np.asarray(solution.x, dtype=np.float64)


def _exact(value: int | Fraction | None) -> Fraction:
    assert value is not None
    return Fraction(value)


def _above(value: Fraction) -> float:
    """The float next above."""
    return float(np.nextafter(float(value), np.inf))
