"""Ask and tell: comparisons bought one by one, by people or judges who answer later.

A session turns what it is told into events, and its state is a fold over these; see `state`. With a journal
the events of one call are on the disk before the call returns. Which processes were killed and
resumed in between makes no difference to the queries asked.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from pareto.errors import BattleError
from pareto.identify import DEFAULT_METHOD
from pareto.result import Result
from pareto.samplers import method as find_method
from pareto.samplers.schedule import Constants
from pareto.session.bias import PositionBias
from pareto.session.events import Event, timestamp
from pareto.session.journal import Journal
from pareto.session.queries import Query, deal_all, deal_singly
from pareto.session.state import Given, Reply, Setup, State
from pareto.spelling import WITHDRAWN, Spelled, points_of_left
from pareto.task import Task
from solvers.journalled import Clock, Journalled

DEFAULT_ASKER = "annotator"
"""Who asks when nobody is named. Two who work at once need two names, or they get the same queries."""
LEASE_SECONDS = 3600.0

Answer = Spelled | tuple[float, int] | Mapping[str, Spelled | tuple[float, int]]
"""An outcome; (points of the left model, comparisons answered) of a query of many; or one by objective."""


@dataclass
class Receipt:
    """What became of the answers of one call.

    Attributes:
        used: answers that the open round needed. surplus: kept on record, but their cells needed no more.
        unknown: "cannot tell". repeated: told before, the same. corrected, withdrawn: changes of earlier
            answers. released: queries given back.
    """

    used: int = 0
    surplus: int = 0
    unknown: int = 0
    repeated: int = 0
    corrected: int = 0
    withdrawn: int = 0
    released: int = 0


class Session(Journalled):
    """A session that looks for the strict frontier of `models` over `objectives`.

    method: one of `pareto.METHODS`. delta, seed, max_comparisons, margin, joint: see `pareto.Task`; with
    `joint` a query asks about all objectives of a pair at once and costs one comparison. ordered: you declare
    that on every objective the better of two models wins more than half the time, by one order of all models;
    `duel`, `commit` and `track-and-stop` need that. ties: "half" counts a tie as half a win, "refuse" refuses
    it; the default is half where the method allows fractions. constants: of the methods that work in phases.
    journal: path of a new journal file, None to keep nothing. asker, lease_seconds: who asks, and how long a
    query is kept for its asker. clock: Unix time in seconds.

    Every error is a `BattleError`, and a call that raises one has recorded nothing.

    >>> import pareto
    >>> session = pareto.Session(["a", "b"], ["code"], method="interval")
    >>> (query,) = session.ask()
    >>> session.tell([query], ["left"]).used, session.comparisons, str(session.result.status)
    (1, 1, 'open')
    """

    setup: Setup
    journal_type = Journal
    _state: State

    def __init__(
        self,
        models: Sequence[str],
        objectives: Sequence[str],
        method: str = DEFAULT_METHOD,
        delta: float = 0.05,
        seed: int = 0,
        journal: str | os.PathLike[str] | None = None,
        *,
        max_comparisons: int | None = None,
        margin: float = 0.0,
        joint: bool = False,
        ordered: bool = False,
        ties: str | None = None,
        constants: Constants | None = None,
        asker: str | None = None,
        lease_seconds: float = LEASE_SECONDS,
        clock: Clock = time.time,
    ) -> None:
        path = None if journal is None else Path(journal)
        if path is not None:
            Journal.check_free(path)
        task = Task(tuple(models), tuple(objectives), delta, seed, max_comparisons, margin, joint)
        self._prepare(_setup(task, method, ordered, ties, constants), asker, lease_seconds, clock)
        self._record_round()
        if path is not None:
            now = timestamp(clock())
            self._journal = Journal.create(path, {"created": now, **header(self.setup)}, self._pending, now)
        self._pending = []

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        asker: str | None = None,
        *,
        lease_seconds: float = LEASE_SECONDS,
        clock: Clock = time.time,
    ) -> Self:
        """The session of a journal, as if it had never been interrupted.

        Checks the whole hash chain and that the method, run anew, asks for the same comparisons; a
        `BattleError` names the first event that does not fit.
        """

        def prepare(session: Self, header: Mapping[str, Any], arrays: Mapping[str, bytes]) -> None:
            session._prepare(setup_of(header), asker, lease_seconds, clock)

        return cls._resumed(Path(path), prepare)

    def _prepare(self, setup: Setup, asker: str | None, lease_seconds: float, clock: Clock) -> None:
        self.setup = setup
        self.asker = DEFAULT_ASKER if asker is None else _name(asker)
        if not (lease_seconds > 0 and math.isfinite(lease_seconds)):
            raise BattleError(f"a lease of {lease_seconds} seconds; a finite number > 0 is accepted")
        self._lease_seconds = lease_seconds
        self._begin(clock)
        self._start_over()

    def ask(self, m: int | None = 1, asker: str | None = None) -> list[Query]:
        """Queries for the asker: up to m single comparisons, or with None all that are wanted, in batches.

        Empty when nothing is wanted, and when all that is wanted is with others. The asker's own open queries
        come first, so asking again gives the same; they are leased to the asker, and what they ask for is
        offered to nobody else, until answered, released or expired.
        """
        if m is not None and (isinstance(m, bool) or not isinstance(m, int | np.integer) or m < 1):
            raise BattleError(f"cannot ask for {m!r} queries; give a whole number ≥ 1, or None for all")
        name = self.asker if asker is None else _name(asker)
        with self._operation() as now:
            state = self._state
            held = state.held(timestamp(now))
            own = [given.query for given in held.values() if given.asker == name]
            if m is not None:
                own = own[: int(m)]
                if len(own) == m:
                    return own
            free, seed = state.free(held), self.setup.task.seed
            if m is None:
                new = deal_all(state.cells, free, state.next_number, seed)
            else:
                more = int(m) - len(own)
                new = deal_singly(state.cells, free, state.issued, more, state.next_number, seed)
            if new:
                rows = [
                    [query.number, query.focal, query.other, query.left, list(query.objectives), query.count]
                    for query in new
                ]
                expires = timestamp(now + self._lease_seconds)
                self._record(Event("ask", {"asker": name, "expires": expires, "queries": rows}))
            return own + new

    def tell(
        self,
        queries: Iterable[int | Query],
        answers: Iterable[Answer],
        asker: str | None = None,
    ) -> Receipt:
        """Record one answer a query, by number: all of them, or none when any is wrong.

        Spellings: `pareto.spelling.ACCEPTED`. The same answer again changes nothing; another one corrects the
        first as long as no judged round rests on it. Answers after a lease expired are welcome; what the
        round no longer needs is kept on record and not used.
        """
        numbers = [query.number if isinstance(query, Query) else query for query in queries]
        given = list(answers)
        if len(numbers) != len(given):
            raise BattleError(f"{len(numbers)} queries and {len(given)} answers; give one answer each")
        name = self.asker if asker is None else _name(asker)
        with self._operation():
            told = _Told()
            for number, answer in zip(numbers, given, strict=True):
                query = self._given(number).query
                for objective, spelled in _by_objective(answer, query, self.setup.task.objectives):
                    told.add((query.number, objective), self._read(query, objective, spelled))
            return self._tell(told, name)

    def release(self, queries: Iterable[int | Query] | None = None, asker: str | None = None) -> int:
        """Give leased queries back, all of the asker's where None; returns how many."""
        name = self.asker if asker is None else _name(asker)
        with self._operation() as now:
            held = self._state.held(timestamp(now))
            if queries is None:
                numbers = list(held)
            else:
                numbers = [query.number if isinstance(query, Query) else query for query in queries]
                for number in numbers:
                    if self._given(number).asker not in ("", name) and number in held:
                        raise BattleError(
                            f"query {number} is held by {held[number].asker!r}, not by {name!r}; release it "
                            f"as {held[number].asker!r}"
                        )
            mine = [n for n in dict.fromkeys(numbers) if n in held and held[n].asker == name]
            if mine:
                self._record(Event("release", {"asker": name, "queries": mine}))
            return len(mine)

    @property
    def result(self) -> Result:
        """The answer as of the last judged round."""
        return self._state.sampler.result

    @property
    def done(self) -> bool:
        """True if no comparison is wanted any more."""
        return not self._state.wanted.any()

    @property
    def comparisons(self) -> int:
        """Comparisons used so far, those of the open round included."""
        return self._state.comparisons

    @property
    def state(self) -> State:
        """Everything known; to look at, not to change."""
        return self._state

    @property
    def bias(self) -> PositionBias:
        """How often the left side won, in all answers."""
        return PositionBias(self._state.left_points, self._state.left_shown)

    @property
    def leases(self) -> dict[int, str]:
        """Who holds which query at this moment, oldest lease first."""
        held = self._state.held(timestamp(self._clock()))
        return {number: given.asker for number, given in held.items()}

    def _record(self, event: Event) -> None:
        self._state.apply(event)
        self._pending.append(event)

    def _record_round(self) -> None:
        while self._state.close_due:
            self._pending.append(Event("round", self._state.close()))

    def _given(self, number: object) -> Given:
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        given = self._state.given.get(int(number)) if whole else None  # type: ignore[call-overload]
        if given is None:
            raise BattleError(
                f"no query {number!r} was asked; numbers 1 to {self._state.next_number - 1} were, in this "
                "session"
            )
        return given

    def _read(self, query: Query, objective: int, spelled: Answer) -> tuple[float, int] | None:
        """Points of the left model and comparisons answered; None = withdrawn."""
        task = self.setup.task
        names = task.models
        where = f"query {query.number}" + (
            f", objective {task.objectives[objective]!r}" if len(query.objectives) > 1 else ""
        )
        if isinstance(spelled, str) and spelled.strip().lower() == WITHDRAWN:
            if spelled.strip() in (names[query.left], names[query.right]):
                raise BattleError(
                    f"{where}: {spelled!r} names a model too; write left or right, or release it"
                )
            return None
        answered = query.count
        if isinstance(spelled, tuple):
            if len(spelled) != 2 or not isinstance(spelled[1], int | np.integer):
                raise BattleError(
                    f"{where}: {spelled!r}; (points of the left model, comparisons) is accepted"
                )
            spelled, answered = spelled[0], int(spelled[1])  # type: ignore[index]
            if not 0 <= answered <= query.count:
                raise BattleError(f"{where}: {answered} answered; 0 to {query.count} is accepted")
        if isinstance(spelled, Mapping):
            raise BattleError(f"{where}: answers within answers; give one outcome an objective")
        points = points_of_left(
            spelled,
            names[query.left],
            names[query.right],
            answered,
            self.setup.ties,
            find_method(self.setup.method).guarantee.fractions,
            where,
        )
        return (0, 0) if points is None else (points, answered)

    def _tell(self, told: _Told, name: str) -> Receipt:
        """Check everything against the state as it is, then record it."""
        receipt = Receipt()
        state = self._state
        fresh: list[list[Any]] = []
        changes: list[tuple[int, int, Reply, tuple[float, int] | None]] = []
        released: list[int] = []
        for (number, objective), value in told.values.items():
            given = state.given[number]
            reply = given.replies.get(objective)
            if reply is None and value is None:
                if number in state.leased and number not in released:
                    released.append(number)
            elif reply is None:
                assert value is not None
                fresh.append([number, objective, *value])
            elif value is not None and (reply.points, reply.answered) == value:
                receipt.repeated += 1
            elif not state.correctable(reply):
                raise BattleError(
                    f"query {number} was answered before, {reply.points:g} of {reply.answered} for the left "
                    f"model, and round {reply.round} was judged on it: it can no longer be changed; leave it "
                    "out of the call, or start a new session if the judgement must not stand"
                )
            else:
                changes.append((number, objective, reply, value))
        receipt.released = len(released)
        if released:
            self._record(Event("release", {"asker": name, "queries": released}))
        for number, objective, reply, value in changes:
            body = {
                "asker": name,
                "query": number,
                "objective": objective,
                "old": [reply.points, reply.answered],
                "new": None if value is None else list(value),
            }
            self._record(Event("correct", body))
            receipt.withdrawn += value is None
            receipt.corrected += value is not None
        if fresh:
            self._record(Event("tell", {"asker": name, "answers": fresh}))
            for number, objective, _, answered in fresh:
                reply = state.given[number].replies[objective]
                receipt.unknown += answered == 0
                receipt.used += reply.round > 0
                receipt.surplus += answered > 0 and reply.round == 0
        self._record_round()
        return receipt

    def _start_over(self) -> None:
        self._state = State(self.setup)

    def _apply(self, event: Event) -> None:
        self._state.apply(event)

    def _overdue(self) -> str | None:
        return "judgement" if self._state.close_due else None


class _Told:
    """Answers of one call, by query and objective; saying two things about one is an error."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, int], tuple[float, int] | None] = {}

    def add(self, key: tuple[int, int], value: tuple[float, int] | None) -> None:
        if key in self.values and self.values[key] != value:
            raise BattleError(f"query {key[0]} is answered twice in this call, differently; give one answer")
        self.values[key] = value


def header(setup: Setup) -> dict[str, Any]:
    """What the journal freezes of a set-up."""
    task, constants = setup.task, setup.constants
    return {
        "models": list(task.models),
        "objectives": list(task.objectives),
        "method": setup.method,
        "delta": task.delta,
        "seed": task.seed,
        "max_comparisons": task.max_comparisons,
        "margin": task.margin,
        "joint": task.joint,
        "ordered": setup.ordered,
        "ties": "half" if setup.ties else "refuse",
        "constants": None
        if constants is None
        else [constants.sampling, constants.threshold, constants.logarithm],
    }


def setup_of(header: Mapping[str, Any]) -> Setup:
    """The set-up that a journal froze."""
    task = Task(
        models=tuple(header["models"]),
        objectives=tuple(header["objectives"]),
        delta=header["delta"],
        seed=header["seed"],
        max_comparisons=header["max_comparisons"],
        margin=header["margin"],
        joint=header["joint"],
    )
    constants = None if header["constants"] is None else Constants(*header["constants"])
    return _setup(task, header["method"], header["ordered"], header["ties"], constants)


def _setup(task: Task, name: str, ordered: bool, ties: str | None, constants: Constants | None) -> Setup:
    guarantee = find_method(name).guarantee
    if guarantee.needs_order and not ordered:
        raise BattleError(
            f"{name} relies on the better of two models winning more than half the time on every objective, "
            "by one order of all models; declare that with ordered (--ordered) if it holds, or take vb-ege "
            "or interval"
        )
    if ties not in (None, "half", "refuse"):
        raise BattleError(f"ties {ties!r}; half or refuse is accepted")
    if ties == "half" and not guarantee.fractions:
        raise BattleError(f"{name} takes decided comparisons only; ties must be refused (--ties refuse)")
    half = guarantee.fractions if ties is None else ties == "half"
    return Setup(task, name, ordered, half, constants)


def _by_objective(
    answer: Answer, query: Query, objectives: Sequence[str]
) -> Iterator[tuple[int, Spelled | tuple[float, int]]]:
    """An answer taken apart; one that names no objective is for all of the query's."""
    if not isinstance(answer, Mapping):
        for objective in query.objectives:
            yield objective, answer
        return
    asked = {objectives[r]: r for r in query.objectives}
    for name, spelled in answer.items():
        if name not in asked:
            raise BattleError(
                f"query {query.number}: no question about {name!r} was asked; objectives are "
                f"{', '.join(asked)}"
            )
        yield asked[name], spelled


def _name(asker: object) -> str:
    if not isinstance(asker, str) or not asker.strip():
        raise BattleError(f"asker {asker!r} is no name; give a text that is not blank")
    return asker.strip()
