"""Journals: what is resumed is a state the session had, and the audit passes nothing that was changed."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import numpy as np

import certify
import pareto
from certify.audit import audit as certify_audit
from certify.errors import PoolError
from certify.report_page.history import read_history
from pareto.audit import audit as pareto_audit
from pareto.errors import BattleError
from pareto.report import status_record
from tests.fuzz.mutations import NASTY, changed_json, damaged
from tests.fuzz.property import Case, Reader, Refused, passed
from tests.pareto.voting import Clock, judge, open_session

ROWS = 14
PARETO = ("vb-ege", "interval", "duel", "focal-borda")


class Original:
    """A sound journal, and the state after each of its events by the hash of that event."""

    def __init__(self, path, resume, summary):
        self.data = path.read_bytes()
        with closing(sqlite3.connect(path)) as connection:
            self.rows = connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
            (self.header,) = connection.execute("SELECT json FROM header").fetchone()
        self.states = {}
        for number in range(len(self.rows) + 1):
            part = path.with_name("part")
            shutil.copy(path, part)
            with closing(sqlite3.connect(part)) as connection, connection:
                connection.execute("DELETE FROM events WHERE seq > ?", (number,))
            try:
                with resume(part) as session:
                    self.states[session.head] = summary(session)
            except (PoolError, BattleError):
                pass  # a judgement that must follow is missing
            part.unlink()
        self.head = self.rows[-1][4]


def certify_summary(session):
    return (
        session.verdict,
        session.labels.tolist(),
        session.skipped,
        session.lower.tolist(),
        str(session.tolerance),
    )


def pareto_summary(session):
    state = session.state
    given = {number: (one.query, sorted(one.replies)) for number, one in state.given.items()}
    return str(session.result), session.comparisons, given, session.bias, session.setup.task


@cache
def certify_originals():
    numbers = np.random.default_rng(4)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in range(4):
            truth = numbers.integers(0, 2 + (kind == 2), ROWS)
            predictions = np.where(numbers.random((3, ROWS)) < 0.7, truth, numbers.integers(0, 2, (3, ROWS)))
            confidences = numbers.integers(0, 9, (3, ROWS)) / 7
            ids = None if kind == 1 else [f"é{row}" for row in range(ROWS)]
            classes = ("0", "1", "2") if kind == 2 else ("0", "1")
            pool = certify.Pool.multiclass(predictions.astype(str), confidences, classes, ids=ids)
            totals = None if kind != 3 else {"0": int((truth == 0).sum()), "1": int((truth == 1).sum())}
            path = Path(folder) / f"{kind}.journal"
            tolerance = "0.01" if kind == 1 else "0"
            with certify.Session(
                pool, tolerance=tolerance, journal=path, clock=Clock(), totals=totals
            ) as session:
                for step in range(7):
                    if not (rows := session.ask(1 + step % 3)):
                        break
                    session.tell(rows[:2], truth[rows[:2]].tolist())
                    if step == 2:
                        session.release()
                    if step == 3:
                        session.tell(
                            rows[:1], [str(1 - min(1, truth[rows[0]]))] if totals is None else truth[rows[:1]]
                        )
                    if step == 4 and len(rows) > 2:
                        session.skip(rows[2:])
            found.append(Original(path, certify.Session.resume, certify_summary))
    return found


@cache
def pareto_originals():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, method in enumerate(PARETO):
            path = Path(folder) / method
            with open_session(method, path, joint=kind == 0) as session:
                for step in range(5):
                    queries = session.ask(None if step == 1 else 2)
                    judge(session, queries[: max(1, len(queries) - step % 2)])
                session.release()
            found.append(Original(path, pareto.Session.resume, pareto_summary))
    return found


def _chain(header, rows):
    """The rows with hashes made anew, as somebody who knows the format would write them."""
    head, again = _hash(header), []
    for seq, time, kind, body, _ in rows:
        try:
            text = json.dumps(
                [seq, time, kind, json.loads(body)], sort_keys=True, separators=(",", ":"), ensure_ascii=False
            )
        except (TypeError, ValueError, RecursionError):
            text = f"{seq}"
        head = _hash(f"{head}\n{text}")
        again.append((seq, time, kind, body, head))
    return again


def _hash(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else b"").hexdigest()


def _canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _rewritten(rng, original, path):
    """Header and events changed in the database; returns whether the chain was made anew."""
    header, rows = original.header, [list(row) for row in original.rows]
    if rng.random() < 0.3:  # one place in the last of some events, which nothing after it contradicts
        del rows[rng.randrange(1, len(rows) + 1) :]
        rows[-1][3] = _canonical(changed_json(rng, json.loads(rows[-1][3])))
        return _stored(rng, original, path, header, _chain(header, rows))
    for _ in range(rng.choice((1, 1, 2))):
        change, at = rng.randrange(9), rng.randrange(len(rows))
        if change == 0 and len(rows) > 1:
            del rows[at]
        elif change == 1 and len(rows) > 1:
            del rows[rng.randrange(1, len(rows)) :]
        elif change == 2:
            rows.insert(at, list(rng.choice(rows)))
        elif change == 3:
            rows[at][rng.randrange(1, 5)] = rng.choice(
                (*NASTY, None, 5, 1.5, b"\xff\xfe", "[" * 3000, "{}", "[]")
            )
        elif change == 4:
            header = _canonical(changed_json(rng, json.loads(original.header)))
        elif change == 5 and rng.random() < 0.2:
            header = rng.choice(
                (*NASTY, None, b"\xff", "[]", "{}", "[" * 3000, '{"format":"certify-journal"}')
            )
        elif isinstance(rows[at][3], str) and rows[at][3].startswith("{"):
            try:
                rows[at][3] = _canonical(changed_json(rng, json.loads(rows[at][3])))
            except ValueError:
                rows[at][3] = "{"
    anew = rng.random() < 0.6
    if anew:
        for number, row in enumerate(rows, 1):
            row[0] = number
        rows = _chain(header, rows)
    return _stored(rng, original, path, header, rows) and anew


def _stored(rng, original, path, header, rows):
    """Whether header and events could be put in the database."""
    path.write_bytes(original.data)
    with closing(sqlite3.connect(path)) as connection:
        try:
            with connection:
                connection.execute("DROP TABLE events")
                kind = "TEXT" if rng.random() < 0.9 else "ANY"
                columns = ", ".join(f"{name} {kind}" for name in ("time", "kind", "body", "hash"))
                connection.execute(f"CREATE TABLE events (seq INTEGER, {columns})")
                connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
                connection.execute("DROP TABLE header")
                connection.execute("CREATE TABLE header (id INTEGER, json)")
                connection.execute("INSERT INTO header VALUES (1, ?)", (header,))
                if rng.random() < 0.05:
                    connection.execute(f"DROP TABLE {rng.choice(('events', 'header'))}")
        except (sqlite3.Error, UnicodeEncodeError, OverflowError):
            path.write_bytes(original.data[: rng.randrange(len(original.data))])
            return False
    return True


def _damaged(rng, original, path):
    """Whether the chain was made anew, which it was only where the database was written and not its bytes."""
    if rng.random() < 0.4:
        data = bytearray(original.data)
        data = damaged(rng, bytes(data))
        if rng.random() < 0.3:
            data = damaged(rng, data)
        path.write_bytes(data)
        return False
    return _rewritten(rng, original, path)


def use_certify(path):
    """Go on labelling for a while, with leases that hold and with ones that have expired."""
    for seconds in (9, 99_000):
        with certify.Session.resume(path, asker="b", clock=Clock(seconds)) as session:
            if rows := session.ask(2):
                session.tell(rows, [session.pool.classes[0]] * len(rows))
            _ = str(session.verdict), session.leases


def use_pareto(path):
    """Go on comparing for a while, likewise."""
    for seconds in (9, 99_000):
        with pareto.Session.resume(path, asker="b", clock=Clock(seconds)) as session:
            if queries := session.ask(2):
                judge(session, queries)
            session.ask(1)
            session.release()
            _ = str(session.result), session.leases, status_record(session)


def _resumed(originals, resume, summary, use):
    def make(rng, folder):
        original, path = rng.choice(originals()), folder / "journal"
        anew = _damaged(rng, original, path)

        def read():
            with resume(path) as session:
                return session.head, summary(session)

        def check(answer):
            head, found = answer
            used = Path(shutil.copy(path, folder / "used"))
            with suppress(PoolError, BattleError):
                use(used)
            if anew and head not in original.states:
                return None  # another history, sound in itself: only a head noted elsewhere can tell
            if head not in original.states:
                return f"resumed with a head that the session never had, {head}"
            return None if found == original.states[head] else f"{found} is not the state behind {head}"

        return Case(read, check)

    return make


def _content(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT seq, time, kind, body, hash FROM events ORDER BY seq").fetchall()
        return connection.execute("SELECT json FROM header").fetchone()[0], rows


def _audited(originals, audit, resume, errors):
    def make(rng, folder):
        original, path = rng.choice(originals()), folder / "journal"
        _damaged(rng, original, path)

        def read():
            return passed(audit(path, original.head))

        def check(answer):
            try:
                with resume(path) as session:
                    head = session.head
            except errors as error:
                if _content(path) == (original.header, original.rows):
                    return None  # damage to what SQLite keeps for itself: nothing that was said is lost
                return f"the audit passes what cannot be resumed: {error}"
            return None if head == original.head else f"the audit passes head {head}"

        return Case(read, check)

    return make


def history(rng, folder):
    """What the report page says of a journal: the same rows as are labelled in the session."""
    original, path = rng.choice(certify_originals()), folder / "journal"
    _damaged(rng, original, path)

    def read():
        with certify.Session.resume(path) as session:
            found = read_history(path, session)
            return found.rows.tolist(), found.events, np.flatnonzero(session.labels >= 0).tolist()

    def check(answer):
        rows, _, labelled = answer
        return None if sorted(rows) == labelled else f"rows {rows} in the history, labelled {labelled}"

    return Case(read, check)


READERS = [
    Reader("certify-history", (PoolError,), history),
    Reader(
        "certify-resume",
        (PoolError,),
        _resumed(certify_originals, certify.Session.resume, certify_summary, use_certify),
    ),
    Reader(
        "certify-audit",
        (PoolError, Refused),
        _audited(
            certify_originals,
            lambda path, head: certify_audit([path], head=head),
            certify.Session.resume,
            PoolError,
        ),
    ),
    Reader(
        "pareto-resume",
        (BattleError,),
        _resumed(pareto_originals, pareto.Session.resume, pareto_summary, use_pareto),
    ),
    Reader(
        "pareto-audit",
        (BattleError, Refused),
        _audited(pareto_originals, pareto_audit, pareto.Session.resume, BattleError),
    ),
]
