"""Cells that cannot be used: found among the combinations, named by the first row that has one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from functools import partial
from typing import NoReturn

import numpy as np
import polars as pl

from pareto.reading.cells import COUNT, FIRST, FLAGS, OBJECTIVE, SECOND, WORD
from pareto.reading.combinations import Combinations, text
from pareto.reading.flags import ACCEPTED, UNREADABLE, state, unpacked
from pareto.reading.jsonlines import LIKE_JSON, check_keys_once, check_name_values
from pareto.reading.outcomes import MEANING, decoded, refusal, unambiguous
from pareto.reading.tables import Place, Scanned
from pareto.reading.words import quoted, rows
from pareto.records import FIRST_WINS, SECOND_WINS
from pareto.schemas import KeyPath
from solvers.csv_quotes import BLANKS


def check_cells(found: Combinations) -> None:
    """Raises `BattleError` for outcomes, flags and names that are none, and for votes on a model without a
    name."""
    frame = found.frame
    if found.table.is_json:
        check_keys_once(found.table.path, sorted({keys[0] for keys in found.columns.paths}), found.lines)
        _check_json_names(found)
    if WORD in frame.columns:
        _check_words(found)
    for name in (FIRST, SECOND):
        nameless = _blank(pl.col(name))
        if WORD in frame.columns:
            nameless &= ~_blank(pl.col(WORD))
        votes = frame.filter(nameless)
        if len(votes):
            _refuse_nameless(found, name, int(votes[COUNT].sum()))
    if FLAGS in frame.columns:
        _check_flags(found)


def check_names(found: Combinations, models: Collection[str]) -> None:
    """Refuses outcomes that are models' names too, unless both readings agree wherever they occur.

    models: all names in the log, before any is renamed.
    """
    if WORD not in found.frame.columns:
        return
    lower = {model.lower() for model in models}
    words = [
        word
        for word in found.frame[WORD].drop_nulls().unique().to_list()
        if word.strip() and word.strip().lower() in lower
    ]
    rows_with = found.frame.filter(pl.col(WORD).is_in(words)).select(FIRST, SECOND, WORD).iter_rows()
    for first, second, word in rows_with:
        outcome = MEANING[word.strip().lower()]
        side = first if outcome == FIRST_WINS else second if outcome == SECOND_WINS else None
        if side is None or side.strip().lower() != word.strip().lower():
            column: KeyPath = (found.columns.outcomes[0],)
            _place(found, column, partial(operator.eq, word)).refuse(
                column,
                f"the outcome {word.strip()!r} is a model's name too, and with {quoted(first)} against "
                f"{quoted(second)} it can mean either; {unambiguous(outcome, lower)}",
            )


def _check_json_names(found: Combinations) -> None:
    """Names are text or whole numbers, as in other files.

    Scanned as text, 1.0 would become the name "1" and a list the text of a list, so a file with names that
    look like these is looked at once more, value by value.
    """
    where = {
        FIRST: found.columns.models[0],
        SECOND: found.columns.models[1],
        OBJECTIVE: found.columns.objective,
    }
    present = {name: column for name, column in where.items() if name in found.frame.columns and column}
    looks = [found.frame[name].cast(pl.String).str.contains(LIKE_JSON).any() for name in present]
    if any(looks):
        check_name_values(found.table.path, list(present.values()))


def _check_words(found: Combinations) -> None:
    outcomes = decoded(found.frame[WORD])
    if not outcomes.null_count():
        return
    wrong = found.frame.filter(outcomes.is_null())
    column: KeyPath = (found.columns.outcomes[0],)
    words = wrong[WORD].unique().to_list()
    place = _place(found, column, lambda cell: cell.is_in(words))
    models = [name.strip() for side in (FIRST, SECOND) for name in found.frame[side].drop_nulls().unique()]
    place.refuse(column, refusal(place.cell(column) or "", int(wrong[COUNT].sum()), models))


def _refuse_nameless(found: Combinations, name: str, votes: int) -> NoReturn:
    column: KeyPath = (found.columns.models[0 if name == FIRST else 1],)
    if found.columns.layout.counted:
        place = _place(found, column, _blank)
    else:
        outcome: KeyPath = (found.columns.outcomes[0],)
        place = found.table.first_row(
            [column, outcome],
            lambda scanned: _blank(_text(found, scanned, column)) & ~_blank(_text(found, scanned, outcome)),
        )
    place.refuse(
        column,
        f"the name is blank ({rows(votes)} with an outcome but without this name); name the model, or leave "
        "its outcome blank too, and the row is dropped and counted",
    )


def _check_flags(found: Combinations) -> None:
    states = unpacked(found.frame[FLAGS].to_numpy(), len(found.columns.flags))
    wrong = np.flatnonzero((states == UNREADABLE).any(axis=0))
    if len(wrong):
        column = found.columns.flags[int(wrong[0])]
        kind = found.table.kind(column)
        place = found.table.first_row([column], lambda scanned: state(scanned[column], kind) == UNREADABLE)
        place.refuse(column, f"found {quoted(place.cell(column))}; flags are {ACCEPTED}")


def _blank(cell: pl.Expr) -> pl.Expr:
    return cell.is_null() | (cell.str.strip_chars(BLANKS) == "").fill_null(False)


def _text(found: Combinations, scanned: Scanned, column: KeyPath) -> pl.Expr:
    return text(scanned[column], found.table.kind(column))


def _place(found: Combinations, column: KeyPath, wrong: Callable[[pl.Expr], pl.Expr]) -> Place:
    return found.table.first_row([column], lambda scanned: wrong(_text(found, scanned, column)))
