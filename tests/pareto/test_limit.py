"""The information limit: closed forms, bounds from both sides, and slow searches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pareto import BattleError, frontier
from pareto.alternatives import alternatives
from pareto.bounds import bernoulli_kl
from pareto.exact_glr import DivergenceCosts, exact_glr, ratio_against
from pareto.instances import BENCHMARKS, frontier_family, symmetric
from pareto.limit import information_limit, optimal_allocation
from pareto.limit.cells import Cells
from pareto.limit.direct import direct_needs
from pareto.links import logistic


def coin(lead):
    """kl(σ(lead), ½)."""
    return bernoulli_kl(float(logistic(np.asarray(lead))), 0.5)


@pytest.mark.parametrize("leads", [(1.0,), (0.3, 2.0), (0.5, 0.7, 0.9)])
def test_two_models(leads):
    """The loser may catch up on any objective, so each takes its own comparisons."""
    found = information_limit(np.array([leads, [0.0] * len(leads)]), tolerance=1e-4)
    exact = sum(1 / coin(lead) for lead in leads)
    assert found.low <= exact * (1 + 1e-9)
    assert found.high >= exact * (1 - 1e-9)
    assert found.gap <= 1e-3


@pytest.mark.parametrize(("models", "objectives", "gap"), [(4, 2, 1.0), (8, 3, 0.5)])
def test_symmetric_with_direct_comparisons_only(models, objectives, gap):
    theta = symmetric(models, objectives, gap)
    exact = (models - 1) * objectives / coin(gap)
    found = information_limit(theta, direct=True)
    assert found.low <= exact * (1 + 1e-9)
    assert found.high >= exact * (1 - 1e-9)
    assert found.gap <= 0.01
    shared = information_limit(theta)
    assert shared.gap <= 0.01
    assert shared.high < found.low, "comparisons between dominated models inform about both"


def test_the_known_figure():
    """K = 64, d = 10, Δ = 0.5 at δ = 0.05: 3.35e4, and 5.51e4 without sharing."""
    theta = symmetric(64, 10, 0.5)
    low, high = information_limit(theta).comparisons(0.05)
    assert low <= 33_500 <= high * 1.001
    low, high = information_limit(theta, direct=True).comparisons(0.05)
    assert low <= 55_100 * 1.001
    assert high >= 55_100 * 0.999


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_what_they_say(seed):
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.8, (5, 2))
    found = information_limit(theta)
    assert found.low <= found.high
    # the weights are an allocation, and what they have against the closest alternative gives the upper bound
    assert np.triu(found.weights).sum() == pytest.approx(1)
    assert (found.weights >= 0).all()
    against = exact_glr(theta, found.weights)
    assert 1 / against.lower == pytest.approx(found.high, rel=1e-6)
    # no other allocation beats the lower bound
    for _ in range(20):
        other = np.triu(rng.dirichlet(np.ones(50), 1).reshape(2, 5, 5), 1)
        other = (other + other.swapaxes(1, 2)) / other.sum()
        assert 1 / exact_glr(theta, other).value >= found.low * (1 - 1e-9)
    every = set(alternatives(frontier(theta), 2))
    assert {one for one, _ in found.hardest} <= every
    assert sum(share for _, share in found.hardest) == pytest.approx(1)


@pytest.mark.parametrize("theta", [[[0.0], [-0.4], [-1.1]], [[1.0, 0.0], [0.2, 0.9], [0.1, -0.5]]])
def test_a_grid_of_allocations_finds_none_better(theta):
    """K = 3: shares on a grid, each against its closest alternative by enumeration."""
    theta = np.array(theta)
    kept, objectives = frontier(theta), theta.shape[1]
    found = information_limit(theta, tolerance=0.005)
    first, second = np.triu_indices(3, 1)
    steps = 20 if objectives == 1 else 6
    best = 0.0
    for shares in product(range(steps + 1), repeat=3 * objectives):
        if sum(shares) != steps:
            continue
        weights = np.zeros((objectives, 3, 3))
        weights[:, first, second] = np.array(shares).reshape(objectives, 3) / steps
        costs = DivergenceCosts(theta, weights + weights.swapaxes(1, 2))
        best = max(best, min(ratio_against(costs, one)[1] for one in alternatives(kept, objectives)))
    assert best <= (1 + 1e-9) / found.low
    assert best >= (0.95 if objectives == 1 else 0.75) / found.high


@pytest.mark.parametrize("seed", range(12))
def test_bounds_meet_to_a_hundredth_up_to_4096_assignments(seed):
    rng = np.random.default_rng((6, seed))
    models, objectives = int(rng.integers(3, 13)), int(rng.integers(1, 6))
    theta = rng.normal(size=(models, objectives)) * rng.choice([0.1, 0.5, 2.0])
    theta -= np.sort(rng.random(models))[:, None] * rng.choice([0.5, 3.0])
    if objectives ** frontier(theta).sum() > 4096:
        theta[:, 2:] = theta[:, :1]
    if objectives ** frontier(theta).sum() > 4096:
        theta[:, 1:] = theta[:, :1]
    found = information_limit(theta)
    assert found.gap <= 0.01
    assert exact_glr(theta, found.weights).value >= (1 - 1e-9) / found.high


@pytest.mark.slow
def test_bounds_meet_to_a_hundredth_on_an_arena_of_64_models():
    theta = frontier_family(4, 4).theta(0)
    assert information_limit(theta).gap <= 0.01


def test_symmetry_changes_nothing():
    theta = symmetric(6, 2, 0.8)
    together = information_limit(theta, tolerance=1e-3)
    apart = information_limit(theta + 1e-9 * np.random.default_rng(0).random(theta.shape), tolerance=1e-3)
    assert together.low <= apart.high * (1 + 1e-6)
    assert apart.low <= together.high * (1 + 1e-6)
    assert len(Cells.of(theta).size) == 2
    assert sorted(Cells.of(theta).size) == [10, 20]
    assert np.ptp(together.weights[:, 0, 1:]) == 0


def test_order_and_shifts_change_nothing():
    rng = np.random.default_rng(3)
    theta = rng.normal(size=(6, 3))
    models, objectives = rng.permutation(6), rng.permutation(3)
    found = information_limit(theta)
    other = information_limit(theta[models][:, objectives] + rng.normal(size=3))
    assert other.low <= found.high * (1 + 1e-9)
    assert found.low <= other.high * (1 + 1e-9)


def test_direct_comparisons_exclude_every_alternative():
    rng = np.random.default_rng(4)
    for _ in range(10):
        theta = rng.normal(size=(7, 3)) - np.sort(rng.random(7))[:, None]
        needs = direct_needs(theta, frontier(theta))
        assert exact_glr(theta, needs).lower >= 1 - 1e-6
        found = information_limit(theta, steps=1)
        assert found.low <= needs.sum() / 2


def test_steps_and_seconds_end_it_with_bounds_that_hold():
    theta = BENCHMARKS["arena-4-small"].theta(0)
    seen = []
    short = information_limit(theta, steps=3, advance=lambda low, high: seen.append((low, high)))
    assert short.steps == len(seen) == 3
    assert seen[-1] == (short.low, short.high)
    assert information_limit(theta, seconds=0).steps == 1
    # 35,200 to 35,500 when the bounds have met
    assert short.low <= 35_200
    assert 35_200 <= short.high <= 60_000


def test_an_exact_tie_has_no_finite_limit():
    found = information_limit(np.array([[0.0, 1.0], [0.0, 1.0], [-1.0, -1.0]]))
    assert found.low == found.high == np.inf
    assert found.gap == 0
    assert np.triu(found.weights).sum() == pytest.approx(1)


def test_an_approximate_allocation_is_one():
    theta = symmetric(6, 2, 1.0)
    weights = optimal_allocation(theta)
    assert np.triu(weights).sum() == pytest.approx(1)
    assert 1 / exact_glr(theta, weights).value <= 1.5 * information_limit(theta).high


def test_an_approximate_allocation_begins_where_it_is_told():
    theta = np.random.default_rng(5).normal(size=(8, 2))
    rough = optimal_allocation(theta, steps=1)
    fine = information_limit(theta, tolerance=0.003).weights
    value = [1 / exact_glr(theta, one).lower for one in (rough, optimal_allocation(theta, 2, fine), fine)]
    assert value[1] < value[0]
    assert value[1] <= 1.2 * value[2]
    assert np.triu(optimal_allocation(np.zeros((3, 2)))).sum() == pytest.approx(1)


def test_unusable_arguments():
    with pytest.raises(BattleError, match="tolerance"):
        information_limit(symmetric(3, 1, 1.0), tolerance=-1)
    with pytest.raises(BattleError, match="differ by 1e-80; 1e-60 at least"):
        information_limit(np.array([[1e-80], [0.0]]))
    assert 0 < information_limit(np.array([[1e-60], [0.0], [-1.0]])).low < np.inf
    with pytest.raises(BattleError, match="natural-log"):
        information_limit(np.array([[1500.0], [1200.0]]))
    with pytest.raises(BattleError, match="delta"):
        information_limit(symmetric(3, 1, 1.0)).comparisons(0.6)


def test_unusable_numbers():
    theta = symmetric(3, 1, 1.0)
    for options in ({"steps": 0}, {"steps": -1}, {"seconds": -1}, {"seconds": "1"}, {"tolerance": "1"}):
        with pytest.raises(BattleError, match=f"{next(iter(options))} is .* is accepted"):
            information_limit(theta, **options)
    with pytest.raises(BattleError, match="steps is -1"):
        optimal_allocation(theta, steps=-1)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.ones(3), r"shape \(3,\).*\(1, 3, 3\)"),
        (np.zeros((1, 3, 3)), "sums to 0"),
        (np.eye(3)[None], "sums to 0"),
        (-np.ones((1, 3, 3)), "negative"),
        (np.full((1, 3, 3), np.nan), "missing"),
        (np.triu(np.ones((1, 3, 3))), "differ"),
        ("text", "no numbers"),
    ],
)
def test_unusable_starts(start, message):
    with pytest.raises(BattleError, match=f"start .*{message}"):
        optimal_allocation(symmetric(3, 1, 1.0), start=start)


def test_large_whole_scores_are_no_tie():
    large, small = information_limit([[2**60 + 1], [2**60]]), information_limit([[1], [0]])
    assert (large.low, large.high) == (small.low, small.high)
    assert np.isfinite(large.high)
