"""What the events of a journal say about the course of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.journal import Journal

if TYPE_CHECKING:
    from certify.session import Session


@dataclass(frozen=True)
class Work:
    """What one asker did: labels told first, corrections of labels (their own or not), skips."""

    asker: str
    labels: int
    corrections: int
    skips: int


@dataclass(frozen=True, eq=False)
class History:
    """The course of a session up to its head.

    rows: labelled rows in the order in which they were first told, (N,). owned: how many of these, the first
    ones, had their label at the start. certified_after: how many labels were known when the choice last
    became certain, None if it never did. work: who did what, most labels first. events: how many there are.
    header: the journal's.
    """

    rows: npt.NDArray[np.int64]
    owned: int
    certified_after: int | None
    work: tuple[Work, ...]
    events: int
    header: Mapping[str, Any]

    @property
    def corrections(self) -> int:
        return sum(part.corrections for part in self.work)


def read_history(path: Path, session: Session) -> History:
    """The history of the journal at `path` up to the last event that `session`, resumed from it, has seen."""
    journal = Journal.open(path)
    rows: list[int] = []
    owned = 0
    certified_after: int | None = None
    certain = False
    counts: Counter[tuple[str, str]] = Counter()
    try:
        if journal.head != session.head:
            for _, event in journal.unseen():
                if event.kind == "own":
                    owned += 1
                if event.kind in ("own", "tell"):
                    rows.append(event.body["row"])
                if event.kind == "verdict":
                    if event.body["certified"] and not certain:
                        certified_after = event.body["labels_read"]
                    certain = event.body["certified"]
                if event.kind in ("tell", "correct", "skip"):
                    counts[event.body["asker"], event.kind] += 1
                if journal.head == session.head:
                    break
            else:
                raise PoolError(f"journal {path} was replaced while it was read; try again")
    finally:
        journal.close()
    work = [
        Work(asker, counts[asker, "tell"], counts[asker, "correct"], counts[asker, "skip"])
        for asker in dict.fromkeys(asker for asker, _ in counts)
    ]
    work.sort(key=lambda part: -part.labels)
    return History(
        np.array(rows, dtype=np.int64), owned, certified_after, tuple(work), journal.seq, journal.header
    )
