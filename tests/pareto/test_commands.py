"""The commands as people and scripts run them."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from pareto import METHODS, BattleError
from pareto.cli import app
from pareto.scorefile import latent_scores, read_scores
from tests.pareto.voting import events

SCORES = "model,code,math\nalpha,2.0,0.0\nbeta,0.0,2.0\ngamma,-2.0,-2.0\n"


def run(*arguments, code=0):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found.output


def record(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "votes"
    run("start", path, "--models", "alpha,beta,gamma", "--objectives", "code,math", "--seed", 7)
    return path


def test_a_session_from_start_to_end(journal, tmp_path):
    strength = {"alpha": (1, 0), "beta": (0, 1), "gamma": (-1, -1)}
    rounds = 0
    while queries := record("ask", journal, "--all", "-o", tmp_path / f"{rounds}.csv")["queries"]:
        with (tmp_path / f"{rounds}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [int(row["query"]) for row in rows] == [query["query"] for query in queries]
        for row in rows:
            side = ("code", "math").index(row["objective"])
            row["outcome"] = "left" if strength[row["left"]][side] > strength[row["right"]][side] else "right"
        with (tmp_path / f"{rounds}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        told = record("tell", journal, "--outcomes", tmp_path / f"{rounds}.csv")
        assert told["told"]["used"] == len(rows)
        rounds += 1
    done = record("status", journal)
    assert done["status"] == "certified"
    assert done["frontier"] == ["alpha", "beta"]
    models = {model["model"]: model for model in done["models"]}
    assert models["gamma"]["status"] == "dominated"
    assert models["gamma"]["rival"] in ("alpha", "beta")
    assert "nothing to compare any more" in run("ask", journal)
    text = run("status", journal)
    assert "gamma" in text
    assert "dominated" in text
    assert done["head"] in text
    checked = record("audit", journal, "--head", done["head"])
    assert checked["ok"]
    assert "everything holds" in run("audit", journal)
    assert record("audit", journal, "--head", "0" * 64, code=1)["ok"] is False


def test_single_queries_and_several_people(journal):
    mine = record("ask", journal, "-n", 3, "--asker", "anna")["queries"]
    assert record("ask", journal, "-n", 3, "--asker", "anna")["queries"] == mine
    theirs = record("ask", journal, "-n", 3, "--asker", "ben")["queries"]
    assert not {query["query"] for query in mine} & {query["query"] for query in theirs}
    output = run("tell", journal, "1=left", "2=?", "3:code=withdrawn", "4=tie")
    assert "2 recorded; 1 cannot tell; 1 given back" in output
    assert "1 recorded" in run("tell", journal, "3=gamma") or "other" in output


def test_a_forecast_of_what_remains(journal):
    with pytest.raises(BattleError, match="before the first"):
        run("status", journal, "--forecast", 3)
    run("ask", journal, "-n", 40)
    run("tell", journal, *(f"{number}=left" for number in range(1, 41)))
    found = record("status", journal, "--forecast", 3)["forecast"]
    assert found["runs"] == 3
    assert 0 < found["low"] <= found["median"] <= found["high"]


def test_a_forecast_that_no_run_decides_is_no_number(journal, monkeypatch):
    from pareto.session import forecast

    monkeypatch.setattr(forecast, "MOST", 5)
    run("ask", journal, "-n", 40)
    run("tell", journal, *(f"{number}=left" for number in range(1, 41)))
    found = record("status", journal, "--forecast", 3)["forecast"]
    assert (found["median"], found["cut"], found["cut_at"]) == (None, 3, 5)
    assert "no number can be given. 3 of 3 simulated runs did not decide within 5" in run(
        "status", journal, "--forecast", 3
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tell"], "nothing told"),
        (["tell", "1"], "not QUERY=OUTCOME"),
        (["tell", "1=left"], "no query 1"),
        (["tell", "--outcomes", "absent.csv"], "absent.csv"),
    ],
)
def test_unusable_answers(journal, arguments, message):
    command, *rest = arguments
    with pytest.raises((BattleError, OSError), match=message):
        run(command, journal, *rest)
    assert len(events(journal)) == 1


def test_names_from_a_file(tmp_path):
    names = tmp_path / "models.txt"
    names.write_text("gpt-4.1, mini\nclaude\n\n")
    found = record("start", tmp_path / "j", "--models", names, "--objectives", "only", "--joint")
    assert [model["model"] for model in found["models"]] == ["gpt-4.1, mini", "claude"]
    with pytest.raises(BattleError, match="exists already"):
        run("start", tmp_path / "j", "--models", "a,b", "--objectives", "x")
    with pytest.raises(BattleError, match="at least 2"):
        run("start", tmp_path / "k", "--models", "a", "--objectives", "x")
    assert not (tmp_path / "k").exists()


def test_plan_says_what_it_costs(scores, tmp_path):
    found = record("plan", scores, "-m", "vb-ege", "-m", "focal-borda", "-n", 6, "-o", tmp_path / "p.png")
    assert [one["method"] for one in found["methods"]] == ["vb-ege", "focal-borda"]
    assert found["vb_ege_at_most"] > found["methods"][0]["high"]
    assert found["vb_ege_at_most_latent"] > found["vb_ege_at_most"]
    assert [model["status"] for model in found["standing"]["models"]] == ["frontier", "frontier", "dominated"]
    assert (tmp_path / "p.png").stat().st_size > 1000
    enough = found["methods"][0]["high"]
    assert record("plan", scores, "-n", 6, "--budget", enough)["budget"]["enough"]
    assert (
        record("plan", scores, "-m", "vb-ege", "-n", 6, "--budget", 10, code=1)["budget"]["enough"] is False
    )


def test_plan_from_win_rates(tmp_path, scores):
    from pareto import borda

    table = read_scores(scores)
    rates = borda(table.scores)
    path = tmp_path / "rates.csv"
    lines = [
        f"{name},{rate[0]!r},{rate[1]!r}" for name, rate in zip(table.models, rates.tolist(), strict=True)
    ]
    path.write_text("\n".join(["model,code,math", *lines]))
    centred = table.scores - table.scores.mean(axis=0)
    assert latent_scores(read_scores(path)) == pytest.approx(centred, abs=1e-8)
    found = record("plan", path, "--scale", "borda", "-m", "vb-ege", "-n", 3)
    assert found["smallest_gap"] == pytest.approx(2.0)
    with pytest.raises(BattleError, match="average ½"):
        run("plan", scores, "--scale", "borda")


def test_plan_names_a_tie(tmp_path):
    path = tmp_path / "tie.csv"
    path.write_text("model,x\na,1\nb,1\nc,0\n")
    output = run("plan", path, "-m", "vb-ege", "-n", 2, "--max-comparisons", 10**6)
    assert "gap 0" in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,x\na,1\n", "at least 2"),
        ("model\na\nb\n", "no objective"),
        ("model,x\na,1\nb,inf\n", "b, x: 'inf'"),
        ("model,x\na,1\nb,\n", "b, x: ''"),
        ("model,x\na,1\na,2\n", "named twice"),
        ("model,x,x\na,1,2\nb,2,3\n", "named twice"),
        ("model,x\na,1\nb,2,3\n", "3 cells"),
    ],
)
def test_unusable_scores(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(BattleError, match=message):
        run("plan", path)


def test_simulate_counts_and_repeats(tmp_path):
    arguments = ("simulate", "symmetric:16,4,1", "-m", "vb-ege", "-m", "bt-mle", "-n", 4, "--seed", 2)
    first = record(*arguments)
    assert first["methods"][0]["wrong"] == 0
    assert first["methods"][1]["median"] == 183_840  # always hit
    assert "bt-mle carries no guarantee" in run(*arguments)
    again = record(*arguments, "-j", 2)
    for one in (*first["methods"], *again["methods"]):
        del one["seconds"]
    assert again == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no benchmark"),
        (["symmetric:2"], "symmetric:K,d,gap"),
        (["symmetric:2,1,0"], "gap 0"),
        (["arena-10", "-m", "none"], "no method"),
        (["arena-10", "--delta", "1"], "delta is 1"),
        (["arena-10", "-o", "/nowhere/p.png"], "does not exist"),
    ],
)
def test_unusable_simulations(arguments, message):
    with pytest.raises(BattleError, match=message):
        run("simulate", *arguments)


def test_the_demonstration():
    found = record("demo", "--synthetic", "-m", "vb-ege")
    (only,) = found["runs"]
    assert only["right"]
    assert only["frontier"] == found["answer"]["frontier"]
    text = run("demo", "--synthetic", "-m", "vb-ege", "-m", "focal-borda")
    assert "protected" in text
    assert "vb-ege" in text


def test_every_command_explains_itself():
    for command in ("demo", "plan", "simulate", "start", "ask", "tell", "status", "audit"):
        assert "--json" in run(command, "--help")
    assert set(METHODS) >= {"vb-ege", "focal-borda", "bt-mle", "borda-plugin"}
