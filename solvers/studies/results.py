"""A study's result file: a CSV that grows by whole pieces of work and survives being cut off anywhere.

Its first columns are the key of the piece, how many rows the piece has, and the seconds it took.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.errors import SolverError
from solvers.studies.study import Cell, Columns, Row

if TYPE_CHECKING:
    import polars as pl

_OWN: Columns = {"key": str, "of": int, "seconds": float}


class Results:
    """The pieces in one file, read when this is made; `add` appends another.

    A piece that was cut short at the end of the file is taken off it. Raises `SolverError` for a file that is
    not this study's or has a line that does not parse.
    """

    def __init__(self, path: Path, columns: Columns) -> None:
        if clash := _OWN.keys() & columns.keys():
            raise ValueError(f"a study cannot have columns of its own called {', '.join(sorted(clash))}")
        self.path = path
        self.columns: Columns = {**_OWN, **columns}
        self._pieces: dict[str, list[list[Cell]]] = {}
        self._read()

    @property
    def done(self) -> set[str]:
        return set(self._pieces)

    def seconds(self, keys: Iterable[str]) -> float:
        """Processor time that these pieces took."""
        at = list(self.columns).index("seconds")
        return sum(float(self._pieces[key][0][at] or 0) for key in keys)

    def add(self, key: str, rows: Sequence[Row], seconds: float) -> None:
        """Append a finished piece in a single write."""
        if not rows:
            raise ValueError(f"piece {key} has no rows, so nothing would say that it was done")
        for row in rows:
            if unknown := row.keys() - self.columns.keys():
                raise ValueError(f"piece {key} has columns that the study does not name: {sorted(unknown)}")
        own: Row = {"key": key, "of": len(rows), "seconds": round(seconds, 3)}
        cells = [[{**row, **own}.get(name) for name in self.columns] for row in rows]
        text = "".join(_line(row) for row in cells)
        with self.path.open("ab", buffering=0) as file:
            head = "" if file.tell() else _line(self.columns)
            file.write((head + text).encode())
            os.fsync(file.fileno())
        self._pieces[key] = cells

    def sha256(self, keys: Sequence[str]) -> str:
        """Digest of the rows of `keys` in that order, to the last digit, without the seconds they took."""
        kinds = [kind for name, kind in self.columns.items() if name != "seconds"]
        at = list(self.columns).index("seconds")
        digest = hashlib.sha256(_line(name for name in self.columns if name != "seconds").encode())
        for key in keys:
            for row in self._pieces[key]:
                cells = zip(kinds, row[:at] + row[at + 1 :], strict=True)
                # as its kind: a whole number in a column of floats is read back from the file as a float
                digest.update(_line(None if cell is None else kind(cell) for kind, cell in cells).encode())
        return digest.hexdigest()

    def table(self, keys: Sequence[str]) -> pl.DataFrame:
        """The rows of `keys`, in that order; every one of them must be done."""
        import polars as pl

        kinds = {str: pl.String, int: pl.Int64, float: pl.Float64}
        schema = {name: kinds[kind] for name, kind in self.columns.items()}
        rows = [row for key in keys for row in self._pieces[key]]
        return pl.DataFrame(rows, schema=schema, orient="row").drop("of", "seconds")

    def _read(self) -> None:
        content = self.path.read_bytes() if self.path.exists() else b""
        head = _line(self.columns).encode()
        whole = content[: content.rfind(b"\n") + 1]
        if not (whole.startswith(head) if whole else head.startswith(content)):
            raise SolverError(
                f"{self.path} does not hold results of this study as this version writes them; "
                "move it away or name another folder"
            )
        lines = list(self._numbered(whole[len(head) :]))
        kept = len(whole)
        for key, piece in groupby(lines, key=lambda line: line[1][0]):
            block = list(piece)
            rows = [self._parsed(number, cells) for number, cells, _ in block]
            complete = len(rows) == rows[0][1]
            if complete:
                self._pieces.setdefault(key, rows)
            elif block[-1] is lines[-1] and len(rows) < int(rows[0][1] or 0):
                kept = len(head) + block[0][2]  # the piece that was being written when the power went
            else:
                raise SolverError(
                    f"{self.path}, line {block[0][0]}: {len(rows)} rows of {key} where {rows[0][1]} belong; "
                    "delete them to have them redone"
                )
        if kept != len(content):
            os.truncate(self.path, kept)

    def _numbered(self, content: bytes) -> Iterator[tuple[int, list[str], int]]:
        """Line number in the file, cells, and offset after the heading, of each line."""
        at = 0
        for number, line in enumerate(content.splitlines(keepends=True), start=2):
            try:
                cells = next(csv.reader([line.decode(errors="replace")]), [])
            except csv.Error as error:
                raise self._unreadable(number, error) from error
            yield number, cells or [""], at
            at += len(line)

    def _parsed(self, number: int, cells: list[str]) -> list[Cell]:
        try:
            row = [
                kind(cell) if cell else None for kind, cell in zip(self.columns.values(), cells, strict=True)
            ]
            if row[1] is None or any(isinstance(cell, int) and abs(cell) >= 1 << 63 for cell in row):
                raise ValueError("a whole number is missing, or lies beyond 64 bits")
        except ValueError as error:
            raise self._unreadable(number, error) from error
        return row

    def _unreadable(self, number: int, error: Exception) -> SolverError:
        return SolverError(
            f"{self.path}, line {number}: {error}; delete the lines of its key to have them redone"
        )


def _line(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow("" if value is None else value for value in values)
    if any(sign in text.getvalue()[:-1] for sign in "\r\n"):
        raise ValueError("a result cell holds a line break")
    return text.getvalue()
