"""A pool as named blobs and back, bit for bit, so that a resumed session needs no other file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.objectives import Objective, WeightedError, parse_objective
from certify.pool import Pool
from certify.tolerance import Exact

if TYPE_CHECKING:
    import polars as pl

Blob = bytes | memoryview


def freeze(pool: Pool) -> dict[str, Blob]:
    """Blobs by name.

    ``confidence/k``: (n,) little-endian float64 for each candidate. ``prediction/k``: (n,)
    little-endian int16 codes, only k = 0 when all predict alike. ``weight``: (n,) little-endian int32, the
    row weights of weighted error, absent for other objectives. ``ids`` and ``display``: UTF-8 JSON, a
    list and {column: [texts]}, absent when the pool has none.
    """
    blobs: dict[str, Blob] = {}
    for k, confidence in enumerate(pool.confidences):
        blobs[f"confidence/{k}"] = np.ascontiguousarray(confidence, dtype="<f8").data
    for k, codes in enumerate(pool.predictions):
        blobs[f"prediction/{k}"] = np.ascontiguousarray(codes, dtype="<i2").data
    if isinstance(pool.objective, WeightedError):
        blobs["weight"] = np.ascontiguousarray(pool.objective.weights, dtype="<i4").data
    if pool.row_ids is not None:
        blobs["ids"] = _json_blob(list(pool.ids), "ids")
    if pool.display is not None:
        columns = {
            column.name: [None if value is None else str(value) for value in column.to_list()]
            for column in pool.display.get_columns()
        }
        blobs["display"] = _json_blob(columns, "display columns")
    return blobs


def thaw(header: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Pool:
    """The pool that `freeze` took apart; `header` gives names, classes, kind, n and objective.

    Raises `PoolError`, or LookupError, TypeError or ValueError when the parts do not fit together.
    """
    names, classes, n = tuple(header["names"]), tuple(header["classes"]), int(header["n"])
    alike = "prediction/1" not in blobs
    predictions = [_column(blobs, f"prediction/{k}", "<i2", n) for k in range(1 if alike else len(names))]
    codes = np.stack(predictions).astype(np.int16, copy=False)
    if codes.min() < 0 or codes.max() >= len(classes):
        raise ValueError("a prediction is none of the classes")
    confidences = np.empty((len(names), n), dtype=np.float64)
    for k in range(len(names)):
        confidences[k] = _column(blobs, f"confidence/{k}", "<f8", n)
    ids = tuple(json.loads(blobs["ids"])) if "ids" in blobs else None
    display = _display(blobs.get("display"))
    objective = _objective(str(header["objective"]), blobs, n)
    return Pool(names, classes, header["kind"], codes, confidences, ids, display, objective=objective)


def _objective(name: str, blobs: Mapping[str, bytes], n: int) -> Objective:
    if "weight" not in blobs:
        return parse_objective(name, _no_values)
    objective = WeightedError(_column(blobs, "weight", "<i4", n), name.partition(":")[2])
    if objective.name != name:
        raise ValueError(f"row weights belong to no objective {name!r}")
    return objective


def _no_values(column: str) -> Sequence[Exact]:
    raise ValueError(f"the row weights {column!r} are missing")


def _display(blob: bytes | None) -> pl.DataFrame | None:
    if blob is None:
        return None
    import polars as pl  # slow to load, and most journals have nothing to show

    columns = json.loads(blob)
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _column(blobs: Mapping[str, bytes], name: str, dtype: str, n: int) -> npt.NDArray[Any]:
    column = np.frombuffer(blobs[name], dtype=dtype)
    if len(column) != n:
        raise ValueError(f"{name} has {len(column)} rows, not {n}")
    return column


def _json_blob(value: object, what: str) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError as error:
        raise PoolError(f"{what} contain text that UTF-8 cannot hold ({error}); spell it otherwise") from None
