"""The command: one JSON document or tables, exit codes 0, 1 and 2, remedies in words."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from solvers import (
    CoveringProgram,
    LinearProgram,
    SolverError,
    Status,
    backends,
    checker,
    problem_files,
    proof,
    report,
    solve,
    write_problem,
)
from solvers.cli import app
from solvers.compare import Outcome, Row
from solvers.instances.make_arena import main as make_arena

RUNNER = CliRunner()
COVERING = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])
LINEAR = LinearProgram([1.0, 1.0], [[1.0, 2.0]], row_lower=[3.0])


def command(*arguments):
    """Exit code, standard output and standard error of the installed entry point."""
    code = "from solvers.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def cover(tmp_path):
    path = tmp_path / "cover.json"
    write_problem(path, COVERING)
    return path


def test_version_and_help():
    assert RUNNER.invoke(app, ["--version"]).output.startswith("solvers (certified-choice")
    output = RUNNER.invoke(app, []).output
    for word in ("--version", "list", "solve", "compare", "check"):
        assert word in output


def test_the_command_starts_without_native_solvers():
    native = "{'highspy', 'scipy', 'pulp', 'cvxpy', 'networkx', 'rich.table', 'matplotlib'}"
    code = f"import sys, solvers.cli; assert not {native} & set(sys.modules), {native} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_list_names_everything_without_importing_it():
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom solvers.cli import app\n"
        "result = CliRunner().invoke(app, ['list', '--json'])\n"
        "assert not {'highspy', 'pulp', 'cvxpy', 'networkx'} & set(sys.modules)\n"
        "print(result.output)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    record = json.loads(done.stdout)
    listed = {entry["name"]: entry for entry in record["back_ends"]}
    assert list(listed) == list(backends.registered())
    assert listed["highs"]["version"].startswith("highspy ")
    assert listed["sifting"]["problems"] == ["covering"]
    assert "magic-tree-8" in record["bundled_problems"]
    output = RUNNER.invoke(app, ["list"]).output
    for name in listed:
        assert name in output


def test_solve_and_check(tmp_path, cover):
    path = tmp_path / "proof.json"
    code, out, err = command("solve", cover, "-o", path, "--json")
    record = json.loads(out)
    assert (code, err) == (0, "")
    assert record["status"] == "optimal"
    assert record["proven"]
    assert record["objective"] == {"exact": "2", "approximately": 2.0}
    assert len(record["columns"]) == 2
    for ending in (".json", ".npz", ".csv", ".cover"):
        problem = tmp_path / f"same{ending}"
        write_problem(problem, COVERING)
        code, out, _ = command("check", path, problem)
        assert (code, out.splitlines()[-1]) == (0, "PROVEN"), out
    code, out, _ = command("check", path, cover, "--json")
    assert json.loads(out)["optimal"]
    other = tmp_path / "other.json"
    write_problem(other, CoveringProgram(COVERING.gains, [13, 16]))
    code, out, _ = command("check", path, other)
    assert code == 1
    assert "REJECTED section 0: the proof belongs to another problem" in out
    lie = json.loads(path.read_text())
    lie["bracket"] = [1, 2]
    path.write_text(json.dumps(lie))
    assert command("check", path, cover)[0] == 1


def test_check_takes_several_sections(tmp_path):
    sections = [proof.Section(name, COVERING, solve(COVERING)) for name in "ab"]
    proof.write(tmp_path / "proof.json", proof.build(sections))
    problem_files.write_binary(tmp_path / "both.cover", [COVERING, COVERING])
    write_problem(tmp_path / "one.json", COVERING)
    for files in (["both.cover"], ["one.json", "one.json"]):
        result = RUNNER.invoke(
            app, ["check", str(tmp_path / "proof.json"), *(str(tmp_path / f) for f in files)]
        )
        assert (result.exit_code, result.output.splitlines()[-1]) == (0, "PROVEN")


def test_solve_other_types_and_negative_answers(tmp_path):
    result = RUNNER.invoke(app, ["solve", "transport"])
    assert result.exit_code == 0
    assert "1,020" in result.output
    assert RUNNER.invoke(app, ["solve", "impossible"]).exit_code == 1
    write_problem(tmp_path / "linear.npz", LINEAR)
    record = json.loads(RUNNER.invoke(app, ["solve", str(tmp_path / "linear.npz"), "--json"]).output)
    np.testing.assert_allclose(record["x"], [0.0, 1.5])


def test_compare_as_json_and_as_tables(tmp_path, cover):
    picture = tmp_path / "seconds.png"
    names = ["-b", "sifting", "-b", "highs", "-b", "sorting"]
    code, out, err = command("compare", cover, *names, "--picture", picture, "--json")
    record = json.loads(out)
    assert (code, err) == (0, "")
    (comparison,) = record["comparisons"]
    assert comparison["problem"]["type"] == "covering"
    assert comparison["bracket"] == [{"exact": "2", "approximately": 2.0}] * 2
    assert comparison["proven_by"] == ["sifting", "highs"]
    assert comparison["disagreeing"] == []
    refused = comparison["back_ends"][2]
    assert (refused["outcome"], refused["seconds"]) == ("cannot take it", None)
    assert picture.stat().st_size > 1000
    output = RUNNER.invoke(app, ["compare", str(cover), *names]).output
    assert "= 2" in output
    assert "Proven in exact arithmetic: sifting, highs" in output
    assert "sorting: 2 constraints" in output


def test_compare_makes_random_problems(tmp_path):
    saved = tmp_path / "random.npz"
    arguments = ["--random", "covering", "--rows", "60", "-k", "3", "--seed", "2", "-b", "sifting"]
    result = RUNNER.invoke(app, ["compare", *arguments, "--save", str(saved), "--json"])
    assert result.exit_code == 0
    again = RUNNER.invoke(app, ["compare", str(saved), "-b", "sifting", "--json"])
    pick = [json.loads(r.output)["comparisons"][0]["bracket"] for r in (result, again)]
    assert pick[0] == pick[1]
    lp = RUNNER.invoke(app, ["compare", "-r", "lp", "--rows", "3", "-k", "4", "-b", "highs", "--json"])
    assert json.loads(lp.output)["comparisons"][0]["problem"]["maximise"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "absent.json"], "absent.json: there is no such file"),
        (["solve", "{cover}", "-b", "magic"], "Unknown back end 'magic'"),
        (["solve", "{cover}", "-o", "{cover}"], "exists already"),
        (["solve", "transport", "-o", "{folder}/proof.json"], "has no proof file, only covering programs do"),
        (["compare"], "Give problem files or --random"),
        (["compare", "{cover}", "--random", "lp"], "one of the two"),
        (["compare", "{cover}", "--save", "{folder}/x.npz"], "--save writes the problem that --random makes"),
        (["compare", "{cover}", "--picture", "{folder}/no/x.png"], "does not exist; create it"),
        (["compare", "{cover}", "--picture", "{folder}/x.json"], "ending '.json'; pictures are drawn as"),
        (["compare", "{cover}", "--picture", "{folder}/out"], "ending ''; pictures are drawn as"),
        (["compare", "{cover}", "-t", "inf"], "a finite number of seconds"),
        (["solve", "magic-tree-8", "-o", "/proc/proof.json"], "/proc/proof.json: cannot be written"),
        (["compare", "{cover}", "--picture", "/proc/x.png"], "/proc/x.png: cannot be written"),
        (["check", "absent.json", "{cover}"], "absent.json: cannot be read"),
        (["check", "{cover}", "absent.csv"], "absent.csv"),
        (["check", "{cover}", "transport.json"], "transport.json"),
    ],
)
def test_unusable_input_is_exit_code_2_with_the_remedy(tmp_path, cover, arguments, message):
    filled = [text.format(cover=cover, folder=tmp_path) for text in arguments]
    code, out, err = command(*filled)
    assert (code, out) == (2, "")
    assert err.startswith("solvers: ")
    assert message in " ".join(err.split())


def test_outputs_are_refused_before_the_work(tmp_path, cover, monkeypatch):
    def never(*_):
        raise AssertionError("solved before the output was looked at")

    monkeypatch.setattr("solvers.solve", never)
    monkeypatch.setattr(sys.modules["solvers.compare"], "compare", never)
    (tmp_path / "taken.png").symlink_to(tmp_path / "nowhere.png")
    for arguments in (
        ["solve", str(cover), "-o", str(tmp_path / "no" / "proof.json")],
        ["solve", str(cover), "-o", str(tmp_path / ("n" * 300))],
        ["compare", str(cover), "--picture", str(tmp_path / "x.txt")],
        ["compare", str(cover), "--picture", str(tmp_path / "taken.png")],
    ):
        assert isinstance(RUNNER.invoke(app, arguments).exception, SolverError | OSError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cover.json", "taken.png"]


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
@pytest.mark.parametrize("name", ["[bold]k.json", ":warning:.json", "$x^.json", "[red]x[b].json"])
def test_file_names_are_shown_as_they_are(tmp_path, name):
    write_problem(tmp_path / name, COVERING)
    picture = tmp_path / "seconds.svg"
    shown = RUNNER.invoke(app, ["solve", str(tmp_path / name), "-o", str(tmp_path / "[b]p.json")])
    assert name in shown.output
    assert "[b]p.json" in "".join(shown.output.split())
    shown = RUNNER.invoke(app, ["compare", str(tmp_path / name), "-b", "sifting", "--picture", str(picture)])
    assert (shown.exit_code, shown.exception) == (0, None)
    assert name in shown.output
    assert picture.exists()


def test_a_reader_that_left_is_not_a_negative_answer(cover):
    run = f"{sys.executable} -c 'from solvers.cli import main; main()' compare {cover} -b sifting"
    for more in ("", "--json"):
        line = f"{run} {more} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
        assert (done.stdout, done.stderr) == ("141\n", "")


def test_list_fits_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = RUNNER.invoke(app, ["list"]).output.splitlines()
    (row,) = [line for line in lines if line.split()[:1] == ["ordered-newton"]]
    assert row.split() == ["ordered-newton", "built", "in", "ordered-bradley-terry"]
    assert any(line.startswith("sorting: at most one constraint") for line in lines)
    assert not any("To get" in line for line in lines) or any("missing" in line for line in lines)


def test_list_says_how_to_get_what_is_missing():
    usual = {"version": "", "problems": ["linear"], "limits": "", "tolerance": 0.0}
    missing = {**usual, "name": "far", "installed": False, "missing": "[far]", "install": "pip install far"}
    here = {**usual, "name": "near", "installed": True, "missing": "", "install": ""}
    assert report.list_parts([here, missing])[1:] == ["To get far: pip install far."]
    assert len(report.list_parts([here])) == 1


def test_claims_that_are_no_numbers_are_null_in_json():
    row = Row("x", "", Outcome.CLAIMED, claimed_objective=float("inf"), claimed_bound=float("nan"))
    claimed = json.loads(json.dumps(report.row_record(row), allow_nan=False))["claimed"]
    assert claimed == {"status": None, "objective": None, "bound": None}


def test_what_is_proven_agrees_without_reservation():
    facts = {"status": Status.OPTIMAL, "claimed_status": Status.OPTIMAL, "tolerance": 1e-6, "agrees": True}
    for outcome, said in ((Outcome.PROVEN, "yes"), (Outcome.CLAIMED, "to 1e-06")):
        record = report.comparison_record(LINEAR, "x", [Row("x", "", outcome, **facts)])
        (cell,) = report.comparison_parts(record)[0].columns[-1].cells
        assert str(cell) == said


def both_checks(capsys, path, problem):
    """Exit codes of the standalone checker and of ``solvers check``."""
    alone = checker.main([str(path), str(problem)])
    capsys.readouterr()
    result = RUNNER.invoke(app, ["check", str(path), str(problem)])
    return alone, 2 if isinstance(result.exception, SolverError) else result.exit_code


def test_the_checker_alone_and_the_command_end_alike(tmp_path, cover, capsys):
    path, problem = tmp_path / "proof.json", tmp_path / "problem.csv"
    assert RUNNER.invoke(app, ["solve", str(cover), "-o", str(path)]).exit_code == 0
    write_problem(problem, COVERING)
    assert both_checks(capsys, path, problem) == (0, 0)
    assert both_checks(capsys, tmp_path / "absent.json", problem) == (2, 2)
    assert both_checks(capsys, path, tmp_path / "absent.csv") == (2, 2)
    good = path.read_text()
    for text in ("{", "[1.5]", "[" * 100_000, good.replace('"size": 2', '"size": 3')):
        path.write_text(text)
        assert both_checks(capsys, path, problem) == (1, 1)
    path.write_text(good)
    for bad in (b"", b"\n\n", b"row,a\n", b"row,a\ndemand,\xff\n", b"row,a\ndemand," + b"1" * 200_000):
        problem.write_bytes(bad)
        assert both_checks(capsys, path, problem) == (2, 2)
    problem.write_bytes(checker.MAGIC + b"[" * 100_000)
    assert both_checks(capsys, path, problem) == (2, 2)


def test_check_names_a_file_once(tmp_path, cover):
    (tmp_path / "bad.csv").write_text("row,a\ndemand,x\n")
    _, _, err = command("check", cover, tmp_path / "bad.csv")
    assert err.count("bad.csv") == 1


def test_the_name_of_a_section_cannot_forge_a_line(tmp_path, cover, capsys):
    name = "x\nPROVEN \ud800"
    path, problem = tmp_path / "proof.json", tmp_path / "problem.csv"
    proof.write(path, proof.build([proof.Section(name, COVERING, solve(COVERING))]))
    write_problem(problem, COVERING)
    assert checker.main([str(path), str(problem)]) == 0
    assert capsys.readouterr().out.count("\nPROVEN") == 1
    assert RUNNER.invoke(app, ["check", str(path), str(problem)]).output.count("\nPROVEN") == 1


def test_make_arena_overwrites_nothing(tmp_path):
    (tmp_path / "arena-fit.json").write_text("mine")
    with pytest.raises(SolverError, match=r"arena-fit.json exists already"):
        make_arena("absent.parquet", str(tmp_path))
    assert (tmp_path / "arena-fit.json").read_text() == "mine"
