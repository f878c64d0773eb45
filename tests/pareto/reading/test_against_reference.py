"""Any log, in any of the file formats: the same as a reader that goes row by row."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pareto import BattleError, read_battles
from tests.pareto.reading.reference import OUTCOMES, every_flag, first_flag, named, read

NAMES = ("gpt-4", "gpt-4 ", " o3", "o3", "amazon.nova-pro-v1:0", 'say "hi", it', "ö", "two\nlines")
WORDS = sorted({*OUTCOMES, "Model_A", " tie ", "BOTH_BAD", "Tie (bothbad)"})
FLAGS = ("code", "math", "rest")
WRITERS = ("csv", "tsv", "parquet", "jsonl")
MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

names = st.sampled_from(NAMES)
voted = st.fixed_dictionaries({"model_a": names, "model_b": names, "winner": st.sampled_from(WORDS)})
maybe = st.one_of(st.none(), st.just(""), st.just("  "), names)
unvoted = st.fixed_dictionaries(
    {"model_a": maybe, "model_b": maybe, "winner": st.sampled_from((None, "", " "))}
)
rows = st.lists(st.one_of(voted, voted, voted, unvoted), min_size=1, max_size=25)
state = st.sampled_from((True, False, None))
flags = st.tuples(state, state, state).map(lambda states: dict(zip(FLAGS, states, strict=True)))
objective = st.sampled_from(("coding", " coding", "math", "", None, "Über"))
session = st.sampled_from(("s1", "s2", " s2", "", None, "7"))


def write(path, table, kind):
    """A table of dictionaries as a file of that kind; flat cells only."""
    columns = list(table[0])
    if kind == "parquet":
        kinds = {name: pl.Boolean if name in FLAGS else pl.String for name in columns}
        pl.DataFrame(table, schema=kinds).write_parquet(path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, delimiter="\t" if kind == "tsv" else ",")
            writer.writeheader()
            writer.writerows(table)
    return path


def flat(table):
    """Flags as columns."""
    return [{**{key: row[key] for key in row if key != "flags"}, **row["flags"]} for row in table]


def agree(battles, expected, objectives):
    """Counts, accounts and notices are those of the reference."""
    models = sorted(expected.models)
    assert battles.models == tuple(models)
    with_votes = {key[3] for key in expected.votes}
    assert battles.objectives == tuple(name for name in objectives if name in with_votes)
    wins, ties, both_bad = expected.counts(models, list(battles.objectives))
    np.testing.assert_array_equal(battles.counts.wins, wins)
    np.testing.assert_array_equal(battles.counts.ties, ties)
    np.testing.assert_array_equal(battles.counts.both_bad, both_bad)
    accounts = battles.preprocessing
    assert {step.reason: step.rows for step in accounts.steps if step.rows} == dict(expected.dropped)
    assert (accounts.comparisons, accounts.undecided) == (expected.comparisons, expected.undecided)
    assert accounts.records == wins.sum()
    assert accounts.undecided_records == (ties.sum() + both_bad.sum()) // 2
    for name in FLAGS:
        said = [notice for notice in accounts.notices if f"the flag {name}," in notice]
        assert [int(notice.split()[0]) for notice in said] == [expected.missing[name]] * bool(
            expected.missing[name]
        )


def compare(path, expected, objectives, **options):
    """Reads the file and compares; a log without two models or without a vote is refused instead."""
    if len(expected.models) < 2 or not expected.votes:
        with pytest.raises(BattleError, match=r"2 models are needed|no comparison is left"):
            read_battles(path, **options)
        return None
    battles = read_battles(path, **options)
    agree(battles, expected, objectives)
    return battles


@MANY
@given(st.data(), st.sampled_from(WRITERS), st.booleans())
def test_flags(tmp_path, data, kind, multi_label):
    table = [{**row, "flags": data.draw(flags)} for row in data.draw(rows)]
    path = write(tmp_path / f"log.{kind}", flat(table), kind)
    rule, objectives = (every_flag, FLAGS) if multi_label else (first_flag, (*FLAGS, "general"))
    compare(path, read(table, rule), objectives, flags=FLAGS, multi_label=multi_label)


@MANY
@given(
    st.data(), st.sampled_from(WRITERS), st.dictionaries(st.sampled_from(("gpt-4", "o3", "ö")), st.just("o3"))
)
def test_named_objectives_and_renamed_models(tmp_path, data, kind, renamed):
    table = [{**row, "objective": data.draw(objective)} for row in data.draw(rows)]
    path = write(tmp_path / f"log.{kind}", table, kind)
    compare(path, read(table, named, renamed), sorted(("coding", "math", "Über")), names=renamed)


@MANY
@given(st.data(), st.sampled_from(WRITERS))
def test_records_of_clusters(tmp_path, data, kind):
    table = [{**row, "flags": data.draw(flags), "session": data.draw(session)} for row in data.draw(rows)]
    path = write(tmp_path / f"log.{kind}", flat(table), kind)
    expected = read(table, every_flag)
    battles = compare(path, expected, FLAGS, flags=FLAGS, multi_label=True, cluster="session")
    if battles is None:
        return
    columns = (battles.records.first, battles.records.second, battles.records.objective)
    names = (battles.models, battles.models, battles.objectives)
    told = [[name[code] for code in column] for column, name in zip(columns, names, strict=True)]
    found = list(zip(*told, battles.records.outcome.tolist(), strict=True))
    assert found == [wanted[1:] for wanted in expected.records]
    cluster = battles.records.cluster.tolist()
    assert set(cluster) <= set(range(battles.records.clusters))
    named_by = {}
    for code, (name, *_) in zip(cluster, expected.records, strict=True):
        named_by.setdefault((name or "").strip(), set()).add(code)
    nameless = named_by.pop("", set())
    assert all(len(codes) == 1 for codes in named_by.values())
    together = set().union(*named_by.values())
    assert len(together) == len(named_by)
    assert not together & nameless
    one_each = [vote for vote in zip(cluster, expected.records, strict=True) if vote[0] in nameless]
    assert all(  # a row without a session is alone in its cluster, with all its objectives
        len({(first, second) for code, (_, first, second, _, _) in one_each if code == alone}) == 1
        for alone in nameless
    )


@MANY
@given(st.data(), st.lists(st.sampled_from(WRITERS), min_size=2, max_size=3))
def test_joined_files_are_the_sum_of_their_counts(tmp_path, data, kinds):
    """Yesterday's and today's counts added are the counts of the joined rows."""
    tables = [
        [
            {**row, "objective": data.draw(objective)}
            for row in data.draw(st.lists(voted, min_size=1, max_size=12))
        ]
        for _ in kinds
    ]
    paths = [
        write(tmp_path / f"{at}.{kind}", table, kind)
        for at, (table, kind) in enumerate(zip(tables, kinds, strict=True))
    ]
    every = [row for table in tables for row in table]
    whole = compare(
        write(tmp_path / "whole.csv", every, "csv"), read(every, named), sorted(("coding", "math", "Über"))
    )
    if whole is None:
        return
    together = read_battles(paths)
    agree(together, read(every, named), whole.objectives)
    try:
        parts = [read_battles(path).counts for path in paths]
    except BattleError:  # one of them has a single model, or no vote with an objective
        return
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total.models == whole.models
    total = total.on(whole.objectives)
    for name in ("wins", "ties", "both_bad"):
        np.testing.assert_array_equal(getattr(total, name), getattr(whole.counts, name))


@MANY
@given(st.data(), st.sampled_from(WRITERS))
def test_a_table_of_counts_is_its_votes(tmp_path, data, kind):
    """Counting the votes of a log by hand and reading the counts gives the same as reading the log."""
    table = [
        {**row, "objective": data.draw(st.sampled_from(("coding", "math")))}
        for row in data.draw(st.lists(voted, min_size=1, max_size=25))
    ]
    counted = {}
    for row in table:
        line = counted.setdefault((row["model_a"], row["model_b"], row["objective"]), [0, 0, 0, 0])
        line[OUTCOMES[row["winner"].strip().lower()]] += 1
    lines = [
        {
            "model_a": a,
            "model_b": b,
            "objective": on,
            "wins_a": won,
            "wins_b": lost,
            "ties": tied,
            "both_bad": bad,
        }
        for (a, b, on), (won, lost, tied, bad) in counted.items()
    ]
    path = tmp_path / f"counts.{kind}"
    if kind == "parquet":
        pl.DataFrame(lines).write_parquet(path)
    else:
        write(path, lines, kind)
    battles = compare(path, read(table, named), ("coding", "math"))
    if battles is not None:
        assert battles.schema == "counts"
        assert battles.preprocessing.rows == len(table)
