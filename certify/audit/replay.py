"""The auditor's replay of a journal: was every event possible, and is every verdict in its place and true?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Protocol

from certify.audit.exact import Rule
from certify.audit.journal import Event, parse_body
from certify.audit.report import Lie

Body = Mapping[str, object]
_ENTRIES = {
    "own": {"row", "label"},
    "ask": {"asker", "rows", "expires"},
    "tell": {"asker", "row", "label"},
    "correct": {"asker", "row", "old", "label"},
    "skip": {"asker", "row"},
    "release": {"asker", "rows"},
    "verdict": {"certified", "winner", "labels_read", "gap"},
}
_READS = ("own", "tell")


class Moving(Protocol):
    """Bounds that labels move."""

    @property
    def lower(self) -> Sequence[Sequence[int]]: ...
    def read(self, row: int, label: int) -> None: ...
    def change(self, row: int, old: int, new: int) -> None: ...
    def certified(self, rule: Rule) -> list[int]: ...
    def verdict(self, rule: Rule) -> tuple[bool, int, Fraction]: ...


@dataclass(frozen=True)
class Reading:
    """An event that fixes the label of `row`: `old` is the code it replaces, None for a first label."""

    row: int
    label: int
    old: int | None


@dataclass(frozen=True)
class Replayed:
    """The events of a journal, each found legal. labels: what is read at the end, code by row."""

    readings: tuple[Reading | None, ...]
    bodies: tuple[Body, ...]
    labels: dict[int, int]
    counts: Counter[str]


@dataclass
class _State:
    codes: Mapping[str, int]
    n: int
    labels: dict[int, int] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    leases: dict[int, tuple[object, datetime]] = field(default_factory=dict)


def check_events(events: Sequence[Event], classes: Sequence[str], n: int) -> Replayed:
    """Replay every event against the rules of a session; `Lie` at the first that no session can write."""
    state = _State({name: code for code, name in enumerate(classes)}, n)
    handlers: dict[str, Callable[[_State, Event, Body], Reading | None]] = {
        "own": _read,
        "tell": _read,
        "ask": _ask,
        "correct": _correct,
        "skip": _skip,
        "release": _release,
        "verdict": lambda state, event, body: None,
    }
    readings: list[Reading | None] = []
    bodies: list[Body] = []
    counts: Counter[str] = Counter()
    for event in events:
        if event.kind not in handlers:
            raise Lie(f"{event.where}: there is no such kind of event")
        body = parse_body(event)
        if set(body) != _ENTRIES[event.kind]:
            raise Lie(f"{event.where}: entries {sorted(set(body) ^ _ENTRIES[event.kind])} missing or unknown")
        if event.kind == "own" and set(counts) - {"own", "verdict"}:
            raise Lie(f"{event.where}: labels already owned come before anything is asked or told")
        if "asker" in body and not (isinstance(body["asker"], str) and body["asker"].strip()):
            raise Lie(f"{event.where}: asker {body['asker']!r} is not a name")
        _moment(event, event.time)
        readings.append(handlers[event.kind](state, event, body))
        bodies.append(body)
        counts[event.kind] += 1
    return Replayed(tuple(readings), tuple(bodies), state.labels, counts)


def check_labels(
    events: Sequence[Event],
    replayed: Replayed,
    names: Sequence[str],
    truth: Sequence[int],
    classes: Sequence[str],
) -> int:
    """Compare each row's label, as finally told, with the labels file (−1 = the file has none).

    Returns how many were compared. A label that was corrected later may have been told wrong first.
    """
    last = {reading.row: event for event, reading in zip(events, replayed.readings, strict=True) if reading}
    compared = 0
    for row, event in sorted(last.items(), key=lambda item: item[1].seq):
        if truth[row] < 0:
            continue
        compared += 1
        told = replayed.labels[row]
        if told != truth[row]:
            raise Lie(
                f"{event.where}: row {names[row]} is told {classes[told]!r}; "
                f"the labels file says {classes[truth[row]]!r}"
            )
    return compared


def check_verdicts(
    events: Sequence[Event],
    replayed: Replayed,
    bounds: Moving,
    rule: Rule,
    names: Sequence[str],
    progress: Callable[[int], None],
    looks: Collection[int] | None = None,
) -> str:
    """Move the bounds label by label and hold every recorded verdict against them.

    A verdict is due right after the event that changes who is certified, nobody included, and nowhere
    else. looks: places of the events after which it is to be looked at, where the prefixes between follow
    from these; all by default. Returns what was found, in words.
    """
    recorded: int | None = None
    labels, prefixes, first = 0, 1, ""
    certified = _certified(bounds, rule)
    for place, (event, reading, body) in enumerate(
        zip(events, replayed.readings, replayed.bodies, strict=True)
    ):
        if event.kind == "verdict":
            _check_verdict(event, body, labels, bounds, rule, names)
            if certified == recorded:
                raise Lie(f"{event.where}: records a verdict where the test did not change")
            recorded = certified
            first = first or f"; first certified after {labels} labels ({names[bounds.verdict(rule)[1]]})"
        elif certified != recorded:
            raise Lie(_missing(f"before {event.where}", labels, bounds, rule, names))
        elif reading is not None:
            if reading.old is None:
                bounds.read(reading.row, reading.label)
                labels += 1
            else:
                bounds.change(reading.row, reading.old, reading.label)
            if looks is None or place in looks:
                certified = _certified(bounds, rule)
            prefixes += 1
        if place % 256 == 0:
            progress(place)
    if certified != recorded:
        raise Lie(_missing("at the end", labels, bounds, rule, names))
    _, winner, gap = bounds.verdict(rule)
    state = (
        f"{names[winner]} is certified, gap {gap}"
        if certified is not None
        else f"nobody is certified; {names[winner]} has the smallest gap, {gap}"
    )
    return f"{prefixes} prefixes, {labels} labels: {state}{first}"


def _certified(bounds: Moving, rule: Rule) -> int | None:
    """Who is certified, None when nobody is."""
    return bounds.verdict(rule)[1] if bounds.certified(rule) else None


def _check_verdict(
    event: Event, body: Body, labels: int, bounds: Moving, rule: Rule, names: Sequence[str]
) -> None:
    certified, winner, gap = bounds.verdict(rule)
    truth = {
        "certified": certified,
        "winner": winner,
        "labels_read": labels,
        "gap": f"{gap.numerator}/{gap.denominator}",
    }
    for entry, true in truth.items():
        if type(body[entry]) is not type(true) or body[entry] != true:
            raise Lie(
                f"{event.where}: says {entry} = {body[entry]!r}; re-derived {true!r}"
                + (_deficit(bounds, rule, names) if entry == "certified" and not true else "")
            )


def _deficit(bounds: Moving, rule: Rule, names: Sequence[str]) -> str:
    _, k, _ = bounds.verdict(rule)
    short = [j for j in range(len(names)) if j != k and bounds.lower[j][k] < rule.level(j, k)]
    j = short[0]
    return (
        f" (even for {names[k]}: r({names[j]}) − r({names[k]}) can be as low as {bounds.lower[j][k]}, "
        f"and {rule.level(j, k)} is needed)"
    )


def _missing(where: str, labels: int, bounds: Moving, rule: Rule, names: Sequence[str]) -> str:
    certified, winner, _ = bounds.verdict(rule)
    change = f"{names[winner]} is certified" if certified else "nobody is certified any more"
    return f"{where}, with {labels} labels read, {change}, but no verdict event says so"


def _read(state: _State, event: Event, body: Body) -> Reading:
    row = _row(state, event, body["row"])
    if row in state.labels:
        raise Lie(f"{event.where}: row {row} already has a label; another one is a correction")
    label = _label(state, event, body["label"])
    state.labels[row] = label
    state.skipped.discard(row)
    state.leases.pop(row, None)
    return Reading(row, label, None)


def _correct(state: _State, event: Event, body: Body) -> Reading:
    row = _row(state, event, body["row"])
    old, label = _label(state, event, body["old"]), _label(state, event, body["label"])
    if state.labels.get(row) != old:
        raise Lie(f"{event.where}: row {row} did not have the label {body['old']!r} that it corrects")
    if old == label:
        raise Lie(f"{event.where}: row {row} is corrected to the label it has")
    state.labels[row] = label
    return Reading(row, label, old)


def _skip(state: _State, event: Event, body: Body) -> None:
    row = _row(state, event, body["row"])
    if row in state.labels or row in state.skipped:
        raise Lie(f"{event.where}: row {row} is {'read' if row in state.labels else 'skipped'} already")
    state.skipped.add(row)
    state.leases.pop(row, None)


def _ask(state: _State, event: Event, body: Body) -> None:
    now = _moment(event, event.time)
    expires = _moment(event, body["expires"])
    for row in _rows(state, event, body["rows"]):
        if row in state.labels or row in state.skipped:
            raise Lie(f"{event.where}: row {row} is {'read' if row in state.labels else 'skipped'} already")
        holder, until = state.leases.get(row, (body["asker"], now))
        if holder != body["asker"] and until > now:
            raise Lie(f"{event.where}: row {row} is held by {holder!r} until {until.isoformat()}")
        state.leases[row] = (body["asker"], expires)


def _release(state: _State, event: Event, body: Body) -> None:
    for row in _rows(state, event, body["rows"]):
        holder, _ = state.leases.pop(row, (None, None))
        if holder != body["asker"]:
            raise Lie(f"{event.where}: row {row} is not held by {body['asker']!r}")


def _row(state: _State, event: Event, value: object) -> int:
    if type(value) is not int or not 0 <= value < state.n:
        raise Lie(f"{event.where}: row {value!r} is none of the {state.n} rows")
    return value


def _rows(state: _State, event: Event, value: object) -> list[int]:
    rows = [_row(state, event, row) for row in value] if isinstance(value, list) else []
    if not rows or len(set(rows)) != len(rows):
        raise Lie(f"{event.where}: rows {value!r} are not a list of different rows")
    return rows


def _label(state: _State, event: Event, value: object) -> int:
    if not isinstance(value, str) or value not in state.codes:
        raise Lie(f"{event.where}: label {value!r} is not one of the frozen classes")
    return state.codes[value]


def _moment(event: Event, value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise Lie(f"{event.where}: {value!r} is not a time with its offset from UTC")
    return moment
