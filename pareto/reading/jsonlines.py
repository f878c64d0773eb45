"""JSON lines: one object a line, read as text throughout.

Numbers and true/false become the text they are written as, so that a log reads the same as CSV and as JSON
lines. Nested objects stay nested; columns that are not needed are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from pareto.errors import BattleError
from pareto.reading.words import quoted
from pareto.schemas import Fields, KeyPath

Nested = dict[str, Any]


def json_fields(path: Path) -> Fields:
    """Names of all keys that occur anywhere in the file, nested as they are there. O(file)."""
    try:
        schema = pl.scan_ndjson(path, infer_schema_length=None).collect_schema()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        fields: Nested = {}
        for _, value in objects(path):  # one column of several types, or a malformed line, which is named
            _merge(fields, value)
        if not fields:
            raise BattleError(f"{path} is empty; give one JSON object a line") from None
        return fields
    return {name: _fields(kind) for name, kind in schema.items()}


def scan_json(path: Path, paths: Sequence[KeyPath]) -> pl.LazyFrame:
    """Those columns as text, nested columns with the named keys."""
    wanted: Nested = {}
    for keys in paths:
        level = wanted
        for key in keys[:-1]:
            level = level.setdefault(key, {})
        level.setdefault(keys[-1], None)
    return pl.scan_ndjson(path, schema={name: _kind(inner) for name, inner in wanted.items()})


def explain(path: Path, reason: str) -> NoReturn:
    """Raises the error that tells why polars could not read the file, by line where there is one."""
    for _ in objects(path):
        pass
    raise BattleError(
        f"{path} cannot be read as JSON lines ({reason}); write it again, or give CSV or Parquet"
    )


def objects(path: Path) -> Iterator[tuple[int, Nested]]:
    """Lines (from 1) and their objects; raises `BattleError` at the first line that holds none."""
    with path.open("rb") as stream:
        for line, text in enumerate(stream, 1):
            if not text.strip():
                continue
            try:
                value = json.loads(text, parse_constant=_no_constant)
            except ValueError as error:  # malformed JSON, or not UTF-8
                raise BattleError(
                    f"{path}, line {line}: no JSON ({error}); give one object a line, for example "
                    '{"model_a": "x", "model_b": "y", "winner": "model_a"}'
                ) from None
            if not isinstance(value, dict):
                raise BattleError(
                    f"{path}, line {line}: found {quoted(value)}; give one JSON object a line, not a list"
                )
            yield line, value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; write null")


def _merge(fields: Nested, value: Nested) -> None:
    for key, inner in value.items():
        if isinstance(inner, dict):
            if not isinstance(fields.get(key), dict):
                fields[key] = {}
            _merge(fields[key], inner)
        else:
            fields.setdefault(key, None)


def _fields(kind: Any) -> Fields | None:
    if not isinstance(kind, pl.Struct):
        return None
    return {field.name: _fields(field.dtype) for field in kind.fields}


def _kind(inner: Nested | None) -> Any:
    if inner is None:
        return pl.String
    return pl.Struct({name: _kind(deeper) for name, deeper in inner.items()})
