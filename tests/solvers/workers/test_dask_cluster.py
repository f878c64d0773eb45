"""Work on a Dask cluster: what comes out is what one process gives, whoever is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from solvers.errors import SolverError
from solvers.studies.catalogue import Catalogue
from solvers.studies.command import reproduce_command
from solvers.studies.engine import run
from solvers.studies.results import Results
from solvers.terminal import application
from solvers.workers import Processes, WorkersLost, dask_cluster
from solvers.workers.dask_cluster import DaskCluster
from solvers.workers.versions import versions
from tests.solvers.workers.cluster import ROOT, Cluster
from tests.solvers.workers.pieces import begun, in_hand, study, threads, work

KEYS = [f"red/{number}" for number in range(10)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def kept(folder):
    """The cluster of the last test, to be used again if its scheduler lives."""
    clusters = []
    yield clusters
    for cluster in clusters:
        cluster.close()


@pytest.fixture
def notes(folder, monkeypatch):
    """Where pieces leave notes, empty."""
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    for note in notes.iterdir():
        note.unlink()
    monkeypatch.setenv("NOTES", str(notes))
    return notes


@pytest.fixture
def cluster(folder, notes, kept):
    """A scheduler and two workers."""
    if not kept or not kept[-1].alive:
        kept.append(Cluster(folder))
    kept[-1].ready(2, NOTES=str(notes), WAIT="0.2")
    return kept[-1]


def kill_one(notes):
    """Kill a worker that has a piece in hand; who it was, and the piece."""
    while not (held := in_hand(notes)):
        time.sleep(0.01)
    os.kill(held[0][0], signal.SIGKILL)
    return held[0]


def test_a_worker_killed_in_mid_study(tmp_path, notes, cluster):
    killed = []

    def shown(done, of):
        if done == 3:
            killed.append(kill_one(notes))

    there = run(study(KEYS), tmp_path / "there", workers=DaskCluster(cluster.address), progress=shown)
    ((process, key),) = killed
    (other,) = {who for who, _ in begun(notes)} - {process}
    assert (other, key) in begun(notes)
    here = run(study(KEYS), tmp_path / "here", workers=Processes(1))
    assert there.sha256 == here.sha256
    tables = [Results(one.results, study(KEYS).columns).table(KEYS) for one in (there, here)]
    assert tables[0].equals(tables[1])


SCRIPT = """
import sys
from pathlib import Path
from solvers.studies.engine import run
from solvers.workers.dask_cluster import DaskCluster
from tests.solvers.workers.pieces import study
folder, address, *keys = sys.argv[1:]
try:
    run(study(keys), Path(folder), workers=DaskCluster(address), progress=lambda *at: print(*at, flush=True))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_the_client_stopped_in_mid_study(tmp_path, notes, cluster, sign):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path), cluster.address, *KEYS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    ) as process:
        while not process.stdout.readline().startswith("3"):
            pass
        process.send_signal(sign)
        said = process.stderr.read()
        assert process.wait(30) == (-sign if sign == signal.SIGKILL else 130)
    assert not said
    done = Results(tmp_path / "pieces.csv", study(KEYS).columns).done
    assert 3 <= len(done) < len(KEYS)
    seen = []
    again = run(
        study(KEYS), tmp_path, workers=DaskCluster(cluster.address), progress=lambda *at: seen.append(at)
    )
    assert seen[0] == (len(done), len(KEYS))
    assert again.sha256 == run(study(KEYS), tmp_path / "here", workers=Processes(1)).sha256


def test_a_piece_that_ends_its_workers_is_given_up(tmp_path, cluster):
    with pytest.raises(SolverError, match=r"memory ran out .*what is finished is kept"):
        run(study([*KEYS[:3], "ends"]), tmp_path, workers=DaskCluster(cluster.address))
    assert "ends" not in Results(tmp_path / "pieces.csv", study(KEYS).columns).done


def test_an_error_of_a_piece_is_that_error(cluster):
    with pytest.raises(ValueError, match="no number"):
        list(DaskCluster(cluster.address).each(work, ["breaks"]))


def test_a_worker_with_other_versions_is_refused(cluster, monkeypatch):
    other = {**versions(), "numpy": "1.0"}
    monkeypatch.setattr(dask_cluster, "versions", lambda: other)
    with pytest.raises(SolverError, match=r"Dask worker tcp://127\S+ has numpy \S+ where 1\.0 is wanted"):
        list(DaskCluster(cluster.address).each(work, KEYS))


def test_a_worker_that_lacks_a_module_is_named_with_it(cluster, tmp_path, monkeypatch):
    (tmp_path / "known_here_alone.py").write_text("def work(item):\n    return item\n")
    monkeypatch.syspath_prepend(tmp_path)
    from known_here_alone import work as unknown

    with pytest.raises(WorkersLost, match="No module named 'known_here_alone'"):
        list(DaskCluster(cluster.address).each(unknown, [1]))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_single_worker_does_one_piece_at_a_time(cluster, notes, threads):
    cluster.end_workers()
    cluster.ready(1, threads, NOTES=str(notes), WAIT="0.1")
    pieces = list(DaskCluster(cluster.address).each(work, KEYS[:4]))
    assert sorted(piece.at for piece in pieces) == [0, 1, 2, 3]
    assert len({process for process, _ in begun(notes)} | {os.getpid()}) == 2
    times = sorted((int(path.read_text()), path.name.split()[0]) for path in notes.iterdir())
    assert [what for _, what in times] == ["began", "ended"] * 4


def test_a_worker_has_one_thread_of_blas(cluster, notes):
    cluster.end_workers()
    cluster.ready(1, NOTES=str(notes), OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    pieces = list(DaskCluster(cluster.address).each(threads, [0, 1]))
    assert [piece.value for piece in pieces] == [({1}, "1", "1")] * 2


def test_a_worker_with_another_processor_is_refused(cluster, monkeypatch):
    other = {**versions(), "OpenBLAS kernels": "Abacus"}
    monkeypatch.setattr(dask_cluster, "versions", lambda: other)
    with pytest.raises(SolverError, match=r"has OpenBLAS kernels .* where Abacus is wanted.*CORETYPE"):
        list(DaskCluster(cluster.address).each(work, KEYS))


def test_all_workers_lost(tmp_path, cluster):
    def shown(done, of):
        if done == 2:
            cluster.end_workers()

    with pytest.raises(SolverError, match=r"has lost its workers, and none joined in 0\.5 s"):
        run(study(KEYS), tmp_path, workers=DaskCluster(cluster.address, join=0.5), progress=shown)
    assert len(Results(tmp_path / "pieces.csv", study(KEYS).columns).done) >= 2
    cluster.ready(0)
    with pytest.raises(SolverError, match=r"has no workers, and none joined in 0\.5 s; .* --nthreads 1"):
        run(study(KEYS), tmp_path, workers=DaskCluster(cluster.address, join=0.5))


def test_the_scheduler_lost(tmp_path, cluster, caplog):
    def shown(done, of):
        if done == 2:
            cluster.scheduler.kill()

    with pytest.raises(
        SolverError, match=r"scheduler at tcp://\S+ was lost.*the same call goes on from there"
    ):
        run(study(KEYS), tmp_path, workers=DaskCluster(cluster.address), progress=shown)
    assert not caplog.records
    assert len(Results(tmp_path / "pieces.csv", study(KEYS).columns).done) >= 2


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "post://127.0.0.1:1", ""])
def test_no_scheduler_there(address):
    with pytest.raises(SolverError, match=r"no Dask scheduler answers at .* start one with dask scheduler"):
        list(DaskCluster(address, answer=0.3).each(work, KEYS))


def test_without_distributed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SolverError, match=r"pip install 'certified-choice\[dask\]'"):
        list(DaskCluster("tcp://127.0.0.1:1").each(work, KEYS))


def test_reproduce_says_the_same_digest(tmp_path, cluster):
    app = application("tool", "A tool with studies.")
    app.command()(reproduce_command(Catalogue("tool", "tests.solvers.studies", {"tiny": "tiny"}, "", "")))
    found = []
    for options in (["--jobs", "1"], ["--engine", "dask", "--scheduler", cluster.address]):
        command = ["reproduce", "tiny", "-o", str(tmp_path / options[1]), "--json", *options]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        found.append(json.loads(result.output)["studies"][0]["sha256"])
    assert found[0] == found[1]
