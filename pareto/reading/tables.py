"""CSV, Parquet or JSON lines as columns that can be scanned without reading all of a file at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from pareto.errors import BattleError
from pareto.reading.csvtext import Dialect, open_csv
from pareto.reading.files import CSV, JSON_LINES
from pareto.reading.jsonlines import explain, json_fields, scan_json
from pareto.reading.words import shortened
from pareto.schemas import Fields, KeyPath
from solvers.csv_quotes import read_alike
from solvers.errors import first_line

Scanned = dict[KeyPath, pl.Expr]
NO_ROWS = "{path} has columns but no rows; give at least one row"
FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


@dataclass(frozen=True)
class Place:
    """A data row of a file, counted from 1."""

    table: Table
    row: int

    def cell(self, column: KeyPath) -> str | None:
        """What the row has in a column, as text."""
        frame, scanned = self.table.scan([column])
        index = self.table.index_name()
        rows = frame.with_row_index(index, 1).filter(pl.col(index) == self.row)
        found = self.table.collect(rows.select(scanned[column].cast(pl.String))).item()
        return None if found is None else str(found)

    def refuse(self, column: KeyPath, problem: str) -> NoReturn:
        """Raises the error about a cell."""
        raise BattleError(f"{self.table.path}, data row {self.row}, column {'.'.join(column)!r}: {problem}")


@dataclass(frozen=True)
class Table:
    """A file with its columns, or several Parquet files with the same columns, which are scanned as one.

    path: the (first) file. kinds: types as stored in Parquet, None for other files, which hold text. csv: how
    CSV is written, None for other files. careful: a CSV file that is read record by record, see `csvtext`.
    others: further files. copies: Parquet files that hold the needed columns of another, see `limits`.
    """

    path: Path
    fields: Fields
    kinds: Mapping[str, Any] | None = None
    csv: Dialect | None = None
    careful: bool = False
    others: tuple[Path, ...] = ()
    copies: tuple[Path, ...] = ()

    @property
    def is_json(self) -> bool:
        """Whether it holds JSON lines."""
        return self.csv is None and self.kinds is None

    def scan(self, paths: Sequence[KeyPath]) -> tuple[pl.LazyFrame, Scanned]:
        """The rows, and an expression for each of these columns."""
        if self.csv is not None:
            places = {keys: str(self.csv.header.index(keys[0])) for keys in paths}
            if self.copies:
                frame = _parquet(*self.copies)
            elif self.careful:
                frame = self.csv.careful(sorted({int(name) for name in places.values()})).lazy()
            else:
                frame = self.csv.scan()
            return frame, {keys: pl.col(name) for keys, name in places.items()}
        if self.is_json and not self.copies:
            frame = scan_json(self.path, paths)
        else:
            frame = _parquet(*(self.copies or (self.path, *self.others)))
        return frame, {keys: expression(keys) for keys in paths}

    def kind(self, keys: KeyPath) -> Any:
        """The stored type of a column."""
        if self.kinds is None:
            return pl.String()
        kind = self.kinds[keys[0]]
        for key in keys[1:]:
            kind = next(inner.dtype for inner in kind.fields if inner.name == key)
        return kind

    def collect(self, frame: pl.LazyFrame) -> pl.DataFrame:
        """What the frame says of this file, read in a stream; raises `BattleError` for unreadable files."""
        try:
            return frame.collect(engine="streaming")
        except FAILURES as error:
            self._fail(error)

    def first_row(self, paths: Sequence[KeyPath], wrong: Callable[[Scanned], pl.Expr]) -> Place:
        """Where `wrong` is true first."""
        name = self.index_name()
        for path in (self.path, *self.others):
            table = replace(self, path=path, others=())
            frame, columns = table.scan(paths)
            rows = table.collect(frame.with_row_index(name, 1).filter(wrong(columns)).select(name).head(1))
            if len(rows):
                return Place(table, int(rows.item()))
        raise BattleError(
            f"{self.path} says something else when it is read again; write it again, or give CSV"
        )

    def index_name(self) -> str:
        """A name that no column has."""
        name = "row"
        while name in self.fields:
            name += "_"
        return name

    def last_is_blank(self) -> pl.Expr | None:
        """Whether the last column is blank, where that may mean a defect; None where it cannot."""
        if self.csv is None or self.careful:
            return None
        return pl.col(str(len(self.csv.header) - 1)).is_null()

    def _fail(self, error: BaseException) -> NoReturn:
        for path in (self.path, *self.others) if self.others else ():
            open_table(path)  # names the file that cannot be opened
        reason = first_line(error)
        if self.is_json:
            explain(self.path, reason)
        kind = "CSV" if self.csv is not None else "Parquet"
        like = f", or one of {len(self.others)} files with the same columns," if self.others else ""
        raise BattleError(f"{self.path}{like} cannot be read as {kind} ({reason}); write it again") from None


def open_table(path: Path) -> Table:
    """Reads the header, or the keys of JSON lines."""
    suffix = path.suffix.lower()
    if suffix in JSON_LINES:
        return Table(path, json_fields(path))
    if suffix in CSV:
        dialect = open_csv(path)
        twice = [name for at, name in enumerate(dialect.header) if name and name in dialect.header[:at]]
        if twice:
            raise BattleError(
                f"{path}: column {shortened(map(repr, dict.fromkeys(twice)))} occurs more than once; give "
                "every column its own name"
            )
        # of rows that are too long polars says nothing unless it reads all columns
        usual = dialect.on_first_line and read_alike(path, dialect.separator, len(dialect.header))
        return Table(path, dict.fromkeys(dialect.header), csv=dialect, careful=not usual)
    try:
        schema = _parquet(path).collect_schema()
        rows = _parquet(path).select(pl.len()).collect().item()
    except FAILURES as error:
        Table(path, {}, {})._fail(error)
    if not rows:
        raise BattleError(NO_ROWS.format(path=path))
    return Table(path, {name: nested_fields(kind) for name, kind in schema.items()}, dict(schema))


def joined(tables: Sequence[Table]) -> list[Table]:
    """The tables, neighbouring Parquet files with equal columns as one: scanned together they are grouped
    once instead of once each."""
    merged: list[Table] = []
    for table in tables:
        last = merged[-1] if merged else None
        if last is not None and last.kinds is not None and last.kinds == table.kinds:
            merged[-1] = replace(last, others=(*last.others, table.path))
        else:
            merged.append(table)
    return merged


def _parquet(*paths: Path) -> pl.LazyFrame:
    # in a damaged file the smallest and largest values stated may contradict the cells
    return pl.scan_parquet(list(paths), glob=False, hive_partitioning=False, use_statistics=False)


def expression(keys: KeyPath) -> pl.Expr:
    column = pl.col(keys[0])
    for key in keys[1:]:
        column = column.struct.field(key)
    return column


def nested_fields(kind: Any) -> Fields | None:
    if not isinstance(kind, pl.Struct):
        return None
    return {inner.name: nested_fields(inner.dtype) for inner in kind.fields}
