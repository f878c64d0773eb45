"""What occurs in a file how often: one streaming pass over the needed columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pareto.errors import BattleError
from pareto.reading.cells import COUNT, FIRST, FLAGS, OBJECTIVE, SECOND, WORD
from pareto.reading.count_columns import counted_votes, summed
from pareto.reading.flags import ACCEPTED, is_flag, packed, state
from pareto.reading.layouts import Columns
from pareto.reading.outcomes import OTHER_WORD, coded_words, words_of_codes
from pareto.reading.tables import NO_ROWS, Scanned, Table
from pareto.schemas import KeyPath

SHORT = "short"


@dataclass(frozen=True, eq=False)
class Combinations:
    """Distinct combinations of the needed cells, as they are written.

    frame: `FIRST` and `SECOND` (names), `WORD` (`OUTCOME` in a table of counts), `OBJECTIVE` and `FLAGS`
    (packed) where there are such columns, `COUNT`. lines: rows of the file.
    """

    table: Table
    columns: Columns
    frame: pl.DataFrame
    lines: int


def combinations(table: Table, columns: Columns) -> Combinations:
    """Raises `BattleError` for unreadable files, columns of another type, and files without rows."""
    _check_kinds(table, columns)
    blank = table.last_is_blank()
    try:
        frame = _grouped(table, columns, blank)
        careful = blank is not None and (frame.is_empty() or bool(frame[SHORT].any()))
    except BattleError:
        if blank is None:
            raise
        careful = True
    if careful:
        table = replace(table, careful=True)
        frame = _grouped(table, columns, None)
    lines = int(frame[COUNT].sum())
    if not lines:
        raise BattleError(NO_ROWS.format(path=table.path))
    if columns.layout.counted:
        frame = counted_votes(frame, table, columns)
    return Combinations(table, columns, frame, lines)


def text(column: pl.Expr, kind: Any) -> pl.Expr:
    """A column of names or words as text."""
    return column if isinstance(kind, pl.String) else column.cast(pl.String)


def keys(table: Table, columns: Columns, scanned: Scanned) -> dict[str, pl.Expr]:
    """The cells that are told apart, as text but for the packed flags."""
    named: dict[str, KeyPath] = {FIRST: (columns.models[0],), SECOND: (columns.models[1],)}
    if not columns.layout.counted:
        named[WORD] = (columns.outcomes[0],)
    if columns.objective is not None:
        named[OBJECTIVE] = (columns.objective,)
    found = {name: text(scanned[path], table.kind(path)) for name, path in named.items()}
    if columns.flags:
        states = [state(scanned[path], table.kind(path)) for path in columns.flags]
        found[FLAGS] = packed(states, not columns.layout.multi_label)
    return found


def _grouped(table: Table, columns: Columns, blank: pl.Expr | None, known_words: bool = True) -> pl.DataFrame:
    """Combinations and how often each occurs. Grouping by codes of texts is several times as fast as grouping
    by texts; outcomes are coded by comparing them with the usual words, unless others are among them."""
    frame, scanned = table.scan(columns.paths)
    cells = keys(table, columns, scanned)
    texts = [name for name in cells if name != FLAGS and not (name == WORD and known_words)]
    codes = {name: cell.cast(pl.Categorical) if name in texts else cell for name, cell in cells.items()}
    if WORD in cells and known_words:
        codes[WORD] = coded_words(cells[WORD])
    told = [code.alias(name) for name, code in codes.items()]
    if blank is not None:
        told.append(blank.alias(SHORT))
    votes = summed(table, columns, scanned) if columns.layout.counted else []
    by = [code.meta.output_name() for code in told]
    sums = [pl.col(vote.meta.output_name()).sum() for vote in votes]
    number = pl.len().cast(pl.Int64).alias(COUNT)
    grouped = table.collect(frame.select(*told, *votes).group_by(by).agg(number, *sums))
    grouped = grouped.with_columns(pl.col(name).cast(pl.String) for name in texts)
    if WORD in cells and known_words:
        if (grouped[WORD] == OTHER_WORD).any():
            return _grouped(table, columns, blank, known_words=False)
        grouped = grouped.with_columns(words_of_codes(grouped[WORD]).alias(WORD))
    return grouped


def _check_kinds(table: Table, columns: Columns) -> None:
    names: list[KeyPath] = [(name,) for name in (*columns.models, columns.objective) if name is not None]
    words: list[KeyPath] = [] if columns.layout.counted else [(columns.outcomes[0],)]
    for path in names:
        kind = table.kind(path)
        if not (_is_text(kind) or kind.is_integer()):
            raise _refusal(table, path, kind, "names are text or whole numbers")
    for path in words:
        kind = table.kind(path)
        if not _is_text(kind):
            raise _refusal(table, path, kind, "outcomes are text: model_a, model_b, tie or both_bad")
    for path in columns.flags:
        kind = table.kind(path)
        if not is_flag(kind):
            raise _refusal(table, path, kind, f"flags are {ACCEPTED}")


def _is_text(kind: Any) -> bool:
    return isinstance(kind, pl.String | pl.Categorical | pl.Enum | pl.Null)


def _refusal(table: Table, path: KeyPath, kind: Any, accepted: str) -> BattleError:
    return BattleError(f"{table.path}, column {'.'.join(path)!r} holds {kind}; {accepted}")
