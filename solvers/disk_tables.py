"""Tables that stay on disk: read-only arrays of rows in a temporary file.

Parts of rows are read from the file into plain arrays, so that nothing but these takes memory. (Looking at
them through a mapping would not do: the system makes up to 2 MB resident around every address.) A mapping
serves whatever asks for scattered columns, row by row, or for all of the table at once.

The file has no name and is gone when its table is, or when the process ends, however it ends. It lies where
`tempfile` puts such files: the folder in the environment variable TMPDIR, which should be on a disk, not in
memory (tmpfs).
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.errors import SolverError


class DiskTable(np.ndarray):
    """A read-only (m, n) array in a file.

    ``table[j]``, ``table[j, columns]``, ``table[:, columns]`` and iteration over rows give plain arrays with
    just what was asked for. ``table[rows]`` of a list of rows is another table on disk. Whatever takes all of
    the table at once makes all of it resident.
    """

    _file: Any
    _mapping: mmap.mmap | None

    def __array_finalize__(self, other: object) -> None:
        self._file = self._mapping = None  # parts and results are plain

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def __getitem__(self, key: Any) -> Any:
        if self._file is None:
            return super().__getitem__(key)
        if isinstance(key, tuple) and not key:
            return self
        if isinstance(key, list | np.ndarray) and np.ndim(key) == 1:
            rows = np.arange(len(self))[key]
            return stacked((self[int(j)] for j in rows), self.dtype, self.shape[1])
        row, columns = _row_and_columns(key)
        if isinstance(columns, list | np.ndarray) and isinstance(row, slice) and np.ndim(columns) == 1:
            return self._gathered(range(len(self))[row], columns)
        if isinstance(columns, int | np.integer) and not isinstance(columns, bool):
            at = range(self.shape[1])[columns]
            found = self._read(np.arange(len(self))[row], slice(at, at + 1))[..., 0]
        elif isinstance(columns, slice) and columns.indices(self.shape[1])[2] == 1:
            found = self._read(np.arange(len(self))[row], columns)
        else:
            found = np.array(super().__getitem__(key))
            _let_go(self._mapping)
        if not found.ndim:
            return found[()]
        found.flags.writeable = False
        return found

    def _read(self, rows: npt.NDArray[np.intp], columns: slice) -> npt.NDArray[Any]:
        """A span of one row, where `rows` is a number, or of each of some."""
        start, stop, _ = columns.indices(self.shape[1])
        found = np.empty((*rows.shape, max(0, stop - start)), dtype=self.dtype)
        if not found.size:
            return found
        for j, part in zip(rows.ravel().tolist(), found.reshape(rows.size, -1), strict=True):
            if not hasattr(os, "preadv"):
                part[:] = super().__getitem__((j, columns))
                continue
            left, at = part.view(np.uint8).data, (j * self.shape[1] + start) * self.itemsize
            while left.nbytes:
                size = os.preadv(self._file.fileno(), [left], at)
                if not size:
                    raise SolverError(
                        f"a temporary file in {tempfile.gettempdir()} ends after {at} of {self.nbytes} "
                        "bytes; another program cut it off, so start again"
                    )
                left, at = left[size:], at + size
        return found

    def _gathered(self, rows: range, columns: Any) -> npt.NDArray[Any]:
        """These columns, laid out as numpy lays them out, so that sums of them round alike."""
        places = np.arange(self.shape[1])[columns]
        found = np.empty((len(rows), len(places)), dtype=self.dtype, order="F")
        for at, j in enumerate(rows):
            found[at] = self[j, places]
        found.flags.writeable = False
        return found

    def astype(self, *args: Any, **options: Any) -> Any:
        """A plain array in memory."""
        return self.view(np.ndarray).astype(*args, **options)

    def __reduce__(self) -> Any:
        return np.array(self.view(np.ndarray)).__reduce__()


def _row_and_columns(key: Any) -> tuple[Any, Any]:
    """Of an index in square brackets; columns are None for what is left to numpy: new axes, masks (m, n)."""
    given = key if isinstance(key, tuple) else (key,)
    if (
        len(given) > 2
        or given[0] is None
        or isinstance(given[0], bool)
        or (len(given) == 1 and np.ndim(given[0]) > 1)
    ):
        return None, None
    return given[0], given[1] if len(given) == 2 else slice(None)


def let_go(mapped: np.memmap[Any, Any]) -> None:
    """Let go of what is resident of a mapped file; nothing of it is lost."""
    _let_go(mapped.base)


def _let_go(mapping: object) -> None:
    if isinstance(mapping, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


class TableWriter:
    """Rows of equal length, written one after another; all have one type.

    Args:
        kind: type of the numbers.
        width: numbers of a row, n; None for as many as the first row has.
    """

    def __init__(self, kind: npt.DTypeLike, width: int | None = None) -> None:
        self._kind, self._width = np.dtype(kind), width
        self._file: Any = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 – the table closes it
        self._rows = self._written = 0

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._file.close()

    def add(self, row: npt.NDArray[Any]) -> None:
        """The next row, (n,). `SolverError` for one of another length, and for a full disk."""
        self._width = _checked(row, self._rows, self._width)
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
        """The rows, (m, n). Nothing can be written any more. Without a row n is the width, 0 where none is
        known."""
        each = self._width or 0
        if not self._written:
            return np.empty((self._rows, each), dtype=self._kind).view(DiskTable)
        mapping = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        flat = np.frombuffer(mapping, dtype=self._kind)
        table = flat.reshape(self._rows, each).view(DiskTable)
        table._mapping, table._file, self._file = mapping, self._file, None
        return table


def stacked(rows: Iterable[npt.NDArray[Any]], kind: npt.DTypeLike, width: int | None = None) -> DiskTable:
    """A table of these rows, each (n,); `width` is n where there may be no row."""
    writer = TableWriter(kind, width)
    for row in rows:
        writer.add(row)
    return writer.table()


class ArrayWriter:
    """What `TableWriter` is, for an array in memory of at most m rows of n numbers, shape (m, n)."""

    def __init__(self, shape: tuple[int, int], kind: npt.DTypeLike) -> None:
        self._array = np.empty(shape, dtype=kind)
        self._rows = 0

    def add(self, row: npt.NDArray[Any]) -> None:
        """The next row, (n,). `SolverError` for one of another length, and for one too many."""
        _checked(row, self._rows, self._array.shape[1])
        if self._rows == len(self._array):
            raise SolverError(f"a table of {self._rows} rows is full; make it for all that are to come")
        self._array[self._rows] = row
        self._rows += 1

    def table(self) -> npt.NDArray[Any]:
        """The rows that were added, (m, n) or fewer."""
        return self._array if self._rows == len(self._array) else self._array[: self._rows]


def _checked(row: npt.NDArray[Any], at: int, width: int | None) -> int:
    """The length of row number `at`, which must be `width` unless that is None."""
    shape = np.shape(row)
    if len(shape) != 1 or width not in (None, shape[0]):
        wanted = "one dimension" if width is None else f"shape {(width,)}"
        raise SolverError(f"row {at} of a table has shape {shape}; give rows of {wanted}, all alike")
    return int(shape[0])


def writer_like(
    table: npt.NDArray[Any], kind: npt.DTypeLike, number: int | None = None
) -> TableWriter | ArrayWriter:
    """For `number` rows (as many as `table` has) as long as those of `table` (m, n), kept where it is: on
    disk or in memory."""
    if isinstance(table, DiskTable):
        return TableWriter(kind, table.shape[1])
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
