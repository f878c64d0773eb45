"""CSV text as columns of text: separator and header found out, every defect located by line.

Well-formed files are scanned by polars. It gives a short row the same cells as a row with blanks, and a blank
line as well, so a file with blanks in its last column, and every file it refuses, is read record by record
instead, which gives a table or names the line.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from pareto.errors import BattleError
from pareto.reading.words import shortened

SEPARATORS = (",", "\t", ";")
LONGEST_FIELD = 1 << 30
_FOREIGN = {
    b"PAR1": "a Parquet file; rename it to .parquet",
    b"PK\x03\x04": "a zip archive (a spreadsheet?); export the sheet as CSV",
    b"\x1f\x8b": "compressed with gzip; unpack it first",
    b"\xff\xfe": "UTF-16 text; save it as CSV in UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as CSV in UTF-8",
}


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written: its separator, its header without surrounding blanks, and whether that is
    on the first line."""

    path: Path
    separator: str
    header: tuple[str, ...]
    on_first_line: bool = True

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Lines and data records that begin there; blank lines are none. Raises `BattleError` at the first
        malformed one."""
        for line, record in islice(self.lines(), 1, None):
            if len(record) != len(self.header):
                raise BattleError(
                    f"{self.path}, line {line}: {len(record)} fields where the header has "
                    f"{len(self.header)} ({shortened(self.header, 10)}); every row has one field a column, "
                    f"and a field that contains {self.separator!r} is written in quotes"
                )
            yield line, record

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """All records that are not blank, the header among them, of whatever length."""
        former = csv.field_size_limit(LONGEST_FIELD)
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as stream:
                reader = csv.reader(stream, delimiter=self.separator, strict=True)
                line = 1
                try:
                    for record in reader:
                        if len(record) > 1 or any(cell.strip() for cell in record):
                            yield line, record
                        line = reader.line_num + 1
                except csv.Error as error:
                    raise BattleError(
                        f"{self.path}, line {line}: {error}; a field with quotes in it is written in "
                        'quotes, each inner quote doubled ("5"" disk")'
                    ) from None
                except UnicodeDecodeError as error:
                    raise BattleError(
                        f"{self.path} is not UTF-8 text ({error.reason}: byte "
                        f"0x{error.object[error.start]:02x}); save it as CSV in UTF-8"
                    ) from None
        finally:
            csv.field_size_limit(former)

    def scan(self) -> pl.LazyFrame:
        """All columns as text by polars, null where blank, named by position."""
        names = [str(place) for place in range(len(self.header))]
        return pl.scan_csv(
            self.path, separator=self.separator, new_columns=names, infer_schema=False, glob=False
        )

    def careful(self, positions: Sequence[int]) -> pl.DataFrame:
        """The columns at these positions, read record by record, named by position.

        A text is kept once however often it occurs.
        """
        codes = [array("I") for _ in positions]
        places: list[dict[str, int]] = [{} for _ in positions]
        wanted = list(zip(positions, codes, places, strict=True))
        for _, record in self.records():
            for at, column, place in wanted:
                column.append(place.setdefault(record[at], len(place)))
        return pl.DataFrame(
            [
                pl.Series(str(at), list(place) or [""], dtype=pl.String)
                .gather(np.frombuffer(column, dtype=np.uint32) if column else [])
                .replace("", None)
                for at, column, place in wanted
            ]
        )

    def batches(self, positions: Sequence[int], size: int) -> Iterator[pl.DataFrame]:
        """What `careful` gives, so many rows at a time; the last batch may be empty."""
        schema = dict.fromkeys(map(str, positions), pl.String)
        rows: list[list[str | None]] = []
        for _, record in self.records():
            rows.append([record[at] or None for at in positions])
            if len(rows) == size:
                yield pl.DataFrame(rows, schema=schema, orient="row")
                rows = []
        yield pl.DataFrame(rows, schema=schema, orient="row")


def open_csv(path: Path) -> Dialect:
    """Reads the header only. The separator is the one of comma, tab and semicolon that splits it most."""
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
    if not start.removeprefix(b"\xef\xbb\xbf").strip():
        raise BattleError(f"{path} is empty; a CSV file begins with a header line that names its columns")
    for magic, meaning in _FOREIGN.items():
        if start.startswith(magic):
            raise BattleError(f"{path} is not CSV text but {meaning}")
    if b"\0" in start:
        raise BattleError(f"{path} is not text (it contains zero bytes); give CSV in UTF-8 or Parquet")
    found: list[Dialect] = []
    defects: list[BattleError] = []
    for separator in SEPARATORS:
        try:
            line, record = next(Dialect(path, separator, ()).lines(), (1, [""]))
            found.append(Dialect(path, separator, tuple(name.strip() for name in record), line == 1))
        except BattleError as error:  # quotes that fit another separator
            defects.append(error)
    if not found:
        raise defects[0]
    return max(found, key=lambda dialect: len(dialect.header))
