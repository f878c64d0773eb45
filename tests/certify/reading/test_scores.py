"""Confidence scores against their formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import PoolError
from certify.reading.scores import SCORES, check_scores, margin, msp, neg_entropy, score


@st.composite
def probabilities(draw):
    classes = draw(st.integers(2, 12))
    value = st.one_of(st.just(0.0), st.floats(0, 1))
    rows = draw(st.lists(st.lists(value, min_size=classes, max_size=classes), min_size=1, max_size=6))
    return np.array(rows)


def test_values_of_one_row():
    row = np.array([[0.5, 0.25, 0.25, 0.0]])
    assert msp(row) == 0.5
    assert margin(row) == 0.25
    assert neg_entropy(row) == pytest.approx(-1.5 * math.log(2), abs=1e-15)


def test_a_certain_prediction():
    row = np.array([[0.0, 1.0, 0.0]])
    assert (msp(row), margin(row), neg_entropy(row)) == (1.0, 1.0, 0.0)


@settings(derandomize=True, deadline=None)
@given(probabilities())
def test_scores_follow_their_formulas(table):
    for row, top, gap, entropy in zip(table, msp(table), margin(table), neg_entropy(table), strict=True):
        ordered = sorted(map(float, row))
        assert top == ordered[-1]
        assert gap == ordered[-1] - ordered[-2]
        terms = [p * math.log(p) for p in map(float, row) if p > 0]
        assert entropy == pytest.approx(math.fsum(terms), rel=1e-13, abs=1e-15)


@settings(derandomize=True, deadline=None)
@given(probabilities(), st.sampled_from(sorted(SCORES)))
def test_a_row_scores_the_same_alone_and_in_any_memory_order(table, name):
    together = score(name, table)
    assert np.array_equal(together, score(name, np.asfortranarray(table)))
    assert np.array_equal(together, [score(name, row[None])[0] for row in table])


def test_blocks_do_not_show():
    table = np.random.default_rng(0).dirichlet(np.ones(10), 70_000)
    for name, function in SCORES.items():
        assert np.array_equal(score(name, table), function(table))


def test_stored_single_precision_is_widened_first():
    table = np.random.default_rng(1).dirichlet(np.ones(3), 50).astype(np.float32)
    for name, function in SCORES.items():
        assert np.array_equal(score(name, table), function(table.astype(np.float64)))


@pytest.mark.parametrize(
    "given_names", [("msp", "margin"), "msp,margin", " msp , margin ", iter(["msp", "margin"])]
)
def test_names_are_checked_and_keep_their_order(given_names):
    assert check_scores(given_names) == ("msp", "margin")


@pytest.mark.parametrize("bad", ["entropy", "", (), ("msp", "msp"), ("msp", "energy")])
def test_bad_names_are_refused_with_the_known_ones(bad):
    with pytest.raises(PoolError, match=r"msp") as caught:
        check_scores(bad)
    if bad != ("msp", "msp"):
        assert "neg-entropy, margin" in str(caught.value)
