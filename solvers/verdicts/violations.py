"""How far a point may miss each constraint of a linear program before it is refused.

Floating-point solvers miss constraints by rounding errors, which grow with the numbers in the constraint and
with nothing else. So each row and each column has an allowance of its own:

* integer columns, and rows of integers over integer columns: none, everything in them can be exact;
* other rows with integer columns: ``TOLERANCE`` times one plus the size of their continuous terms, and
  ``ROUNDED`` times the size of all terms;
* continuous rows and columns: ``TOLERANCE`` times one plus the size of their terms;

and never more than ``MOST``, or ``TOLERANCE`` times the side that is missed if that is more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from solvers.problems import LinearProgram
from solvers.verdicts.facts import TOLERANCE

MOST = Fraction(1, 1000)
"""Large terms that cancel excuse no more than this."""
ROUNDED = Fraction(1, 2**45)
"""Relative rounding error of data like 0.1 and of sums of such."""


@dataclass(frozen=True, slots=True)
class Violations:
    """The largest violation, exactly, and in words the first one that exceeds its allowance."""

    worst: Fraction
    refused: str = ""


def _missed(values: list[Fraction], lows: list[float], highs: list[float]) -> Iterator[tuple[int, Fraction]]:
    """Index and signed distance (negative below) of the values outside their finite sides."""
    for k, (value, low, high) in enumerate(zip(values, lows, highs, strict=True)):
        if low != -np.inf and value < low:
            yield k, value - Fraction(low)
        if high != np.inf and value > high:
            yield k, value - Fraction(high)


def _row(program: LinearProgram, row: int) -> tuple[npt.NDArray[np.intp], list[Fraction]]:
    """Columns and coefficients of the nonzeros of one row."""
    line = program.matrix[[row], :]
    dense = np.asarray(line.toarray() if hasattr(line, "toarray") else line, dtype=np.float64).ravel()
    columns = np.flatnonzero(dense)
    return columns, [Fraction(v) for v in dense[columns].tolist()]


def _row_allowance(program: LinearProgram, row: int, x: list[Fraction], side: Fraction) -> Fraction:
    columns, values = _row(program, row)
    integer = program.integrality[columns]
    if integer.all() and side.denominator == 1 and all(v.denominator == 1 for v in values):
        return Fraction(0)
    terms = [abs(v * x[int(j)]) for j, v in zip(columns, values, strict=True)]
    all_of_them = sum(terms, Fraction(0))
    if not integer.any():
        return _capped(TOLERANCE * (1 + all_of_them), side)
    moving = sum((t for t, fixed in zip(terms, integer.tolist(), strict=True) if not fixed), Fraction(0))
    return _capped(TOLERANCE * (1 + moving) + ROUNDED * all_of_them, side)


def _capped(allowance: Fraction, side: Fraction) -> Fraction:
    return min(allowance, max(MOST, TOLERANCE * abs(side)))


def violations(program: LinearProgram, x: list[Fraction]) -> Violations:
    """What a point (n,) violates, and whether that is more than rounding explains."""
    worst = Fraction(0)
    refused = ""
    for j in np.flatnonzero(program.integrality).tolist():
        if x[j].denominator != 1:
            off = abs(x[j] - round(x[j]))
            worst = max(worst, off)
            refused = refused or f"column {j} is integer and off by {float(off):.6g}"
    for j, off in _missed(x, program.lower.tolist(), program.upper.tolist()):
        worst = max(worst, abs(off))
        allowed = Fraction(0)
        if not program.integrality[j]:
            allowed = _capped(TOLERANCE * (1 + abs(x[j])), x[j] - off)
        if abs(off) > allowed:
            refused = refused or _words(f"a bound of column {j}", off)
    activity = program.activity(x)
    for i, off in _missed(activity, program.row_lower.tolist(), program.row_upper.tolist()):
        worst = max(worst, abs(off))
        if not refused and abs(off) > _row_allowance(program, i, x, activity[i] - off):
            refused = _words(f"constraint {i}", off)
    return Violations(worst, refused)


def _words(what: str, off: Fraction) -> str:
    try:
        size = f"{float(abs(off)):.6g}"
    except OverflowError:
        size = "more than any float64"
    return f"its point violates {what} by {size}"
