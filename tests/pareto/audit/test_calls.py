"""A round is judged at the end of the call that completes it, and not later: honest journals, and lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pareto import Session
from pareto.audit import audit
from pareto.audit.calls import Call
from tests.pareto.audit.test_audit import Book
from tests.pareto.audit.wandering import wander
from tests.pareto.voting import Clock

METHODS = ("interval", "duel", "commit")


def small(path, method="interval", **options):
    return Session(("a", "b"), ("x",), method, journal=path, ordered=True, clock=Clock(), **options)


def all_but_the_first(session):
    """One query of the first round that nobody could tell; with it the round would be complete."""
    queries = session.ask(session.state.outstanding)
    session.tell(queries, ["?", *["left"] * (len(queries) - 1)])
    assert session.state.outstanding == 1
    return queries


def correction_then_correction(path, method="interval"):
    with small(path, method) as session:
        one, two, *_ = all_but_the_first(session)
        assert session.tell([one, two], ["left", "right"]).corrected == 2
        assert session.state.round == 2
    return Book(path)


def correction_then_answer(path, method="interval"):
    with small(path, method) as session:
        one, *_ = all_but_the_first(session)
        (again,) = session.ask(1)
        receipt = session.tell([one, again], ["left", "right"])
        assert (receipt.corrected, receipt.surplus) == (1, 1)
        assert session.state.round == 2
    return Book(path)


def passes(book):
    found = audit(book.save())
    assert found.ok, found.first_failure


def not_judged(book):
    failure = audit(book.save()).first_failure
    assert failure is not None
    assert failure.name == "recount"
    assert "the round was complete, but was not judged" in failure.detail, failure.detail


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("build", [correction_then_correction, correction_then_answer])
def test_what_follows_in_the_call_that_completes_a_round(tmp_path, build, method):
    book = build(tmp_path / "j", method)
    last = [kind for _, kind, _ in book.events[-3:]]
    assert last == ["correct", "correct" if build is correction_then_correction else "tell", "round"]
    passes(book)


def test_two_objectives_of_one_query_corrected_in_one_call(tmp_path):
    with Session(
        ("a", "b"), ("x", "y"), "duel", journal=tmp_path / "j", joint=True, ordered=True, clock=Clock()
    ) as session:
        one, *_ = all_but_the_first(session)
        assert session.tell([one], [{"x": "left", "y": "right"}]).corrected == 2
        assert session.state.round == 2
    passes(Book(tmp_path / "j"))


def test_a_call_that_completes_a_round_and_opens_it_again(tmp_path):
    """It is the end of the call that counts."""
    with small(tmp_path / "j") as session:
        one, two, *_ = all_but_the_first(session)
        session.tell([one, two], ["left", "withdrawn"])
        assert (session.state.round, session.state.outstanding) == (1, 1)
        session.tell([two], ["left"])
        assert session.state.round == 2
    passes(Book(tmp_path / "j"))


def later(book):
    """The event before the judgement was of a later call."""
    book.events[-2][0] = book.events[-2][0].replace("2026", "2027")


def of_another(book):
    """It was of another asker."""
    book.events[-2][2]["asker"] = "somebody else"


def same_answer_twice(book):
    """An answer is changed twice, so in two calls."""
    time, _, body = book.events[-3]
    book.events.insert(-1, [time, "correct", {**body, "old": body["new"], "new": [1 - body["new"][0], 1]}])


def asked_in_between(book):
    time, _, body = book.events[-2]
    book.events.insert(-1, [time, "ask", {"asker": body["asker"], "expires": time, "queries": []}])


def released_in_between(book):
    time, _, body = book.events[-2]
    book.events.insert(-1, [time, "release", {"asker": body["asker"], "queries": [1]}])


@pytest.mark.parametrize("lie", [later, of_another, same_answer_twice, asked_in_between, released_in_between])
@pytest.mark.parametrize("build", [correction_then_correction, correction_then_answer])
def test_a_judgement_put_off_beyond_its_call(tmp_path, build, lie):
    book = build(tmp_path / "j")
    lie(book)
    not_judged(book)


def test_answers_come_after_corrections(tmp_path):
    """A call changes earlier answers first, so a correction after an answer is of another call."""
    book = correction_then_answer(tmp_path / "j")
    time, _, body = next(event for event in book.events if event[1] == "correct")
    again = {"asker": body["asker"], "query": 2, "objective": 0, "old": [1, 1], "new": [0, 1]}
    book.events.insert(-1, [time, "correct", again])
    not_judged(book)


def test_a_judgement_left_out_to_go_on_with_the_round(tmp_path):
    """The round is complete after one call; a correction opens it again, and another outcome is asked for."""
    with small(tmp_path / "j") as session:
        one, two, *_ = all_but_the_first(session)
        session.tell([two], ["withdrawn"])
        session.tell([one], ["left"])
        (again,) = session.ask(1)
        session.tell([again], ["right"])
        assert session.state.round == 2
    book = Book(tmp_path / "j")
    passes(book)
    kinds = [kind for _, kind, _ in book.events]
    assert kinds == ["round", "ask", "tell", "correct", "correct", "ask", "tell", "round"]
    book.events[3], book.events[4] = book.events[4], book.events[3]  # first complete, then open again
    not_judged(book)


@pytest.mark.parametrize("build", [correction_then_correction, correction_then_answer])
def test_a_complete_round_at_the_end_is_judged(tmp_path, build):
    book = build(tmp_path / "j")
    book.events.pop()
    failure = audit(book.save()).first_failure
    assert "the last round is complete, but was not judged" in failure.detail


@given(
    st.sampled_from(METHODS),
    st.sampled_from([(2, 1, False), (3, 2, False), (3, 2, True)]),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_session_takes_passes(tmp_path: Path, method, size, seed):
    models, objectives, joint = size
    path = wander(tmp_path / "j", method, seed, models=models, objectives=objectives, joint=joint)
    found = audit(path)
    assert found.ok, found.first_failure


def test_the_wanderers_put_judgements_off(tmp_path, monkeypatch):
    """An audit that wants a round judged in the middle of a call refuses some of these journals."""
    paths = [
        wander(tmp_path / str(seed), "interval", seed, models=3, objectives=2, joint=True)
        for seed in range(6)
    ]
    assert all(audit(path).ok for path in paths)
    monkeypatch.setattr(Call, "takes", lambda call, event: False)
    assert not all(audit(path).ok for path in paths)


@pytest.mark.parametrize("method", [*METHODS, "vb-ege", "track-and-stop"])
def test_a_cap_of_nothing(tmp_path, method):
    with small(tmp_path / "j", method, max_comparisons=0) as session:
        assert (session.done, str(session.result.status)) == (True, "capped")
    passes(Book(tmp_path / "j"))
    book = Book(tmp_path / "j")
    book.header["max_comparisons"] = -1
    assert audit(book.save()).first_failure.name == "terms"
