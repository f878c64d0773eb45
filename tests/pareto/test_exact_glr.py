"""The exact likelihood ratio against trying every alternative."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from pareto import BattleError, frontier
from pareto.alternatives import alternatives, free_problem, how_many, problem
from pareto.exact_glr import exact_glr, exact_glr_in_box
from pareto.links import logistic
from solvers import solve


def instance(seed, models, objectives):
    """Scores of the two shapes that matter, and symmetric counts."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, 0.7, (models, objectives))
    theta -= theta.mean(axis=0)
    counts = rng.integers(1, 60, (objectives, models, models)).astype(float)
    counts = np.triu(counts, 1)
    return theta, counts + counts.swapaxes(1, 2)


def divergence(theta, counts, r, order):
    """Least Σ n kl(p(θ), p(λ)) on one objective with λ_better ≥ λ_worse, by a general solver."""
    if not order:
        return 0.0
    models = len(theta)
    i, j = np.triu_indices(models, 1)
    number, chance = counts[r][i, j], logistic(theta[i, r] - theta[j, r])

    def loss(scores):
        lead = scores[i] - scores[j]
        value = number @ (np.logaddexp(0, lead) - chance * lead)
        slope = number * (logistic(lead) - chance)
        return value, np.bincount(i, slope, models) - np.bincount(j, slope, models)

    rows = np.zeros((len(order), models))
    for row, (better, worse) in zip(rows, order, strict=True):
        row[better], row[worse] = 1, -1
    start = loss(theta[:, r])[0]
    found = minimize(
        loss,
        np.zeros(models),
        jac=True,
        method="SLSQP",
        constraints=LinearConstraint(rows, 0, np.inf),
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return found.fun - start


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("models", "objectives"), [(3, 2), (5, 2), (4, 3)])
def test_no_alternative_is_closer(seed, models, objectives):
    theta, counts = instance(seed, models, objectives)
    kept = frontier(theta)
    every = list(alternatives(kept, objectives))
    assert len(every) == how_many(kept, objectives)
    costs = [
        sum(divergence(theta, counts, r, one.constraints(r)) for r in range(objectives)) for one in every
    ]
    found = exact_glr(theta, counts)
    assert found.value == pytest.approx(min(costs), rel=1e-5, abs=1e-7)
    assert found.lower <= found.value
    assert found.lower >= found.value * (1 - 1e-6)
    # the closest scores do what the alternative asks
    for r in range(objectives):
        for better, worse in found.alternative.constraints(r):
            assert found.scores[better, r] >= found.scores[worse, r] - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_in_a_box_as_by_trying_all_constrained_fits(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(1, 30, (2, 4, 4)).astype(float)
    for one in wins:
        np.fill_diagonal(one, 0)
    free = [solve(free_problem(r, wins)) for r in range(2)]
    theta = np.stack([one.x for one in free], axis=1)
    least = min(
        sum(float(free[r].objective) - float(solve(problem(one, r, wins)).objective) for r in range(2))
        for one in alternatives(frontier(theta), 2)
    )
    found = exact_glr_in_box(wins)
    assert found.value == pytest.approx(least, rel=1e-4, abs=1e-5)
    assert found.lower <= found.value


def test_one_objective_is_the_leader_against_its_closest():
    theta = np.array([[1.0], [0.4], [0.0]])
    counts = np.zeros((1, 3, 3))
    counts[0, 0, 1] = counts[0, 1, 0] = 10.0
    found = exact_glr(theta, counts)
    # the third was never met, so nothing speaks against it
    assert found.value == pytest.approx(0.0, abs=1e-9)


def test_nothing_else_is_possible_for_nobody():
    assert exact_glr(np.zeros((2, 1)), np.zeros((1, 2, 2))).value == pytest.approx(0.0)


@pytest.mark.parametrize("counts", [np.ones((1, 2, 3)), -np.ones((1, 2, 2)), [[[0, 1], [2, 0]]]])
def test_unusable_counts(counts):
    with pytest.raises(BattleError, match="counts"):
        exact_glr(np.array([[1.0], [0.0]]), counts)
