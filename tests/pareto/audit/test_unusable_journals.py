"""Files that are no journal are refused; headers that no session writes fail a check, of any type."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pareto import BattleError, Session
from pareto.audit import audit
from tests.pareto.voting import judge, open_session


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "journal"
    with open_session("interval", path) as session:
        judge(session, session.ask(3))
    return path


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A sound journal that ends with a query."""
    path = tmp_path_factory.mktemp("asked") / "journal"
    with open_session("interval", path) as session:
        judge(session, session.ask(3))
        session.ask(1, asker="next")
    with Session.resume(path):
        assert audit(path).ok
    return path


def execute(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(*statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM header", "0 rows in its table header"),
        ("UPDATE header SET json = x'ff'", "exactly one, a text"),
        ("UPDATE header SET json = '[]'", "does not say format"),
        ("UPDATE header SET json = '[[[['", "does not say format"),
        ("UPDATE events SET body = x'00' WHERE seq = 2", "whole numbers and texts alone"),
        ("UPDATE events SET hash = x'00' WHERE seq = 2", "whole numbers and texts alone"),
        ("DROP TABLE events", "no such table"),
    ],
)
def test_files_that_are_no_journal(journal, statement, said):
    execute(journal, (statement,))
    with pytest.raises(BattleError, match=said):
        audit(journal)
    with pytest.raises(BattleError):
        Session.resume(journal)


@pytest.mark.parametrize(
    "changes",
    [
        {"delta": None}, {"delta": [0.05]}, {"delta": "0.05"}, {"delta": True}, {"margin": {}}, {"seed": 1.5},
        {"seed": -1}, {"max_comparisons": "9"}, {"joint": 1}, {"ties": []}, {"constants": [1]},
        {"constants": 7},
        {"method": []}, {"version": True}, {"version": []}, {"models": "ab"}, {"models": [[], []]},
        {"created": None},
    ],
)  # fmt: skip
def test_headers_that_no_session_writes(journal, changes):
    with closing(sqlite3.connect(journal)) as connection:
        (text,) = connection.execute("SELECT json FROM header").fetchone()
    header = json.loads(text) | changes
    execute(journal, ("UPDATE header SET json = ?", (_canonical(header),)))
    report = audit(journal)
    assert report.first_failure.name == "terms"
    assert report.first_failure.detail.startswith("header: ")


def test_numbers_beyond_any_counter_are_refused(journal):
    with closing(sqlite3.connect(journal)) as connection:
        (text,) = connection.execute("SELECT json FROM header").fetchone()
        rows = connection.execute("SELECT seq, time, kind, body FROM events ORDER BY seq").fetchall()
    head = _sha(text)
    for seq, time, kind, body in rows:
        value = json.loads(body)
        if kind == "tell":
            value["answers"][0][3] = 2**70
        head = _sha(f"{head}\n{_canonical([seq, time, kind, value])}")
        execute(
            journal, ("UPDATE events SET body = ?, hash = ? WHERE seq = ?", (_canonical(value), head, seq))
        )
    with pytest.raises(BattleError, match=r"event \d+ \(tell\) cannot have happened"):
        Session.resume(journal)
    assert not audit(journal).ok


def _canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "changes",
    [
        {"asker": ["a"]}, {"expires": 5}, {"expires": None}, {"queries": 5}, {0: 1.0}, {0: True}, {0: 9},
        {1: "a"}, {1: 7}, {1: -1}, {2: None}, {3: 9}, {3: False}, {4: []}, {4: [5]}, {4: ["x"]}, {4: 0},
        {5: 0}, {5: 1.5}, {5: "1"},
    ],
)  # fmt: skip
def test_queries_that_no_session_asks(tmp_path, asked, changes):
    """Rightly chained, as a broken program might write them; a number names a part of the query."""
    journal = Path(shutil.copy(asked, tmp_path / "journal"))
    with closing(sqlite3.connect(journal)) as connection:
        rows = connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
    head, (number, time, kind, body, _) = rows[-2][4], rows[-1]
    assert kind == "ask"
    body = json.loads(body)
    for name, value in changes.items():
        holder = body["queries"][0] if isinstance(name, int) else body
        holder[name] = value
    text = json.dumps([number, time, kind, body], sort_keys=True, separators=(",", ":"))
    link = hashlib.sha256(f"{head}\n{text}".encode()).hexdigest()
    written = json.dumps(body, sort_keys=True, separators=(",", ":"))
    execute(journal, ("UPDATE events SET body = ?, hash = ? WHERE seq = ?", (written, link, number)))
    with pytest.raises(BattleError, match=f"event {number} "):
        Session.resume(journal)
    assert not audit(journal).ok
