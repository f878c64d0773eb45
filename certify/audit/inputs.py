"""The auditor's own reading of pool and label files.

Text becomes a number by Python's `float`, labels are compared as text, rows are matched by id.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

from certify.audit.exact import AuditPool, exact_number
from certify.audit.objectives import lowest_terms
from certify.audit.tables import (
    Table,
    class_name,
    column_names,
    kind_of,
    natural,
    read_npz,
    read_table,
)
from certify.errors import PoolError

LOGARITHMIC = "neg-entropy"
SCORES = ("msp", LOGARITHMIC, "margin")


@dataclass(frozen=True)
class LabelFile:
    """Labels as texts: by id, or (`ids` None) one for every row in order. None = not labelled."""

    path: Path
    ids: tuple[str, ...] | None
    labels: tuple[str | None, ...]


def is_labels(path: Path) -> bool:
    """Whether the file has a `label` column and says nothing about predictions."""
    names = column_names(path)
    return "label" in names and not any(_says_something(name) for name in names)


def has_truth(path: Path) -> bool:
    """Whether the file is an `.npz` that brings its labels along."""
    return kind_of(path) == "npz" and "ground_truth" in read_npz(path)


def read_labels(path: Path) -> LabelFile:
    """A labels file (`label`, with `id` where the pool has ids), or the `ground_truth` of an `.npz`."""
    if path.suffix.lower() == ".json":
        raise PoolError(
            f"{path}: the auditor reads labels as CSV, Parquet or .npz, not as JSON; certify export, or "
            "certify.write_labels, writes them as .csv"
        )
    if kind_of(path) == "npz":
        truth = read_npz(path).get("ground_truth")
        if truth is None:
            raise PoolError(f"{path}: has no array 'ground_truth' to take labels from")
        return LabelFile(path, None, tuple(class_name(value) for value in truth.ravel().tolist()))
    table = read_table(path)
    if "label" not in table.columns:
        raise PoolError(f"{path}: no column 'label'; a labels file has columns id and label")
    labels = tuple(map(class_name, table.columns["label"]))
    return LabelFile(path, _ids(table), labels)


def match_labels(
    file: LabelFile,
    ids: tuple[str, ...] | None,
    n: int,
    classes: Sequence[str],
    label_map: Mapping[str, str] | None,
) -> list[int]:
    """Class code of every row, −1 where the file has no label."""
    codes = {name: code for code, name in enumerate(classes)}
    renamed = {class_name(old): class_name(new) for old, new in (label_map or {}).items()}
    if file.ids is None:
        if ids is not None:
            raise PoolError(
                f"{file.path}: no column id, but the rows of the pool have ids; give id and label"
            )
        if len(file.labels) != n:
            raise PoolError(
                f"{file.path}: {len(file.labels)} labels without ids for {n} rows; give one a row, or ids"
            )
        rows: Sequence[int] = range(n)
    else:
        position = {name: row for row, name in enumerate(ids or map(str, range(n)))}
        unknown = [name for name in file.ids if name not in position]
        if unknown:
            raise PoolError(f"{file.path}: {len(unknown)} ids are not in the pool, first {unknown[:3]}")
        rows = [position[name] for name in file.ids]
    truth = [-1] * n
    for row, label in zip(rows, file.labels, strict=True):
        if label is None:
            continue
        name = renamed.get(label, label)
        if name not in codes:
            raise PoolError(
                f"{file.path}: label {label!r} is not one of the classes {', '.join(classes[:10])}; spell "
                "labels as the predictions are spelled, or give a label map"
            )
        if truth[row] not in (-1, codes[name]):
            raise PoolError(f"{file.path}: two different labels for row {row if ids is None else ids[row]}")
        truth[row] = codes[name]
    return truth


def read_pool(
    paths: Sequence[Path], classes: Sequence[str] | None, scores: Sequence[str] | None
) -> AuditPool:
    """The candidates in the order of the files; rows of later files are matched by id to the first's.

    classes: declared beyond the predicted ones. scores: which of `SCORES` to read from probabilities.
    """
    candidates: list[_Candidate] = []
    for path in paths:
        read = _npz_candidates if kind_of(path) == "npz" else _candidates
        candidates += read(path, scores, len(paths) == 1)
    names = [candidate.name for candidate in candidates]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise PoolError(f"candidate name {twice[0]!r} occurs twice; names (file stems) must differ")
    if len(names) < 2:
        raise PoolError(f"{len(names)} candidate in the pool files; a choice needs two or more")
    ids = candidates[0].ids
    position = None if ids is None else {name: row for row, name in enumerate(ids)}
    aligned = [_align(candidate, candidates[0], position) for candidate in candidates]
    found = {label for candidate in candidates for label in candidate.classes}
    if classes is None and found <= {"0", "1"}:
        found = {"0", "1"}
    declared = [class_name(value) for value in classes or ()]
    every = tuple(sorted(found | {name for name in declared if name is not None}, key=natural))
    codes = {name: code for code, name in enumerate(every)}
    return AuditPool(
        tuple(names),
        every,
        ids,
        tuple(array("i", [codes[label] for label in labels]) for labels, _ in aligned),
        tuple(array("d", values) for _, values in aligned),
        tuple(candidate.rounded for candidate in candidates),
    )


def read_row_weights(paths: Sequence[Path], column: str, pool: AuditPool) -> list[int]:
    """The row weights in `column` of the first file that has it, in the order of the pool's rows."""
    path = next((path for path in paths if column in column_names(path)), None)
    if path is None:
        raise PoolError(f"no pool file has the column {column!r} with the row weights")
    table, values = read_table(path), list[Fraction]()
    for row, value in enumerate(table.columns[column]):
        number = exact_number(str(value))
        if number is None:
            raise PoolError(f"{path}: {column} in row {row} is {value!r}; accepted are exact numbers ≥ 0")
        values.append(number)
    whole, ids = lowest_terms(values), _ids(table)
    if len(whole) != pool.n or (ids is None) != (pool.ids is None):
        raise PoolError(f"{path}: {len(whole)} row weights do not fit a pool of {pool.n} rows")
    if ids is None or pool.ids is None:
        return whole
    weight_of = dict(zip(ids, whole, strict=True))
    if set(weight_of) != set(pool.ids):
        raise PoolError(f"{path}: its ids are not those of the pool")
    return [weight_of[name] for name in pool.ids]


@dataclass(frozen=True)
class _Candidate:
    """One candidate as its file says it: predicted class and confidence of every row in file order."""

    name: str
    path: Path
    ids: tuple[str, ...] | None
    labels: Sequence[str]
    confidences: Sequence[float]
    classes: frozenset[str]
    rounded: bool = False


def _says_something(column: str) -> bool:
    return column in ("prediction", "confidence") or (
        column.startswith("p_") or column.endswith((".prediction", ".confidence"))
    )


def _ids(table: Table) -> tuple[str, ...] | None:
    if "id" not in table.columns:
        return None
    ids = table.columns["id"]
    if None in ids or "" in ids:
        raise PoolError(f"{table.path}: an id is blank; every row has its own id")
    return tuple(map(str, ids))


def _candidates(path: Path, scores: Sequence[str] | None, alone: bool) -> list[_Candidate]:
    """The candidates of one CSV or Parquet file: one by `prediction` and `confidence`, several in a wide
    file, or by probability columns."""
    table = read_table(path)
    columns, ids = table.columns, _ids(table)
    if ids is not None and len(set(ids)) != len(ids):
        raise PoolError(f"{path}: an id occurs twice; ids must differ")
    wide = [name.rpartition(".")[0] for name in columns if name.endswith(".prediction")]
    if wide:
        return [_stated(table, name, f"{name}.", ids) for name in wide]
    classes = {class_name(name[2:]) for name in columns if name.startswith("p_")} - {None}
    complete = {"prediction", "confidence"} <= set(columns)
    if complete and (not classes or (len(classes) == 1 and classes != {"1"})):
        return [_stated(table, path.stem, "", ids)]
    if classes:
        return _from_probabilities(table, ids, scores, alone)
    raise PoolError(
        f"{path}: neither prediction and confidence, nor NAME.prediction and NAME.confidence, nor p_CLASS "
        f"columns among {', '.join(list(columns)[:10])}"
    )


def _stated(table: Table, name: str, prefix: str, ids: tuple[str, ...] | None) -> _Candidate:
    if f"{prefix}confidence" not in table.columns:
        raise PoolError(f"{table.path}: no column {prefix}confidence for candidate {name}")
    labels = [class_name(value) for value in table.columns[f"{prefix}prediction"]]
    missing = [row for row, label in enumerate(labels) if label is None]
    if missing:
        raise PoolError(f"{table.path}: no prediction of {name} in row {missing[0]}")
    values = _floats(table, f"{prefix}confidence")
    known = [label for label in labels if label is not None]
    return _Candidate(name, table.path, ids, known, values, frozenset(known))


def _floats(table: Table, column: str) -> list[float]:
    values = []
    for row, value in enumerate(table.columns[column]):
        try:
            if isinstance(value, str) and "_" in value:
                raise ValueError
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not isfinite(number):
            raise PoolError(f"{table.path}: {column} in row {row} is {value!r}; accepted are finite numbers")
        values.append(number)
    return values


def _from_probabilities(
    table: Table, ids: tuple[str, ...] | None, scores: Sequence[str] | None, alone: bool
) -> list[_Candidate]:
    """p_CLASS columns, or p_1 alone for classes 0 and 1. A stated confidence goes before a score."""
    import numpy as np

    classes = {name: class_name(name[2:]) for name in table.columns if name.startswith("p_")}
    given = {one: _floats(table, name) for name, one in classes.items() if one is not None}
    if set(given) == {"1"}:
        given["0"] = [1.0 - value for value in given["1"]]
    names = sorted(given, key=natural)
    matrix = np.array([given[name] for name in names], dtype=np.float64).T
    made = _scored(table.path, ids, names, np.ascontiguousarray(matrix), scores, alone)
    if "prediction" in table.columns:
        stated = [class_name(value) for value in table.columns["prediction"]]
        if stated != made[0].labels:
            row = next(
                row for row, pair in enumerate(zip(stated, made[0].labels, strict=True)) if len(set(pair)) > 1
            )
            raise PoolError(f"{table.path}: prediction and largest probability disagree in row {row}")
    if "confidence" in table.columns:
        return [replace(made[0], name=table.path.stem, confidences=_floats(table, "confidence"))]
    return made


def _npz_candidates(path: Path, scores: Sequence[str] | None, alone: bool) -> list[_Candidate]:
    import numpy as np

    stored = read_npz(path).get("predictions")
    if stored is None or stored.ndim != 2 or stored.shape[1] < 2 or not np.isfinite(stored).all():
        raise PoolError(f"{path}: no finite array 'predictions' of shape (n, classes)")
    names = [str(code) for code in range(stored.shape[1])]
    return _scored(path, None, names, np.ascontiguousarray(stored, dtype=np.float64), scores, alone)


def _scored(
    path: Path,
    ids: tuple[str, ...] | None,
    names: Sequence[str],
    matrix: Any,
    scores: Sequence[str] | None,
    alone: bool,
) -> list[_Candidate]:
    """Candidates of an (n, classes) float64 probability matrix: argmax, the first of `names` at exact ties,
    with each of `scores` as confidence; named by the file, or by the scores where they were chosen."""
    import numpy as np

    labels = [names[code] for code in np.argmax(matrix, axis=1).tolist()]
    found = []
    for score in scores or SCORES[:1]:
        if score not in SCORES:
            raise PoolError(f"unknown score {score!r}; choose among {', '.join(SCORES)}")
        if score == "msp":
            values = np.max(matrix, axis=1)
        elif score == "margin":
            ordered = np.sort(matrix, axis=1)
            values = ordered[:, -1] - ordered[:, -2]
        else:
            logs = np.log(np.where(matrix > 0, matrix, 1.0))
            values = np.sum(matrix * logs, axis=1)
        name = path.stem if scores is None else score if alone else f"{path.stem}.{score}"
        found.append(
            _Candidate(name, path, ids, labels, values.tolist(), frozenset(names), score == LOGARITHMIC)
        )
    return found


def _align(
    candidate: _Candidate, first: _Candidate, position: Mapping[str, int] | None
) -> tuple[Sequence[str], Sequence[float]]:
    """Labels and confidences in the first file's order of rows."""
    if (candidate.ids is None) != (position is None):
        raise PoolError(
            f"{candidate.path} and {first.path}: one has ids, the other has not; give both or neither"
        )
    if len(candidate.labels) != len(first.labels):
        raise PoolError(
            f"{candidate.path} has {len(candidate.labels)} rows, {first.path} has {len(first.labels)}; "
            "every candidate predicts every row"
        )
    if position is None or candidate.ids is None or candidate is first:
        return candidate.labels, candidate.confidences
    labels, values = list(candidate.labels), list(candidate.confidences)
    for name, label, value in zip(candidate.ids, candidate.labels, candidate.confidences, strict=True):
        if name not in position:
            raise PoolError(f"{candidate.path}: id {name!r} is not in {first.path}; both list the same rows")
        labels[position[name]], values[position[name]] = label, value
    return labels, values
