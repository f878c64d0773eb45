"""Events of a comparison session: their canonical text, their times and their hash chain.

Kinds and bodies. Models, objectives and queries are numbers (positions; query numbers count from 1), times
are ISO UTC, points are those of the model shown on the left, from 0 to `answered`:

- ``round`` {number, comparisons, status, kept, dropped, staked, wanted}: a round has been judged, the first
  time (number 0) before anything was asked. kept, and dropped with its witness, [model, witness], are the
  models decided by it; staked is what the method fixes before it sees the next outcomes (`pareto.stakes`);
  wanted is the next round, [first, second, objective, count] a row
- ``ask`` {asker, expires, queries}: each query [number, first, second, left, objectives, count], `left`
  being the model shown on that side; they are leased to the asker until then
- ``tell`` {asker, answers}: each [query, objective, points, answered]; answered 0 means "cannot tell"
- ``correct`` {asker, query, objective, old, new}: [points, answered] before and after; new null = withdrawn
- ``release`` {asker, queries}: leases given back

Each hash covers the one before it, so a change anywhere breaks every later hash. A chain rewritten as a
whole, or cut off at its end, is right in itself: only a head noted elsewhere tells it from the true one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened; `body` holds JSON values under the keys of its kind."""

    kind: str
    body: Mapping[str, Any]


# one encoder for all calls: json.dumps would build another each time
canonical = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode
"""The one JSON text of a value: sorted keys, no blanks, characters as themselves."""


def text_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in hex; of the header text it is the hash before event 1."""
    return hashlib.sha256(text.encode()).hexdigest()


def chain_hash(previous: str, seq: int, time: str, event: Event) -> str:
    """The hash of event number `seq` (from 1) after an event with hash `previous`."""
    return text_hash(f"{previous}\n{canonical([seq, time, event.kind, event.body])}")


def timestamp(seconds: float) -> str:
    """ISO UTC text of a Unix time, to the millisecond; fixed width, so text order is time order."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
