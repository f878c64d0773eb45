"""The cheapest way to give rows their classes when it is known how many rows each class gets, in integers.

A transportation problem with few columns: a row's cost takes one value at the class of its first prediction,
one at that of its second, and one at all others. Any prices u of the classes bound the optimum from below,
Σ_i min_v (cost_i(v) − u_v) + Σ_v room_v·u_v, and the best prices reach it. They are set class by class first,
each by a selection, and the rows that are then in the wrong class move along shortest paths between classes.
Costs are integers and so are the prices: nothing is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
_FAR = np.int64(1) << 58  # beyond every path: costs stay below 2³², and paths visit a class at most once
_CLOSED = -1


@dataclass(frozen=True, eq=False)
class RowCosts:
    """What m rows cost: `at_first` in the class `first`, `at_second` in `second`, `elsewhere` in any other.

    All (m,). Where both classes are one the two costs are equal; where not, at_first ≤ elsewhere.
    """

    first: Ints
    second: Ints
    at_first: Ints
    at_second: Ints
    elsewhere: Ints

    def at(self, cls: int | Ints, rows: slice | int | Ints = slice(None)) -> Ints:
        """Cost of rows in one class, or each in a class of its own."""
        second = np.where(self.second[rows] == cls, self.at_second[rows], self.elsewhere[rows])
        cost: Ints = np.where(self.first[rows] == cls, self.at_first[rows], second)
        return cost


def cheapest(costs: RowCosts, room: Ints) -> int:
    """Least total cost when exactly room[v] rows go to class v; room: (C,) ≥ 0, summing to m.

    O(m) for two classes with room. For C of them (those that no row predicts count as one) O(Cm) and a
    shortest path, O(m + C²), for every group of rows of equal cost that is then in the wrong class.
    """
    if not len(costs.first):
        return 0
    costs, room = _relevant(costs, room)
    if len(room) == 1:
        return int(costs.at(0).sum())
    if len(room) == 2:
        base, other = costs.at(0), costs.at(1)
        return int(base.sum()) + _smallest(other - base, int(room[1]))
    flow = _Flow(costs, room)
    flow.balance()
    return int(flow.paid.sum())


def _smallest(values: Ints, count: int) -> int:
    """Sum of the `count` smallest values; 0 < count < len(values)."""
    return int(np.partition(values, count - 1)[:count].sum())


def _relevant(costs: RowCosts, room: Ints) -> tuple[RowCosts, Ints]:
    """The same problem over the classes with room; those that no row predicts are one class, the last."""
    predicted = np.zeros(len(room), dtype=bool)
    predicted[costs.first] = predicted[costs.second] = True
    named = np.flatnonzero(predicted & (room > 0))
    number = np.full(len(room), _CLOSED, dtype=np.int64)
    number[named] = np.arange(len(named))
    left = int(room[~predicted].sum())
    rooms = np.append(room[named], left) if left else room[named]
    first, second = number[costs.first], number[costs.second]
    return RowCosts(first, second, costs.at_first, costs.at_second, costs.elsewhere), rooms


class _Flow:
    """Rows in classes, each in one that is cheapest for it at the prices; paid: what each row costs there."""

    def __init__(self, costs: RowCosts, room: Ints) -> None:
        self.costs, self.room = costs, room
        self.prices = np.zeros(len(room), dtype=np.int64)
        for cls in range(len(room)):
            # the price at which exactly this class's room would be asked for, all others' being fixed
            _, elsewhere = self._best(without=cls)
            above = costs.at(cls) - elsewhere
            self.prices[cls] = np.partition(above, room[cls] - 1)[room[cls] - 1]
        self.place, _ = self._best()
        self.paid = costs.at(self.place)
        self.steps = np.stack([self._steps(cls) for cls in range(len(room))])

    def balance(self) -> None:
        """Move rows until every class has what it has room for."""
        surplus = np.bincount(self.place, minlength=len(self.room)) - self.room
        while (surplus > 0).any():
            path = self._shortest_path(surplus)
            moves = [(self._cheapest_rows(a, b), b) for a, b in pairwise(path)]
            # rows that cost the same move together
            count = min(surplus[path[0]], -surplus[path[-1]], *(len(rows) for rows, _ in moves))
            for rows, cls in moves:
                self.place[rows[:count]] = cls
                self.paid[rows[:count]] = self.costs.at(cls, rows[:count])
            for cls in path:
                self.steps[cls] = self._steps(cls)
            surplus[path[0]] -= count
            surplus[path[-1]] += count

    def _best(self, without: int = _CLOSED) -> tuple[Ints, Ints]:
        """For every row the class of least cost less price, one class left out, and that difference."""
        costs, prices = self.costs, self.prices
        # a row's own two classes aside, the dearest price is best: one of the first three
        ranked = [cls for cls in np.argsort(-prices, kind="stable")[:4].tolist() if cls != without][:3]
        place = np.full(len(costs.first), _CLOSED, dtype=np.int64)
        for cls in reversed(ranked):
            place[(costs.first != cls) & (costs.second != cls)] = cls
        best = np.where(place == _CLOSED, _FAR, costs.elsewhere - prices[place])
        for cls, cost in ((costs.first, costs.at_first), (costs.second, costs.at_second)):
            value = np.where((cls == _CLOSED) | (cls == without), _FAR, cost - prices[cls])
            better = value < best
            place, best = np.where(better, cls, place), np.where(better, value, best)
        return place, best

    def _steps(self, cls: int) -> Ints:
        """For every other class the least that a row of `cls` costs more there, (C,); 0 for itself."""
        rows = np.flatnonzero(self.place == cls)
        steps = np.full(len(self.room), _FAR, dtype=np.int64)
        if len(rows):
            costs, paid = self.costs, self.paid[rows]
            first, second = costs.first[rows], costs.second[rows]
            # a row may count as elsewhere at its first class, where it costs less, but not at its second
            more = costs.elsewhere[rows] - paid
            least = int(np.argmin(more))
            steps[:] = more[least]
            if second[least] != _CLOSED:
                rest = more[second != second[least]]
                steps[second[least]] = rest.min() if len(rest) else _FAR
            for to, cost in ((first, costs.at_first[rows]), (second, costs.at_second[rows])):
                known = to != _CLOSED
                np.minimum.at(steps, to[known], (cost - paid)[known])
        steps[cls] = 0
        return steps

    def _shortest_path(self, surplus: Ints) -> list[int]:
        """Classes from one with too many rows to one with too few; prices move so that the path is free."""
        distance = np.where(surplus > 0, 0, _FAR)
        before = np.full(len(distance), _CLOSED, dtype=np.int64)
        open_ = np.ones(len(distance), dtype=bool)
        while True:
            cls = int(np.argmin(np.where(open_, distance, 2 * _FAR)))
            if surplus[cls] < 0:
                break
            open_[cls] = False
            through = distance[cls] + self.steps[cls] + self.prices[cls] - self.prices
            shorter = open_ & (through < distance)
            distance[shorter], before[shorter] = through[shorter], cls
        self.prices += np.minimum(distance, distance[cls])
        path = [cls]
        while before[path[-1]] != _CLOSED:
            path.append(int(before[path[-1]]))
        return path[::-1]

    def _cheapest_rows(self, cls: int, to: int) -> Ints:
        """The rows of `cls` that cost least more in the class `to`."""
        rows = np.flatnonzero(self.place == cls)
        alike: Ints = rows[self.costs.at(to, rows) - self.paid[rows] == self.steps[cls, to]]
        return alike
