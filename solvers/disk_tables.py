"""Tables that stay on disk: read-only arrays of rows in a temporary file, looked at through a mapping.

What is looked at becomes part of the resident memory of the process. A table counts that, and lets go of it
when it comes to more than `spare` bytes: the file keeps it, so nothing is lost and no result changes. Views
taken earlier stay valid; they are read from the file again.

The file has no name and is gone when the last table or view of it is, or when the process ends, however it
ends. It lies where `tempfile` puts such files: the folder in the environment variable TMPDIR, which should be
on a disk, not in memory (tmpfs).
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.errors import SolverError

AROUND = 1 << 16
"""What the system may make resident around an address that is looked at."""
SMALLEST_SPARE = 1 << 20


class DiskTable(np.ndarray):
    """A read-only (m, n) array in a file. Parts are plain arrays.

    ``table[j]``, ``table[j, rows]``, ``table[:, rows]`` and iteration over rows keep the resident part small;
    so does ``table[places]`` of a list of rows, which is another table on disk. Whatever takes all of the
    table at once makes all of it resident.
    """

    _mapping: mmap.mmap | None
    spare: int
    _resident: int

    def __array_finalize__(self, other: object) -> None:
        self._mapping, self.spare, self._resident = None, SMALLEST_SPARE, 0  # parts and results are plain

    def __getitem__(self, key: Any) -> Any:
        if self._mapping is None:
            return super().__getitem__(key)
        row, columns = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(row, slice) and row == slice(None) and isinstance(columns, list | np.ndarray):
            return self._gathered(columns)
        if isinstance(row, list | np.ndarray) and not isinstance(key, tuple):
            return stacked((self[int(j)] for j in np.arange(len(self))[row]), self.dtype, self.spare)
        found = super().__getitem__(key)
        self._count(row, columns)
        return found.view(np.ndarray) if isinstance(found, np.ndarray) else found

    def _gathered(self, columns: Any) -> npt.NDArray[Any]:
        """These columns, laid out as numpy lays them out, so that sums of them round alike."""
        places = np.arange(self.shape[1])[columns]
        found = np.empty((len(self), len(places)), dtype=self.dtype, order="F")
        for j in range(len(self)):
            found[j] = self[j, places]
        return found

    def astype(self, *args: Any, **options: Any) -> Any:
        """A plain array in memory."""
        return self.view(np.ndarray).astype(*args, **options)

    def _count(self, row: Any, columns: Any) -> None:
        """Let go of what is resident if what was just asked for would be too much beside it."""
        m, n = self.shape
        wide = n if not isinstance(columns, slice | int) else 1 if isinstance(columns, int) else None
        wide = len(range(*columns.indices(n))) if wide is None else wide
        rows = len(range(*row.indices(m))) if isinstance(row, slice) else 1
        wanted = rows * (wide * self.itemsize + AROUND)
        if self._resident and self._resident + wanted > self.spare:
            self.release()
        self._resident += wanted

    def release(self) -> None:
        """Let go of what is resident; where the system cannot be told, it decides."""
        if self._mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapping.madvise(mmap.MADV_DONTNEED)
        self._resident = 0

    def __reduce__(self) -> Any:
        return np.array(self.view(np.ndarray)).__reduce__()


def let_go(mapped: np.memmap[Any, Any]) -> None:
    """Let go of what is resident of a mapped file, as `DiskTable.release` does."""
    mapping = mapped.base
    if isinstance(mapping, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


class TableWriter:
    """Rows of equal length, written one after another; all have one type.

    Args:
        kind: type of the numbers.
        spare: bytes of the finished table that may be resident.
    """

    def __init__(self, kind: npt.DTypeLike, spare: int = SMALLEST_SPARE) -> None:
        self._kind, self._spare = np.dtype(kind), spare
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 – the mapping outlives a block
        self._rows = self._written = 0

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def add(self, row: npt.NDArray[Any]) -> None:
        """The next row, (n,)."""
        left = np.ascontiguousarray(row, dtype=self._kind).view(np.uint8).data
        try:
            while left.nbytes:
                written = self._file.write(left)
                left = left[written:]
                self._written += written
        except OSError as error:
            raise SolverError(
                f"a temporary file of {self._written / 1e6:.0f} MB in {tempfile.gettempdir()} cannot grow "
                f"({error.strerror}); make room there, or set TMPDIR to a folder with more"
            ) from None
        self._rows += 1

    def table(self) -> DiskTable:
        """The rows, (m, n). Nothing can be written any more."""
        each = self._written // max(1, self._rows) // self._kind.itemsize
        if not self._written:
            return np.empty((self._rows, each), dtype=self._kind).view(DiskTable)
        mapping = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file.close()  # the mapping keeps the file
        flat = np.frombuffer(mapping, dtype=self._kind)
        table = flat.reshape(self._rows, each).view(DiskTable)
        table._mapping, table.spare = mapping, self._spare
        return table


def stacked(rows: Iterable[npt.NDArray[Any]], kind: npt.DTypeLike, spare: int) -> DiskTable:
    """A table of these rows, each (n,)."""
    writer = TableWriter(kind, spare)
    for row in rows:
        writer.add(row)
    return writer.table()


class ArrayWriter:
    """What `TableWriter` is, for an array in memory whose shape (m, n) is known."""

    def __init__(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> None:
        self._array = np.empty(shape, dtype=kind)
        self._rows = 0

    def add(self, row: npt.NDArray[Any]) -> None:
        """The next row, (n,)."""
        self._array[self._rows] = row
        self._rows += 1

    def table(self) -> npt.NDArray[Any]:
        """The rows, (m, n)."""
        return self._array


def writer_like(
    table: npt.NDArray[Any], kind: npt.DTypeLike, number: int | None = None
) -> TableWriter | ArrayWriter:
    """For `number` rows (as many as `table` has) as long as those of `table` (m, n), kept where it is: on
    disk or in memory."""
    if isinstance(table, DiskTable):
        return TableWriter(kind, table.spare)
    return ArrayWriter((len(table) if number is None else number, table.shape[1]), kind)


def like(
    table: npt.NDArray[Any],
    rows: Iterable[npt.NDArray[Any]],
    kind: npt.DTypeLike,
    number: int | None = None,
) -> npt.NDArray[Any]:
    """These rows, in what `writer_like` makes."""
    writer = writer_like(table, kind, number)
    for row in rows:
        writer.add(row)
    return writer.table()
