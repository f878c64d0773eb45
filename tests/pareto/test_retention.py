"""Which models of a log stay: against brute force, every back end, the cliques of a real log, and words."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto import BattleError
from pareto.battles import read_battles
from pareto.bundled import bundled_log
from pareto.pair_counts import PairCounts
from pareto.retention import retain_counts
from pareto.retention.reasons import objective_costs
from pareto.retention.rules import adjacency, clique, clique_problem, connected
from solvers import MaximumClique, available
from tests.pareto.logs import ARENA_OBJECTIVES, arena, counted, logs

BACKENDS = available(MaximumClique(np.zeros((2, 2), dtype=bool)))


def subsets(counts):
    for size in range(1, len(counts.models) + 1):
        yield from itertools.combinations(range(len(counts.models)), size)


def preferred(counts, fits):
    """Largest, most decisive comparisons within, first by name, by trying all sets."""
    decided = counts.decided
    ranked = []
    for chosen in subsets(counts):
        if fits(decided, chosen):
            within = int(decided[np.ix_(range(len(decided)), chosen, chosen)].sum())
            ranked.append((-len(chosen), -within, sorted(counts.models[i] for i in chosen)))
    return tuple(min(ranked)[2]) if ranked else ()


def is_clique(decided, chosen):
    if not all(decided[r, i].any() for r in range(len(decided)) for i in chosen):
        return False
    return all((decided[:, i, j] > 0).all() for i, j in itertools.combinations(chosen, 2))


def is_connected(decided, chosen):
    for met in decided:
        reached, front = {chosen[0]}, [chosen[0]]
        while front:
            i = front.pop()
            for j in chosen:
                if met[i, j] and j not in reached:
                    reached.add(j)
                    front.append(j)
        if len(reached) < len(chosen):
            return False
    return True


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=60, deadline=None)
@given(counts=logs(highest=1))
def test_clique_is_the_preferred_one(backend, counts):
    found = clique(counts.decided, counts.models, backend=backend)
    assert found.models == preferred(counts, is_clique)
    assert found.proven
    assert found.backend == backend


@settings(max_examples=80, deadline=None)
@given(counts=logs(models=(1, 6), highest=1))
def test_connected_set_is_the_preferred_one(counts):
    assert connected(counts.decided, counts.models).models == preferred(counts, is_connected)


@settings(max_examples=80, deadline=None)
@given(counts=logs(models=(3, 6), highest=1), seed=st.integers(0, 99))
def test_order_of_models_does_not_matter(counts, seed):
    shuffled = counts.of_models(np.random.default_rng(seed).permutation(counts.models).tolist())
    assert clique(shuffled.decided, shuffled.models).models == clique(counts.decided, counts.models).models


def test_there_are_several_back_ends():
    assert len(BACKENDS) >= 2


CLIQUES = [
    (True, ARENA_OBJECTIVES, 10),
    (True, ("code", "instruction_following", "general"), 15),
    (True, ("code", "general"), 35),
    (False, ("code", "math", "creative_writing", "instruction_following"), 16),
    (False, ("code", "math", "instruction_following"), 18),
    (False, ("code", "instruction_following"), 30),
]


@pytest.mark.parametrize(("priority", "objectives", "size"), CLIQUES)
def test_cliques_of_the_bundled_log(priority, objectives, size):
    log = retain_counts(arena(priority), objectives)
    assert len(log.models) == size
    assert log.objectives == objectives
    assert list(log.models) == sorted(log.models)
    assert ((log.counts.decided > 0).sum(axis=(1, 2)) == size * (size - 1)).all()
    retention = log.retention
    assert retention.proven
    assert retention.bound == size
    assert retention.models == retention.candidates == 52
    assert retention.records == log.counts.records.sum()
    assert retention.records + retention.dropped == arena(priority).on(objectives).records.sum()
    counts = arena(priority).on(objectives)
    for backend in available(clique_problem(counts.decided, counts.models)):
        assert retain_counts(counts, backend=backend).models == log.models


@pytest.mark.parametrize("priority", [True, False])
def test_battles_read_from_the_file_are_retained_alike(priority):
    """Records of objectives that were not selected are dropped, never counted for another objective."""
    objectives = ("code", "instruction_following", "general") if priority else ("code", "math")
    log = read_battles(bundled_log("arena140k-decisive"), multi_label=not priority).retain(objectives)
    expected = retain_counts(arena(priority), objectives)
    assert log.models == expected.models
    assert np.array_equal(log.counts.wins, expected.counts.wins)
    assert log.retention == expected.retention
    assert log.preprocessing.retained_records == log.retention.records
    assert log.preprocessing.outside.rows == log.retention.dropped


def test_what_costs_most_on_the_bundled_log():
    retention = retain_counts(arena()).retention
    assert retention.collapsed
    assert retention.costs[0].objective == "instruction_following"
    assert len(retention.costs[0].without) == 13
    kept = {one.demand: len(one.kept) for one in retention.weaker}
    assert kept["without instruction_following"] == 13
    assert kept["without instruction_following and math and creative_writing"] == 35
    assert kept["rule 'connected': links, however indirect, on every objective"] == 52
    text = ". ".join(retention.explanation)
    assert "10 of 52 models kept" in text
    assert "instruction_following costs most" in text
    assert "without instruction_following: models kept would be 13" in text
    assert not retain_counts(arena(), ("code", "general")).retention.collapsed


@settings(max_examples=60, deadline=None)
@given(counts=logs(models=(3, 6), objectives=(2, 3), highest=1))
def test_removed_models_and_costs_add_up(counts):
    if len(preferred(counts, is_clique)) < 2:
        with pytest.raises(BattleError, match="no two models"):
            retain_counts(counts)
        return
    log = retain_counts(counts)
    retention, decided = log.retention, counts.decided
    assert sorted([*retention.members, *(one.model for one in retention.removed)]) == list(counts.models)
    for one in retention.removed:
        i = counts.models.index(one.model)
        assert one.absent == tuple(
            r for r, met in zip(counts.objectives, decided, strict=True) if not met[i].any()
        )
        lacking = {(other, r) for other, objectives in one.missing for r in objectives}
        expected = {
            (other, r)
            for other in retention.members
            for number, r in enumerate(counts.objectives)
            if not decided[number, i, counts.models.index(other)]
        }
        assert lacking == expected
        assert one.cells == len(expected) > 0
        assert one.reason.startswith(f"{one.model}: no decisive comparison")
    for cost in retention.costs:
        rest = counts.on([name for name in counts.objectives if name != cost.objective])
        assert cost.without.models == preferred(rest, is_clique)
        r = counts.objectives.index(cost.objective)
        pairs = [
            (i, j)
            for i, j in itertools.combinations(range(len(counts.models)), 2)
            if all(met[[i, j]].any(axis=1).all() for met in decided) and not decided[r, i, j]
        ]
        assert cost.pairs == len(pairs)
        assert cost.only == sum(1 for i, j in pairs if np.delete(decided, r, axis=0)[:, i, j].all())
        assert cost.absent == sum(not row.any() for row in decided[r])


def test_half_of_the_objectives_and_ties_as_weaker_demands():
    wins = np.zeros((2, 3, 3))
    wins[0] = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]  # everybody met on x
    wins[1, 0, 1] = 1  # on y only a and b
    ties = np.zeros((2, 3, 3))
    ties[1, 0, 2] = ties[1, 1, 2] = 1
    log = retain_counts(counted(wins, ties))
    assert log.models == ("a", "b")
    kept = {one.demand: one.kept.models for one in log.retention.weaker}
    assert kept["a pair needs a decisive comparison on 1 of 2 objectives"] == ("a", "b", "c")
    assert kept["ties and both-bad votes count as comparisons too"] == ("a", "b", "c")
    assert kept["without y"] == ("a", "b", "c")
    assert log.retention.removed[0].reason == "c: no decisive comparison at all on y"


def two_groups(sizes, objectives=2):
    group = np.repeat(np.arange(len(sizes)), sizes)
    wins = (group[:, None] == group) & ~np.eye(len(group), dtype=bool)
    return counted(np.repeat(wins[None], objectives, axis=0))


def test_two_groups_that_never_met():
    log = retain_counts(two_groups((2, 3)))
    assert log.models == ("c", "d", "e")
    text = ". ".join(log.retention.explanation)
    assert "2 groups of models never met: {c, d, e}; {a, b}. Only models of group 1 were kept" in text
    assert "no single objective is to blame" in text
    assert log.retention.removed[0].reason.startswith("a: no decisive comparison with c on x, y;")
    assert retain_counts(two_groups((2, 3)), rule="connected").models == ("c", "d", "e")


def test_groups_on_one_objective_only():
    wins = np.stack([np.ones((4, 4)) - np.eye(4), two_groups((2, 2)).wins[0]])
    retention = retain_counts(counted(wins)).retention
    assert retention.members == ("a", "b")
    assert "2 groups of models never met on y: {a, b}; {c, d}" in ". ".join(retention.explanation)
    assert retention.costs[0].objective == "y"


def test_more_comparisons_decide_between_equal_sets():
    wins = two_groups((2, 2)).wins.copy()
    assert retain_counts(counted(wins)).models == ("a", "b")
    assert retain_counts(counted(wins), rule="connected").models == ("a", "b")
    wins[1, 2, 3] += 1
    assert retain_counts(counted(wins)).models == ("c", "d")
    assert retain_counts(counted(wins), rule="connected").models == ("c", "d")


def test_rule_connected_keeps_what_is_linked():
    chain = np.diag(np.ones(3), 1)
    log = retain_counts(counted([chain, chain]), rule="connected")
    assert log.models == ("a", "b", "c", "d")
    with pytest.raises(BattleError, match="'a' and 'c' have no decisive comparison on 'x'"):
        log.borda()


def test_too_few_models_are_an_error_that_explains():
    wins = np.zeros((2, 3, 3))
    wins[0, 0, 1] = wins[1, 1, 2] = 1
    with pytest.raises(BattleError, match="no two models can be compared on every objective") as error:
        retain_counts(counted(wins))
    text = str(error.value)
    for part in ("1 of 3 models kept", "without x: models kept would be 2", "name fewer objectives"):
        assert part in text
    with pytest.raises(BattleError, match="No rule and no choice of objectives keeps two models"):
        retain_counts(counted(np.zeros((2, 3, 3))))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: retain_counts(two_groups((2, 2)), rule="biggest"), "accepted are clique, connected"),
        (
            lambda: retain_counts(two_groups((2, 2)), ["speed"]),
            "no objective 'speed' in the log; it has x, y",
        ),
        (lambda: retain_counts(two_groups((2, 2)), ["x", "x"]), "twice"),
        (lambda: retain_counts(two_groups((2, 2)), []), "no objective to keep models on"),
        (lambda: retain_counts(two_groups((2, 2)), "xy"), "is the text 'xy'"),
        (lambda: retain_counts(two_groups((2, 2)), backend="abacus"), "Unknown back end"),
        (lambda: retain_counts(two_groups((2, 2)), time_limit=0), "longer time limit"),
        (lambda: retain_counts(PairCounts.decisive((), ("x",), np.zeros((1, 0, 0)))), "no two models"),
    ],
)
def test_unusable_demands_are_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()


def test_single_objective_has_no_cost():
    (cost,) = objective_costs(two_groups((2, 3), objectives=1))
    assert cost.without is None
    assert not adjacency(two_groups((2, 3)).decided)[0, 2]
