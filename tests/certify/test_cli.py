"""The commands as people and scripts run them, on the bundled pools."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import certify
from certify.bundled import CIFAR10_VGG16, IONOSPHERE, IONOSPHERE_LABELS
from certify.cli import app

COMMANDS = (
    "demo",
    "plan",
    "start",
    "label",
    "ask",
    "tell",
    "status",
    "export",
    "report",
    "choose",
    "certificate",
    "audit",
)
ROOT = str(Path(certify.__file__).parents[1])
POOL = [str(path) for path in IONOSPHERE]
LABELS = str(IONOSPHERE_LABELS)
SCORED = [str(CIFAR10_VGG16), "--scores", "msp,neg-entropy,margin"]


def start(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", "from certify.cli import main; main()", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": ROOT, "COLUMNS": "110", "TERM": "dumb", "LOGNAME": "ann"},
        **options,
    )


def run(*arguments, answers="", code=0):
    process = start(*map(str, arguments))
    out, err = process.communicate(answers, timeout=120)
    assert process.returncode == code, (out, err)
    assert "Traceback" not in err
    return out, err


def run_json(*arguments, code=0):
    out, _ = run(*arguments, "--json", code=code)
    return json.loads(out)


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_plan_needs_no_labels_and_rules_a_budget_out():
    found = run_json("plan", *SCORED, "--budget", "1859", code=1)
    assert (found["bound"], found["possible"]) == (1860, False)
    assert found["bound_without"] == {"msp": 1860, "neg-entropy": 1739, "margin": 1976}
    assert run_json("plan", *SCORED, "--budget", "1860")["possible"] is True
    at = found["smallest_tolerance"]["value"]
    assert run_json("plan", *SCORED, "--budget", "1859", "--tolerance", at)["possible"] is True
    out, _ = run("plan", *POOL, "--budget", "5", code=1)
    assert "IMPOSSIBLE" in out
    assert "Dropping a candidate" in out


def test_a_session_from_start_to_audit():
    truth = dict(line.split(",") for line in IONOSPHERE_LABELS.read_text().split()[1:])
    opened = run_json("start", "work.journal", *POOL, "--policy", "static-range")
    assert (opened["certified"], opened["labels_read"], opened["rows"]) == (False, 0, 106)
    first = run_json("ask", "work.journal", "-m", "3")["rows"]
    assert run_json("ask", "work.journal", "-m", "3")["rows"] == first
    other = run_json("ask", "work.journal", "-m", "3", "--asker", "bob")["rows"]
    assert not {row["id"] for row in first} & {row["id"] for row in other}
    told = run_json("tell", "work.journal", *(f"{row['id']}={truth[row['id']]}" for row in first))
    assert told["labels_read"] == 3
    run("ask", "work.journal", "-m", "40", "-o", "todo.csv")
    filled = [line.rstrip(",") for line in Path("todo.csv").read_text().split()]
    lines = ["id,label", *(f"{name},{truth[name]}" for name in filled[1:-1]), f"{filled[-1]},?"]
    Path("done.csv").write_text("\n".join(lines))
    assert run_json("tell", "work.journal", "--labels", "done.csv")["labels_read"] == 42
    assert run_json("status", "work.journal")["skipped"] == 1
    out, _ = run("label", "work.journal", answers="nonsense\nu\n" + "q\n")
    assert "not recorded" in out
    finished = run_json("tell", "work.journal", "--labels", LABELS)
    assert finished["certified"] is True
    audited = run_json("audit", *POOL, "work.journal", "--labels", LABELS, "--head", finished["head"])
    assert audited["ok"] is True
    assert run_json("audit", "work.journal", "--head", "0" * 64, code=1)["ok"] is False


def test_labelling_in_the_terminal_reaches_the_same_verdict():
    truth = dict(line.split(",") for line in IONOSPHERE_LABELS.read_text().split()[1:])
    run("start", "work.journal", *POOL)
    wanted = run_json("choose", *POOL, "--labels", LABELS)["runs"][0]
    with start("label", "work.journal") as process:
        while (line := process.stdout.readline()) and not line.startswith("certified"):
            if (name := line.strip()) in truth:
                process.stdin.write(truth[name] + "\n")
                process.stdin.flush()
    assert process.returncode == 0
    status = run_json("status", "work.journal")
    assert (status["winner"], status["labels_read"]) == (wanted["winner"], wanted["labels_read"])
    assert status["at_least"] == 0


def test_interrupted_labelling_loses_nothing():
    run("start", "work.journal", *POOL)
    process = start("label", "work.journal")
    told = 0
    while told < 5:
        if process.stdout.readline().strip().startswith("return-"):
            process.stdin.write("g\n")
            process.stdin.flush()
            told += 1
    while not process.stdout.readline().strip().startswith("return-"):
        pass
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "everything is kept" in out
    assert "Traceback" not in err
    assert run_json("status", "work.journal")["labels_read"] == 5


def test_choose_certificate_and_audit():
    runs = run_json("choose", *POOL, "--labels", LABELS, "--policy", "all")["runs"]
    assert len(runs) == len(certify.POLICIES)
    assert len({entry["winner"] for entry in runs}) == 1
    chosen = run_json("choose", *POOL, "-l", LABELS, "-j", "run.journal", "--picture", "run.png")["runs"][0]
    assert Path("run.png").read_bytes().startswith(b"\x89PNG")
    found = run_json("certificate", *POOL, "-l", LABELS, "-o", "proof.json", "--problem", "problem.csv")
    assert found["lower_bound"] <= found["size"] <= chosen["labels_read"]
    files = ["audit", *POOL, "run.journal", "proof.json", "--labels", LABELS]
    assert run_json(*files, "--head", chosen["head"])["ok"] is True
    checker = Path(ROOT) / "solvers" / "checker.py"
    alone = subprocess.run(
        [sys.executable, "-I", str(checker), "proof.json", "problem.csv"], capture_output=True, check=False
    )
    assert alone.returncode == 0, alone
    Path("proof.json").write_text(Path("proof.json").read_text().replace('"size": ', '"size": 1'))
    assert run_json(*files, code=1)["ok"] is False


def test_a_spent_budget_answers_with_the_smallest_worst_case():
    found = run_json("choose", *POOL, "-l", LABELS, "--budget", "20", code=1)["runs"][0]
    assert (found["certified"], found["labels_read"]) == (False, 20)
    assert found["gap"]["approximately"] > 0
    tolerant = run_json("choose", *POOL, "-l", LABELS, "--budget", "20", "-t", found["gap"]["exact"])
    assert tolerant["runs"][0]["certified"] is True


def test_ids_and_names_with_brackets_are_shown_as_they_are():
    for name, scores in (("[bold]a", (0.9, 0.8)), ("b[/x]", (0.8, 0.9))):
        Path("w").mkdir(exist_ok=True)
        lines = [f"img[a]{row},0,{score},text[/b]" for row, score in enumerate(scores)]
        Path("w", name.replace("/", "_") + ".csv").write_text(
            "\n".join(["id,prediction,confidence,note", *lines])
        )
    pool = sorted(map(str, Path("w").iterdir()))
    assert "[bold]a" in run("plan", *pool)[0]
    run("start", "j", *pool)
    assert "img[a]0" in run("ask", "j")[0]
    out, _ = run("label", "j", answers="1\n")
    assert "img[a]0" in out
    assert "text[/b]" in out


def test_files_that_cannot_be_written_are_unusable_input():
    _, err = run("certificate", *POOL, "-l", LABELS, "-o", "/proc/proof.json", code=2)
    assert "/proc/proof.json" in err
    run("certificate", *POOL, "-l", LABELS, "-t", "0.01", "-o", "p.json", "--problem", "p.csv", code=2)
    assert not Path("p.json").exists()


def test_demo_prints_the_whole_job():
    out, _ = run("demo", "--folder", "here")
    for expected in (
        "1,860 of 10,000",
        "IMPOSSIBLE",
        "8,862",
        "certified: neg-entropy",
        "4,348",
        "audit passed",
    ):
        assert expected in out
    for name in ("cifar10.journal", "cifar10.proof.json", "cifar10.png"):
        assert Path("here", name).stat().st_size > 0
    run("demo", "--folder", "here", code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plan", "missing.csv"], "missing.csv"),
        (["plan", POOL[0]], "at least two|one candidate"),
        (["plan", *POOL, "--tolerance", "much"], "tolerance 'much'"),
        (["plan", *POOL, "--budget", "-1"], "budget"),
        (["plan", "empty.csv", POOL[0]], "empty.csv"),
        (["choose", *POOL, "--labels", LABELS, "--policy", "greedy"], "static-range"),
        (["choose", *POOL, "--labels", POOL[0]], "label"),
        (["certificate", *POOL, "--labels", LABELS, "-o", "empty.csv"], "exists already"),
        (["certificate", *POOL, "--labels", LABELS, "-o", "no/where.json"], "does not exist"),
        (["certificate", *POOL, "--labels", LABELS, "--backend", "magic"], "magic"),
        (["start", "empty.csv", *POOL], "exists already"),
        (["status", "empty.csv"], "empty.csv"),
        (["status", "missing.journal"], "missing.journal"),
        (["ask", LABELS], "labels.csv"),
        (["audit", "empty.csv"], "empty.csv|nothing to audit"),
        (["plan"], "POOL"),
        (["plan", *POOL, "--objective", "f1"], "not a sum of row losses with weights fixed.*accepted: augrc"),
        (["start", "new.journal", *POOL, "--objective", "happiness"], "accepted: augrc"),
    ],
)
def test_unusable_input_says_what_to_do_and_exits_with_2(arguments, message):
    Path("empty.csv").write_text("")
    out, err = run(*arguments, code=2)
    assert out == ""
    assert re.search(message, err), err


def test_version_and_help():
    assert run("--version")[0].startswith("certify ")
    listed = CliRunner().invoke(app, ["--help"]).output
    for command in (
        "demo",
        "plan",
        "start",
        "label",
        "ask",
        "tell",
        "status",
        "report",
        "choose",
        "certificate",
        "audit",
    ):
        assert command in listed
        assert "Usage" in CliRunner().invoke(app, [command, "--help"]).output


def test_the_chain_head_is_printed_whole():
    opened, _ = run("start", "h.journal", *POOL)
    shown, _ = run("status", "h.journal")
    (first,), (second,) = (re.findall(r"\b[0-9a-f]{64}\b", text) for text in (opened, shown))
    assert first == second
    run("audit", "h.journal", "--head", second)


def test_candidates_named_after_scores_are_audited_as_they_are():
    for name, (p, q) in {"msp": (0.9, 0.2), "margin": (0.6, 0.7)}.items():
        Path(f"{name}.csv").write_text(f"id,p_0,p_1\na,{p},{1 - p}\nb,{q},{1 - q}\n")
    run("start", "m.journal", "msp.csv", "margin.csv")
    assert run_json("audit", "msp.csv", "margin.csv", "m.journal")["ok"] is True


def test_results_never_overwrite_anything_or_one_another():
    Path("keep.png").write_text("mine")
    for arguments in (
        ["choose", *POOL, "-l", LABELS, "--picture", "keep.png"],
        ["choose", *POOL, "-l", LABELS, "--picture", "new.xyz", "-j", "new.journal"],
        ["certificate", *POOL, "-l", LABELS, "-o", "same.csv", "--problem", "same.csv"],
    ):
        run(*arguments, code=2)
    assert Path("keep.png").read_text() == "mine"
    assert not {"same.csv", "new.xyz", "new.journal"} & {path.name for path in Path().iterdir()}


def test_answers_whose_ids_contain_an_equals_sign():
    for name, scores in {"a": (0.9, 0.8), "b": (0.8, 0.9)}.items():
        rows = [f"x={row},0,{score}" for row, score in enumerate(scores)]
        Path(f"{name}.csv").write_text("\n".join(["id,prediction,confidence", *rows]))
    run("start", "e.journal", "a.csv", "b.csv")
    assert run_json("tell", "e.journal", "x=0=1", "x=1=0")["labels_read"] == 2


def test_labelling_without_input_or_with_its_journal_gone():
    run("start", "l.journal", *POOL)
    with start("label", "l.journal") as process:
        process.stdin.close()
        assert "everything is kept" in process.stdout.read()
    with start("label", "l.journal") as process:
        while not process.stdout.readline().startswith("return-"):
            pass
        Path("l.journal").unlink()
        process.stdin.write("g\n")
        process.stdin.close()
        assert "everything is kept" not in process.stdout.read()
        assert "Traceback" not in process.stderr.read()
    assert process.returncode == 2


def test_other_askers_are_named():
    run("start", "o.journal", *POOL)
    run("ask", "o.journal", "-m", "106", "--asker", "bob")
    assert "held by bob" in run("ask", "o.journal", "--asker", "ann")[0]


def test_one_and_two_threads_print_the_same(monkeypatch):
    for name in ("a", "b", "c"):
        rows = "\n".join(f"{row},{row * 7 % 2},0.5" for row in range(3000))
        Path(f"{name}.csv").write_text(f"id,prediction,confidence\n{rows}\n")
    Path("labels.csv").write_text("id,label\n" + "\n".join(f"{row},{row % 2}" for row in range(3000)))
    printed = []
    for threads in ("1", "2"):
        for name in ("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
            monkeypatch.setenv(name, threads)
        plan, _ = run("plan", "a.csv", "b.csv", "c.csv", "--budget", "0", "--json")
        choice, _ = run("choose", "a.csv", "b.csv", "c.csv", "-l", "labels.csv", "--policy", "all", "--json")
        printed.append((plan, choice))
    assert printed[0] == printed[1]
    assert json.loads(printed[0][0])["bound"] == 0
