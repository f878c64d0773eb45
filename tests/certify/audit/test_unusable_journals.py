"""Journals that no session writes fail a check or are refused, whatever type their entries have."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from certify import Pool, PoolError, Session
from certify.audit import audit
from tests.certify.audit.journal_by_hand import canonical


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": [["0"], "1"]},
        {"classes": [{}, "1"]},
        {"totals": []},
        {"totals": {"0": [], "1": 1}},
        {"classes": None},
    ],
)
def test_totals_and_classes_of_any_type(tmp_path, changes):
    path = tmp_path / "journal"
    pool = Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]])
    Session(pool, journal=path, totals={"0": 1, "1": 1}).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        (text,) = connection.execute("SELECT json FROM header").fetchone()
        connection.execute("UPDATE header SET json = ?", (canonical(json.loads(text) | changes),))
    report = audit([path])
    assert not report.ok
    assert report.first_failure.detail.startswith("header entry")
    with pytest.raises(PoolError):
        Session.resume(path)


def test_a_header_nested_too_deeply_is_no_header(tmp_path):
    path = tmp_path / "journal"
    Session(Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]]), journal=path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE header SET json = ?", ("[" * 100_000,))
    for read in (Session.resume, lambda path: audit([path])):
        with pytest.raises(PoolError, match="journal"):
            read(path)


def test_tables_whose_names_are_damaged(tmp_path):
    path = tmp_path / "journal"
    Session(Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]]), journal=path).close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE header", b"CREATE TABLE \x80\x80\x80der"))
    for read in (Session.resume, lambda path: audit([path])):
        with pytest.raises(PoolError, match="journal"):
            read(path)
