"""Problems as JSON text; see :mod:`solvers.files.layouts` for the layout."""

import json
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Problem
from solvers.errors import SolverError
from solvers.files.layouts import (
    FORMAT,
    HEAD,
    VERSION,
    Field,
    check_fields,
    check_head,
    check_names,
    layout_of,
)
from solvers.problems import INT64_MAX


def read(path: Path) -> Problem:
    """The problem of a JSON file.

    Raises:
        SolverError: for text that is not strict JSON, and for any value out of place, with its position.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise SolverError(f"{path}: key {twice!r} appears twice; each may appear once.")
        return table

    def refuse(text: str) -> Any:
        raise SolverError(f"{path}: {text} is not a number; finite numbers, and null for no bound, are read.")

    def finite(text: str) -> float:
        value = float(text)
        if not isfinite(value):
            raise SolverError(f"{path}: {text} is beyond double precision; use null for no bound.")
        return value

    try:
        document = json.loads(
            path.read_text(encoding="utf-8"),
            object_pairs_hook=unique,
            parse_constant=refuse,
            parse_float=finite,
        )
    except json.JSONDecodeError as error:
        raise SolverError(
            f"{path}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})."
        ) from error
    except RecursionError as error:
        raise SolverError(f"{path}: nested too deeply for a problem file.") from error
    if not isinstance(document, dict):
        raise SolverError(
            f"{path}: a JSON object is expected, with the keys {', '.join(HEAD)} and the fields."
        )
    layout = check_head(document, path)
    check_fields(layout, set(document), path)
    values = {
        name: _decode(document[name], field, name)
        for name, field in layout.fields.items()
        if name in document
    }
    return layout.build(values)


def _at(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else name


def _decode(value: Any, field: Field, name: str) -> Any:
    match field.kind:
        case "flag":
            if not isinstance(value, bool):
                raise SolverError(f"{name} = {value!r}: true or false expected.")
            return value
        case "real":
            return _number(value, field, name, ())
        case "names":
            if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
                raise SolverError(f"{name}: a list of texts is expected.")
            return check_names(value, name)
        case "matrix" if value is None:
            return None
    kind = {"integers": np.int64, "flags": np.bool_}.get(field.kind, np.float64)
    if isinstance(value, dict) and field.dimensions == 2:
        size, places, numbers = _entries(value, field, name)
        return _assembled(size, places, np.array(numbers, dtype=kind), sparse=field.kind == "matrix")
    flat, shape = _array(value, field, name, field.dimensions, ())
    return np.array(flat, dtype=kind).reshape(shape)


def _array(
    value: Any, field: Field, name: str, dimensions: int, place: tuple[int, ...]
) -> tuple[list[Any], tuple[int, ...]]:
    """Entries in row order and the shape of nested lists."""
    if dimensions == 0:
        return [_number(value, field, name, place)], ()
    if not isinstance(value, list):
        raise SolverError(f"{_at(name, place)}: a list is expected, {_shown(value)} found.")
    flat: list[Any] = []
    inner: tuple[int, ...] | None = None
    for k, part in enumerate(value):
        entries, shape = _array(part, field, name, dimensions - 1, (*place, k))
        if inner is not None and shape != inner:
            raise SolverError(f"{_at(name, (*place, k))}: {shape[0]} entries, {inner[0]} in the row before.")
        inner = shape
        flat += entries
    return flat, (len(value), *(inner if inner is not None else (0,) * (dimensions - 1)))


def _number(value: Any, field: Field, name: str, place: tuple[int, ...]) -> Any:
    where = _at(name, place)
    if field.kind == "flags":
        if not isinstance(value, bool) and value not in (0, 1):
            raise SolverError(f"{where} = {_shown(value)}: true or false expected.")
        return bool(value)
    if field.kind == "integers":
        if type(value) is not int:
            raise SolverError(f"{where} = {_shown(value)}: an integer without decimal point is expected.")
        if abs(value) > INT64_MAX:
            raise SolverError(f"{where} = {value}: beyond 64 bits; |value| ≤ {INT64_MAX} is accepted.")
        return value
    if value is None and field.missing is not None:
        return field.missing
    if isinstance(value, bool) or not isinstance(value, int | float):
        more = ", or null for no bound" if field.missing is not None else ""
        raise SolverError(f"{where} = {_shown(value)}: a number is expected{more}.")
    if isinstance(value, int) and (abs(value) > 10**300 or int(float(value)) != value):
        raise SolverError(f"{where} = {value}: double precision does not hold this integer exactly.")
    return float(value)


def _entries(
    value: dict[str, Any], field: Field, name: str
) -> tuple[tuple[int, int], dict[tuple[int, int], int], list[Any]]:
    """Shape, places (with their position in the list) and values of a table given entry by entry."""
    if set(value) != {"shape", "entries"}:
        raise SolverError(f'{name}: an object has the keys "shape" and "entries", not {sorted(value)}.')
    integers = Field("integers")
    shape, _ = _array(value["shape"], integers, f"{name}.shape", 1, ())
    if len(shape) != 2 or min(shape) < 0:
        raise SolverError(f"{name}.shape = {shape}: [rows, columns] expected.")
    if not isinstance(value["entries"], list):
        raise SolverError(f"{name}.entries: a list of [row, column, value] is expected.")
    places: dict[tuple[int, int], int] = {}
    numbers: list[Any] = []
    for k, entry in enumerate(value["entries"]):
        where = f"{name}.entries[{k}]"
        if not isinstance(entry, list) or len(entry) != 3:
            raise SolverError(f"{where} = {_shown(entry)}: [row, column, value] expected.")
        row, column = (_number(part, integers, where, (at,)) for at, part in enumerate(entry[:2]))
        if not (0 <= row < shape[0] and 0 <= column < shape[1]):
            raise SolverError(f"{where}: ({row}, {column}) lies outside the shape {tuple(shape)}.")
        if (row, column) in places:
            raise SolverError(
                f"{where}: ({row}, {column}) was given in entries[{places[row, column]}] already."
            )
        places[row, column] = k
        numbers.append(_number(entry[2], field, where, (2,)))
    return (shape[0], shape[1]), places, numbers


def _assembled(
    shape: tuple[int, int], places: Iterable[tuple[int, int]], numbers: npt.NDArray[Any], sparse: bool
) -> Any:
    index = np.array(list(places), dtype=np.int64).reshape(-1, 2).T
    if not sparse:
        dense = np.zeros(shape, dtype=numbers.dtype)
        dense[tuple(index)] = numbers
        return dense
    from scipy.sparse import coo_array

    return coo_array((numbers, tuple(index)), shape=shape).tocsc()


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def write(path: Path, problem: Problem) -> None:
    """Write a problem as JSON, one field a line, and the rows of a table one a line.

    Raises:
        SolverError: for a problem type without a layout.
    """
    kind, layout = layout_of(problem)
    lines = [f'"format": "{FORMAT}"', f'"version": {VERSION}', f'"type": "{kind}"']
    for name, field in layout.fields.items():
        value = getattr(problem, name)
        if value is not None:
            lines.append(f"{json.dumps(name)}: {_encode(value, field)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _encode(value: Any, field: Field) -> str:
    if field.kind in ("flag", "real", "names"):
        return json.dumps(list(value) if field.kind == "names" else value, ensure_ascii=False)
    if hasattr(value, "tocoo"):
        sparse = value.tocoo()
        entries = zip(sparse.row.tolist(), sparse.col.tolist(), sparse.data.tolist(), strict=True)
        shape = list(map(int, sparse.shape))
        return f'{{"shape": {json.dumps(shape)}, "entries": {_table(list(map(list, entries)))}}}'
    array = field.array(value)
    if array.ndim == 2 and array.size == 0:  # nested lists would lose the shape
        return f'{{"shape": {json.dumps(list(array.shape))}, "entries": []}}'
    if array.ndim == 2:
        return _table(array.tolist())
    if field.missing is not None:
        return json.dumps([None if v == field.missing else v for v in array.tolist()])
    return json.dumps(array.tolist())


def _table(rows: list[Any]) -> str:
    return "[" + ",\n  ".join(json.dumps(row) for row in rows) + "]"
