from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from pareto import frontier, standing
from pareto.standing import open_pairs, protections
from tests.pareto.reference import pairs, whole_scores


@settings(max_examples=300)
@given(whole_scores(least=2))
def test_rivals_are_the_closest_frontier_models(scores):
    x = np.array(scores)
    now = standing(x)
    assert np.array_equal(now.frontier, frontier(x))
    for i in range(len(x)):
        best = [j for j in np.flatnonzero(now.frontier) if j != i]
        if not best:
            assert now.rival[i] == now.objective[i] == -1
            continue
        closest = max((x[j] - x[i]).min() for j in best)
        j, r = now.rival[i], now.objective[i]
        assert now.frontier[j]
        assert j != i
        assert now.lead[i] == closest == (x[j] - x[i]).min() == x[j, r] - x[i, r]
        assert (now.lead[i] > 0) == (not now.frontier[i])


def test_reasons_name_the_tie_that_protects():
    now = standing([[10, 100], [5, 100], [1, 1]])
    names, objectives = ("strong", "tied", "weak"), ("code", "math")
    assert now.reason(1, names, objectives) == "tied is kept: it equals strong on math, and a tie protects"
    assert "dominated by strong" in now.reason(2, names, objectives)
    assert "nobody else" in standing([[2.0], [1.0]]).reason(0, names, ("code",))
    assert "leads right" in standing([[3, 0], [0, 3]]).reason(0, ("left", "right"), objectives)


def test_every_rival_of_a_kept_model_has_a_protecting_objective():
    x = np.random.default_rng(0).normal(size=(30, 3))
    for i in np.flatnonzero(frontier(x)):
        shields = dict(protections(x, int(i)))
        assert len(shields) == len(x) - 1
        assert all(x[i, r] >= x[j, r] for j, r in shields.items())


def test_pairs_within_reach_of_the_radius_are_open():
    x = np.random.default_rng(2).random((8, 2))
    active = np.array([True] * 6 + [False] * 2)
    found = {tuple(pair) for pair in open_pairs(x, active, 0.05, 0.0).tolist()}
    expected = {(i, j) for i, j in pairs(6) if abs((x[j] - x[i]).min()) <= 0.1}
    assert found == expected
    assert open_pairs(x, active & False, 1.0, 0.0).shape == (0, 2)


def test_reason_needs_no_lead_between_equal_twins():
    now = standing([[1, 1], [1, 1]])
    assert now.frontier.all()
    assert "tie protects" in now.reason(0, ("a", "b"), ("x", "y"))


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_a_lone_model_stands_alone(kind):
    now = standing(np.ones((1, 2), dtype=kind))
    assert now.frontier.tolist() == [True]
    assert now.rival.tolist() == [-1]


@given(whole_scores(least=2))
def test_records_say_what_the_arrays_say(scores):
    x = np.array(scores)
    now = standing(x)
    models = [f"m{i}" for i in range(len(x))]
    objectives = [f"o{r}" for r in range(x.shape[1])]
    records = now.records(models, objectives)
    assert [one["model"] for one in records] == models
    assert [one["status"] == "frontier" for one in records] == now.frontier.tolist()
    for i, one in enumerate(records):
        if one["rival"] is None:
            assert (one["objective"], one["lead"], now.rival[i]) == (None, None, -1)
        else:
            j, r = models.index(one["rival"]), objectives.index(one["objective"])
            assert one["lead"] == x[j, r] - x[i, r]
