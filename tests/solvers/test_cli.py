"""The command: one JSON document or tables, exit codes 0, 1 and 2, remedies in words."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from solvers import CoveringProgram, LinearProgram, backends, problem_files, write_problem
from solvers.cli import app

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
    proof = tmp_path / "proof.json"
    code, out, err = command("solve", cover, "-o", proof, "--json")
    record = json.loads(out)
    assert (code, err) == (0, "")
    assert record["status"] == "optimal"
    assert record["proven"]
    assert record["objective"] == {"exact": "2", "approximately": 2.0}
    assert len(record["columns"]) == 2
    for ending in (".json", ".npz", ".csv", ".cover"):
        problem = tmp_path / f"same{ending}"
        write_problem(problem, COVERING)
        code, out, _ = command("check", proof, problem)
        assert (code, out.splitlines()[-1]) == (0, "PROVEN"), out
    code, out, _ = command("check", proof, cover, "--json")
    assert json.loads(out)["optimal"]
    other = tmp_path / "other.json"
    write_problem(other, CoveringProgram(COVERING.gains, [13, 16]))
    code, out, _ = command("check", proof, other)
    assert code == 1
    assert "REJECTED section 0: the proof belongs to another problem" in out
    lie = json.loads(proof.read_text())
    lie["bracket"] = [1, 2]
    proof.write_text(json.dumps(lie))
    assert command("check", proof, cover)[0] == 1


def test_check_takes_several_sections(tmp_path):
    from solvers import proof, solve

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
