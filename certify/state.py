"""The state of a labelling session as a fold over its events.

A live session and a resumed one run the same events through `State.apply`, the only place where the
state changes; nothing here reads a clock, a file or a random number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement, row_gains
from certify.deciding import Recall, answer, certified
from certify.events import Event
from certify.policies.seen import Mask, Order, Seen
from certify.risks import UNLABELLED, Codes, Risks
from certify.totals import Totals, Watch
from certify.verdict import Snapshot, Verdict

ASKED = ("ask", "tell", "correct", "skip", "release")
"""Kinds of events that name an asker."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A row promised to one asker until `expires` (ISO UTC text)."""

    asker: str
    expires: str


@dataclass
class State:
    """Labels, bounds and leases after the events applied so far.

    lower: L before the first event, (K, K), without totals; replaced, never written into, by every label.
    totals: class totals of the pool where these are known, for the stopping test alone. labels: (n,) class
    codes. readable: (n,), unread and not skipped. closed: the other rows, in the order they closed; it only
    grows. told: (n,) rows in the order of their first labels, `labels_read` of them so far. leases: by row,
    oldest first, expired ones included. certified: the candidate that is settled, None when none is.
    announced: the one in the last verdict event.
    """

    risks: Risks
    classes: tuple[str, ...]
    requirement: Requirement
    lower: PairMatrix
    totals: Totals | None = None
    labels: Codes = field(init=False)
    readable: Mask = field(init=False)
    closed: list[int] = field(init=False, default_factory=list)
    leases: dict[int, Lease] = field(init=False, default_factory=dict)
    labels_read: int = field(init=False, default=0)
    corrections: int = field(init=False, default=0)
    told: Order = field(init=False)
    certified: int | None = field(init=False)
    announced: int | None = field(init=False, default=None)
    _verdict: Verdict | None = field(init=False, default=None)
    _watch: Watch | None = field(init=False, default=None)
    _recall: Recall = field(init=False, default_factory=Recall)

    def __post_init__(self) -> None:
        n = self.risks.shape[1]
        self.labels = np.full(n, UNLABELLED, dtype=np.int16)
        self.readable = np.ones(n, dtype=bool)
        self.told = np.empty(n, dtype=np.int64)
        self.code_of = {text: code for code, text in enumerate(self.classes)}
        if self.totals is not None:
            self._watch = Watch(self.risks, self.totals, self.requirement)
        self._settle(self.lower)

    def apply(self, event: Event) -> None:
        """Take in one event.

        Raises LookupError, TypeError or ValueError, and changes nothing, for one that cannot have
        happened here.
        """
        kind, body = event.kind, event.body
        if self.certified != self.announced and kind != "verdict":
            raise ValueError("a verdict was due before it")
        if kind in ASKED and not isinstance(body["asker"], str):
            raise TypeError(f"asker {body['asker']!r} is not a name")
        if kind in ("tell", "own"):
            row, code = self._row(body["row"]), self.code_of[body["label"]]
            if self.labels[row] != UNLABELLED:
                raise ValueError(f"row {row} already has a label")
            if self._watch is not None:
                self._watch.read(row, code)
            lower = self.lower + row_gains(self.risks, row, code)
            self.told[self.labels_read] = row
            self.labels_read += 1
            self._read(row, code)
            self._settle(lower)
        elif kind == "correct":
            row, old, code = self._row(body["row"]), self.code_of[body["old"]], self.code_of[body["label"]]
            if self.labels[row] != old or old == code:
                raise ValueError(f"row {row} does not have the label that is corrected")
            if self._watch is not None:
                self._watch.correct(old, code)
            gained = row_gains(self.risks, row, code) - row_gains(self.risks, row, old)
            self.corrections += 1
            self.labels = self.labels.copy()  # verdicts given out keep the labels they were based on
            self._read(row, code)
            self._settle(self.lower + gained)
        elif kind == "skip":
            self._close(self._open_row(body["row"]))
        elif kind == "ask":
            lease = Lease(body["asker"], str(body["expires"]))
            for row in [self._open_row(row) for row in _listed(body["rows"])]:
                self.leases.pop(row, None)  # a row leased again counts as leased last
                self.leases[row] = lease
        elif kind == "release":
            for row in [self._row(row) for row in _listed(body["rows"])]:
                self.leases.pop(row, None)
        elif kind == "verdict":
            if body != self.verdict_body():
                raise ValueError(f"the labels before it give {dict(self.verdict_body())}")
            self.announced = self.certified
        else:
            raise ValueError(f"unknown kind {kind!r}")

    @property
    def seen(self) -> Seen:
        """What the policy may look at."""
        return Seen(self.lower, self.labels, self.told[: self.labels_read], self.corrections)

    @property
    def room(self) -> npt.NDArray[np.int64] | None:
        """How many unread rows have each class, where totals are known; (C,)."""
        return None if self._watch is None else self._watch.room

    @property
    def verdict_due(self) -> bool:
        """Whether `certified` changed and no verdict event has said so yet."""
        return self.certified != self.announced

    def verdict_body(self) -> Mapping[str, Any]:
        winner, excess = self._answer()
        return {
            "certified": self.certified is not None,
            "winner": winner,
            "labels_read": self.labels_read,
            "gap": f"{excess.numerator}/{excess.denominator}",
        }

    def verdict(self) -> Verdict:
        """The answer now; later events do not change it."""
        if self._verdict is None:
            seen = self.seen
            snapshot = Snapshot(
                self.risks,
                self.requirement,
                self.lower,
                self.closed,
                len(self.closed),
                seen.told,
                seen.labels,
                self.totals,
            )
            winner, excess = self._answer()
            self._verdict = Verdict(self.certified is not None, winner, excess, self.labels_read, snapshot)
        return self._verdict

    def label(self, row: int) -> str | None:
        """Text of the label read on `row`."""
        code = int(self.labels[row])
        return None if code == UNLABELLED else self.classes[code]

    def _answer(self) -> tuple[int, Fraction]:
        """The candidate to return now and its worst-case excess."""
        if self._watch is not None:
            return self._watch.answer(self.labels)
        winner, _, excess = answer(self.risks, self.lower, self.requirement, lambda: self.labels)
        return winner, excess

    def _settle(self, lower: PairMatrix) -> None:
        """Take in the bounds after `labels`."""
        self.lower = lower
        if self._watch is not None:
            settled = self._watch.certified(self.labels, lower)
        else:
            settled = certified(self.risks, lower, self.requirement, lambda: self.labels, self._recall)
        self.certified = None if not settled else settled[0] if len(settled) == 1 else self._answer()[0]

    def _read(self, row: int, code: int) -> None:
        self.labels[row] = code
        self._close(row)

    def _close(self, row: int) -> None:
        """Nobody is to be asked for this row any more."""
        if self.readable[row]:
            self.readable[row] = False
            self.closed.append(row)
        self.leases.pop(row, None)
        self._verdict = None

    def _row(self, row: object) -> int:
        if type(row) is not int or not 0 <= row < len(self.labels):
            raise ValueError(f"row {row!r} is not in the pool")
        return row

    def _open_row(self, row: object) -> int:
        position = self._row(row)
        if not self.readable[position]:
            raise ValueError(f"row {position} already has a label or was skipped")
        return position


def _listed(rows: object) -> list[object]:
    if not isinstance(rows, list):
        raise ValueError("rows are not a list")
    return rows
