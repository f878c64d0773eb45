from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from certify.policies.covering_duals import prices


def softened(at, gains, margins, softness):
    return margins @ at + softness * np.logaddexp(0, (1 - at @ gains) / softness).sum()


def problem(seed, count=4):
    rng = np.random.default_rng(seed)
    rivals, n = int(rng.integers(1, 8)), int(rng.integers(1, 200))
    gains = (rng.random((count, rivals, n)) * rng.random((count, rivals, 1)) * 1000).astype(np.float32)
    gains *= rng.random(gains.shape) < 0.7
    return gains, gains.sum(axis=2).astype(float) * rng.uniform(0.01, 1.2, (count, rivals)) + 0.5


@pytest.mark.parametrize("softness", [0.2, 0.5])
@pytest.mark.parametrize("seed", range(20))
def test_prices_minimise_the_softened_dual(seed, softness):
    gains, margins = problem(seed)
    found = prices(gains, margins, softness)
    assert (found >= 0).all()
    for own, e, m in zip(found.astype(float), gains.astype(float), margins, strict=True):
        scale = e.shape[1] / np.maximum(e.sum(axis=1), 1e-9)
        best = minimize(
            lambda x, e=e, m=m, scale=scale: softened(x * scale, e, m, softness),
            np.full(len(m), 0.5),
            bounds=[(0, None)] * len(m),
            method="L-BFGS-B",
        )
        assert softened(own, e, m, softness) <= best.fun + 2e-3 * max(1, abs(best.fun))


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_the_linear_programmes_but_for_the_softness(seed):
    gains, margins = problem(seed, 1)
    (own,), (e,), (m,) = prices(gains, margins, 0.2).astype(float), gains.astype(float), margins
    left = linprog(-np.ones(e.shape[1]), A_ub=e, b_ub=m, bounds=(0, 1))  # the most rows left unread
    dual = m @ own + np.maximum(0, 1 - own @ e).sum()
    assert -left.fun - 1e-6 <= dual <= -left.fun + 0.2 * np.log(2) * e.shape[1] + 1e-3


def test_a_rival_without_gains_has_no_price():
    gains = np.zeros((2, 3, 5), dtype=np.float32)
    gains[:, 1] = [3, 1, 4, 1, 5]
    found = prices(gains, np.full((2, 3), 2.0), 0.2)
    assert (found[:, [0, 2]] == 0).all()
    assert (found[:, 1] > 0).all()
    assert (prices(np.zeros((1, 2, 4), dtype=np.float32), np.ones((1, 2)), 0.2) == 0).all()
