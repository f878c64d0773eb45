"""Class totals on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
from certify.cli import app
from certify.commands.options import known_totals
from certify.errors import PoolError
from certify.reading.totals import read_totals

POOL = [str(path) for path in IONOSPHERE]
LABELS = str(IONOSPHERE_LABELS)
TRUTH = dict(line.split(",") for line in IONOSPHERE_LABELS.read_text().split()[1:])
TOTALS = ",".join(f"{name}={list(TRUTH.values()).count(name)}" for name in "bg")


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    found = CliRunner().invoke(app, [*arguments, "--json"])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    return json.loads(found.stdout)


def test_totals_of_many_classes_are_longer_than_a_file_name():
    totals = {f"class number {k}": 0 for k in range(300)} | {"b": 9}
    assert known_totals(",".join(f"{name}={count}" for name, count in totals.items())) == totals


def test_start_and_choose_with_totals_then_audit():
    alone = run("choose", *POOL, "-l", LABELS)["runs"][0]
    lines = [f"{name},{count}" for name, count in (part.split("=") for part in TOTALS.split(","))]
    Path("totals.csv").write_text("\n".join(["class,total", *lines]))
    known = run("choose", *POOL, "-l", LABELS, "--totals", "totals.csv", "-j", "run.journal")["runs"][0]
    assert known["labels_read"] < alone["labels_read"]
    assert known["winner"] == alone["winner"]
    assert known["scope"].startswith("given the class totals")
    assert known["worth"]["exact"] is False
    started = run("start", "w.journal", *POOL, "--totals", TOTALS)
    assert started["totals"] == {
        name: int(count) for name, count in (p.split("=") for p in TOTALS.split(","))
    }
    assert started["at_least"] >= 1
    told = run("tell", "w.journal", "--labels", LABELS)
    assert told["certified"] is True
    for journal in ("run.journal", "w.journal"):
        assert run("audit", *POOL, journal, "--labels", LABELS)["ok"] is True


@pytest.mark.parametrize("command", ["plan", "certificate"])
def test_where_totals_do_not_help_says_why(command):
    labels = [] if command == "plan" else ["-l", LABELS]
    with pytest.raises(PoolError, match="a row has no gain of its own"):
        run(command, *POOL, *labels, "--totals", TOTALS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class\na", "no column 'total'"),
        ("class,total\na,x", "total 'x' is no count"),
        ("class,total\na,1\na,2", "'a' occurs twice"),
        ("class,total\na,-1", "is no count"),
    ],
)
def test_tables_that_are_no_totals(text, words):
    Path("t.csv").write_text(text)
    with pytest.raises(PoolError, match=words):
        read_totals("t.csv")


def test_totals_of_another_pool():
    with pytest.raises(PoolError, match="sum to 3, and the pool has 106 rows"):
        run("start", "w.journal", *POOL, "--totals", "b=1,g=2")
    assert not Path("w.journal").exists()
