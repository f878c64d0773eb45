"""The auditor's own reading of a journal file, and the check of its hash chain."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pareto.audit.report import Lie
from pareto.errors import BattleError

METHODS = ("vb-ege", "focal-borda", "bt-mle", "borda-plugin", "track-and-stop", "interval", "duel", "commit")
ORDERED = ("track-and-stop", "duel", "commit")
"""Methods that need the declaration that answers follow an order."""
UNPROMISING = ("bt-mle", "track-and-stop")
"""Methods without a guarantee."""
_HEADER = {
    "format",
    "version",
    "created",
    "models",
    "objectives",
    "method",
    "delta",
    "seed",
    "max_comparisons",
    "margin",
    "joint",
    "ordered",
    "ties",
    "constants",
}


@dataclass(frozen=True)
class Event:
    """A row of the journal; body is parsed."""

    seq: int
    time: str
    kind: str
    body: Mapping[str, Any]
    hash: str

    @property
    def where(self) -> str:
        return f"event {self.seq} ({self.kind})"


@dataclass(frozen=True)
class Terms:
    """What the header freezes; numbers exact, a decimal meaning what is written."""

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    method: str
    delta: Fraction
    seed: int
    cap: int | None
    margin: Fraction
    joint: bool
    ties: bool
    sampling: Fraction
    threshold: Fraction
    logarithm: Fraction

    @property
    def shape(self) -> tuple[int, int]:
        """(K, d)."""
        return len(self.models), len(self.objectives)


@dataclass(frozen=True)
class JournalFile:
    """Header text, and the events as rows (seq, time, kind, body text, hash)."""

    header: str
    rows: tuple[tuple[int, str, str, str, str], ...]


def read_journal(path: Path) -> JournalFile:
    """Read everything, without changing the file; `BattleError` if it is no journal."""
    if not path.is_file():
        raise BattleError(f"journal {path} does not exist; correct the path")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as connection:
            (header,) = connection.execute("SELECT json FROM header WHERE id = 1").fetchone()
            rows = connection.execute(
                "SELECT seq, time, kind, body, hash FROM events ORDER BY seq"
            ).fetchall()
        if json.loads(header)["format"] != "pareto-journal":
            raise ValueError("another format")
    except (sqlite3.Error, ValueError, TypeError, LookupError) as error:
        raise BattleError(
            f"{path} is not a pareto journal ({error}); give a file written by pareto start"
        ) from None
    return JournalFile(header, tuple(rows))


def checked_terms(header: str) -> Terms:
    """The frozen terms; `Lie` where a session cannot have them."""
    given = json.loads(header, parse_float=Fraction, parse_int=int)
    if set(given) != _HEADER:
        raise Lie(f"header: entries {sorted(set(given) ^ _HEADER)} missing or unknown")
    if given["version"] != 1:
        raise Lie(f"header: version {given['version']}; this auditor knows version 1")
    models, objectives = given["models"], given["objectives"]
    for names, least in ((models, 2), (objectives, 1)):
        if not (isinstance(names, list) and len(names) >= least and all(type(n) is str for n in names)):
            raise Lie(f"header: names {names!r}")
        if len(set(names)) < len(names):
            raise Lie(f"header: a name is repeated in {names!r}")
    delta, margin = Fraction(given["delta"]), Fraction(given["margin"])
    if not 0 < delta < 1 or margin < 0:
        raise Lie(f"header: delta {delta}, margin {margin}")
    if given["method"] not in METHODS:
        raise Lie(f"header: method {given['method']!r}; known are {', '.join(METHODS)}")
    if given["method"] in ORDERED and given["ordered"] is not True:
        raise Lie(f"header: {given['method']} without the declaration that answers follow an order")
    sampling, threshold, logarithm = map(Fraction, given["constants"] or (2, 4, 4))
    return Terms(
        models=tuple(models),
        objectives=tuple(objectives),
        method=given["method"],
        delta=delta,
        seed=given["seed"],
        cap=given["max_comparisons"],
        margin=margin,
        joint=given["joint"] is True,
        ties=given["ties"] == "half",
        sampling=sampling,
        threshold=threshold,
        logarithm=logarithm,
    )


def checked_chain(journal: JournalFile) -> list[Event]:
    """The events, with sequence numbers without gaps and every hash re-derived from the header on."""
    events = []
    previous = _sha256(journal.header)
    for place, (seq, time, kind, text, stated) in enumerate(journal.rows, 1):
        if seq != place:
            raise Lie(f"after event {place - 1} comes event {seq}; sequence numbers have no gaps")
        try:
            body = json.loads(text)
            good = isinstance(body, dict) and _canonical(body) == text
        except (ValueError, RecursionError):
            good = False
        if not good:
            raise Lie(f"event {seq} ({kind}): the body is not the canonical JSON object that pareto writes")
        previous = _sha256(f"{previous}\n{_canonical([seq, time, kind, body])}")
        if previous != stated:
            raise Lie(
                f"event {seq} ({kind}) has hash {stated[:12]}…; its content and history give {previous[:12]}…"
            )
        events.append(Event(seq, time, kind, body, stated))
    return events


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
