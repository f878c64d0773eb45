"""The README is true: its Python runs, its commands work, and what it shows is what they print."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import certify
import pareto
from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
from solvers import checker

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
SHOWN = "".join(block for language, block in BLOCKS if language == "text" and block.startswith("$ "))
SHELL = [block for language, block in BLOCKS if language == "bash" and ".venv" not in block]
PYTHON = [block for language, block in BLOCKS if language == "python"]
LEFT_OUT = ("solvers compare", "pareto limit")  # they take a while, and print what they measured


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the files that the README speaks of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for file in (*IONOSPHERE, IONOSPHERE_LABELS):
        shutil.copy(file, tmp_path)
    pool = certify.read_pool(IONOSPHERE)
    certify.write_labels("export.json", pool, certify.read_labels(IONOSPHERE_LABELS, pool))
    Path("models.txt").write_text("alpha\nbeta\ngamma\n")
    Path("pilot.csv").write_text("model,code,style\nalpha,1,0\nbeta,0,1\ngamma,-1,-1\n")
    first, step, winner = np.random.default_rng(0).integers(0, (3, 2, 3), (300, 3)).T
    names, outcomes = np.array(["alpha", "beta", "gamma"]), np.array(["model_a", "model_b", "tie"])
    second = (first + step + 1) % 3
    votes = pl.DataFrame({"model_a": names[first], "model_b": names[second], "winner": outcomes[winner]})
    votes.write_csv("votes.csv")
    votes.with_columns(session=np.arange(300) // 2).write_parquet("votes-1.parquet")


def run(command):
    """What a line prints; it ends well, or with a negative answer."""
    if command.startswith(("certify", "pareto", "solvers")):
        program, *arguments = shlex.split(command, comments=True)
        done = CliRunner().invoke(import_module(f"{program}.cli").app, arguments)
        assert isinstance(done.exception, SystemExit | None), f"{command}: {done.exception}"
        code, printed = done.exit_code, done.output
    else:
        command = command.replace("solvers/checker.py", str(checker.__file__))
        again = subprocess.run(
            command.replace("python", sys.executable, 1), shell=True, capture_output=True, text=True
        )
        code, printed = again.returncode, again.stdout + again.stderr
    assert code in (0, 1), f"{command}: {printed}"
    return printed


def fill_in(file, answers):
    """Whoever gets a file to fill in does so."""
    rows = [
        row | {name: answers[name] for name in row.keys() & answers}
        for row in csv.DictReader(file.read_text().splitlines())
    ]
    pl.DataFrame(rows).write_csv(file)


def squeezed(text):
    return "".join(text.split())


def test_what_is_shown_is_printed(desk):
    for part in re.split(r"^\$ ", SHOWN, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        if not command.startswith(LEFT_OUT):
            printed = squeezed(run(command))
            for piece in re.split("\n|…", shown):
                assert squeezed(piece) in printed, piece


@pytest.mark.parametrize("block", SHELL)
def test_commands_work(desk, block):
    if "certify export" in block:
        Path("labels.csv").unlink()  # the block writes it
    for command in block.splitlines():
        if not command.startswith(LEFT_OUT):
            run(command)
        if "-o todo.csv" in command:
            fill_in(Path("todo.csv"), {"label": "g", "outcome": "left"})


@pytest.mark.parametrize("block", PYTHON)
def test_python_runs(desk, block):
    pool = certify.read_pool(IONOSPHERE)
    codes = certify.read_labels(IONOSPHERE_LABELS, pool).codes
    known = {
        "ask_a_human": lambda name: pool.classes[codes[pool.position[name]]],
        "judge": lambda i, j, objective: i < j,
        "models": ["a", "b", "c"],
        "objectives": ["code", "style"],
        "votes": "votes.csv",
    }
    exec(block, known)
    assert "session" not in known or known["session"].verdict.certified
    assert "certificate" not in known or known["certificate"].proven
    assert "result" not in known or known["result"].status == pareto.Status.CERTIFIED
    assert "solution" not in known or known["solution"].objective == known["solution"].bound == 2


def test_one_file_through_other_tools():
    """The table of conventions, from their rules."""
    n, wrong = 8, ({0, 2}, {3, 4, 5, 6, 7})
    predictions = [[row not in rows for row in range(n)] for rows in wrong]
    risks = certify.Pool.binary(predictions, [np.arange(n, 0, -1)] * 2).risks
    values = []
    for at, rows in enumerate(wrong):
        curve = [Fraction(sum(row <= last for row in rows), n) for last in range(n)]
        late = sum((a + b) / (2 * n) for a, b in pairwise(curve))
        ours = Fraction(int(risks.weights[at, sorted(rows)].sum()), risks.scale)
        assert ours == late + curve[0] / (2 * n)
        values.append((ours, 1000 * ours, late / (1 - Fraction(1, n)), late, sum(curve) / n))
    table = README[README.index("| convention |") :].splitlines()[2:7]
    for at, line in enumerate(table):
        _, _, *cells, best, _ = line.split("|")
        shown = [cell.split("=")[-1].strip() for cell in cells]
        a, b = (both[at] for both in values)
        assert shown == [f"{float(value):.{1 if at == 1 else 4}f}" for value in (a, b)]
        assert best.strip(" *") == ("tie" if a == b else "a" if a < b else "b")
