"""The auditor's recount: was every event possible, and which outcomes does each round rest on?

A session uses an answer if its cell (first, second, objective) still needs all of it when it comes, and
judges a round at the end of the call after which no cell needs any more. Both are re-derived here, whatever
the answers say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from pareto.audit.calls import Call
from pareto.audit.journal import Event, Terms
from pareto.audit.report import Lie

Cell = tuple[int, int, int]
"""(first, second, objective)."""
_ENTRIES = {
    "round": {"number", "comparisons", "status", "kept", "dropped", "staked", "wanted"},
    "ask": {"asker", "expires", "queries"},
    "tell": {"asker", "answers"},
    "correct": {"asker", "query", "objective", "old", "new"},
    "release": {"asker", "queries"},
}


@dataclass(frozen=True)
class Round:
    """A judged round: `event` says what was decided, on the outcomes in `wanted` and `points` by cell."""

    number: int
    event: Event
    wanted: dict[Cell, int]
    points: dict[Cell, Fraction]

    @property
    def where(self) -> str:
        return f"event {self.event.seq}, round {self.number}"


@dataclass
class Counted:
    """What the recount found. left: points and number of comparisons of the side on the left."""

    rounds: list[Round] = field(default_factory=list)
    comparisons: int = 0
    answers: int = 0
    unused: int = 0
    unknown: int = 0
    corrections: int = 0
    queries: int = 0
    left_points: Fraction = Fraction(0)
    left_shown: int = 0


@dataclass
class _Query:
    first: int
    second: int
    left: int
    objectives: list[int]
    count: int
    replies: dict[int, tuple[Fraction, int, int]] = field(default_factory=dict)


class _Recount:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.found = Counted()
        self.round = 0
        self.wanted: dict[Cell, int] = {}
        self.room: dict[Cell, int] = {}
        self.points: dict[Cell, Fraction] = {}
        self.queries: dict[int, _Query] = {}

    @property
    def complete(self) -> bool:
        """True if the open round needs no more."""
        return bool(self.wanted) and not any(self.room.values())

    def round_(self, event: Event) -> None:
        body = event.body
        if self.round and not self.complete:
            raise Lie(f"{event.where}: judged before the round was complete")
        if body["number"] != self.round:
            raise Lie(f"{event.where}: round {body['number']}, after {self.round - 1} judged rounds")
        self.found.comparisons += self._cost()
        if body["comparisons"] != self.found.comparisons:
            raise Lie(
                f"{event.where}: says {body['comparisons']:,} comparisons; recounted "
                f"{self.found.comparisons:,}"
            )
        if self.terms.cap is not None and self.found.comparisons > self.terms.cap:
            raise Lie(f"{event.where}: {self.found.comparisons:,} comparisons, the cap is {self.terms.cap:,}")
        self.found.rounds.append(Round(self.round, event, self.wanted, self.points))
        models, objectives = self.terms.shape
        self.wanted = {}
        for row in body["wanted"]:
            i, j, r, count = (_whole(event, value) for value in row)
            if not (0 <= i < models and 0 <= j < models and i != j and 0 <= r < objectives and count > 0):
                raise Lie(f"{event.where}: wants {row}, which is no comparison")
            if (i, j, r) in self.wanted:
                raise Lie(f"{event.where}: wants {row[:3]} twice")
            self.wanted[i, j, r] = count
        self.room = dict(self.wanted)
        self.points = dict.fromkeys(self.wanted, Fraction(0))
        self.round += 1

    def _cost(self) -> int:
        """A showing that answers all objectives is paid once."""
        if not self.terms.joint:
            return sum(self.wanted.values())
        pairs: dict[tuple[int, int], int] = {}
        for (i, j, _), count in self.wanted.items():
            pairs[i, j] = max(pairs.get((i, j), 0), count)
        return sum(pairs.values())

    def ask(self, event: Event) -> None:
        before: _Query | None = None
        for number, first, second, left, objectives, count in event.body["queries"]:
            if number != len(self.queries) + 1:
                raise Lie(f"{event.where}: query {number} comes after query {len(self.queries)}")
            for value in (number, first, second, left, count, *objectives):
                _whole(event, value)
            query = _Query(first, second, left, objectives, count)
            if left not in (first, second) or len(set(objectives)) != len(objectives) or count < 1:
                raise Lie(f"{event.where}: query {number} is no query")
            if len(objectives) != 1 and not self.terms.joint:
                raise Lie(f"{event.where}: query {number} asks about several objectives at once")
            for r in objectives:
                if self.room.get((first, second, r), 0) < 1:
                    raise Lie(f"{event.where}: query {number} asks for what the round does not want")
            self._check_side(event, number, query, before)
            self.queries[number] = before = query
            self.found.queries += 1

    def _check_side(self, event: Event, number: int, query: _Query, before: _Query | None) -> None:
        """The coin of this number, or the other side of the same cells just before."""
        turned = query.left != query.first
        if turned == _coin(self.terms.seed, number):
            return
        other_half = (
            before is not None
            and (before.first, before.second, before.objectives)
            == (query.first, query.second, query.objectives)
            and (before.left != before.first) != turned
            and before.count - query.count in (0, 1)
        )
        if not other_half:
            raise Lie(
                f"{event.where}: query {number} shows its models on the sides that the coin did not choose"
            )

    def tell(self, event: Event) -> None:
        for number, objective, points, answered in event.body["answers"]:
            query = self._query(event, number, objective)
            if objective in query.replies:
                raise Lie(f"{event.where}: query {number} was answered before")
            self._add(event, number, objective, points, answered)

    def correct(self, event: Event) -> None:
        body = event.body
        number, objective = body["query"], body["objective"]
        query = self._query(event, number, objective)
        reply = query.replies.get(objective)
        if reply is None or body["old"] != [reply[0], reply[1]]:
            raise Lie(f"{event.where}: query {number} did not have the answer {body['old']}")
        points, answered, used = reply
        if used not in (0, self.round) and answered:
            raise Lie(f"{event.where}: round {used} was judged on the answer that is changed")
        del query.replies[objective]
        self.found.answers -= 1
        self.found.left_points -= points
        self.found.left_shown -= answered
        if answered == 0:
            self.found.unknown -= 1
        elif not used:
            self.found.unused -= 1
        else:
            self._use(query, objective, -points, -answered)
        self.found.corrections += 1
        if body["new"] is not None:
            self._add(event, number, objective, *body["new"])

    def release(self, event: Event) -> None:
        for number in event.body["queries"]:
            if number not in self.queries:
                raise Lie(f"{event.where}: query {number} was never asked")

    def _query(self, event: Event, number: object, objective: object) -> _Query:
        query = self.queries.get(number) if isinstance(number, int) else None
        if query is None or objective not in query.objectives:
            raise Lie(f"{event.where}: query {number} on objective {objective} was never asked")
        return query

    def _add(self, event: Event, number: int, objective: int, value: Any, answered: Any) -> None:
        query = self.queries[number]
        if type(value) not in (int, float) or type(answered) is not int:
            raise Lie(f"{event.where}: the answer [{value!r}, {answered!r}] to query {number} is no number")
        points = Fraction(value)
        if not 0 <= points <= answered <= query.count:
            raise Lie(f"{event.where}: {value} points of {answered} are no answer to query {number}")
        if points.denominator > 1 and not self.terms.ties:
            raise Lie(f"{event.where}: {value} points, where ties are refused")
        room = self.room.get((query.first, query.second, objective), 0)
        used = self.round if 0 < answered <= room else 0
        query.replies[objective] = (points, answered, used)
        self.found.answers += 1
        self.found.left_points += points
        self.found.left_shown += answered
        if used:
            self._use(query, objective, points, answered)
        elif answered:
            self.found.unused += 1
        else:
            self.found.unknown += 1

    def _use(self, query: _Query, objective: int, points: Fraction, answered: int) -> None:
        cell = (query.first, query.second, objective)
        self.room[cell] -= answered
        self.points[cell] += points if query.left == query.first else answered - points

    def finish(self) -> None:
        if self.round == 0:
            raise Lie("no round was ever opened")
        if self.complete:
            raise Lie("the last round is complete, but was not judged")


def recount(events: Sequence[Event], terms: Terms) -> Counted:
    """Replay every event; `Lie` at the first that no session can write."""
    work = _Recount(terms)
    handlers: dict[str, Callable[[Event], None]] = {
        "round": work.round_,
        "ask": work.ask,
        "tell": work.tell,
        "correct": work.correct,
        "release": work.release,
    }
    call: Call | None = None
    for event in events:
        if event.kind not in handlers:
            raise Lie(f"{event.where}: there is no such kind of event")
        if set(event.body) != _ENTRIES[event.kind]:
            raise Lie(
                f"{event.where}: entries {sorted(set(event.body) ^ _ENTRIES[event.kind])} missing or unknown"
            )
        lease = [event.body[name] for name in ("asker", "expires") if name in event.body]
        if not all(isinstance(text, str) for text in lease):
            raise Lie(f"{event.where}: {lease} are no texts")
        if work.round == 0 and event.kind != "round":
            raise Lie(f"{event.where}: comes before the first round")
        try:
            # what a call told before the correction that completes the round does not matter
            if not work.complete:
                call = Call(event) if event.kind == "correct" else None
            elif event.kind != "round" and (call is None or not call.takes(event)):
                raise Lie(f"before {event.where} the round was complete, but was not judged")
            handlers[event.kind](event)
        except (TypeError, ValueError, LookupError) as error:
            raise Lie(f"{event.where}: its body has not the form that a session writes ({error})") from None
    work.finish()
    return work.found


def _whole(event: Event, value: object) -> int:
    if type(value) is not int:
        raise Lie(f"{event.where}: {value!r} is no whole number")
    return value


def _coin(seed: int, number: int) -> bool:
    return bool(hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=1).digest()[0] & 1)
