"""CSV text to columns of text: separator and header found out, every defect located by line.

Well-formed files go through polars. Whatever it refuses, or could have read in two ways (a short row looks
like a blank last cell to it), is read again record by record, which either gives the same table or names
the line.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from certify.classes import shorten
from certify.errors import PoolError
from solvers.csv_pieces import UnclearError, text_frames
from solvers.csv_quotes import read_alike
from solvers.parquet_parts import copying, write_parts

SEPARATORS = (",", "\t", ";")
_BATCH = 1 << 16
"""Rows of a CSV file that are copied together."""
_FOREIGN = {  # first bytes of what people name .csv by mistake
    b"PAR1": "a Parquet file; rename it to .parquet",
    b"PK\x03\x04": "a zip archive (a spreadsheet or an .npz?); export the sheet as CSV, or rename an .npz",
    b"\x1f\x8b": "compressed with gzip; unpack it first",
    b"\xff\xfe": "UTF-16 text; save it as CSV in UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as CSV in UTF-8",
}


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written: its separator and its header, names without surrounding blanks."""

    path: Path
    separator: str
    header: tuple[str, ...]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Data records and the lines they begin on; blank lines are skipped, except in one-column files,
        where they are blank cells. Raises `PoolError` at the first malformed record."""
        return islice(self._lines(), 1, None)

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        header_seen = False
        with self.path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, delimiter=self.separator, strict=True)
            line = 1
            try:
                for record in reader:
                    if any(record) and (len(record) > 1 or record[0].strip()):
                        header_seen = True
                        yield line, record
                    elif header_seen and (len(self.header) == 1 or len(record) > 1):
                        yield line, record or [""]
                    line = reader.line_num + 1
            except csv.Error as error:
                raise PoolError(
                    f"{self.path}, line {line}: {error}; a field with quotes in it is written in quotes, "
                    'each inner quote doubled ("5"" disk"), and very long texts belong in Parquet'
                ) from None
            except UnicodeDecodeError as error:
                raise _not_utf8(self.path, error) from None

    def line(self, row: int) -> int:
        """1-based line on which the 0-based data row begins."""
        return next((line for line, _ in islice(self.records(), row, None)), row + 2)

    def read(self) -> pl.DataFrame:
        """All columns as text, one a header name (by position; names may repeat), "" where blank."""
        frame = self._quick()
        if frame is None:
            frame = self._careful()
        return frame

    def _quick(self) -> pl.DataFrame | None:
        """The table by polars, or None when only a careful reading can tell what the file says."""
        if not read_alike(self.path, self.separator):
            return None
        try:
            frame = pl.read_csv(self.path, separator=self.separator, infer_schema=False, glob=False)
        except (pl.exceptions.PolarsError, OSError):
            return None
        if tuple(name.strip() for name in frame.columns) != self.header:
            return None
        if frame.height and frame.to_series(-1).null_count():
            return None
        return frame.select(pl.all().fill_null(""))

    def _careful(self) -> pl.DataFrame:
        return next(self._batches(sys.maxsize))

    def _batches(self, size: int) -> Iterator[pl.DataFrame]:
        """The table in batches of so many rows, columns named by position; the last may be empty."""
        width = len(self.header)
        columns: list[list[str]] = [[] for _ in range(width)]
        for line, record in self.records():
            if len(record) != width:
                raise PoolError(
                    f"{self.path}, line {line}: {len(record)} fields where the header has {width} "
                    f"({shorten(self.header, 10)}); every row has one field a column, and a field that "
                    f"contains {self.separator!r} is written in quotes"
                )
            for column, value in zip(columns, record, strict=True):
                column.append(value)
            if len(columns[0]) == size:
                yield _text_table(columns)
                columns = [[] for _ in range(width)]
        yield _text_table(columns)

    def rewrite(self, folder: Path) -> tuple[Path, ...]:
        """What `read` gives, as Parquet files in an empty folder, columns named by position; never more than
        a part of it is in memory."""
        with copying(self.path, folder, PoolError):
            try:
                return write_parts(text_frames(self.path, self.separator, self.header), folder)
            except UnclearError:
                return write_parts(self._batches(_BATCH), folder)


def _text_table(columns: list[list[str]]) -> pl.DataFrame:
    names = [str(position) for position in range(len(columns))]
    return pl.DataFrame(dict(zip(names, columns, strict=True)), schema=dict.fromkeys(names, pl.String))


def open_csv(path: Path) -> Dialect:
    """Reads the header only. The separator is the one of comma, tab and semicolon that splits it most.

    As RFC 4180 has it, a quote opens a quoted field only as its first character.
    """
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
    if not start.removeprefix(b"\xef\xbb\xbf").strip():
        raise PoolError(f"{path} is empty; a CSV file begins with a header line that names its columns")
    for magic, meaning in _FOREIGN.items():
        if start.startswith(magic):
            raise PoolError(f"{path} is not CSV text but {meaning}")
    if b"\0" in start:
        raise PoolError(f"{path} is not text (it contains zero bytes); give CSV in UTF-8, Parquet or .npz")
    tab_first = path.suffix.lower() == ".tsv"
    headers: dict[str, tuple[str, ...]] = {}
    defects: list[PoolError] = []
    for separator in sorted(SEPARATORS, key=lambda separator: tab_first and separator != "\t"):
        try:
            _, record = next(Dialect(path, separator, ())._lines(), (1, [""]))
            headers[separator] = tuple(name.strip() for name in record)
        except PoolError as error:  # quotes that fit another separator
            defects.append(error)
    if not headers:
        raise defects[0]
    separator = max(headers, key=lambda separator: len(headers[separator]))
    return Dialect(path, separator, headers[separator])


def _not_utf8(path: Path, error: UnicodeDecodeError) -> PoolError:
    return PoolError(
        f"{path} is not UTF-8 text ({error.reason}: byte 0x{error.object[error.start]:02x}); "
        "save it as CSV in UTF-8"
    )
