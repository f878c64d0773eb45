"""The command `reproduce` as people and scripts run it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from solvers.entry import Ended
from solvers.errors import SolverError
from solvers.studies.catalogue import Catalogue
from solvers.studies.command import reproduce_command
from solvers.terminal import application
from tests.solvers.studies import tiny


class Studies(Catalogue):
    """Two tiny ones, one of which can be replaced."""

    studies: ClassVar = {"tiny": tiny.STUDY, "twin": replace(tiny.STUDY, name="twin", results="tiny")}

    def load(self, name):
        return self.studies[name]


CATALOGUE = Studies("tool", "nowhere", {"tiny": "tiny", "twin": "twin"}, "Tiny <studies>", "The paper.")
app = application("tool", "A tool with studies.")
app.command()(reproduce_command(CATALOGUE))


def reproduce(*arguments, code=0):
    result = CliRunner().invoke(app, ["reproduce", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_study_prints_ours_beside_the_papers(tmp_path):
    out = reproduce("tiny", "-o", tmp_path, "--jobs", 1)
    for text in (
        "A <tiny> study",
        "ours",
        "paper",
        "mean size",
        "<7> & more",
        "Others",
        "tiny.csv",
        "tiny.svg",
        "results sha256 ",
    ):
        assert text in out
    assert "NOT" not in out


def test_json_is_one_document(tmp_path):
    (study,) = json.loads(reproduce("tiny", "-o", tmp_path, "--jobs", 1, "--json"))["studies"]
    assert study["pieces"] == study["of"] == 5
    assert re.fullmatch("[0-9a-f]{64}", study["sha256"])
    assert study["lines"][0] == {
        "part": "Counts",
        "quantity": "rows",
        "ours": "10",
        "paper": "10",
        "note": "a note",
        "holds": True,
    }


def test_a_claim_that_does_not_hold_ends_with_1(tmp_path):
    out = reproduce("tiny", "-o", tmp_path, "--jobs", 1, "--only", "red-2", code=1)
    assert "does NOT hold" in out
    assert "1 of 5 pieces" in out


def test_all_writes_one_page_that_needs_nothing_else(tmp_path):
    assert "index.html" in reproduce("all", "-o", tmp_path, "--jobs", 1)
    page = (tmp_path / "index.html").read_text()
    assert page.count("data:image/svg+xml;base64,") == 2
    assert "A &lt;tiny&gt; study" in page
    assert "Nothing &amp; &lt;nobody&gt;" in page
    assert "&lt;7&gt; &amp; more" in page
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http" not in re.sub(r"base64,[^\"]*", "", page)


def test_without_a_name_the_list(tmp_path):
    out = reproduce()
    assert "tiny" in out
    assert "with tiny" in out
    assert [s["name"] for s in json.loads(reproduce("--json"))["studies"]] == ["tiny", "twin"]


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (Ended(143), 143)])
def test_what_stops_it_leaves_word_of_how_to_go_on(tmp_path, monkeypatch, error, code):
    def stop(key):
        raise error

    monkeypatch.setitem(Studies.studies, "tiny", replace(tiny.STUDY, work=stop))
    assert "the same command goes on" in reproduce("tiny", "-o", tmp_path, "--jobs", 1, code=code)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all", "--only", "red"], "with one study"),
        (["tiny", "-o", __file__], "name a folder"),
        (["tiny", "--engine", "slurm"], "local or dask is accepted"),
        (["tiny", "--engine", "dask"], "give --scheduler the address"),
        (["tiny", "--scheduler", "tcp://127.0.0.1:1"], "give --engine dask with it"),
        (
            ["tiny", "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1", "--jobs", "2"],
            "--jobs is for this machine",
        ),
    ],
)
def test_unusable(arguments, message):
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    assert isinstance(result.exception, SolverError)
    assert message in str(result.exception)


def test_studies_are_loaded_by_name():
    named = Catalogue("tool", "tests.solvers.studies", {"tiny": "tiny"}, "", "")
    assert named.load("tiny").name == "tiny"
    with pytest.raises(SolverError, match="there is no study 'small'; the studies are tiny"):
        named.load("small")
