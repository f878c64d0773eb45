"""Simulated runs of several methods come to the same, whoever does them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pareto.instances import symmetric
from pareto.run_parts import PART
from pareto.runs import Runs, median_cut, run_all, sha256
from pareto.trials import simulate
from solvers.workers import Processes
from solvers.workers.dask_cluster import DaskCluster
from tests.solvers.workers.cluster import Cluster

METHODS = ["vb-ege", "interval"]
THETA = np.repeat(symmetric(8, 2, 1.5)[None], 2 * PART + 3, axis=0)


@pytest.fixture(scope="module")
def alone():
    return run_all(METHODS, THETA, 7, 0.05)


def test_parts_put_together_are_the_whole(alone):
    for runs in alone:
        whole = simulate(runs.method, THETA, len(THETA), 7)
        assert (runs.comparisons == whole.comparisons).all()
        assert runs.stopped.all()
        assert not runs.wrong.any()


def test_processes(alone):
    done = []
    shared = run_all(METHODS, THETA, 7, 0.05, workers=Processes(2), advance=lambda *part: done.append(part))
    assert sha256(shared) == sha256(alone)
    assert sorted(done) == sorted((method, size) for method in METHODS for size in (PART, PART, 3))


def test_a_cluster(alone, tmp_path):
    with Cluster(tmp_path) as cluster:
        cluster.ready(1)
        assert sha256(run_all(METHODS, THETA, 7, 0.05, workers=DaskCluster(cluster.address))) == sha256(alone)


def test_a_single_trial_changes_the_digest(alone):
    one, other = alone
    comparisons = one.comparisons.copy()
    comparisons[-1] += 1
    changed = [
        replace(one, comparisons=comparisons),
        replace(one, wrong=~one.wrong),
        replace(one, method="duel"),
    ]
    assert len({sha256([first, other]) for first in (one, *changed)}) == 4
    assert sha256([other, one]) != sha256(alone)


@pytest.mark.parametrize("trials", range(1, 8))
def test_a_median_is_cut_where_longer_runs_would_move_it(trials):
    rng = np.random.default_rng(trials)
    seen = set()
    for _ in range(100):
        comparisons, stopped = rng.integers(1, 5, trials), rng.random(trials) < 0.6
        runs = Runs("duel", comparisons, stopped, ~stopped, 0.0)
        longest = np.where(stopped, comparisons, 10**6)
        moved = np.median(longest) != np.median(comparisons)
        assert median_cut(runs) == moved
        seen.add(bool(moved))
    assert seen == {False, True}
