"""What simulated runs draw from: two ways to state the same instance, and draws with halves."""

from __future__ import annotations

import numpy as np
import pytest

from pareto.laws import CellLaw, Chances, LatentLaw
from pareto.links import win_probabilities
from pareto.trials import run_trials

THETA = np.array([[0.9, 0.0], [0.0, 0.8], [-0.4, -0.5], [-0.5, -0.3]])
HALVES = np.full((4, 4, 2), 0.2)


@pytest.mark.parametrize("method", ["vb-ege", "focal-borda", "bt-mle", "borda-plugin", "interval"])
def test_scores_and_their_cells_are_the_same_law(method):
    """The same generator gives the same draws, so the same runs."""
    latent, cells = LatentLaw(THETA[None]), CellLaw(win_probabilities(THETA))
    assert latent.shape == cells.shape == (1, 4, 2)
    assert np.allclose(latent.arms().win, cells.arms().win, rtol=0, atol=1e-15)
    assert np.allclose(latent.pairs().win, cells.pairs().win, rtol=0, atol=1e-15)
    one, other = (run_trials(method, law, range(4), 3, delta=0.1) for law in (latent, cells))
    assert np.array_equal(one.comparisons, other.comparisons)
    assert np.array_equal(one.frontier, other.frontier)


def test_cells_are_found_by_position():
    law = CellLaw(win_probabilities(THETA), HALVES)
    zero, i, j, r = (np.array([value]) for value in (0, 2, 1, 1))
    found, (first, second) = law.cells(zero, i, j, r), np.triu_indices(4, 1)
    assert found.win == pytest.approx(win_probabilities(THETA)[2, 1, 1] - 0.1)
    pair = np.flatnonzero((first == 1) & (second == 2))[0]
    assert law.pairs().win[0, 1, pair] == pytest.approx(win_probabilities(THETA)[1, 2, 1] - 0.1)
    assert law.arms().half[0] == pytest.approx(0.2)
    many = LatentLaw(np.stack([THETA, -THETA]))
    assert many.part(1, 2).arms().win[0] == pytest.approx(1 - many.part(0, 1).arms().win[0])
    assert law.part(5, 9) is law


def test_draws_with_halves_are_trinomial():
    """Mean, variance and the share of halves of many draws, and every point of single draws."""
    rng, n = np.random.default_rng(0), 40_000
    win, half = np.array([0.5, 0.1, 0.0, 0.7]), np.array([0.3, 0.6, 1.0, 0.0])
    chances = Chances(win, half)
    assert chances.unit == 2
    mean, variance = win + half / 2, win + half / 4 - (win + half / 2) ** 2
    many = Chances(np.tile(win, (n, 1)), np.tile(half, (n, 1)))
    sums = many[:2000].drawn(rng, 50) / 2
    assert np.abs(sums.mean(axis=0) / 50 - mean).max() < 5 * np.sqrt(0.25 / 50 / 2000)
    assert sums.var(axis=0) / 50 == pytest.approx(variance, rel=0.15, abs=1e-12)
    single = many.drawn(rng, 1)
    for points, share in ((0, 1 - win - half), (1, half), (2, win)):
        assert np.abs((single == points).mean(axis=0) - share).max() < 5 * 0.5 / np.sqrt(n)
    assert single.dtype == np.int64


def test_a_certain_win_is_certain():
    chances = Chances(np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    assert chances.drawn(np.random.default_rng(0), 1 << 40).tolist() == [1 << 41, 0]
