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
from solvers.memory_limit import exceeded, megabytes, peak_resident, resident, workspace

ROW_BYTES = 100
"""What reading and sorting one candidate takes a row, at most, with short ids; measured."""
SHORT_ID = 12
"""Letters of an id that take no room of their own."""
ID_COPIES = 4
"""What every further byte of an id takes while rows are matched, at most; measured."""
LIBRARIES = 100 << 20
"""What is loaded while planning or solving that is not loaded yet when reading begins; measured."""


@dataclass(frozen=True)
class MemoryLimit:
    """size: resident bytes of the process that are not to be exceeded. folder: for temporary files. before:
    resident bytes when reading began. peak: the most that were resident until then."""

    size: int
    folder: Path
    before: int
    peak: int

    def check(self, path: Path, rows: int, id_bytes: int = 0) -> None:
        """Raises `PoolError` when not even one candidate of so many rows, whose ids have so many bytes
        together, fits."""
        long = max(0, id_bytes - SHORT_ID * rows)
        needed = self.before + LIBRARIES + ROW_BYTES * rows + ID_COPIES * long
        if needed > self.size:
            raise PoolError(
                f"{path}: {rows} rows need about {megabytes(needed)}, because the ids and one candidate at "
                f"a time are in memory; the limit is {megabytes(self.size)}. Allow more, or use fewer rows"
            )

    def notices(self) -> tuple[str, ...]:
        """Says so if the limit was exceeded all the same."""
        return exceeded(self.size, self.peak, peak_resident())


@contextmanager
def limited(limit: str | float | None) -> Iterator[MemoryLimit | None]:
    """A limit as the user wrote it, with a folder for as long as files are read; None for no limit."""
    if limit is None:
        yield None
        return
    with workspace(limit, PoolError) as (size, folder):
        yield MemoryLimit(size, folder, resident(), peak_resident())
