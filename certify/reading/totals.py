"""Class totals of a pool from a small table."""

from __future__ import annotations

import os
from pathlib import Path

from certify.classes import shorten
from certify.errors import PoolError
from certify.reading.tables import open_table

CLASS, TOTAL = "class", "total"


def read_totals(path: str | os.PathLike[str]) -> dict[str, int]:
    """How many rows have each class: a CSV or Parquet file with ``class`` and ``total``, a line a class.

    Raises `PoolError` for a file without these columns, for a class twice and for what is no count.
    """
    file = open_table(Path(path))
    missing = [name for name in (CLASS, TOTAL) if name not in file.columns]
    if missing:
        raise PoolError(
            f"{path} has no column {missing[0]!r} (found: {shorten(map(repr, file.columns), 12)}); accepted: "
            f"{CLASS} and {TOTAL}, how many rows of the pool have each class"
        )
    totals: dict[str, int] = {}
    frame = file.read([CLASS, TOTAL])
    for row, (name, total) in enumerate(frame.iter_rows()):
        text = str(total)
        if not (text.isascii() and text.isdigit()) or len(text) > 18:
            raise PoolError(f"{file.place(row)}: total {total!r} is no count; give a whole number ≥ 0")
        if str(name) in totals:
            raise PoolError(f"{file.place(row)}: class {str(name)!r} occurs twice; keep one line a class")
        totals[str(name)] = int(text)
    return totals
