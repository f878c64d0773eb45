"""Concrete queries: who is shown on which side, on which objectives, how often.

A sampler wants numbers of comparisons in cells (first, second, objective). Here they become showings. The
side of `first` is a coin flip fixed by the seed and the query's number; a query of many comparisons at once
is dealt as two, half of them from either side. So a preference for a side, whatever its size, favours no
model, and its size can be read off the outcomes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts

_ORDER = 1
"""Distinguishes the order of queries from other uses of the seed."""


@dataclass(frozen=True, slots=True)
class Query:
    """`count` comparisons of `left` with `right` (positions), each answering all of `objectives`.

    number: counts from 1 within a session. focal: the model on whose side the sampler counts, left or right.
    """

    number: int
    left: int
    right: int
    objectives: tuple[int, ...]
    count: int
    focal: int

    @property
    def other(self) -> int:
        """The model that is not `focal`."""
        return self.right if self.focal == self.left else self.left


@dataclass(frozen=True)
class Cells:
    """The rows of a round, (first, second, objectives), in the order in which they are dealt."""

    rows: tuple[tuple[int, int, tuple[int, ...]], ...]

    @classmethod
    def of(cls, wanted: Counts, joint: bool, seed: int, number: int) -> Cells:
        """Cells `wanted` (K, K, d) in round `number`; with `joint` all objectives of a pair in one row."""
        rows: list[tuple[int, int, tuple[int, ...]]]
        if joint:
            rows = [
                (i, j, tuple(np.flatnonzero(wanted[i, j]).tolist()))
                for i, j in np.argwhere(wanted.any(axis=2)).tolist()
            ]
        else:
            rows = [(i, j, (r,)) for i, j, r in np.argwhere(wanted).tolist()]
        order = np.random.default_rng((seed, _ORDER, number)).permutation(len(rows))
        return cls(tuple(rows[at] for at in order.tolist()))


def deal_singly(cells: Cells, free: Counts, start: int, m: int, number: int, seed: int) -> list[Query]:
    """Up to m single showings from `free` (K, K, d), going round the cells from place `start`.

    number: of the first new query.
    """
    queries: list[Query] = []
    left = free.copy()
    size = len(cells.rows)
    idle = 0
    at = start
    while len(queries) < m and idle < size:
        i, j, objectives = cells.rows[at % size]
        some = tuple(r for r in objectives if left[i, j, r] > 0)
        at += 1
        idle = 0 if some else idle + 1
        if some:
            left[i, j, list(some)] -= 1
            queries.append(_shown(number + len(queries), i, j, some, 1, _coin(seed, number + len(queries))))
    return queries


def deal_all(cells: Cells, free: Counts, number: int, seed: int) -> list[Query]:
    """All of `free` (K, K, d), as few queries as possible, half of each cell from either side."""
    queries: list[Query] = []
    for i, j, objectives in cells.rows:
        for some, count in _levels(objectives, free[i, j]):
            swapped = _coin(seed, number + len(queries))
            larger = count - count // 2
            for half, turned in ((larger, swapped), (count - larger, not swapped)):
                if half:
                    queries.append(_shown(number + len(queries), i, j, some, half, turned))
    return queries


def _levels(objectives: tuple[int, ...], free: Counts) -> Iterator[tuple[tuple[int, ...], int]]:
    """Showings that answer exactly `free[r]` times on each objective, the widest first."""
    given = 0
    while some := tuple(r for r in objectives if free[r] > given):
        upto = min(int(free[r]) for r in some)
        yield some, upto - given
        given = upto


def _shown(number: int, i: int, j: int, objectives: tuple[int, ...], count: int, turned: bool) -> Query:
    return Query(number, j if turned else i, i if turned else j, objectives, count, i)


def _coin(seed: int, number: int) -> bool:
    return bool(hashlib.blake2b(f"{seed}/{number}".encode(), digest_size=1).digest()[0] & 1)
