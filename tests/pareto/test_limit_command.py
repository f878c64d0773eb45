"""What `pareto limit` says, and what it refuses."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from pareto import METHODS, BattleError
from pareto.bounds import bernoulli_kl
from pareto.cli import app
from pareto.commands.limiting import _times
from pareto.limit.report import limit_lines

SCORES = "model,code,math\na,1,0.5\nb,0.2,0\nc,0,-0.5\n"


def run(*arguments):
    found = CliRunner().invoke(app, ["limit", *map(str, arguments)])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


def record(*arguments):
    return json.loads(run(*arguments, "--json"))


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


def test_a_file_as_a_record(scores, tmp_path):
    picture = tmp_path / "allocation.png"
    found = record(scores, "-m", "duel", "-n", 3, "-o", picture)
    assert picture.stat().st_size > 2000
    assert found["frontier"] == ["a"]
    factor = bernoulli_kl(0.95, 0.05)
    assert found["comparisons_at_least"] == pytest.approx(found["time_at_least"] * factor)
    assert found["time_at_least"] <= found["time_at_most"] <= 1.01 * found["time_at_least"]
    for name in ("by_kind", "by_objective"):
        assert sum(found[name].values()) == pytest.approx(1)
    assert sum(cell["share"] for cell in found["cells"]) == pytest.approx(1, abs=0.01)
    assert sum(pair["share"] for pair in found["pairs"]) == pytest.approx(1)
    assert sum(one["share"] for one in found["hardest"]) == pytest.approx(1)
    assert {pair["models"][0] for pair in found["pairs"]} == {"a", "b"}
    (duel,) = found["methods"]
    assert duel["median"] / found["comparisons_at_most"] == pytest.approx(duel["times_limit_at_least"])
    assert duel["times_limit_at_least"] > 1


def test_a_family_as_text():
    text = run("symmetric:4,2,1", "-n", 2)
    assert "4 models, 2 objectives, 1 on the frontier" in text
    assert "joins: at least as good as model-1 on objective-" in text
    assert all(method in text for method in METHODS)
    assert "median ÷ limit" in text
    assert "carry no guarantee" in text


def test_more_confidence_and_no_sharing_cost_more(scores):
    usual = record(scores, "-n", 0)
    assert usual["methods"] == []
    assert record(scores, "-n", 0, "-d", 0.001)["comparisons_at_least"] > usual["comparisons_at_most"]
    assert record(scores, "-n", 0, "--direct")["comparisons_at_most"] >= usual["comparisons_at_least"]


def test_win_rates_of_a_file_become_scores(tmp_path):
    path = tmp_path / "rates.csv"
    path.write_text("model,code\na,0.7\nb,0.5\nc,0.3\n")
    assert record(path, "--scale", "borda", "-n", 0)["frontier"] == ["a"]


def test_ties_have_no_limit(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("model,code,math\na,1,2\nb,1,2\nc,0,0\n")
    found = record(path, "-n", 0)
    assert found["comparisons_at_least"] is found["comparisons_at_most"] is None
    assert "The limit is infinite" in run(path, "-n", 1, "-m", "commit")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "nowhere.csv does not exist"),
        (["nothing"], "no benchmark 'nothing'"),
        (["symmetric:4,2,1", "--scale", "borda"], "is for files"),
        (["symmetric:4,2,1", "--scale", "elo"], "latent or borda"),
        (["symmetric:4,2,1", "-d", "0.6"], "delta is 0.6"),
        (["symmetric:4,2,1", "-m", "guess"], "no method 'guess'"),
        (["symmetric:4,2,1", "-o", "picture.bmp"], "picture.bmp"),
    ],
)
def test_unusable_arguments(arguments, message):
    with pytest.raises(BattleError, match=message):
        run(*arguments)


def test_bounds_on_a_mean_are_rounded_to_the_safe_side():
    record = {
        "comparisons_at_least": 23.88,
        "comparisons_at_most": 23.91,
        "gap": 0.001,
        "delta": 0.05,
        "allocations_tried": 3,
        "seconds": 0.1,
        "by_kind": {},
    }
    text = limit_lines(record, False)[0]
    assert "at least 23.8 comparisons" in text
    assert "at most 24.0 (0.10% apart" in text
    text = limit_lines(record | {"comparisons_at_most": None, "gap": None}, False)[0]
    assert "No upper bound was found in that time (3 allocations" in text
    text = limit_lines(record | {"comparisons_at_least": 33275.9, "comparisons_at_most": 33501.2}, False)[0]
    assert "33,275 comparisons" in text
    assert "at most 33,502" in text


def test_runs_that_were_cut_are_no_price(tmp_path):
    path = tmp_path / "close.csv"
    path.write_text("model,a,b\nx,1e-5,1e-5\ny,0,0\nz,-1,1\n")
    arguments = (path, "-n", 1, "-m", "vb-ege", "-m", "commit", "--seconds", 1)
    found = record(*arguments)
    assert found["max_comparisons"] == 10**12
    for one in found["methods"]:
        assert one["not_decided"] == 1
        assert one["median_cut"]
        assert one["times_limit_at_most"] is None
        assert one["median"] / found["comparisons_at_most"] == pytest.approx(one["times_limit_at_least"])
    text = run(*arguments)
    assert "≥ 1,000,000,000,000" in text
    assert "≥ 2.34 " in text
    assert " to " not in text.partition("What methods pay")[2].partition("Open runs")[0]
    assert "cut undecided at 1,000,000,000,000 comparisons" in text


def test_runs_that_stopped_have_both_ends(scores):
    (duel,) = record(scores, "-m", "duel", "-n", 2)["methods"]
    assert not duel["median_cut"]
    assert duel["times_limit_at_least"] <= duel["times_limit_at_most"]
    assert "≥" not in run(scores, "-m", "duel", "-n", 2)


def test_multiples_are_rounded_to_the_safe_side_where_they_are_bounds():
    assert _times(0.94299, None, True) == "≥ 0.942"
    assert _times(1999.9, None, True) == "≥ 1,999"
    assert _times(0.94299, 0.9431, False) == "0.943"
    assert _times(1.5, 2000.4, False) == "1.5 to 2,000"
    assert _times(None, None, True) == _times(None, None, False) == "–"
