"""Pools and labels: whatever `certify.read_pool` takes, the auditor's own reader must take and read alike."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import polars as pl

import certify
from certify.audit import inputs as auditor
from certify.errors import PoolError
from certify.label_studio import annotated_tasks
from tests.fuzz.frames import archive, changed_arrays, changed_frame, damaged_archive, parquet
from tests.fuzz.mutations import (
    changed_json,
    changed_table,
    damaged,
    damaged_lines,
    json_text,
    spoil,
    written,
)
from tests.fuzz.property import Case, Reader

N = 8
CLASSES = ("0", "1"), ("cat", "dog", "eel")


def tables(rng, with_ids):
    """Headers and rows of one file for each of three candidates; with ids if `with_ids`."""
    classes = CLASSES[rng.randrange(2)]
    ids = [f"r{row}" if rng.random() < 0.9 else str(row) for row in range(N)]
    found = []
    for _ in range(3):
        rows = [[rng.choice(classes), _confidence(rng)] for _ in range(N)]
        if with_ids:
            rows = [[name, *row] for name, row in zip(ids, rows, strict=True)]
        found.append((["id", "prediction", "confidence"][not with_ids :], rows))
    return found


def _confidence(rng):
    return rng.choice(("0.7", "0.69999999999999996", "0.1", "1", "5e-1", repr(rng.random()), "0.5", "12"))


def pool_answer(pool):
    return (
        pool.names,
        pool.classes,
        pool.ids,
        _codes(pool),
        [list(map(float.hex, row)) for row in pool.confidences],
    )


def _codes(pool):
    codes = np.broadcast_to(pool.predictions, (pool.candidates, pool.n))
    return [[pool.classes[code] for code in row] for row in codes]


def pool_case(paths, same=None, scores=None):
    def read():
        return pool_answer(certify.read_pool(paths, scores=scores))

    def check(answer):
        try:
            other = auditor.read_pool(paths, None, scores)
        except PoolError as error:
            return _refused(error)
        said = [[other.classes[code] for code in row] for row in other.predictions]
        numbers = [list(map(float.hex, row)) for row in other.confidences]
        theirs = other.names, other.classes, other.row_names, said, numbers
        if theirs[:4] != answer[:4] or (theirs[4] != answer[4] and not any(other.rounded)):
            return f"the auditor reads {theirs} where the pool is {answer}"
        return None

    return Case(read, check, same)


def _refused(error):
    """The auditor looks at all columns and arrays of a file, and goes by its first bytes, not by its name."""
    binary = (".npz file", "not a readable Parquet file", ".parquet: not a readable CSV file")
    return None if any(words in str(error) for words in binary) else f"the auditor refuses it: {error}"


def csv_pool(rng, folder):
    with_ids = rng.random() < 0.8
    given = tables(rng, with_ids)
    paths = [folder / f"{name}.csv" for name in "abc"]
    for path, (header, rows) in zip(paths, given, strict=True):
        path.write_text(written(rng, header, rows, plain=True), newline="")
    change = rng.randrange(6)
    same = pool_answer(certify.read_pool(paths)) if change == 0 else None
    at = rng.randrange(3)
    header, rows = given[at]
    if change == 0:
        for where, (path, (columns, lines)) in enumerate(zip(paths, given, strict=True)):
            order = list(range(len(columns)))
            rng.shuffle(order)
            if with_ids and where:
                rng.shuffle(lines)
            shuffled = [[line[place] for place in order] for line in lines]
            path.write_text(written(rng, [columns[place] for place in order], shuffled), newline="")
    else:
        spoil(rng, paths[at], change, header, rows)
    return pool_case(paths, same)


def wide_pool(rng, folder):
    given = tables(rng, True)
    header = ["id", *(f"{name}.{part}" for name in "abc" for part in ("prediction", "confidence")), "text"]
    rows = [[rows[0][0], *(cell for row in rows for cell in row[1:]), "t"]
            for rows in zip(*(lines for _, lines in given), strict=True)]  # fmt: skip
    path = folder / "wide.csv"
    change = rng.randrange(4)
    if change == 0:
        path.write_bytes(damaged(rng, written(rng, header, rows).encode()))
    elif change == 1:
        path.write_text(damaged_lines(rng, written(rng, header, rows)), newline="")
    else:
        path.write_text(written(rng, *changed_table(rng, header, rows)), newline="")
    return pool_case([path])


def scored_pool(rng, folder):
    """Probability columns."""
    single = rng.random() < 0.3
    names = ["1"] if single else list(CLASSES[rng.randrange(2)])
    header = ["id", *(f"p_{name}" for name in names)]
    rows = []
    for row in range(N):
        values = np.round(
            np.random.default_rng(rng.getrandbits(32)).dirichlet(np.ones(len(names) + single)), 4
        )
        rows.append([f"r{row}", *map(repr, values[: len(names)].tolist())])
    if rng.random() < 0.3:
        header, rows = [*header, "confidence"], [[*row, _confidence(rng)] for row in rows]
    path = folder / "net.csv"
    text = written(rng, *(changed_table(rng, header, rows) if rng.random() < 0.8 else (header, rows)))
    path.write_bytes(damaged(rng, text.encode()) if rng.random() < 0.2 else text.encode())
    return pool_case([path], scores=["msp", "margin"])


def parquet_pool(rng, folder):
    paths = []
    damage = rng.randrange(3)
    for at, (header, rows) in enumerate(tables(rng, rng.random() < 0.8)):
        frame = pl.DataFrame(rows, schema=header, orient="row").with_columns(
            pl.col("confidence").cast(pl.Float64)
        )
        if rng.random() < 0.5:
            frame = frame.with_columns(pl.col("prediction").cast(pl.Int64, strict=False).fill_null(0))
        data = parquet(changed_frame(rng, frame) if at == damage and rng.random() < 0.7 else frame)
        paths.append(folder / f"{'abc'[at]}.parquet")
        paths[-1].write_bytes(damaged(rng, data) if at == damage and rng.random() < 0.35 else data)
    return pool_case(paths)


def npz_pool(rng, folder):
    numbers = np.random.default_rng(rng.getrandbits(32))
    paths = []
    for name in "ab":
        arrays = {"predictions": numbers.dirichlet(np.ones(3), N), "ground_truth": numbers.integers(0, 3, N)}
        data = archive(rng, arrays)
        if name == "a":
            data = (
                damaged_archive(rng, arrays)
                if rng.random() < 0.5
                else archive(rng, changed_arrays(rng, arrays))
            )
        paths.append(folder / f"{name}.npz")
        paths[-1].write_bytes(data)
    return pool_case(paths)


@cache
def small_pool(with_ids):
    numbers = np.random.default_rng(1)
    ids = ["a", "b", "1", "2", "é", "x y", "0", "r7"] if with_ids else None
    return certify.Pool.multiclass(
        numbers.integers(0, 3, (2, N)).astype(str), numbers.random((2, N)), ("0", "1", "2"), ids=ids
    )


def labels_case(path, pool, same=None, auditing=True):
    def read():
        found = certify.read_labels(path, pool)
        return found.codes.tolist(), found.unknown.tolist()

    def check(answer):
        if not auditing:
            return (
                None
                if all(answer[0][row] < 0 for row in answer[1])
                else "a row that nobody can tell has a label"
            )
        try:
            ids = None if pool.row_ids is None else pool.ids
            codes = auditor.match_labels(auditor.read_labels(path), ids, pool.n, pool.classes, None)
        except PoolError as error:
            return _refused(error)
        return None if codes == answer[0] else f"the auditor reads {codes} where the labels are {answer[0]}"

    return Case(read, check, same)


def _labelled(rng, pool):
    rows = [row for row in range(N) if rng.random() < 0.9]
    return [[pool.ids[row], rng.choice(("0", "1", "2", "2.0", "", "?"))] for row in rows] or [
        [pool.ids[0], "1"]
    ]


def csv_labels(rng, folder):
    pool = small_pool(rng.random() < 0.7)
    header, rows = ["id", "label"], _labelled(rng, pool)
    path, change, same = folder / "labels.csv", rng.randrange(5), None
    path.write_text(written(rng, header, rows, plain=True), newline="")
    if change == 0:
        same = labels_case(path, pool).read()
        rng.shuffle(rows)
        path.write_text(written(rng, header, rows), newline="")
    else:
        spoil(rng, path, change, header, rows)
    return labels_case(path, pool, same)


def parquet_labels(rng, folder):
    pool = small_pool(rng.random() < 0.7)
    frame = pl.DataFrame(_labelled(rng, pool), schema=["id", "label"], orient="row")
    path = folder / "labels.parquet"
    data = parquet(changed_frame(rng, frame))
    path.write_bytes(damaged(rng, data) if rng.random() < 0.3 else data)
    return labels_case(path, pool)


def npz_labels(rng, folder):
    pool = small_pool(rng.random() < 0.1)
    arrays = {"ground_truth": np.array([rng.randrange(3) for _ in range(N)])}
    path = folder / "labels.npz"
    path.write_bytes(
        damaged_archive(rng, arrays) if rng.random() < 0.5 else archive(rng, changed_arrays(rng, arrays))
    )
    return labels_case(path, pool)


def label_studio(rng, folder):
    """Label Studio's JSON, as it is written here and with what its exports add."""
    pool = small_pool(rng.random() < 0.7)
    codes = np.array([rng.choice((-1, 0, 1, 2)) for _ in range(N)], dtype=np.int16)
    unknown = np.array([row for row in np.flatnonzero(codes < 0) if rng.random() < 0.5], dtype=np.int64)
    tasks = annotated_tasks(pool, certify.Labels(codes, unknown)) or [{"data": {"certify_id": "a"}}]
    for number, task in enumerate(tasks, 1):
        task["id"] = number
        for one in task.get("annotations", ()):
            one |= {"id": number, "completed_by": 1, "ground_truth": False, "lead_time": 1.5}
    path = folder / "labels.json"
    change, same = rng.randrange(5), None
    if change == 0:
        same = codes.tolist(), unknown.tolist()
        rng.shuffle(tasks)
        for task in tasks:
            if rng.random() < 0.3:
                task["predictions"] = [{"result": [{"type": "choices", "value": {"choices": ["0"]}}]}]
        path.write_text(json_text(rng, tasks), encoding="utf-8")
    elif change == 1:
        path.write_bytes(damaged(rng, json.dumps(tasks).encode()))
    else:
        path.write_bytes(json_text(rng, changed_json(rng, tasks)).encode("utf-8", "surrogatepass"))
    return labels_case(path, pool, same, auditing=False)


READERS = [
    Reader(name, (PoolError,), make)
    for name, make in {
        "pool-csv": csv_pool,
        "pool-wide": wide_pool,
        "pool-probabilities": scored_pool,
        "pool-parquet": parquet_pool,
        "pool-npz": npz_pool,
        "labels-csv": csv_labels,
        "labels-parquet": parquet_labels,
        "labels-npz": npz_labels,
        "labels-label-studio": label_studio,
    }.items()
]
