"""Logs under a memory limit: the same counts, and refusals where something cannot be streamed."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import pareto
from pareto.cli import app
from pareto.errors import BattleError
from pareto.reading import jsonlines, limits
from solvers import csv_pieces, memory_limit

ROOMY = "4GB"
COLUMNS = ("model_a", "model_b", "winner", "objective", "note", "session")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """So that small files have many."""
    monkeypatch.setattr(csv_pieces, "PIECE", 200)
    monkeypatch.setattr(limits, "BATCH", 7)
    monkeypatch.setattr(jsonlines, "PIECE", 200)


def rows(number: int = 400, seed: int = 0) -> list[list[str]]:
    random = np.random.default_rng(seed)
    table = []
    for k in range(number):
        first, second = random.choice(4, 2, replace=False)
        word = random.choice(["model_a", "model_b", "tie", "both_bad", ""], p=[0.4, 0.3, 0.1, 0.1, 0.1])
        note = f'said "{k}",\nthen more'
        table.append(
            [
                f"m{first}",
                f"m{second}",
                word,
                random.choice(["code", "math"]),
                note,
                f"s{random.integers(90)}",
            ]
        )
    return table


def write_csv(path: Path, table: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([COLUMNS, *table])
    return path


def same(paths, cluster=None, **options) -> pareto.Battles:
    expected = pareto.read_battles(paths, cluster=cluster, **options)
    found = pareto.read_battles(paths, cluster=cluster, memory_limit=ROOMY, **options)
    for name in ("wins", "ties", "both_bad"):
        np.testing.assert_array_equal(getattr(found.counts, name), getattr(expected.counts, name))
    assert (found.models, found.objectives) == (expected.models, expected.objectives)
    assert (found.preprocessing, found.detected) == (expected.preprocessing, expected.detected)
    if cluster is not None:
        for name in ("cluster", "first", "second", "objective", "outcome"):
            np.testing.assert_array_equal(getattr(found.records, name), getattr(expected.records, name))
    return found


@pytest.mark.parametrize("cluster", [None, "session"])
def test_csv_with_quotes_over_lines(tmp_path, cluster):
    one, two = (write_csv(tmp_path / f"{seed}.csv", rows(seed=seed)) for seed in (0, 1))
    assert same([one, two], cluster).preprocessing.rows == 800


@pytest.mark.parametrize("cluster", [None, "session"])
def test_csv_that_is_read_record_by_record(tmp_path, cluster):
    table = rows()
    table[300][-1] = ""  # a blank last cell may be a short row
    same(write_csv(tmp_path / "x.csv", table), cluster)
    path = tmp_path / "y.csv"
    path.write_text("\n" + (tmp_path / "x.csv").read_text(encoding="utf-8"), encoding="utf-8")
    same(path, cluster)


@pytest.mark.parametrize("cluster", [None, "session"])
def test_parquet_and_json_lines(tmp_path, cluster):
    frame = pl.DataFrame(rows(), schema=list(COLUMNS), orient="row")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.write_ndjson(tmp_path / "x.jsonl")
    same(tmp_path / "x.parquet", cluster)
    assert same(tmp_path / "x.jsonl", cluster).preprocessing.rows == 400


def test_json_lines_whose_pieces_differ(tmp_path):
    """Keys that come late, nested ones that are null at first, blank lines, a line longer than a piece."""
    lines = [{"model_a": "a", "model_b": "b", "winner": "model_a", "more": None} for _ in range(20)]
    lines += [
        {"winner": "model_b", "model_b": "a", "model_a": "b", "more": {"x": [k] * 60}} for k in range(20)
    ]
    lines += [{"model_a": 1, "model_b": "b", "winner": "tie", "session": k % 3} for k in range(20)]
    path = tmp_path / "x.jsonl"
    path.write_text("\n\n \r\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = same(path, "session")
    assert (found.models, found.preprocessing.rows) == (("1", "a", "b"), 60)


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,winner\na,b,model_a\na,b,sometimes\n",
        "model_a,model_b,winner\na,b,model_a\na,b\n",
        "model_a,model_b,winner\n",
        "model_a,model_b,winner\na,b,model_a\n,b,model_a\n",
        '{"model_a": "a", "model_b": "b", "winner": "model_a"}\n' * 9 + '{"model_a": "a", "model_b"',
        '{"model_a": "a", "model_b": "b", "winner": "model_a"}\n' * 9 + "[1]\n",
        '{"model_a": "a", "model_b": "b", "winner": "model_a"}\n' * 9 + '{"model_a": 1.5, "model_b": "a"}',
        '{"model_a": "a", "model_b": "b", "winner": "model_a"}\n' * 9
        + '{"model_a": "a", "model_b": "b", "winner": "c"}',
        '{"model_a": "a", "model_a": "c", "model_b": "b", "winner": "model_a"}\n' * 9,
        "{}\n",
        " \n\n",
    ],
)
def test_errors_are_the_same(tmp_path, text):
    path = tmp_path / ("x.jsonl" if text[:1] in "{ " else "x.csv")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BattleError) as expected:
        pareto.read_battles(path)
    with pytest.raises(BattleError) as found:
        pareto.read_battles(path, memory_limit=ROOMY)
    assert str(found.value) == str(expected.value)


def test_what_cannot_be_streamed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "resident", lambda: 100 << 20)
    monkeypatch.setattr(limits, "RECORD_BYTES", 1 << 20)
    frame = pl.DataFrame(rows(), schema=list(COLUMNS), orient="row")
    frame.write_parquet(tmp_path / "x.parquet")
    with pytest.raises(BattleError, match=r"400 records with clusters need .*leave the cluster out"):
        pareto.read_battles(tmp_path / "x.parquet", cluster="session", memory_limit="200MB")
    with pytest.raises(BattleError, match="'lots' is no size"):
        pareto.read_battles(tmp_path / "x.parquet", memory_limit="lots")


def test_an_exceeded_limit_is_said(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "x.csv", rows())
    monkeypatch.setattr(limits, "resident", lambda: 100 << 20)
    peaks = iter([100 << 20, 300 << 20])
    monkeypatch.setattr(limits, "peak_resident", lambda: next(peaks))
    found = pareto.read_battles(path, memory_limit="200MB")
    assert found.preprocessing.notices[-1].startswith("the memory limit of 200 MB was exceeded: 315 MB")


@pytest.mark.skipif(not memory_limit.resident(), reason="the system does not tell")
@pytest.mark.parametrize(
    ("limit", "named"), [("20MB", "20 MB"), ("1kB", "1 kB"), ("7", "7 bytes"), ("999.6kB", "1,000 kB")]
)
def test_less_than_the_program_takes_is_refused(tmp_path, limit, named):
    path = write_csv(tmp_path / "x.csv", rows(40))
    match = rf"the program itself takes about \d[\d,]+ MB .*the limit is {named}\. Allow more"
    with pytest.raises(BattleError, match=match):
        pareto.read_battles(path, memory_limit=limit)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
def test_the_least_that_is_accepted_holds(tmp_path):
    """As the command takes it, in a process of its own."""
    path = write_csv(tmp_path / "x.csv", rows(40))
    command = [sys.executable, "-m", "pareto", "frontier", str(path), "--json", "--memory-limit"]
    refused = subprocess.run([*command, "1MB"], capture_output=True, text=True)
    least = re.search(r"takes about (\d+) MB", refused.stderr)
    assert least is not None, refused.stderr
    assert refused.returncode == 2
    held = subprocess.run([*command, f"{int(least[1]) + 2}MB"], capture_output=True, text=True)
    assert held.returncode == 0, held.stderr
    assert "exceeded" not in held.stdout + held.stderr


def test_the_command(tmp_path):
    path = write_csv(tmp_path / "x.csv", rows(3000))
    given = ["frontier", str(path), "--json"]
    expected = CliRunner().invoke(app, given)
    assert expected.exit_code == 0, expected.output
    for more, environment in ((["--memory-limit", ROOMY], {}), ([], {"PARETO_MEMORY_LIMIT": ROOMY})):
        found = CliRunner().invoke(app, [*given, *more], env=environment)
        assert json.loads(found.stdout) == json.loads(expected.stdout)


PEAK = """
import sys, pareto
from solvers.memory_limit import peak_resident
found = pareto.read_battles(sys.argv[1], **({"memory_limit": sys.argv[2]} if sys.argv[2:] else {}))
print(peak_resident(), int(found.counts.wins.sum()), found.preprocessing.rows)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")
@pytest.mark.parametrize("kind", ["csv", "parquet", "ndjson"])
def test_three_million_rows_below_a_third_of_them(tmp_path, kind):
    n = 3_000_000
    random = np.random.default_rng(0)
    names = pl.Series([f"model-{k:02}" for k in range(30)])
    first = random.integers(0, 30, n)
    frame = pl.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[(first + random.integers(1, 30, n)) % 30],
            "winner": pl.Series(["model_a", "model_b", "tie"])[random.integers(0, 3, n)],
            "text": pl.Series([f"a long text, number {k}, " * 15 for k in range(50)])[
                random.integers(0, 50, n)
            ],
        }
    )
    path, limit = tmp_path / f"log.{kind}", frame.estimated_size() // 3
    getattr(frame, f"write_{kind}")(path)
    free, held = (
        subprocess.run([sys.executable, "-c", PEAK, path, *more], capture_output=True, text=True, check=True)
        for more in ([], [str(limit)])
    )
    peak, *counts = map(int, held.stdout.split())
    assert peak < limit
    assert counts == [int(x) for x in free.stdout.split()[1:]]
