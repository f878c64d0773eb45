"""Reading a log under a limit on memory.

Parquet is read in a stream anyway, of which a few row groups are in memory at a time. CSV is copied piece by
piece, the needed columns only, into Parquet files in a temporary folder. What cannot be streamed is refused
before it is tried: JSON lines, of which all of the file becomes resident, and single records (for clusters),
which are kept in memory, so many bytes each.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from pareto.errors import BattleError
from pareto.reading.files import JSON_LINES
from pareto.reading.tables import Table
from pareto.schemas import KeyPath
from solvers.csv_pieces import UnclearError, text_frames
from solvers.memory_limit import ACCEPTED, megabytes, parse_bytes, peak_resident, resident

RECORD_BYTES = 240
"""What a row takes at most while records are read; measured."""
BATCH = 1 << 16


@dataclass(frozen=True)
class MemoryLimit:
    """size: resident bytes of the process that are not to be exceeded. folder: for temporary files. peak: the
    most that were resident before."""

    size: int
    folder: Path
    peak: int

    def check_files(self, paths: Sequence[Path]) -> None:
        """Raises `BattleError` for JSON lines that do not fit."""
        for path in paths:
            if path.suffix.lower() in JSON_LINES:
                self._check(path.stat().st_size, f"{path}: JSON lines", "give Parquet or CSV")

    def check_records(self, path: Path, rows: int) -> None:
        """Raises `BattleError` when records of so many rows do not fit."""
        self._check(RECORD_BYTES * rows, f"{path}: {rows} records with clusters", "leave the cluster out")

    def copied(self, table: Table, paths: Sequence[KeyPath]) -> Table:
        """A CSV file with these columns in copies on disk; other files as they are."""
        if table.csv is None:
            return table
        last = len(table.csv.header) - 1
        columns = sorted({*(table.csv.header.index(keys[0]) for keys in paths), last})
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            if not table.careful:
                try:
                    frames = text_frames(table.path, table.csv.separator, table.csv.header, columns)
                    return replace(table, copies=_written(frames, folder))
                except UnclearError:
                    pass
            copies = _written(table.csv.batches(columns, BATCH), folder)
            return replace(table, copies=copies, careful=True)
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = (str(error).splitlines() or ["unknown reason"])[0]
            raise BattleError(
                f"{table.path} cannot be copied to {folder} ({reason}); make room there, or set TMPDIR to a "
                "folder with more"
            ) from None

    def notices(self) -> tuple[str, ...]:
        """Says so if the limit was exceeded all the same."""
        peak = peak_resident()
        if peak <= max(self.size, self.peak):
            return ()
        return (f"the memory limit of {megabytes(self.size)} was exceeded: {megabytes(peak)} were resident",)

    def _check(self, more: int, what: str, instead: str) -> None:
        needed = resident() + more
        if needed > self.size:
            raise BattleError(
                f"{what} need about {megabytes(needed)}, because they are all in memory; the limit is "
                f"{megabytes(self.size)}. Allow more, or {instead}"
            )


@contextmanager
def limited(limit: str | int | None) -> Iterator[MemoryLimit | None]:
    """A limit as the user wrote it, with a folder for as long as a log is read; None for no limit."""
    if limit is None:
        yield None
        return
    size = parse_bytes(limit)
    if size is None:
        raise BattleError(f"memory limit {limit!r} is no size; give {ACCEPTED}")
    try:
        folder = tempfile.TemporaryDirectory(prefix="pareto-")
    except OSError as error:
        raise BattleError(
            f"no temporary folder can be made ({error}); set TMPDIR to a folder on a disk with room"
        ) from None
    with folder as name:
        yield MemoryLimit(size, Path(name), peak_resident())


def _written(frames: Iterable[pl.DataFrame], folder: Path) -> tuple[Path, ...]:
    targets = []
    for number, frame in enumerate(frames):
        targets.append(folder / f"{number}.parquet")
        frame.write_parquet(targets[-1], compression="lz4")
    return tuple(targets)
