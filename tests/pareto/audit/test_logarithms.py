"""Enclosures of logarithms against forty-digit decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto.audit.logarithms import BITS, ONE, Enclosure, log, log_sum_exp_reaches

positive = st.builds(Fraction, st.integers(1, 10**30), st.integers(1, 10**30))


def decimal_log(value: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = 80
        return Fraction(Decimal(value.numerator).ln() - Decimal(value.denominator).ln())


@given(positive)
def test_logarithms_lie_inside_and_are_narrow(value):
    found, true = log(value), decimal_log(value)
    slack = Fraction(1, 10**70)
    assert Fraction(found.low, ONE) <= true + slack
    assert true - slack <= Fraction(found.high, ONE)
    assert found.high - found.low < 2**16


@given(positive, st.fractions(-1000, 1000))
def test_multiples_and_comparisons(value, factor):
    scaled, true = log(value).times(factor), decimal_log(value) * factor
    slack = Fraction(1, 10**60)
    assert Fraction(scaled.low, ONE) <= true + slack
    assert true - slack <= Fraction(scaled.high, ONE)
    assert not scaled.surely_above(true + slack)
    assert not scaled.surely_below(true - slack)


def test_one_has_logarithm_zero():
    assert log(Fraction(1)) == Enclosure(0, 0)
    with pytest.raises(ValueError, match="positive"):
        log(Fraction(0))


def test_a_ceiling_is_given_only_where_it_is_certain():
    assert log(Fraction(100)).ceiling() == 5
    with pytest.raises(ValueError, match="whole number"):
        Enclosure(ONE - 1, ONE + 1).ceiling()


@given(st.lists(st.builds(Fraction, st.integers(1, 50), st.integers(1, 10**6)), min_size=1, max_size=12))
def test_sums_of_exponentials(parts):
    """Σ exp(log x) = Σ x, so thresholds just below are reached and just above are not."""
    total = sum(parts)
    logs = [log(part) for part in parts]
    tiny = Fraction(1, 2 ** (BITS // 2))
    assert log_sum_exp_reaches(logs, log(total * (1 - tiny)))
    assert not log_sum_exp_reaches(logs, log(total * (1 + tiny)))
