"""How comparisons come out: the laws that simulated runs draw from.

A comparison is a win, a loss or, under some laws, half a win; points are kept in whole units, which are
halves where halves occur. Runs ask for three kinds of draw: of an arm (model i against a uniformly drawn
opponent on objective r), of all pairs i < j alike, or of chosen cells (i, j, r).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from pareto.borda import borda, borda_of_probabilities
from pareto.comparisons import Counts
from pareto.links import Link, Reals, logistic


@dataclass(frozen=True, eq=False)
class Chances:
    """Of single draws. The first axis is that of instances: one for all trials, or one for each.

    Attributes:
        win: (...) probability of a win.
        half: (...) probability of half a win; None if there is no such outcome.
    """

    win: Reals
    half: Reals | None = None

    @property
    def unit(self) -> int:
        """Units that make one point."""
        return 1 if self.half is None else 2

    def __getitem__(self, where: Any) -> Chances:
        return Chances(self.win[where], None if self.half is None else self.half[where])

    def of(self, trial: int) -> Chances:
        """Those of one trial, without the first axis."""
        return self[trial if len(self.win) > 1 else 0]

    def drawn(self, rng: np.random.Generator, count: int | Counts) -> Counts:
        """Points, in units, of `count` independent draws of each kind."""
        if self.half is None:
            return rng.binomial(count, self.win)
        # a trinomial draw, one outcome after the other
        halves = rng.binomial(count, self.half)
        rest = 1 - self.half
        share = np.divide(self.win, rest, out=np.zeros_like(self.win), where=rest > 0)
        wins = rng.binomial(count - halves, np.clip(share, 0.0, 1.0))
        return np.asarray(2 * wins + halves, dtype=np.int64)


class Law(Protocol):
    """What runs draw from. Arrays begin with an axis of instances: 1, or one instance for each trial."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(instances, K, d)."""
        ...

    def part(self, begin: int, end: int) -> Self:
        """That of the trials from `begin` up to `end`."""
        ...

    def arms(self) -> Chances:
        """(instances, K, d)."""
        ...

    def pairs(self) -> Chances:
        """(instances, d, pairs): the first model of each pair i < j against the second."""
        ...

    def cells(self, trial: Counts, first: Counts, second: Counts, objective: Counts) -> Chances:
        """(m,): single cells, each of a trial."""
        ...


@dataclass(frozen=True, eq=False)
class LatentLaw:
    """Wins with probability link(θ_i,r − θ_j,r); theta (instances, K, d)."""

    theta: Reals
    link: Link = logistic

    @property
    def shape(self) -> tuple[int, int, int]:
        instances, models, objectives = self.theta.shape
        return instances, models, objectives

    def part(self, begin: int, end: int) -> LatentLaw:
        return replace(self, theta=self.theta[begin:end]) if len(self.theta) > 1 else self

    def arms(self) -> Chances:
        return Chances(borda(self.theta, self.link))

    def pairs(self) -> Chances:
        first, second = np.triu_indices(self.theta.shape[1], 1)
        return Chances(self.link(np.moveaxis(self.theta[:, first] - self.theta[:, second], -1, 1)))

    def cells(self, trial: Counts, first: Counts, second: Counts, objective: Counts) -> Chances:
        which = trial if len(self.theta) > 1 else np.zeros_like(trial)
        return Chances(self.link(self.theta[which, first, objective] - self.theta[which, second, objective]))


@dataclass(frozen=True, eq=False)
class CellLaw:
    """One instance given by its cells.

    Attributes:
        means: (K, K, d) mean points of row against column, p_ij + p_ji = 1; the diagonal is ignored.
        halves: (K, K, d) probability of half a win, symmetric; None if there is no such outcome.
    """

    means: Reals
    halves: Reals | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        models, _, objectives = self.means.shape
        return 1, models, objectives

    def part(self, begin: int, end: int) -> CellLaw:
        return self

    def arms(self) -> Chances:
        half = None if self.halves is None else borda_of_probabilities(self.halves)[None]
        return Chances(borda_of_probabilities(self._cells.win)[None], half)

    def pairs(self) -> Chances:
        first, second = np.triu_indices(len(self.means), 1)
        cells = self._cells[first, second]
        half = None if cells.half is None else cells.half.T[None]
        return Chances(cells.win.T[None], half)

    def cells(self, trial: Counts, first: Counts, second: Counts, objective: Counts) -> Chances:
        return self._cells[first, second, objective]

    @cached_property
    def _cells(self) -> Chances:
        if self.halves is None:
            return Chances(self.means)
        return Chances(np.clip(self.means - self.halves / 2, 0.0, 1.0), self.halves)
