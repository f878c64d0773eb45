"""Pieces of work that workers load in tests: each leaves notes of who began and ended it, and when."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import scipy.linalg  # noqa: F401 - with a BLAS of its own
from threadpoolctl import threadpool_info

from solvers.studies.study import Line, Study, no_pictures
from solvers.workers.versions import OTHERS


def work(key):
    """Rows that depend on the key alone. A key that is `ends` ends its process, `breaks` raises."""
    note = f"{os.getpid()} {threading.get_ident()} {key.replace('/', '-')}"
    folder = Path(os.environ["NOTES"])
    (folder / f"began {note}").write_text(str(time.monotonic_ns()))
    if key == "ends":
        os._exit(9)
    if key == "breaks":
        raise ValueError("no number")
    time.sleep(float(os.environ.get("WAIT", "0")))
    (folder / f"ended {note}").write_text(str(time.monotonic_ns()))
    return [{"number": len(key), "share": 1 / (3 + row + len(key))} for row in range(2)]


def threads(_):
    """How many threads BLAS and OpenMP may use, those that are loaded and those that will be."""
    loaded = {
        library["num_threads"] for library in threadpool_info() if OTHERS.search(library["filepath"]) is None
    }
    return loaded, os.environ.get("OMP_NUM_THREADS"), os.environ.get("OPENBLAS_NUM_THREADS")


def begun(folder):
    """(process, key) of every piece that was begun, with repetitions."""
    return [_who(path) for path in folder.glob("began *")]


def in_hand(folder):
    """(process, key) of every piece that was begun and not ended."""
    ended = {_who(path) for path in folder.glob("ended *")}
    return [who for who in begun(folder) if who not in ended]


def _who(path):
    _, process, _, key = path.name.split(" ", 3)
    return int(process), key


def study(keys):
    """A study of these pieces."""
    return Study(
        name="pieces",
        title="Pieces",
        columns={"number": int, "share": float},
        keys=lambda seeds: list(keys),
        work=work,
        compare=lambda table: [Line("rows", str(table.height))],
        pictures=no_pictures,
        seconds=1,
    )
