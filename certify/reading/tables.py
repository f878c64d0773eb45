"""A CSV or Parquet file as named columns, with words for where a cell is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from certify.classes import shorten
from certify.errors import PoolError
from certify.reading.csvtext import Dialect, open_csv
from solvers.csv_quotes import BLANKS
from solvers.errors import first_line

CSV_SUFFIXES = (".csv", ".tsv")
SUFFIXES = (*CSV_SUFFIXES, ".parquet", ".npz")
NO_ROWS = "{path} has a header but no rows; give at least one row"


@dataclass(frozen=True)
class TableFile:
    """A file whose header is read and whose cells are not yet.

    columns: names without surrounding blanks, as the rest of the package uses them. csv: how the text is
    written, None for Parquet. stored: the names as a Parquet file spells them. copies: Parquet files that
    hold what a CSV file says, columns named by position.
    """

    path: Path
    columns: tuple[str, ...]
    csv: Dialect | None
    stored: tuple[str, ...]
    copies: tuple[Path, ...] = ()

    @property
    def rows(self) -> int:
        """Data rows of a Parquet file, or of the copies of a CSV file."""
        return int(_scan(self.copies or (self.path,)).select(pl.len()).collect().item())

    def text_bytes(self, name: str) -> int:
        """Bytes of all cells of a column of text, which is read in a stream; 0 for other types."""
        at = self.columns.index(name)
        column = pl.col(str(at) if self.copies else self.stored[at])
        scanned = _scan(self.copies or (self.path,)).select(column)
        try:
            if scanned.collect_schema().dtypes() != [pl.String]:
                return 0
            sizes = scanned.select(pl.all().str.len_bytes().cast(pl.Int64).sum())
            return int(sizes.collect(engine="streaming").item() or 0)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            return 0  # `read` says what is wrong

    def read(self, names: Sequence[str]) -> pl.DataFrame:
        """The named columns: text with blanks trimmed from CSV, as stored from Parquet, which is read for
        these columns only."""
        positions = [self.columns.index(name) for name in names]
        if self.csv is not None:
            if self.copies:
                distinct = [str(at) for at in sorted(set(positions))]
                frame = _scan(self.copies).select(distinct).collect(engine="streaming").fill_null("")
            else:
                frame = self.csv.read()
                frame.columns = [str(at) for at in range(frame.width)]
            columns = [frame[str(at)].str.strip_chars(BLANKS).alias(self.columns[at]) for at in positions]
            table = pl.DataFrame(columns)
        else:
            stored = [self.stored[at] for at in positions]
            with_names = dict(zip(stored, names, strict=True))
            table = _parquet(self.path, stored).select(stored).rename(with_names)
        if not table.height:
            raise PoolError(NO_ROWS.format(path=self.path))
        return table

    def place(self, row: int, name: object = None) -> str:
        """Words for a 0-based data row: file, row counted from 1, line of a CSV file, id where known."""
        line = f" (line {self.csv.line(row)})" if self.csv is not None else ""
        known = "" if name is None else f", id {quoted(str(name))}"
        return f"{self.path}, data row {row + 1}{line}{known}"


def open_table(path: Path, folder: Path | None = None) -> TableFile:
    """Reads the header of a CSV or Parquet file. Raises `PoolError` for anything else.

    folder: where a CSV file is copied as Parquet, so that its columns can be read one by one.
    """
    check_file(path, (*CSV_SUFFIXES, ".parquet"))
    dialect = open_csv(path) if path.suffix.lower() in CSV_SUFFIXES else None
    stored = tuple(_parquet(path, None).columns) if dialect is None else dialect.header
    columns = tuple(name.strip() for name in stored)
    twice = [name for at, name in enumerate(columns) if name and name in columns[:at]]
    if twice:
        raise PoolError(
            f"{path}: column {shorten(map(repr, dict.fromkeys(twice)))} occurs more than once; "
            "give every column its own name"
        )
    if dialect is None or folder is None:
        return TableFile(path, columns, dialect, stored)
    own = Path(tempfile.mkdtemp(dir=folder))
    return TableFile(path, columns, dialect, stored, dialect.rewrite(own))


def quoted(value: object, most: int = 60) -> str:
    """A cell's value for a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def check_file(path: Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    """Raises `PoolError` unless `path` is a readable file whose name ends in one of `suffixes`."""
    try:
        exists, is_folder = path.exists(), path.is_dir()
        str(path).encode()  # the readers take names in UTF-8 only; UnicodeEncodeError is a ValueError
    except (OSError, ValueError) as error:
        raise PoolError(
            f"{str(path)[:80]!a} is no usable file name ({error}); give the path of a file"
        ) from None
    if is_folder:
        raise PoolError(f"{path} is a folder; name the files in it ({', '.join(suffixes)})")
    if not exists:
        raise PoolError(f"{path} does not exist; check the name (the current folder is {Path.cwd()})")
    if path.suffix.lower() not in suffixes:
        found = f"its name ends in {path.suffix!r}" if path.suffix else "its name has no ending"
        raise PoolError(f"{path} cannot be read: {found}; accepted are {', '.join(suffixes)}")
    if not path.is_file() or not os.access(path, os.R_OK):
        raise PoolError(f"{path} is not a file that can be read; check its kind and permissions")


def _scan(paths: Sequence[Path]) -> pl.LazyFrame:
    return pl.scan_parquet(list(paths), glob=False, hive_partitioning=False)


def _parquet(path: Path, columns: list[str] | None) -> pl.DataFrame:
    """The columns of a Parquet file, or an empty frame with all of its names when `columns` is None."""
    try:
        if columns is None:
            schema = pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
            return pl.DataFrame(schema=schema)
        return pl.read_parquet(path, columns=columns, glob=False, hive_partitioning=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = first_line(error)
        raise PoolError(f"{path} cannot be read as Parquet ({reason}); write it again, or give CSV") from None
