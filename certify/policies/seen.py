"""What a query policy is shown, and what it answers with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix
from certify.risks import Codes

Mask = npt.NDArray[np.bool_]
Order = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Seen:
    """The labels bought so far, which is all that a policy may look at.

    lower: L_jk now, (K, K). labels: (n,) class codes, −1 where unread; a live view, to be read and not
    kept. told: (N,) the labelled rows in the order in which they were first told. corrections: how often
    a label was replaced, so that whoever keeps something derived from labels knows when it is out of date.
    """

    lower: PairMatrix
    labels: Codes
    told: Order
    corrections: int = 0


@dataclass(frozen=True, eq=False)
class Stretch:
    """Rows to read next, and for how long that order holds.

    rows: best first; may contain closed rows, which the caller passes over. An order of the whole pool
    lists every open row, any other at least as many open rows as were wanted (all of them if fewer are
    left). labels: after so many further labels the policy must be asked again, None for never.
    until_elimination: ask again also when a candidate drops out of the race.
    """

    rows: Order
    labels: int | None
    until_elimination: bool


class Policy(Protocol):
    """Chooses rows as a deterministic function of pool, seed and `Seen`.

    A resumed session replays labels but not calls, so nothing may depend on how often, or when, a policy
    was asked; caches are welcome. For the same `Seen`, closing rows only takes them out of the order.
    """

    @property
    def name(self) -> str: ...

    def stretch(self, seen: Seen, readable: Mask, m: int) -> Stretch:
        """The order from here on; `readable`: (n,) rows unread and not skipped, m ≥ 1 rows wanted."""
        ...


@dataclass
class Cursor:
    """An order of rows and how far its front is closed; rows never open again, so the front only moves on."""

    order: Order
    _start: int = field(init=False, default=0)

    def rest(self, readable: Mask) -> Order:
        """The order from its first open row on."""
        while self._start < len(self.order) and not readable[self.order[self._start]]:
            self._start += 1
        return self.order[self._start :]


def propose(policy: Policy, seen: Seen, readable: Mask, held: Collection[int], m: int) -> list[int]:
    """The next m rows among `readable` ((n,), unread and not skipped) that nobody holds."""
    chosen: list[int] = []
    for row in policy.stretch(seen, readable, m + len(held)).rows:
        if readable[row] and row not in held:
            chosen.append(int(row))
            if len(chosen) == m:
                break
    return chosen
