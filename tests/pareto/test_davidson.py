from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult, linprog, minimize, root

from pareto import BattleError, frontier, gaps
from pareto.borda import borda_of_probabilities
from pareto.bradley_terry import TOLERANCE
from pareto.bradley_terry import fit as fit_bradley_terry
from pareto.davidson import (
    Outcomes,
    davidson_models,
    davidson_target,
    default_sizes,
    fit_davidson,
    newton,
    select_tie_size,
    split_counts,
)
from pareto.davidson.existence import find_maximum
from pareto.davidson.factored_weights import cosines
from pareto.davidson.newton import Loss
from pareto.davidson.tie_spaces import tie_space
from pareto.pair_counts import PairCounts

SIZES = (0, 1, 2, 5)


def basis_entry(models, a, l):  # noqa: E741
    return np.sqrt(2 / models) * np.cos(np.pi * (2 * a + 1) * (2 * l + 1) / (4 * models))


def slow_weight(parameters, i, j):
    if parameters.shape == (1,):
        return parameters[0]
    models, size = parameters.shape
    return sum(
        parameters[i, l] * basis_entry(models, j, l) + basis_entry(models, i, l) * parameters[j, l]
        for l in range(size)  # noqa: E741
    )


def slow_probabilities(theta, parameters, i, j):
    weight = slow_weight(parameters, i, j)
    exponents = np.exp([(theta[i] - theta[j]) / 2, (theta[j] - theta[i]) / 2, weight])
    return exponents / exponents.sum()


def slow_loss(theta, parameters, wins, ties, ridge=0.0):
    loss = ridge / 2 * ((theta**2).sum() + (parameters**2).sum())
    for i in range(len(wins)):
        for j in range(i):
            counts = np.array([wins[i, j], wins[j, i], ties[i, j]])
            loss -= counts @ np.log(slow_probabilities(theta, parameters, i, j))
    return loss


def slow_slopes(theta, parameters, wins, ties, ridge=0.0):
    """Gradient of `slow_loss`: expected minus observed, pair by pair."""
    by_theta, by_parameters = ridge * theta, ridge * parameters
    models = len(theta)
    for i in range(models):
        for j in range(i):
            counts = np.array([wins[i, j], wins[j, i], ties[i, j]])
            surplus = counts.sum() * slow_probabilities(theta, parameters, i, j) - counts
            by_theta[i] += (surplus[0] - surplus[1]) / 2
            by_theta[j] -= (surplus[0] - surplus[1]) / 2
            if parameters.shape == (1,):
                by_parameters[0] += surplus[2]
            else:
                for l in range(parameters.shape[1]):  # noqa: E741
                    by_parameters[i, l] += surplus[2] * basis_entry(models, j, l)
                    by_parameters[j, l] += surplus[2] * basis_entry(models, i, l)
    return by_theta, by_parameters


def shape(models, size):
    return (models, size) if size else (1,)


def played(rng, models, per_pair, size=2, spread=0.7):
    """Counts drawn from a random Davidson model, and its half-credit probabilities."""
    theta, parameters = rng.normal(size=models) * spread, rng.normal(size=shape(models, size)) * spread
    weights = np.zeros((models, models))
    wins, ties = np.zeros((2, models, models), dtype=np.int64)
    for i in range(models):
        for j in range(i):
            weights[i, j] = weights[j, i] = slow_weight(parameters, i, j)
            drawn = rng.multinomial(per_pair, slow_probabilities(theta, parameters, i, j))
            wins[i, j], wins[j, i] = drawn[:2]
            ties[i, j] = ties[j, i] = drawn[2]
    return wins, ties, Outcomes.at(theta, weights).half_credit


def log_of(models, objectives, per_pair, seed=0, size=2):
    rng = np.random.default_rng(seed)
    parts = [played(rng, models, per_pair, size) for _ in range(objectives)]
    wins, ties = (np.stack([part[k] for part in parts]) for k in (0, 1))
    bad = np.triu(rng.binomial(ties, 0.4))
    bad += bad.swapaxes(1, 2)
    names = tuple(f"m{i:02}" for i in range(models)), tuple(f"o{r}" for r in range(objectives))
    return PairCounts(*names, wins, ties - bad, bad), np.stack([part[2] for part in parts], axis=2)


# probabilities and derivatives


def test_probabilities_are_the_softmax_of_equation_23():
    rng = np.random.default_rng(0)
    theta, table = rng.normal(size=5) * 3, rng.normal(size=(5, 2))
    weights = tie_space(2, 5).weights_of(table)
    found = Outcomes.at(theta, weights)
    for i, j in product(range(5), repeat=2):
        if i != j:
            win, loss, tie = slow_probabilities(theta, table, i, j)
            assert np.allclose(
                (found.win[i, j], found.win[j, i], found.tie[i, j]), (win, loss, tie), rtol=1e-12
            )
            assert np.isclose(found.half_credit[i, j], win + tie / 2, rtol=1e-12)
            assert found.half_credit[i, j] + found.half_credit[j, i] == pytest.approx(1, abs=1e-15)
    assert (np.diag(found.half_credit) == 0.5).all()
    far = Outcomes.at(np.array([2000.0, -2000.0]), np.zeros((2, 2)))
    assert np.isfinite(far.log_win).all()
    assert far.log_win[1, 0] == -4000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_slopes_and_curvature_are_those_of_the_loss(size, ridge):
    rng = np.random.default_rng(size)
    wins, ties, _ = played(rng, 6, 4)
    wins[2, 3] = wins[3, 2] = ties[2, 3] = ties[3, 2] = 0
    space = tie_space(size, 6)
    loss = Loss(wins.astype(float), ties.astype(float), ridge, space)
    point = rng.normal(size=6 + space.dimensions)
    theta, table = point[:6], space.parameters(point[6:])
    by_theta, by_table = slow_slopes(theta.copy(), table.copy(), wins, ties, ridge)
    downhill = loss.downhill(point, loss.outcomes(point))
    assert np.allclose(-downhill[:6], by_theta, atol=1e-11)
    step = 1e-6

    def value(at):
        return slow_loss(at[:6], space.parameters(at[6:]), wins, ties, ridge)

    for k, direction in enumerate(np.eye(len(point))):
        slope = (value(point + step * direction) - value(point - step * direction)) / (2 * step)
        assert slope == pytest.approx(-downhill[k], abs=1e-6)
    hessian = np.tril(loss.hessian(loss.outcomes(point)))
    hessian = hessian + np.tril(hessian, -1).T
    level = (np.trace(hessian[:6, :6]) - 6 * ridge) / 7  # the curvature added to the shift, times 6 of 7
    hessian[:6, :6] -= level * loss.shifts
    for k, direction in enumerate(np.eye(len(point))):
        ahead, back = point + step * direction, point - step * direction
        change = loss.downhill(back, loss.outcomes(back)) - loss.downhill(ahead, loss.outcomes(ahead))
        assert np.allclose(change / (2 * step), hessian[k], atol=1e-6)
    # the slow slopes themselves, by V
    entry = np.zeros_like(table)
    entry.flat[-1] = step
    ends = [slow_loss(theta, table + sign * entry, wins, ties, ridge) for sign in (1, -1)]
    assert by_table.flat[-1] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-6)


# the space of tie weights


@pytest.mark.parametrize("models", [2, 3, 5, 8, 13])
def test_directions_are_the_rank_of_what_pairs_see(models):
    pairs = [(i, j) for i in range(models) for j in range(i)]
    for size in range(1, models + 1):
        space = tie_space(size, models)
        by_table = np.zeros((len(pairs), models, size))
        for row, (i, j) in enumerate(pairs):
            for l in range(size):  # noqa: E741
                by_table[row, i, l] += basis_entry(models, j, l)
                by_table[row, j, l] += basis_entry(models, i, l)
        by_table = by_table.reshape(len(pairs), models * size)
        assert space.dimensions == np.linalg.matrix_rank(by_table)
        coordinates = np.random.default_rng(size).normal(size=space.dimensions)
        seen = np.array([space.weights(coordinates)[pair] for pair in pairs])
        table = space.parameters(coordinates)
        assert np.allclose(
            table.ravel(), np.linalg.pinv(by_table, rcond=1e-9) @ seen, atol=1e-9
        )  # of least Σ V²
        assert np.isclose(coordinates @ space.penalty @ coordinates, (table**2).sum())
        assert np.allclose(space.coordinates(table), coordinates, atol=1e-9)
        assert np.allclose(space.weights_of(table), space.weights(coordinates), atol=1e-12)
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        assert np.allclose(space.rows(first, second) @ coordinates, seen)


def test_eight_models_and_five_factors_have_thirteen_redundant_directions():
    assert 8 * 5 - tie_space(5, 8).dimensions == 13
    assert tie_space(8, 8).dimensions == 28


def test_the_basis_is_orthonormal_and_sizes_are_nested():
    assert np.allclose(cosines(35, 35).T @ cosines(35, 35), np.eye(35), atol=1e-13)
    assert np.array_equal(cosines(35, 20)[:, :5], cosines(35, 5))
    wins, ties, _ = played(np.random.default_rng(3), 7, 60)
    likelihoods = [fit_davidson(wins, ties, size).log_likelihood for size in range(1, 8)]
    assert (np.diff(likelihoods) > -1e-6).all()


# optima


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_fits_equal_a_root_of_the_slow_slopes(size, seed):
    rng = np.random.default_rng(seed)
    wins, ties, _ = played(rng, 5, 12)
    wins[0, 1] = wins[1, 0] = ties[0, 1] = ties[1, 0] = 0
    ridge, width = 0.2, 5 + int(np.prod(shape(5, size)))

    def slopes(at):
        table = at[5:].reshape(shape(5, size)).copy()
        by_theta, by_table = slow_slopes(at[:5].copy(), table, wins, ties, ridge)
        return np.concatenate((by_theta, by_table.ravel()))

    expected = root(slopes, np.zeros(width), tol=1e-13).x
    assert np.abs(slopes(expected)).max() < 1e-10
    far = rng.normal(size=5) * 20, rng.normal(size=shape(5, size)) * 20
    for start in (None, far, (np.linspace(-30, 30, 5), np.full(shape(5, size), -25.0))):
        found = fit_davidson(wins, ties, size, ridge, start)
        assert found.converged
        assert np.abs(found.theta - expected[:5]).max() < 1e-8
        assert np.abs(found.tie_parameters.ravel() - expected[5:]).max() < 1e-8


@pytest.mark.parametrize("size", SIZES)
def test_maximum_likelihood_is_what_a_quasi_newton_method_crawls_to(size):
    wins, ties, _ = played(np.random.default_rng(11), 6, 50)

    width = 6 + int(np.prod(shape(6, size)))

    def value(at):
        table = at[6:].reshape(shape(6, size))
        by_theta, by_table = slow_slopes(at[:6].copy(), table.copy(), wins, ties)
        return slow_loss(at[:6], table, wins, ties), np.concatenate((by_theta, by_table.ravel()))

    crawled = minimize(value, np.zeros(width), jac=True, method="BFGS", options={"gtol": 1e-7})
    for ridge in (0.0, 1e-8):
        found = fit_davidson(wins, ties, size, ridge)
        assert found.converged
        assert found.iterations <= 8
        assert found.gradient <= TOLERANCE
        assert -found.log_likelihood <= crawled.fun + 1e-8
        assert -found.log_likelihood == pytest.approx(
            slow_loss(found.theta, found.tie_parameters, wins, ties)
        )
        for i, j in product(range(6), repeat=2):
            if i != j:
                there = slow_probabilities(crawled.x[:6], crawled.x[6:].reshape(shape(6, size)), i, j)
                assert abs(found.outcomes.win[i, j] - there[0]) < 1e-6


def test_many_starts_end_in_one_place():
    wins, ties, _ = played(np.random.default_rng(12), 8, 30)
    center = fit_davidson(wins, ties, 3)
    rng = np.random.default_rng(13)
    for scale in (0.1, 3.0, 30.0):
        start = rng.normal(size=8) * scale, rng.normal(size=(8, 3)) * scale
        found = fit_davidson(wins, ties, 3, start=start)
        assert found.converged
        assert np.abs(found.theta - center.theta).max() < 1e-8
        assert np.abs(found.tie_weights - center.tie_weights).max() < 1e-8


def test_three_players_six_results():
    """a beat b, b beat c, c beat a, and each pair tied once: equal players who tie every other game."""
    wins = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    ties = np.ones((3, 3), dtype=int) - np.eye(3, dtype=int)
    found = fit_davidson(wins, ties, 0, ridge=0.0, start=([4.0, -1.0, 0.0], [-3.0]))
    assert found.converged
    assert np.abs(found.theta).max() < 1e-9
    assert found.tie_parameters[0] == pytest.approx(np.log(2), abs=1e-9)  # tie ½, win ¼, loss ¼
    assert np.allclose(found.half_credit, 0.5, atol=1e-9)
    assert found.log_likelihood == pytest.approx(3 * np.log(1 / 4) + 3 * np.log(1 / 2))


@pytest.mark.parametrize("size", [0, 1, 2])
def test_one_tie_between_equals_gives_one_half_both_ways(size):
    for wins in ([[0, 0], [0, 0]], [[0, 1], [1, 0]]):
        found = fit_davidson(wins, [[0, 1], [1, 0]], size)
        swapped = fit_davidson(np.array(wins)[::-1, ::-1], [[0, 1], [1, 0]], size)
        assert found.half_credit[0, 1] == found.half_credit[1, 0] == 0.5
        assert np.array_equal(swapped.half_credit, found.half_credit)
        assert found.converged


@pytest.mark.parametrize("size", SIZES)
def test_without_ties_what_remains_is_bradley_terry(size):
    wins, _, _ = played(np.random.default_rng(21), 6, 40)
    found = fit_davidson(wins, np.zeros_like(wins), size)
    assert found.converged
    assert np.abs(found.theta - fit_bradley_terry(wins).theta).max() < 1e-6
    off = ~np.eye(6, dtype=bool)
    assert found.outcomes.tie[off].max() < 1e-6
    assert "no ties" in found.maximum.trouble("abcdef", "x")


def test_as_many_factors_as_models_leave_bradley_terry_and_the_tie_shares():
    """With a free tie weight for every pair, decided games and tie shares are fitted apart."""
    wins, ties, _ = played(np.random.default_rng(22), 6, 60)
    found = fit_davidson(wins, ties, 6)
    assert np.abs(found.theta - fit_bradley_terry(wins).theta).max() < 1e-7
    met = wins + wins.T + ties
    off = ~np.eye(6, dtype=bool)
    assert np.allclose(found.outcomes.tie[off], (ties / np.maximum(met, 1))[off], atol=1e-8)
    decided = found.outcomes.win / (found.outcomes.win + found.outcomes.win.T)
    lead = found.theta[:, None] - found.theta
    assert np.allclose(decided, 1 / (1 + np.exp(-lead)), atol=1e-12)


def test_names_do_not_matter_to_one_tie_weight_and_reversal_mirrors_every_size():
    wins, ties, _ = played(np.random.default_rng(23), 7, 30)
    order = np.random.default_rng(24).permutation(7)
    found = fit_davidson(wins, ties)
    shuffled = fit_davidson(wins[np.ix_(order, order)], ties[np.ix_(order, order)])
    assert np.abs(shuffled.theta - found.theta[order]).max() < 1e-9
    by_factor = fit_davidson(wins, ties, 2).log_likelihood
    other = fit_davidson(wins[np.ix_(order, order)], ties[np.ix_(order, order)], 2).log_likelihood
    assert abs(by_factor - other) > 0.1  # factors belong to places in the list
    for size in SIZES:
        mirrored = fit_davidson(wins.T, ties, size)  # every win a loss
        straight = fit_davidson(wins, ties, size)
        assert np.abs(mirrored.theta + straight.theta).max() < 1e-9
        assert np.abs(mirrored.half_credit - straight.half_credit.T).max() < 1e-9


def test_fractions_and_multiples_are_the_same_model():
    wins, ties, _ = played(np.random.default_rng(25), 5, 30)
    one, third = fit_davidson(wins, ties, 2), fit_davidson(wins / 3, ties / 3, 2)
    assert np.abs(one.half_credit - third.half_credit).max() < 1e-8
    assert third.log_likelihood == pytest.approx(one.log_likelihood / 3)


# existence


def rises_for_ever(wins, ties, size):
    """All of (θ, V) at once, every outcome that happened against every other: a direction that only gains."""
    models = len(wins)
    width = models + int(np.prod(shape(models, size)))
    rows = []
    for i in range(models):
        for j in range(i):
            exponents = np.zeros((3, width))
            exponents[0, [i, j]] = 0.5, -0.5
            exponents[1] = -exponents[0]
            for k in range(models, width):
                unit = np.zeros(width)
                unit[k] = 1
                exponents[2, k] = slow_weight(unit[models:].reshape(shape(models, size)), i, j)
            for seen, count in enumerate((wins[i, j], wins[j, i], ties[i, j])):
                if count:
                    rows += [exponents[seen] - exponents[other] for other in range(3) if other != seen]
    if not rows:
        return False
    rows = np.array(rows)
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1), method="highs")
    return -found.fun > 1e-6


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([0, 1, 2]), st.floats(0.1, 0.9))
def test_a_maximum_exists_unless_the_likelihood_can_rise_for_ever(seed, models, size, density):
    rng = np.random.default_rng(seed)
    some = rng.random((2, models, models)) < density
    wins = rng.integers(1, 3, (models, models)) * some[0] * ~np.eye(models, dtype=bool)
    ties = np.triu(rng.integers(1, 3, (models, models)) * some[1], 1)
    ties = ties + ties.T
    size = min(size, models)
    maximum = find_maximum(wins.astype(float), ties.astype(float), tie_space(size, models))
    assert maximum.exists == (not rises_for_ever(wins, ties, size))
    assert (maximum.trouble("abcde", "x") == "") == maximum.unique
    ridged = fit_davidson(wins, ties, size)
    assert ridged.converged
    if maximum.unique:
        free = fit_davidson(wins, ties, size, ridge=0.0)
        assert free.converged
        assert np.abs(free.half_credit - ridged.half_credit).max() < 1e-5
    else:
        with pytest.raises(BattleError, match="no unique maximum"):
            fit_davidson(wins, ties, size, ridge=0.0)


def test_what_stands_in_the_way_is_named():
    def trouble(wins, ties, size=0):
        return fit_davidson(wins, ties, size).maximum.trouble("abcd", "chess")

    wins, ties, _ = played(np.random.default_rng(31), 4, 60, size=0, spread=0.1)
    assert trouble(wins, ties, 2) == ""
    assert trouble(np.zeros((4, 4)), ties) == "objective 'chess': nothing but ties, so tie weights run to +∞"
    assert trouble(wins, np.zeros((4, 4)), 1) == "objective 'chess': no ties, so tie weights run to −∞"
    assert trouble(np.zeros((4, 4)), np.zeros((4, 4))) == "objective 'chess': no comparison"
    found = trouble(np.triu(np.ones((4, 4)), 1), np.zeros((4, 4)))
    assert found.startswith(
        "objective 'chess': no ties, so tie weights run to −∞; the likelihood rises for ever"
    )
    assert "b never beat a, " in found
    apart = wins.copy(), ties.copy()
    for array in apart:
        array[:2, 2:] = array[2:, :2] = 0
    assert trouble(*apart) == "objective 'chess': 2 groups of models never met"
    found = fit_davidson(*apart)
    assert found.converged
    assert abs(found.theta[:2].sum()) < 1e-9
    champion = wins.copy(), ties.copy()
    champion[0][:, 0] = 0
    champion[1][:, 0] = champion[1][0] = 0
    assert "b never beat a" in trouble(*champion)
    some = ties.copy()
    some[1, 2] = some[2, 1] = 0
    assert "b and c never tied" in trouble(wins, some, 4) or "c and b never tied" in trouble(wins, some, 4)
    only = wins.copy()
    only[1, 2] = only[2, 1] = 0
    assert "only tied" in trouble(only, ties, 4)
    missing = wins.copy(), ties.copy()
    for array in missing:
        array[0, 3] = array[3, 0] = 0
    assert "leave 1 directions of tie weights open" in trouble(*missing, size=4)
    with pytest.raises(BattleError, match="no unique maximum"):
        fit_davidson(*missing, size=4, ridge=0.0)


def test_a_program_without_an_answer_claims_no_maximum(monkeypatch):
    def gives_up(*_, **__):
        return OptimizeResult(status=4, message="numerical difficulties", x=None)

    monkeypatch.setattr("scipy.optimize.linprog", gives_up)
    maximum = find_maximum(np.triu(np.ones((3, 3)), 1), 1 - np.eye(3), tie_space(1, 3))
    assert not maximum.exists
    assert "was not decided (numerical difficulties)" in maximum.trouble("abc", "x")


def test_a_fit_without_a_maximum_is_finite_and_as_good_as_the_ridge_allows():
    wins, ties, _ = played(np.random.default_rng(32), 12, 2)
    for size in (0, 5, 12):
        found = fit_davidson(wins, ties, size)
        assert found.converged
        assert np.isfinite(found.tie_weights).all()
        slopes = slow_slopes(found.theta.copy(), found.tie_parameters.copy(), wins, ties, found.ridge)
        assert max(np.abs(part).max() for part in slopes) < 1e-6


def test_steps_are_lengthened_where_the_bound_on_them_is_too_careful():
    """Without a maximum and with weights in the hundreds, the guaranteed steps alone take for ever."""
    wins, ties, _ = played(np.random.default_rng(32), 20, 2)
    found = fit_davidson(wins, ties, 8)
    assert np.abs(found.tie_weights).max() > 100
    assert found.converged
    assert found.iterations < 80


# choice of the size


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(0, 3))
def test_a_split_conserves_counts_and_leaves_every_pair_training(seed, models, highest):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, highest + 1, (models, models)) * ~np.eye(models, dtype=bool)
    ties = np.triu(rng.integers(0, highest + 1, (models, models)), 1)
    ties = ties + ties.T
    split = split_counts(wins, ties, np.random.default_rng(seed), 0.5)
    assert np.array_equal(split.wins + split.held_wins, wins)
    assert np.array_equal(split.ties + split.held_ties, ties)
    for array in (split.wins, split.ties, split.held_wins, split.held_ties):
        assert (array >= 0).all()
    met, trained = wins + wins.T + ties, split.wins + split.wins.T + split.ties
    assert np.array_equal(trained > 0, met > 0)
    assert split.held == (met - trained).sum() // 2
    again = split_counts(wins, ties, np.random.default_rng(seed), 0.5)
    assert np.array_equal(again.wins, split.wins)
    assert np.array_equal(again.ties, split.ties)


def test_a_bare_pair_gets_one_comparison_of_its_most_frequent_outcome():
    wins, ties = np.array([[0, 1], [3, 0]]), np.array([[0, 2], [2, 0]])
    split = split_counts(wins, ties, np.random.default_rng(0), 1e-9)
    assert split.moved == 1
    assert split.wins.tolist() == [[0, 0], [1, 0]]
    assert split.held == 5
    split = split_counts(wins, ties + 1 - np.eye(2, dtype=int), np.random.default_rng(0), 1e-9)
    assert split.wins.tolist() == [[0, 0], [1, 0]]  # 3 wins of the second and 3 ties: wins first
    split = split_counts(wins, ties * 3, np.random.default_rng(0), 1e-9)
    assert split.ties.tolist() == [[0, 1], [1, 0]]


def test_nine_in_ten_comparisons_train_whatever_their_outcome():
    wins, ties = np.full((9, 9), 400), np.full((9, 9), 300)
    np.fill_diagonal(wins, 0)
    np.fill_diagonal(ties, 0)
    split = split_counts(wins, ties, np.random.default_rng(5))
    assert split.wins.sum() / wins.sum() == pytest.approx(0.9, abs=0.01)
    assert split.ties.sum() / ties.sum() == pytest.approx(0.9, abs=0.01)
    assert split.moved == 0


def test_the_size_with_the_smallest_held_out_loss_is_fitted_to_all():
    wins, ties, _ = played(np.random.default_rng(41), 10, 400, size=2)
    found = select_tie_size(wins, ties, (0, 1, 2, 5), rng=3)
    split = split_counts(wins, ties, np.random.default_rng(3))
    for candidate in found.candidates:
        trained = fit_davidson(split.wins, split.ties, candidate.size)
        loss = slow_loss(trained.theta, trained.tie_parameters, split.held_wins, split.held_ties)
        assert candidate.held_out == pytest.approx(loss / split.held)
        assert candidate.training == pytest.approx(-trained.log_likelihood / found.trained)
    losses = [candidate.held_out for candidate in found.candidates]
    assert found.size == (0, 1, 2, 5)[int(np.argmin(losses))]
    assert found.size == 2
    assert found.trained + found.held == wins.sum() + ties.sum() // 2
    assert np.array_equal(found.fit.theta, fit_davidson(wins, ties, found.size).theta)


def test_default_sizes_are_five_for_many_models_and_three_for_few():
    assert len(default_sizes(35)) == 5
    assert len(default_sizes(12)) == len(default_sizes(8)) == 3
    assert max(default_sizes(2)) <= 2


def test_the_smallest_size_is_taken_when_nothing_is_held_out():
    wins = np.array([[0, 1, 1], [0, 0, 0], [0, 1, 0]])
    found = select_tie_size(wins, np.zeros((3, 3), int), (2, 1), rng=0, training=1 - 1e-12)
    assert found.held == 0
    assert found.size == 1
    assert np.isnan(found.candidates[0].held_out)
    assert found.candidates[0].record()["held_out"] is None


# whole logs


def test_objectives_do_not_touch_each_other():
    counts, _ = log_of(6, 3, 30)
    together = davidson_models(counts, seed=4)
    alone = davidson_models(counts.on(["o2"]), seed=4)
    assert alone.sizes[0] == together.sizes[2]
    assert alone.selections[0].candidates == together.selections[2].candidates
    assert np.array_equal(alone.probabilities[..., 0], together.probabilities[..., 2])
    assert np.array_equal(davidson_target(counts, seed=4), together.probabilities)
    reordered = davidson_models(counts.on(["o1", "o0", "o2"]), seed=4)
    assert reordered.sizes == tuple(together.sizes[r] for r in (1, 0, 2))
    json.dumps(together.record(), allow_nan=False)


def test_ties_and_both_bad_votes_count_alike():
    counts, _ = log_of(5, 2, 30)
    merged = PairCounts(counts.models, counts.objectives, counts.wins, counts.undecided, counts.ties * 0)
    assert np.array_equal(davidson_target(counts), davidson_target(merged))


def test_the_frontier_of_a_known_model_is_recovered_at_full_size():
    """35 models on 5 objectives; the sampling error of the log is below half the smallest gap (Lemma D.2)."""
    rng = np.random.default_rng(51)
    models, objectives, best, size = 35, 5, 6, 3
    theta = np.empty((models, objectives))
    theta[:best] = rng.permuted(np.tile(np.linspace(0, 1.6, objectives), (best, 1)), axis=1)
    behind = rng.uniform(0.2, 0.8, (models - best, objectives))
    theta[best:] = theta[rng.integers(best, size=models - best)] - behind
    wins, ties = np.zeros((2, objectives, models, models), dtype=np.int64)
    truth = np.zeros((models, models, objectives))
    upper = np.triu_indices(models, 1)
    for r in range(objectives):
        weights = tie_space(size, models).weights_of(rng.normal(size=(models, size)) * 0.3)
        known = Outcomes.at(theta[:, r], weights)
        truth[..., r] = known.half_credit
        chances = np.stack([known.win[upper], known.win.T[upper], known.tie[upper]], axis=1)
        wins[r][upper], wins[r].T[upper], ties[r][upper] = rng.multinomial(
            rng.integers(500, 1500, len(chances)), chances
        ).T
    ties = ties + ties.swapaxes(1, 2)
    names = tuple(f"m{i:02}" for i in range(models)), tuple(f"o{r}" for r in range(objectives))
    found = davidson_models(PairCounts(*names, wins, ties, np.zeros_like(ties)))
    assert found.probabilities.shape == (models, models, objectives)
    assert not found.troubles
    assert set(found.sizes) == {5}  # the smallest candidate that holds size 3
    assert np.abs(found.probabilities - truth).max() < 0.02
    scores, known_scores = (borda_of_probabilities(each) for each in (found.probabilities, truth))
    assert np.abs(scores - known_scores).max() < gaps(known_scores).min() / 2
    assert np.flatnonzero(frontier(scores)).tolist() == list(range(best))


def test_groups_that_never_met_are_refused_by_name():
    wins = np.zeros((1, 4, 4), dtype=int)
    wins[0, 0, 1] = wins[0, 2, 3] = 1
    counts = PairCounts.decisive("abcd", ["x"], wins)
    with pytest.raises(BattleError, match=r"2 groups never met: \{a, b\}; \{c, d\}"):
        davidson_target(counts)


def test_a_fit_that_is_not_done_is_refused_by_name(monkeypatch):
    counts, _ = log_of(5, 1, 30)
    monkeypatch.setattr(newton, "ITERATIONS", 1)
    assert not fit_davidson(counts.wins[0], counts.ties[0]).converged
    with pytest.raises(BattleError, match="'o0' has not converged after 1 steps"):
        davidson_models(counts)


GOOD = [[0, 1], [2, 0]], [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_davidson([[0.0]], [[0.0]]), "two models or more"),
        (lambda: fit_davidson(np.zeros((2, 2, 2)), np.zeros((2, 2))), "shape"),
        (lambda: fit_davidson(GOOD[0], np.zeros((3, 3))), "must agree"),
        (lambda: fit_davidson(GOOD[0], [[0, 1], [2, 0]]), r"ties\[0, 1\] is 1.0 and ties\[1, 0\] is 2.0"),
        (lambda: fit_davidson([[0, -1], [2, 0]], GOOD[1]), r"wins\[0, 1\] is -1"),
        (lambda: fit_davidson([[0, np.nan], [2, 0]], GOOD[1]), "finite"),
        (lambda: fit_davidson([["0", "1"], ["1", "0"]], GOOD[1]), "numbers"),
        (lambda: fit_davidson([[3, 1], [2, 0]], GOOD[1]), "model 0 has wins against itself"),
        (lambda: fit_davidson(GOOD[0], [[1, 1], [1, 0]]), "model 0 has ties against itself"),
        (lambda: fit_davidson(*GOOD, 3), "from 0 to 2"),
        (lambda: fit_davidson(*GOOD, -1), "tie-factor size is -1"),
        (lambda: fit_davidson(*GOOD, 1.0), "tie-factor size is 1.0"),
        (lambda: fit_davidson(*GOOD, ridge=-1.0), "ridge"),
        (lambda: fit_davidson(*GOOD, ridge=np.inf), "ridge"),
        (lambda: fit_davidson(*GOOD, start=([0.0], [0.0])), "start of shapes"),
        (lambda: fit_davidson(*GOOD, 1, start=([0.0, 1.0], [0.0])), r"\(2, 1\) are accepted"),
        (lambda: fit_davidson(*GOOD, start=([0.0, np.nan], [0.0])), "missing numbers"),
        (lambda: select_tie_size(*GOOD, ()), "one or more"),
        (lambda: select_tie_size(*GOOD, (1, 1)), "different"),
        (lambda: select_tie_size(*GOOD, (0, 5)), "from 0 to 2"),
        (lambda: select_tie_size([[0, 0.5], [2, 0]], GOOD[1]), "whole counts"),
        (lambda: select_tie_size(*GOOD, training=1.0), "between 0 and 1"),
    ],
)
def test_unusable_input_is_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
