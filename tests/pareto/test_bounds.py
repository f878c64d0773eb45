from __future__ import annotations

import math

import numpy as np
import pytest

from pareto import BattleError, borda, gaps
from pareto.borda import half_range, slope_floor
from pareto.bounds import (
    bernoulli_kl,
    vb_ege_borda_bound,
    vb_ege_latent_bound,
    vb_ege_worst_case_bound,
    worst_case_lower_bound,
)
from pareto.instances import BENCHMARKS, symmetric
from pareto.trials import simulate


def test_the_bound_on_borda_gaps_is_the_stated_sum():
    scores = borda(BENCHMARKS["arena-4-small"].theta(0))
    models, objectives = scores.shape
    total = 0.0
    for gap in gaps(scores).tolist():
        last = 1 + math.ceil(math.log2(4 / gap))
        total += math.log(4 * models * objectives * last**2 / 0.05) / gap**2
    expected = objectives * models + 128 * objectives * total
    assert vb_ege_borda_bound(scores, 0.05) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_latent_bounds_are_weaker_and_weaken_with_the_range(name):
    theta = BENCHMARKS[name].theta(3)
    sharp, latent = vb_ege_borda_bound(borda(theta), 0.05), vb_ege_latent_bound(theta, 0.05)
    assert sharp <= latent <= vb_ege_latent_bound(theta, 0.05, bound=2 * half_range(theta))
    smallest = float(gaps(theta).min())
    assert latent <= vb_ege_worst_case_bound(*theta.shape, half_range(theta), smallest, 0.05)


def test_upper_bounds_lie_above_the_lower_bound():
    theta = symmetric(16, 4, 0.5)
    lower = worst_case_lower_bound(16, 4, 0.5, 0.05)
    assert lower == pytest.approx(4 * 15 / 0.25 * bernoulli_kl(0.9, 0.05))
    assert lower < vb_ege_borda_bound(borda(theta), 0.05)


@pytest.mark.parametrize("name", ["arena-4-small", "two-group-10", "convex-2d"])
def test_runs_stay_within_the_bound(name):
    theta = BENCHMARKS[name].theta(1)
    found = simulate("vb-ege", theta, 10)
    assert (found.comparisons <= vb_ege_borda_bound(borda(theta), 0.05)).all()


def test_no_bound_where_a_gap_is_zero():
    assert vb_ege_latent_bound([[0.0], [0.0]], 0.1) == math.inf
    assert vb_ege_borda_bound([[0.5, 0.5], [0.5, 0.5], [0.1, 0.1]], 0.1) == math.inf


def test_divergence_at_its_ends():
    assert bernoulli_kl(0.0, 0.5) == pytest.approx(math.log(2))
    assert bernoulli_kl(0.5, 0.0) == math.inf
    assert bernoulli_kl(0.3, 0.3) == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: vb_ege_borda_bound([[0.5], [0.1]], 0.0),
        lambda: vb_ege_borda_bound([[0.5], [0.1]], 1.0),
        lambda: vb_ege_latent_bound([[0.5], [0.1]], 0.1, bound=0.1),
        lambda: vb_ege_latent_bound([[0.5]], 0.1),
        lambda: worst_case_lower_bound(1, 1, 0.5, 0.1),
        lambda: worst_case_lower_bound(2, 1, 1.5, 0.1),
        lambda: worst_case_lower_bound(2, 1, 0.5, 0.4),
        lambda: vb_ege_worst_case_bound(2, 1, 1.0, 0.0, 0.1),
        lambda: slope_floor(0.0),
    ],
)
def test_what_a_bound_is_not_stated_for_is_refused(call):
    with pytest.raises(BattleError):
        call()


def test_slope_is_the_least_of_the_logistic_link():
    grid = np.linspace(-3, 3, 1001)
    values = 1 / (1 + np.exp(-grid))
    assert slope_floor(1.5) == pytest.approx((values * (1 - values)).min())
