"""The auditor under known class totals: its own transportation, and journals that are honest or not."""

from __future__ import annotations

import numpy as np
import pytest

from certify import audit
from certify.audit.totals import TotalBounds, least_cost
from certify.session import Session
from certify.totals import Totals, lower_with_totals
from certify.transport import cheapest
from tests.certify.audit.journal_by_hand import Book, random_pool, write_labels, write_pool
from tests.certify.test_transport import by_assignment, random_costs


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_least_cost_equals_the_assignment_problem(classes):
    rng = np.random.default_rng(classes)
    for _ in range(150):
        costs = random_costs(rng, int(rng.integers(1, 25)), classes, int(rng.integers(2, 30)))
        room = np.bincount(rng.integers(0, classes + 2, len(costs.first)), minlength=classes + 2)
        rows = list(
            zip(
                costs.first.tolist(),
                costs.second.tolist(),
                costs.at_first.tolist(),
                costs.at_second.tolist(),
                costs.elsewhere.tolist(),
                strict=True,
            )
        )
        found = least_cost(rows, {cls: int(count) for cls, count in enumerate(room) if count})
        assert found == by_assignment(costs, room) == cheapest(costs, room)


@pytest.mark.parametrize("kind", ["binary", "shared", "categorical"])
def test_the_auditor_and_the_engine_have_the_same_bounds(kind):
    pool, truth = random_pool(kind, n=60)
    totals = Totals(pool.classes, np.bincount(truth, minlength=len(pool.classes)))
    predictions = [pool.predictions[k % len(pool.predictions)].tolist() for k in range(pool.candidates)]
    bounds = TotalBounds(pool.risks.weights.tolist(), predictions, pool.risks.scale, totals.counts.tolist())
    codes = np.full(pool.n, -1, dtype=np.int16)
    for row in range(0, 60, 7):
        assert bounds.lower == lower_with_totals(pool.risks, codes, totals).tolist()
        bounds.read(row, int(truth[row]))
        codes[row] = truth[row]


@pytest.fixture(params=["binary", "shared", "categorical"])
def told(request, tmp_path):
    """A pool's files, an honest journal with totals, and the labels."""
    pool, truth = random_pool(request.param)
    totals = {name: int((truth == code).sum()) for code, name in enumerate(pool.classes)}
    with Session(pool, "random", "0", 1, tmp_path / "w.journal", totals=totals) as session:
        while rows := session.ask():
            session.tell(rows, [pool.classes[truth[row]] for row in rows])
        assert session.verdict.certified
        count = session.verdict.labels_read
    return pool, truth, totals, count, tmp_path


def failed(report):
    return None if report.first_failure is None else (report.first_failure.name, report.first_failure.detail)


def test_an_honest_journal_passes_and_stops_no_later(told):
    pool, truth, _, count, folder = told
    files = [
        *write_pool(pool, folder),
        folder / "w.journal",
        write_labels(pool, truth, folder / "labels.csv"),
    ]
    assert failed(audit(files, classes=pool.classes)) is None
    with Session(pool, "random", "0", 1) as session:
        while rows := session.ask():
            session.tell(rows, [pool.classes[truth[row]] for row in rows])
        assert count <= session.verdict.labels_read


def forged(told, change, totals=None):
    """The audit of the honest journal after `change` to its book."""
    pool, truth, known, _, folder = told
    book = Book(pool)
    book.header["totals"] = known if totals is None else totals
    change(book, truth)
    return failed(
        audit([*write_pool(pool, folder), book.save(folder / "forged.journal")], classes=pool.classes)
    )


def labels_until_certified(pool, truth, order, totals):
    session = Session(pool, totals=totals)
    for row in order:
        if session.verdict.certified:
            break
        session.tell([row], [pool.classes[truth[row]]])
    return session.labels_read


def test_a_verdict_that_the_totals_give_earlier_is_missed(told):
    pool, truth, totals, _, _ = told
    orders = (np.random.default_rng(seed).permutation(pool.n).tolist() for seed in range(100))
    earlier = next(
        order
        for order in orders
        if labels_until_certified(pool, truth, order, totals)
        < labels_until_certified(pool, truth, order, None)
    )

    def without_totals(book, truth):
        book.read_until_certified(truth, earlier)

    name, detail = forged(told, without_totals)
    assert name == "bounds and verdicts"
    assert "no verdict event says so" in detail


def test_more_labels_of_a_class_than_rows(told):
    pool, truth, known, _, _ = told
    scarce = pool.classes[truth[0]]
    other = next(name for name in pool.classes if name != scarce)
    totals = {**known, scarce: 0, other: known[other] + known[scarce]}
    name, detail = forged(told, lambda book, truth: book.tell(0, int(truth[0])), totals)
    assert name == "class totals"
    assert "allow 0" in detail


@pytest.mark.parametrize("wrong", [{}, {"no such": 40}, "all", 40, None])
def test_totals_that_no_session_can_have(told, wrong):
    pool, _, known, _, folder = told
    book = Book(pool)
    book.header["totals"] = (
        wrong if wrong is not None else {**known, pool.classes[0]: known[pool.classes[0]] + 1}
    )
    report = audit([*write_pool(pool, folder), book.save(folder / "forged.journal")], classes=pool.classes)
    assert failed(report)[0] == "header"


def test_a_verdict_too_early(told):
    def change(book, truth):
        book.add("verdict", certified=True, winner=0, labels_read=0, gap="0/1")

    name, _ = forged(told, change)
    assert name == "bounds and verdicts"


def test_corrections_and_tolerance(tmp_path):
    pool, truth = random_pool("categorical", seed=3)
    totals = {name: int((truth == code).sum()) for code, name in enumerate(pool.classes)}
    rng = np.random.default_rng(2)
    with Session(pool, "random", "0.03", 1, tmp_path / "w.journal", totals=totals) as session:
        for row in rng.permutation(pool.n).tolist():
            wrong = pool.classes[int(rng.integers(4))]
            if rng.random() < 0.3 and (session.labels == pool.classes.index(wrong)).sum() < totals[wrong]:
                session.tell([row], [wrong])
            code = int(truth[row])
            if (session.labels == code).sum() < totals[pool.classes[code]]:
                session.tell([row], [pool.classes[code]])
        for row in range(pool.n):
            code = int(truth[row])
            if session.labels[row] != code and (session.labels == code).sum() < totals[pool.classes[code]]:
                session.tell([row], [pool.classes[code]])
    report = audit([*write_pool(pool, tmp_path), tmp_path / "w.journal"], classes=pool.classes)
    assert failed(report) is None
