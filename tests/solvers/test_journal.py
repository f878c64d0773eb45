"""The journal that both packages use; their own tests kill, damage and share it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from solvers.chain import Event, canonical, text_hash
from solvers.errors import SolverError
from solvers.journal import Journal, Program

NOW = "2026-01-01T00:00:00.000+00:00"


class Plain(Journal):
    program = Program("plain", 3, False, SolverError, "answer", "start again")


class Frozen(Journal):
    program = Program("frozen", 1, True, SolverError, "answer", "start again")


def events(*numbers):
    return [Event("said", {"number": number}) for number in numbers]


def numbers(journal):
    return [event.body["number"] for _, event in journal.unseen()]


def test_what_was_committed_is_read_back_by_everybody(tmp_path):
    path = tmp_path / "a.journal"
    first = Plain.create(path, {"who": "me"}, events(1, 2), NOW)
    second = Plain.open(path)
    assert second.header["who"] == "me"
    assert numbers(second) == [1, 2]
    first.begin()
    first.commit(events(3), NOW)
    assert numbers(second) == [3]
    assert (second.seq, second.head) == (first.seq, first.head)
    second.begin()
    second.rollback()
    second.rewind()
    assert numbers(second) == [1, 2, 3]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE events SET body = '{\"number\":9}' WHERE seq = 2", "event 2 does not fit"),
        ("DELETE FROM events WHERE seq = 2", "event 2 is missing"),
        ("UPDATE header SET json = replace(json, 'me', 'you')", "event 1 does not fit"),
    ],
)
def test_a_change_is_found_and_the_way_out_named(tmp_path, statement, words):
    path = tmp_path / "a.journal"
    Plain.create(path, {"who": "me"}, events(1, 2, 3), NOW).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(SolverError, match=f"{words}.*start again"):
        numbers(Plain.open(path))


def test_arrays_are_compared_with_their_digests(tmp_path):
    path = tmp_path / "a.journal"
    journal = Frozen.create(path, {}, [], NOW, {"scores": b"abc", "ids": b""})
    assert journal.arrays() == {"scores": b"abc", "ids": b""}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE arrays SET data = x'00' WHERE name = 'scores'")
    with pytest.raises(SolverError, match="'scores' is not the one"):
        journal.arrays()


def test_programs_do_not_take_each_other_for_themselves(tmp_path):
    path = tmp_path / "a.journal"
    Plain.create(path, {}, [], NOW).close()
    with pytest.raises(SolverError, match="not a frozen journal; give a file written by frozen start"):
        Frozen.open(path)
    with pytest.raises(SolverError, match="already exists"):
        Frozen.create(path, {}, [], NOW, {})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE header SET json = replace(json, '\"version\":3', '\"version\":4')")
    with pytest.raises(SolverError, match="format version 4, this plain reads version 3"):
        Plain.open(path)


def test_damage_to_what_the_file_says_of_its_tables_hides_no_header(tmp_path):
    path = tmp_path / "j"
    Frozen.create(path, {"a": 1}, [], NOW, {"scores": b"abc"}).close()
    path.write_bytes(path.read_bytes().replace(b"id INTEGER PRIMARY KEY", b"id INTEGER TRIMARY KEY", 1))
    journal = Frozen.open(path)  # the auditor reads it too
    assert journal.header["a"] == 1
    journal.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute("INSERT INTO header SELECT 2, json FROM header")
    with pytest.raises(SolverError, match="is not a frozen journal"):
        Frozen.open(path)


@pytest.mark.parametrize("column", ["kind", "time"])
def test_a_kind_and_a_time_are_texts(tmp_path, column):
    path = tmp_path / "j"
    Plain.create(path, {}, events(1), NOW).close()
    values = {"time": NOW, "kind": "said", column: None}
    text = canonical([1, values["time"], values["kind"], {"number": 1}])
    with closing(sqlite3.connect(path)) as connection, connection:
        (header,) = connection.execute("SELECT json FROM header").fetchone()
        connection.execute("DROP TABLE events")
        connection.execute("CREATE TABLE events (seq INTEGER, time, kind, body, hash)")
        link = text_hash(f"{text_hash(header)}\n{text}")
        row = (1, values["time"], values["kind"], canonical({"number": 1}), link)
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
    with pytest.raises(SolverError, match="event 1 does not fit the hash chain"):
        numbers(Plain.open(path))


def test_one_that_nobody_closes_is_closed_in_the_end(tmp_path):
    journal = Plain.create(tmp_path / "a.journal", {}, [], NOW)
    connection = journal._connection
    del journal
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
