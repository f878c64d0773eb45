"""The commands on logs as people and scripts run them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pareto import BattleError
from pareto.bundled import LOGS, bundled_log
from pareto.cli import app
from pareto.commands.log_reading import Reading, flag_places
from pareto.commands.simulating import methods_table
from pareto.log_runs import run_log
from pareto.pair_counts import PairCounts
from pareto.targets import target
from solvers.workers import Processes
from tests.pareto.battle_files import HOSTILE, borda_by_hand, frontier_by_hand, write_battles

ARENA = "bundled:arena140k-decisive"
THREE = ("--objectives", "code,instruction_following,general")


def run(*arguments, code=0):
    found = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, found.output
    return found.output


def record(*arguments, code=0):
    return json.loads(run(*arguments, "--json", code=code))


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def battles():
    return write_battles(Path("log.csv"))


@pytest.mark.parametrize("half", [False, True])
def test_scores_and_frontier_are_those_of_a_plain_loop(battles, half):
    found = record("frontier", "log.csv", "--ties", "half" if half else "decisive")
    scores = borda_by_hand(battles, half)
    for model in found["target"]["models"]:
        for objective, value in model["borda"].items():
            assert value == pytest.approx(float(scores[model["model"], objective]), abs=1e-12)
    assert found["target"]["frontier"] == frontier_by_hand(scores)
    assert [model["model"] for model in found["target"]["models"]] == sorted(HOSTILE)
    assert found["layout"] == "plain"
    assert sorted(found["objectives"]) == ["[math]", "code"]


def test_every_dropped_row_is_counted(battles):
    done = record("frontier", "log.csv")["preprocessing"]
    steps = {step["reason"]: step["rows"] for step in done["dropped"]}
    others = [battle for battle in battles if battle[0] != battle[1]]
    assert done["rows"] == len(battles)
    assert steps["self-battle, voted"] + steps["self-battle, no outcome"] == len(battles) - len(others)
    assert steps["no outcome"] == sum(not winner for _, _, winner, _ in others)
    assert steps["tie"] == sum(winner == "tie" for _, _, winner, _ in others)
    assert steps["both bad"] == sum(winner == "both_bad" for _, _, winner, _ in others)
    assert done["comparisons"] == done["rows"] - sum(steps.values()) == done["retained_records"]


def test_the_terminal_says_it_all_and_keeps_names_as_they_are(battles):
    text = run("frontier", "log.csv")
    for name in (*HOSTILE, "[math]"):
        assert name in text
    found = record("frontier", "log.csv")
    assert f"Frontier of this log, decisive (D): {', '.join(found['target']['frontier'])}" in text
    assert f"{len(battles):,}" in text
    assert "Assumes: " in text
    assert "log.csv: layout plain" in text
    assert "✓ on the frontier, ✗ dominated" in text
    assert "ties and both-bad votes with an objective" in text
    assert f"{found['certainty']['next']['total']:,} more comparisons" in text


def test_a_status_for_every_model(battles):
    certainty = record("frontier", "log.csv", "--delta", 0.2)["certainty"]
    assert [model["model"] for model in certainty["models"]] == sorted(HOSTILE)
    states = [model["status"] for model in certainty["models"]]
    assert certainty["decided"] == {
        state: states.count(state) for state in ("frontier", "dominated", "undecided")
    }
    assert certainty["delta"] == 0.2


def test_next_comparisons_as_a_file(battles):
    found = record("frontier", "log.csv", "--next", "next.csv")
    with Path("next.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    cells = found["certainty"]["next"]["cells"]
    assert [(row["model_a"], row["model_b"], row["objective"], int(row["comparisons"])) for row in rows] == [
        (cell["first"], cell["second"], cell["objective"], cell["more"]) for cell in cells
    ]
    assert rows
    assert "Compare next" not in run("frontier", "log.csv", "-n", 0)
    assert f"the first 2 of {len(rows)} cells" in run("frontier", "log.csv", "-n", 2)


def test_both_conventions_on_request():
    # b is as good as a on y, and worse on x
    rows = [("a", "b", "model_a", "x"), ("a", "b", "model_a", "y"), ("a", "b", "model_b", "y")]
    write_battles(Path("tie.csv"), models=("a", "b"), rows=0, extra=rows)
    found = record("frontier", "tie.csv", "--weak")
    assert found["target"]["frontier"] == ["a", "b"]
    assert found["weak"]["frontier"] == ["a"]
    assert found["weak"]["only_strict"] == [{"model": "b", "rival": "a", "tied_on": ["y"]}]
    text = run("frontier", "tie.csv", "--weak")
    assert "b is kept by strict dominance only: a equals it on y" in text
    assert "a tie on one protects a model" in text
    assert "A gap is 0" in text
    assert record("frontier", "tie.csv")["weak"] is None


def test_columns_of_other_names():
    Path("log.csv").write_text(
        "left,right,vote,is_code,hard\na,b,left,1,0\nb,a,left,0,0\na,b,right,1,1\nc,a,left,1,0\nb,c,left,1,1\n"
        "c,a,left,0,0\nc,b,left,0,0\na,c,left,0,0\n".replace("left", "model_a")
        .replace("right", "model_b")
        .replace("model_a,model_b,vote", "left,right,vote")
    )
    columns = ("--model-a", "left", "--model-b", "right", "--winner", "vote")
    found = record("frontier", "log.csv", *columns, "--flags", "code=is_code")
    assert found["objectives"] == ["code", "general"]
    assert found["retention"]["kept"] == ["a", "b", "c"]
    Path("names.csv").write_text("from,to\nc,b\n")
    renamed = record("frontier", "log.csv", *columns, "--flags", "code=is_code", "--names", "names.csv")
    assert renamed["retention"]["kept"] == ["a", "b"]
    several = record("frontier", "log.csv", *columns, "--flags", "is_code>hard", "--multi-label")
    assert several["preprocessing"]["records"] > several["preprocessing"]["comparisons"]


def test_clusters_are_asked_for_by_name():
    plain = record("frontier", ARENA, "--objectives", "code,general")
    clustered = record("frontier", ARENA, "--objectives", "code,general", "--cluster", "session")
    assert plain["certainty"]["clusters"] is None
    assert clustered["certainty"]["clusters"] == "evaluation_session_id"
    assert clustered["certainty"]["decided"]["undecided"] >= plain["certainty"]["decided"]["undecided"]
    assert len(clustered["retention"]["kept"]) == 35


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frontier"], "no LOG given.*bundled:arena140k-decisive"),
        (["compare-ties"], "no LOG given"),
        (["resample"], "no LOG given"),
        (["frontier", "bundled:nothing"], "no bundled log 'nothing'.*arena140k"),
        (["frontier", "absent.csv"], "absent.csv does not exist"),
        (["frontier", "absent*.csv"], "no file matches"),
        (["frontier", "log.csv", "--layout", "odd"], "odd"),
        (["frontier", "log.csv", "--objectives", "code,style"], "style"),
        (["frontier", "log.csv", "--objectives", ","], "objectives"),
        (["frontier", "log.csv", "--flags", "a>a"], "no flag of its own"),
        (["frontier", "log.csv", "--flags", "a>"], "no flag of its own"),
        (["frontier", "log.csv", "--ties", "ignore"], "decisive.*half.*davidson"),
        (["frontier", "log.csv", "--rule", "all"], "clique"),
        (["frontier", "log.csv", "--delta", "0"], "delta is 0"),
        (["frontier", "log.csv", "--cluster", "session"], "no column 'session'"),
        (["frontier", "log.csv", "-o", "log.csv"], "exists already"),
        (["frontier", "log.csv", "-o", "x.html", "--next", "x.html"], "two results"),
        (["frontier", "log.csv", "--names", "absent.csv"], "absent.csv"),
        (["compare-ties", "log.csv", "--sizes", "0,x"], "whole numbers"),
        (["compare-ties", "log.csv", "--pictures", "log.csv"], "exists already"),
        (["resample", "log.csv", "-m", "duel"], "majorities"),
        (["resample", "log.csv", "-m", "track-and-stop"], "majorities"),
        (["resample", "log.csv", "-m", "vb-ege", "-m", "none"], "no method 'none'"),
        (["resample", "log.csv", "-o", "p.bmp"], "p.bmp"),
        (["demo", "-m", "duel"], "majorities"),
    ],
)
@pytest.mark.usefixtures("battles")
def test_unusable_input(arguments, message):
    with pytest.raises(BattleError, match=message):
        run(*arguments)
    assert not Path("x.html").exists()


def test_a_message_and_code_2_without_a_traceback():
    command = [sys.executable, "-c", "from pareto.cli import main; main()", "frontier", "absent.csv"]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(root)}
    )
    assert done.returncode == 2
    assert done.stderr.startswith("pareto: absent.csv does not exist")
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_treatments_of_ties_side_by_side(battles):
    found = record("compare-ties", "log.csv")
    decisive = record("frontier", "log.csv")["target"]
    half = record("frontier", "log.csv", "--ties", "H")["target"]
    fitted = record("frontier", "log.csv", "--ties", "davidson")["target"]
    for letter, one in zip("DHF", (decisive, half, fitted), strict=True):
        assert found["targets"][letter]["frontier"] == one["frontier"]
        assert found["targets"][letter]["minimum_gap"] == pytest.approx(one["minimum_gap"])
    total = found["outcomes"][-1]
    others = [winner for a, b, winner, _ in battles if a != b and winner]
    assert total["ties"] == others.count("tie")
    assert total["both_bad"] == others.count("both_bad")
    assert total["decisive"] == len(others) - others.count("tie") - others.count("both_bad")
    text = run("compare-ties", "log.csv")
    for heading in ("How comparisons ended", "Targets", "On the frontier", "How alike", "tie-factor size"):
        assert heading in text
    for name in found["membership"]:
        assert name in text
    tried = record("compare-ties", "log.csv", "--sizes", "0,2")["davidson"]["objectives"]["code"]
    assert [one["size"] for one in tried["candidates"]] == [0, 2]


def test_methods_on_comparisons_redrawn_from_the_log():
    arguments = ("resample", ARENA, *THREE, "-m", "vb-ege", "-m", "bt-mle", "-n", 30)
    found = record(*arguments)
    vb_ege, bt_mle = found["methods"]
    assert found["target"]["frontier"] == ["gemini-2.5-flash", "gemini-2.5-pro"]
    assert vb_ege["recovered"] == bt_mle["recovered"] == vb_ege["trials"] == 30
    assert sum(vb_ege["final_phases"].values()) == 30
    assert "0.95 over the resampling" in found["guarantees"]["vb-ege"]
    assert "nothing" in found["guarantees"]["bt-mle"]
    again = record(*arguments, "-j", 1, "--seed", 0)
    assert again["sha256"] == found["sha256"]
    assert record(*arguments, "--seed", 1)["sha256"] != found["sha256"]
    text = run(*arguments, "-o", "costs.png")
    assert "30 of 30" in text
    assert "The log is taken as given" in text
    assert Path("costs.png").stat().st_size > 1000


def test_resampling_under_the_other_treatments(battles):
    for ties in ("half", "davidson"):
        found = record("resample", "log.csv", "-m", "vb-ege", "-n", 5, "--ties", ties)
        assert found["target"]["ties"] == ties
        assert found["methods"][0]["recovered"] == 5


def test_a_cap_is_reported_as_a_cap():
    found = record("resample", ARENA, *THREE, "-m", "vb-ege", "-n", 4, "--max-comparisons", 1000)
    (only,) = found["methods"]
    assert (only["recovered"], only["not_decided"], only["wrong"]) == (0, 4, 0)
    assert only["high"] <= 1000
    assert "cut at 1,000" in run(
        "resample", ARENA, *THREE, "-m", "vb-ege", "-n", 4, "--max-comparisons", 1000
    )


def test_a_log_with_equal_models_does_not_run_for_ever():
    rows = [("a", "b", winner, "x") for winner in ("model_a", "model_b")]
    write_battles(Path("tie.csv"), models=("a", "b"), rows=0, extra=rows)
    found = record("resample", "tie.csv", "-m", "vb-ege", "-m", "interval", "-n", 3)
    assert found["max_comparisons"] == 10**12
    assert [one["not_decided"] for one in found["methods"]] == [3, 3]
    assert found["target"]["minimum_gap"] == 0


class Interrupted:
    """Workers that are stopped by Ctrl-C after some pieces."""

    def __init__(self, after):
        self.after = after

    def each(self, work, items):
        for piece in Processes(1).each(work, items):
            if not self.after:
                raise KeyboardInterrupt
            self.after -= 1
            yield piece


@pytest.mark.parametrize(("after", "finished"), [(0, []), (1, [25]), (3, [50, 25])])
def test_ctrl_c_keeps_what_is_finished(after, finished):
    aim = target(PairCounts.decisive("ab", "x", [[[0, 9], [1, 0]]]))
    found, whole = run_log(["vb-ege", "interval"], aim, 50, 0, 0.1, workers=Interrupted(after))
    assert not whole
    assert [len(one.resampling.comparisons) for one in found] == finished
    full, whole = run_log(["vb-ege", "interval"], aim, 50, 0, 0.1)
    assert whole
    for part, all_of_it in zip(found, full, strict=False):
        kept = len(part.resampling.comparisons)
        assert (part.resampling.comparisons == all_of_it.resampling.comparisons[:kept]).all()


def test_ctrl_c_at_the_terminal(monkeypatch):
    monkeypatch.setattr("pareto.commands.resampling.chosen_workers", lambda *_, **__: Interrupted(1))
    arguments = ("resample", ARENA, *THREE, "-m", "vb-ege", "-n", 50)
    text = run(*arguments, code=130)
    assert "25 of 25" in text
    assert "stopped by Ctrl-C" in text


def test_the_demonstration_on_the_bundled_log():
    found = record("demo", "-n", 20)
    assert found["frontier"]["preprocessing"]["rows"] == 22_577
    assert len(found["frontier"]["retention"]["kept"]) == 15
    assert found["frontier"]["target"]["frontier"] == found["resampling"]["target"]["frontier"]
    runs = {one["method"]: one for one in found["resampling"]["methods"]}
    assert all(one["recovered"] == 20 for one in runs.values())
    assert runs["vb-ege"]["median"] > 4 * runs["interval"]["median"]
    text = run("demo", "-n", 5, "-m", "vb-ege", "-m", "interval")
    assert "gemini-2.5-flash" in text
    assert "times fewer comparisons than vb-ege" in text


def test_bundled_logs_are_read_by_name():
    for name in LOGS:
        sources, by_name = Reading().read([f"bundled:{name}"])
        (file,), by_path = Reading().read([str(bundled_log(name))])
        assert sources == (f"bundled:{name}",)
        assert file == bundled_log(name).name
        assert by_name.models == by_path.models
        assert (by_name.counts.wins == by_path.counts.wins).all()


def test_flags_on_the_command_line():
    assert flag_places("is_code>math") == {"is_code": ["is_code"], "math": ["math"]}
    assert flag_places(" code = is_code > tags/math_v0.1/math ") == {
        "code": ["is_code"],
        "math": ["tags", "math_v0.1", "math"],
    }
    assert list(flag_places("b,a")) == ["b", "a"]


def test_options_are_written_as_one_would_type_them():
    assert Reading().arguments() == []
    given = Reading(layout="plain", multi_label=False, objective_column="task", names=Path("n.csv"))
    assert given.arguments() == [
        *("--layout", "plain", "--first-label", "--objective-column", "task", "--names", "n.csv")
    ]
    assert Reading(multi_label=True).arguments() == ["--multi-label"]


def test_ratios_below_one_are_not_rounded_away():
    runs = [
        {"method": name, "median": median, "low": 1, "high": 2, "wrong": 0, "seconds": 1.0, "not_decided": 0}
        for name, median in (("a", 100), ("b", 5000), ("c", 10))
    ]
    shown = methods_table("", runs).columns[4]
    assert list(shown.cells) == ["1.0×", "0.02×", "10.0×"]


@pytest.mark.parametrize("command", ["frontier", "compare-ties", "resample", "demo"])
def test_commands_explain_themselves(command):
    assert "--json" in run(command, "--help")


def test_two_commands_at_once_never_overwrite_each_other(battles, monkeypatch):
    """Whoever is second finds the file that was not there when it began."""
    import pareto.log_report.page as pages

    def page(*arguments):
        Path("page.html").write_text("of the first")
        return "of the second"

    monkeypatch.setattr(pages, "page", page)
    with pytest.raises(FileExistsError):
        run("frontier", "log.csv", "-o", "page.html")
    assert Path("page.html").read_text() == "of the first"


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_what_is_cut_short_is_not_left_behind(battles, monkeypatch, interruption):
    from solvers.pages.canvas import Picture

    written = []

    def write(self, path):
        if len(written) == 3:
            raise interruption
        Path(path).write_text("picture")
        written.append(path)

    monkeypatch.setattr(Picture, "write", write)
    found = CliRunner().invoke(
        app, ["frontier", "log.csv", "-o", "page.html", "--pictures", "drawn", "--next", "next.csv"]
    )
    assert found.exit_code != 0
    assert len(written) == 3
    assert not Path("drawn").exists()
    assert not Path("page.html").exists()


def test_an_objective_with_a_comma_in_its_name_can_be_taken():
    Path("commas.csv").write_text(
        'model_a,model_b,winner,objective\np,q,model_a,"x, y"\nq,p,model_b,z\np,q,model_a,z\n'
    )
    found = record("frontier", "commas.csv", "--objectives", '"x, y", z')
    assert found["objectives"] == ["x, y", "z"]
    with pytest.raises(BattleError, match="no objective 'x'; choose among \"x, y\", z, each once"):
        run("frontier", "commas.csv", "--objectives", "x, y")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--layout", "none"],
        ["--ties", "none"],
        ["--rule", "none"],
        ["--cluster", "none"],
        ["--multi-label"],
        ["--flags", "hard", "--objective-column", "objective"],
        ["--layout", "arena-140k", "--flags", "hard"],
        ["--layout", "arena-140k", "--objective-column", "objective"],
        ["--winner", "none"],
    ],
)
@pytest.mark.usefixtures("battles")
def test_messages_use_no_words_of_another_interface(arguments):
    """Where an option is to be given otherwise it is not called by its name in Python."""
    with pytest.raises(BattleError) as caught:
        run("frontier", "log.csv", *arguments)
    said = str(caught.value)
    for name in (
        "schema",
        "ties",
        "rule",
        "cluster",
        "multi_label",
        "flags",
        "objective",
        "winner",
        "model_a",
    ):
        assert f"{name}=" not in said


@pytest.mark.usefixtures("battles")
def test_a_table_wider_than_the_terminal_loses_no_column(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    wide = [line for line in run("frontier", "log.csv").splitlines() if line.rstrip().endswith("gap")]
    assert wide


def test_no_advice_that_does_not_help():
    """A log of ties: no rule and no objective left out would keep two models."""
    Path("ties.csv").write_text("model_a,model_b,winner,objective\n" + "p,q,tie,x\nq,r,both_bad,y\n" * 4)
    for command in (["frontier", "ties.csv"], ["compare-ties", "ties.csv"]):
        with pytest.raises(
            BattleError, match="No rule and no choice of objectives keeps two models: more dec"
        ):
            run(*command)
    Path("some.csv").write_text(
        "model_a,model_b,winner,objective\np,q,model_a,x\nq,r,model_a,x\np,r,model_b,y\n"
    )
    with pytest.raises(BattleError, match="To go on, name fewer objectives, or collect more decisive"):
        run("frontier", "some.csv")


@pytest.mark.usefixtures("battles")
def test_a_margin_that_is_none_is_refused_before_anything_is_shown():
    for margin in ("nan", "-1", "inf"):
        with pytest.raises(BattleError, match="margin is"):
            run("resample", "log.csv", "--margin", margin)


@pytest.mark.parametrize(
    "command", [("frontier",), ("compare-ties",), ("resample", "--trials", "2", "-m", "vb-ege")]
)
def test_only_a_terminal_is_told_what_is_searched(command, battles, monkeypatch):
    told = {}
    for terminal in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", terminal)
        for quiet in ((), ("--json",)):
            found = CliRunner().invoke(app, [*command, "log.csv", *quiet])
            assert found.exit_code == 0, found.output
            told[bool(terminal), quiet] = "largest set of models" in found.output
    assert told == {
        (False, ()): False,
        (False, ("--json",)): False,
        (True, ()): True,
        (True, ("--json",)): False,
    }


@pytest.mark.parametrize("command", [("compare-ties",), ("resample", "--trials", "2", "-m", "vb-ege")])
def test_every_command_reads_a_log_within_a_memory_limit(command, battles):
    whole, limited = (record(*command, "log.csv", *more) for more in ((), ("--memory-limit", "2GB")))
    for one in (whole, limited):
        for method in one.get("methods", ()):
            method.pop("seconds")
    assert whole == limited
    assert "No such option" in run(*command, "log.csv", "--cluster", "session", code=2)
