"""Problems as compressed numpy archives; see :mod:`solvers.files.layouts` for the layout."""

import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Problem
from solvers.errors import SolverError, first_line
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

PARTS = ("shape", "row", "column", "value")
"""Endings of the arrays that make up a sparse matrix."""
KINDS = {"integers": "iu", "flags": "biu", "flag": "biu", "names": "U"}
"""numpy kinds a field may have; numbers of any kind where nothing is said."""

DAMAGED = (
    ValueError,
    EOFError,
    KeyError,
    RuntimeError,
    MemoryError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    SyntaxError,
)
"""What zip and numpy raise for archives that are damaged, encrypted or packed in a way they do not know."""

Arrays = dict[str, npt.NDArray[Any]]


def read(path: Path) -> Problem:
    """The problem of an NPZ file; nothing in it is ever executed.

    Raises:
        SolverError: for arrays that are missing, unknown, or of a wrong type or dimension.
    """
    arrays = _load(path)
    head = {key: arrays[key].item() for key in HEAD if key in arrays and arrays[key].ndim == 0}
    layout = check_head(head, path)
    present = {_field(name, layout.fields) for name in arrays}
    check_fields(layout, present, path)
    values = {name: _decode(arrays, field, name) for name, field in layout.fields.items() if name in present}
    return layout.build(values)


def _load(path: Path) -> Arrays:
    try:
        with path.open("rb") as stream:  # numpy leaves a damaged archive open that it opened itself
            loaded = np.load(stream, allow_pickle=False)
            if not isinstance(loaded, np.lib.npyio.NpzFile):
                raise SolverError(
                    f"{path}: a single array, not an archive; write it with solvers.write_problem."
                )
            with loaded:
                arrays = {name: loaded[name] for name in loaded.files}
    except DAMAGED as error:
        if isinstance(error, SolverError):
            raise
        raise SolverError(f"{path}: not a numpy archive of plain arrays ({first_line(error)}).") from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):  # bytes: its entry does not begin as an array does
            raise SolverError(f"{path}: {name} is no array, so it is damaged or was not written by numpy.")
    return arrays


def _field(name: str, fields: Any) -> str:
    stem, _, part = name.rpartition("_")
    return stem if part in PARTS and stem in fields and fields[stem].kind == "matrix" else name


def _decode(arrays: Arrays, field: Field, name: str) -> Any:
    if field.kind == "matrix" and name not in arrays:
        return _sparse(arrays, name)
    array = arrays[name]
    if array.dtype.kind not in KINDS.get(field.kind, "biuf"):
        what = {"integers": "integers", "names": "text", "flag": "bool", "flags": "bool"}
        raise SolverError(f"{name}: dtype {array.dtype}, {what.get(field.kind, 'numbers')} expected.")
    if field.kind in ("flag", "real"):
        if array.ndim:
            raise SolverError(f"{name}: shape {array.shape}, a single value expected.")
        return bool(array) if field.kind == "flag" else float(array)
    if array.ndim != field.dimensions:
        raise SolverError(f"{name}: {array.ndim} dimensions, {field.dimensions} expected.")
    if field.kind == "names":
        return check_names(array.tolist(), name)
    if array.dtype.kind in "iu" and field.kind in ("reals", "matrix"):
        exact = np.abs(array.astype(np.float64)) <= 2.0**53
        if not exact.all():
            at = tuple(int(i) for i in np.argwhere(~exact)[0])
            raise SolverError(f"{name}{list(at)} = {array[at]}: beyond the integers double precision holds.")
    return array


def _sparse(arrays: Arrays, name: str) -> Any:
    from scipy.sparse import coo_array

    missing = [f"{name}_{part}" for part in PARTS if f"{name}_{part}" not in arrays]
    if missing:
        raise SolverError(f"{name}: {', '.join(missing)} missing; a sparse matrix has {', '.join(PARTS)}.")
    shape, row, column, value = (arrays[f"{name}_{part}"] for part in PARTS)
    whole = all(part.dtype.kind in "iu" for part in (shape, row, column))
    if not whole or shape.shape != (2,) or row.ndim != 1 or not row.shape == column.shape == value.shape:
        raise SolverError(
            f"{name}: shape must be two integers, row and column integers, value numbers, all three of one "
            "length."
        )
    m, n = (int(size) for size in shape)
    outside = (row < 0) | (row >= m) | (column < 0) | (column >= n)
    if outside.any():
        k = int(np.flatnonzero(outside)[0])
        raise SolverError(f"{name}: entry {k} at ({row[k]}, {column[k]}) lies outside the shape {(m, n)}.")
    place = row.astype(np.int64) * n + column
    _, first, counts = np.unique(place, return_index=True, return_counts=True)
    if (counts > 1).any():
        k = int(first[counts > 1][0])
        raise SolverError(f"{name}: ({row[k]}, {column[k]}) is given more than once.")
    return coo_array((value.astype(np.float64), (row, column)), shape=(m, n)).tocsc()


def write(path: Path, problem: Problem) -> None:
    """Write a problem as compressed arrays, with fixed time stamps: equal problems give equal files.

    Raises:
        SolverError: for a problem type without a layout.
    """
    kind, layout = layout_of(problem)
    arrays: dict[str, Any] = {"format": FORMAT, "version": VERSION, "type": kind}
    for name, field in layout.fields.items():
        value = getattr(problem, name)
        if hasattr(value, "tocoo"):
            sparse = value.tocoo()
            parts = (np.array(sparse.shape), sparse.row, sparse.col, sparse.data)
            arrays |= {f"{name}_{part}": data for part, data in zip(PARTS, parts, strict=True)}
        elif value is not None:
            arrays[name] = value if field.kind in ("flag", "real") else field.array(value)
    with path.open("wb") as file:  # numpy would add .npz to a name that ends in .NPZ
        np.savez_compressed(file, **arrays)
