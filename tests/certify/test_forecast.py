"""Forecasts: imagined labels that could be, ranges in order, and a world in which they hold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from certify.bundled import IONOSPHERE
from certify.cli import app
from certify.errors import PoolError
from certify.forecast import ROWS, Correction, forecast, imagined, share
from certify.objectives import WeightedError
from certify.policies import POLICIES
from certify.pool import Pool
from certify.replay import replay


def pool_of(kind: str, n: int, seed: int = 0) -> Pool:
    rng = np.random.default_rng(seed)
    if kind == "shared":
        return Pool.shared(rng.random((3, n)))
    classes = 2 if kind == "binary" else 4
    confidences = rng.uniform(0.5, 1, (3, n))
    base = rng.integers(0, classes, n)
    guesses = np.where(rng.random((3, n)) < 0.8, base, rng.integers(0, classes, (3, n)))
    return Pool.multiclass(guesses, confidences, range(classes))


@pytest.mark.parametrize("kind", ["binary", "shared", "categorical"])
def test_imagined_labels_could_be(kind):
    pool = pool_of(kind, 300)
    assert pool.kind == kind
    wrong = []
    for number in range(6):
        scene = imagined(pool, number)
        assert scene.codes.min() >= 0
        assert scene.codes.max() < len(pool.classes)
        again = imagined(pool, number)
        np.testing.assert_array_equal(again.codes, scene.codes)
        assert again.seed == scene.seed
        wrong.append((scene.codes != pool.predictions[0]).mean())
    assert len(set(wrong)) == 6
    assert 0.02 < np.mean(wrong) < 0.5  # confidences of one half to one are taken at their word, about


def test_a_row_with_every_class_predicted_is_never_imagined_as_another():
    pool = Pool.multiclass([[0] * 50, [1] * 50, [2] * 50], np.full((3, 50), 0.6), [0, 1, 2, 3])
    codes = np.concatenate([imagined(pool, number).codes for number in range(8)])
    assert set(codes.tolist()) == {0, 1, 2, 3}
    three = Pool.multiclass([[0] * 50, [1] * 50, [2] * 50], np.full((3, 50), 0.6), [0, 1, 2])
    assert imagined(three, 0).codes.max() == 2


def test_large_pools_are_sampled():
    pool = pool_of("binary", 4 * ROWS)
    weighted = pool.with_objective(WeightedError(np.arange(4 * ROWS)))
    scene = imagined(weighted, 1)
    assert scene.pool.n == len(scene.codes) == ROWS
    assert len(scene.pool.risks.weights[0]) == ROWS
    assert imagined(weighted, 2).pool.confidences.tolist() != scene.pool.confidences.tolist()


@pytest.mark.parametrize("tolerance", ["0", "0.02"])
def test_ranges_are_in_order_and_respect_the_bound(tolerance):
    pool = pool_of("binary", 60)
    ticks: list[tuple[int, int]] = []
    names = ("random", "static-range", "adaptive-range")
    found = forecast(pool, 25, names, tolerance, progress=lambda done, total: ticks.append((done, total)))
    assert tuple(entry.policy for entry in found) == names
    for entry in found:
        assert 25 <= entry.low <= entry.labels <= entry.high <= 60
    assert [done for done, _ in ticks] == list(range(1, ticks[-1][1] + 1))
    assert found == forecast(pool, 25, names, tolerance)


def test_what_simulations_say_comes_true_where_labels_are_as_imagined():
    inside = []
    for seed in range(12):
        pool = pool_of("binary", 150, seed)
        (found,) = forecast(pool, 0, ["static-range"])
        for number in (100, 101, 102):  # other draws from the same probabilities
            read = replay(pool, imagined(pool, number).codes, "static-range").labels_read
            inside.append(found.low <= read <= found.high)
    assert np.mean(inside) >= 0.8


def test_share_counts_rows_of_the_imagined_pool():
    scene = imagined(pool_of("binary", 80), 0)
    assert (
        share(scene, "random") * 80 == replay(scene.pool, scene.codes, "random", seed=scene.seed).labels_read
    )


def test_corrections_move_and_widen():
    low, middle, high = Correction(0.1, 0.0).around(0.5, 0.1)
    assert (round(low, 4), round(middle, 4), round(high, 4)) == (0.4355, 0.6, 0.7645)
    assert Correction(0.0, 0.3).around(0.9, 0.0) == pytest.approx((0.6, 0.9, 1.0))
    assert Correction(-0.9, 0.1).around(0.5, 0.0) == (0.0, 0.0, 0.0)


def test_unknown_policies_are_named():
    with pytest.raises(PoolError, match="unknown policy 'best'"):
        forecast(pool_of("binary", 20), 0, ["best"])


def test_plan_forecasts_unless_told_not_to():
    files = [str(path) for path in IONOSPHERE]
    found = json.loads(CliRunner().invoke(app, ["plan", *files, "--json"]).stdout)
    assert found["forecast"]["guaranteed"] is False
    assert list(found["forecast"]["policies"]) == list(POLICIES)
    for entry in found["forecast"]["policies"].values():
        assert found["bound"] <= entry["low"] <= entry["labels"] <= entry["high"] <= 106
    shown = CliRunner().invoke(app, ["plan", *files]).stdout
    assert "no guarantee" in shown
    brief = CliRunner().invoke(app, ["plan", *files, "--no-forecast", "--json"]).stdout
    assert json.loads(brief)["forecast"] is None
