import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from solvers import CoveringProgram, SolverError, checker, problem_files, proof, solve
from tests.solvers.instances import random_panel, seeded, small_programs

CHECKER = Path(checker.__file__)
COVER = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])


def as_problem(program):
    return checker.Problem(program.demands.tolist(), program.gains.tolist(), program.n)


def build(*programs, **context):
    sections = [proof.Section(f"target {k}", p, solve(p)) for k, p in enumerate(programs)]
    return proof.build(sections, context)


def sealed(document):
    return {**document, "checksum": checker.checksum(document)}


@seeded
@given(program=small_programs())
def test_every_proof_passes_its_checker(program):
    document = build(program, winner="a", tolerance="0")
    said = checker.check(json.loads(json.dumps(document)), as_problem(program))
    solution = solve(program)
    assert ("optimal" in said[-1]) == (solution.proven and solution.x is not None)


def test_digests_agree_whatever_the_dtype():
    program = random_panel(100, 3, 0)
    narrow = CoveringProgram(program.gains.astype(np.int32), program.demands)
    assert proof.digest(program) == proof.digest(narrow) == checker.digest(as_problem(program))


def verdict_on(path, problems, reseal=None):
    """Read and check a proof file; ``reseal`` may mend the checksum first."""
    document = checker.read_proof(path)
    return checker.check(reseal(document) if reseal else document, problems)


MANY = [random_panel(60, 4, 2), COVER, CoveringProgram([[1, 1]], [3])]


@pytest.mark.parametrize("resealed", [False, True])
def test_any_changed_digit_is_rejected(tmp_path, resealed):
    document = build(*MANY, winner="vgg", tolerance="1/2000", seed=7)
    problems = [as_problem(program) for program in MANY]
    path = tmp_path / "proof.json"
    proof.write(path, document)
    assert verdict_on(path, problems)
    text = path.read_text()
    # with a mended checksum numbers must fail on their own; free text (context, names) cannot
    free = [range(text.index('"context"'), text.index('"sections"'))]
    free += [range(match.start(), match.end()) for match in re.finditer(r'"name": "[^"]*"', text)]
    free += [range(text.index('"checksum"'), len(text))]
    digits = [i for i, c in enumerate(text) if c.isdigit()]
    if resealed:
        digits = [i for i in digits if not any(i in part for part in free)]
    assert len(digits) > 200
    for i in digits:
        for other in {"0", "1", "9", str((int(text[i]) + 1) % 10)} - {text[i]}:
            path.write_text(text[:i] + other + text[i + 1 :])
            with pytest.raises(checker.Rejected):
                verdict_on(path, problems, sealed if resealed else None)


def test_a_witness_one_row_short_is_rejected():
    program = random_panel(200, 3, 1)
    document = build(program)
    assert checker.check(document, as_problem(program))
    rule = np.zeros(program.n, dtype=bool)
    section, witness = document["sections"][0], document["witness"]
    for i in range(program.n):
        gains = program.gains[:, i].tolist()
        rule[i] = (
            sum(p * g for p, g in zip(section["multipliers"], gains, strict=True)) > section["denominator"]
        )
    listed = {i for i, _ in witness["deviations"]}
    dropped = next(i for i in np.flatnonzero(rule) if i not in listed)
    deviations = sorted([*witness["deviations"], [int(dropped), 0]])
    for size in (witness["size"], witness["size"] - 1):
        forged = sealed({**document, "witness": {**witness, "deviations": deviations, "size": size}})
        with pytest.raises(checker.Rejected, match="witness"):
            checker.check(forged, as_problem(program))


def forge(change):
    document = json.loads(json.dumps(build(COVER, winner="a")))
    change(document)
    return sealed(document)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(extra=1),
        lambda d: d.pop("context"),
        lambda d: d.update(format="another format"),
        lambda d: d.update(version=True),
        lambda d: d.update(version=2),
        lambda d: d.update(sections=[]),
        lambda d: d.update(witness=None),
        lambda d: d.update(bracket=None),
        lambda d: d.update(bracket=[2, 3]),
        lambda d: d.update(bracket=[1, 2]),
        lambda d: d.update(bracket=[2.0, 2]),
        lambda d: d.update(sections=d["sections"] * 2),
        lambda d: d["sections"][0].update(lower=3),
        lambda d: d["sections"][0].update(lower=1),
        lambda d: d["sections"][0].update(numerator=d["sections"][0]["numerator"] + 1),
        lambda d: d["sections"][0].update(numerator=float(d["sections"][0]["numerator"])),
        lambda d: d["sections"][0].update(denominator=0),
        lambda d: d["sections"][0].update(denominator=True),
        lambda d: d["sections"][0].update(multipliers=[0, -1]),
        lambda d: d["sections"][0].update(multipliers=[0, True]),
        lambda d: d["sections"][0].update(multipliers=[0]),
        lambda d: d["sections"][0].update(columns=5),
        lambda d: d["sections"][0].update(constraints=1),
        lambda d: d["sections"][0].update(claim="infeasible"),
        lambda d: d["sections"][0].update(claim="true"),
        lambda d: d["sections"][0].update(sha256="0" * 64),
        lambda d: d["sections"][0].update(name=1),
        lambda d: d["witness"].update(section=1),
        lambda d: d["witness"].update(size=1),
        lambda d: d["witness"].update(deviations=[[0, 0], *d["witness"]["deviations"]]),
        lambda d: d["witness"].update(deviations=[[1, 0]]),
        lambda d: d["witness"].update(deviations=[[3, 1], [2, 1]]),
        lambda d: d["witness"].update(deviations=[[9, 1]]),
        lambda d: d["witness"].update(deviations=[[3, True]]),
        lambda d: d["witness"].update(deviations=[[3, 2]]),
        lambda d: d["witness"].update(deviations=[[3]]),
    ],
)
def test_forgeries_with_a_mended_checksum_are_rejected(change):
    with pytest.raises(checker.Rejected):
        checker.check(forge(change), as_problem(COVER))


def test_another_problem_is_rejected():
    document = build(COVER)
    for problem in (
        checker.Problem([13, 16], COVER.gains.tolist()),
        checker.Problem([13, 15], [[4, 12, 4, 1], [8, 12, 0, 0]]),
        checker.Problem([13, 15], [[4, 12, 4, 0], [8, 12, 0]]),
        checker.Problem([13, 15], [[4, 12, 4, 0]]),
        checker.Problem([13, 15], [[4, 12, 4, -1], [8, 12, 0, 0]]),
    ):
        with pytest.raises(checker.Rejected):
            checker.check(document, problem)


def test_infeasible_sections_are_stated_and_checked():
    impossible = CoveringProgram([[1, 2], [1, 1]], [3, 3])
    document = build(impossible)
    assert document["bracket"] is None
    assert "infeasible" in checker.check(document, as_problem(impossible))[0]
    both = build(impossible, COVER)
    assert both["bracket"] == [2, 2]
    assert both["witness"]["section"] == 1
    assert checker.check(both, [as_problem(impossible), as_problem(COVER)])
    for key, value in (("constraint", 0), ("constraint", 5), ("total", 1), ("demand", 4)):
        forged = json.loads(json.dumps(document))
        forged["sections"][0][key] = value
        with pytest.raises(checker.Rejected):
            checker.check(sealed(forged), as_problem(impossible))


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 1, "format": 1}',
        '{"a": 1.5}',
        '{"a": NaN}',
        "[1]",
        "not json",
        "",
    ],
)
def test_loose_json_is_rejected(tmp_path, text):
    path = tmp_path / "proof.json"
    path.write_text(text)
    with pytest.raises(checker.Rejected):
        checker.read_proof(path)
    with pytest.raises(SolverError):
        proof.read(path)


def test_context_must_be_plain():
    for context in ({"x": 0.5}, {"x": {1: 2}}, {"x": object()}):
        with pytest.raises(SolverError, match="context"):
            proof.build([proof.Section("a", COVER, solve(COVER))], context)
    with pytest.raises(SolverError, match="at least one section"):
        proof.build([])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_problem_files_round_trip(tmp_path, dtype):
    programs = [
        CoveringProgram(COVER.gains.astype(dtype), COVER.demands),
        CoveringProgram(np.zeros((0, 3), dtype=dtype), []),
        CoveringProgram(np.array([[7, 7]], dtype=dtype), [-1]),
    ]
    problem_files.write_binary(tmp_path / "p.bin", programs)
    again = problem_files.read(tmp_path / "p.bin")
    assert [proof.digest(p) for p in again] == [proof.digest(p) for p in programs]
    for program in programs:
        problem_files.write_csv(tmp_path / "p.csv", program)
        (single,) = problem_files.read(tmp_path / "p.csv")
        assert proof.digest(single) == proof.digest(program)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "row,a\n",
        "row,a\ndemand,x\n",
        "row,a\n0,1\n",
        "row,a\ndemand,1\n1,1\n",
        "row,a\ndemand,1\n0,1,2\n",
    ],
)
def test_broken_problem_files(tmp_path, text):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(SolverError):
        problem_files.read(path)


def test_truncated_binary_files(tmp_path):
    path = tmp_path / "p.bin"
    problem_files.write_binary(path, [COVER])
    data = path.read_bytes()
    for broken in (data[:-1], data + b"x", data.replace(b'"int64"', b'"int65"'), data[:30]):
        path.write_bytes(broken)
        with pytest.raises(SolverError):
            problem_files.read(path)


def test_the_checker_runs_by_its_path_with_the_standard_library_alone(tmp_path):
    program = random_panel(3000, 4, 0)
    problem_files.write_binary(tmp_path / "p.bin", [program])
    problem_files.write_csv(tmp_path / "p.csv", program)
    proof.write(tmp_path / "proof.json", build(program, winner="a"))
    assert (tmp_path / "proof.json").stat().st_size < 10_000

    def run(*arguments):
        command = [sys.executable, "-I", "-S", str(CHECKER), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    for name in ("p.bin", "p.csv"):
        done = run("proof.json", name)
        assert done.returncode == 0, done
        assert done.stdout.splitlines()[-1] == "PROVEN"
    problem_files.write_csv(tmp_path / "p.csv", COVER)
    assert run("proof.json", "p.csv").returncode == 1
    assert run("proof.json", "missing.csv").returncode == 2
    assert run().returncode == 2
