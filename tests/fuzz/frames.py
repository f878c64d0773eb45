"""Parquet and numpy archives, changed: types of columns, single cells, bytes."""

from __future__ import annotations

import io
from datetime import date

import numpy as np
import polars as pl

from tests.fuzz.mutations import NASTY, damaged

KINDS = (
    pl.Int8, pl.Int32, pl.Int64, pl.UInt64, pl.Float32, pl.Float64, pl.Boolean, pl.String,
    pl.Categorical, pl.Binary,
    pl.Date, pl.Datetime, pl.Decimal(20, 4), pl.List(pl.Float64), pl.Struct({"a": pl.String}),
    pl.Null, pl.Int128,
)  # fmt: skip
ARRAYS = (
    np.int8,
    np.uint64,
    np.float16,
    np.float32,
    np.longdouble,
    np.complex128,
    np.bool_,
    "U8",
    "S8",
    "M8[D]",
    ">f8",
)


def parquet(frame):
    """Its bytes."""
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


def changed_frame(rng, frame):
    """A frame with one or two changes of type, cell, name or rows."""
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(frame.columns)
        change = rng.randrange(7)
        if change <= 1:
            frame = _cast(rng, frame, name)
        elif change <= 3:
            frame = _cell(rng, frame, name)
        elif change == 4:
            new = rng.choice((*NASTY, name.upper(), f" {name}", f"{name}.prediction"))
            frame = frame if new in frame.columns else frame.rename({name: new})
        elif change == 5 and frame.width > 1:
            frame = frame.drop(name)
        else:
            rows = (
                [rng.randrange(frame.height) for _ in range(rng.randrange(frame.height + 2))]
                if frame.height
                else []
            )
            frame = frame[rows]
    return frame


def _cast(rng, frame, name):
    column = frame[name]
    kind = rng.choice(KINDS)
    try:
        if kind == pl.Struct({"a": pl.String}):
            return frame.with_columns(pl.struct(pl.lit("x").alias("a")).alias(name))
        if isinstance(kind, pl.List):
            return frame.with_columns(pl.concat_list(name).alias(name))
        if kind == pl.Date:
            return frame.with_columns(pl.lit(date(2026, 1, 5)).alias(name))
        return frame.with_columns(column.cast(kind, strict=False))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return frame


def _cell(rng, frame, name):
    column = frame[name]
    if not frame.height:
        return frame
    at = rng.randrange(frame.height)
    value = rng.choice((None, None, rng.choice(NASTY), 0, 1, float("nan"), float("inf"), 2**53 + 1, -1, True))
    values = column.to_list()
    values[at] = value
    for kind in (column.dtype, pl.String):
        try:
            new = pl.Series(
                name, [v if v is None or kind != pl.String else str(v) for v in values], dtype=kind
            )
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            continue
        return frame.with_columns(new)
    return frame


def changed_arrays(rng, arrays):
    """Named arrays with one or two changes of type, shape, cell or name."""
    arrays = dict(arrays)
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(arrays))
        array, change = arrays[name], rng.randrange(7)
        if change <= 1:
            try:
                with np.errstate(all="ignore"):
                    arrays[name] = np.real(array).astype(rng.choice(ARRAYS))
            except (TypeError, ValueError, RuntimeError):
                arrays[name] = np.array("x")
        elif change == 2:
            arrays[name] = rng.choice(
                (array[..., None], array[:0] if array.ndim else array, array.ravel(), array.T)
            )
        elif change <= 4 and array.size and array.dtype.kind in "iufb":
            new = array.copy()
            nasty = (np.nan, np.inf, -1.0, 1e300, 0.5) if array.dtype.kind == "f" else (-1, 0, 1, 2, 100)
            value = rng.choice(nasty)
            if array.dtype.kind != "u" or value >= 0:
                new.flat[rng.randrange(array.size)] = value
            arrays[name] = new
        elif change == 5:
            arrays[rng.choice(("x", "predictions", "matrix_row", "é"))] = arrays.pop(name)
        else:
            arrays[rng.choice(("x", "ground_truth", "type"))] = np.arange(3)
        if not arrays:
            break
    return arrays


def archive(rng, arrays):
    """The arrays as an .npz file."""
    stream = io.BytesIO()
    (np.savez if rng.random() < 0.7 else np.savez_compressed)(stream, **arrays)
    return stream.getvalue()


def damaged_archive(rng, arrays):
    """An .npz file whose bytes are damaged, most often where zip and numpy keep what they need."""
    data = archive(rng, arrays)
    part = rng.choice((0, 0, 60, 140, len(data) - 160, len(data) - 60))
    if rng.random() < 0.3:
        return damaged(rng, data)
    end = min(len(data), max(0, part) + 140)
    start = max(0, part)
    return data[:start] + damaged(rng, data[start:end]) + data[end:]
