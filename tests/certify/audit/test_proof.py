"""The audit passes honest certificate proofs and stops at the first lie of every other."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from certify import Pool
from certify.audit import audit
from certify.certificate import minimum_certificate
from certify.errors import PoolError
from certify.session import Session
from solvers import checker
from tests.certify.audit.journal_by_hand import random_pool, write_labels, write_pool
from tests.certify.examples import FIGURE_3, FIGURE_3_LABELS
from tests.certify.reference import labelled_pools

KINDS = ("binary", "shared", "categorical")
TOLERANCES = ("0", "0.01", "1/30")


class Case:
    """A pool with its files and labels, and the proof of its smallest certificate."""

    def __init__(self, folder, kind="binary", tolerance="0", n=40, candidates=3) -> None:
        self.pool, truth = random_pool(kind, n, candidates)
        self.truth = truth
        self.labels = [self.pool.classes[code] for code in truth]
        self.certificate = minimum_certificate(self.pool, self.labels, tolerance)
        self.path = folder / "certificate.json"
        self.certificate.write_proof(self.path)
        self.proof = self.certificate.proof
        self.files = [*write_pool(self.pool, folder), write_labels(self.pool, truth, folder / "labels.csv")]

    def audit(self, *more):
        return audit([self.path, *self.files, *more])

    def failure(self, proof=None) -> str:
        """The name of the check that fails on `proof`, whose checksum is made to fit."""
        if proof is not None:
            self.path.write_text(json.dumps({**proof, "checksum": checker.checksum(proof)}), encoding="utf-8")
        report = self.audit()
        assert not report.ok
        assert report.first_failure is report.checks[-1]
        return report.first_failure.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tolerance", TOLERANCES)
@pytest.mark.parametrize("candidates", [2, 3, 5])
def test_honest_proofs_pass(tmp_path, kind, tolerance, candidates):
    case = Case(tmp_path, kind, tolerance, candidates=candidates)
    report = case.audit()
    assert report.ok, report.first_failure
    assert [check.name for check in report.checks] == [
        "proof file", "subject", "weights", "winner", "sections", "bounds and witness",
        "certificate replayed",
    ]  # fmt: skip
    assert f"{case.certificate.size} rows read" in report.checks[-1].detail


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labelled_pools(max_rows=6))
def test_proofs_on_any_small_pool_pass(tmp_path, case):
    pool, truth = case
    tolerance = "0.05" if pool.n % 2 else "0"
    proof, journal = tmp_path / "proof.json", tmp_path / "journal.db"
    minimum_certificate(pool, truth, tolerance).write_proof(proof)
    journal.unlink(missing_ok=True)
    Session(pool, tolerance=tolerance, journal=journal).close()
    report = audit([journal, proof], labels=write_labels(pool, truth, tmp_path / "labels.csv"))
    assert report.ok, report.first_failure


def test_journal_and_proof_together(tmp_path):
    case = Case(tmp_path, "categorical")
    journal = tmp_path / "journal.db"
    with Session(case.pool, journal=journal) as session:
        while rows := session.ask():
            session.tell(rows, [case.labels[row] for row in rows])
    report = case.audit(journal)
    assert report.ok, report.first_failure
    assert [check.file for check in report.checks] == ["journal.db"] * 13 + ["certificate.json"] * 7


def test_labels_that_are_missing_are_no_part_of_a_certificate(tmp_path):
    case = Case(tmp_path)
    known = list(case.labels)
    spare = next(row for row in range(case.pool.n) if row not in case.certificate.rows)
    known[spare] = None
    minimum_certificate(case.pool, known).write_proof(case.path)
    lines = case.files[-1].read_text().splitlines()
    lines[spare + 1] = f"{case.pool.ids[spare]},?"
    case.files[-1].write_text("\n".join(lines) + "\n")
    assert case.audit().ok


def test_every_changed_digit_of_a_proof_is_found(tmp_path):
    case = Case(tmp_path, "categorical", "0.01")
    text = case.path.read_text(encoding="ascii")
    digits = [at for at, character in enumerate(text) if character.isdigit()]
    random = np.random.default_rng(0)
    for at in random.choice(digits, min(len(digits), 150), replace=False):
        other = str((int(text[at]) + int(random.integers(1, 10))) % 10)
        case.path.write_text(text[:at] + other + text[at + 1 :], encoding="ascii")
        assert not case.audit().ok, (text[at - 20 : at + 20], other)


@pytest.mark.parametrize("tolerance", ["0", "0.01"])
def test_every_changed_number_is_found_though_the_checksum_fits(tmp_path, tolerance):
    case = Case(tmp_path, "binary", tolerance)
    changed = 0

    def walk(node, where):
        nonlocal changed
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in items:
            if isinstance(value, dict | list):
                walk(value, (*where, key))
            elif type(value) is int:
                node[key] = value + 1
                case.failure(proof)
                node[key] = value
                changed += 1

    proof = json.loads(json.dumps(case.proof))
    walk(proof, ())
    assert changed > 12


def test_lies_with_a_checksum_that_fits(tmp_path):
    case = Case(tmp_path)

    def lie(expected, change):
        proof = json.loads(json.dumps(case.proof))
        change(proof)
        assert case.failure(proof) == expected

    lie("winner", lambda proof: proof["context"].update(winner="model-b"))
    lie("proof file", lambda proof: proof["context"].update(winner="model-z"))
    lie("proof file", lambda proof: proof["context"].update(tie_rule="none"))
    lie("proof file", lambda proof: proof["context"].update(tolerance="0.01"))
    lie("proof file", lambda proof: proof["context"].update(tolerance="-1"))
    lie("proof file", lambda proof: proof["context"].update(objective="f1"))
    lie("bounds and witness", lambda proof: proof["context"].update(objective="aurc"))
    lie("proof file", lambda proof: proof["context"].update(candidates="model-a"))
    lie("proof file", lambda proof: proof["context"].update(more=1))
    lie("subject", lambda proof: proof["context"].update(n=41))
    lie("subject", lambda proof: proof["context"]["candidates"].reverse())
    lie("sections", lambda proof: proof["sections"][0].update(name="model-b"))
    lie("sections", lambda proof: proof.update(sections=[]))
    lie("sections", lambda proof: proof.update(sections=7))
    lie("bounds and witness", lambda proof: proof["witness"].update(size=proof["witness"]["size"] - 1))
    lie("bounds and witness", lambda proof: proof.update(witness=None))
    lie("bounds and witness", lambda proof: proof.update(version=2))


@pytest.mark.parametrize("kind", KINDS)
def test_a_witness_one_row_short_is_found(tmp_path, kind):
    case = Case(tmp_path, kind)
    proof = json.loads(json.dumps(case.proof))
    program = case.certificate._sections[0].program
    columns = list(zip(*program.gains.tolist(), strict=True))
    taken = np.zeros(case.pool.n, dtype=bool)
    taken[case.certificate.rows] = True
    listed = dict(proof["witness"]["deviations"])
    for row in case.certificate.rows:
        members = [i for i, column in enumerate(columns) if column == columns[row]]
        left = int(taken[members].sum()) - 1
        deviations = {**listed, members[0]: left}
        proof["witness"] = {
            "section": 0,
            "deviations": [list(pair) for pair in sorted(deviations.items())],
            "size": case.certificate.size - 1,
        }
        proof["bracket"] = [case.certificate.lower_bound, case.certificate.size - 1]
        assert case.failure(proof) == "bounds and witness"


def test_with_a_tolerance_every_candidate_needs_its_section(tmp_path):
    case = Case(tmp_path, "binary", "0.01")
    for at in range(3):
        proof = json.loads(json.dumps(case.proof))
        del proof["sections"][at]
        assert case.failure(proof) == "sections"
    proof = json.loads(json.dumps(case.proof))
    proof["sections"].reverse()
    assert case.failure(proof) == "sections"


def test_the_winner_of_a_tolerance_is_that_of_the_witness(tmp_path):
    pool = Pool.binary([[0, 0, 0], [0, 0, 0]], [[0.3, 0.2, 0.1], [0.3, 0.1, 0.2]], names=("A", "B"))
    proof = json.loads(json.dumps(minimum_certificate(pool, [0, 0, 0], "0.5").proof))
    proof["context"]["winner"] = "B"
    proof["checksum"] = checker.checksum(proof)
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(proof))
    files = [*write_pool(pool, tmp_path), write_labels(pool, [0, 0, 0], tmp_path / "labels.csv")]
    report = audit([path, *files])
    assert not report.ok
    assert report.first_failure.name == "certificate replayed"


def test_a_proof_of_another_pool_or_of_other_labels_is_found(tmp_path):
    case = Case(tmp_path)
    changed = case.truth.copy()
    changed[case.certificate.rows[0]] ^= 1
    case.files[-1] = write_labels(case.pool, changed, tmp_path / "labels.csv")
    assert case.failure() in ("winner", "bounds and witness")
    case = Case(tmp_path)
    file = case.files[0]
    first, second, *rest = file.read_text().splitlines()
    file.write_text("\n".join([first, second.rpartition(",")[0] + ",5.0", *rest]) + "\n")
    assert case.failure() in ("winner", "bounds and witness")


def test_unusable_proofs_and_missing_files_are_errors(tmp_path):
    case = Case(tmp_path)
    with pytest.raises(PoolError, match="pool files"):
        audit([case.path], labels=case.files[-1])
    with pytest.raises(PoolError, match="labels"):
        audit([case.path, *case.files[:-1]])
    other = {**case.proof, "context": {"kind": "shopping"}}
    case.path.write_text(json.dumps({**other, "checksum": checker.checksum(other)}))
    with pytest.raises(PoolError, match="solvers check"):
        case.audit()


def test_figure_3(tmp_path):
    path = tmp_path / "proof.json"
    minimum_certificate(FIGURE_3, FIGURE_3_LABELS).write_proof(path)
    labels = write_labels(FIGURE_3, FIGURE_3_LABELS, tmp_path / "labels.csv")
    report = audit([path, labels, *write_pool(FIGURE_3, tmp_path)])
    assert report.ok, report.first_failure
    details = {check.name: check.detail for check in report.checks}
    assert details["winner"] == "full risks [8, 15, 13] / 32: they certify A"
    assert details["certificate replayed"].startswith("2 rows read")
