"""The state of a comparison session: a fold over its events.

A round is all that the sampler wants at a moment. Its outcomes are collected here and handed over together
when none is missing, so within a round they may come in any order, be corrected or withdrawn. An outcome
whose cell needs no more is kept on record and not used: which ones are used depends on when they came,
never on what they say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pareto.comparisons import Counts, Outcomes, Queries
from pareto.links import Reals
from pareto.samplers import make_sampler
from pareto.samplers.base import Sampler
from pareto.samplers.schedule import Constants
from pareto.session.events import Event, canonical
from pareto.session.queries import Cells, Query
from pareto.session.stakes import Stakes
from pareto.task import Task

TEXTS = {"ask": ("asker", "expires"), "tell": ("asker",), "correct": ("asker",), "release": ("asker",)}
"""Entries of events that are texts, by kind."""


@dataclass(frozen=True)
class Setup:
    """What a session is about, frozen in the journal's header.

    Attributes:
        task: models, objectives, δ, seed, cap, margin, joint.
        method: one of `pareto.samplers.METHODS`.
        ordered: the answers are declared to follow one order of the models on every objective.
        ties: True if a tie counts as half a win for either side, False if it is refused.
        constants: of methods that work in phases, None = the paper's.
    """

    task: Task
    method: str
    ordered: bool = False
    ties: bool = True
    constants: Constants | None = None

    def sampler(self) -> Sampler:
        """The method at its start."""
        options = {} if self.constants is None else {"constants": self.constants}
        return make_sampler(self.method, self.task, **options)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to one objective of a query: points of the model on the left, of `answered` comparisons.

    round: in which it is used, 0 if it is not.
    """

    points: float
    answered: int
    round: int


@dataclass(slots=True)
class Given:
    """A query that was given out. replies: by objective. asker, expires: of its lease, empty without one."""

    query: Query
    asker: str
    expires: str
    replies: dict[int, Reply] = field(default_factory=dict)

    @property
    def open(self) -> list[int]:
        """Objectives without a reply."""
        return [r for r in self.query.objectives if r not in self.replies]


class State:
    """Everything a session knows; `apply` is the only way to change it, `close` the only other.

    Attributes:
        round: number of the open round; 0 before the first.
        room: (K, K, d) comparisons the round still wants.
        given: queries by number. issued: how many in the open round.
        leased: numbers of queries that are leased and not fully answered, oldest first.
        shown: comparisons answered, a showing that answers several objectives counted once.
        surplus: answers that were not used. unknown: "cannot tell" answers.
        left_points, left_shown: points of the models on the left in all answers, and how many answers.
        votes: (K, K, d) points used, row model against column model.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.sampler = setup.sampler()
        self._stakes = Stakes()
        self._shape = (len(setup.task.models), *setup.task.shape)
        self._decided = np.zeros(self._shape[0], dtype=np.bool_)
        self.round = 0
        self.room: Counts = np.zeros(self._shape, dtype=np.int64)
        self.wanted: Counts = self.room
        self._points: Reals = np.zeros(self._shape)
        self.cells = Cells(())
        self.issued = 0
        self.given: dict[int, Given] = {}
        self.leased: dict[int, None] = {}
        self.shown = self.surplus = self.unknown = 0
        self.left_points, self.left_shown = 0.0, 0
        self.votes: Reals = np.zeros(self._shape)

    @property
    def next_number(self) -> int:
        """Of the next query."""
        return len(self.given) + 1

    @property
    def close_due(self) -> bool:
        """True if the open round is complete, or the first is to be opened."""
        return self.round == 0 or bool(self.wanted.any() and not self.room.any())

    @property
    def outstanding(self) -> int:
        """Comparisons that the open round still wants; showings where one answers all objectives."""
        room = self.room.max(axis=2) if self.setup.task.joint else self.room
        return int(room.sum())

    @property
    def comparisons(self) -> int:
        """Comparisons used, those of the open round included; showings where one answers all objectives."""
        used = self.wanted - self.room
        open_ = used.max(axis=2) if self.setup.task.joint else used
        return self.sampler.comparisons + int(open_.sum())

    def apply(self, event: Event) -> None:
        """Take an event in; ValueError, TypeError or LookupError if it cannot have happened."""
        body = event.body
        for name in TEXTS.get(event.kind, ()):
            if not isinstance(body[name], str):
                raise TypeError(f"{name} {body[name]!r} is no text")
        match event.kind:
            case "round":
                derived = self.close() if self.close_due else None
                if derived is None or canonical(derived) != canonical(dict(body)):
                    raise ValueError("the method, run anew, judges this round differently")
            case "ask":
                for row in body["queries"]:
                    query = self._query(*row)
                    number = query.number
                    self.given[number] = Given(query, body["asker"], body["expires"])
                    self.leased[number] = None
                    self.issued += 1
            case "tell":
                for number, objective, points, answered in body["answers"]:
                    if objective in self.given[number].replies:
                        raise ValueError(f"query {number} was answered before")
                    self._add(number, objective, points, answered)
            case "correct":
                number, objective, old, new = (body[name] for name in ("query", "objective", "old", "new"))
                before = self.given[number].replies[objective]
                if [before.points, before.answered] != old or not self.correctable(before):
                    raise ValueError(f"the answer to query {number} cannot be changed")
                self._remove(number, objective)
                if new is not None:
                    self._add(number, objective, *new)
            case "release":
                for number in body["queries"]:
                    del self.leased[number]
                    self.given[number].asker = self.given[number].expires = ""
            case _:
                raise ValueError(f"no event of kind {event.kind!r}")

    def _query(
        self, number: int, first: int, second: int, left: int, objectives: Sequence[int], count: int
    ) -> Query:
        """The next query, as an event states it."""
        models, _, dimensions = self._shape
        whole = all(type(value) is int for value in (number, first, second, left, count, *objectives))
        if not whole or number != self.next_number:
            raise ValueError(f"query {number!r} does not follow {self.next_number - 1}")
        pair = {first, second}
        if len(pair) < 2 or not pair <= set(range(models)) or left not in pair or count < 1:
            raise ValueError(f"query {number} compares nothing")
        distinct = set(objectives)
        if not distinct or len(distinct) < len(objectives) or not distinct <= set(range(dimensions)):
            raise ValueError(f"query {number} asks for no objective")
        right = second if left == first else first
        return Query(number, left, right, tuple(objectives), count, first)

    def close(self) -> dict[str, Any]:
        """Hand the complete round to the sampler and open the next; the body of the event that says so."""
        if self.round:
            first, second, objective = np.nonzero(self.wanted)
            cells = (first, second, objective)
            queries = Queries(first, second, objective, self.wanted[cells])
            self.sampler.tell(Outcomes.of(queries, self._points[cells]))
        result = self.sampler.result
        fresh = result.decided & ~self._decided
        self._decided = result.decided.copy()
        queries = self.sampler.ask()
        body = {
            "number": self.round,
            "comparisons": self.sampler.comparisons,
            "status": str(result.status),
            "kept": np.flatnonzero(fresh & result.frontier).tolist(),
            "dropped": [[int(i), int(result.rival[i])] for i in np.flatnonzero(fresh & ~result.frontier)],
            "staked": self._stakes.new(self.sampler),
            "wanted": np.column_stack(
                (queries.first, queries.second, queries.objective, queries.count)
            ).tolist(),
        }
        self.round += 1
        self.wanted = np.zeros(self._shape, dtype=np.int64)
        self.wanted[queries.first, queries.second, queries.objective] = queries.count
        self.room = self.wanted.copy()
        self._points = np.zeros(self._shape)
        self.cells = Cells.of(self.wanted, self.setup.task.joint, self.setup.task.seed, self.round)
        self.issued = 0
        return body

    def held(self, now: str) -> dict[int, Given]:
        """Queries with a lease that has not expired, oldest first."""
        return {number: self.given[number] for number in self.leased if self.given[number].expires > now}

    def free(self, held: Mapping[int, Given]) -> Counts:
        """(K, K, d): what the round wants beyond what is in flight."""
        free = self.room.copy()
        for given in held.values():
            query = given.query
            for r in given.open:
                free[query.focal, query.other, r] -= query.count
        return np.maximum(free, 0)

    def correctable(self, reply: Reply) -> bool:
        """True unless a judged round rests on this reply."""
        return reply.round in (0, self.round) or reply.answered == 0

    def _add(self, number: int, objective: int, points: float, answered: int) -> None:
        given = self.given[number]
        query = given.query
        if objective not in query.objectives or not 0 <= points <= answered <= query.count:
            raise ValueError(f"{points} points of {answered} are no answer to query {number}")
        i, j = query.focal, query.other
        if answered == 0:
            used = 0
            self.unknown += 1
        elif answered <= self.room[i, j, objective]:
            used = self.round
            own = points if query.focal == query.left else answered - points
            self._use(i, j, objective, own, answered)
        else:
            used = 0
            self.surplus += 1
        before = self._most_answered(given)
        given.replies[objective] = Reply(points, answered, used)
        self.shown += self._most_answered(given) - before
        self.left_points += points
        self.left_shown += answered
        if not given.open:
            self.leased.pop(number, None)

    def _remove(self, number: int, objective: int) -> None:
        given = self.given[number]
        query = given.query
        before = self._most_answered(given)
        reply = given.replies.pop(objective)
        self.shown += self._most_answered(given) - before
        self.left_points -= reply.points
        self.left_shown -= reply.answered
        if reply.answered == 0:
            self.unknown -= 1
        elif reply.round == 0:
            self.surplus -= 1
        else:
            own = reply.points if query.focal == query.left else reply.answered - reply.points
            self._use(query.focal, query.other, objective, -own, -reply.answered)

    def _use(self, i: int, j: int, objective: int, points: float, answered: int) -> None:
        self.room[i, j, objective] -= answered
        self._points[i, j, objective] += points
        self.votes[i, j, objective] += points
        self.votes[j, i, objective] += answered - points

    @staticmethod
    def _most_answered(given: Given) -> int:
        return max((reply.answered for reply in given.replies.values()), default=0)
