"""The auditor's own reading of CSV, Parquet and `.npz` files into plain columns, and of class names.

Only Parquet (polars) and `.npz` (numpy) need more than the standard library to be read.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from lzma import LZMAError
from pathlib import Path
from struct import error as StructError
from typing import Any
from zipfile import BadZipFile
from zlib import error as BadStream

from certify.errors import PoolError

_START = {b"SQLite format 3\0": "journal", b"PAR1": "parquet", b"PK\x03\x04": "npz"}

_NO_ARCHIVE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    BadZipFile,
    BadStream,
    LZMAError,
    StructError,
)

Column = Sequence[Any]


@dataclass(frozen=True)
class Table:
    """Columns by name, all of one length. CSV values are texts, Parquet values as stored."""

    path: Path
    columns: Mapping[str, Column]

    @property
    def length(self) -> int:
        return len(next(iter(self.columns.values())))


def kind_of(path: Path) -> str:
    """``journal``, ``parquet``, ``npz``, ``json`` or ``csv``, by how the content begins."""
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise PoolError(
            f"{path}: cannot be read ({error.strerror}); give the path of a readable file"
        ) from None
    for magic, kind in _START.items():
        if start.startswith(magic):
            return kind
    return "json" if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "csv"


def class_name(value: object) -> str | None:
    """The one spelling of a label: whole numbers as digits alone, texts without outer blanks.

    None for what means *not labelled*: None, NaN, blank, ``?``.
    """
    if value is None or value != value:
        return None
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    text = str(value).strip()
    whole, point, zeros = text.partition(".")
    digits = whole[1:] if whole[:1] in ("+", "-") else whole
    plain = digits.isascii() and digits.isdigit() and (digits == "0" or digits[0] != "0")
    if plain and (set(zeros) == {"0"} if point else True):
        return digits if whole[0] != "-" or digits == "0" else f"-{digits}"
    return None if text in ("", "?") else text


def natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key: numbers inside names count as numbers, and come before letters."""
    if re.fullmatch("-[0-9]{1,300}", name):
        return [(0, int(name), "")]
    pieces = re.findall(r"[0-9]{1,300}|[^0-9]+", name)
    return [(0, int(piece), piece) if piece[0] in "0123456789" else (1, 0, piece) for piece in pieces]


def read_table(path: Path) -> Table:
    """A Parquet file, or CSV text in UTF-8 with a header line, cells without outer blanks."""
    if kind_of(path) == "parquet":
        import polars as pl

        try:
            frame = pl.read_parquet(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise PoolError(f"{path}: not a readable Parquet file ({str(error)[:300]})") from None
        columns: dict[str, Column] = {name.strip(): frame[name].to_list() for name in frame.columns}
    else:
        rows = _csv_rows(path)
        header = rows[0] if rows else []
        for place, row in enumerate(rows[1:], 1):
            if len(row) != len(header):
                raise PoolError(
                    f"{path}: row {place} has {len(row)} fields where the header has {len(header)}"
                )
        if len(set(filter(None, header))) != len(list(filter(None, header))):
            raise PoolError(f"{path}: a column name occurs twice in {header[:10]}")
        columns = dict(zip(header, zip(*rows[1:], strict=True), strict=False))
    if not columns or not len(next(iter(columns.values()))):
        raise PoolError(f"{path}: no rows; pool and label files have a header line and one line a row")
    return Table(path, columns)


def read_npz(path: Path) -> dict[str, Any]:
    import numpy as np

    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
            strange = [name for name, array in found.items() if not isinstance(array, np.ndarray)]
            if strange:
                raise ValueError(f"{strange[0]!r} is no array")
            return found
    except _NO_ARCHIVE as error:
        raise PoolError(
            f"{path}: not a readable .npz file ({str(error)[:300] or type(error).__name__})"
        ) from None


def column_names(path: Path) -> Sequence[str]:
    kind = kind_of(path)
    if kind not in ("csv", "parquet"):
        return ()
    if kind == "parquet":
        import polars as pl

        return [name.strip() for name in pl.read_parquet_schema(path)]
    return _split(_first_line(path), _separator(path))


csv.field_size_limit(2**31 - 1)  # a row may show the annotator a long text


def _csv_rows(path: Path) -> list[list[str]]:
    """All records, blank lines left out except where a blank line is the blank cell of a single column."""
    separator = _separator(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=separator, skipinitialspace=True, strict=True)
            rows = [[cell.strip() for cell in row] for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PoolError(f"{path}: not a readable CSV file in UTF-8 ({error})") from None
    while rows and not any(rows[0]):
        rows = rows[1:]
    if rows and len(rows[0]) == 1:
        return [row or [""] for row in rows]
    return [row for row in rows if len(row) > 1 or any(row)]


def _separator(path: Path) -> str:
    """The one of comma, tab and semicolon that splits the header line most."""
    line = _first_line(path)
    return max(",\t;", key=lambda separator: len(_split(line, separator)))


def _first_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = next((line for line in file if line.strip()), "")
            for line in file:
                if header.count('"') % 2 == 0:
                    break
                header += line  # a name in quotes goes on
            return header
    except (OSError, UnicodeDecodeError) as error:
        raise PoolError(f"{path}: not a readable CSV file in UTF-8 ({error})") from None


def _split(line: str, separator: str) -> list[str]:
    rows = list(csv.reader(StringIO(line, newline=""), delimiter=separator, skipinitialspace=True))
    return [cell.strip() for cell in rows[0]] if rows else []
