"""Phases of uniform sampling: all that a phase wants is asked, then decided upon, then the next begins."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from pareto.comparisons import Counts, Outcomes, Queries
from pareto.errors import BattleError
from pareto.samplers.base import Sampler
from pareto.samplers.schedule import PAPER, Constants, Phase, phase
from pareto.task import Task

LARGEST = 1 << 62
"""No counter may pass this: int64 ends at 2^63."""


class PhasedSampler(Sampler):
    """Keeps what a phase still wants. Subclasses plan a phase, take its outcomes and decide at its end."""

    constants: Constants
    phase: Phase
    """The phase being sampled."""
    closed: Phase | None
    """The last complete phase, which all decisions rest on."""

    def __init__(self, task: Task, constants: Constants = PAPER) -> None:
        super().__init__(task)
        self.constants = constants
        self.closed = None
        models, objectives = task.shape
        self._outstanding = np.zeros((models, models, objectives), dtype=np.int64)
        self._told = np.zeros_like(self._outstanding) if task.joint else None
        self._queries = Queries.none()
        self._open(1)

    @abstractmethod
    def _cells(self) -> int:
        """How many means a phase watches."""

    @abstractmethod
    def _size(self, draws: int) -> int:
        """How many comparisons, outcomes counted one by one, the coming phase wants."""

    @abstractmethod
    def _plan(self) -> Counts:
        """(K, K, d): the comparisons that bring every cell from `closed` to `phase`."""

    @abstractmethod
    def _count(self, outcomes: Outcomes) -> None:
        """Add outcomes of planned comparisons to the tallies."""

    @abstractmethod
    def _close(self) -> None:
        """Decide on the complete phase, which is `closed` by now."""

    @property
    def _drawn(self) -> int:
        return 0 if self.closed is None else self.closed.draws

    def _open(self, number: int) -> None:
        """Plan phase `number`, unless it does not fit under the cap: half a phase decides nothing."""
        self.phase = phase(number, self._cells(), self.task.delta, self.constants)
        fresh = self.phase.draws - self._drawn
        outcomes = self._size(fresh)
        cost = outcomes // len(self.task.objectives) if self.task.joint else outcomes
        self._outstanding[...] = 0
        if self.fits(cost) and self.comparisons + outcomes < LARGEST:
            self._outstanding[...] = self._plan()
        self._queries = Queries.from_dense(self._outstanding)

    def _wanted(self) -> Queries:
        if self._queries.total != int(self._outstanding.sum()):
            self._queries = Queries.from_dense(self._outstanding)
        return self._queries

    def _oriented(self, outcomes: Outcomes) -> Outcomes:
        """The same outcomes in the direction in which they are asked."""
        return outcomes

    def _take(self, outcomes: Outcomes) -> None:
        outcomes = self._oriented(outcomes)
        told = np.zeros_like(self._outstanding)
        where = (outcomes.first, outcomes.second, outcomes.objective)
        np.add.at(told, where, outcomes.count)
        self._refuse_unasked(told)
        self._count(outcomes)
        self._outstanding -= told
        if self._told is None:
            self.comparisons += outcomes.total
        else:
            # a showing answers all objectives, so a pair was shown as often as its busiest objective
            self._told += told
            self.comparisons = int(self._told.max(axis=2).sum())
        if not self._outstanding.any():
            self.closed = self.phase
            self._close()
            if not self._finished:
                self._open(self.phase.number + 1)

    def _refuse_unasked(self, told: Counts) -> None:
        over = told > self._outstanding
        if over.any():
            i, j, r = (int(index) for index in np.argwhere(over)[0])
            models = self.task.models
            raise BattleError(
                f"{self.name}: {told[i, j, r]} comparisons of {models[i]!r} with {models[j]!r} on "
                f"{self.task.objectives[r]!r} were told, {self._outstanding[i, j, r]} are wanted; tell what "
                "`ask` names, once each (nothing of this call was used)"
            )
