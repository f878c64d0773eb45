"""The auditor's bounds under known class totals: completions in which every class gets what is left for it.

The least difference of two risks is a transportation problem of unread rows and classes. It is solved here
the plain way: every row starts in a class that is cheapest for it, and as long as some class has too many
rows and another too few, rows move along the shortest path between two such classes. Every such step keeps
the assignment the cheapest of all with the same counts, so the last one is the cheapest with the totals.

A label only ever takes completions away. So who is not certified at some prefix was not certified at any
earlier one since the last correction: one look right before a verdict speaks for all prefixes before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import pairwise

from certify.audit.exact import Rule
from certify.audit.journal import Event
from certify.audit.replay import Replayed
from certify.audit.report import Lie

Cost = tuple[int, int, int, int, int]
"""Class of the first prediction and of the second, what the row costs in these and in any other class."""


class TotalBounds:
    """Labels read and totals: what they leave possible. room[c]: how many unread rows have class c.

    weights and codes: one sequence of n integers a candidate. A risk is an integer over `scale`.
    """

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        codes: Sequence[Sequence[int]],
        scale: int,
        totals: Sequence[int],
    ) -> None:
        self._weights, self._codes, self._scale = weights, codes, scale
        self._known: dict[tuple[int, int], int] = {}
        self._everyone = range(len(weights))
        self.labels: dict[int, int] = {}
        self.room = list(totals)

    def read(self, row: int, label: int) -> None:
        """The label of an unread row becomes known."""
        self.room[label] -= 1
        self.labels[row] = label
        self._known.clear()

    def change(self, row: int, old: int, new: int) -> None:
        """The label of a read row turns out to be another one."""
        self.room[old] += 1
        self.read(row, new)

    @property
    def lower(self) -> list[list[int]]:
        """Every L_jk under the totals."""
        return [[0 if j == k else self.least(j, k) for k in self._everyone] for j in self._everyone]

    def least(self, j: int, k: int) -> int:
        """The least r_j − r_k over all completions with the totals."""
        if (j, k) not in self._known:
            self._known[j, k] = self._least(j, k)
        return self._known[j, k]

    def _least(self, j: int, k: int) -> int:
        known = sum(self._difference(row, label, j, k) for row, label in self.labels.items())
        unread = (row for row in range(len(self._weights[0])) if row not in self.labels)
        costs = [self._cost(row, j, k) for row in unread]
        return known + least_cost(costs, {c: room for c, room in enumerate(self.room) if room})

    def certified(self, rule: Rule) -> list[int]:
        """The candidates that pass the test against every rival."""
        everyone = self._everyone
        return [k for k in everyone if all(j == k or self.least(j, k) >= rule.level(j, k) for j in everyone)]

    def verdict(self, rule: Rule) -> tuple[bool, int, Fraction]:
        """Whether somebody is certified, who is returned, and by how much that may be wrong at worst."""
        everyone = self._everyone
        least = {(j, k): self.least(j, k) for j in everyone for k in everyone if j != k}
        excess = {k: max(0, *(-least[j, k] for j in everyone if j != k)) for k in everyone}
        passing = [k for k in everyone if all(least[j, k] >= rule.level(j, k) for j in everyone if j != k)]
        winner = min(passing or everyone, key=lambda k: (excess[k], k))
        return bool(passing), winner, Fraction(excess[winner], self._scale)

    def _cost(self, row: int, j: int, k: int) -> Cost:
        first, second = self._codes[j][row], self._codes[k][row]
        other = -1  # stands for every class that neither predicts
        at_first, at_second, elsewhere = (
            self._difference(row, label, j, k) for label in (first, second, other)
        )
        return first, second, at_first, at_second, elsewhere

    def _difference(self, row: int, label: int, j: int, k: int) -> int:
        """loss_j − loss_k of the row if its label is `label`."""
        loss_j = self._weights[j][row] if self._codes[j][row] != label else 0
        loss_k = self._weights[k][row] if self._codes[k][row] != label else 0
        return loss_j - loss_k


def check_totals(
    events: Sequence[Event], replayed: Replayed, classes: Sequence[str], totals: Sequence[int]
) -> str:
    """At no time are more labels of a class told than rows have it; returns what was found."""
    counts = [0] * len(totals)
    for event, reading in zip(events, replayed.readings, strict=True):
        if reading is None:
            continue
        if reading.old is not None:
            counts[reading.old] -= 1
        counts[reading.label] += 1
        if counts[reading.label] > totals[reading.label]:
            raise Lie(
                f"{event.where}: {counts[reading.label]} labels are {classes[reading.label]!r}, and the "
                f"totals of the header allow {totals[reading.label]}"
            )
    listed = ", ".join(
        f"{count} of {total} {name}" for count, total, name in zip(counts, totals, classes, strict=True)
    )
    return f"labels read at the end: {listed}"


def looks(events: Sequence[Event], replayed: Replayed, rule: Rule) -> Collection[int]:
    """Events after which the test must be looked at so that every other prefix follows from these looks.

    While nobody is certified: the last prefix before a verdict, a correction or the end. While somebody is:
    the first one, after the verdict or a correction, and with a tolerance all of them, since labels may
    change which of the certified is returned.
    """
    readings = [
        (place, reading.old) for place, reading in enumerate(replayed.readings) if reading is not None
    ]
    due = {place - 1 for place, event in enumerate(events) if event.kind == "verdict"}
    ends = {place for place, old in readings if place in due or old is not None}
    before = {place for (place, _), (following, _) in pairwise(readings) if following in ends}
    wanted = ends | before | {place for place, _ in readings[-1:]}
    if rule.tolerance:
        certified = False
        for place, (event, body) in enumerate(zip(events, replayed.bodies, strict=True)):
            if event.kind == "verdict":
                certified = body["certified"] is True
            elif certified:
                wanted.add(place)
    return wanted


def least_cost(costs: Sequence[Cost], room: Mapping[int, int]) -> int:
    """The least total cost when class c gets exactly room[c] > 0 rows; the rooms sum to the rows."""
    if not costs:
        return 0
    predicted = {cls for cost in costs for cls in cost[:2]}
    rooms = {cls: count for cls, count in room.items() if cls in predicted}
    rest = sum(count for cls, count in room.items() if cls not in predicted)
    if rest:
        rooms[-1] = rest  # classes that nobody predicts all cost the same
    return _Assignment(costs, rooms).balanced()


def _value(cost: Cost, cls: int) -> int:
    first, second, at_first, at_second, elsewhere = cost
    return at_first if cls == first else at_second if cls == second else elsewhere


class _Assignment:
    """Rows in classes; queues[a][b]: what a row of a costs more in b, least first, with rows that left a."""

    def __init__(self, costs: Sequence[Cost], rooms: Mapping[int, int]) -> None:
        self.costs, self.classes = costs, list(rooms)
        self.surplus = {cls: -room for cls, room in rooms.items()}
        self.place = [self._start(cost) for cost in costs]
        self.queues = {a: {b: list[tuple[int, int]]() for b in self.classes if b != a} for a in self.classes}
        for row, cls in enumerate(self.place):
            for b, queue in self.queues[cls].items():
                queue.append((_value(costs[row], b) - _value(costs[row], cls), row))
        for queues in self.queues.values():
            for queue in queues.values():
                heapify(queue)

    def _start(self, cost: Cost) -> int:
        """A cheapest class, of several the one with most room."""
        cls = min(self.classes, key=lambda cls: (_value(cost, cls), self.surplus[cls]))
        self.surplus[cls] += 1
        return cls

    def balanced(self) -> int:
        """The total cost once every class has its count."""
        while any(count > 0 for count in self.surplus.values()):
            path = self._shortest_path()
            steps = [(self._step(a, b), b) for a, b in pairwise(path)]
            for step, b in steps:
                assert step is not None
                self._move(step[1], b)
            self.surplus[path[0]] -= 1
            self.surplus[path[-1]] += 1
        return sum(_value(cost, cls) for cost, cls in zip(self.costs, self.place, strict=True))

    def _shortest_path(self) -> list[int]:
        """From a class with too many rows to one with too few, by repeated relaxation."""
        distance = {cls: 0 for cls, count in self.surplus.items() if count > 0}
        before: dict[int, int] = {}
        changed = set(distance)
        while changed:
            now, changed = changed, set()
            for a in now:
                for b in self.queues[a]:
                    step = self._step(a, b)
                    if step is not None and (b not in distance or distance[a] + step[0] < distance[b]):
                        distance[b], before[b] = distance[a] + step[0], a
                        changed.add(b)
        path = [min((cls for cls, count in self.surplus.items() if count < 0), key=distance.__getitem__)]
        while path[-1] in before:
            path.append(before[path[-1]])
        return path[::-1]

    def _step(self, a: int, b: int) -> tuple[int, int] | None:
        """The least that a row of `a` costs more in `b`, and that row."""
        queue = self.queues[a][b]
        while queue and self.place[queue[0][1]] != a:
            heappop(queue)
        return queue[0] if queue else None

    def _move(self, row: int, cls: int) -> None:
        self.place[row] = cls
        for b, queue in self.queues[cls].items():
            heappush(queue, (_value(self.costs[row], b) - _value(self.costs[row], cls), row))
