"""A session journal written straight from its documented layout, honest or not, for the audit's tests."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np

from certify import Pool
from certify.bounds import Requirement, best, excesses, initial_lower, row_gains
from certify.tolerance import exact_tolerance

TIME = "2026-01-05T09:{:02d}:{:02d}+00:00"


def canonical(value) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


class Book:
    """Header, arrays and events of one journal; `save` hashes whatever they have become."""

    def __init__(self, pool: Pool, tolerance: str = "0") -> None:
        self.pool, self.requirement = pool, Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
        self.arrays: dict[str, bytes] = {}
        for k in range(pool.candidates):
            self.arrays[f"confidence/{k}"] = pool.confidences[k].astype("<f8").tobytes()
        for k in range(len(pool.predictions)):
            self.arrays[f"prediction/{k}"] = pool.predictions[k].astype("<i2").tobytes()
        if pool.row_ids is not None:
            self.arrays["ids"] = canonical(list(pool.ids)).encode()
        self.header = {
            "format": "certify-journal",
            "version": 1,
            "created": "2026-01-05T09:00:00+00:00",
            "names": list(pool.names),
            "classes": list(pool.classes),
            "kind": pool.kind,
            "n": pool.n,
            "policy": "static-range",
            "seed": 0,
            "tolerance": tolerance,
            "objective": "augrc",
            "sources": [],
            "digests": {name: sha(data) for name, data in self.arrays.items()},
        }
        self.events: list[tuple[str, str, dict]] = []
        self.lower = initial_lower(pool.risks)
        self.labels: dict[int, int] = {}
        self.certified = False
        self._verdict()

    def add(self, kind: str, **body) -> None:
        count = len(self.events) + 1
        self.events.append((TIME.format(count // 60, count % 60), kind, body))

    def ask(self, *rows: int, asker="carol") -> None:
        self.add("ask", asker=asker, rows=list(rows), expires="2026-01-05T11:00:00+00:00")

    def own(self, row: int, code: int) -> None:
        self.add("own", row=row, label=self.pool.classes[code])
        self._read(row, code)

    def tell(self, row: int, code: int, asker="carol") -> None:
        self.add("tell", asker=asker, row=row, label=self.pool.classes[code])
        self._read(row, code)

    def correct(self, row: int, code: int, asker="carol") -> None:
        classes, old = self.pool.classes, self.labels[row]
        self.add("correct", asker=asker, row=row, old=classes[old], label=classes[code])
        self.lower -= row_gains(self.pool.risks, row, old)
        self._read(row, code)

    def skip(self, row: int, asker="carol") -> None:
        self.add("skip", asker=asker, row=row)

    def release(self, *rows: int, asker="carol") -> None:
        self.add("release", asker=asker, rows=list(rows))

    def read_until_certified(self, labels, order=None) -> None:
        """Ask for and tell row after row until the verdict."""
        for row in range(self.pool.n) if order is None else order:
            if self.certified:
                return
            self.ask(row)
            self.tell(row, int(labels[row]))

    def _read(self, row: int, code: int) -> None:
        self.labels[row] = code
        self.lower += row_gains(self.pool.risks, row, code)
        self._verdict()

    def _verdict(self) -> None:
        winner, certified = best(self.lower, self.requirement)
        if certified == self.certified:
            return
        self.certified = certified
        gap = Fraction(int(excesses(self.lower)[winner]), self.pool.risks.scale)
        self.add(
            "verdict",
            certified=certified,
            winner=winner,
            labels_read=len(self.labels),
            gap=f"{gap.numerator}/{gap.denominator}",
        )

    def place(self, kind: str, number: int = 0) -> int:
        """Index into `events` of the given event of a kind (negative numbers count from the end)."""
        return [at for at, event in enumerate(self.events) if event[1] == kind][number]

    def change(self, at: int, **body) -> None:
        time, kind, old = self.events[at]
        self.events[at] = (time, kind, {**old, **body})

    def rows(self) -> list[tuple[int, str, str, str, str]]:
        """The events table, with a chain that fits whatever the events say."""
        previous, rows = sha(canonical(self.header)), []
        for seq, (time, kind, body) in enumerate(self.events, 1):
            previous = sha(f"{previous}\n{canonical([seq, time, kind, body])}")
            rows.append((seq, time, kind, canonical(body), previous))
        return rows

    @property
    def head(self) -> str:
        rows = self.rows()
        return rows[-1][-1] if rows else sha(canonical(self.header))

    def save(self, path: Path, rows=None) -> Path:
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE header(id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL)")
            database.execute("CREATE TABLE arrays(name TEXT PRIMARY KEY, data BLOB NOT NULL)")
            database.execute(
                "CREATE TABLE events(seq INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, "
                "body TEXT NOT NULL, hash TEXT NOT NULL)"
            )
            database.execute("INSERT INTO header VALUES (1, ?)", (canonical(self.header),))
            database.executemany("INSERT INTO arrays VALUES (?, ?)", self.arrays.items())
            database.executemany(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?)", self.rows() if rows is None else rows
            )
        return path


def write_pool(pool: Pool, folder: Path) -> list[Path]:
    """One CSV a candidate, with ids where the pool has them."""
    paths = []
    for k, name in enumerate(pool.names):
        codes = pool.predictions[k % len(pool.predictions)]
        lines = ["id,prediction,confidence" if pool.row_ids is not None else "prediction,confidence"]
        for row in range(pool.n):
            start = f"{pool.ids[row]}," if pool.row_ids is not None else ""
            lines.append(f"{start}{pool.classes[codes[row]]},{float(pool.confidences[k, row])!r}")
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def write_labels(pool: Pool, codes, path: Path) -> Path:
    lines = [
        "id,label",
        *(f"{name},{pool.classes[code]}" for name, code in zip(pool.ids, codes, strict=True)),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def random_pool(kind: str, n: int = 40, candidates: int = 3, seed: int = 0) -> tuple[Pool, np.ndarray]:
    """A pool with ties in its confidences and ids, and a full labelling by code.

    Candidates get worse one by one, so that the choice is certified well before the last label.
    """
    random = np.random.default_rng(seed)
    classes = {"binary": ["no", "yes"], "shared": ["a", "b", "c"], "categorical": ["a", "b", "c", "d"]}[kind]
    truth = random.integers(0, len(classes), n)
    shape = (1, n) if kind == "shared" else (candidates, n)
    rate = 0.3 if kind == "shared" else np.linspace(0.1, 0.5, candidates)[:, None]
    wrong = random.random(shape) < rate
    codes = np.where(wrong, (truth + random.integers(1, len(classes), shape)) % len(classes), truth)
    insight = np.linspace(1, 0, candidates)[:, None]  # how well the confidence knows about errors
    confidences = np.round(random.random((candidates, n)) + insight * ~wrong, 2)
    names = [f"model-{letter}" for letter in "abcdefgh"[:candidates]]
    texts = np.array(classes)[np.broadcast_to(codes, (candidates, n))]
    pool = Pool.multiclass(texts, confidences, classes, names=names, ids=[f"r{row}" for row in range(n)])
    return pool, truth.astype(np.int16)
