"""Real studies, on a Dask cluster of two workers of which one is killed: the same to the last digit."""

from __future__ import annotations

import pytest

from certify.experiments.catalogue import CATALOGUE as CERTIFY
from pareto.experiments.catalogue import CATALOGUE as PARETO
from solvers.studies.engine import run
from solvers.workers import Processes
from solvers.workers.dask_cluster import DaskCluster
from tests.solvers.workers.cluster import Cluster


@pytest.mark.slow
@pytest.mark.parametrize(("catalogue", "name"), [(CERTIFY, "breast-splits"), (PARETO, "constants")])
def test_local_and_on_a_cluster(tmp_path, catalogue, name):
    study = catalogue.load(name)
    here = run(study, tmp_path / "here", workers=Processes(2), seeds=1)
    with Cluster(tmp_path) as cluster:
        cluster.ready(2)

        def shown(done, of):
            if done == of // 2:
                cluster.end_workers(1)

        there = run(study, tmp_path / "there", workers=DaskCluster(cluster.address), seeds=1, progress=shown)
    assert there.sha256 == here.sha256
    assert there.lines == here.lines
