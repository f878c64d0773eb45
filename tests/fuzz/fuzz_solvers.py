"""Problem files, which must survive being written again, and proofs, which must bracket the optimum."""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from itertools import combinations

import numpy as np

from certify.audit import audit as certify_audit
from certify.errors import PoolError
from certify.pool import Pool
from solvers import CoveringProgram, LinearProgram, SolverError, checker, problem_files, solve, write_problem
from solvers import proof as proofs
from solvers.files import read_problems
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from tests.fuzz.frames import archive, changed_arrays, damaged_archive
from tests.fuzz.mutations import (
    changed_json,
    changed_table,
    damaged,
    damaged_lines,
    json_text,
    written,
)
from tests.fuzz.property import Case, Reader, Refused, passed


def problem(rng):
    """A small problem of any type."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    kind = rng.randrange(4)
    if kind == 0:
        return covering(numbers)
    if kind == 1:
        return linear(numbers)
    if kind == 2:
        adjacent = np.triu(numbers.random((4, 4)) < 0.5, 1)
        adjacent = adjacent | adjacent.T
        return MaximumClique(adjacent, np.where(adjacent, 3, 0), ("a", "b:1", "ä", "d"))
    return OrderedBradleyTerry(
        numbers.integers(0, 5, (3, 3)) * (1.0 - np.eye(3)), ((1, 0),), box=1.5, ridge=0.25
    )


def covering(numbers, rows=2):
    gains = numbers.integers(0, 9, (rows, 6))
    return CoveringProgram(gains, (gains.sum(axis=1) * numbers.uniform(0.2, 0.9, rows)).astype(np.int64))


def linear(numbers):
    matrix = numbers.integers(-3, 4, (2, 3)).astype(float)
    return LinearProgram(
        numbers.normal(size=3), matrix, row_lower=[-np.inf, 1.0], row_upper=[4.0, np.inf],
        upper=[np.inf, 1.0, 2.0], integrality=[False, True, False],
    )  # fmt: skip


def plain(value):
    """Problems as values that compare exactly."""
    found = [type(value).__name__]
    for name in value.__dataclass_fields__:
        part = getattr(value, name)
        part = part.toarray() if hasattr(part, "toarray") else part
        found.append((name, repr(part.tolist()) if isinstance(part, np.ndarray) else repr(part)))
    return found


def problem_case(path, check=lambda answer: None):
    def read():
        return [plain(one) for one in read_problems(path)]

    def whole(answer):
        for one in read_problems(path):
            if not _survives(one, path.parent):
                return f"{plain(one)} written as JSON and read again is another problem"
        return check(answer)

    return Case(read, whole)


def _survives(one, folder):
    copy = folder / "copy.json"
    write_problem(copy, one)
    (again,) = read_problems(copy)
    copy.unlink()
    return plain(again) == plain(one)


def json_problem(rng, folder):
    path = folder / "problem.json"
    write_problem(path, problem(rng))
    text = path.read_text(encoding="utf-8")
    if rng.random() < 0.3:
        path.write_bytes(damaged(rng, text.encode()))
    else:
        document = changed_json(rng, json.loads(text))
        path.write_bytes(json_text(rng, document).encode("utf-8", "surrogatepass"))

    def check(answer):
        given = json.loads(path.read_text(encoding="utf-8"))
        if given["type"] != "covering":
            return None
        expected = ["CoveringProgram", ("gains", repr(given["gains"])), ("demands", repr(given["demands"]))]
        return None if answer == [expected] or not given["demands"] else f"{answer}, in the file {expected}"

    return problem_case(path, check)


def npz_problem(rng, folder):
    path = folder / "problem.npz"
    write_problem(path, problem(rng))
    with np.load(path) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    path.write_bytes(
        damaged_archive(rng, arrays) if rng.random() < 0.5 else archive(rng, changed_arrays(rng, arrays))
    )
    return problem_case(path)


def csv_problem(rng, folder):
    path = folder / "problem.csv"
    problem_files.write_csv(
        path, covering(np.random.default_rng(rng.getrandbits(32)), rng.choice((1, 2, 2, 3)))
    )
    header, *rows = [line.split(",") for line in path.read_text().splitlines()]
    change = rng.randrange(4)
    if change == 0:
        path.write_bytes(damaged(rng, path.read_bytes()))
    elif change == 1:
        path.write_text(damaged_lines(rng, path.read_text()), newline="")
    else:
        path.write_text(written(rng, *changed_table(rng, header, rows), plain=rng.random() < 0.8), newline="")

    def check(answer):
        lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
        numbers = [[int(cell) for cell in line[1:]] for line in lines[1:]]
        gains = [list(column) for column in zip(*numbers[1:], strict=True)]
        expected = ["CoveringProgram", ("gains", repr(gains)), ("demands", repr(numbers[0]))]
        return None if answer == [expected] or not gains else f"{answer}, in the file {expected}"

    return problem_case(path, check)


def cover_problem(rng, folder):
    path = folder / "problem.cover"
    numbers = np.random.default_rng(rng.getrandbits(32))
    problem_files.write_binary(path, [covering(numbers) for _ in range(rng.choice((1, 2)))])
    path.write_bytes(damaged(rng, path.read_bytes()))
    return problem_case(path)


@cache
def proven():
    """Programs, their proofs and their optima by trying every selection."""
    found = []
    for seed in range(12):
        programs = [covering(np.random.default_rng((seed, k)), 1 + seed % 3) for k in range(1 + seed % 2)]
        if seed == 5:
            programs[0] = CoveringProgram(programs[0].gains, programs[0].demands + 1000)
        sections = [proofs.Section(f"s{k}", one, solve(one)) for k, one in enumerate(programs)]
        sizes = [
            size for one in programs for size in range(one.n + 1)
            for chosen in combinations(range(one.n), size)
            if not one.check(np.isin(np.arange(one.n), chosen))
        ]  # fmt: skip
        found.append((programs, proofs.build(sections, {"n": 1}), min(sizes, default=None)))
    return found


def _changed_proof(rng, document):
    """Bytes of a proof, damaged or changed, often with the checksum made anew."""
    if rng.random() < 0.25:
        return damaged(rng, json.dumps(document).encode())
    changed = changed_json(rng, document)
    if isinstance(changed, dict) and rng.random() < 0.8:
        with suppress(TypeError, ValueError):
            changed["checksum"] = checker.checksum(changed)
    return json_text(rng, changed).encode("utf-8", "surrogatepass")


def proof_file(rng, folder):
    """A proof changed, often with the checksum made anew, beside its problems."""
    programs, document, optimum = rng.choice(proven())
    path, problems = folder / "proof.json", folder / "problems.cover"
    problem_files.write_binary(problems, programs)
    path.write_bytes(_changed_proof(rng, document))

    def read():
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            code = checker.main([str(path), str(problems)])
        if code:
            raise checker.Rejected(said.getvalue())
        return said.getvalue()

    def check(answer):
        low, high = json.loads(path.read_text())["bracket"] or (None, None)
        if optimum is None:
            return None if low is None else f"bracket [{low}, {high}] of an infeasible program"
        right = low is not None and low <= optimum and (high is None or optimum <= high)
        return None if right else f"bracket [{low}, {high}], the optimum is {optimum}"

    return Case(read, check)


@cache
def certificates():
    from certify.certificate import minimum_certificate

    found = []
    for seed in range(6):
        numbers = np.random.default_rng((9, seed))
        truth = numbers.integers(0, 2, 12)
        predictions = np.where(numbers.random((3, 12)) < 0.75, truth, 1 - truth)
        pool = Pool.binary(predictions, numbers.integers(0, 9, (3, 12)) / 8, names=("a", "b", "c"))
        certificate = minimum_certificate(pool, truth.tolist(), tolerance="0" if seed % 2 else "0.01")
        files = {}
        for name, codes, scores in zip(pool.names, pool.predictions, pool.confidences, strict=True):
            lines = [f"{p},{c!r}\n" for p, c in zip(codes.tolist(), scores.tolist(), strict=True)]
            files[f"{name}.csv"] = "".join(["prediction,confidence\n", *lines])
        files["labels.csv"] = "label\n" + "".join(f"{label}\n" for label in truth)
        found.append((files, certificate.proof, certificate.size))
    return found


def certificate_proof(rng, folder):
    """The proof of a certificate, audited with its pool."""
    files, document, size = rng.choice(certificates())
    paths = [folder / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    path = folder / "proof.json"
    path.write_bytes(_changed_proof(rng, document))

    def read():
        return passed(certify_audit([*paths, path]))

    def check(answer):
        found = json.loads(path.read_text())
        if found["sections"] != document["sections"] or found["context"].get("winner") != document[
            "context"
        ].get("winner"):
            low, high = found["bracket"]
            return (
                None
                if low <= size <= (size if high is None else high)
                else f"bracket {found['bracket']}, size {size}"
            )
        return None

    return Case(read, check)


READERS = [
    Reader("problem-json", (SolverError,), json_problem),
    Reader("problem-npz", (SolverError,), npz_problem),
    Reader("problem-csv", (SolverError,), csv_problem),
    Reader("problem-cover", (SolverError,), cover_problem),
    Reader("proof", (checker.Rejected,), proof_file),
    Reader("certificate-proof", (PoolError, Refused), certificate_proof),
]
