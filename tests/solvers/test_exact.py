from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CoveringProgram, LinearProgram
from solvers.exact import (
    best_multipliers,
    covering_numerator,
    dyadic,
    linear_bound,
    sharpened,
    shortfall,
    sign_rule,
)
from tests.solvers.instances import brute_force, dual_value, random_panel, seeded, small_programs


@seeded
@given(small_programs(), st.data())
def test_numerators_equal_fractions_and_bound_the_optimum(program, data):
    size = data.draw(st.sampled_from([8, 2**20, 2**53, 2**62, 2**70, 2**200]))
    p = data.draw(st.lists(st.integers(0, size), min_size=program.m, max_size=program.m))
    q = data.draw(st.integers(1, 4 * size))
    numerator = covering_numerator(program, p, q)
    assert Fraction(numerator, q) == dual_value(program, p, q)
    best = brute_force(program)
    if best is not None:
        assert -(-numerator // q) <= best
    else:
        assert shortfall(program) is not None


@pytest.mark.parametrize("shift", [0, 20, 40, 70, 130])
def test_numerators_at_the_edge_of_int64(shift):
    rng = np.random.default_rng(shift)
    gains = rng.integers(0, 2**62, size=(3, 200))
    gains[:, :20] = rng.integers(0, 3, size=(3, 20))
    program = CoveringProgram(gains, rng.integers(0, 2**62, size=3))
    p = [int(v) << shift for v in rng.integers(0, 2**40, size=3)]
    q = p[0] * int(gains[0, 50]) + p[1] * int(gains[1, 50]) + p[2] * int(gains[2, 50])  # an exact zero
    assert Fraction(covering_numerator(program, p, q), q) == dual_value(program, p, q)
    rule = sign_rule(program, p, q, slice(0, 200))
    expected = [sum(a * int(g) for a, g in zip(p, c, strict=True)) > q for c in gains.T]
    assert rule.tolist() == expected


def test_wrong_multipliers_are_programming_errors():
    program = CoveringProgram([[1, 2]], [2])
    for p, q in (([-1], 1), ([1], 0), ([1, 1], 1)):
        with pytest.raises(ValueError, match="multipliers"):
            covering_numerator(program, p, q)


@seeded
@given(small_programs(), st.data())
def test_any_duals_give_a_true_bound(program, data):
    numbers = st.floats(allow_nan=True, allow_infinity=True)
    duals = np.array(data.draw(st.lists(numbers, min_size=program.m, max_size=program.m)))
    found = dyadic(program, duals)
    best = brute_force(program)
    assert best is None or 0 <= found.bound <= best


def test_a_basis_in_rationals_reaches_an_integer_that_floats_miss():
    # five columns worth 3 against a demand of 12: the relaxation is exactly 4, 1/3 is not dyadic
    program = CoveringProgram(np.full((1, 5), 3), np.array([12]))
    rounded = np.array([np.nextafter(1 / 3, 0)])
    assert sharpened(program, rounded).numerator == 4 * sharpened(program, rounded).q
    assert best_multipliers(program, rounded).bound == 4


def test_sharpening_never_lowers_the_bound():
    program = random_panel(300, 4, 3)
    from solvers.covering.prices import relax

    prices = relax(program.gains, np.array(program.totals, dtype=float) - program.demands).prices
    rational = sharpened(program, prices)
    rough = dyadic(program, prices)
    assert Fraction(rational.numerator, rational.q) >= Fraction(rough.numerator, rough.q)
    assert Fraction(rational.numerator, rational.q) == dual_value(program, rational.p, rational.q)


def test_linear_bounds():
    program = LinearProgram([2], [[1]], row_lower=[3])
    assert linear_bound(program, [Fraction(2)]) == 6
    assert linear_bound(program, [Fraction(1)]) == 3
    assert linear_bound(program, [Fraction(3)]) is None  # x may grow without limit
    assert linear_bound(program, [Fraction(-1)]) is None  # no upper row side to lean on
    largest = LinearProgram([2], [[1]], row_upper=[3], maximise=True)
    assert linear_bound(largest, [Fraction(2)]) == 6
    assert linear_bound(largest, [Fraction(3)]) == 9
    assert linear_bound(largest, [Fraction(1)]) is None
