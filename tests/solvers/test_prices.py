"""The relaxation's value and duality, against an independent linear programming solver."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from solvers import CoveringProgram
from solvers.covering.prices import relax
from tests.solvers.instances import random_panel, seeded, small_programs


def dual_value(program, prices):
    cost = 1.0 - prices @ program.gains.astype(float)
    return float(prices @ program.demands + np.minimum(cost, 0.0).sum())


def agrees(program):
    gains, demands = program.gains.astype(float), program.demands.astype(float)
    relaxation = relax(program.gains, gains.sum(axis=1) - demands)
    expected = linprog(np.ones(program.n), A_ub=-gains, b_ub=-demands, bounds=(0, 1), method="highs").fun
    near = {"rel": 1e-7, "abs": 1e-6}
    assert (relaxation.prices >= 0).all()
    assert dual_value(program, relaxation.prices) == pytest.approx(expected, **near)
    assert relaxation.x.sum() == pytest.approx(expected, **near)
    assert (gains @ relaxation.x >= demands - 1e-6 * (1.0 + np.abs(demands))).all()


@seeded
@given(program=small_programs())
def test_small_relaxations(program):
    if program.n and (np.array(program.totals) >= program.demands).all():
        agrees(program)


@pytest.mark.parametrize("n", [50, 800, 1500, 1501, 2000, 5706])
@pytest.mark.parametrize("candidates", [3, 4, 8])
def test_relaxations_of_panels(n, candidates):
    for seed in range(3):
        agrees(random_panel(n, candidates, seed))


@pytest.mark.parametrize("seed", range(3))
def test_relaxations_with_many_ties(seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 50, size=(3, 12))
    gains = kinds[:, rng.integers(0, 12, size=6000)]
    demands = (gains.sum(axis=1) * rng.random(3)).astype(np.int64)
    agrees(CoveringProgram(gains, demands))
