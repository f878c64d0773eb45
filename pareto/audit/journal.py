"""The auditor's own reading of a journal file, and the check of its hash chain."""

from __future__ import annotations

import hashlib
import json
import math
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
            headers = connection.execute("SELECT json FROM header").fetchall()
            rows = connection.execute(
                "SELECT seq, time, kind, body, hash FROM events ORDER BY seq"
            ).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # damaged names come back in its messages
        raise _no_journal(path, str(error)) from None
    if len(headers) != 1 or not isinstance(headers[0][0], str):
        raise _no_journal(path, f"{len(headers)} rows in its table header; exactly one, a text, is expected")
    header = headers[0][0]
    try:
        stated = json.loads(header)
    except (ValueError, RecursionError):
        stated = None
    if not isinstance(stated, dict) or stated.get("format") != "pareto-journal":
        raise _no_journal(path, "its header does not say format 'pareto-journal'")
    if not all(type(row[0]) is int and all(isinstance(text, str) for text in row[1:]) for row in rows):
        raise _no_journal(path, "its table events does not hold whole numbers and texts alone")
    return JournalFile(header, tuple(rows))


def _no_journal(path: Path, reason: str) -> BattleError:
    return BattleError(f"{path} is not a pareto journal ({reason}); give a file written by pareto start")


def checked_terms(header: str) -> Terms:
    """The frozen terms; `Lie` where a session cannot have them."""
    try:
        given = json.loads(header, parse_float=_exactly, parse_constant=_exactly)
    except ValueError as error:
        raise Lie(f"header: {error}") from None
    if _canonical(json.loads(header)) != header:
        raise Lie("header: not the canonical JSON that pareto writes")
    if set(given) != _HEADER:
        raise Lie(f"header: entries {sorted(set(given) ^ _HEADER)} missing or unknown")
    if not _is_whole(given["version"]) or given["version"] != 1:
        raise Lie(f"header: version {given['version']}; this auditor knows version 1")
    models, objectives = given["models"], given["objectives"]
    for names, least in ((models, 2), (objectives, 1)):
        if not (isinstance(names, list) and len(names) >= least and all(type(n) is str for n in names)):
            raise Lie(f"header: names {names!r}")
        if len(set(names)) < len(names):
            raise Lie(f"header: a name is repeated in {names!r}")
    delta, margin, cap, constants = (
        given[name] for name in ("delta", "margin", "max_comparisons", "constants")
    )
    sound = {
        "method": isinstance(given["method"], str) and given["method"] in METHODS,
        "created": isinstance(given["created"], str),
        "delta": _is_number(delta) and 0 < delta < 1,
        "margin": _is_number(margin) and margin >= 0,
        "seed": _is_whole(given["seed"]) and given["seed"] >= 0,
        "max_comparisons": cap is None or (_is_whole(cap) and cap >= 0),
        "joint": isinstance(given["joint"], bool),
        "ordered": isinstance(given["ordered"], bool),
        "ties": given["ties"] in ("half", "refuse"),
        "constants": constants is None
        or (isinstance(constants, list) and len(constants) == 3 and all(map(_is_number, constants))),
    }
    for entry, good in sound.items():
        if not good:
            known = f"; known are {', '.join(METHODS)}" if entry == "method" else ""
            raise Lie(f"header: {entry} is {_shown(given[entry])}, which no session can have{known}")
    if given["method"] in ORDERED and given["ordered"] is not True:
        raise Lie(f"header: {given['method']} without the declaration that answers follow an order")
    sampling, threshold, logarithm = map(Fraction, constants or (2, 4, 4))
    return Terms(
        models=tuple(models),
        objectives=tuple(objectives),
        method=given["method"],
        delta=Fraction(delta),
        seed=given["seed"],
        cap=cap,
        margin=Fraction(margin),
        joint=given["joint"],
        ties=given["ties"] == "half",
        sampling=sampling,
        threshold=threshold,
        logarithm=logarithm,
    )


def _exactly(text: str) -> Fraction:
    """A decimal as what is written; one that no double could be would only waste time."""
    if not math.isfinite(float(text)):
        raise ValueError(f"{text} is no finite number")
    return Fraction(text)


def _is_whole(value: object) -> bool:
    return type(value) is int


def _is_number(value: object) -> bool:
    return type(value) in (int, Fraction)


def _shown(value: object) -> str:
    text = str(value) if isinstance(value, Fraction) else repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


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
