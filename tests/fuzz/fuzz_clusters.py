"""Logs with a map of names and a cluster column: renamed and grouped as a plain loop over the rows does."""

from __future__ import annotations

import math
from collections import defaultdict

import polars as pl

import pareto
from pareto.errors import BattleError
from pareto.schemas import LAYOUTS
from tests.fuzz.frames import changed_frame, parquet
from tests.fuzz.fuzz_battles import by_rows, csv_rows, flagged_log, parquet_rows, plain_log, text_records
from tests.fuzz.mutations import NASTY, changed_table, damaged, damaged_lines, written
from tests.fuzz.property import Case, Reader

NAMES = ("a", "b", "gpt-4", "Ä 1", " a ", "c", "A", "none", "")
WHO = ("s1", "s2", " s1 ", "", " ", "S1", "7", "7.0", "nan", "\u00a0", "\x1c", "s1\u3000", "é", "e\u0301")


def grouped(records, models, objectives):
    """Records of each cluster, as lists that do not hang on how clusters are numbered."""
    found = defaultdict(list)
    for cluster, first, second, objective, outcome in records:
        found[cluster].append((models[first], models[second], objectives[objective], outcome))
    return sorted(sorted(group) for group in found.values())


def _answer(path, flags, names, cluster):
    battles = pareto.read_battles(path, flags=flags, names=names, cluster=cluster)
    counts = [array.tolist() for array in (battles.counts.wins, battles.counts.ties, battles.counts.both_bad)]
    groups = None
    if cluster is not None:
        one = battles.records
        columns = (one.cluster, one.first, one.second, one.objective, one.outcome)
        records = zip(*(column.tolist() for column in columns), strict=True)
        groups = grouped(records, battles.models, battles.objectives)
    return battles.schema, battles.models, battles.objectives, counts, groups


def _by_hand(rows, schema, flags, names, cluster, models, objectives):
    for number, row in enumerate(rows):
        who = row.get(cluster)
        blank = who is None or (isinstance(who, float) and who != who) or not str(who).strip()
        row["session"] = ("alone", number) if blank else _text(who)
    found = by_rows(rows, LAYOUTS[schema], flags, names)
    records = [
        (who, models.index(first), models.index(second), objectives.index(objective), outcome)
        for who, first, second, objective, outcome in found.records
    ]
    counts = [array.tolist() for array in found.counts(list(models), list(objectives))]
    groups = None if cluster is None else grouped(records, models, objectives)
    return tuple(sorted(found.models)), counts, groups


def _text(who):
    if isinstance(who, bool):
        return str(who).lower()
    if isinstance(who, float) and math.isfinite(who) and who == int(who):
        return str(int(who))
    return str(who).strip()


def _map(path):
    """The pairs of a file of names."""
    text = path.read_bytes().decode("utf-8-sig")
    records = max((text_records(text, sign) for sign in ",\t;"), key=lambda records: len(records[0]))
    header = [name.strip() for name in records[0]]
    at, to = header.index("from"), header.index("to")
    return {row[at].strip(): row[to].strip() for row in records[1:]}


def _names(rng, folder):
    """A map of names: none, one in memory, or one in a file that may be damaged."""
    kind = rng.randrange(4)
    if kind == 0:
        return None
    pairs = [[rng.choice(NAMES), rng.choice(NAMES)] for _ in range(rng.randrange(1, 4))]
    if kind == 1:
        pairs = [[rng.choice((*NASTY, old)) if rng.random() < 0.1 else old, new] for old, new in pairs]
        return dict(pairs)
    path = folder / "names.csv"
    pairs = [[old or "z", new or "z"] for old, new in pairs]
    change, header = rng.randrange(4), ["from", "to", "why"][: rng.choice((2, 3))]
    rows = [[*pair, "because"][: len(header)] for pair in dict(pairs).items()]
    text = written(rng, *((header, rows) if change <= 1 else changed_table(rng, header, rows)))
    data = text.encode()
    if change == 1:
        data = damaged(rng, data) if rng.random() < 0.5 else damaged_lines(rng, text).encode()
    path.write_bytes(data)
    return path


def files(rng, folder):
    """A log, how to read it without the package, flags, names and cluster to read it with."""
    if rng.random() < 0.6:
        header, rows, flags = *plain_log(rng), None
    else:
        header, rows, flags = *flagged_log(rng, ("hard", "long")), ["hard", "long"]
    cluster = rng.choice((None, "who", "who", "who"))
    place = rng.randrange(len(header) + 1)
    header.insert(place, "who")
    for row in rows:
        row.insert(place, rng.choice(WHO))
    names = _names(rng, folder)
    change = rng.randrange(6)
    if change == 0:
        path, rows_of = folder / "log.parquet", parquet_rows
        frame = pl.DataFrame(rows, schema=header, orient="row")
        if rng.random() < 0.5:
            numbers = [rng.choice((None, 1, 2, 2**53, 7)) for _ in rows]
            kind = rng.choice((pl.Int64, pl.Float64, pl.UInt64))
            frame = frame.with_columns(pl.Series("who", numbers).cast(kind))
        path.write_bytes(parquet(changed_frame(rng, frame) if rng.random() < 0.6 else frame))
    else:
        path, rows_of = folder / "log.csv", csv_rows
        if change <= 2:
            header, rows = changed_table(rng, header, rows)
        path.write_text(written(rng, header, rows), newline="")
        if change == 3:
            path.write_bytes(damaged(rng, path.read_bytes()))
    return path, rows_of, flags, names, cluster


def log(rng, folder):
    path, rows_of, flags, names, cluster = files(rng, folder)

    def check(found):
        schema, models, objectives, counts, groups = found
        given = rows_of(path)
        if given is None:
            return None
        renamed = _map(names) if names is not None and not isinstance(names, dict) else names or {}
        renamed = {old.strip(): new.strip() for old, new in renamed.items()}
        by_hand = _by_hand(given, schema, flags, renamed, cluster, models, objectives)
        return None if by_hand == (models, counts, groups) else f"{found}, by hand {by_hand}"

    return Case(lambda: _answer(path, flags, names, cluster), check)


READERS = [Reader("battles-clusters", (BattleError,), log)]
