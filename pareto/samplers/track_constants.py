"""Constants of Pareto BT-GLR Track-and-Stop (paper, Table 16; the numbers are the authors' earlier ones)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real

from pareto.errors import BattleError

LARGEST_COUNT = 10**18
"""int64 holds nine times as many comparisons."""


@dataclass(frozen=True)
class TrackConstants:
    """Everything that Track-and-Stop does not learn.

    Attributes:
        box: S_max, largest |score| on any objective, the scores of an objective summing to 0.
        ridge: λ_reg of the threshold (the fits have none).
        variance: σ̄² of the threshold, a bound on the variance of an outcome.
        first: n_0, comparisons of every cell before the first check.
        growth: a_batch: the next check is after so many times the comparisons of this one.
        step: α_MW of the multiplicative weights.
        mixing: γ_mix: uniform sampling has a share t^−γ in a batch that ends at t.
        most: T_max, comparisons at which the method gives up.
        tolerance: largest Frank–Wolfe gap per comparison of a fit that counts as converged.
        iterations: quadratic programs a fit may take.
        least_divergence: ε_κ, below which the largest κ is no longer told from 0.
        exact: True to test the closest of all alternatives, not one screened by an approximation (beyond the
            paper; see `exact_glr`).
    """

    box: float = 2.0
    ridge: float = 0.1
    variance: float = 0.25
    first: int = 2
    growth: float = 1.8
    step: float = 0.8
    mixing: float = 1 / 3
    most: int = LARGEST_COUNT
    tolerance: float = 1e-7
    iterations: int = 1000
    least_divergence: float = 1e-15
    exact: bool = False

    def __post_init__(self) -> None:
        for name in ("box", "ridge", "variance", "step", "mixing", "tolerance", "least_divergence"):
            self._must_exceed(name, 0)
        self._must_exceed("growth", 1)
        for name, least, largest in (
            ("first", 1, 1000),
            ("most", 0, LARGEST_COUNT),
            ("iterations", 1, 10**6),
        ):
            value: object = getattr(self, name)
            if not (isinstance(value, Integral) and least <= int(value) <= largest):
                raise BattleError(
                    f"constant {name} is {value!r}; a whole number from {least} to {largest} is accepted"
                )
            object.__setattr__(self, name, int(value))

    def _must_exceed(self, name: str, bound: int) -> None:
        """A constant as Python's float, whichever kind of number it was."""
        value: object = getattr(self, name)
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:  # a whole number that is too long
            number = math.inf
        if not (number > bound and math.isfinite(number)):
            raise BattleError(f"constant {name} is {value}; a finite number > {bound} is accepted")
        object.__setattr__(self, name, number)

    def next_check(self, at: int, cells: int) -> int:
        """t_next = min(T_max, max(t + N_cell, ⌈a_batch t⌉)), exactly; a_batch is the decimal it reads as."""
        grown = math.ceil(Fraction(repr(self.growth)) * at)
        return min(self.most, max(at + cells, grown))


EARLIER = TrackConstants()
