"""Counts of pairs: what is refused, parts of them, and sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pareto import BattleError, PairCounts

MODELS, OBJECTIVES = ("x", "y", "z"), ("code", "math")
SHAPE = (2, 3, 3)


SELF = np.eye(3, dtype=int)[None].repeat(2, axis=0)


def counts(wins=None, ties=None, both_bad=None, models=MODELS, objectives=OBJECTIVES):
    none = np.zeros((len(objectives), len(models), len(models)), dtype=int)
    given = (none if array is None else array for array in (wins, ties, both_bad))
    return PairCounts(tuple(models), tuple(objectives), *given)


def votes(seed, models=MODELS, objectives=OBJECTIVES):
    """Random counts with ties and both-bad votes."""
    random = np.random.default_rng(seed)
    shape = (len(objectives), len(models), len(models))
    parts = [random.integers(0, 5, shape) * (1 - np.eye(len(models), dtype=int)) for _ in range(3)]
    return counts(parts[0], *(part + part.swapaxes(1, 2) for part in parts[1:]), models, objectives)


def same(one, other):
    assert (one.models, one.objectives) == (other.models, other.objectives)
    for name in ("wins", "ties", "both_bad"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == np.int64


def test_what_the_arrays_say():
    wins = np.zeros(SHAPE, dtype=int)
    wins[0, 0, 1], wins[0, 1, 0], wins[1, 2, 0] = 3, 1, 2
    ties = np.zeros(SHAPE, dtype=int)
    ties[0, 0, 1] = ties[0, 1, 0] = 4
    bad = np.zeros(SHAPE, dtype=int)
    bad[0, 1, 2] = bad[0, 2, 1] = 5
    found = counts(wins, ties, bad)
    assert found.decided[0, 0, 1] == found.decided[0, 1, 0] == 4
    assert found.undecided[0, 0, 1] == 4
    assert found.undecided[0, 2, 1] == 5
    assert found.met[0].tolist() == [[0, 8, 0], [8, 0, 5], [0, 5, 0]]
    assert found.records.tolist() == [13, 2]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"wins": np.zeros((1, 3, 3))}, r"wins of shape \(1, 3, 3\); \(2, 3, 3\)"),
        ({"wins": np.full(SHAPE, 0.5)}, r"wins\[0, 0, 0\] is 0.5; whole numbers"),
        ({"wins": np.full(SHAPE, np.nan)}, r"wins\[0, 0, 0\] is nan; whole numbers"),
        ({"wins": np.full(SHAPE, 1e30)}, r"wins\[0, 0, 0\] is 1e\+30"),
        ({"wins": (1 << 57) * (1 - SELF)}, "wins sum to more than"),
        ({"ties": np.full(SHAPE, "1")}, "ties are <U1"),
        ({"ties": np.full(SHAPE, None)}, "ties are object"),
        ({"both_bad": [[[0, 1], [0]]]}, "both_bad have rows of different lengths"),
        ({"wins": -np.ones(SHAPE, dtype=int)}, r"wins\[0, 0, 0\] is -1"),
        ({"wins": SELF}, "model 0 has wins against itself on objective 0"),
        ({"ties": np.triu(np.ones(SHAPE, dtype=int), 1)}, "ties of i with j and of j with i differ"),
        ({"both_bad": np.tril(np.ones(SHAPE, dtype=int), -1)}, "both_bad of i with j"),
        ({"both_bad": SELF}, "has both_bad against itself"),
        ({"models": ("x", "x", "y")}, "'x' is named twice"),
        ({"models": ("x", " y", "z")}, "begins or ends with a space"),
        ({"objectives": ("code", "")}, "is blank"),
    ],
)  # fmt: skip
def test_what_is_refused(change, said):
    with pytest.raises(BattleError, match=said):
        counts(**change)


def test_parts_by_name():
    whole = votes(0)
    part = whole.of_models(["z", "x"])
    assert part.models == ("z", "x")
    np.testing.assert_array_equal(part.wins, whole.wins[:, [2, 0]][:, :, [2, 0]])
    np.testing.assert_array_equal(part.ties[:, 0, 1], whole.ties[:, 2, 0])
    math = whole.on(["math"])
    np.testing.assert_array_equal(math.both_bad, whole.both_bad[[1]])
    same(whole.on(["math", "code"]).on(OBJECTIVES), whole)
    same(whole.of_models(["z", "x", "y"]).of_models(MODELS), whole)


@pytest.mark.parametrize(("call", "name"), [("of_models", "w"), ("on", "chess")])
def test_names_that_are_not_there(call, name):
    with pytest.raises(BattleError, match=f"no (model|objective) '{name}' in the log; it has"):
        getattr(votes(0), call)([name])


@given(arrays(np.int64, SHAPE, elements=st.integers(0, 9)))
def test_decisive_counts_are_kept_as_they_are(wins):
    wins *= 1 - np.eye(3, dtype=int)
    found = PairCounts.decisive(list(MODELS), list(OBJECTIVES), wins)
    np.testing.assert_array_equal(found.wins, wins)
    assert found.undecided.sum() == 0
    np.testing.assert_array_equal(found.records, wins.sum(axis=(1, 2)))


def test_sums_of_logs_of_other_models_and_objectives():
    one = votes(1, ("y", "x"), ("math",))
    other = votes(2, ("z", "y"), ("code", "math"))
    total = one + other
    assert total.models == ("x", "y", "z")
    assert total.objectives == ("math", "code")
    for name in ("wins", "ties", "both_bad"):
        array = getattr(total, name)
        expected = np.zeros((2, 3, 3), dtype=int)
        expected[0][np.ix_([1, 0], [1, 0])] += getattr(one, name)[0]
        expected[0][np.ix_([2, 1], [2, 1])] += getattr(other, name)[1]
        expected[1][np.ix_([2, 1], [2, 1])] += getattr(other, name)[0]
        np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(total.records, [one.records[0] + other.records[1], other.records[0]])


def test_sums_commute_and_associate_but_for_the_order_of_objectives():
    one, two, three = votes(1), votes(2, ("w", "y")), votes(3, ("w", "z"), ("math",))
    same((one + two) + three, one + (two + three))
    same((three + one).on(OBJECTIVES), one + three)


def test_arguments_are_not_changed():
    given = np.zeros(SHAPE, dtype=int)
    total = counts(given) + counts(given)
    total.wins[0, 0, 1] = 9
    assert given.sum() == 0
