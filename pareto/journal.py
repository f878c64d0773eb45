"""The journal of a comparison session: one SQLite file that survives a kill or a power cut at any moment.

Tables: ``header`` (one JSON text, frozen) and ``events`` (see `pareto.events`). With a rollback journal and
synchronous=EXTRA a committed event stays and an uncommitted one leaves no trace. Several processes may use
one journal: every change lies between `begin`, which waits for the others, and `commit`.

A journal gets its name only when it is complete. A start that was killed leaves at most a hidden
``.pareto-*.new`` file, which may be deleted.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pareto.errors import BattleError
from pareto.events import Event, canonical, chain_hash, text_hash

FORMAT, VERSION = "pareto-journal", 1
BUSY_SECONDS = 60.0
"""How long to wait for another process before giving up."""
RESTORE = "restore a copy of the journal, or start a new one"
"""What to do about a damaged journal."""

_SCHEMA = (
    "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL,"
    " body TEXT NOT NULL, hash TEXT NOT NULL)",
)
_INSERT = "INSERT INTO events (seq, time, kind, body, hash) VALUES (?, ?, ?, ?, ?)"
_REMEDIES = {
    "SQLITE_BUSY": "another process keeps it locked; close that process, then try again",
    "SQLITE_READONLY": "it cannot be written; change permissions or work on a copy",
    "SQLITE_NOTADB": "it is not a pareto journal; give a file written by pareto start",
    "SQLITE_CORRUPT": f"it is damaged; {RESTORE}",
    "SQLITE_FULL": "the disk is full; nothing of this step was recorded; make room and repeat it",
    "SQLITE_IOERR": "the disk failed; check it and try again: every acknowledged outcome is in the journal",
    "SQLITE_CANTOPEN": "it cannot be opened; check that it is a file and its permissions",
}


class Journal:
    """An open journal: `header` (parsed), `seq` and `head` (number and hash of the last event seen)."""

    def __init__(self, path: Path, connection: sqlite3.Connection, header_text: str) -> None:
        self.path = path
        self.header: Mapping[str, Any] = json.loads(header_text)
        self._connection = connection
        self._first = text_hash(header_text)
        self.seq, self.head = 0, self._first

    @classmethod
    def create(cls, path: Path, header: Mapping[str, object], events: Sequence[Event], time: str) -> Journal:
        """Write a new journal with its first events, and open it with these seen.

        Raises `BattleError` when `path` exists, and never touches what is there.
        """
        check_free(path)
        unfinished = path.parent / f".pareto-{os.urandom(8).hex()}.new"
        try:
            with _explained(path):
                seq, head = _write(unfinished, header, events, time)
                _publish(unfinished, path)
        finally:
            with suppress(OSError):
                unfinished.unlink()
        journal = cls.open(path)
        journal.seq, journal.head = seq, head
        return journal

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open an existing journal and check that it is one; events are not read yet."""
        if not path.exists():
            raise BattleError(f"journal {path} does not exist; start a session first, or correct the path")
        with _explained(path):
            address = f"file:{quote(str(path.absolute()))}?mode=rw"
            try:
                connection = _connect(address)
            except sqlite3.OperationalError:
                connection = _connect(address.replace("mode=rw", "mode=ro"))
            try:
                return cls(path, connection, _header_text(path, connection))
            except BaseException:
                connection.close()
                raise

    def unseen(self) -> Iterator[tuple[int, Event]]:
        """Events appended since the last one seen, with their numbers; the chain is checked link by link."""
        with _explained(self.path):
            found = self._connection.execute(
                "SELECT seq, time, kind, body, hash FROM events WHERE seq >= ? ORDER BY seq", (self.seq,)
            )
            if self.seq:
                last = found.fetchone()
                if last is None or last[0] != self.seq or last[4] != self.head:
                    raise BattleError(
                        f"journal {self.path}: event {self.seq} is no longer what this session has seen: the "
                        f"file was changed or replaced; {RESTORE}"
                    )
            for seq, time, kind, text, recorded in found:
                if seq != self.seq + 1:
                    raise BattleError(f"journal {self.path}: event {self.seq + 1} is missing; {RESTORE}")
                try:
                    event = Event(kind, json.loads(text))
                    good = chain_hash(self.head, seq, time, event) == recorded
                except (ValueError, TypeError, RecursionError):
                    good = False
                if not good:
                    raise BattleError(
                        f"journal {self.path}: event {seq} does not fit the hash chain: it or the one before "
                        f"was changed after it was written; {RESTORE}"
                    )
                self.seq, self.head = seq, recorded
                yield seq, event

    def rewind(self) -> None:
        """Forget which events were seen."""
        self.seq, self.head = 0, self._first

    def begin(self) -> None:
        """Start a change: until `commit` or `rollback` nobody else can append."""
        with _explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self, events: Sequence[Event], time: str) -> None:
        """Append `events`, all or none, and end the change; returns when they are on the disk."""
        with _explained(self.path):
            records = _chained(self.seq, self.head, events, time)
            self._connection.executemany(_INSERT, records)
            self._connection.execute("COMMIT")
        if records:
            self.seq, self.head = records[-1][0], records[-1][4]

    def rollback(self) -> None:
        """End the change as if it had not begun."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


def check_free(path: Path) -> None:
    """Raise `BattleError` unless a new journal can be called `path`."""
    if not path.parent.is_dir():
        raise BattleError(f"journal {path}: there is no directory {path.parent}; create it first")
    if os.path.lexists(path):
        raise BattleError(f"journal {path} already exists; go on with it, or choose another name")
    for ending in ("-journal", "-wal", "-shm"):
        rest = path.with_name(path.name + ending)
        if os.path.lexists(rest):
            raise BattleError(
                f"{rest} is left over from a removed journal, and SQLite would write it into the new one; "
                f"choose another name, or remove {rest.name} too"
            )


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """SQLite's and the system's complaints as `BattleError`s with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", None) or ""
        family = "_".join(code.split("_")[:2])
        remedy = _REMEDIES.get(family, RESTORE)
        raise BattleError(f"journal {path}: {remedy} ({error})") from error
    except OSError as error:
        raise BattleError(f"journal {path}: {error.strerror}; check the path and its permissions") from error


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, timeout=BUSY_SECONDS, isolation_level=None, uri=True, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
    except BaseException:
        connection.close()
        raise
    return connection


def _header_text(path: Path, connection: sqlite3.Connection) -> str:
    stated, version = None, None
    try:
        row = connection.execute("SELECT json FROM header WHERE id = 1").fetchone()
        connection.execute("SELECT 1 FROM events LIMIT 0")
        header = json.loads(row[0])
        stated, version = header["format"], header["version"]
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorname", "") != "SQLITE_ERROR":
            raise
    except (ValueError, TypeError, LookupError):
        pass
    if stated != FORMAT:
        raise BattleError(f"{path} is not a pareto journal; give a file written by pareto start")
    if version != VERSION:
        raise BattleError(
            f"journal {path} has format version {version}, this pareto reads version {VERSION}; use the "
            "version that wrote it, or a newer one"
        )
    return str(row[0])


def _chained(seq: int, head: str, events: Sequence[Event], time: str) -> list[tuple[int, str, str, str, str]]:
    records = []
    for number, event in enumerate(events, seq + 1):
        head = chain_hash(head, number, time, event)
        records.append((number, time, event.kind, canonical(event.body), head))
    return records


def _write(path: Path, header: Mapping[str, object], events: Sequence[Event], time: str) -> tuple[int, str]:
    """A complete journal in a file nobody else knows of, on the disk when this returns."""
    text = canonical({"format": FORMAT, "version": VERSION, **header})
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # a broken file is deleted, not rolled back
        connection.execute("PRAGMA synchronous = OFF")  # synchronised once, below
        connection.execute("BEGIN")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO header (id, json) VALUES (1, ?)", (text,))
        records = _chained(0, text_hash(text), events, time)
        connection.executemany(_INSERT, records)
        connection.execute("COMMIT")
    finally:
        connection.close()
    _synchronise(path, os.O_RDWR)
    return len(records), records[-1][4] if records else text_hash(text)


def _publish(unfinished: Path, path: Path) -> None:
    """Give the file its name, never replacing another."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        check_free(path)
        raise
    except OSError:  # no hard links here: reserve the name, then replace the empty file
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(unfinished, path)
    with suppress(OSError):  # some systems cannot synchronise a directory
        _synchronise(path.parent, os.O_RDONLY)


def _synchronise(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
