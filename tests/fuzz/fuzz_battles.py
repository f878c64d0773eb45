"""Logs of battles: whatever `pareto.read_battles` takes must count as a plain loop over its rows counts."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import polars as pl

import pareto
from pareto.errors import BattleError
from pareto.schemas import LAYOUTS, Flag
from tests.fuzz.frames import changed_frame, parquet
from tests.fuzz.mutations import (
    changed_json,
    damaged,
    json_text,
    spoil,
    written,
)
from tests.fuzz.property import Case, Reader
from tests.pareto.reading.reference import every_flag, first_flag, named, read

TRUE, FALSE = {"true", "1", "1.0", "yes"}, {"false", "0", "0.0", "no"}
OUTCOMES = ("model_a", "model_b", "tie", "both_bad", "tie (bothbad)", "left", "RIGHT", "", "model-a")
VISION = [flag.objective for flag in LAYOUTS["vision-arena"].flags]


def counted(battles):
    """(models, objectives, wins, ties, both bad) as lists."""
    counts = battles.counts
    arrays = (array.tolist() for array in (counts.wins, counts.ties, counts.both_bad))
    return battles.schema, battles.models, battles.objectives, battles.preprocessing.rows, *arrays


def log_case(path, rows_of, same=None, flags=None):
    """rows_of: the rows of the file as dictionaries, read without the package."""

    def answer():
        return counted(pareto.read_battles(path, flags=flags))

    def check(found):
        schema, models, objectives, rows, *arrays = found
        given = rows_of(path)
        if given is None:
            return None
        layout = LAYOUTS[schema]
        if layout.counted:
            expected = _of_counts(given, models, objectives)
            total = sum(int(float(row.get(name) or 0)) for row in given for name in layout.outcomes)
        else:
            reference = by_rows(given, layout, flags)
            expected = [array.tolist() for array in reference.counts(list(models), list(objectives))]
            total = len(given)
            if tuple(sorted(reference.models)) != models:
                return f"models {models}, by hand {sorted(reference.models)}"
        if rows != total:
            return f"{rows} rows, by hand {total}"
        return None if expected == arrays else f"counts {arrays}, by hand {expected}"

    return Case(answer, check, same)


def by_rows(given, layout, flags, renamed=None):
    """What the slow reader of the tests makes of the rows of a file."""
    fields = _fields(given)
    found = [Flag(flag, (flag,)) for flag in flags] if flags else layout.flags
    for row in given:
        places = {flag.objective: flag.place(fields) for flag in found}
        row["flags"] = {name: _flag(_at(row, keys)) for name, keys in places.items()}
        name = row.get(layout.objective) if layout.objective in fields else "overall"
        known = not layout.values or str(name).strip() in layout.values
        row["objective"] = str(name) if name is not None and known else None
        for side in ("model_a", "model_b", "winner"):
            row[side] = None if row.get(side) is None else str(row[side])
    choose = every_flag if layout.multi_label else first_flag if found else named
    return read(given, choose, renamed)


def _of_counts(given, models, objectives):
    arrays = [np.zeros((len(objectives), len(models), len(models)), dtype=int) for _ in range(3)]
    fields = _fields(given)
    for row in given:
        first, second = (str(row.get(side)).strip() for side in ("model_a", "model_b"))
        objective = "overall" if "objective" not in fields else str(row.get("objective") or "").strip()
        if first == second or not objective:
            continue
        votes = (int(float(row.get(name) or 0)) for name in LAYOUTS["counts"].outcomes)
        wins_a, wins_b, ties, bad = found = tuple(votes)
        if not any(found):
            continue
        i, j, r = models.index(first), models.index(second), objectives.index(objective)
        arrays[0][r, i, j] += wins_a
        arrays[0][r, j, i] += wins_b
        for array, value in zip(arrays[1:], (ties, bad), strict=True):
            array[r, i, j] += value
            array[r, j, i] += value
    return [array.tolist() for array in arrays]


def _flag(value):
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    text = str(value).strip().lower()
    return None if not text else _spelled_flag(text)


def _spelled_flag(text):
    if text in TRUE or text in FALSE:
        return text in TRUE
    return {1.0: True, 0.0: False}[float(text)]


def _at(row, keys):
    for key in keys:
        row = row.get(key) if isinstance(row, dict) else None
    return row


def _fields(given):
    fields = {}
    for row in given:
        for name, value in row.items():
            other_kinds = any(
                other.get(name) is not None and not isinstance(other[name], dict) for other in given
            )
            if isinstance(value, dict) and not other_kinds:
                deeper = [other[name] for other in given if isinstance(other.get(name), dict)]
                fields[name] = _fields(deeper)
            else:
                fields.setdefault(name, None)
    return fields


def text_records(text, separator):
    """Records of CSV text that are not blank."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [row for row in reader if any(cell.strip() for cell in row) or len(row) > 1]


def csv_rows(path):
    text = path.read_bytes().decode("utf-8-sig")
    records = max((text_records(text, sign) for sign in ",\t;"), key=lambda records: len(records[0]))
    header = [name.strip() for name in records[0]]
    return [dict(zip(header, row, strict=True)) for row in records[1:]]


def parquet_rows(path):
    try:
        return pl.read_parquet(path).to_dicts()
    except pl.exceptions.PolarsError:  # damaged in a column that is not needed
        return None


def json_rows(path):
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return [
        {
            key: value if value is None or isinstance(value, dict) else _json(value)
            for key, value in row.items()
        }
        for row in rows
    ]


def _json(value):
    return value if isinstance(value, str) else json.dumps(value)


def plain_log(rng):
    models = ("a", "b", "gpt-4", "Ä 1")
    header = ["model_a", "model_b", "winner", "objective"][: rng.choice((3, 4, 4))]
    rows = []
    for _ in range(rng.randrange(4, 14)):
        row = [rng.choice(models), rng.choice(models), rng.choice(OUTCOMES), rng.choice(("code", "math", ""))]
        rows.append(row[: len(header)])
    return header, rows


def flagged_log(rng, names):
    header, rows = plain_log(rng)
    header = [*header[:3], *names]
    return header, [
        [*row[:3], *(rng.choice(("true", "false", "1", "no", "")) for _ in names)] for row in rows
    ]


def search_log(rng):
    header, rows = plain_log(rng)
    values = LAYOUTS["search-arena"].values
    return [*header[:3], "primary_intent"], [[*row[:3], rng.choice(values)] for row in rows]


def counts_log(rng):
    header, rows = plain_log(rng)
    names = ["wins_a", "wins_b", "ties", "both_bad"][: rng.choice((2, 3, 4))]
    return [*header[:2], *names, *header[3:]], [
        [*row[:2], *(str(rng.choice((0, 1, 2, 30))) for _ in names), *row[3:]] for row in rows
    ]


def any_log(rng):
    """Header, rows, and the flags to ask for."""
    kind = rng.randrange(6)
    if kind == 0:
        return *search_log(rng), None
    if kind == 1:
        names = ("is_code", "math", "creative_writing", "instruction_following")
        return *flagged_log(rng, names), None
    if kind == 2:
        return *flagged_log(rng, VISION), None
    if kind == 3:
        return *flagged_log(rng, ("hard", "long")), ["hard", "long"]
    return *plain_log(rng), None


def _csv(rng, folder, header, rows, flags):
    path, change, same = folder / "log.csv", rng.randrange(5), None
    path.write_text(written(rng, header, rows, plain=True), newline="")
    if change == 0:
        try:
            same = log_case(path, csv_rows, flags=flags).read()
        except BattleError:
            pass
        else:
            order = list(range(len(header)))
            rng.shuffle(order)
            rng.shuffle(rows)
            shuffled = [[row[place] for place in order] for row in rows]
            path.write_text(written(rng, [header[place] for place in order], shuffled), newline="")
    else:
        spoil(rng, path, change, header, rows)
    if same is not None:  # objectives are listed in the order in which they come
        return Case(lambda: _sorted(pareto.read_battles(path, flags=flags)), same=_resorted(same))
    return log_case(path, csv_rows, flags=flags)


def _sorted(battles):
    return _resorted(counted(battles))


def _resorted(found):
    schema, models, objectives, rows, *arrays = found
    order = sorted(range(len(objectives)), key=objectives.__getitem__)
    return schema, models, sorted(objectives), rows, [[array[r] for r in order] for array in arrays]


def csv_log(rng, folder):
    return _csv(rng, folder, *any_log(rng))


def csv_counts(rng, folder):
    return _csv(rng, folder, *counts_log(rng), None)


def parquet_log(rng, folder):
    header, rows, flags = any_log(rng) if rng.random() < 0.7 else (*counts_log(rng), None)
    frame = pl.DataFrame(rows, schema=header, orient="row")
    for name in header[2:]:
        if name.startswith("wins") or name in ("ties", "both_bad"):
            frame = frame.with_columns(pl.col(name).cast(rng.choice((pl.Int64, pl.UInt8, pl.Float64))))
    if "is_code" in header and rng.random() < 0.5:
        frame = frame.with_columns(pl.col("is_code").is_in(["true", "1"]))
        if "math" in header:
            tag = pl.struct(pl.struct(pl.col("math").is_in(["true"]).alias("math")).alias("math_v0.1"))
            frame = frame.with_columns(tag.alias("category_tag"))
    path = folder / "log.parquet"
    data = parquet(changed_frame(rng, frame) if rng.random() < 0.7 else frame)
    path.write_bytes(damaged(rng, data) if rng.random() < 0.35 else data)
    return log_case(path, parquet_rows, flags=flags)


def json_log(rng, folder):
    header, rows, flags = any_log(rng) if rng.random() < 0.8 else (*counts_log(rng), None)
    documents = []
    for row in rows:
        one = dict(zip(header, row, strict=True))
        for name in header[3:]:
            if one[name] in ("true", "false") and rng.random() < 0.7:
                one[name] = one[name] == "true"
        if "math" in one and rng.random() < 0.3:
            one["category_tag"] = {"math_v0.1": {"math": one.pop("math")}}
        documents.append(one)
    path = folder / "log.jsonl"
    if rng.random() < 0.6:
        documents = changed_json(rng, documents)
    lines = [json_text(rng, one).replace("\n", " ") for one in documents if isinstance(documents, list)]
    data = ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    path.write_bytes(damaged(rng, data) if rng.random() < 0.25 else data)
    return log_case(path, json_rows, flags=flags)


READERS = [
    Reader(name, (BattleError,), make)
    for name, make in {
        "battles-csv": csv_log,
        "battles-counts": csv_counts,
        "battles-parquet": parquet_log,
        "battles-json-lines": json_log,
    }.items()
]
