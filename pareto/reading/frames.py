"""Frames in memory as tables, read by the same rules as files: those of polars, and those of pandas without
importing it.

Only the columns that are needed are converted. Missing values of pandas (NaN, NaT, None, NA) are null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, Protocol

import numpy as np
import polars as pl

from pareto.errors import BattleError
from pareto.reading.tables import FAILURES, NO_ROWS, Scanned, Table, expression, nested_fields
from pareto.reading.words import shortened
from pareto.schemas import Fields, KeyPath
from solvers.errors import first_line

NAME = Path("frame")
"""What messages call a frame."""


class Frame(Protocol):
    """A polars DataFrame or LazyFrame, or a pandas DataFrame."""

    @property
    def columns(self) -> Any: ...


class Columns(Protocol):
    """The columns of a frame."""

    @property
    def fields(self) -> Fields: ...

    @property
    def kinds(self) -> Mapping[str, Any]: ...

    def rows(self, names: Sequence[str]) -> pl.LazyFrame:
        """The rows, with these columns at least."""


@dataclass(frozen=True)
class FrameTable(Table):
    """A frame as a table."""

    columns: Columns | None = None

    def scan(self, paths: Sequence[KeyPath]) -> tuple[pl.LazyFrame, Scanned]:
        """The rows, and an expression for each of these columns."""
        assert self.columns is not None
        names = list(dict.fromkeys(keys[0] for keys in paths))
        return self.columns.rows(names), {keys: expression(keys) for keys in paths}

    def _fail(self, error: BaseException) -> NoReturn:
        reason = first_line(error)
        raise BattleError(f"{self.path} cannot be read ({reason})") from error


def is_frame(given: object) -> bool:
    """Whether it is a frame of polars or pandas."""
    return isinstance(given, pl.DataFrame | pl.LazyFrame) or _is_pandas(given)


def frame_table(frame: Any) -> Table:
    """Raises `BattleError` for frames without rows and for columns without a name of their own."""
    columns: Columns = _Pandas(frame) if _is_pandas(frame) else _Polars(frame.lazy())
    try:
        table = FrameTable(NAME, columns.fields, columns.kinds, columns=columns)
        height = len(frame) if _is_pandas(frame) else frame.lazy().select(pl.len()).collect().item()
    except FAILURES as error:
        FrameTable(NAME, {}, {})._fail(error)
    if not height:
        raise BattleError(NO_ROWS.format(path=NAME))
    return table


@dataclass(frozen=True)
class _Polars:
    frame: pl.LazyFrame

    @cached_property
    def kinds(self) -> Mapping[str, Any]:
        return dict(self.frame.collect_schema())

    @cached_property
    def fields(self) -> Fields:
        return {name: nested_fields(kind) for name, kind in self.kinds.items()}

    def rows(self, names: Sequence[str]) -> pl.LazyFrame:
        return self.frame


class _Pandas(Mapping[str, Any]):
    """Columns converted when they are first looked at; a mapping of names to types."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.names = list(frame.columns)
        other = [name for name in self.names if not isinstance(name, str)]
        if other:
            raise BattleError(
                f"{NAME}: columns are called {shortened(map(repr, other))}; give every column a text "
                "as its name"
            )
        twice = [name for at, name in enumerate(self.names) if name in self.names[:at]]
        if twice:
            raise BattleError(
                f"{NAME}: column {shortened(map(repr, dict.fromkeys(twice)))} occurs more than once; give "
                "every column its own name"
            )
        self.converted: dict[str, pl.Series] = {}

    @property
    def kinds(self) -> Mapping[str, Any]:
        return self

    @cached_property
    def fields(self) -> Fields:
        return {name: nested_fields(self[name]) if self._is_nested(name) else None for name in self.names}

    def rows(self, names: Sequence[str]) -> pl.LazyFrame:
        return pl.LazyFrame([self._series(name) for name in names])

    def __getitem__(self, name: str) -> Any:
        if name not in self.names:
            raise KeyError(name)
        return self._series(name).dtype

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def _is_nested(self, name: str) -> bool:
        column = self.frame[name]
        if column.dtype != object:
            return False
        there = np.flatnonzero(column.notna())
        return len(there) > 0 and isinstance(column.iloc[int(there[0])], dict)

    def _series(self, name: str) -> pl.Series:
        if name not in self.converted:
            self.converted[name] = _converted(name, self.frame[name])
        return self.converted[name]


def _converted(name: str, column: Any) -> pl.Series:
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return pl.Series(name, column.to_numpy(), nan_to_null=True)
    missing = np.asarray(column.isna(), dtype=bool).tolist()
    values = [None if gone else value for value, gone in zip(column.tolist(), missing, strict=True)]
    nested = {isinstance(value, dict) for value in values if value is not None}
    try:
        if len(nested) > 1:
            raise TypeError("objects and other values")  # which polars would take for null
        if True in nested:
            return pl.from_dicts([{name: value} for value in values], infer_schema_length=None)[name]
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        kinds = shortened(dict.fromkeys(type(value).__name__ for value in values if value is not None))
        raise BattleError(
            f"{NAME}, column {name!r} holds values of the types {kinds}, which are no column of one type; "
            "convert it, for example with astype(str)"
        ) from error


def _is_pandas(given: object) -> bool:
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas"
        for kind in type(given).__mro__
    )
