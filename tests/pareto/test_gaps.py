from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pareto import BattleError, borda, frontier, gaps
from pareto.gaps import dominance_gaps, leads, protection_gaps
from pareto.links import win_probabilities
from tests.pareto.reference import brute_gaps, whole_scores


@st.composite
def cases(draw):
    scores = draw(whole_scores(least=2))
    active = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    assume(sum(active) >= 2)
    return scores, active


@settings(max_examples=200)
@given(cases(), st.integers(0, 3))
def test_whole_gaps_are_those_of_the_definition_exactly(case, margin):
    scores, active = case
    found = gaps(scores, active, margin)
    expected, _ = brute_gaps(scores, active, margin)
    assert {i: found[i] for i in expected} == expected
    assert not found[~np.array(active)].any()
    if not margin:
        assert found.dtype == np.int64


@settings(max_examples=200)
@given(cases())
def test_the_gap_is_the_larger_of_the_two_parts(case):
    # Lemma B.5, and the sign that tells the parts apart
    scores, active = np.array(case[0]), np.array(case[1])
    lead = leads(scores)
    star = dominance_gaps(lead, active)
    kept = protection_gaps(lead, active, star)
    found = gaps(scores, active)
    on_frontier = np.zeros(len(scores), dtype=bool)
    on_frontier[active] = frontier(scores[active])
    for i in np.flatnonzero(active):
        assert on_frontier[i] == (star[i] <= 0)
        assert found[i] == (kept[i] if on_frontier[i] else star[i]) == max(kept[i], star[i])
        assert found[i] >= 0


def test_many_tasks_at_once_equal_one_by_one():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 7, 3))
    active = rng.random((20, 7)) < 0.7
    active[:, :2] = True
    together = gaps(scores, active)
    for one, mask, expected in zip(scores, active, together, strict=True):
        assert np.array_equal(gaps(one, mask), expected)


def test_a_model_alone_has_an_infinite_gap():
    assert gaps([[1.0, 2.0]]).tolist() == [np.inf]
    assert gaps([[1.0], [2.0]], [True, False]).tolist() == [np.inf, 0.0]
    assert gaps([[1], [2]], [True, False])[0] == np.iinfo(np.int64).max


def test_duplicate_leaders_have_gap_zero_and_a_margin_lifts_it():
    assert gaps([[1, 1], [1, 1], [0, 0]]).tolist() == [0, 0, 1]
    assert gaps([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]], margin=0.25).min() > 0


@pytest.mark.parametrize("active", [[1, 0], [True], np.ones((2, 2), dtype=bool)])
def test_an_active_set_must_be_a_mask(active):
    with pytest.raises(BattleError, match="mask"):
        gaps([[1.0], [2.0]], active)


@settings(max_examples=100)
@given(whole_scores(least=2, high=6), st.floats(0.05, 1.0))
def test_borda_scores_keep_order_frontier_and_gaps(scores, unit):
    # Lemma 2.1 and Lemma B.3
    theta = np.array(scores) * unit
    scored = borda(theta)
    for r in range(theta.shape[1]):
        assert np.array_equal(
            np.sign(scored[:, r][:, None] - scored[:, r]), np.sign(theta[:, r][:, None] - theta[:, r])
        )
    assert np.array_equal(frontier(scored), frontier(theta))
    spread = np.ptp(theta, axis=0).max()
    if spread > 0:
        slope = 1 / ((1 + np.exp(spread)) * (1 + np.exp(-spread)))
        assert (gaps(scored) >= slope * gaps(theta) - 1e-12).all()


def test_borda_is_the_mean_win_probability():
    theta = np.random.default_rng(1).normal(size=(4, 5, 2))
    chances = win_probabilities(theta)
    for t, i, r in np.ndindex(4, 5, 2):
        others = [chances[t, i, j, r] for j in range(5) if j != i]
        assert borda(theta)[t, i, r] == pytest.approx(np.mean(others), abs=1e-15)
