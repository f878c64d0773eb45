from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.bounds import (
    EXACT,
    Requirement,
    best,
    eliminated,
    excesses,
    initial_lower,
    lower_after,
    row_gains,
    satisfied,
)
from certify.pool import Pool
from certify.risks import Risks
from tests.certify.examples import FIGURE_1, FIGURE_2, FIGURE_2_LABELS, FIGURE_3, FIGURE_3_LABELS
from tests.certify.reference import completion_risks, labelled_pools, verdict_of, winner_of


@st.composite
def partly_read(draw):
    pool, labels = draw(labelled_pools())
    unread = draw(st.lists(st.booleans(), min_size=pool.n, max_size=pool.n))
    return pool, np.where(unread, -1, labels).astype(np.int16)


@settings(max_examples=1000, deadline=None)
@given(partly_read())
def test_lower_bounds_are_the_minima_over_completions(case):
    pool, codes = case
    risks = completion_risks(pool, codes)
    lower = lower_after(pool.risks, codes)
    for j, k in product(range(pool.candidates), repeat=2):
        assert lower[j, k] == (risks[:, j] - risks[:, k]).min()


@settings(max_examples=2000, deadline=None)
@given(partly_read())
def test_stopping_test_equals_brute_force(case):
    pool, codes = case
    lower = lower_after(pool.risks, codes)
    certified, winner, excess = verdict_of(pool, codes)
    chosen, sure = best(lower, EXACT)
    assert sure == certified
    assert excesses(lower)[chosen] == excess
    assert chosen == winner


@settings(max_examples=1000, deadline=None)
@given(partly_read(), st.fractions(Fraction(1, 1000), Fraction(1, 2)))
def test_tolerant_stopping_test_equals_brute_force(case, tolerance):
    pool, codes = case
    requirement = Requirement.of(tolerance, pool.risks.scale)
    lower = lower_after(pool.risks, codes)
    certified, winner, _ = verdict_of(pool, codes, slack=requirement.slack)
    assert best(lower, requirement) == (winner, certified)


@settings(max_examples=300, deadline=None)
@given(partly_read())
def test_row_gains_add_up_to_the_bounds(case):
    pool, codes = case
    lower = initial_lower(pool.risks)
    for row in np.flatnonzero(codes >= 0):
        gains = row_gains(pool.risks, int(row), int(codes[row]))
        assert (gains >= 0).all()
        lower += gains
    assert (lower == lower_after(pool.risks, codes)).all()


@settings(max_examples=300, deadline=None)
@given(partly_read())
def test_eliminated_candidates_win_no_completion(case):
    pool, codes = case
    gone = eliminated(lower_after(pool.risks, codes))
    winners = completion_risks(pool, codes).argmin(axis=1)
    assert not gone[winners].any()


def test_weights_at_the_edge_of_32_bits():
    largest = np.int32(2**30 - 1)  # 2n − 1 at the largest n accepted
    risks = Risks(np.array([[largest, 1], [1, largest]]), np.array([[0, 1], [1, 0]], dtype=np.int16), 2)
    assert risks.span(0, 1).tolist() == [2**30, 2**30]
    both = Risks(np.array([[largest], [largest]]), np.array([[0], [1]], dtype=np.int16), 2)
    assert both.span(0, 1).tolist() == [2**31 - 2]
    assert both.gain(0, 1, np.array([1], dtype=np.int16)).tolist() == [2**31 - 2]


def test_a_hundred_candidates():
    rng = np.random.default_rng(4)
    pool = Pool.binary(rng.random((100, 30)) < 0.5, np.round(rng.random((100, 30)), 1))
    labels = (rng.random(30) < 0.5).astype(np.int16)
    assert best(lower_after(pool.risks, labels), EXACT) == (winner_of(pool.risks.totals(labels)), True)


def test_tiny_positive_tolerance_drops_the_tie_rule():
    zero, tiny = (Requirement.of(Fraction(t), FIGURE_1.risks.scale) for t in (0, Fraction(1, 10**9)))
    lower = lower_after(FIGURE_1.risks, np.array([1, -1], dtype=np.int16))
    assert best(lower, zero) == (1, False)
    assert best(lower, tiny) == (1, True)


def test_figure_1():
    risks = FIGURE_1.risks
    assert winner_of(risks.totals(np.array([1, 0], dtype=np.int16))) == 1
    assert winner_of(risks.totals(np.array([0, 1], dtype=np.int16))) == 0
    assert best(lower_after(risks, np.array([0, -1], dtype=np.int16)), EXACT) == (0, True)
    after_one = lower_after(risks, np.array([1, -1], dtype=np.int16))
    assert excesses(after_one).tolist()[1] == 0
    assert not satisfied(after_one, EXACT).all(axis=0).any()


def test_figure_2_trajectory():
    risks = FIGURE_2.risks
    assert risks.weights.tolist() == [[7, 5, 3, 1], [5, 7, 1, 3]]
    lower = initial_lower(risks)
    steps = [(int(lower[0, 1]), -int(lower[1, 0]))]
    for row in (2, 3, 0, 1):
        lower += row_gains(risks, row, int(FIGURE_2_LABELS[row]))
        steps.append((int(lower[0, 1]), -int(lower[1, 0])))
    assert steps == [(-6, 6), (-2, 6), (-2, 2), (0, 2), (2, 2)]


def test_figure_3():
    risks = FIGURE_3.risks
    assert risks.totals(FIGURE_3_LABELS.astype(np.int16)).tolist() == [8, 15, 13]
    lower = initial_lower(risks)
    assert (lower[1, 0], lower[2, 0]) == (-13, -15)
    codes = FIGURE_3_LABELS.astype(np.int16)
    assert risks.gain(1, 0, codes).tolist() == [4, 12, 4, 0]
    assert risks.gain(2, 0, codes).tolist() == [8, 12, 0, 0]
