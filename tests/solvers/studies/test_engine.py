"""Studies run in pieces: kept as they come, resumed wherever they were cut off, the same in any order."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from solvers.errors import SolverError
from solvers.studies.engine import run, wanted_keys
from solvers.studies.results import Results
from solvers.studies.study import seed_of
from solvers.workers import Processes
from tests.solvers.studies import tiny

ROOT = Path(__file__).parents[3]
ALL = list(tiny.KEYS)


@pytest.fixture(autouse=True)
def _log(tmp_path, monkeypatch):
    monkeypatch.setenv("TINY_LOG", str(tmp_path / "log"))


def worked(tmp_path):
    path = tmp_path / "log"
    lines = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def results(folder):
    return Results(folder / "tiny.csv", tiny.STUDY.columns)


def test_every_piece_once_and_never_again(tmp_path):
    seen = []
    outcome = run(
        tiny.STUDY, tmp_path / "out", workers=Processes(1), seeds=2, progress=lambda *at: seen.append(at)
    )
    assert worked(tmp_path) == ALL
    assert seen == [(done, 5) for done in range(6)]
    assert (outcome.pieces, outcome.of) == (5, 5)
    assert [line.ours for line in outcome.lines] == ["10", "8.4", ALL[-1]]
    kept = outcome.results.read_bytes()
    again = run(tiny.STUDY, tmp_path / "out", workers=Processes(1), seeds=2)
    assert worked(tmp_path) == []
    assert again.lines == outcome.lines
    assert outcome.results.read_bytes() == kept


def test_more_seeds_only_add_work(tmp_path):
    run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=1)
    assert worked(tmp_path) == ALL[:4]
    run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=2)
    assert worked(tmp_path) == ALL[4:]
    assert run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=1).lines[0].ours == "8"


def test_processes_give_the_same_table(tmp_path):
    alone = run(tiny.STUDY, tmp_path / "one", workers=Processes(1))
    shared = run(tiny.STUDY, tmp_path / "two", workers=Processes(2))
    tables = [Results(o.results, tiny.STUDY.columns).table(ALL) for o in (alone, shared)]
    assert tables[0].equals(tables[1])
    assert alone.sha256 == shared.sha256
    assert tables[0].schema == {"key": pl.String, "size": pl.Int64, "text": pl.String, "share": pl.Float64}
    assert tables[0].row(0) == ("red-1", 5, 'a "quoted", text', None)


def test_a_digest_of_the_results_and_of_nothing_else(tmp_path):
    rows = {"red-1": [{"size": 5, "share": 2}], "red-2": [{"size": 5, "share": 0.1}, {"text": "a"}]}

    def digest(name, order, keys=("red-1", "red-2"), **other):
        file = Results(tmp_path / name, tiny.STUDY.columns)
        for number, key in enumerate(order):
            file.add(key, {**rows, **other}[key], number / 3)
        return {file.sha256(keys), Results(file.path, tiny.STUDY.columns).sha256(keys)}

    (first,) = digest("a", ["red-1", "red-2"])
    assert digest("b", ["red-2", "red-10", "red-1"], **{"red-10": [{"size": 1}]}) == {first}
    assert first not in digest("c", ["red-1", "red-2"], keys=("red-2", "red-1"))
    assert first not in digest("d", rows, **{"red-1": [{"size": 5, "share": 2.0000000000000004}]})
    assert first not in digest("e", rows, **{"red-1": [{"size": 5, "text": "2"}]})


def test_a_process_that_dies_is_said_and_what_is_finished_stays(tmp_path):
    with pytest.raises(SolverError, match="fewer --jobs"):
        run(replace(tiny.STUDY, keys=tiny.keys_that_die), tmp_path, workers=Processes(2), seeds=2)
    assert "dies" not in results(tmp_path).done
    assert run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=2).lines[0].holds


@pytest.mark.parametrize(
    ("only", "expected"),
    [("red", ALL[:3]), ("red-1", ["red-1"]), ("blue-1/seed", ALL[3:]), ("blue-1", ALL[3:]), (None, ALL)],
)
def test_only_a_start_of_names(only, expected):
    assert wanted_keys(tiny.STUDY, 2, only) == expected


def test_no_piece_of_that_name(tmp_path):
    with pytest.raises(SolverError, match=r"no piece called 're'; its pieces look like red-1"):
        run(tiny.STUDY, tmp_path, only="re")


def test_cut_off_anywhere_it_goes_on(tmp_path):
    whole = run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=2).results
    content = whole.read_bytes()
    table = results(tmp_path).table(ALL)
    for length in range(0, len(content), 5):
        whole.write_bytes(content[:length])
        kept = results(tmp_path)
        assert kept.done == set(ALL[: len(kept.done)])
        assert content.startswith(whole.read_bytes())
        for key in ALL[len(kept.done) :]:
            kept.add(key, tiny.work(key), 0.0)
        assert results(tmp_path).table(ALL).equals(table)


def broken(tmp_path, old, new):
    path = run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=2).results
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def test_a_spoiled_line_is_named(tmp_path):
    broken(tmp_path, "red-2,2,0.0,5", "red-2,2,0.0,five")
    with pytest.raises(SolverError, match=r"line 4: .*five.*; delete the lines of its key"):
        results(tmp_path)


def test_a_missing_line_is_named_and_deleting_the_rest_mends_it(tmp_path):
    path = broken(tmp_path, 'red-2,2,0.0,5,"a ""quoted"", text",\n', "")
    with pytest.raises(SolverError, match=r"line 4: 1 rows of red-2 where 2 belong"):
        results(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("red-2")))
    worked(tmp_path)
    run(tiny.STUDY, tmp_path, workers=Processes(1), seeds=2)
    assert worked(tmp_path) == ["red-2"]


@pytest.mark.parametrize("content", [b"id,label\n1,0\n", b"notes without a line end", b"key,of\n"])
def test_a_file_of_somebody_else_is_left_alone(tmp_path, content):
    (tmp_path / "tiny.csv").write_bytes(content)
    with pytest.raises(SolverError, match="name another folder"):
        run(tiny.STUDY, tmp_path, workers=Processes(1))
    assert (tmp_path / "tiny.csv").read_bytes() == content


def test_studies_that_share_results_share_the_work(tmp_path):
    run(tiny.STUDY, tmp_path, workers=Processes(1))
    worked(tmp_path)
    other = replace(tiny.STUDY, name="other", results="tiny")
    assert run(other, tmp_path, workers=Processes(1)).results == tmp_path / "tiny.csv"
    assert worked(tmp_path) == []


def test_work_must_fit_its_columns(tmp_path):
    file = results(tmp_path)
    with pytest.raises(ValueError, match="no rows"):
        file.add("red-1", [], 0.0)
    with pytest.raises(ValueError, match="does not name"):
        file.add("red-1", [{"colour": "red"}], 0.0)
    with pytest.raises(ValueError, match="of its own called key"):
        Results(tmp_path / "x.csv", {"key": str})


SCRIPT = """
import sys, types
from pathlib import Path
from tests.solvers.studies import tiny
from solvers.entry import start
from solvers.studies.engine import run
from solvers.workers import Processes
def main():
    print("ready", flush=True)
    workers = Processes(int(sys.argv[2]))
    run(tiny.STUDY, Path(sys.argv[1]), workers=workers, progress=lambda *at: print(at[0], flush=True))
sys.modules["later"] = later = types.ModuleType("later")
later.main = main
start("later")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    ("sign", "jobs", "code"),
    [("SIGINT", 2, 130), ("SIGTERM", 2, 143), ("SIGHUP", 2, 129), ("SIGKILL", 1, -9)],
)
def test_stopped_from_outside(tmp_path, sign, jobs, code):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(jobs)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TINY_WAIT": "0.3"},
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # whoever tests may ignore it
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline().strip() != "2":
            pass
        process.send_signal(getattr(signal, sign))
        process.communicate(timeout=30)  # at its end no worker holds the pipe either
        assert process.returncode == code
    assert (tmp_path / "tiny.csv.lock").exists() == (sign == "SIGKILL")
    done = results(tmp_path).done
    assert 2 <= len(done) < 5
    worked(tmp_path)
    outcome = run(tiny.STUDY, tmp_path, workers=Processes(1))
    assert set(worked(tmp_path)) == set(ALL) - done
    assert outcome.lines[0].holds


def test_seeds_depend_on_the_text_alone():
    assert seed_of("a") == seed_of("a") != seed_of("b")
    assert 0 <= seed_of("") < 2**64


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("\n", r"line 2: zip\(\).*delete the lines of its key"),
        (",,\n", r"line 2: zip\(\)"),
        ("x," + "1" * 30 + ",0.1,0,1.0\n", "line 2: a whole number is missing, or lies beyond 64 bits"),
        ("x,,0.1,0,1.0\n", "line 2: a whole number is missing"),
        ('"' + "x" * 200_000 + '",1,0.1,0,1.0\n', "line 2: field larger than field limit"),
    ],
)
def test_lines_that_no_study_writes(tmp_path, line, message):
    columns = {"size": int, "name": str}
    path = tmp_path / "x.csv"
    file = Results(path, columns)
    file.add("y", [{"size": 1, "name": "a\x85b"}], 0.1)
    head, row = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + line.encode() + row)
    limit = csv.field_size_limit(131_072)  # the usual one, whatever other readers of this process need
    try:
        with pytest.raises(SolverError, match=message):
            Results(path, columns)
    finally:
        csv.field_size_limit(limit)
    for text in ("a\rb", "a\nb"):
        with pytest.raises(ValueError, match="line break"):
            file.add("z", [{"name": text, "size": 1}], 0.1)
