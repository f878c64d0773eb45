"""Tables of counts: columns of votes instead of a row for each vote."""

from __future__ import annotations

from typing import Any, NoReturn

import polars as pl

from pareto.reading.cells import COUNT, FIRST, OBJECTIVE, OUTCOME, SECOND
from pareto.reading.layouts import Columns
from pareto.reading.tables import Scanned, Table
from pareto.reading.words import quoted
from pareto.records import BAD, FIRST_WINS, SECOND_WINS, TIED
from pareto.schemas import BOTH_BAD, TIES, WINS_A, WINS_B, KeyPath
from solvers.csv_quotes import BLANKS

OUTCOMES = {WINS_A: FIRST_WINS, WINS_B: SECOND_WINS, TIES: TIED, BOTH_BAD: BAD}
LARGEST = 10**12
ACCEPTED = f"whole numbers from 0 to {LARGEST:,} without separators; write 0 where nobody voted so"


def number(column: pl.Expr, kind: Any) -> pl.Expr:
    """The count in a cell, Int64; null for what is no count."""
    if kind.is_float():
        column = pl.when(column == column.floor()).then(column)
    elif isinstance(kind, pl.String | pl.Categorical | pl.Enum):
        written = column.cast(pl.String).str.strip_chars(BLANKS)
        column = pl.when(written.str.contains(r"^[0-9]+(\.0*)?$")).then(written.str.replace(r"\.0*$", ""))
    elif not (kind.is_integer() or isinstance(kind, pl.Null)):
        column = pl.lit(None)
    whole = column.cast(pl.Int64, strict=False)
    return pl.when((whole >= 0) & (whole <= LARGEST)).then(whole)


def summed(table: Table, columns: Columns, scanned: Scanned) -> list[pl.Expr]:
    """For every column of counts: the count, and, named after it, whether a cell is none."""
    votes = []
    for name in columns.outcomes:
        count = number(scanned[name,], table.kind((name,)))
        votes += [count.alias(name), count.is_null().cast(pl.Int64).alias(f"no {name}")]
    return votes


def counted_votes(frame: pl.DataFrame, table: Table, columns: Columns) -> pl.DataFrame:
    """One line for each outcome of a combination instead of one column; refuses cells that are no counts."""
    for name in columns.outcomes:
        if frame[f"no {name}"].sum():
            _refuse(table, name)
    cells = [name for name in (FIRST, SECOND, OBJECTIVE) if name in frame.columns]
    parts = [
        frame.select(*cells, pl.lit(OUTCOMES[name], pl.Int8).alias(OUTCOME), pl.col(name).alias(COUNT))
        for name in columns.outcomes
    ]
    return pl.concat(parts)


def _refuse(table: Table, name: str) -> NoReturn:
    column: KeyPath = (name,)
    kind = table.kind(column)
    place = table.first_row([column], lambda scanned: number(scanned[column], kind).is_null())
    cell = place.cell(column)
    found = "the cell is blank" if cell is None or not cell.strip() else f"found {quoted(cell)}"
    place.refuse(column, f"{found}; counts are {ACCEPTED}")
