from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit

from pareto import BattleError
from pareto.bradley_terry import TOLERANCE, bootstrap, count_wins, fit
from pareto.pair_graph import PairGraph
from pareto.trials import simulate


def played(rng, models, per_pair, spread=1.0):
    theta = rng.normal(size=models) * spread
    wins = np.zeros((models, models))
    for i in range(models):
        for j in range(i):
            wins[i, j] = rng.binomial(per_pair, expit(theta[i] - theta[j]))
            wins[j, i] = per_pair - wins[i, j]
    return wins


def independent_optimum(wins):
    """Coordinate-wise root finding on the score equations: another algorithm altogether."""
    models = len(wins)
    met = wins + wins.T
    theta = np.zeros(models)

    def surplus(x, i):
        others = np.arange(models) != i
        return wins[i].sum() - (met[i, others] * expit(x - theta[others])).sum()

    for _ in range(2000):
        before = theta.copy()
        for i in range(models):
            theta[i] = brentq(surplus, -50, 50, args=(i,), xtol=1e-14, rtol=1e-15)
        theta -= theta.mean()
        if np.abs(theta - before).max() < 1e-13:
            return theta
    raise AssertionError("the reference did not settle")


@pytest.mark.parametrize("seed", range(4))
def test_fits_equal_an_independent_optimum(seed):
    rng = np.random.default_rng(seed)
    wins = played(rng, 8, 60)
    expected = independent_optimum(wins)
    for start in (None, rng.normal(size=8) * 4, np.linspace(-30, 30, 8)):
        for ridge in (0.0, 1e-8):
            found = fit(wins, ridge, start)
            assert found.converged
            assert np.abs(found.theta - expected).max() < 1e-8


def test_a_ridge_fit_is_the_penalised_optimum():
    wins = played(np.random.default_rng(5), 5, 20)

    def loss(theta):
        lead = theta[:, None] - theta[None, :]
        return (wins * np.logaddexp(0, -lead)).sum() + 1.5 * (theta**2).sum()

    expected = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    assert np.abs(fit(wins, 3.0).theta - expected.x).max() < 1e-6


def test_three_players_six_results_from_any_start():
    wins = np.array([[0, 2, 1], [1, 0, 1], [0, 1, 0]])
    expected = independent_optimum(wins.astype(float))
    for start in product((-5.0, 0.0, 7.0), repeat=3):
        found = fit(wins, 0.0, start)
        assert found.converged
        assert found.iterations >= 1
        assert found.gradient <= TOLERANCE
        assert np.abs(found.theta - expected).max() < 1e-8


def test_a_separable_double_round_robin_keeps_the_order_as_played():
    wins = np.triu(np.full((6, 6), 2), 1)
    found = fit(wins)
    assert (np.diff(found.theta) < 0).all()
    assert found.converged
    assert found.gradient < 1e-9
    trouble = (
        found.troubles("abcdef", ["chess"])
        if wins.ndim == 3
        else fit(wins[None]).troubles("abcdef", ["chess"])
    )
    assert "separate" in trouble[0]
    assert "chess" in trouble[0]
    with pytest.raises(BattleError, match="never lost"):
        fit(wins, ridge=0.0)


def test_groups_that_never_met_are_named_and_fitted_apart():
    one, other = played(np.random.default_rng(1), 3, 9), played(np.random.default_rng(2), 4, 9)
    wins = np.zeros((1, 7, 7))
    wins[0, :3, :3], wins[0, 3:, 3:] = one, other
    found = fit(wins)
    assert found.converged.all()
    (trouble,) = found.troubles("abcdefg", ["x"])
    assert trouble == "objective 'x': 2 groups never met: {a, b, c}; {d, e, f, g}"
    assert np.abs(found.theta[0, :3] - fit(one).theta).max() < 1e-6
    assert np.abs(found.theta[0, 3:] - fit(other).theta).max() < 1e-6
    with pytest.raises(BattleError, match="groups never met"):
        fit(wins, ridge=0.0)


@settings(max_examples=150)
@given(st.integers(2, 6), st.data())
def test_a_maximum_exists_when_no_split_is_one_sided(models, data):
    cells = data.draw(st.lists(st.integers(0, 1), min_size=models**2, max_size=models**2))
    wins = np.array(cells, dtype=float).reshape(models, models) * (1 - np.eye(models))
    sides = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=models)]
    splits = [side for side in sides if 0 < side.sum() < models]
    graph = PairGraph.of(wins)
    assert graph.has_maximum == all(wins[np.ix_(side, ~side)].any() for side in splits)
    assert graph.connected == all((wins + wins.T)[np.ix_(side, ~side)].any() for side in splits)
    assert (graph.trouble("abcdef", "x") == "") == graph.has_maximum
    if graph.has_maximum:
        assert fit(wins, ridge=0.0).converged


def test_a_champion_who_never_lost_does_not_stop_the_fit():
    wins = played(np.random.default_rng(3), 10, 1000)
    wins[4] += wins[:, 4]
    wins[:, 4] = 0
    found = fit(wins)
    assert found.converged
    assert found.theta.argmax() == 4


def test_many_fits_at_once_equal_one_by_one():
    rng = np.random.default_rng(4)
    wins = np.array([[played(rng, 6, n) for n in (5, 40)] for _ in range(4)])
    wins[2, 1, :3, 3:] = 0
    wins[2, 1, 3:, :3] = 0
    together = fit(wins)
    assert together.theta.shape == (4, 2, 6)
    assert together.scores.shape == (4, 6, 2)
    for index in np.ndindex(4, 2):
        assert np.abs(together.theta[index] - fit(wins[index]).theta).max() < 1e-7


def test_counts_add_and_swapping_sides_changes_nothing():
    rng = np.random.default_rng(6)
    winners, losers = rng.integers(0, 3, 300), rng.integers(3, 6, 300)
    flip = rng.random(300) < 0.4
    winners, losers = np.where(flip, losers, winners), np.where(flip, winners, losers)
    objective = rng.integers(0, 2, 300)
    whole = count_wins(winners, losers, objective, 6, 2)
    first = count_wins(winners[:100], losers[:100], objective[:100], 6, 2)
    rest = count_wins(winners[100:], losers[100:], objective[100:], 6, 2)
    assert np.array_equal(first + rest, whole)
    assert whole.sum() == 300
    assert np.array_equal(fit(first + rest).theta, fit(whole).theta)
    assert count_wins([0], [1], None, 2).tolist() == [[[0, 1], [0, 0]]]
    assert fit([[0, 0.5], [0.5, 0]]).theta.tolist() == [0.0, 0.0]  # one tie between equals


def test_the_bootstrap_spreads_as_the_information_says():
    wins = np.array([played(np.random.default_rng(7), 4, 400)])
    again = bootstrap(wins, 400, seed=1)
    assert again.converged.all()
    assert again.theta.shape == (400, 1, 4)
    assert np.array_equal(again.wins.sum(axis=(2, 3)), np.full((400, 1), wins.sum()))
    assert np.array_equal(bootstrap(wins, 400, seed=1).theta, again.theta)
    center = fit(wins).theta[0]
    p = expit(center[:, None] - center)
    information = -(wins[0] + wins[0].T) * p * (1 - p)
    np.fill_diagonal(information, 0)
    np.fill_diagonal(information, -information.sum(axis=1))
    expected = np.sqrt(np.diag(np.linalg.pinv(information)))
    assert np.allclose(again.theta[:, 0].std(axis=0), expected, rtol=0.2)


def test_an_objective_without_comparisons_is_flat():
    found = fit(np.zeros((2, 3, 3)))
    assert not found.theta.any()
    assert found.converged.all()
    assert not bootstrap(np.zeros((1, 3, 3)), 2).theta.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit(np.zeros((2, 3))), "shape"),
        (lambda: fit([[0.0]]), "single model"),
        (lambda: fit([[0, -1], [2, 0]]), "wins\\[0, 1\\]"),
        (lambda: fit([[0, np.nan], [2, 0]]), "numbers from 0 to 1e\\+100"),
        (lambda: fit([[0, 1e308], [2, 0]]), "wins\\[0, 1\\]"),
        (lambda: fit([[0, 1], [2, 0]], ridge=1e308), "ridge is 1e\\+308"),
        (lambda: fit([[0, 1], [2, 0]], ridge=np.nan), "ridge"),
        (lambda: fit([[3, 1], [2, 0]]), "over itself"),
        (lambda: fit([["0", "1"], ["1", "0"]]), "numbers"),
        (lambda: fit([[0, 1], [2, 0]], ridge=-1.0), "ridge"),
        (lambda: fit([[0, 1], [2, 0]], start=[np.inf, 0.0]), "start"),
        (lambda: bootstrap([[0, 0.5], [2, 0]], 5), "whole wins"),
        (lambda: bootstrap([[0, 1], [2, 0]], 0), "refits"),
        (lambda: simulate("bt-mle", [[0.0], [1.0]], 1, delta=0.0), "delta"),
    ],
)
def test_unusable_input_is_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
