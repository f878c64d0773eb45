from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import pearsonr, spearmanr

from pareto import BattleError
from pareto.davidson import davidson_models
from pareto.likeness import likeness
from pareto.outcome_counts import count_outcomes
from pareto.pair_counts import PairCounts
from pareto.retention import retain_counts
from pareto.targets import target
from pareto.treatments import compare_treatments
from tests.pareto.logs import counted, logs

LETTERS = ("D", "H", "F")


def sample(seed=0, models=7, objectives=3, highest=12):
    rng = np.random.default_rng(seed)
    shape = objectives, models, models
    off = ~np.eye(models, dtype=bool)
    wins = rng.integers(1, highest, shape) * off
    ties, bad = (np.triu(rng.integers(0, highest // 2, shape), 1) for _ in range(2))
    names = tuple(f"m{i}" for i in range(models)), tuple(f"o{r}" for r in range(objectives))
    return PairCounts(*names, wins, ties + ties.swapaxes(1, 2), bad + bad.swapaxes(1, 2))


def test_outcomes_are_counted_by_objective_and_together():
    counts = sample()
    each, total = count_outcomes(counts)
    for r, one in enumerate(each):
        decisive = ties = bad = 0
        for i, j in product(range(7), repeat=2):
            decisive += int(counts.wins[r, i, j])
            if i < j:
                ties += int(counts.ties[r, i, j])
                bad += int(counts.both_bad[r, i, j])
        assert (one.objective, one.decisive, one.ties, one.both_bad) == (f"o{r}", decisive, ties, bad)
        assert one.records == counts.records[r]
        assert one.undecided_share == (ties + bad) / (decisive + ties + bad)
    assert total.records == counts.records.sum()
    assert total.decisive == sum(one.decisive for one in each)
    assert math.isnan(count_outcomes(counted(np.zeros((1, 2, 2))))[1].undecided_share)


def test_targets_are_those_of_the_treatments():
    counts = sample()
    found = compare_treatments(counts, seed=0)
    assert found.letters == LETTERS
    for letter in LETTERS:
        alone = target(counts, letter)
        assert np.array_equal(found.target(letter).borda, alone.borda)
        assert np.array_equal(found.target(alone.name).frontier, alone.frontier)
        assert found.target(letter).minimum_gap == alone.minimum_gap
    fitted = davidson_models(counts)
    assert np.array_equal(found.target("F").probabilities, fitted.probabilities)
    assert found.davidson.sizes == fitted.sizes


def test_membership_names_every_model_on_any_frontier():
    found = compare_treatments(sample(3))
    kept = [set(found.target(letter).kept) for letter in LETTERS]
    assert set(found.membership) == set.union(*kept)
    for name, on in found.membership.items():
        assert on == tuple(name in names for names in kept)
    pair = found.likeness("D", "H")
    assert pair.jaccard == len(kept[0] & kept[1]) / len(kept[0] | kept[1])
    assert set(pair.entered) == kept[1] - kept[0]
    assert set(pair.left) == kept[0] - kept[1]
    assert found.likeness("davidson", "D").letters == ("D", "F")


def test_a_tie_that_changes_the_frontier_shows():
    """a and b split their decisive comparisons with c alike; c's many ties with b lift it under H only."""
    wins = np.zeros((1, 3, 3), dtype=int)
    wins[0, 0, 1], wins[0, 1, 0] = 5, 5
    wins[0, 0, 2], wins[0, 2, 0] = 6, 4
    wins[0, 1, 2], wins[0, 2, 1] = 8, 2
    ties = np.zeros((1, 3, 3), dtype=int)
    ties[0, 1, 2] = 90
    found = compare_treatments(counted(wins, ties), ("D", "H"))
    assert found.davidson is None
    assert found.membership == {"a": (False, True), "b": (True, False)}
    pair = found.likeness("D", "H")
    assert (pair.jaccard, pair.entered, pair.left) == (0.0, ("a",), ("b",))
    assert pair.rho_min == pytest.approx(spearmanr([0.55, 0.65, 0.3], [0.55, 0.515, 0.435])[0])
    assert pair.largest_change == pytest.approx(0.135)


@pytest.mark.parametrize("seed", range(3))
def test_correlations_are_the_usual_ones_and_rho_min_their_smallest(seed):
    counts = sample(seed, models=9)
    found = compare_treatments(counts)
    for first, second in (("D", "H"), ("D", "F"), ("H", "F")):
        pair = found.likeness(first, second)
        one, other = found.target(first).borda, found.target(second).borda
        for r in range(3):
            assert pair.spearman[r] == pytest.approx(spearmanr(one[:, r], other[:, r])[0])
            assert pair.pearson[r] == pytest.approx(pearsonr(one[:, r], other[:, r])[0])
        assert pair.rho_min == min(pair.spearman)
        assert pair.largest_change == np.abs(one - other).max()


def test_a_treatment_is_like_itself():
    of = target(sample(), "D")
    same = likeness(of, of)
    assert same.jaccard == 1
    assert same.rho_min == pytest.approx(1)
    assert (same.entered, same.left, same.largest_change) == ((), (), 0)


def test_the_variance_is_that_of_a_comparison_with_a_uniform_opponent():
    counts = sample(5, models=5)
    found = compare_treatments(counts)
    expected = {letter: [] for letter in LETTERS}
    shares = []
    for r, i in product(range(3), range(5)):
        chances = {letter: np.zeros(3) for letter in LETTERS}  # a win, half a win, a loss
        for j in range(5):
            if j == i:
                continue
            won, lost = counts.wins[r, i, j], counts.wins[r, j, i]
            tied = counts.ties[r, i, j] + counts.both_bad[r, i, j]
            chances["D"] += np.array([won, 0, lost]) / (won + lost) / 4
            chances["H"] += np.array([won, tied, lost]) / (won + tied + lost) / 4
            fitted = found.target("F").probabilities[i, j, r]
            chances["F"] += np.array([fitted, 0, 1 - fitted]) / 4
        shares.append(chances["H"][1])
        for letter, chance in chances.items():
            points = np.array([1.0, 0.5, 0.0])
            expected[letter].append(chance @ points**2 - (chance @ points) ** 2)
    for letter, variance in zip(LETTERS, found.variances, strict=True):
        assert variance.mean == pytest.approx(np.mean(expected[letter]))
        assert variance.smallest == pytest.approx(np.min(expected[letter]))
        assert variance.largest == pytest.approx(np.max(expected[letter]))
    assert found.variances[1].half_wins == pytest.approx(np.mean(shares))
    assert found.variances[1].mean < found.variances[1].two_outcomes
    for variance in (found.variances[0], found.variances[2]):
        assert variance.half_wins == 0
        assert variance.mean == variance.two_outcomes


def test_without_ties_d_and_h_are_the_same():
    counts = sample()
    bare = PairCounts.decisive(counts.models, counts.objectives, counts.wins)
    found = compare_treatments(bare, ("H", "D"))
    assert found.likeness("H", "D").largest_change == 0
    assert found.likeness("H", "D").jaccard == 1
    assert found.variances[0] == found.variances[1]
    assert found.total.undecided_share == 0


@settings(max_examples=40, deadline=None)
@given(logs(models=(2, 5), objectives=(1, 3), lowest=1))
def test_records_hold_everything_and_are_json(counts):
    found = compare_treatments(counts)
    record = json.loads(json.dumps(found.record(), allow_nan=False))
    assert set(record["targets"]) == set(LETTERS)
    for letter in LETTERS:
        of = found.target(letter)
        assert record["targets"][letter]["frontier"] == list(of.kept)
        hardness = record["targets"][letter]["hardness"]
        assert hardness == of.hardness if of.recoverable else hardness is None
        assert np.array_equal(record["targets"][letter]["borda"], of.borda)
    assert [one["letters"] for one in record["likenesses"]] == [["D", "H"], ["D", "F"], ["H", "F"]]
    assert sum(one["records"] for one in record["outcomes"][:-1]) == record["outcomes"][-1]["records"]
    assert len(record["davidson"]["objectives"]) == len(counts.objectives)


def test_equal_scores_have_no_correlation_and_no_finite_hardness():
    wins = np.ones((1, 3, 3), dtype=int) - np.eye(3, dtype=int)
    found = compare_treatments(counted(wins, np.ones((1, 3, 3), dtype=int)))
    assert all(math.isnan(pair.rho_min) for pair in found.likenesses)
    assert all(pair.jaccard == 1 for pair in found.likenesses)
    assert all(of.hardness == math.inf for of in found.targets)
    json.dumps(found.record(), allow_nan=False)


def test_a_retained_log_is_compared_as_its_counts_are():
    counts = sample(2)
    log = retain_counts(counts)
    assert compare_treatments(log).record() == compare_treatments(log.counts).record()
    few = compare_treatments(log, ties="H")
    assert few.letters == ("H",)
    assert few.likenesses == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_treatments(sample(), ()), "one or more"),
        (lambda: compare_treatments(sample(), ("D", "decisive")), "different ones"),
        (lambda: compare_treatments(sample(), ("D", "coin")), "coin"),
        (lambda: compare_treatments(sample(), ("D", "H")).target("F"), "was not compared"),
        (lambda: compare_treatments(sample(), ("D", "H")).likeness("D", "D"), "name two"),
        (lambda: compare_treatments(sample(), sizes=(9,)), "from 0 to 7"),
        (lambda: likeness(target(sample(), "D"), target(sample(objectives=2), "D")), "one log"),
    ],
)
def test_unusable_input_is_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
