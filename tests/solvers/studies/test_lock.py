"""One writer at a time: the second is told who the first is, and no lock outlives its process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from solvers.errors import SolverError
from solvers.studies.engine import run
from solvers.studies.lock import sole_writer
from solvers.workers import Processes
from tests.solvers.studies import tiny

HOLDER = """
import sys
from pathlib import Path
from solvers.studies.lock import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_run_is_told_who_the_first_is(tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text("key,of")  # cut off: reading it would change it
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(
            SolverError, match=rf"tiny.csv is being written by process {holder.pid} on .*wait"
        ):
            run(tiny.STUDY, tmp_path, workers=Processes(1))
        assert path.read_text() == "key,of"
        holder.kill()
        holder.wait()
    assert (tmp_path / "tiny.csv.lock").exists()
    assert run(tiny.STUDY, tmp_path, workers=Processes(1)).lines[0].holds
    assert sorted(found.name for found in tmp_path.iterdir()) == ["pictures", "tiny.csv"]


def test_of_many_one_at_a_time(tmp_path):
    """Also while others remove the file that the lock is on."""
    path = tmp_path / "number"
    path.write_text("0")

    def count(_):
        while True:
            try:
                with sole_writer(path):
                    number = int(path.read_text())
                    time.sleep(0.0005)
                    path.write_text(str(number + 1))
                return
            except SolverError:
                time.sleep(0.0002)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(100)))
    assert path.read_text() == "100"


@pytest.mark.skipif(sys.platform == "win32", reason="has other locks")
def test_without_locks_there_are_none(tmp_path, monkeypatch):
    import fcntl

    def refused(file, how):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    with sole_writer(tmp_path / "x"), sole_writer(tmp_path / "x"):
        pass
    assert not list(tmp_path.iterdir())
