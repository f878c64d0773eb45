"""Bradley–Terry maximum likelihood within a box and under order constraints. No solver is named here."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.arrays import read_only
from solvers.bradley_terry.enclosure import enclosed
from solvers.errors import SolverError

LARGEST_BOX = 300.0
"""Differences reach twice the box: exp(−600) is still a normal float64, and enclosures are shown up to it."""
SMALLEST_BOX = 1e-9
"""Products of smaller numbers come too close to the end of float64."""
LARGEST_COUNT = 1e60
SMALLEST_COUNT = 1e-60


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"{name} = {value!r} is not a number ({error}).") from error
    if not math.isfinite(number):
        raise SolverError(f"{name} = {value!r} is not finite.")
    return number


def _wins(values: object) -> npt.NDArray[np.float64]:
    try:
        array = np.asarray(values)
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"wins: cannot be read as numbers ({error}).") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or len(array) == 0:
        raise SolverError(f"wins: shape {array.shape}; (K, K) with K ≥ 1 expected, wins of row over column.")
    with np.errstate(invalid="ignore"):
        good = (array == 0) | ((array >= SMALLEST_COUNT) & (array <= LARGEST_COUNT))
    if not good.all():
        i, j = (int(k) for k in np.argwhere(~good)[0])
        raise SolverError(
            f"wins[{i}, {j}] = {array[i, j]}: 0 or a number from {SMALLEST_COUNT:g} to {LARGEST_COUNT:g} "
            "expected; rescale the counts."
        )
    if array.diagonal().any():
        i = int(np.flatnonzero(array.diagonal())[0])
        raise SolverError(f"wins[{i}, {i}] = {array[i, i]}: a model does not meet itself; set it to 0.")
    return np.ascontiguousarray(array)


def _order(pairs: Iterable[tuple[int, int]], size: int) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for k, pair in enumerate(pairs):
        try:
            a, b = (int(v) if int(v) == v else -1 for v in pair)
        except (TypeError, ValueError) as error:
            raise SolverError(f"order[{k}] = {pair!r}: a pair (a, b) of model indices expected.") from error
        if not (0 <= a < size and 0 <= b < size) or a == b:
            raise SolverError(f"order[{k}] = {pair!r}: two different indices from 0 to {size - 1} expected.")
        found.append((a, b))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class OrderedBradleyTerry:
    """max Σ_ij wins_ij log σ(θ_i − θ_j) − (ridge / 2) ‖θ‖² with Σθ = 0, |θ_i| ≤ box, θ_a ≥ θ_b for the order.

    σ(t) = 1 / (1 + exp(−t)). The objective is concave, and θ = 0 always satisfies the constraints. Pairs
    that contradict each other (a ≥ b and b ≥ a) make their models equal. Without the box a model that won
    every comparison would have no finite optimum; with it there is always one.

    Args:
        wins: nonnegative (K, K), wins of row over column, in any unit; 0 on the diagonal. Held as float64,
            which rounds counts beyond 2^53 by at most one part in 2^53.
        order: pairs (a, b), each demanding θ_a ≥ θ_b.
        box: S_max, a number from 1e-9 to 300.
        ridge: number ≥ 0.

    Raises:
        SolverError: for wrong shapes, entries that are negative, not finite or of extreme size, a nonzero
            diagonal, indices out of range, or a box or ridge out of range.

    >>> from solvers import OrderedBradleyTerry, solve
    >>> solve(OrderedBradleyTerry([[0, 3], [1, 0]])).x.round(3).tolist()  # ± ln(3) / 2
    [0.549, -0.549]
    >>> tied = solve(OrderedBradleyTerry([[0, 3], [1, 0]], order=[(1, 0)])).x  # the loser not below
    >>> bool(abs(tied).max() < 1e-6)
    True
    """

    wins: npt.NDArray[np.float64]
    order: tuple[tuple[int, int], ...] = field(default=())
    box: float = 2.0
    ridge: float = 0.0

    def __post_init__(self) -> None:
        wins = _wins(self.wins)
        box, ridge = _number(self.box, "box"), _number(self.ridge, "ridge")
        if not SMALLEST_BOX <= box <= LARGEST_BOX:
            raise SolverError(
                f"box = {box!r}: a number from {SMALLEST_BOX:g} to {LARGEST_BOX:g} expected, above 0."
            )
        if not (ridge == 0 or SMALLEST_COUNT <= ridge <= LARGEST_COUNT):
            raise SolverError(
                f"ridge = {ridge!r}: 0 or a number from {SMALLEST_COUNT:g} to {LARGEST_COUNT:g} expected."
            )
        object.__setattr__(self, "wins", read_only(wins))
        object.__setattr__(self, "order", _order(self.order, len(wins)))
        object.__setattr__(self, "box", box)
        object.__setattr__(self, "ridge", ridge)

    @property
    def n(self) -> int:
        """Number of models."""
        return len(self.wins)

    @property
    def m(self) -> int:
        """Number of order constraints."""
        return len(self.order)

    @cached_property
    def pairs(self) -> npt.NDArray[np.intp]:
        """The order as an integer array (m, 2)."""
        return np.array(self.order, dtype=np.intp).reshape(-1, 2)

    def point(self, x: npt.ArrayLike) -> list[Fraction]:
        """x as rationals."""
        array = np.asarray(x)
        if array.shape != (self.n,):
            raise SolverError(f"x has shape {array.shape}; ({self.n},) expected, one entry per model.")
        try:
            return [Fraction(v) for v in array.tolist()]
        except (ValueError, OverflowError, TypeError) as error:
            raise SolverError(f"x: an entry is not a finite number ({error}).") from error

    def check(self, x: npt.ArrayLike) -> Fraction:
        """Largest violation of the sum, box and order constraints at x, exactly; 0 means feasible.

        Raises:
            SolverError: if x has the wrong length or an entry that is not finite.
        """
        array = np.asarray(x)
        if array.dtype == np.float64 and array.shape == (self.n,) and self._holds(array):
            return Fraction(0)
        point = self.point(x)
        box = Fraction(self.box)
        worst = max(abs(sum(point, Fraction(0))), max(abs(v) for v in point) - box, Fraction(0))
        return max([worst, *(point[b] - point[a] for a, b in self.order)])

    def _holds(self, x: npt.NDArray[np.float64]) -> bool:
        """True if x satisfies everything: comparisons are exact, and fsum is 0 only for a sum of 0."""
        within = bool((np.abs(x) <= self.box).all() and (x[self.pairs[:, 0]] >= x[self.pairs[:, 1]]).all())
        return within and math.fsum(x.tolist()) == 0

    def enclosure(self, x: npt.ArrayLike) -> tuple[Fraction, Fraction]:
        """Rationals (low, high) with low ≤ objective(x) ≤ high: logarithms have no exact value.

        They differ by about 5e-15 of the objective's size. Accepts any finite x with |x_i| ≤ 300.
        """
        return enclosed(self.wins, self.ridge, np.array([float(v) for v in self.point(x)]))
