"""Events of a journal: their canonical text, their times and their hash chain.

Each hash covers the one before it, so a change anywhere breaks every later hash. Rewriting the whole chain,
or dropping its last events, leaves a chain that is right in itself: that shows only against a head noted
elsewhere.
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


def canonical(value: object) -> str:
    """The one JSON text of `value`: sorted keys, no blanks, characters written as themselves."""
    return _encode(value)


# one encoder for all calls: json.dumps would build another each time
_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def text_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, in hex. Of the header text it is the hash before event 1."""
    return hashlib.sha256(text.encode()).hexdigest()


def chain_hash(previous: str, seq: int, time: str, event: Event) -> str:
    """The hash of event number `seq` (from 1) after an event with hash `previous`."""
    return text_hash(f"{previous}\n{canonical([seq, time, event.kind, event.body])}")


def timestamp(seconds: float) -> str:
    """ISO UTC text of a Unix time, to the millisecond; fixed width, so text order is time order.

    Raises ValueError or OverflowError outside the years 1 to 9999.
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
