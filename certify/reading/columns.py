"""Cells to what the engine needs: exact float64 numbers, class codes, ids. Every defect names its cell.

Numbers written as text become the nearest double (correctly rounded, ties to even), as Python's `float`
reads them: texts of the same double are equal ("0.69999999999999996" is "0.7"), neighbouring doubles stay
apart, and no other value is altered. Blanks around a number are ignored; NaN, infinities and blank cells
are errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.classes import MAX_CLASSES, class_text, natural_order, shorten
from certify.errors import PoolError
from certify.reading.tables import TableFile, quoted
from certify.risks import UNLABELLED, Codes

FloatArray = npt.NDArray[np.float64]
_PART = 1 << 18


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a file with what an error message about a cell needs: the file, the ids, whose it is."""

    file: TableFile
    name: str
    values: pl.Series
    ids: pl.Series | None = None
    candidate: str | None = None

    def fail(self, row: int, problem: str) -> NoReturn:
        """Raises the error about the cell on a 0-based row."""
        name = None if self.ids is None else self.ids[row]
        whose = "" if self.candidate is None else f"candidate {self.candidate}: "
        raise PoolError(f"{whose}{self.file.place(row, name)}, column {self.name!r}: {problem}")

    def refuse(self, problem: str) -> NoReturn:
        """Raises an error about the whole column."""
        raise PoolError(f"{self.file.path}, column {self.name!r}: {problem}")


def numbers(column: Column, what: str = "confidences") -> FloatArray:
    """The column as finite float64, (n,); the rule is in the module docstring.

    Whole numbers stored as such that no double equals (from 2⁵³ + 1 on) are refused: they would be merged.
    """
    values = column.values
    kind = values.dtype
    if isinstance(kind, pl.Categorical | pl.Enum | pl.Decimal):
        values = values.cast(pl.String)
    elif not (kind.is_numeric() or kind in (pl.String, pl.Null)):
        column.refuse(f"holds {kind}; {what} are numbers")
    if values.dtype == pl.String:
        values = values.str.strip_chars()
    floats = values.cast(pl.Float64, strict=False)
    if floats.null_count():
        row = _first(floats.is_null())
        column.fail(row, f"{_shown(values[row])}; {what} are finite numbers{_comma_hint(values[row])}")
    if kind.is_integer():
        merged = (floats.cast(kind, strict=False) != values).fill_null(True)
        if merged.any():
            row = _first(merged)
            column.fail(row, f"no double equals {values[row]}; store {what} as floating point numbers")
    array = floats.to_numpy()
    finite = np.isfinite(array)
    if not finite.all():
        row = int(np.argmin(finite))
        more = f" ({int((~finite).sum())} such rows)"
        column.fail(row, f"{_shown(values[row])}{more}; {what} are finite numbers")
    return array


@dataclass(frozen=True, eq=False)
class Coded:
    """Codes (n,) int16 into `classes` (natural order), −1 where the cell says *not labelled*."""

    codes: Codes
    classes: tuple[str, ...]


def coded(column: Column, what: str = "predictions") -> Coded:
    """Class texts of a column and the code of each cell. O(n)."""
    values = column.values
    kind = values.dtype
    # older releases of polars cannot look up whole numbers of 128 bits, which decimals are too
    if isinstance(kind, pl.Categorical | pl.Enum | pl.Decimal) or kind == pl.Int128:
        values = values.cast(pl.String)
    elif not (kind.is_numeric() or kind in (pl.String, pl.Boolean, pl.Null)):
        column.refuse(f"holds {kind}; {what} are class names: text, whole numbers or true/false")
    if kind.is_float() and values.is_infinite().any():
        row = _first(values.is_infinite().fill_null(False))
        column.fail(row, f"found {values[row]}, which is no class name")
    distinct = values.unique()
    texts = [class_text(value) for value in distinct.to_list()]
    classes = natural_order(text for text in texts if text is not None)
    if len(classes) > MAX_CLASSES:
        column.refuse(
            f"{len(classes)} different {what} (such as {shorten(classes)}); at most {MAX_CLASSES} classes "
            "are supported, so this is probably not the column of class names"
        )
    code_of: dict[str | None, int] = {text: code for code, text in enumerate(classes)}
    codes = [code_of.get(text, UNLABELLED) for text in texts]
    table = pl.Series(codes, dtype=pl.Int16)
    if len(distinct) == 1:
        return Coded(np.full(len(values), codes[0], dtype=np.int16), classes)
    # part by part: what looks the values up takes several times the memory of a column
    parts = (values.slice(start, _PART) for start in range(0, len(values), _PART))
    found = [part.replace_strict(distinct, table, return_dtype=pl.Int16).to_numpy() for part in parts]
    return Coded(found[0] if len(found) == 1 else np.concatenate(found), classes)


def predicted(column: Column) -> Coded:
    """`coded` where a blank cell is an error."""
    result = coded(column)
    missing = result.codes < 0
    if missing.any():
        row = int(np.argmax(missing))
        column.fail(
            row,
            f"{_shown(column.values[row])}, which is no class ({int(missing.sum())} such rows); "
            "every candidate predicts every row",
        )
    return result


def row_ids(column: Column) -> pl.Series:
    """Ids as whole numbers or text; neither blank nor of another kind. Whether they differ is not checked."""
    values = column.values
    kind = values.dtype
    if isinstance(kind, pl.Categorical | pl.Enum):
        values = values.cast(pl.String)
    elif not (kind.is_integer() or kind == pl.String):
        column.refuse(f"holds {kind}; ids are whole numbers or text, so write them as one of these")
    blank = values.is_null()
    if values.dtype == pl.String:
        blank |= (values.str.len_bytes() == 0).fill_null(True)
    if blank.any():
        row = _first(blank)
        column.fail(row, f"the id is blank ({blank.sum()} such rows); every row has its own id")
    return values.alias("id")


def check_unique(column: Column) -> None:
    """Raises `PoolError` with the rows when an id occurs twice."""
    ids = column.values
    if ids.n_unique() == len(ids):
        return
    repeated = pl.DataFrame({"id": ids}).with_row_index("row").filter(pl.col("id").is_duplicated())
    groups = repeated.group_by("id", maintain_order=True).agg("row").rows()
    listed = [f"{quoted(str(name))} (rows {shorten(row + 1 for row in rows)})" for name, rows in groups]
    column.refuse(
        f"{len(listed)} {'id occurs' if len(listed) == 1 else 'ids occur'} more than once: "
        f"{shorten(listed)} (data rows counted from 1); remove the repeated rows or give each row its own id"
    )


def _first(mask: pl.Series) -> int:
    where = mask.arg_max()
    return 0 if where is None else int(where)


def _shown(value: object) -> str:
    if value is None or (isinstance(value, str) and not value):
        return "the cell is blank"
    return f"found {quoted(value)}"


def _comma_hint(value: object) -> str:
    if isinstance(value, str) and "," in value:
        return " written with a decimal point, not a comma"
    return ""
