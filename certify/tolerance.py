"""Tolerances as exact numbers."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral

from certify.errors import PoolError

Exact = str | int | float | Decimal | Fraction
"""What an exact input may be given as; a float is read by its shortest decimal."""

_DIGITS = 1000


def exact_tolerance(value: Exact) -> Fraction:
    """The tolerance τ ≥ 0 as the decimal (or fraction) that was written: ``"0.0005"`` is 1/2000.

    Raises `PoolError` for anything that is not a finite number ≥ 0.
    """
    accepted = "0 (exact choice), an exact decimal such as 0.0005, or a fraction such as 1/2000"
    return exact_number(value, "tolerance", accepted)


def exact_number(value: Exact, what: str, accepted: str) -> Fraction:
    """A finite number ≥ 0 as it was written; else a `PoolError` with `what` it is and what is `accepted`."""
    try:
        if isinstance(value, bool) or len(str(value)) > _DIGITS or "_" in str(value):
            raise ValueError
        if isinstance(value, Fraction | Integral):
            exact = Fraction(value)
        elif isinstance(value, str) and "/" in value:
            exact = Fraction(value.strip())
        else:
            decimal = Decimal(str(value).strip())
            if decimal.is_finite() and abs(decimal.adjusted()) > _DIGITS:
                raise ValueError  # its fraction would fill the memory
            exact = Fraction(decimal)
    except (ValueError, OverflowError, ZeroDivisionError, InvalidOperation):
        raise PoolError(f"{what} {value!r} is not a usable number; give {accepted}") from None
    if exact < 0:
        raise PoolError(f"{what} {value} is negative; give {accepted}")
    return exact


def decimal_text(value: Fraction) -> str:
    """Shortest exact text of `value`: a decimal where one exists, else a fraction."""
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator != 1:
        return str(value)
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(value.numerator * 10**places // value.denominator)).rjust(places + 1, "0")
    whole, part = (digits, "") if places == 0 else (digits[:-places], digits[-places:])
    return ("-" if value < 0 else "") + whole + ("." + part if part else "")
