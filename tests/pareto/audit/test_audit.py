"""Honest journals pass; journals that lie, with every hash put right, do not."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from functools import cache

import numpy as np
import pytest

from pareto import BattleError, BradleyTerrySource, Session, drive
from pareto.audit import audit
from pareto.audit.duels import bets
from pareto.samplers.betting import LAMBDAS
from tests.pareto.voting import ALL, GUARANTEED, Clock, judge_all, open_session

LARGER = np.random.default_rng(6).normal(size=(7, 2)) * 1.2


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Book:
    """A journal's header and events, to be changed and written back with a right hash chain."""

    def __init__(self, path):
        self.path = path
        with closing(sqlite3.connect(path)) as connection:
            (header,) = connection.execute("SELECT json FROM header").fetchone()
            rows = connection.execute("SELECT time, kind, body FROM events ORDER BY seq").fetchall()
        self.header = json.loads(header)
        self.events = [[time, kind, json.loads(body)] for time, kind, body in rows]

    def bodies(self, kind):
        return [body for _, each, body in self.events if each == kind]

    def save(self):
        head = canonical(self.header)
        previous = sha(head)
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("UPDATE header SET json = ?", (head,))
            connection.execute("DELETE FROM events")
            for seq, (time, kind, body) in enumerate(self.events, 1):
                previous = sha(f"{previous}\n{canonical([seq, time, kind, body])}")
                connection.execute(
                    "INSERT INTO events VALUES (?, ?, ?, ?, ?)", (seq, time, kind, canonical(body), previous)
                )
        return self.path


@cache
def _run(folder, method, **options):
    source = BradleyTerrySource(LARGER, seed=4, joint=options.get("joint", False))
    path = folder / "-".join([method, *(f"{name}={value}" for name, value in options.items())])
    with Session(
        source.models, source.objectives, method, 0.1, 5, path, ordered=True, clock=Clock(), **options
    ) as session:
        return path, drive(session, source)


@pytest.fixture
def decided(tmp_path_factory):
    """Copies of journals of finished sessions, each of which is run once."""
    folder = tmp_path_factory.getbasetemp()

    def copy(journal, method, **options):
        path, result = _run(folder, method, **options)
        shutil.copyfile(path, journal)
        return result

    return copy


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("method", ALL)
def test_honest_journals_pass(tmp_path, decided, method, joint):
    result = decided(tmp_path / "j", method, joint=joint)
    found = audit(tmp_path / "j")
    assert found.ok, found.first_failure
    assert f"{result.comparisons:,} comparisons" in found.checks[2].detail


@pytest.mark.parametrize("method", GUARANTEED)
def test_honest_journals_with_margin_ties_or_cap_pass(tmp_path, decided, method):
    decided(tmp_path / "margin", method, margin=0.02)
    assert audit(tmp_path / "margin").ok
    decided(tmp_path / "cap", method, max_comparisons=700)
    assert audit(tmp_path / "cap").ok
    with open_session(method, tmp_path / "open") as session:
        numbers = [query.number for query in session.ask(5)]
        session.tell(numbers, ["left", "tie", "?", 0.25, "right"])
        session.tell(numbers[:2], ["right", "withdrawn"])
    assert audit(tmp_path / "open").ok


def test_the_bets_are_the_samplers():
    assert [float(bet) for bet in bets()] == LAMBDAS.tolist()


def refused(book, where, check):
    found = audit(book.save())
    assert not found.ok
    assert found.first_failure.name == check
    assert where in found.first_failure.detail, found.first_failure.detail


def drop_without_reason(book):
    """Declare an undecided model dropped one judgement early."""
    rounds = book.bodies("round")
    late = next(at for at, body in enumerate(rounds) if body["dropped"] and at > 1)
    row = rounds[late]["dropped"].pop(0)
    rounds[late - 1]["dropped"].append(row)


def keep_without_reason(book):
    """Declare a model kept that was dropped."""
    body = next(body for body in book.bodies("round") if body["dropped"])
    i, _ = body["dropped"].pop(0)
    body["kept"] = sorted([*body["kept"], i])


def flip_every_vote(book):
    """Turn what people said around, and keep the claims."""
    for body in book.bodies("tell"):
        for answer in body["answers"]:
            answer[2] = answer[3] - answer[2]


@pytest.mark.parametrize("lie", [drop_without_reason, keep_without_reason, flip_every_vote])
@pytest.mark.parametrize("method", GUARANTEED)
def test_claims_that_outcomes_do_not_bear_out(tmp_path, decided, method, lie):
    decided(tmp_path / "j", method)
    book = Book(tmp_path / "j")
    lie(book)
    refused(book, "round", "decisions")


@pytest.mark.parametrize("method", GUARANTEED)
def test_a_larger_delta_does_not_buy_claims_after_the_fact(tmp_path, decided, method):
    """Decisions made at δ = 0.1 are not valid at 0.001."""
    decided(tmp_path / "j", method)
    book = Book(tmp_path / "j")
    book.header["delta"] = 0.001
    refused(book, "round", "decisions")


def half_the_wins(book):
    body = next(body for body in book.bodies("tell") if any(answer[2] > 3 for answer in body["answers"]))
    answer = next(answer for answer in body["answers"] if answer[2] > 3)
    answer[2] = answer[3] + 1


def forget_an_answer(book):
    body = book.bodies("tell")[0]
    body["answers"].pop()


def answer_twice(book):
    book.bodies("tell")[0]["answers"].append(book.bodies("tell")[0]["answers"][0])


def answer_what_was_not_asked(book):
    book.bodies("tell")[0]["answers"][0][0] = 10**6


def count_less(book):
    book.bodies("round")[1]["comparisons"] -= 1


def turn_a_side(book):
    query = book.bodies("ask")[0]["queries"][0]
    query[3] = query[1] if query[3] == query[2] else query[2]


def ask_for_more(book):
    queries = book.bodies("ask")[0]["queries"]
    first, second, _, objectives, count = queries[0][1:]
    queries.append([len(queries) + 1, second, first, first, [1 - objectives[0]], count])


def judge_early(book):
    at = [kind for _, kind, _ in book.events].index("tell")
    _, _, body = book.events[at]
    taken = body["answers"].pop()
    book.events.insert(at + 2, [book.events[at][0], "tell", {"asker": "x", "answers": [taken]}])


def unknown_kind(book):
    book.events.insert(1, [book.events[0][0], "wish", {}])


def extra_entry(book):
    book.bodies("ask")[0]["note"] = "none"


def rewrite_history(book):
    """A correction of what was judged already."""
    round_, answer = book.events[-1], book.bodies("tell")[0]["answers"][0]
    number, objective, points, answered = answer
    body = {
        "asker": "x",
        "query": number,
        "objective": objective,
        "old": [points, answered],
        "new": [answered - points, answered],
    }
    book.events.append([round_[0], "correct", body])


@pytest.mark.parametrize(
    "lie",
    [
        half_the_wins,
        forget_an_answer,
        answer_twice,
        answer_what_was_not_asked,
        count_less,
        turn_a_side,
        ask_for_more,
        judge_early,
        unknown_kind,
        extra_entry,
        rewrite_history,
    ],
)
@pytest.mark.parametrize("method", ["vb-ege", "duel"])
def test_events_that_no_session_writes(tmp_path, decided, method, lie):
    decided(tmp_path / "j", method)
    book = Book(tmp_path / "j")
    lie(book)
    refused(book, "event", "recount")


def decide_twice(book):
    rounds = book.bodies("round")
    early = next(body for body in rounds if body["dropped"])
    rounds[-1]["dropped"].append(early["dropped"][0])


def stop_too_soon(book):
    next(body for body in book.bodies("round") if body["wanted"])["status"] = "certified"


def stay_open(book):
    book.bodies("round")[-1]["status"] = "open"


def decide_a_stranger(book):
    book.bodies("round")[-1]["kept"].append(99)


@pytest.mark.parametrize("lie", [decide_twice, stop_too_soon, stay_open, decide_a_stranger])
def test_claims_that_contradict_each_other(tmp_path, decided, lie):
    decided(tmp_path / "j", "duel")
    book = Book(tmp_path / "j")
    lie(book)
    refused(book, "round", "claims")


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("delta", 1.5),
        ("margin", -0.1),
        ("method", "guess"),
        ("models", ["a"]),
        ("objectives", ["x", "x"]),
        ("ordered", False),
        ("version", 2),
        ("note", "none"),
    ],
)
def test_terms_that_no_session_has(tmp_path, decided, entry, value):
    decided(tmp_path / "j", "duel")
    book = Book(tmp_path / "j")
    book.header[entry] = value
    refused(book, "header", "terms")


def test_opponents_chosen_by_hand(tmp_path, decided):
    decided(tmp_path / "j", "vb-ege")
    book = Book(tmp_path / "j")
    wanted = book.bodies("round")[0]["wanted"]
    same = [row for row in wanted if row[0] == 0 and row[2] == 0]
    (weak, strong) = (same[0], same[1])
    weak[3], strong[3] = weak[3] + 1, strong[3] - 1
    found = audit(book.save())
    assert found.first_failure.name in ("recount", "opponents")


def test_bets_that_claim_too_much(tmp_path, decided):
    decided(tmp_path / "j", "duel")
    book = Book(tmp_path / "j")
    staked = next(body["staked"] for body in book.bodies("round") if body["staked"]["rejections"])
    staked["rejections"][0][2][0][1] = [1 << 16] * 12
    refused(book, "bets", "decisions")


def test_bets_made_after_the_outcomes(tmp_path, decided):
    """Moving a ticket one judgement later takes away what was drawn in between."""
    decided(tmp_path / "j", "duel")
    book = Book(tmp_path / "j")
    rounds = book.bodies("round")
    at = next(at for at, body in enumerate(rounds) if body["staked"]["rejections"])
    last = next(at for at in range(len(rounds) - 1, -1, -1) if rounds[at]["dropped"])
    rounds[last]["staked"]["rejections"] += rounds[at]["staked"]["rejections"]
    rounds[at]["staked"]["rejections"] = []
    refused(book, "round", "decisions")


def test_weights_chosen_anew(tmp_path, decided):
    decided(tmp_path / "j", "interval")
    book = Book(tmp_path / "j")
    body = next(body for body in book.bodies("round") if body["staked"])
    ranks = body["staked"]["witness_ranks"]
    ranks[0] = [1] * len(ranks[0])
    refused(book, "ranks", "decisions")


def test_a_changed_byte_breaks_the_chain(tmp_path, decided):
    decided(tmp_path / "j", "duel")
    with closing(sqlite3.connect(tmp_path / "j")) as connection, connection:
        connection.execute("UPDATE events SET time = replace(time, '2026', '2027') WHERE seq = 3")
    found = audit(tmp_path / "j")
    assert (found.first_failure.name, found.checks[0].ok) == ("hash chain", True)
    assert "event 3" in found.first_failure.detail
    with pytest.raises(BattleError, match="event 3"):
        Session.resume(tmp_path / "j")


def test_the_head_noted_elsewhere_counts(tmp_path, decided):
    decided(tmp_path / "j", "duel")
    head = audit(tmp_path / "j").head
    assert audit(tmp_path / "j", head).ok
    book = Book(tmp_path / "j")
    book.events = book.events[:-3]
    book.save()
    assert audit(tmp_path / "j").checks[1].ok  # right in itself
    assert audit(tmp_path / "j", head).first_failure.name == "hash chain"


def test_a_file_that_is_no_journal(tmp_path):
    (tmp_path / "j").write_text("hello")
    with pytest.raises(BattleError, match="not a pareto journal"):
        audit(tmp_path / "j")
    with pytest.raises(BattleError, match="does not exist"):
        audit(tmp_path / "k")


def test_the_auditor_imports_none_of_the_engine():
    """Only the error class, numpy for the opponents, and its own files."""
    from pathlib import Path

    import pareto.audit

    for path in Path(pareto.audit.__file__).parent.glob("*.py"):
        for line in path.read_text().splitlines():
            if line.startswith(("from pareto", "import pareto")):
                assert line.startswith(("from pareto.audit", "from pareto.errors")), (path.name, line)


def test_a_decided_session_can_be_audited_at_every_prefix(tmp_path):
    with open_session("duel", tmp_path / "j") as session:
        judge_all(session)
    book = Book(tmp_path / "j")
    whole = book.events
    for length in range(1, len(whole) + 1):
        complete = length == len(whole) or whole[length][1] != "round"
        book.events = whole[:length]
        assert audit(book.save()).ok == complete
