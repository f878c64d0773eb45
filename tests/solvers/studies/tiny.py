"""A small study for tests of the engine, importable by its worker processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from solvers.studies.study import Line, Picture, Study

KEYS = ("red-1", "red-2", "red-10", "blue-1/seed-0", "blue-1/seed-1")


def keys(seeds):
    return [key for key in KEYS if not key.startswith("blue") or int(key[-1]) < seeds]


def work(key):
    """Two rows a piece; notes that it ran, and waits or dies where a test asks for it."""
    if log := os.environ.get("TINY_LOG"):
        with open(log, "a") as file:
            file.write(key + "\n")
    if key == "dies":
        os._exit(9)
    time.sleep(float(os.environ.get("TINY_WAIT", "0")))
    return [{"size": len(key), "text": 'a "quoted", text'}, {"size": len(key), "share": 0.1}]


def keys_that_die(seeds):
    return [*keys(seeds), "dies"]


def compare(table):
    return [
        Line("rows", str(table.height), "10", "a note", "Counts", table.height == 10),
        Line("mean size", f"{table['size'].mean():.1f}", "<7> & more", part="Counts"),
        Line("last", table["key"][-1], part="Others"),
    ]


def pictures(table, folder):
    path = folder / "tiny.svg"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g id="{table.height}"/></svg>'
    )
    return [Picture(Path(path), "Nothing & <nobody>")]


STUDY = Study(
    name="tiny",
    title="A <tiny> study",
    columns={"size": int, "text": str, "share": float},
    keys=keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=1,
)
