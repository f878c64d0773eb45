"""Reading labels for the rows of a pool."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.classes import Labels, class_text, encode, shorten
from certify.errors import PoolError
from certify.label_studio import SUFFIX
from certify.pool import Pool
from certify.reading.columns import Coded, Column, coded, row_ids
from certify.reading.label_studio import read_label_studio
from certify.reading.layouts import ID
from certify.reading.matching import positions
from certify.reading.probabilities import TRUTH, array_names, read_array
from certify.reading.tables import SUFFIXES, TableFile, check_file, open_table, quoted
from certify.risks import UNLABELLED, Codes

LABEL = "label"
LABEL_SUFFIXES = (*SUFFIXES, SUFFIX)


def read_labels(
    path: str | os.PathLike[str], pool: Pool, *, label_map: Mapping[str, str] | None = None
) -> Labels:
    """Labels of a CSV or Parquet file (``id`` and ``label``, rows in any order), of an .npz file
    (``ground_truth``, (n,)), or of a .json file that Label Studio exported (`certify.reading.label_studio`).

    A blank or ``?`` means not labelled, and so does a row that the file leaves out. A pool without ids
    takes ``label`` alone, one a row of the pool, or an ``id`` that is the row's position counted from 0.
    label_map: how labels are spelled → classes of the pool. An id may occur again with the same label,
    which is counted in a notice.

    Raises `PoolError` for ids that are not in the pool, conflicting labels, and labels that are no class.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
    >>> len(certify.read_labels(IONOSPHERE_LABELS, certify.read_pool(IONOSPHERE)).rows)
    106
    """
    file_path = Path(path)
    check_file(file_path, LABEL_SUFFIXES)
    mapping = None if label_map is None else _canonical(label_map)
    if file_path.suffix.lower() == SUFFIX:
        return _counted(file_path, read_label_studio(file_path, pool, mapping))
    if file_path.suffix.lower() == ".npz":
        return _counted(file_path, Labels(_from_npz(file_path, pool, mapping)))
    file = open_table(file_path)
    if LABEL not in file.columns:
        raise PoolError(
            f"{file_path} has no column {LABEL!r} (found: {shorten(map(repr, file.columns), 12)}); accepted: "
            f"{ID} and {LABEL}, or {LABEL} alone for a pool without ids; blank or ? means not labelled"
        )
    has_ids = ID in file.columns
    if pool.row_ids is not None and not has_ids:
        raise PoolError(
            f"{file_path} has no column {ID!r} but the rows of the pool have ids; give {ID} and {LABEL}"
        )
    frame = file.read([ID, LABEL] if has_ids else [LABEL])
    ids = row_ids(Column(file, ID, frame[ID])) if has_ids else None
    column = Column(file, LABEL, frame[LABEL], ids)
    found = coded(column, "labels")
    codes = _encoded(found, pool, mapping, str(file_path))
    if ids is None:
        unknown = np.flatnonzero(_question_marks(column.values))
        return _counted(file_path, Labels(_by_position(codes, pool, file), unknown))
    rows = _rows(Column(file, ID, ids), pool)
    placed, notices = _placed(codes, rows, Column(file, LABEL, column.values, ids), pool)
    marked = np.unique(rows.to_numpy()[_question_marks(column.values)]).astype(np.int64)
    return _counted(file_path, Labels(placed, marked[placed[marked] == UNLABELLED], notices))


def _canonical(label_map: Mapping[str, str]) -> dict[str, str]:
    mapping: dict[str, str] = {}
    for label, name in label_map.items():
        label_text, name_text = class_text(label), class_text(name)
        if label_text is None or name_text is None:
            raise PoolError(f"label map {label!r}: {name!r} maps no label; blank and ? mean not labelled")
        if mapping.setdefault(label_text, name_text) != name_text:
            raise PoolError(f"label map sends {label_text!r} to two classes; keep one of them")
    return mapping


def _encoded(found: Coded, pool: Pool, mapping: Mapping[str, str] | None, where: str) -> Codes:
    """Codes into the labels found as codes into the pool's classes."""
    if not found.classes:
        return found.codes
    table = encode(np.array(found.classes, dtype=object), pool.classes, mapping, where)
    return np.append(table, np.int16(UNLABELLED))[found.codes]


def _from_npz(path: Path, pool: Pool, mapping: Mapping[str, str] | None) -> Codes:
    truth = read_array(path, TRUTH)
    if truth is None:
        raise PoolError(
            f"{path} has no array {TRUTH!r} (found: {array_names(path)}); it holds the labels, one a row"
        )
    if pool.row_ids is not None:
        raise PoolError(f"{path} has no ids but the rows of the pool have; give a file with {ID} and {LABEL}")
    if truth.shape != (pool.n,):
        raise PoolError(
            f"{path}: {TRUTH!r} has shape {truth.shape}; the pool has {pool.n} rows, so ({pool.n},)"
        )
    return encode(truth, pool.classes, mapping, f"{path}, {TRUTH}")


def _by_position(codes: Codes, pool: Pool, file: TableFile) -> Codes:
    if len(codes) != pool.n:
        raise PoolError(
            f"{file.path} has {len(codes)} labels for {pool.n} rows; without ids give one a row, blank or ? "
            "where unknown, or add a column id with the row's position counted from 0"
        )
    return codes


def _rows(column: Column, pool: Pool) -> pl.Series:
    """Row of the pool for each id."""
    if pool.row_ids is None:
        known = pl.Series("id", range(pool.n), dtype=pl.Int64)
        accepted = f"the pool has no ids, so an id is a row's position, 0 to {pool.n - 1}"
    else:
        known = pool.row_ids if isinstance(pool.row_ids, pl.Series) else pl.Series("id", list(pool.row_ids))
        accepted = f"ids of the pool look like {shorten(quoted(str(name)) for name in known[:3])}"
    rows = positions(column.values, known)
    unknown = column.values.filter(rows.is_null())
    if len(unknown):
        names = shorten(quoted(str(name)) for name in unknown)
        number = "1 id is" if len(unknown) == 1 else f"{len(unknown)} ids are"
        column.refuse(f"{number} not in the pool: {names}; {accepted}")
    return rows


def _placed(codes: Codes, rows: pl.Series, column: Column, pool: Pool) -> tuple[Codes, tuple[str, ...]]:
    """Codes by row of the pool, and a notice about ids that occur again."""
    placed = np.full(pool.n, UNLABELLED, dtype=np.int16)
    at = rows.to_numpy().astype(np.int64)
    marked = codes != UNLABELLED
    placed[at[marked]] = codes[marked]
    conflicts = marked & (placed[at] != codes)
    if conflicts.any():
        line = int(np.argmax(conflicts))
        other = int(np.flatnonzero(marked & (at == at[line]) & (codes != codes[line]))[0])
        here, there = pool.classes[codes[line]], pool.classes[codes[other]]
        number = _distinct(at[conflicts], pool.n)
        column.fail(
            line,
            f"label {here!r} here but {there!r} on data row {other + 1} "
            f"({number} {'id has' if number == 1 else 'ids have'} conflicting labels); keep one label an id",
        )
    repeated = len(at) - _distinct(at, pool.n)
    if not repeated:
        return placed, ()
    rows_repeat = "1 row repeats" if repeated == 1 else f"{repeated} rows repeat"
    return placed, (f"{column.file.path}: {rows_repeat} an id without contradicting its label",)


def _distinct(rows: npt.NDArray[np.int64], n: int) -> int:
    seen = np.zeros(n, dtype=bool)
    seen[rows] = True
    return int(seen.sum())


def _question_marks(values: pl.Series) -> npt.NDArray[np.bool_]:
    """Which cells say that nobody can tell."""
    if values.dtype != pl.String:
        return np.zeros(len(values), dtype=bool)
    return (values == "?").fill_null(False).to_numpy().astype(bool)


def _counted(path: Path, labels: Labels) -> Labels:
    """`labels` with a notice of how many rows have none."""
    labelled, n = len(labels.rows), len(labels.codes)
    if labelled == n:
        return labels
    text = f"{path}: {labelled} rows labelled, {n - labelled} not"
    return replace(labels, notices=(*labels.notices, text))
