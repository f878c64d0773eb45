from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pareto
from pareto import BattleError, dominates, frontier
from tests.pareto.reference import brute_frontier, strictly_below, weakly_below, whole_scores


@settings(max_examples=400)
@given(whole_scores())
def test_small_tied_scores_equal_brute_force(scores):
    assert frontier(scores).tolist() == brute_frontier(scores)
    assert frontier(scores, weak=True).tolist() == brute_frontier(scores, weakly_below)


@settings(max_examples=100)
@given(whole_scores())
def test_who_dominates_whom(scores):
    strict, weak = dominates(scores), dominates(scores, weak=True)
    for j, x in enumerate(scores):
        for i, y in enumerate(scores):
            assert strict[j, i] == strictly_below(y, x)
            assert weak[j, i] == weakly_below(y, x)


@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", ["normal", "tied", "sphere", "huge", "apart"])
def test_large_scores_equal_the_dense_comparison(kind, objectives, weak):
    rng = np.random.default_rng(objectives)
    scores = rng.normal(size=(3000, objectives))
    if kind == "tied":
        scores = np.round(scores * 4)
    if kind == "sphere":
        scores = np.abs(scores) / np.linalg.norm(scores, axis=1, keepdims=True)
    if kind == "huge":  # sums overflow and differences round away
        scores = np.where(scores > 1, 1.7e308, np.where(scores < -1, -1.7e308, scores))
    if kind == "apart":
        scores = scores * 10.0 ** (40 * np.arange(objectives))
    beaten = dominates(scores, weak=weak).any(axis=0)
    assert np.array_equal(frontier(scores, weak=weak), ~beaten)


def test_whole_numbers_beyond_53_bits_stay_apart():
    big = 1 << 60
    assert frontier([[big, big], [big + 1, big + 1]]).tolist() == [False, True]
    many = np.full((2000, 3), big)
    many[7] += 1
    assert frontier(many).tolist() == [row == 7 for row in range(2000)]


def test_dominators_with_equal_rounded_sums_are_found():
    # the sums of a row and of its dominator round to the same number
    tiny = np.nextafter(1.0, 2.0)
    rows = [[1e17, 1.0, 1.0], [np.nextafter(1e17, 2e17), tiny, tiny]]
    scores = np.array(rows * 2000)
    assert frontier(scores).tolist() == [False, True] * 2000


def test_a_tie_on_one_objective_protects():
    assert frontier([[10, 100], [5, 100]]).tolist() == [True, True]
    assert frontier([[10, 100], [5, 100]], weak=True).tolist() == [True, False]


def test_one_objective_keeps_all_of_the_largest():
    assert frontier([[1.0], [3.0], [3.0]]).tolist() == [False, True, True]


def test_duplicates_stand_or_fall_together():
    scores = np.repeat(np.random.default_rng(0).normal(size=(48, 3)), 8, axis=0)
    kept = frontier(scores).reshape(48, 8)
    assert (kept == kept[:, :1]).all()
    order = np.random.default_rng(1).permutation(len(scores))
    assert np.array_equal(frontier(scores[order]), frontier(scores)[order])


@settings(max_examples=200)
@given(whole_scores(), st.data())
def test_dropping_objectives_can_only_shrink_the_strict_frontier(scores, data):
    wide = np.array(scores)
    some = data.draw(st.lists(st.sampled_from(range(wide.shape[1])), min_size=1, unique=True))
    assert not (frontier(wide[:, some]) & ~frontier(wide)).any()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((5, 0)), "no objective"),
        (np.zeros((0, 3)), "0 models"),
        (np.zeros(4), "shape"),
        ([[0.0, np.nan]], "objective 1"),
        ([[0.0, 1.0], [np.inf, 0.0]], "model 1 on objective 0"),
        ([["a"]], "numbers"),
        ([[1 << 62]], "2\\^61"),
    ],
)
def test_unusable_scores_are_refused(scores, message):
    with pytest.raises(BattleError, match=message):
        frontier(scores)


def test_public_names_are_functions_even_after_their_modules_are_imported():
    for name in ("frontier", "gaps", "borda", "identify"):
        import_module(f"pareto.{name}")
        assert callable(getattr(pareto, name))
    for name in pareto.__all__:
        assert getattr(pareto, name) is not None
    with pytest.raises(AttributeError):
        _ = pareto.nothing
