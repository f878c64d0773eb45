"""Comparisons on the way out (queries) and on the way back (outcomes), as arrays.

One row stands for `count` independent comparisons of model `first` with model `second` on one objective.
Models and objectives are 0-based positions. Counts and points may pass 2^53, so whole ones stay int64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError

Counts = npt.NDArray[np.int64]
Points = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Queries:
    """Comparisons wanted: four int64 arrays (m,) of the same length.

    Row q asks for `count[q]` ≥ 1 comparisons of `first[q]` with `second[q]` on `objective[q]`. No two
    rows name the same (first, second, objective); (j, i, r) is another row than (i, j, r).
    """

    first: Counts
    second: Counts
    objective: Counts
    count: Counts

    @classmethod
    def none(cls) -> Self:
        """No comparison at all."""
        empty = np.zeros(0, dtype=np.int64)
        return cls(empty, empty, empty, empty)

    @classmethod
    def from_dense(cls, wanted: Counts) -> Self:
        """`wanted` (K, K, d): how many comparisons of row model with column model, by objective."""
        first, second, objective = np.nonzero(wanted)
        return cls(first, second, objective, wanted[first, second, objective])

    def __len__(self) -> int:
        return len(self.count)

    @property
    def total(self) -> int:
        """How many comparisons these are, a cell at a time."""
        return sum(self.count.tolist())

    def rows(self, which: npt.NDArray[np.bool_] | Counts) -> Self:
        """The chosen rows."""
        return type(self)(self.first[which], self.second[which], self.objective[which], self.count[which])

    def head(self, limit: int) -> Self:
        """The first comparisons, `limit` of them at most; the last row may be cut."""
        before = np.cumsum(self.count) - self.count
        kept = np.minimum(self.count, limit - before)
        some = kept > 0
        return type(self)(self.first[some], self.second[some], self.objective[some], kept[some])


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What came of comparisons: arrays (m,) of the same length.

    Row q tells of `count[q]` comparisons of `first[q]` with `second[q]` on `objective[q]`. `points[q]`,
    between 0 and that count, is the sum of their outcomes from the side of `first`: the wins of `first` where
    outcomes are 0 or 1 (int64), in general a sum of numbers in [0, 1] (float64).
    """

    first: Counts
    second: Counts
    objective: Counts
    count: Counts
    points: Points

    @classmethod
    def of(cls, queries: Queries, points: Points) -> Self:
        """All of `queries` answered: `points` (m,)."""
        return cls(queries.first, queries.second, queries.objective, queries.count, points)

    @classmethod
    def one(cls, first: int, second: int, objective: int, outcome: float) -> Self:
        """A single comparison: `outcome` 1 when `first` is preferred, 0 when `second` is, or in between."""
        i, j, r, one = (np.array([value], dtype=np.int64) for value in (first, second, objective, 1))
        return cls(i, j, r, one, np.array([outcome], dtype=np.float64))

    @classmethod
    def many(cls, parts: Sequence[Outcomes]) -> Outcomes:
        """One after the other."""
        return Outcomes(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("first", "second", "objective", "count", "points")
            )
        )

    def __len__(self) -> int:
        return len(self.count)

    @property
    def total(self) -> int:
        """How many comparisons these are."""
        return sum(self.count.tolist())

    @property
    def whole(self) -> bool:
        """True if the points are whole numbers of wins."""
        return bool(np.issubdtype(self.points.dtype, np.integer))

    def checked(self, models: Sequence[str], objectives: Sequence[str]) -> Outcomes:
        """The same outcomes, int64 and in range; a `BattleError` that names the first bad row otherwise."""
        columns = {}
        for name in ("first", "second", "objective", "count"):
            column = np.asarray(getattr(self, name))
            if column.ndim != 1 or not np.issubdtype(column.dtype, np.integer):
                raise BattleError(
                    f"outcomes: {name!r} is {column.dtype} of shape {column.shape}; "
                    "one-dimensional arrays of whole numbers are accepted"
                )
            columns[name] = column.astype(np.int64)
        points = np.asarray(self.points)
        lengths = {name: len(column) for name, column in columns.items()} | {"points": len(points)}
        if len(set(lengths.values())) > 1:
            raise BattleError(f"outcomes: columns of different lengths {lengths}; give one entry a row")
        if points.dtype.kind not in "biuf":
            raise BattleError(
                f"outcomes: points are {points.dtype}; numbers between 0 and count are accepted"
            )
        limits = (("first", len(models)), ("second", len(models)), ("objective", len(objectives)))
        for name, limit in limits:
            self._refuse((columns[name] < 0) | (columns[name] >= limit), name, f"0 to {limit - 1}")
        self._refuse(columns["first"] == columns["second"], "second", "a model other than `first`")
        self._refuse(columns["count"] < 0, "count", "0 or more")
        self._refuse(~((points >= 0) & (points <= columns["count"])), "points", "0 to count")
        return Outcomes(**columns, points=_as_points(points))

    def _refuse(self, bad: npt.NDArray[np.bool_], name: str, accepted: str) -> None:
        if bad.any():
            row = int(np.argmax(bad))
            value = getattr(self, name)[row]
            raise BattleError(f"outcomes, row {row}: {name} is {value}; {accepted} is accepted")


def _as_points(points: npt.NDArray[np.generic]) -> Points:
    """int64 if every entry is whole, however it was written; float64 otherwise."""
    if points.dtype.kind != "f":
        return points.astype(np.int64)
    reals = points.astype(np.float64)
    wins = reals.astype(np.int64)
    return wins if np.array_equal(wins, reals) else reals
