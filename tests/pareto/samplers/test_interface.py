"""What every method must keep to, whichever it is."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import (
    METHODS,
    BattleError,
    BradleyTerrySource,
    CallbackSource,
    Outcomes,
    Queries,
    Status,
    Task,
    frontier,
    identify,
    make_sampler,
)
from pareto.samplers import method

THETA = np.array([[1.2, 0.0], [0.0, 1.2], [-1.0, -1.2], [-1.2, -1.0]])
NAMES, SIDES = ("a", "b", "c", "d"), ("x", "y")
TASK = Task(NAMES, SIDES, delta=0.1)


def some_source(seed=0):
    return BradleyTerrySource(THETA, seed, models=NAMES, objectives=SIDES)


def same(one, other):
    return (
        np.array_equal(one.frontier, other.frontier)
        and np.array_equal(one.decided, other.decided)
        and np.array_equal(one.undecided_pairs, other.undecided_pairs)
        and np.array_equal(one.estimates, other.estimates, equal_nan=True)
        and np.array_equal(one.allocation, other.allocation)
        and (one.comparisons, one.status) == (other.comparisons, other.status)
    )


def equal_queries(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("first", "second", "objective", "count")
    )


@pytest.mark.parametrize("name", METHODS)
def test_finds_the_frontier_of_a_clear_case(name):
    found = identify(some_source(), name, delta=0.1)
    assert found.stopped
    assert np.array_equal(found.frontier, frontier(THETA))
    assert found.decided.all()
    assert found.kept == ("a", "b")
    assert found.undecided == ()
    assert found.named_pairs == ()
    assert found.comparisons > 0
    certified = method(name).guarantee.certified
    assert found.status is (Status.CERTIFIED if certified else Status.STOPPED)
    for i in np.flatnonzero(~found.frontier):
        assert found.rival[i] < 0 or found.frontier[found.rival[i]] or certified


@pytest.mark.parametrize("name", METHODS)
def test_asking_only_looks_and_done_means_nothing_to_ask(name):
    sampler, source = make_sampler(name, TASK), some_source()
    while not sampler.done:
        queries = sampler.ask()
        assert len(queries)
        assert (queries.count > 0).all()
        assert (queries.first != queries.second).all()
        keys = set(
            zip(queries.first.tolist(), queries.second.tolist(), queries.objective.tolist(), strict=True)
        )
        assert len(keys) == len(queries)
        assert equal_queries(queries, sampler.ask())
        assert same(sampler.result, sampler.result)
        assert sampler.status is Status.OPEN
        before = sampler.comparisons
        sampler.tell(source.answer(queries))
        assert sampler.comparisons == before + queries.total
    assert len(sampler.ask()) == 0


@pytest.mark.parametrize("name", METHODS)
def test_the_same_told_gives_the_same_state(name):
    first, again, source = make_sampler(name, TASK), make_sampler(name, TASK), some_source(1)
    while not first.done:
        outcomes = source.answer(first.ask())
        assert equal_queries(first.ask(), again.ask())
        first.tell(outcomes)
        again.tell(outcomes)
    assert same(first.result, again.result)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("cap", [0, 1, 50, 3000])
def test_a_cap_is_kept_and_reported(name, cap):
    theta = np.zeros((4, 2))  # all alike: nobody may stop by the rule
    source = BradleyTerrySource(theta, models=NAMES, objectives=SIDES)
    found = identify(source, name, delta=0.1, max_comparisons=cap)
    assert found.comparisons <= cap
    assert found.status is Status.CAPPED
    assert not found.stopped
    assert found.frontier.any()
    assert len(found.undecided_pairs)
    assert set(found.undecided) <= set(NAMES)
    assert found.undecided_pairs.dtype == np.int64
    assert all(pair[0] != pair[1] for pair in found.named_pairs)


@pytest.mark.parametrize("name", METHODS)
def test_an_answer_before_anything_is_told(name):
    now = make_sampler(name, TASK).result
    assert now.status is Status.OPEN
    assert now.comparisons == 0
    assert not now.decided.any()
    assert len(now.undecided_pairs) == 12
    assert now.frontier.shape == (4,)


@pytest.mark.parametrize("name", METHODS)
def test_bad_rows_are_refused_and_nothing_of_them_is_used(name):
    sampler = make_sampler(name, TASK)
    queries = sampler.ask()
    before = sampler.result
    good = some_source().answer(queries)
    for change, message in (
        ({"first": np.where(np.arange(len(good)) == 1, 9, good.first)}, "row 1: first is 9"),
        ({"second": good.first}, "row 0: second"),
        ({"objective": good.objective - 9}, "objective"),
        ({"points": good.count + 1}, "points"),
        ({"points": good.points[:-1]}, "lengths"),
        ({"count": -good.count}, "count"),
        ({"first": good.first.astype(float)}, "whole numbers"),
        ({"points": np.full(len(good), np.nan)}, "points"),
        ({"points": np.array(["x"] * len(good))}, "numbers"),
    ):
        columns = {key: getattr(good, key) for key in ("first", "second", "objective", "count", "points")}
        with pytest.raises(BattleError, match=message):
            sampler.tell(Outcomes(**(columns | change)))
        assert same(sampler.result, before)
        assert equal_queries(sampler.ask(), queries)


@pytest.mark.parametrize("name", METHODS)
def test_telling_nothing_changes_nothing(name):
    sampler = make_sampler(name, TASK)
    sampler.tell(Outcomes.of(Queries.none(), np.zeros(0, dtype=np.int64)))
    none = np.zeros(3, dtype=np.int64)
    sampler.tell(Outcomes(none, none + 1, none, none, none))
    assert sampler.comparisons == 0


@pytest.mark.parametrize("name", METHODS)
def test_fractions_are_taken_or_refused_as_the_guarantee_says(name):
    sampler = make_sampler(name, TASK)
    queries = sampler.ask()
    half = Outcomes.of(queries, queries.count / 2 + 0.25)
    if method(name).guarantee.fractions:
        sampler.tell(half)
        assert sampler.comparisons == queries.total
    else:
        with pytest.raises(BattleError, match="no whole number of wins"):
            sampler.tell(half)
        assert sampler.comparisons == 0


@pytest.mark.parametrize("name", METHODS)
def test_a_source_without_an_order_is_refused_where_the_argument_needs_one(name):
    def judge(first, second, objective):
        return (NAMES.index(second) - NAMES.index(first)) % 4 == 1

    source = CallbackSource(judge, NAMES, SIDES)
    if method(name).guarantee.needs_order:
        with pytest.raises(BattleError, match="cyclic"):
            identify(source, name, max_comparisons=10)
    else:
        assert identify(source, name, max_comparisons=10).status is Status.CAPPED


@pytest.mark.parametrize("name", METHODS)
def test_guarantees_are_stated(name):
    stated = method(name).guarantee
    assert stated.claim
    assert stated.assumptions
    assert stated.source
    assert method(name).name == name


@pytest.mark.parametrize("name", METHODS)
def test_a_silent_source_ends_the_run(name):
    source = CallbackSource(lambda *_: None, NAMES, SIDES, ordered=True)
    with pytest.raises(BattleError, match="none of"):
        identify(source, name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"seed": -1}, "seed"),
        ({"max_comparisons": -1}, "max_comparisons"),
        ({"margin": -0.1}, "margin"),
        ({"margin": float("inf")}, "margin"),
        ({"models": ("a",)}, "1 models"),
        ({"models": ("a", "a")}, "'a' is named twice"),
        ({"objectives": ()}, "0 objectives"),
    ],
)
def test_impossible_tasks_are_refused(change, message):
    with pytest.raises(BattleError, match=message):
        Task(**({"models": NAMES, "objectives": SIDES} | change))


@pytest.mark.parametrize(("method", "accepted"), [("vb-ege", "constants"), ("interval", "none")])
def test_unknown_options_are_refused(method, accepted):
    source = BradleyTerrySource([[1.0], [0.0]])
    with pytest.raises(BattleError, match=f"{method} has no option 'constant'; accepted: {accepted}"):
        identify(source, method, constant=1)


def test_unknown_methods_are_refused():
    with pytest.raises(BattleError, match="vb-ege"):
        identify(some_source(), "best")
