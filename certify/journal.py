"""The journal of a session: one SQLite file that survives a kill or a power cut at any moment.

Tables: ``header`` (one JSON text), ``arrays`` (the frozen pool, each blob with its SHA-256 in the
header) and ``events`` (see `certify.events`). Rollback journalling with synchronous=EXTRA: an event that
was committed stays, one that was not leaves no trace, and there is a single file to keep.

Several processes may work on one journal: every change is made between `begin`, which waits for the
others, and `commit`, and starts with the events that `unseen` finds. A journal appears under its name
only when it is complete; a start that was killed leaves at most a hidden ``.certify-*.new`` file, which
may be deleted.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from certify.errors import PoolError
from certify.events import Event, canonical, chain_hash, text_hash
from certify.frozen import Blob

FORMAT, VERSION = "certify-journal", 1
BUSY_SECONDS = 60.0
"""How long to wait for another process before giving up."""

_SCHEMA = (
    "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)",
    "CREATE TABLE arrays (name TEXT PRIMARY KEY, data BLOB NOT NULL)",
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL,"
    " body TEXT NOT NULL, hash TEXT NOT NULL)",
)
_INSERT = "INSERT INTO events (seq, time, kind, body, hash) VALUES (?, ?, ?, ?, ?)"
RESTORE = "restore a copy of the journal, or start a new one with the labels as owned labels"
"""What to do about a damaged journal."""
_REMEDIES = {
    "SQLITE_BUSY": "another process keeps it locked; close that process, then try again",
    "SQLITE_READONLY": "the file or its directory cannot be written; change permissions or work on a copy",
    "SQLITE_NOTADB": "it is not a certify journal; give a file written by certify start",
    "SQLITE_CORRUPT": f"the file is damaged; {RESTORE}",
    "SQLITE_FULL": "the disk is full; nothing of this step was recorded; make room and repeat it",
    "SQLITE_IOERR": "the disk failed; check it and resume: every acknowledged label is in the journal",
    "SQLITE_CANTOPEN": "the file cannot be opened; check that it is a file and its permissions",
    "SQLITE_TOOBIG": "SQLite cannot hold a column of this length; work without a journal",
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
    def create(
        cls,
        path: Path,
        header: Mapping[str, object],
        blobs: Mapping[str, Blob],
        events: Sequence[Event],
        time: str,
    ) -> Journal:
        """Write a new journal with its first events; `header` is completed with the blobs' digests.

        Raises `PoolError` when `path` exists, and never touches what is there.
        """
        check_free(path)
        unfinished = path.parent / f".certify-{os.urandom(8).hex()}.new"
        try:
            with _explained(path):
                seq, head = _write(unfinished, header, blobs, events, time)
                _publish(unfinished, path)
        finally:
            with suppress(OSError):
                unfinished.unlink()
        journal = cls.open(path)
        journal.seq, journal.head = seq, head
        return journal

    @classmethod
    def open(cls, path: Path) -> Journal:
        """Open an existing journal and check that it is one; arrays and events are not read yet."""
        if not path.exists():
            raise PoolError(f"journal {path} does not exist; start a session first, or correct the path")
        with _explained(path):
            connection = _connect(path)
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("PRAGMA synchronous = EXTRA")
                return cls(path, connection, _header_text(path, connection))
            except BaseException:
                connection.close()
                raise

    def arrays(self) -> dict[str, bytes]:
        """The frozen pool's blobs by name, each compared with its digest in the header."""
        expected = self.header.get("digests")
        if not isinstance(expected, dict):
            raise PoolError(f"journal {self.path}: its header lists no digests; {RESTORE}")
        blobs: dict[str, bytes] = {}
        with _explained(self.path):
            for name, data in self._connection.execute("SELECT name, data FROM arrays"):
                if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != expected.get(name):
                    raise PoolError(
                        f"journal {self.path}: array {name!r} is not the one its header describes: "
                        f"the file was changed; {RESTORE}"
                    )
                blobs[name] = data
        missing = sorted(set(expected) - set(blobs))
        if missing:
            raise PoolError(f"journal {self.path}: array {missing[0]!r} is missing; {RESTORE}")
        return blobs

    def unseen(self) -> Iterator[tuple[int, Event]]:
        """Events appended since the last one seen, with their numbers; the chain is checked link by link."""
        with _explained(self.path):
            found = self._connection.execute(
                "SELECT seq, time, kind, body, hash FROM events WHERE seq >= ? ORDER BY seq", (self.seq,)
            )
            if self.seq:
                last = found.fetchone()
                if last is None or last[0] != self.seq or last[4] != self.head:
                    raise PoolError(
                        f"journal {self.path}: event {self.seq} is no longer what this session has seen: "
                        f"the file was changed or replaced; resume it again, or {RESTORE}"
                    )
            for seq, time, kind, text, recorded in found:
                expected = self.seq + 1
                if seq != expected:
                    raise PoolError(f"journal {self.path}: event {expected} is missing; {RESTORE}")
                try:
                    event = Event(kind, json.loads(text))
                    good = chain_hash(self.head, seq, time, event) == recorded
                except (ValueError, TypeError, RecursionError):
                    good = False
                if not good:
                    raise PoolError(
                        f"journal {self.path}: event {seq} does not fit the hash chain: it or the one before "
                        f"was changed after it was written; {RESTORE}"
                    )
                self.seq, self.head = seq, recorded
                yield seq, event

    def rewind(self) -> None:
        """Forget which events were seen."""
        self.seq, self.head = 0, self._first

    def begin(self) -> None:
        """Start a change: from now until `commit` or `rollback` nobody else can append."""
        with _explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self, events: Sequence[Event], time: str) -> None:
        """Append `events`, all or none, and end the change; returns when they are on the disk."""
        with _explained(self.path):
            records = _chained(self.seq, self.head, events, time)
            if records:
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
    """Raise `PoolError` unless a new journal can be called `path`."""
    if not path.parent.is_dir():
        raise PoolError(f"journal {path}: there is no directory {path.parent}; create it first")
    if os.path.lexists(path):
        raise PoolError(f"journal {path} already exists; resume it, or choose another name")
    for ending in ("-journal", "-wal", "-shm"):
        rest = path.with_name(path.name + ending)
        if os.path.lexists(rest):
            raise PoolError(
                f"{rest} is left over from an earlier journal {path.name} that was removed after an "
                "interrupted write; SQLite would write it into the new one, so choose another name or "
                f"remove {rest.name} too"
            )


def _connect(path: Path) -> sqlite3.Connection:
    # mode=rw: SQLite must not create the file; a session takes care of threads itself
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _header_text(path: Path, connection: sqlite3.Connection) -> str:
    try:
        row = connection.execute("SELECT json FROM header WHERE id = 1").fetchone()
        connection.execute("SELECT 1 FROM arrays, events LIMIT 0")
        header = json.loads(row[0])
        stated, version = header["format"], header["version"]
    except (ValueError, TypeError, LookupError, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.OperationalError) and _code(error) != "SQLITE_ERROR":
            raise
        stated, version = None, None
    if stated != FORMAT:
        raise PoolError(f"{path} is not a certify journal; give a file written by certify start")
    if version != VERSION:
        raise PoolError(
            f"journal {path} has format version {version}, this certify reads version {VERSION}; "
            "use the version of certify that wrote it, or a newer one"
        )
    return str(row[0])


def _chained(seq: int, head: str, events: Sequence[Event], time: str) -> list[tuple[int, str, str, str, str]]:
    records = []
    for number, event in enumerate(events, seq + 1):
        head = chain_hash(head, number, time, event)
        records.append((number, time, event.kind, canonical(event.body), head))
    return records


def _write(
    path: Path, header: Mapping[str, object], blobs: Mapping[str, Blob], events: Sequence[Event], time: str
) -> tuple[int, str]:
    """A complete journal in a file that nobody else knows of, on the disk when this returns.

    Returns the number and the hash of its last event.
    """
    digests = {name: hashlib.sha256(blob).hexdigest() for name, blob in blobs.items()}
    text = canonical({"format": FORMAT, "version": VERSION, **header, "digests": digests})
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # a broken file is deleted, not rolled back
        connection.execute("PRAGMA synchronous = OFF")  # synchronised once, below
        connection.execute("BEGIN")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO header (id, json) VALUES (1, ?)", (text,))
        connection.executemany("INSERT INTO arrays (name, data) VALUES (?, ?)", blobs.items())
        records = _chained(0, text_hash(text), events, time)
        connection.executemany(_INSERT, records)
        connection.execute("COMMIT")
    finally:
        connection.close()
    _synchronise(path, os.O_RDWR)
    return len(records), records[-1][4] if records else text_hash(text)


def _publish(unfinished: Path, path: Path) -> None:
    """Give the file its name, never replacing another."""
    check_free(path)
    try:
        os.link(unfinished, path)
    except FileExistsError:
        check_free(path)
        raise
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
            raise
        # no hard links on this file system: reserve the name, then replace the empty file
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(unfinished, path)
    try:
        _synchronise(path.parent, os.O_RDONLY)
    except OSError as error:
        # some systems cannot open or synchronise a directory; a failing disk is another matter
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EISDIR, errno.EINVAL, errno.ENOTSUP):
            raise


def _synchronise(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _code(error: sqlite3.Error) -> str:
    """SQLite's name of the error; blank for one of the driver's own."""
    return str(getattr(error, "sqlite_errorname", ""))


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what SQLite or the system report into a `PoolError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        remedy = next((text for code, text in _REMEDIES.items() if _code(error).startswith(code)), None)
        remedy = remedy or "close the session and resume it: every acknowledged label is in the journal"
        raise PoolError(f"journal {path}: {error}: {remedy}") from error
    except OverflowError as error:  # how the driver reports a blob beyond SQLite's limit
        raise PoolError(f"journal {path}: {error}: {_REMEDIES['SQLITE_TOOBIG']}") from error
    except UnicodeEncodeError as error:
        raise PoolError(
            f"journal {path}: {error}: names and labels must be text that UTF-8 can hold"
        ) from error
    except OSError as error:
        raise PoolError(
            f"journal {path}: {error.strerror or error}; choose a place that can be written"
        ) from error
