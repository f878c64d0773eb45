"""AURC's row weights: differences of harmonic numbers, rounded down to integers and as exact sums.

A row at zero-based position p of n is one of the first i accepted for every i > p, and an error on it adds
1/i to the risk at coverage i/n. So n times its weight in AURC, the mean risk over the n coverages, is
H_n − H_p. Rows of equal confidence at positions [s, e) share the average of theirs,

    H_n + 1 − (e·H_e − s·H_s) / (e − s).

Their common denominator has about 0.43·n digits. Decisions therefore start from `floor_weights`, whose error
is known, and only what these cannot tell is settled by `HarmonicSum.sign`, which is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from certify.weights import Floats, IntArray, ascending
from solvers.disk_tables import writer_like

UNIT = 1 << 26
"""What an integer weight is counted in: n times the weight, in 1/2²⁶."""
MAX_ROWS = 1 << 22
"""H_n < 16 keeps the sum of two weights below 2³¹, and the smallest weight, 1/n, above 2³ units."""

_PLACES = 58  # binary places of the first approximation; 16·2⁵⁸ = 2⁶²
_FRACTION = _PLACES - 26
_BITS = 192  # binary places of the second one
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Which block of equal confidences [s, e), counted from the most confident, every row is in.

    starts, ends: (K, n) int32. Rows with the same s and e have the same weight, exactly.
    """

    starts: IntArray
    ends: IntArray

    @property
    def n(self) -> int:
        return int(self.starts.shape[1])

    def same(self, j: int, k: int, rows: slice | Positions = slice(None)) -> npt.NDArray[np.bool_]:
        """Whether the two candidates' blocks of a row are the same."""
        alike: npt.NDArray[np.bool_] = self.starts[j, rows] == self.starts[k, rows]
        alike &= self.ends[j, rows] == self.ends[k, rows]
        return alike

    def total(self, counts: npt.NDArray[np.integer], candidates: tuple[int, ...]) -> HarmonicSum:
        """Σ counts · (n · weight) over rows; counts: (len(candidates), n)."""
        n = self.n
        keys = np.concatenate([self.starts[k] * np.int64(n + 1) + self.ends[k] for k in candidates])
        flat = np.concatenate([np.asarray(row, dtype=np.int64) for row in counts])
        used = np.flatnonzero(flat)
        distinct, group = np.unique(keys[used], return_inverse=True)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, group, flat[used])
        return HarmonicSum(n, Fraction(0), distinct // (n + 1), distinct % (n + 1), sums)


@dataclass(frozen=True, eq=False)
class HarmonicSum:
    """constant + Σ counts · (H_n + 1 − (e·H_e − s·H_s)/(e − s)), a real number known exactly.

    starts, ends, counts: one entry a block, (b,) int64.
    """

    n: int
    constant: Fraction
    starts: Positions
    ends: Positions
    counts: Positions

    @classmethod
    def of(cls, n: int, constant: Fraction) -> HarmonicSum:
        """A rational number."""
        none = np.empty(0, dtype=np.int64)
        return cls(n, constant, none, none, none)

    def plus(self, other: HarmonicSum, times: int = 1) -> HarmonicSum:
        """self + times · other; both are about the same n."""
        return HarmonicSum(
            self.n,
            self.constant + times * other.constant,
            np.concatenate([self.starts, other.starts]),
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.counts, times * other.counts]),
        )

    def sign(self) -> int:
        """−1, 0 or 1, exactly.

        By 192 binary places first. A number too small for these is nearly always zero because its harmonic
        numbers cancel one by one; what is left otherwise is added up as a fraction.
        """
        value, error = self._enclosed()
        if abs(value) > error:
            return 1 if value > 0 else -1
        number = self._exact()
        return (number > 0) - (number < 0)

    def _enclosed(self) -> tuple[int, int]:
        """The number times 2¹⁹², and what that is less wrong than."""
        harmonic = _harmonic_numbers(self.n)
        one, top = 1 << _BITS, harmonic[self.n]
        value = self.constant.numerator * one // self.constant.denominator
        error = 1
        for s, e, count in zip(self.starts.tolist(), self.ends.tolist(), self.counts.tolist(), strict=True):
            value += count * (one + top - (e * harmonic[e] - s * harmonic[s]) // (e - s))
            # each harmonic number H_t is at most t units short
            error += abs(count) * (self.n + e * e // (e - s) + 2)
        return value, error

    def _exact(self) -> Fraction:
        common = lcm(*{e - s for s, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)})
        factors: dict[int, int] = {self.n: 0}
        for s, e, count in zip(self.starts.tolist(), self.ends.tolist(), self.counts.tolist(), strict=True):
            share = count * (common // (e - s))
            factors[self.n] += count * common
            factors[e] = factors.get(e, 0) - share * e
            factors[s] = factors.get(s, 0) + share * s
        total = self.constant + int(self.counts.sum())
        return total + Fraction(*_combined({t: factor for t, factor in factors.items() if factor})) / common


@lru_cache(maxsize=2)
def _harmonic_numbers(n: int) -> list[int]:
    """H_0 … H_n in units of 2⁻¹⁹², every term rounded down."""
    one, total = 1 << _BITS, 0
    numbers = [0]
    for i in range(1, n + 1):
        total += one // i
        numbers.append(total)
    return numbers


def _combined(factors: dict[int, int]) -> tuple[int, int]:
    """Σ factor_t · H_t as numerator and denominator."""
    terms: list[tuple[int, int]] = []
    standing = 0
    places = [*sorted(factors, reverse=True), 0]
    for place, below in pairwise(places):
        standing += factors[place]
        if standing:
            terms += [(standing, i) for i in range(below + 1, place + 1)]
    while len(terms) > 1:  # neighbours first, so that numbers stay short for as long as possible
        terms = [
            _added(*terms[at : at + 2]) if at + 1 < len(terms) else terms[at]
            for at in range(0, len(terms), 2)
        ]
    return terms[0] if terms else (0, 1)


def _added(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    common = gcd(first[1], second[1])
    return first[0] * (second[1] // common) + second[0] * (first[1] // common), first[1] // common * second[1]


def floor_weights(confidences: Floats) -> tuple[IntArray, Blocks]:
    """⌊2²⁶ · n · weight⌋ of every row, and the rows' blocks; (K, n) float64 to (K, n) int32.

    Exactly rounded, so the weights are a function of the order of confidences alone. n ≤ `MAX_ROWS`.
    O(K n log n).
    """
    weights, starts, ends = (writer_like(confidences, np.int32) for _ in range(3))
    for confidence in confidences:
        n = len(confidence)
        order, values = ascending(confidence)
        edges = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
        first, last = n - edges[1:], n - edges[:-1]
        sizes = np.diff(edges)
        for kept, of_blocks in ((weights, _floor_of_blocks(n, first, last)), (starts, first), (ends, last)):
            row = np.empty(n, dtype=np.int32)
            row[order] = np.repeat(of_blocks, sizes)
            kept.add(row)
    return weights.table(), Blocks(starts.table(), ends.table())


def _floor_of_blocks(n: int, starts: Positions, ends: Positions) -> Positions:
    """⌊2²⁶ · n · weight⌋ for blocks [s, e); (b,)."""
    harmonic = _short_harmonic_numbers(n)
    # e·D/(e − s) with D = H_e − H_s, by long division in two steps, so that nothing exceeds 64 bits
    sizes, width = ends - starts, harmonic[ends] - harmonic[starts]
    high, rest = np.divmod(ends * (width >> 31), sizes)
    share = (high << 31) + ((rest << 31) + ends * (width & ((1 << 31) - 1))) // sizes
    value = harmonic[n] - harmonic[starts] + (1 << _PLACES) - share
    floors: Positions = value >> _FRACTION
    # H_n − H_s is less than n units short and the share at most n + 1: only near whole numbers does it matter
    tail, error = value & ((1 << _FRACTION) - 1), n + 1
    for at in np.flatnonzero((tail < error) | (tail >= (1 << _FRACTION) - error)):
        nearest = int(value[at] + (1 << (_FRACTION - 1))) >> _FRACTION
        one = np.ones(1, dtype=np.int64)
        block = HarmonicSum(n, Fraction(-nearest, UNIT), starts[at : at + 1], ends[at : at + 1], one)
        floors[at] = nearest if block.sign() >= 0 else nearest - 1
    return floors


@lru_cache(maxsize=2)
def _short_harmonic_numbers(n: int) -> Positions:
    """H_0 … H_n in units of 2⁻⁵⁸; H_t is less than t units short."""
    numbers = np.zeros(n + 1, dtype=np.int64)
    np.cumsum((1 << _PLACES) // np.arange(1, n + 1), out=numbers[1:])
    numbers.flags.writeable = False
    return numbers
