"""The information limit: closed forms, bounds from both sides, and what the command says."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from pareto import BattleError, frontier
from pareto.alternatives import alternatives
from pareto.bounds import bernoulli_kl
from pareto.cli import app
from pareto.exact_glr import exact_glr
from pareto.instances import symmetric
from pareto.limit import information_limit, optimal_allocation
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


def test_an_exact_tie_has_no_finite_limit():
    found = information_limit(np.array([[0.0, 1.0], [0.0, 1.0], [-1.0, -1.0]]))
    assert found.low == found.high == np.inf
    assert found.gap == 0


def test_an_approximate_allocation_is_one():
    theta = symmetric(6, 2, 1.0)
    weights = optimal_allocation(theta)
    assert np.triu(weights).sum() == pytest.approx(1)
    assert 1 / exact_glr(theta, weights).value <= 1.5 * information_limit(theta).high


def test_unusable_arguments():
    with pytest.raises(BattleError, match="tolerance"):
        information_limit(symmetric(3, 1, 1.0), tolerance=-1)
    with pytest.raises(BattleError, match="natural-log"):
        information_limit(np.array([[1500.0], [1200.0]]))
    with pytest.raises(BattleError, match="delta"):
        information_limit(symmetric(3, 1, 1.0)).comparisons(0.6)


def test_the_command(tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("model,code,math\na,1,0.5\nb,0.2,0\nc,0,-0.5\n")
    picture = tmp_path / "allocation.png"
    arguments = ["limit", str(scores), "--method", "commit", "-o", str(picture), "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    record = json.loads(done.output)
    assert 0 < record["comparisons_at_least"] <= record["comparisons_at_most"]
    assert picture.stat().st_size > 2000
    told = CliRunner().invoke(app, ["limit", "symmetric:4,2,1", "--method", "interval"])
    assert told.exit_code == 0, told.output
    assert "× limit" in told.output
