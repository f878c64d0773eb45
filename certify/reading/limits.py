"""Reading under a limit on memory: tables go to disk candidate by candidate.

A pool read so holds in memory what belongs to a row once (its id) and, one after another, what is worked out
of one candidate or one pair of candidates; confidences, predictions, weights and gains of all of them are
tables on disk (`solvers.disk_tables`), read from there in blocks. Results are the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from certify.errors import PoolError
from solvers.memory_limit import megabytes, resident, workspace

ROW_BYTES = 100
"""What reading and sorting one candidate takes a row, at most, with ids of a few letters; measured."""
LIBRARIES = 100 << 20
"""What is loaded while planning or solving that is not loaded yet when reading begins; measured."""


@dataclass(frozen=True)
class MemoryLimit:
    """size: resident bytes of the process that are not to be exceeded. folder: for temporary files. before:
    resident bytes when reading began."""

    size: int
    folder: Path
    before: int

    def check(self, path: Path, rows: int) -> None:
        """Raises `PoolError` when not even one candidate of so many rows fits."""
        needed = self.before + LIBRARIES + ROW_BYTES * rows
        if needed > self.size:
            raise PoolError(
                f"{path}: {rows} rows need about {megabytes(needed)}, because the ids and one candidate at "
                f"a time are in memory; the limit is {megabytes(self.size)}. Allow more, or use fewer rows"
            )


@contextmanager
def limited(limit: str | int | None) -> Iterator[MemoryLimit | None]:
    """A limit as the user wrote it, with a folder for as long as files are read; None for no limit."""
    if limit is None:
        yield None
        return
    with workspace(limit, PoolError) as (size, folder):
        yield MemoryLimit(size, folder, resident())
