"""Ordered Bradley–Terry fits whose optimum is known in closed form.

Optima are logarithms; they are stated as rationals a trifle below the truth, so that no true upper bound
falls short of them.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from solvers import OrderedBradleyTerry, Status

from .case import Case, Expected


def likelihood(wins: Any, x: tuple[str, ...], ridge: int = 0) -> Fraction:
    """The objective at a point of decimals, less 1e-30 of its size."""
    with localcontext() as context:
        context.prec = 50
        point = [Decimal(v) for v in x]
        total = -Decimal(ridge) / 2 * sum(v * v for v in point)
        for i, row in enumerate(wins):
            for j, count in enumerate(row):
                total -= Decimal(count) * (1 + (point[j] - point[i]).exp()).ln()
        return Fraction(total) * (1 + Fraction(1, 10**30))


def _fit(
    name: str, wins: Any, x: tuple[str, ...], duals: tuple[float, ...] | None = None, **rest: Any
) -> Case:
    value = likelihood(wins, x, rest.get("ridge", 0))
    expected = Expected(Status.OPTIMAL, value, duals, tuple(float(v) for v in x))
    return Case(f"fit: {name}", lambda: OrderedBradleyTerry(wins, **rest), expected)


with localcontext() as _context:
    _context.prec = 50
    HALF = str(Decimal(3).ln() / 2)
    """θ of a model that won 3 of 4, against one other."""
    THIRD = str(Decimal(2).ln() / 3)

FITS = [
    _fit("a single model", [[0]], ("0",)),
    _fit("no results", np.zeros((3, 3), int).tolist(), ("0", "0", "0"), (0.0,), order=[(0, 1)]),
    _fit("two models", [[0, 30], [10, 0]], (HALF, "-" + HALF), ()),
    _fit("an order that holds", [[0, 30], [10, 0]], (HALF, "-" + HALF), (0.0,), order=[(0, 1)]),
    _fit("an order that binds", [[0, 30], [10, 0]], ("0", "0"), (-10.0,), order=[(1, 0)]),
    _fit("a box that binds", [[0, 30], [10, 0]], ("0.25", "-0.25"), box=0.25),
    _fit("a certain winner", [[0, 4], [0, 0]], ("2", "-2"), box=2.0),
    _fit("contradicting orders", [[0, 30], [10, 0]], ("0", "0"), order=[(0, 1), (1, 0)]),
    _fit(
        "one against two",
        [[0, 20, 20], [10, 0, 5], [10, 5, 0]],
        (str(2 * Decimal(THIRD)), "-" + THIRD, "-" + THIRD),
    ),
    _fit("an order among equals", [[0, 9, 9], [9, 0, 9], [9, 9, 0]], ("0", "0", "0"), order=[(0, 1), (1, 2)]),
    _fit("two groups that never met", [[0, 30, 0], [10, 0, 0], [0, 0, 0]], (HALF, "-" + HALF, "0")),
    _fit("a ridge of no weight", [[0, 5], [5, 0]], ("0", "0"), ridge=7),
    _fit("1e18 results", [[0, 3 * 10**17], [10**17, 0]], (HALF, "-" + HALF)),
    Case(
        "limit: no seconds for a fit",
        lambda: OrderedBradleyTerry([[0, 30], [10, 0]]),
        Expected(Status.OPTIMAL, likelihood([[0, 30], [10, 0]], (HALF, "-" + HALF))),
        limit=0,
        stops=True,
    ),
]
