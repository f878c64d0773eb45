from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from certify.tolerance import decimal_text, exact_tolerance


def test_read_as_the_decimal_that_was_written():
    for written in ("0.0005", 0.0005, Decimal("0.0005"), Fraction(1, 2000), "1/2000", " 5e-4 "):
        assert exact_tolerance(written) == Fraction(1, 2000)
    assert exact_tolerance(0) == exact_tolerance("0.000") == 0


@given(st.fractions(0, 5, max_denominator=10**6))
def test_text_reads_back(value):
    assert exact_tolerance(decimal_text(value)) == value


def test_decimal_text():
    assert decimal_text(Fraction(1, 2000)) == "0.0005"
    assert decimal_text(Fraction(3)) == "3"
    assert decimal_text(Fraction(1, 3)) == "1/3"
    assert decimal_text(Fraction(5, 4)) == "1.25"
