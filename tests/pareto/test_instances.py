from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, frontier
from pareto.instances import BENCHMARKS, SCALING, benchmark, frontier_family, symmetric

MARGINS = {
    "convex-2d": (0.03, 0.18),
    "convex-3d": (0.03, 0.18),
    "arena-4-small": (0.08, 0.25),
    "arena-4-medium": (0.08, 0.25),
    "arena-10": (0.06, 0.20),
    "witness-4": (0.04, 0.16),
    "witness-10": (0.035, 0.14),
}
SHAPES = {
    "convex-2d": (60, 2, 15),
    "convex-3d": (60, 3, 15),
    "arena-4-small": (32, 4, 8),
    "arena-4-medium": (64, 4, 12),
    "arena-10": (64, 10, 16),
    "witness-4": (40, 4, 8),
    "witness-10": (80, 10, 16),
    "two-group-10": (64, 10, None),
}


@pytest.mark.parametrize("name", list(BENCHMARKS))
def test_shapes_frontiers_and_margins(name):
    made = benchmark(name)
    models, objectives, kept = SHAPES[name]
    assert (made.models, made.objectives, made.kept) == (models, objectives, kept)
    for instance in range(5):
        theta = made.theta(7, instance)
        assert theta.shape == (models, objectives)
        assert np.array_equal(theta, made.theta(7, instance))
        on = frontier(theta)
        if kept is None:
            assert not on[16:].any()
            continue
        assert np.flatnonzero(on).tolist() == list(range(kept))
        low, high = MARGINS[name]
        best, rest = theta[:kept], theta[kept:]
        gap = best[None] - rest[:, None]
        from_a_parent = ((gap >= low - 1e-12) & (gap <= high + 1e-12)).all(axis=2)
        assert from_a_parent.any(axis=1).all()
        if name.startswith("witness"):
            assert ((gap > 0).all(axis=2).sum(axis=1) == 1).all()
            assert from_a_parent.sum(axis=0).tolist() == [4] * kept


def test_line_frontier_as_stated():
    theta = benchmark("convex-2d").theta(0)
    assert np.allclose(theta[0], (0.20, 0.85))
    assert np.allclose(theta[14], (0.85, 0.20))
    assert np.allclose(theta[:15].sum(axis=1), 1.05)


@pytest.mark.parametrize("kept", [4, 8, 16, 32])
@pytest.mark.parametrize("objectives", [4, 10])
def test_frontier_size_family(kept, objectives):
    theta = frontier_family(objectives, kept).theta(1)
    assert theta.shape == (64, objectives)
    assert frontier(theta).sum() == kept
    assert np.allclose(theta[:kept].sum(axis=1), 0.15 * objectives + 0.75)


def test_symmetric_instances():
    assert len(SCALING) == 12
    assert len(set(SCALING)) == 10
    for models, objectives, gap in SCALING:
        theta = symmetric(models, objectives, gap)
        assert frontier(theta).tolist() == [True] + [False] * (models - 1)
        assert (theta[0] - theta[1:] == gap).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: symmetric(1, 1, 1.0),
        lambda: symmetric(2, 0, 1.0),
        lambda: symmetric(2, 1, 0.0),
        lambda: symmetric(2, 1, float("inf")),
        lambda: symmetric(10**8, 4, 1.0),
        lambda: symmetric(2, 10**8, 1.0),
        lambda: benchmark("arena"),
        lambda: frontier_family(3, 4),
    ],
)
def test_unknown_instances_are_refused(call):
    with pytest.raises(BattleError):
        call()
