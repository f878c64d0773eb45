"""Journals: resuming, two sessions on one file, damage, and everything that may be wrong with a file."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import certify
from certify.audit import audit
from certify.errors import PoolError
from certify.policies import DEFAULT_POLICY
from certify.pool import Pool
from certify.session import Session
from solvers import journal as journals
from tests.certify.examples import FIGURE_1

TRUTH = np.random.default_rng(1).integers(0, 2, 60)


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1 / 64
        return self.now


@pytest.fixture
def pool() -> Pool:
    rng = np.random.default_rng(2)
    predictions = TRUTH ^ (rng.random((3, 60)) < 0.25)
    return Pool.binary(predictions, rng.integers(0, 25, (3, 60)) / 7, ids=[f"été-{row}" for row in range(60)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a session?#%.journal"


@pytest.fixture
def opened() -> Iterator[Callable[[Session], Session]]:
    """Closes what a test opens."""
    sessions: list[Session] = []

    def keep(session: Session) -> Session:
        sessions.append(session)
        return session

    yield keep
    for session in sessions:
        session.close()


Keep = Callable[[Session], Session]


def events(path: Path) -> list[tuple[int, str, str, dict[str, object], str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT seq, time, kind, body, hash FROM events ORDER BY seq").fetchall()
    return [(seq, time, kind, json.loads(body), recorded) for seq, time, kind, body, recorded in rows]


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def act(session: Session, rng: np.random.Generator) -> list[int]:
    """One random step; the rows asked, if any."""
    asker = str(rng.choice(["anna", "ben"]))
    step = rng.random()
    row = int(rng.integers(60))
    if step < 0.5:
        rows = session.ask(int(rng.integers(1, 4)), asker)
        session.tell(rows[:2], TRUTH[rows[:2]], asker)
        return rows
    if step < 0.7:
        session.tell([row], [int(rng.integers(2))], asker)
    elif step < 0.8:
        if session.labels[row] < 0:
            session.skip([row], asker)
    elif step < 0.9:
        session.release(asker=asker)
    else:
        return session.ask(2, asker)
    return []


@pytest.mark.parametrize("seed", range(4))
def test_resumed_equals_uninterrupted(tmp_path: Path, pool: Pool, opened: Keep, seed: int) -> None:
    def start(name: str | None) -> Session:
        journal = None if name is None else tmp_path / name
        return opened(Session(pool, "adaptive-range", journal=journal, owned={5: 1}, clock=clocks[name]))

    clocks = {name: Clock() for name in (None, "whole", "pieces")}
    memory, whole, pieces = start(None), start("whole"), start("pieces")
    for step in range(60):
        rows = [act(session, np.random.default_rng((seed, step))) for session in (memory, whole, pieces)]
        assert rows[0] == rows[1] == rows[2]
        pieces.close()
        pieces = opened(Session.resume(tmp_path / "pieces", clock=clocks["pieces"]))
        assert memory.verdict == whole.verdict == pieces.verdict
        np.testing.assert_array_equal(memory.lower, pieces.lower)
        np.testing.assert_array_equal(memory.labels, pieces.labels)
        assert memory.skipped == pieces.skipped
        assert memory.leases == whole.leases == pieces.leases
    assert whole.head == pieces.head


def test_the_pool_is_frozen_bit_for_bit(path: Path, opened: Keep) -> None:
    confidences = np.array([[0.1, np.nextafter(0.1, 1), -0.0, 1e-320], [0.7, 0.69999999999999996, 5, 2]])
    names, classes = ("größer", "b"), ("cat", "dog", "eel")
    codes = np.array([[0, 1, 2, 0], [0, 1, 1, 2]], dtype=np.int16)
    display = pl.DataFrame({"text": ["ß", None, "c", "d"], "count": [1, 2, 3, 4]})
    for ids, shown in ((["w", "x", "y", "z"], display), (None, None)):
        pool = Pool.from_codes(names, classes, codes, confidences, row_ids=ids, display=shown)
        opened(Session(pool, "random", "0.0005", 12, journal=path, sources=["/home/a/b.csv"])).close()
        session = opened(Session.resume(path))
        again = session.pool
        assert (again.names, again.classes, again.kind, again.ids) == (names, classes, pool.kind, pool.ids)
        assert (again.row_ids is None) == (ids is None)
        assert again.confidences.tobytes() == confidences.tobytes()
        np.testing.assert_array_equal(again.predictions, codes)
        if shown is None:
            assert again.display is None
        else:
            assert again.display is not None
            assert again.display.to_dict(as_series=False) == {
                "text": ["ß", None, "c", "d"],
                "count": ["1", "2", "3", "4"],
            }
        assert (session.policy, session.tolerance * 2000, session.seed) == ("random", 1, 12)
        path.unlink()


def test_what_the_file_holds(path: Path, pool: Pool, opened: Keep) -> None:
    session = opened(Session(pool, tolerance="0.25", journal=path, owned={3: TRUTH[3]}, sources=["x/a.csv"]))
    while rows := session.ask(2, "anna"):
        session.tell(rows, TRUTH[rows], "anna")
    with closing(sqlite3.connect(path)) as connection:
        (header_text,) = connection.execute("SELECT json FROM header").fetchone()
        arrays = dict(connection.execute("SELECT name, data FROM arrays"))
    header = json.loads(header_text)
    assert header_text == json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    expected = {"format", "version", "created", "names", "classes", "kind", "n", "policy", "seed"}
    assert set(header) == expected | {"tolerance", "objective", "sources", "digests"}
    assert (header["tolerance"], header["objective"], header["sources"]) == ("0.25", "augrc", ["a.csv"])
    assert header["digests"] == {name: hashlib.sha256(data).hexdigest() for name, data in arrays.items()}
    assert set(arrays) == {"ids", *(f"{what}/{k}" for what in ("confidence", "prediction") for k in range(3))}
    assert arrays["confidence/1"] == pool.confidences[1].astype("<f8").tobytes()
    assert arrays["prediction/2"] == pool.predictions[2].astype("<i2").tobytes()
    recorded = events(path)
    previous = hashlib.sha256(header_text.encode()).hexdigest()
    for at, (seq, time, kind, body, link) in enumerate(recorded, 1):
        assert seq == at
        text = json.dumps([seq, time, kind, body], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()
        assert link == previous
    assert session.head == previous
    assert recorded[0][2:4] == ("own", {"row": 3, "label": str(TRUTH[3])})
    verdict = session.verdict
    assert verdict.certified
    last = [(kind, body) for _, _, kind, body, _ in recorded if kind == "verdict"]
    assert len(last) == 1
    assert last[0][1]["winner"] == verdict.winner


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
def test_remains_of_an_earlier_journal_are_refused(path: Path, pool: Pool, ending: str) -> None:
    rest = path.with_name(path.name + ending)
    rest.write_bytes(b"pages of another file")
    with pytest.raises(PoolError, match="left over from an earlier journal"):
        Session(pool, journal=path)
    assert not path.exists()
    rest.unlink()
    Session(pool, journal=path).close()


def test_owned_question_marks_are_never_asked(path: Path, pool: Pool, opened: Keep) -> None:
    session = opened(Session(pool, journal=path, owned={3: "?", 5: TRUTH[5], 7: None}))
    assert session.skipped == [3]
    assert audit([path]).ok
    resumed = opened(Session.resume(path))
    asked = resumed.ask(60)
    assert 3 not in asked
    assert 5 not in asked
    assert 7 in asked


def test_verdict_events_follow_the_event_that_changed_it(path: Path, opened: Keep) -> None:
    pool = Pool.binary([[0, 0], [0, 0]], [[2, 1], [1, 2]])
    session = opened(Session(pool, journal=path))
    session.tell([0, 1], [0, 1])
    session.tell([1, 0], [0, 1])
    session.tell([0], [0])
    assert [(kind, body.get("certified", body.get("row"))) for _, _, kind, body, _ in events(path)] == [
        ("tell", 0),
        ("verdict", True),
        ("tell", 1),
        ("correct", 1),
        ("correct", 0),
        ("verdict", True),
        ("correct", 0),
        ("verdict", True),
    ]
    body = events(path)[1][3]
    assert body == {"certified": True, "winner": 0, "labels_read": 1, "gap": "0/1"}


def test_a_correction_can_take_the_verdict_back(path: Path, opened: Keep) -> None:
    session = opened(Session(Pool.binary([[0, 0], [0, 0]], [[2, 1], [1, 2]]), journal=path, asker="anna"))
    session.tell([0], [0])
    session.tell([0], [1])
    kinds = [(kind, body.get("certified")) for _, _, kind, body, _ in events(path)]
    assert kinds == [("tell", None), ("verdict", True), ("correct", None), ("verdict", False)]
    assert events(path)[2][3] == {"asker": "anna", "row": 0, "old": "0", "label": "1"}
    again = opened(Session.resume(path))
    assert again.verdict == session.verdict
    assert (again.verdict.certified, again.ask()) == (False, [1])


def test_certified_from_the_start(path: Path, opened: Keep) -> None:
    twice = Pool.binary([[0, 1], [0, 1]], [[2, 1], [2, 1]])
    session = opened(Session(twice, journal=path, owned={0: 1}))
    assert [kind for _, _, kind, _, _ in events(path)] == ["verdict", "own"]
    assert session.ask() == []
    assert opened(Session.resume(path)).head == session.head


def test_steps_that_change_nothing_leave_no_event(path: Path, pool: Pool, opened: Keep) -> None:
    session = opened(Session(pool, journal=path))
    rows = session.ask(2)
    session.tell(rows, TRUTH[rows])
    session.skip([50 if 50 not in rows else 51])
    session.release()
    head = session.head
    session.tell(rows, TRUTH[rows])
    session.skip(session.skipped)
    session.release()
    session.tell([], [])
    with pytest.raises(PoolError):
        session.tell([1, 2, 60], [0, 0, 0])
    with pytest.raises(PoolError):
        session.skip([1, *rows])
    assert session.head == head
    assert [kind for _, _, kind, _, _ in events(path)] == ["ask", "tell", "tell", "skip"]


def test_a_row_asked_before_the_end_is_asked_again(path: Path, pool: Pool, opened: Keep) -> None:
    session = opened(Session(pool, journal=path))
    rows = session.ask(2)
    session.close()
    assert opened(Session.resume(path)).ask(2) == rows
    assert opened(Session.resume(path, "another")).ask(2) != rows


def test_two_sessions_on_one_journal(path: Path, pool: Pool, opened: Keep) -> None:
    alone = Session(pool)
    while rows := alone.ask():
        alone.tell(rows, TRUTH[rows])
    anna = opened(Session(pool, journal=path, asker="anna"))
    ben = opened(Session.resume(path, "ben"))
    asked: list[int] = []
    while not anna.verdict.certified:
        mine, theirs = anna.ask(2), ben.ask(3)
        asked += mine + theirs
        anna.tell(mine, TRUTH[mine])
        ben.tell(theirs, TRUTH[theirs])
        anna.refresh()
        assert anna.verdict == ben.verdict
        assert anna.head == ben.head
    assert len(asked) == len(set(asked))
    assert anna.verdict.winner == alone.verdict.winner
    assert ben.ask() == []


def test_leases_reach_across_processes_and_expire(path: Path, pool: Pool, opened: Keep) -> None:
    clock = Clock()
    anna = opened(Session(pool, journal=path, asker="anna", lease_seconds=600, clock=clock))
    ben = opened(Session.resume(path, "ben", clock=clock))
    held = anna.ask(3)
    assert not set(held) & set(ben.ask(3))
    anna.release(held[2:])
    assert ben.ask(4)[3] == held[2]
    clock.now += 700
    assert set(ben.leases.values()) == {"ben"}
    assert set(held) <= set(ben.ask(6))


def test_bulk_labels_and_resuming_are_quick(path: Path, opened: Keep) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 3000)
    pool = Pool.binary(truth ^ (rng.random((3, 3000)) < 0.2), rng.random((3, 3000)))
    session = opened(Session(pool, journal=path))
    session.tell(np.arange(3000), truth)
    kinds = [kind for _, _, kind, _, _ in events(path)]
    at = kinds.index("verdict")
    assert kinds.count("verdict") == 1
    shorter = Session(pool)
    shorter.tell(np.arange(at - 1), truth[: at - 1])
    assert not shorter.verdict.certified
    shorter.tell([at - 1], [truth[at - 1]])
    assert shorter.verdict.certified
    assert opened(Session.resume(path)).verdict == session.verdict


@pytest.fixture
def told(path: Path, pool: Pool) -> Path:
    """A journal of ask and tell, ten events."""
    with Session(pool, journal=path) as session:
        for _ in range(5):
            rows = session.ask()
            session.tell(rows, TRUTH[rows])
    return path


DAMAGE = {
    "a flipped label": (
        "UPDATE events SET body = replace(replace(replace(body, '\"label\":\"0\"', 'x'), "
        '\'"label":"1"\', \'"label":"0"\'), \'x\', \'"label":"1"\') WHERE seq = 4',
        "event 4 does not fit",
    ),
    "another row": (
        "UPDATE events SET body = replace(body, '\"row\":', '\"row\":1') WHERE seq = 2",
        "event 2",
    ),
    "another time": ("UPDATE events SET time = '2020' WHERE seq = 3", "event 3 does not fit"),
    "another kind": ("UPDATE events SET kind = 'own' WHERE seq = 4", "event 4 does not fit"),
    "another hash": ("UPDATE events SET hash = upper(hash) WHERE seq = 7", "event 7 does not fit"),
    "no JSON": ("UPDATE events SET body = '{' WHERE seq = 7", "event 7 does not fit"),
    "an event dropped": ("DELETE FROM events WHERE seq = 5", "event 5 is missing"),
    "a number that is no number": ("UPDATE events SET time = 5 WHERE seq = 1", "event 1 does not fit"),
    "the first dropped": ("DELETE FROM events WHERE seq = 1", "event 1 is missing"),
    "one added at the end": (
        "INSERT INTO events SELECT 11, time, kind, body, hash FROM events WHERE seq = 10",
        "event 11 does not fit",
    ),
    "the policy": (
        f"UPDATE header SET json = replace(json, '{DEFAULT_POLICY}', 'random')",
        "event 1 does not fit",
    ),
    "a confidence": (
        "UPDATE arrays SET data = zeroblob(480) WHERE name = 'confidence/1'",
        "array 'confidence/1'",
    ),
    "a text array": ("UPDATE arrays SET data = 'x' WHERE name = 'ids'", "array 'ids' is not the one"),
    "an array dropped": ("DELETE FROM arrays WHERE name = 'prediction/0'", "array 'prediction/0' is missing"),
    "an array added": ("INSERT INTO arrays VALUES ('display', x'7b7d')", "array 'display' is not the one"),
    "no digests": ("UPDATE header SET json = replace(json, 'digests', 'digest')", "lists no digests"),
    "a policy of tomorrow": (
        f"UPDATE header SET json = replace(json, '{DEFAULT_POLICY}', 'psychic')",
        "unknown policy 'psychic'",
    ),
    "another number of rows": (
        "UPDATE header SET json = replace(json, '\"n\":60', '\"n\":61')",
        "60 rows, not 61",
    ),
    "no header": ("DELETE FROM header", "not a certify journal"),
    "a newer version": (
        "UPDATE header SET json = replace(json, '\"version\":1', '\"version\":2')",
        "version 2",
    ),
    "another format": ("UPDATE header SET json = replace(json, 'certify-journal', 'x')", "not a certify"),
    "no events table": ("DROP TABLE events", "not a certify journal"),
}


@pytest.mark.parametrize(("statement", "words"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_refused(told: Path, statement: str, words: str) -> None:
    change(told, statement)
    with pytest.raises(PoolError, match=words) as caught:
        Session.resume(told)
    assert str(told) in str(caught.value)


def test_reordered_events_are_refused(told: Path) -> None:
    change(told, *(f"UPDATE events SET seq = {a} WHERE seq = {b}" for a, b in ((99, 4), (4, 6), (6, 99))))
    with pytest.raises(PoolError, match="event 4 does not fit"):
        Session.resume(told)


def test_dropped_last_events_show_in_the_head_only(told: Path) -> None:
    with Session.resume(told) as session:
        noted = session.head
    change(told, "DELETE FROM events WHERE seq > 8")
    with Session.resume(told) as session:
        assert session.head != noted


def test_an_open_session_notices_that_its_past_changed(told: Path, pool: Pool, opened: Keep) -> None:
    session = opened(Session.resume(told))
    change(told, "DELETE FROM events WHERE seq > 8")
    with pytest.raises(PoolError, match="event 10 is no longer"):
        session.ask()


FORGED = {
    "a second label": ("tell", {"asker": "a", "row": "FIRST", "label": "0"}, "already has a label"),
    "an unknown class": ("tell", {"asker": "a", "row": "FREE", "label": "7"}, "event 11"),
    "an unknown row": ("tell", {"asker": "a", "row": 60, "label": "0"}, "not in the pool"),
    "a negative row": ("skip", {"asker": "a", "row": -1}, "not in the pool"),
    "a wrong verdict": (
        "verdict",
        {"certified": True, "winner": 0, "labels_read": 5, "gap": "0/1"},
        "the labels before it give",
    ),
    "a correction of nothing": (
        "correct",
        {"asker": "a", "row": "FREE", "old": "0", "label": "1"},
        "corrected",
    ),
    "an unknown kind": ("think", {}, "unknown kind 'think'"),
    "a part missing": ("ask", {"asker": "a"}, "event 11"),
    "rows that are none": ("ask", {"asker": "a", "rows": 5, "expires": ""}, "not a list"),
    "a list": ("tell", [], "event 11"),
    "a nameless asker": ("release", {"asker": ["a"], "rows": []}, "not the form"),
}


@pytest.mark.parametrize(("kind", "body", "words"), FORGED.values(), ids=FORGED)
def test_events_that_cannot_have_happened(told: Path, kind: str, body: object, words: str) -> None:
    """Rightly chained, as a broken program might write them."""
    recorded = events(told)
    first = int(str(recorded[1][3]["row"]))
    used = {event[3].get("row") for event in recorded}
    free = next(row for row in range(60) if row not in used)
    if isinstance(body, dict):
        body = {
            k: {"FIRST": first, "FREE": free}.get(v, v) if isinstance(v, str) else v for k, v in body.items()
        }
    text = json.dumps([11, "now", kind, body], sort_keys=True, separators=(",", ":"))
    link = hashlib.sha256(f"{recorded[-1][4]}\n{text}".encode()).hexdigest()
    with closing(sqlite3.connect(told)) as connection, connection:
        connection.execute("INSERT INTO events VALUES (11, 'now', ?, ?, ?)", (kind, json.dumps(body), link))
    with pytest.raises(PoolError, match=words):
        Session.resume(told)


def test_a_missing_verdict_is_noticed(path: Path, pool: Pool) -> None:
    with Session(Pool.binary([[0, 0], [0, 0]], [[2, 1], [1, 2]]), journal=path) as session:
        session.tell([0], [0])
    first = events(path)[0]
    change(path, "DELETE FROM events WHERE seq = 2")
    with pytest.raises(PoolError, match="verdict that must follow event 1 is missing"):
        Session.resume(path)
    text = json.dumps([2, "now", "skip", {"asker": "a", "row": 1}], sort_keys=True, separators=(",", ":"))
    link = hashlib.sha256(f"{first[4]}\n{text}".encode()).hexdigest()
    change(path, f"""INSERT INTO events VALUES (2, 'now', 'skip', '{{"asker":"a","row":1}}', '{link}')""")
    with pytest.raises(PoolError, match=r"event 2 .*verdict was due"):
        Session.resume(path)


def test_files_that_are_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with pytest.raises(PoolError, match="does not exist"):
        Session.resume(path)
    path.write_bytes(b"")
    with pytest.raises(PoolError, match="is empty, as a start that was interrupted leaves it; remove it"):
        Session.resume(path)
    path.write_text("id,label\n" * 500)
    with pytest.raises(PoolError, match="not a certify journal"):
        Session.resume(path)
    path.unlink()
    change(path, "CREATE TABLE header (x)")
    with pytest.raises(PoolError, match="not a certify journal"):
        Session.resume(path)
    with pytest.raises(PoolError, match="cannot be opened"):
        Session.resume(tmp_path)


def test_a_truncated_file(told: Path) -> None:
    told.write_bytes(told.read_bytes()[:-5000])
    with pytest.raises(PoolError, match=r"damaged|restore"):
        Session.resume(told)


def test_start_never_overwrites(path: Path, pool: Pool, tmp_path: Path) -> None:
    path.write_text("mine")
    for taken in (path, tmp_path):
        with pytest.raises(PoolError, match="already exists"):
            Session(pool, journal=taken)
    assert path.read_text() == "mine"
    with pytest.raises(PoolError, match="there is no directory"):
        Session(pool, journal=tmp_path / "absent" / "x")
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES, None])
def test_publishing(
    path: Path, pool: Pool, monkeypatch: pytest.MonkeyPatch, opened: Keep, code: int | None
) -> None:
    """No hard links; a directory that cannot be written; a file that appears in the meantime."""

    def link(source: Path, target: Path) -> None:
        if code is None:
            Path(target).write_text("theirs")
            raise FileExistsError(errno.EEXIST, "exists")
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", link)
    if code == errno.EPERM:
        session = opened(Session(pool, journal=path))
        assert opened(Session.resume(path)).head == session.head
    else:
        with pytest.raises(PoolError, match="already exists" if code is None else "can be written"):
            Session(pool, journal=path)
        assert path.exists() == (code is None)
    assert [name for name in os.listdir(path.parent) if name != path.name] == []


def test_locked_for_too_long(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "BUSY_SECONDS", 0.05)
    with Session.resume(told) as session, closing(sqlite3.connect(told, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(PoolError, match="another process keeps it locked"):
            session.ask()
        session.refresh()
        other.execute("ROLLBACK")
        assert session.ask()
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(PoolError, match="locked"):
            Session.resume(told)


def test_a_journal_that_cannot_be_written_can_be_looked_at(
    told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)

    monkeypatch.setattr(journals, "_connect", read_only)
    with Session.resume(told) as session:
        assert session.verdict.labels_read == 5
        with pytest.raises(PoolError, match="cannot be written"):
            session.tell([0], [0])


def test_a_full_disk_records_nothing(told: Path, opened: Keep) -> None:
    session = opened(Session.resume(told))
    before, rows = session.verdict, session.ask(1, "later")
    connection = session._journal._connection  # type: ignore[union-attr]
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    head = session.head
    unread = np.flatnonzero(session.labels < 0)
    with pytest.raises(PoolError, match="the disk is full"):
        session.tell(unread, ["?"] * len(unread))
    connection.execute("PRAGMA max_page_count = 100000")
    assert session.ask(1, "later") == rows
    assert session.head == head
    assert session.verdict == before
    session.tell(rows, TRUTH[rows])
    assert opened(Session.resume(told)).verdict == session.verdict


def test_an_interrupt_inside_a_batch_records_nothing(
    told: Path, opened: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(Session.resume(told))
    before, head = session.lower, session.head
    unread = np.flatnonzero(session.labels < 0)
    with monkeypatch.context() as patch:
        patch.setattr(session, "_clock", lambda: 1 / 0)  # fails when the batch is applied already
        with pytest.raises(ZeroDivisionError):
            session.tell(unread, TRUTH[unread])
    session.skip([])
    assert session.head == head
    np.testing.assert_array_equal(session.lower, before)
    assert session.ask() == opened(Session.resume(told)).ask()


def test_text_that_cannot_be_kept(path: Path) -> None:
    arguments = ([[0, 0], [0, 1]], [[2, 1], [1, 2]])
    for settings in ({"names": ["a", "\ud800"]}, {"ids": ["a", "\ud800"]}):
        with pytest.raises(PoolError, match="UTF-8"):
            Session(Pool.binary(*arguments, **settings), journal=path)  # type: ignore[arg-type]
    with pytest.raises(PoolError, match="UTF-8"):
        Session(Pool.binary(*arguments), asker="\ud800")
    assert not path.exists()


def test_labelling_does_not_load_the_file_readers(told: Path) -> None:
    """A labelling process starts quickly: polars is loaded only to show columns."""
    program = (
        "import sys; from certify.session import Session; s = Session.resume(sys.argv[1]); "
        "s.tell(s.ask(), [1]); s.verdict.at_least; s.close(); sys.exit('polars' in sys.modules)"
    )
    root = str(Path(certify.__file__).parents[1])
    subprocess.run(
        [sys.executable, "-c", program, str(told)], check=True, env={**os.environ, "PYTHONPATH": root}
    )


def test_a_correction_that_moves_the_certificate_is_recorded(tmp_path):
    path = tmp_path / "moved.journal"
    with Session(FIGURE_1, journal=path) as session:
        session.tell([0, 1], [1, 0])
        assert (session.verdict.certified, session.verdict.winner) == (True, 1)
        session.tell([0], [0])
        assert (session.verdict.certified, session.verdict.winner) == (True, 0)
    with closing(sqlite3.connect(path)) as file:
        said = [
            json.loads(body) for (body,) in file.execute("SELECT body FROM events WHERE kind = 'verdict'")
        ]
    assert [(body["certified"], body["winner"]) for body in said] == [(True, 1), (True, 0)]
    assert audit([path]).ok
    assert Session.resume(path).verdict.winner == 0
