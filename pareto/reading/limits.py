"""Reading a log under a limit on memory.

Parquet is read in a stream anyway, of which a few row groups are in memory at a time. CSV and JSON lines are
copied piece by piece, the needed columns only, into Parquet files in a temporary folder. What cannot be
streamed is refused before it is tried: single records (for clusters), which are kept in memory, so many bytes
each. So is a limit below what the program itself takes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pareto.errors import BattleError
from pareto.reading.jsonlines import json_frames
from pareto.reading.tables import Table
from pareto.schemas import KeyPath
from solvers.csv_pieces import UnclearError, text_frames
from solvers.memory_limit import exceeded, megabytes, peak_resident, resident, workspace
from solvers.parquet_parts import copying, write_parts

RECORD_BYTES = 240
"""What a row takes at most while records are read; measured."""
LIBRARIES = 64 << 20
"""What the smallest log takes when reading begins, most of it libraries that are loaded then; measured."""
BATCH = 1 << 16


@dataclass(frozen=True)
class MemoryLimit:
    """size: resident bytes of the process that are not to be exceeded. folder: for temporary files. peak: the
    most that were resident before."""

    size: int
    folder: Path
    peak: int

    def check_records(self, path: Path, rows: int) -> None:
        """Raises `BattleError` when records of so many rows do not fit."""
        needed = resident() + RECORD_BYTES * rows
        if needed > self.size:
            raise BattleError(
                f"{path}: {rows} records with clusters need about {megabytes(needed)}, because they are all "
                f"in memory; the limit is {megabytes(self.size)}. Allow more, or leave the cluster out"
            )

    def copied(self, table: Table, paths: Sequence[KeyPath]) -> Table:
        """CSV and JSON lines with these columns in copies on disk; Parquet files as they are."""
        if table.kinds is not None:
            return table
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        with copying(table.path, folder, BattleError):
            if table.csv is None:
                return replace(table, copies=write_parts(json_frames(table.path, paths), folder))
            last = len(table.csv.header) - 1
            columns = sorted({*(table.csv.header.index(keys[0]) for keys in paths), last})
            if not table.careful:
                try:
                    frames = text_frames(table.path, table.csv.separator, table.csv.header, columns)
                    return replace(table, copies=write_parts(frames, folder))
                except UnclearError:
                    pass
            copies = write_parts(table.csv.batches(columns, BATCH), folder)
            return replace(table, copies=copies, careful=True)

    def notices(self) -> tuple[str, ...]:
        """Says so if the limit was exceeded all the same."""
        return exceeded(self.size, self.peak, peak_resident())


@contextmanager
def limited(limit: str | float | None) -> Iterator[MemoryLimit | None]:
    """A limit as the user wrote it, with a folder for as long as a log is read; None for no limit.

    Raises `BattleError` for what is no size, and for less than the process takes with any log.
    """
    if limit is None:
        yield None
        return
    with workspace(limit, BattleError) as (size, folder):
        needed = resident() + LIBRARIES
        if needed > size:
            raise BattleError(
                f"the program itself takes about {megabytes(needed)} of memory for the smallest log; the "
                f"limit is {megabytes(size)}. Allow more"
            )
        yield MemoryLimit(size, folder, peak_resident())
