"""Journals and proofs of every objective, audited by the auditor's own weights and bounds."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool, Session, audit, minimum_certificate, read_pool
from certify.audit.exact import AuditPool
from certify.audit.objectives import is_objective, weigh
from certify.errors import PoolError
from certify.objectives import WeightedError
from solvers import checker
from tests.certify.audit.journal_by_hand import Book, random_pool, sha, write_labels, write_pool
from tests.certify.objective_reference import OBJECTIVES, Enumeration, objective_pools

NAMED = (*OBJECTIVES[:-1], "weighted-error:cost")


def audited(pool: Pool) -> AuditPool:
    """The pool as the auditor would have read it."""
    objective = pool.objective
    return AuditPool(
        pool.names,
        pool.classes,
        None,
        tuple(pool.predictions[k % len(pool.predictions)].tolist() for k in range(pool.candidates)),
        tuple(pool.confidences.tolist()),
        row_weights=objective.weights.tolist() if isinstance(objective, WeightedError) else None,
    )


def quiet(what: str, done: int, total: int) -> None:
    pass


@settings(max_examples=100, deadline=None)
@given(objective_pools(max_rows=12))
def test_weights_equal_those_of_the_engine(pool):
    assert is_objective(pool.objective.name)
    weighting = weigh(pool.objective.name, audited(pool), quiet)
    assert np.array_equal(np.array(weighting.weights), pool.risks.weights)
    assert weighting.scale == pool.risks.scale


@settings(max_examples=80, deadline=None)
@given(objective_pools(), st.sampled_from(["0", "0", "1/10", "1e-9"]), st.data())
def test_verdicts_equal_enumeration_and_the_engine_at_every_prefix(pool, tolerance, data):
    truth, session = Enumeration(pool), Session(pool, tolerance=tolerance)
    weighting = weigh(pool.objective.name, audited(pool), quiet)
    bounds, rule = weighting.bounds(audited(pool)), weighting.rule(Fraction(tolerance))
    known: dict[int, int] = {}
    codes = st.integers(0, len(pool.classes) - 1)
    for row in [None, *data.draw(st.permutations(range(pool.n))), 0]:
        if row is not None:
            label = data.draw(codes)
            if row not in known:
                bounds.read(row, label)
            else:
                bounds.change(row, known[row], label)
            known[row] = label
            session.tell([row], [pool.classes[label]])
        found, ours = bounds.verdict(rule), session.verdict
        assert found == (ours.certified, ours.winner, ours.gap)
        certified, winner, excess = truth.verdict(known, rule.tolerance)
        assert (*found[:2], found[2] == 0) == (certified, winner, excess == 0)


def files_of(pool: Pool, folder):
    """Pool files, the first with a column of costs, and that pool as read back."""
    paths = write_pool(pool, folder)
    first = pl.read_csv(paths[0], infer_schema=False)
    costs = [["1", "0.5", "1/3", "0", "2.50"][row % 5] for row in range(pool.n)]
    shuffled = first.with_columns(pl.Series("cost", costs)).sample(fraction=1.0, shuffle=True, seed=3)
    shuffled.write_csv(paths[0])
    return paths, read_pool(paths, classes=pool.classes)


@pytest.mark.parametrize("kind", ["binary", "shared", "categorical"])
@pytest.mark.parametrize("objective", NAMED)
def test_honest_journals_and_proofs_pass(tmp_path, kind, objective):
    original, _ = random_pool(kind, n=30)
    paths, pool = files_of(original, tmp_path)
    pool = pool.with_objective(objective)
    truth = np.random.default_rng(1).integers(0, len(pool.classes), pool.n).astype(np.int16)
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    with Session(pool, journal=tmp_path / "journal", sources=paths) as session:
        while rows := session.ask(4):
            session.tell(rows, [pool.classes[truth[row]] for row in rows])
        head = session.head
    minimum_certificate(pool, _texts(pool, truth)).write_proof(tmp_path / "proof.json")
    files = [*paths, labels, tmp_path / "journal", tmp_path / "proof.json"]
    report = audit(files, head=head, classes=list(pool.classes))
    assert report.ok, report.first_failure
    assert ("row weights" in [check.name for check in report.checks]) == objective.startswith("weighted")
    alone = audit([*paths, labels, tmp_path / "proof.json"], classes=list(pool.classes))
    assert alone.ok, alone.first_failure


def _texts(pool: Pool, codes) -> list[str]:
    return [pool.classes[code] for code in codes]


def weighted_book(folder):
    original, truth = random_pool("binary", n=20)
    paths, pool = files_of(original, folder)
    pool = pool.with_objective("weighted-error:cost")
    book = Book(pool)
    objective = pool.objective
    assert isinstance(objective, WeightedError)
    book.arrays["weight"] = objective.weights.astype("<i4").tobytes()
    book.header["objective"] = pool.objective.name
    truth = truth[[int(name[1:]) for name in pool.ids]]
    book.read_until_certified(truth)
    return book, paths, objective.weights


def failure(book: Book, paths, folder) -> str | None:

    book.header["digests"] = {name: sha(data) for name, data in book.arrays.items()}
    report = audit([*paths, book.save(folder / "journal")])
    return None if report.ok else report.checks[-1].name


def test_lies_about_row_weights(tmp_path):
    book, paths, weights = weighted_book(tmp_path)
    assert failure(book, paths, tmp_path) is None
    book.arrays["weight"] = np.where(np.arange(20) == 7, weights + 1, weights).astype("<i4").tobytes()
    assert failure(book, paths, tmp_path) == "row weights"
    book.arrays["weight"] = (2 * weights).astype("<i4").tobytes()
    assert failure(book, paths, tmp_path) == "row weights"
    book.arrays["weight"] = weights[:-1].astype("<i4").tobytes()
    assert failure(book, paths, tmp_path) == "frozen arrays"
    del book.arrays["weight"]
    assert failure(book, paths, tmp_path) == "frozen arrays"
    book.header["objective"] = "weighted-error"
    book.arrays["weight"] = np.full(20, -1, dtype="<i4").tobytes()
    assert failure(book, paths, tmp_path) == "weights"


@pytest.mark.parametrize("claimed", ["aurc", "accuracy", "selective-error@0.1"])
def test_another_objective_than_the_one_decided_by(tmp_path, claimed):
    book, paths, _ = weighted_book(tmp_path)
    del book.arrays["weight"]
    book.header["objective"] = claimed
    assert failure(book, paths, tmp_path) == "bounds and verdicts"


@pytest.mark.parametrize(
    "claimed", ["f1", "", "weighted-error:", "selective-error@0", "selective-error@2", None, 3, "AURC"]
)
def test_what_is_no_objective(tmp_path, claimed):
    book, paths, _ = weighted_book(tmp_path)
    book.header["objective"] = claimed
    assert failure(book, paths, tmp_path) == "header"


def test_no_session_combines_totals_with_rounded_weights(tmp_path):
    original, truth = random_pool("binary", n=20)
    pool = original.with_objective("aurc")
    paths = write_pool(original, tmp_path)
    book = Book(pool)
    book.header["objective"] = "aurc"
    counts = np.bincount(truth, minlength=2)
    book.header["totals"] = {name: int(count) for name, count in zip(pool.classes, counts, strict=True)}
    book.read_until_certified(truth)
    assert failure(book, paths, tmp_path) == "class totals"


def test_weights_given_as_an_array_are_only_in_the_journal(tmp_path):
    original, truth = random_pool("binary", n=20)
    paths, pool = files_of(original, tmp_path)
    pool = pool.with_objective(WeightedError.of(range(20)))
    truth = truth[[int(name[1:]) for name in pool.ids]]
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    with Session(pool, journal=tmp_path / "journal") as session:
        session.tell(range(20), _texts(pool, truth))
    minimum_certificate(pool, _texts(pool, truth)).write_proof(tmp_path / "proof.json")
    report = audit([*paths, labels, tmp_path / "journal", tmp_path / "proof.json"])
    assert report.ok, report.first_failure
    assert "believed as they were frozen" in next(c.detail for c in report.checks if c.name == "row weights")
    with pytest.raises(PoolError, match="audit it together with a journal"):
        audit([*paths, labels, tmp_path / "proof.json"])


def test_a_rounded_bound_that_claims_too_much_is_a_lie(tmp_path):
    original, truth = random_pool("binary", n=30)
    pool = original.with_objective("aurc")
    paths = write_pool(original, tmp_path)
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    proof = minimum_certificate(pool, _texts(pool, truth)).proof
    assert proof["context"]["objective"] == "aurc"
    proof = json.loads(json.dumps(proof))
    proof["sections"][0]["lower"] += 1
    proof["bracket"][0] += 1

    proof["checksum"] = checker.checksum(proof)
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    report = audit([*paths, labels, tmp_path / "proof.json"], classes=list(pool.classes))
    assert report.checks[-1].name == "bounds and witness"
    assert not report.ok
