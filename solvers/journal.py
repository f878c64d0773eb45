"""The journal of a session: one SQLite file that survives a kill or a power cut at any moment.

Tables: ``header`` (one JSON text), ``events`` (see `solvers.chain`) and, for programs that freeze arrays,
``arrays`` (each blob with its SHA-256 in the header). Rollback journalling with synchronous=EXTRA: an event
that was committed stays, one that was not leaves no trace, and there is a single file to keep.

Several processes may work on one journal: every change is made between `begin`, which waits for the
others, and `commit`, and starts with the events that `unseen` finds. A journal appears under its name
only when it is complete; a start that was killed leaves at most a hidden ``.PROGRAM-*.new`` file, which
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import quote

from solvers.chain import Event, canonical, chain_hash, text_hash

Blob = bytes | memoryview
BUSY_SECONDS = 60.0
"""How long to wait for another process before giving up."""

_HEADER = "CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)"
_ARRAYS = "CREATE TABLE arrays (name TEXT PRIMARY KEY, data BLOB NOT NULL)"
_EVENTS = (
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL,"
    " body TEXT NOT NULL, hash TEXT NOT NULL)"
)
_INSERT = "INSERT INTO events (seq, time, kind, body, hash) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Program:
    """Whose journal it is: the command, the version of its format, whether it freezes arrays, its exception,
    what people told it (a label, say), and what to do about a damaged journal."""

    name: str
    version: int
    arrays: bool
    error: type[Exception]
    told: str
    restore: str

    @property
    def format(self) -> str:
        return f"{self.name}-journal"

    def remedy(self, code: str) -> str:
        """What to do about an error that SQLite calls `code`."""
        kept = f"every acknowledged {self.told} is in the journal"
        remedies = {
            "SQLITE_BUSY": "another process keeps it locked; close that process, then try again",
            "SQLITE_READONLY": "the file or its directory cannot be written; change permissions or work on "
            "a copy",
            "SQLITE_NOTADB": f"it is not a {self.name} journal; give a file written by {self.name} start",
            "SQLITE_CORRUPT": f"the file is damaged; {self.restore}",
            "SQLITE_FULL": "the disk is full; nothing of this step was recorded; make room and repeat it",
            "SQLITE_IOERR": f"the disk failed; check it and resume: {kept}",
            "SQLITE_CANTOPEN": "the file cannot be opened; check that it is a file and its permissions",
            "SQLITE_TOOBIG": "SQLite cannot hold a column of this length; work without a journal",
        }
        found = next((text for start, text in remedies.items() if code.startswith(start)), None)
        return found or f"close the session and resume it: {kept}"


class Journal:
    """An open journal: `header` (parsed), `seq` and `head` (number and hash of the last event seen).

    Each program has a subclass that names it.
    """

    program: ClassVar[Program]

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
        events: Sequence[Event],
        time: str,
        blobs: Mapping[str, Blob] | None = None,
    ) -> Self:
        """Write a new journal with its first events; `header` is completed with the blobs' digests.

        Raises the program's error when `path` exists, and never touches what is there.
        """
        cls.check_free(path)
        unfinished = path.parent / f".{cls.program.name}-{os.urandom(8).hex()}.new"
        frozen: dict[str, object] = {}
        if blobs is not None:
            frozen = {"digests": {name: hashlib.sha256(blob).hexdigest() for name, blob in blobs.items()}}
        stated = {"format": cls.program.format, "version": cls.program.version}
        try:
            with _explained(cls.program, path):
                text = canonical({**stated, **header, **frozen})
                seq, head = _write(unfinished, text, blobs, events, time)
                cls._publish(unfinished, path)
        finally:
            with suppress(OSError):
                unfinished.unlink()
        journal = cls.open(path)
        journal.seq, journal.head = seq, head
        return journal

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing journal and check that it is one; arrays and events are not read yet."""
        if not path.exists():
            raise cls.program.error(
                f"journal {path} does not exist; start a session first, or correct the path"
            )
        with _explained(cls.program, path):
            connection = _connect(path)
            try:
                connection.execute("PRAGMA journal_mode = DELETE")
                connection.execute("PRAGMA synchronous = EXTRA")
                return cls(path, connection, _header_text(cls.program, path, connection))
            except BaseException:
                connection.close()
                raise

    def arrays(self) -> dict[str, bytes]:
        """The frozen pool's blobs by name, each compared with its digest in the header."""
        expected = self.header.get("digests")
        if not isinstance(expected, dict):
            raise self.broken("its header lists no digests")
        blobs: dict[str, bytes] = {}
        with _explained(self.program, self.path):
            for name, data in self._connection.execute("SELECT name, data FROM arrays"):
                if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != expected.get(name):
                    raise self.broken(
                        f"array {name!r} is not the one its header describes: the file was changed"
                    )
                blobs[name] = data
        missing = sorted(set(expected) - set(blobs))
        if missing:
            raise self.broken(f"array {missing[0]!r} is missing")
        return blobs

    def unseen(self) -> Iterator[tuple[int, Event]]:
        """Events appended since the last one seen, with their numbers; the chain is checked link by link."""
        with _explained(self.program, self.path):
            found = self._connection.execute(
                "SELECT seq, time, kind, body, hash FROM events WHERE seq >= ? ORDER BY seq", (self.seq,)
            )
            if self.seq:
                last = found.fetchone()
                if last is None or last[0] != self.seq or last[4] != self.head:
                    raise self.broken(
                        f"event {self.seq} is no longer what this session has seen: the file was changed or "
                        "replaced",
                        "resume it again, or ",
                    )
            for seq, time, kind, text, recorded in found:
                expected = self.seq + 1
                if seq != expected:
                    raise self.broken(f"event {expected} is missing")
                try:
                    event = Event(kind, json.loads(text))
                    texts = isinstance(kind, str) and isinstance(time, str)
                    good = texts and chain_hash(self.head, seq, time, event) == recorded
                except (ValueError, TypeError, RecursionError):
                    good = False
                if not good:
                    raise self.broken(
                        f"event {seq} does not fit the hash chain: it or the one before was changed after it "
                        "was written"
                    )
                self.seq, self.head = seq, recorded
                yield seq, event

    def broken(self, what: str, first: str = "") -> Exception:
        """The error that says what is wrong with the file, and what to do."""
        return self.program.error(f"journal {self.path}: {what}; {first}{self.program.restore}")

    def rewind(self) -> None:
        """Forget which events were seen."""
        self.seq, self.head = 0, self._first

    def begin(self) -> None:
        """Start a change: from now until `commit` or `rollback` nobody else can append."""
        with _explained(self.program, self.path):
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self, events: Sequence[Event], time: str) -> None:
        """Append `events`, all or none, and end the change; returns when they are on the disk."""
        with _explained(self.program, self.path):
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

    def __del__(self) -> None:
        # whoever forgets to close loses nothing, as every event is on the disk, and need not be warned
        if hasattr(self, "_connection"):
            self._connection.close()

    @classmethod
    def check_free(cls, path: Path) -> None:
        """Raise the program's error unless a new journal can be called `path`."""
        if not path.parent.is_dir():
            raise cls.program.error(f"journal {path}: there is no directory {path.parent}; create it first")
        if os.path.lexists(path):
            raise cls.program.error(f"journal {path} already exists; resume it, or choose another name")
        for ending in ("-journal", "-wal", "-shm"):
            rest = path.with_name(path.name + ending)
            if os.path.lexists(rest):
                raise cls.program.error(
                    f"{rest} is left over from an earlier journal {path.name} that was removed after an "
                    "interrupted write; SQLite would write it into the new one, so choose another name or "
                    f"remove {rest.name} too"
                )

    @classmethod
    def _publish(cls, unfinished: Path, path: Path) -> None:
        """Give the file its name, never replacing another."""
        cls.check_free(path)
        try:
            os.link(unfinished, path)
        except FileExistsError:
            cls.check_free(path)
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


def _connect(path: Path) -> sqlite3.Connection:
    # mode=rw: SQLite must not create the file; a session takes care of threads itself
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    return sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _header_text(program: Program, path: Path, connection: sqlite3.Connection) -> str:
    try:
        (row,) = connection.execute("SELECT json FROM header").fetchall()
        connection.execute(f"SELECT 1 FROM events{', arrays' if program.arrays else ''} LIMIT 0")
        header = json.loads(row[0])
        stated, version = header["format"], header["version"]
    except (ValueError, TypeError, LookupError, RecursionError, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.OperationalError) and _code(error) != "SQLITE_ERROR":
            raise
        stated, version = None, None
    if not path.stat().st_size:
        raise program.error(
            f"{path} is empty, as a start that was interrupted leaves it; remove it and start again"
        )
    if stated != program.format:
        raise program.error(
            f"{path} is not a {program.name} journal; give a file written by {program.name} start"
        )
    if version != program.version:
        raise program.error(
            f"journal {path} has format version {version}, this {program.name} reads version "
            f"{program.version}; use the version of {program.name} that wrote it, or a newer one"
        )
    return str(row[0])


def _chained(seq: int, head: str, events: Sequence[Event], time: str) -> list[tuple[int, str, str, str, str]]:
    records = []
    for number, event in enumerate(events, seq + 1):
        head = chain_hash(head, number, time, event)
        records.append((number, time, event.kind, canonical(event.body), head))
    return records


def _write(
    path: Path, text: str, blobs: Mapping[str, Blob] | None, events: Sequence[Event], time: str
) -> tuple[int, str]:
    """A complete journal in a file that nobody else knows of, on the disk when this returns.

    Returns the number and the hash of its last event.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # a broken file is deleted, not rolled back
        connection.execute("PRAGMA synchronous = OFF")  # synchronised once, below
        connection.execute("BEGIN")
        connection.execute(_HEADER)
        connection.execute(_EVENTS)
        connection.execute("INSERT INTO header (id, json) VALUES (1, ?)", (text,))
        if blobs is not None:
            connection.execute(_ARRAYS)
            connection.executemany("INSERT INTO arrays (name, data) VALUES (?, ?)", blobs.items())
        records = _chained(0, text_hash(text), events, time)
        connection.executemany(_INSERT, records)
        connection.execute("COMMIT")
    finally:
        connection.close()
    _synchronise(path, os.O_RDWR)
    return len(records), records[-1][4] if records else text_hash(text)


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
def _explained(program: Program, path: Path) -> Iterator[None]:
    """Turn what SQLite or the system report into the program's error, which says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise program.error(f"journal {path}: {error}: {program.remedy(_code(error))}") from error
    except UnicodeDecodeError as error:  # damaged names of tables come back in its messages
        raise program.error(f"journal {path}: {error}: {program.remedy('SQLITE_CORRUPT')}") from error
    except OverflowError as error:  # how the driver reports a blob beyond SQLite's limit
        raise program.error(f"journal {path}: {error}: {program.remedy('SQLITE_TOOBIG')}") from error
    except UnicodeEncodeError as error:
        raise program.error(f"journal {path}: {error}: names must be text that UTF-8 can hold") from error
    except OSError as error:
        raise program.error(
            f"journal {path}: {error.strerror or error}; choose a place that can be written"
        ) from error
