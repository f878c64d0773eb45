"""What comparisons outside predict about leads inside, and which of them may be used."""

from __future__ import annotations

import numpy as np
import pytest

from pareto.battles import read_battles
from pareto.bradley_terry import fit
from pareto.bundled import bundled_log
from pareto.certainty.outside import outlook, outside_wins
from pareto.retention import Log, retain_counts
from tests.pareto.logs import arena, counted


def test_predictions_are_those_of_the_posterior():
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 30, (1, 6, 6)) * ~np.eye(6, dtype=bool)
    inside = np.array([1, 2, 4])
    wins[:, inside[:, None], inside] = 0
    view = outlook(wins, inside, np.full((1, 3, 3), 0.25))
    theta = fit(wins, ridge=1.0).theta[0]
    chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    met = wins[0] + wins[0].T
    precision = np.diag((met * chance * chance.T).sum(axis=1) + 1) - met * chance * chance.T
    draws = rng.multivariate_normal(theta, np.linalg.inv(precision), 40_000)[:, inside]
    beats = 1 / (1 + np.exp(draws[:, None, :] - draws[:, :, None]))
    score = np.where(np.eye(3, dtype=bool), 0, beats).sum(axis=2)
    for i, j in ((0, 1), (2, 0)):
        lead = (score[:, i] - score[:, j]) / 0.5
        assert view.mean[0, i, j] == pytest.approx(lead.mean(), abs=0.05)
        assert view.spread[0, i, j] == pytest.approx(lead.std(), rel=0.08)
    assert view.comparisons == wins.sum()


def test_comparisons_inside_are_left_out():
    log = retain_counts(arena())
    wins, inside = outside_wins(log, False)
    assert [log.everything.models[i] for i in inside] == list(log.models)
    assert not wins[:, inside[:, None], inside].any()
    assert wins.sum() == log.retention.dropped


def test_clusters_with_a_comparison_inside_say_nothing():
    log = read_battles(bundled_log("arena140k-decisive"), cluster="session").retain()
    wins, inside = outside_wins(log, True)
    records = log.every_record
    kept = set(inside.tolist())
    within = [a in kept and b in kept for a, b in zip(records.first, records.second, strict=True)]
    touched = set(records.cluster[within].tolist())
    expected = np.zeros_like(wins)
    for cluster, a, b, r, outcome in zip(
        records.cluster, records.first, records.second, records.objective, records.outcome, strict=True
    ):
        if cluster not in touched and outcome <= 1:
            expected[(r, a, b) if outcome == 0 else (r, b, a)] += 1
    assert np.array_equal(wins, expected)
    assert wins.sum() < log.retention.dropped


def test_bare_logs_have_no_outside():
    log = retain_counts(counted(np.ones((2, 3, 3)) - np.eye(3)))
    assert outside_wins(log, False)[0].sum() == 0
    bare = Log(log.counts, log.retention)
    view = outlook(*outside_wins(bare, False), np.ones((2, 3, 3)))
    assert view.comparisons == 0
    assert not view.mean.any()
