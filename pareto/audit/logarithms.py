"""Enclosures of logarithms and sums of exponentials: whole numbers of 2^−BITS, rounded outwards.

Only additions, multiplications and divisions of integers, each rounded towards the side that keeps the true
value inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

BITS = 160
ONE = 1 << BITS


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number between `low` and `high`, in units of 2^−BITS."""

    low: int
    high: int

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low - other.high, self.high - other.low)

    def times(self, factor: Fraction) -> Enclosure:
        """The number times a rational one."""
        ends = (self.low, self.high) if factor >= 0 else (self.high, self.low)
        down, up = (end * factor.numerator for end in ends)
        return Enclosure(down // factor.denominator, -(-up // factor.denominator))

    def surely_above(self, value: Fraction) -> bool:
        """True if the number is certainly larger than `value`."""
        return self.low * value.denominator > value.numerator << BITS

    def surely_below(self, value: Fraction) -> bool:
        """True if the number is certainly smaller than `value`."""
        return self.high * value.denominator < value.numerator << BITS

    def ceiling(self) -> int:
        """The least integer not below the number; ValueError where the enclosure leaves two."""
        down, up = -(-self.low // ONE), -(-self.high // ONE)
        if down != up:
            raise ValueError("too close to a whole number to be rounded up with certainty")
        return up


@lru_cache(maxsize=65536)
def log(value: Fraction) -> Enclosure:
    """The natural logarithm of a positive rational number."""
    if value <= 0:
        raise ValueError("logarithm of a number that is not positive")
    power = value.numerator.bit_length() - value.denominator.bit_length()
    scaled = value / Fraction(2) ** power  # between ½ and 2
    whole = _log_near_one(scaled)
    return whole if power == 0 else whole + _log_two().times(Fraction(power))


def log_sum_exp_reaches(parts: Iterable[Enclosure], goal: Enclosure) -> bool:
    """True if Σ exp(part) is certainly at least exp(goal)."""
    total = 0
    for part in parts:
        total += _exp_below((part - goal).low)
        if total >= ONE:
            return True
    return False


@lru_cache(maxsize=1)
def _log_two() -> Enclosure:
    return _log_near_one(Fraction(2))


def _log_near_one(value: Fraction) -> Enclosure:
    """2 artanh((v − 1)/(v + 1)), for v between ½ and 2: the argument is at most ⅓ in size."""
    ratio = (value - 1) / (value + 1)
    if ratio < 0:
        turned = _log_near_one(1 / value)
        return Enclosure(-turned.high, -turned.low)
    down = (ratio.numerator << BITS) // ratio.denominator
    up = -(-(ratio.numerator << BITS) // ratio.denominator)
    low, high = 0, 0
    power_down, power_up = down, up
    square_down, square_up = down * down >> BITS, -(-up * up >> BITS)
    odd = 1
    while power_up > 1:
        low += power_down // odd
        high += -(-power_up // odd)
        power_down = power_down * square_down >> BITS
        power_up = -(-power_up * square_up >> BITS)
        odd += 2
    # what is left is below power_up (1 + z² + z⁴ + …) ≤ 9/8 power_up
    return Enclosure(2 * low, 2 * (high + 2 * power_up))


def _exp_below(value: int) -> int:
    """A lower bound of exp(value 2^−BITS), in units of 2^−BITS."""
    two = _log_two()
    power = value // two.high
    rest = value - (power * two.high if power >= 0 else power * two.low)
    if rest < 0:
        return 0  # cannot be: kept as the safe answer
    total, term, step = ONE, ONE, 1
    while term:
        term = (term * rest >> BITS) // step
        total += term
        step += 1
    return total << power if power >= 0 else total >> -power
