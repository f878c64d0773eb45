"""The four methods of the paper: phases, decisions, and the engine that shares them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto import (
    BattleError,
    BradleyTerrySource,
    Outcomes,
    Queries,
    Task,
    borda,
    frontier,
    identify,
    make_sampler,
)
from pareto.borda import borda_of_probabilities
from pareto.gaps import leads
from pareto.instances import benchmark, symmetric
from pareto.samplers.borda_plugin import smoothed_borda
from pareto.samplers.elimination import Elimination
from pareto.samplers.schedule import Constants, phase
from pareto.trials import simulate
from tests.pareto.reference import brute_elimination, whole_scores

PHASED = ("vb-ege", "focal-borda", "bt-mle", "borda-plugin")


@settings(max_examples=200)
@given(whole_scores(least=2, high=9), st.data())
def test_elimination_equals_the_algorithm_word_by_word(points, data):
    size = len(points)
    active = data.draw(st.lists(st.booleans(), min_size=size, max_size=size).filter(lambda a: sum(a) > 1))
    threshold = data.draw(st.integers(0, 9)) / 2
    margin = data.draw(st.sampled_from([0, 0, 1]))
    accepted, live = brute_elimination(points, active, Fraction(threshold), margin)
    # three trials side by side, of which the middle one is the case
    scores = np.stack([np.array(points)[::-1], np.array(points), np.array(points) * 2])
    masks = np.stack([np.array(active)[::-1], np.array(active), np.ones(size, dtype=bool)])
    inner = Elimination(leads(scores, margin), masks, threshold)
    inner.run()
    assert set(np.flatnonzero(inner.accepted[1]).tolist()) == accepted
    assert set(np.flatnonzero(inner.active[1]).tolist()) == live


@settings(max_examples=100)
@given(whole_scores(least=2, most=7, high=30))
def test_the_exact_frontier_comes_out_when_the_radius_is_small(points):
    scores = np.array(points)
    inner = Elimination(leads(scores[None]), np.ones((1, len(scores)), dtype=bool), 0.0)
    inner.run()
    decided = ~inner.active[0]
    assert np.array_equal(inner.accepted[0][decided], frontier(scores)[decided])


def test_phases_are_those_of_equation_6():
    at = phase(4, 640, 0.05)
    weight = np.log(4 * 640 * 16 / 0.05)
    assert at.draws == int(np.ceil(2 * weight * 256))
    assert at.radius == pytest.approx(np.sqrt(weight / (2 * at.draws)))
    assert at.draws * 640 == 4_462_080
    with pytest.raises(BattleError):
        Constants(sampling=0.0)
    with pytest.raises(BattleError):
        Constants(threshold=-1.0)
    with pytest.raises(BattleError):
        Constants(logarithm=0.5)


@pytest.mark.parametrize("name", PHASED)
def test_parts_in_any_order_give_the_same_run(name):
    rng = np.random.default_rng(3)
    theta = np.array([[1.5, 0.0], [0.0, 1.5], [-1.5, -1.5]])
    source = BradleyTerrySource(theta, 1)
    task = Task(source.models, source.objectives, delta=0.2)
    whole, parts = make_sampler(name, task), make_sampler(name, task)
    while not whole.done:
        outcomes = source.answer(whole.ask())
        whole.tell(outcomes)
        columns = [outcomes.first, outcomes.second, outcomes.objective, outcomes.count, outcomes.points]
        cut = np.minimum(outcomes.count, 3)
        wins = np.minimum(outcomes.points, cut)
        order = rng.permutation(len(outcomes))
        early = [column[order] for column in (*columns[:3], cut, wins)]
        late = [
            column[order[::-1]] for column in (*columns[:3], outcomes.count - cut, outcomes.points - wins)
        ]
        parts.tell(Outcomes(*early))
        half = len(order) // 2
        parts.tell(Outcomes(*(column[half:] for column in late)))
        parts.tell(Outcomes(*(column[:half] for column in late)))
        assert parts.comparisons == whole.comparisons
    one, other = whole.result, parts.result
    assert np.array_equal(one.estimates, other.estimates, equal_nan=True)
    assert np.array_equal(one.frontier, other.frontier)
    assert np.array_equal(one.allocation, other.allocation)


@pytest.mark.parametrize("name", PHASED)
def test_what_was_not_asked_is_refused_by_name(name):
    sampler = make_sampler(name, Task(("a", "b"), ("x",), delta=0.2))
    queries = sampler.ask()
    twice = Outcomes.of(
        Queries(queries.first, queries.second, queries.objective, queries.count + 1), queries.count
    )
    with pytest.raises(BattleError, match="'a' with 'b' on 'x' were told"):
        sampler.tell(twice)
    assert sampler.comparisons == 0
    sampler.tell(Outcomes.of(queries, queries.count))
    assert sampler.comparisons == queries.total


def test_pairs_may_be_told_from_either_side():
    one, other = (make_sampler("bt-mle", Task(("a", "b"), ("x",), delta=0.2)) for _ in range(2))
    queries = one.ask()
    wins = queries.count - 3
    one.tell(Outcomes.of(queries, wins))
    turned = Queries(queries.second, queries.first, queries.objective, queries.count)
    other.tell(Outcomes.of(turned, queries.count - wins))
    assert np.array_equal(one.result.estimates, other.result.estimates)


@pytest.mark.parametrize("name", ["arena-4-small", "convex-2d"])
def test_sampler_and_engine_decide_alike_on_the_same_draws(name):
    """Feed a sampler the engine's draws of each arm, spread over its opponents."""
    theta = benchmark(name).theta(2)
    source = BradleyTerrySource(theta)
    found = simulate("vb-ege", theta, range(5, 6), seed=9)
    sampler = make_sampler("vb-ege", Task(source.models, source.objectives))
    rng, chances = np.random.default_rng((9, 5)), borda(theta)
    while not sampler.done:
        queries = sampler.ask()
        focal = np.unique(queries.first)
        wanted = np.zeros(theta.shape, dtype=np.int64)
        np.add.at(wanted, (queries.first, queries.objective), queries.count)
        (fresh,) = set(wanted[focal].ravel().tolist())
        wins = np.zeros_like(wanted)
        wins[focal] = rng.binomial(fresh, chances[focal])
        points = np.zeros(len(queries), dtype=np.int64)
        arm = queries.first * theta.shape[1] + queries.objective
        for a in np.unique(arm):
            rows = np.flatnonzero(arm == a)
            left = wins.ravel()[a] - (np.cumsum(queries.count[rows]) - queries.count[rows])
            points[rows] = np.clip(left, 0, queries.count[rows])
        sampler.tell(Outcomes.of(queries, points))
    result = sampler.result
    assert result.comparisons == found.comparisons[0]
    assert np.array_equal(result.frontier, found.frontier[0])
    assert np.array_equal(result.allocation[:, 0], found.draws[0])
    assert sampler.closed.number == found.phases[0]


def test_opponents_are_uniform_and_reproducible():
    task = Task(tuple("abcde"), ("x", "y"), delta=0.1, seed=4)
    queries = make_sampler("vb-ege", task).ask()
    again = make_sampler("vb-ege", task).ask()
    assert np.array_equal(queries.count, again.count)
    dense = np.zeros((5, 5, 2), dtype=np.int64)
    dense[queries.first, queries.second, queries.objective] = queries.count
    per_arm = dense.sum(axis=1)
    assert (per_arm == per_arm[0, 0]).all()
    expected = per_arm[0, 0] / 4
    off = dense[~np.eye(5, dtype=bool)]
    assert ((off - expected) ** 2 / (expected * 0.75)).mean() < 2
    assert not np.array_equal(dense[..., 0], dense[..., 1])


@pytest.mark.parametrize("name", PHASED)
def test_a_showing_that_answers_all_objectives_costs_once(name):
    theta = np.array([[1.5, 0.0], [0.0, 1.5], [-1.5, -1.5]])
    apart = identify(BradleyTerrySource(theta, 2), name)
    together = identify(BradleyTerrySource(theta, 2, joint=True), name)
    assert np.array_equal(apart.frontier, together.frontier)
    # the allocation counts outcomes, of which a showing gives two; pairs appear under both their models
    sides = 1 if name in ("vb-ege", "focal-borda") else 2
    assert together.comparisons == together.allocation.sum() // (2 * sides)
    assert apart.comparisons == apart.allocation.sum() // sides
    sampler = make_sampler(name, Task(("a", "b", "c"), ("x", "y"), joint=True))
    queries = sampler.ask()
    by_objective = [queries.rows(queries.objective == r) for r in (0, 1)]
    assert np.array_equal(by_objective[0].count, by_objective[1].count)
    assert np.array_equal(by_objective[0].second, by_objective[1].second)
    sampler.tell(Outcomes.of(by_objective[0], by_objective[0].count))
    assert sampler.comparisons == by_objective[0].total
    sampler.tell(Outcomes.of(by_objective[1], by_objective[1].count // 2))
    assert sampler.comparisons == by_objective[0].total


def test_duplicate_leaders_never_stop_without_a_margin_and_do_with_one():
    theta = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]])
    open_ = identify(BradleyTerrySource(theta, 0), "vb-ege", max_comparisons=3_000_000)
    assert not open_.stopped
    assert open_.undecided == ("model-1", "model-2")
    assert open_.named_pairs == (("model-1", "model-2"), ("model-2", "model-1"))
    for name in ("vb-ege", "focal-borda", "borda-plugin"):
        found = identify(BradleyTerrySource(theta, 0), name, margin=0.1, max_comparisons=30_000_000)
        assert found.stopped
        assert found.kept == ("model-1", "model-2")


def test_half_credit_outcomes_leave_the_means_where_they_are():
    theta = np.array([[1.5, 0.0], [0.0, 1.5], [-1.5, -1.5]])
    source = BradleyTerrySource(theta, 2)
    sampler = make_sampler("vb-ege", Task(source.models, source.objectives))
    while not sampler.done:
        queries = sampler.ask()
        outcomes = source.answer(queries)
        shrunk = outcomes.points / 2 + outcomes.count / 4
        sampler.tell(Outcomes.of(queries, shrunk))
    assert np.array_equal(sampler.result.frontier, frontier(theta))
    assert np.abs(sampler.result.estimates - (borda(theta) / 2 + 0.25)).max() < 0.05


def test_smoothed_borda_is_the_stated_mean():
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 9, size=(2, 4, 4))
    wins[:, np.arange(4), np.arange(4)] = 0
    met = wins + wins.swapaxes(1, 2)
    rates = np.moveaxis((wins + 0.5) / (met + 1), 0, 2)
    assert np.allclose(smoothed_borda(wins), borda_of_probabilities(rates))


def test_result_says_who_dominates_and_where():
    theta = symmetric(5, 2, 1.5)
    found = identify(BradleyTerrySource(theta, 0), "vb-ege")
    assert found.rival[1:].tolist() == [0] * 4
    assert set(found.objective[1:].tolist()) <= {0, 1}
    assert found.scale == "borda"
