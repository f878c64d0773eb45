"""What a journal file says, and whether it hangs together: header, events, hash chain.

Reads the SQLite file with the standard library alone and never changes it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from certify.audit.exact import exact_number
from certify.audit.objectives import is_objective
from certify.audit.report import Lie
from certify.errors import PoolError

FORMAT, VERSION = "certify-journal", 1
_HEADER_KEYS = {
    "classes", "created", "digests", "format", "kind", "n", "names", "objective", "policy", "seed", "sources",
    "tolerance", "version",
}  # fmt: skip


@dataclass(frozen=True)
class Event:
    """One line of the journal; `body` is the parsed JSON."""

    seq: int
    time: str
    kind: str
    text: str
    hash: str

    @property
    def where(self) -> str:
        return f"event {self.seq} ({self.kind})"


@dataclass(frozen=True)
class JournalFile:
    """The raw content: header text, blobs by array name, event rows in order of seq."""

    path: Path
    header: str
    arrays: dict[str, bytes]
    events: tuple[Event, ...]

    @property
    def start(self) -> str:
        """Hash of the header: the head before any event."""
        return _sha256(self.header)

    @property
    def head(self) -> str:
        """Last hash as the file has it."""
        return self.events[-1].hash if self.events else self.start


@dataclass(frozen=True)
class Header:
    """The frozen decisions of a session."""

    names: tuple[str, ...]
    classes: tuple[str, ...]
    kind: str
    n: int
    tolerance: Fraction
    digests: dict[str, str]
    objective: str = "augrc"
    totals: tuple[int, ...] | None = None
    """How many rows have each class, in the order of the classes, where that was known at the start."""


def read_journal(path: Path) -> JournalFile:
    """Everything in the file, in one read transaction. `PoolError` when it is no certify journal."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=60)) as database:
            database.execute("BEGIN")
            headers = database.execute("SELECT json FROM header").fetchall()
            arrays = database.execute("SELECT name, data FROM arrays").fetchall()
            rows = database.execute("SELECT seq, time, kind, body, hash FROM events ORDER BY seq").fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # damaged names come back in its messages
        raise PoolError(
            f"{path}: not readable as a certify journal ({error}); an audit needs the SQLite file that "
            "`certify start` made. If its process was killed, open it once with `certify status`"
        ) from None
    if len(headers) != 1 or not isinstance(headers[0][0], str):
        raise PoolError(f"{path}: {len(headers)} header rows; a certify journal has exactly one, a text")
    if not all(isinstance(name, str) and isinstance(data, bytes) for name, data in arrays):
        raise PoolError(f"{path}: the frozen arrays are not named blobs, so this is no certify journal")
    if not all(isinstance(row[0], int) and all(isinstance(text, str) for text in row[1:]) for row in rows):
        raise PoolError(
            f"{path}: the events table does not hold (seq, time, kind, body, hash) as written by certify"
        )
    return JournalFile(path, headers[0][0], dict(arrays), tuple(Event(*row) for row in rows))


def parse_header(journal: JournalFile) -> Header:
    """The header, each entry checked. `PoolError` for another format or version, else `Lie`."""
    try:
        header = json.loads(journal.header)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise PoolError(
            f"{journal.path}: the header does not say format {FORMAT!r}; audit accepts certify journals"
        )
    if header.get("version") != VERSION:
        raise PoolError(
            f"{journal.path}: journal version {header.get('version')!r}; this audit reads version {VERSION}"
        )
    if canonical(header) != journal.header:
        raise Lie("the header is not the canonical JSON that certify writes")
    if set(header) - {"totals"} != _HEADER_KEYS:
        strange = sorted((set(header) - {"totals"}) ^ _HEADER_KEYS)
        raise Lie(f"header entries {strange} are missing or unknown")
    names, classes, n, digests = header["names"], header["classes"], header["n"], header["digests"]
    tolerance = exact_number(header["tolerance"])
    sound = {
        "names": distinct_texts(names) and len(names) >= 2,
        "classes": distinct_texts(classes) and len(classes) >= 2,
        "n": type(n) is int and n >= 1,
        "tolerance": tolerance is not None,
        "objective": is_objective(header["objective"]),
        "created": isinstance(header["created"], str),
        "sources": isinstance(header["sources"], list),
        "policy": isinstance(header["policy"], str),
        "seed": type(header["seed"]) is int and header["seed"] >= 0,
        "digests": isinstance(digests, dict) and all(isinstance(digest, str) for digest in digests.values()),
        "totals": "totals" not in header or _are_totals(header["totals"], classes, n),
    }
    for entry, good in sound.items():
        if not good:
            raise Lie(f"header entry {entry!r} is {header[entry]!r}, which no session can have")
    assert tolerance is not None
    totals = header.get("totals")
    counts = None if totals is None else tuple(totals[name] for name in classes)
    return Header(
        tuple(names), tuple(classes), header["kind"], n, tolerance, digests, header["objective"], counts
    )


def _are_totals(totals: object, classes: object, n: object) -> bool:
    """Whether they count the rows of every class, and no others, and sum to n."""
    return (
        isinstance(totals, dict)
        and isinstance(classes, list)
        and distinct_texts(classes)
        and set(totals) == set(classes)
        and all(type(count) is int and count >= 0 for count in totals.values())
        and sum(totals.values()) == n
    )


def check_chain(journal: JournalFile) -> None:
    """Sequence numbers without gaps and every hash re-derived, from the header on."""
    previous = _sha256(journal.header)
    for place, event in enumerate(journal.events, 1):
        if event.seq != place:
            raise Lie(f"after event {place - 1} comes event {event.seq}; sequence numbers have no gaps")
        body = parse_body(event)
        previous = _sha256(f"{previous}\n{canonical([event.seq, event.time, event.kind, body])}")
        if previous != event.hash:
            raise Lie(
                f"{event.where} has hash {event.hash[:12]}…; its content and history give {previous[:12]}…"
            )


def parse_body(event: Event) -> dict[str, object]:
    """The event's JSON object; `Lie` when it is not canonical JSON."""
    try:
        body = json.loads(event.text)
        if isinstance(body, dict) and canonical(body) == event.text:
            return body
    except (ValueError, RecursionError):
        pass
    raise Lie(f"{event.where}: the body is not the canonical JSON object that certify writes")


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no blanks, no escapes beyond the necessary."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def distinct_texts(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(text, str) for text in value)
        and len(set(value)) == len(value)
    )
