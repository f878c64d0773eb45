"""The vectorised engine: totals that must come out exactly, and error control."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pareto import BattleError, frontier
from pareto.instances import CONFIDENCES, frontier_family, symmetric
from pareto.samplers.schedule import Constants
from pareto.trials import simulate

WRONG_SHARE = 0.2


@pytest.mark.parametrize(
    ("method", "models", "objectives", "gap", "total"),
    [
        ("vb-ege", 64, 10, 1.0, 4_462_080),
        ("vb-ege", 64, 10, 0.75, 4_462_080),
        ("vb-ege", 64, 10, 1.5, 1_068_800),
        ("bt-mle", 16, 4, 1.0, 183_840),
        ("bt-mle", 32, 4, 1.0, 849_152),
        ("bt-mle", 64, 4, 1.0, 3_814_272),
        ("borda-plugin", 16, 4, 1.0, 3_276_000),
        ("borda-plugin", 32, 4, 1.0, 14_981_184),
        ("borda-plugin", 64, 4, 1.0, 66_681_216),
    ],
)
def test_totals_hit_by_every_seed(method, models, objectives, gap, total):
    theta = symmetric(models, objectives, gap)
    found = simulate(method, theta, 6 if method == "vb-ege" else 2)
    assert set(found.comparisons.tolist()) == {total}
    assert found.stopped.all()
    assert (found.frontier == frontier(theta)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("method", "total"), [("bt-mle", 16_841_216), ("borda-plugin", 292_055_296)])
def test_totals_at_the_largest_size(method, total):
    assert simulate(method, symmetric(128, 4, 1.0), 2).comparisons.tolist() == [total] * 2


def test_totals_over_the_confidence_grid():
    expected = (4_007_680, 4_234_880, 4_462_080, 4_762_240, 4_989_440, 5_216_640, 5_516_800, 5_744_000)
    theta = symmetric(64, 10, 1.0)
    totals = [simulate("vb-ege", theta, 2, delta=delta).comparisons.tolist() for delta in CONFIDENCES]
    assert totals == [[total] * 2 for total in expected]
    # linear in log(1/δ), up to rounding
    x, y = np.log(1 / np.array(CONFIDENCES)), np.array(expected)
    assert np.corrcoef(x, y)[0, 1] ** 2 >= 0.9999


@pytest.mark.parametrize(
    ("models", "objectives", "gap", "largest", "share"),
    [
        (16, 4, 1.0, 370_752, 0.72),
        (32, 4, 1.0, 786_944, 0.88),
        (64, 4, 1.0, 1_664_768, 0.95),
        (64, 10, 0.5, 18_432_000, 0.96),
    ],
)
def test_totals_hit_by_most_seeds(models, objectives, gap, largest, share):
    found = simulate("vb-ege", symmetric(models, objectives, gap), 200)
    assert found.comparisons.max() == largest
    hit = (found.comparisons == largest).mean()
    assert abs(hit - share) < 4 * np.sqrt(share * (1 - share) / 200)


@pytest.mark.slow
def test_totals_hit_by_most_seeds_at_the_largest_size():
    found = simulate("vb-ege", symmetric(128, 4, 1.0), 200)
    assert found.comparisons.max() == 3_511_296
    assert abs((found.comparisons == 3_511_296).mean() - 0.95) < 0.07


def test_a_trial_does_not_depend_on_its_neighbours():
    theta = np.stack([frontier_family(4, 8).theta(0, instance) for instance in range(6)])
    together = simulate("vb-ege", theta, 6, seed=2)
    for trial in range(6):
        alone = simulate("vb-ege", theta[trial], range(trial, trial + 1), seed=2)
        assert alone.comparisons[0] == together.comparisons[trial]
        assert np.array_equal(alone.frontier[0], together.frontier[trial])
        assert np.array_equal(alone.draws[0], together.draws[trial])


@pytest.mark.parametrize("method", ["vb-ege", "focal-borda", "bt-mle", "borda-plugin"])
def test_caps_are_kept_and_counts_add_up(method):
    theta = frontier_family(4, 8).theta(0)
    found = simulate(method, theta, 4, max_comparisons=3_000_000)
    assert (found.comparisons <= 3_000_000).all()
    assert (found.comparisons > 0).all()
    assert not found.stopped.any()
    assert found.frontier.any(axis=1).all()
    if "borda" in method[:5] or method == "vb-ege":
        spent = found.draws.sum(axis=1) * 4
        expected = spent if method == "vb-ege" else found.draws[:, 0] * 4 * 64 * 63 // 2
        assert np.array_equal(found.comparisons, expected)


def near_ties(count, rng, models=4, objectives=2, apart=0.2):
    """Instances with gaps so small that the first phases of a careless method go wrong."""
    return rng.normal(size=(count, models, objectives)) * apart


@pytest.mark.parametrize("tied", [False, True])
def test_wrong_answers_are_rarer_than_delta(tied):
    """2,000 near-tie and 2,000 tied instances at δ = 0.2: no more wrong claims than allowed."""
    theta = near_ties(2000, np.random.default_rng(5))
    if tied:
        theta = np.round(theta * 5) / 5
    found = simulate("vb-ege", theta, 2000, delta=WRONG_SHARE, max_comparisons=400_000)
    truth = np.stack([frontier(one) for one in theta])
    wrong = (found.decided & (found.frontier != truth)).any(axis=1)
    assert found.decided.mean() > 0.1
    assert wrong.mean() <= WRONG_SHARE


def test_a_careless_threshold_is_found_out():
    """The same check must fail for a method whose threshold is far too low."""
    theta = near_ties(400, np.random.default_rng(6), models=6, apart=0.05)
    truth = np.stack([frontier(one) for one in theta])
    careless = Constants(sampling=0.05, threshold=0.05, logarithm=1.0)
    found = simulate("vb-ege", theta, 400, delta=WRONG_SHARE, constants=careless)
    wrong = found.stopped & (found.frontier != truth).any(axis=1)
    assert wrong.mean() > WRONG_SHARE


def test_no_trials_are_no_error():
    found = simulate("vb-ege", symmetric(3, 2, 1.0), 0)
    assert found.comparisons.shape == (0,)
    assert found.frontier.shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate("best", symmetric(3, 2, 1.0), 1), "vb-ege"),
        (lambda: simulate("vb-ege", np.zeros((3, 4, 2)), 2), "3 instances for 2 trials"),
        (lambda: simulate("vb-ege", symmetric(3, 2, 1.0), 1, delta=1.0), "delta"),
        (lambda: simulate("vb-ege", [[0.0]], 1), "at least 2"),
        (lambda: simulate("vb-ege", symmetric(3, 2, 1.0), -1), "trials is -1"),
        (lambda: simulate("vb-ege", symmetric(3, 2, 1.0), 2.5), "trials is 2.5"),
        (lambda: simulate("vb-ege", symmetric(3, 2, 1.0), 1, seed=-1), "seed is -1"),
        (lambda: simulate("duel", symmetric(3, 2, 1.0), 1, max_comparisons=-1), "max_comparisons is -1"),
        (lambda: simulate("bt-mle", symmetric(3, 2, 1.0), 1, max_comparisons="9"), "max_comparisons is '9'"),
        (lambda: simulate("interval", symmetric(3, 2, 1.0), 1, margin=-0.1), "margin is -0.1"),
        (lambda: simulate("commit", symmetric(3, 2, 1.0), 1, margin=math.nan), "margin is nan"),
        (lambda: simulate("commit", symmetric(3, 2, 1.0), 1, margin=0.5), "commit: margin 0.5"),
        (lambda: simulate("duel", symmetric(3, 2, 1.0), 1, margin=0.7), "duel: margin 0.7"),
    ],
)
def test_unusable_settings_are_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
