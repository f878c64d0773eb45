"""Rounds of comparisons of any size: all that a round wants is asked, then judged, then the next begins.

Unlike a phase, a round may be cut short by the cap: what was told of it counts all the same.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from pareto.comparisons import Counts, Outcomes, Queries
from pareto.errors import BattleError
from pareto.links import Reals
from pareto.samplers.base import Sampler
from pareto.task import Task

LARGEST = 1 << 53
"""No more comparisons than this: up to here floating-point tallies of whole points are exact."""


class RoundSampler(Sampler):
    """Keeps what a round still wants and what was told of it."""

    largest: ClassVar[int] = LARGEST
    """No more comparisons than this, whatever the cap."""
    tally: ClassVar[type] = np.float64
    """What points are added up in; int64 has room for more of them where all are whole."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        models, objectives = task.shape
        self._outstanding: Counts = np.zeros((models, models, objectives), dtype=np.int64)
        self._asked: Counts = np.zeros_like(self._outstanding)
        self._won: Any = np.zeros(self._outstanding.shape, dtype=self.tally)
        self._paid = 0
        self._open()

    @abstractmethod
    def _plan(self, left: int) -> Counts:
        """(K, K, d): the comparisons of the next round, costing at most `left`."""

    @abstractmethod
    def _judge(self, asked: Counts, won: Reals) -> None:
        """Use a complete round: (K, K, d) comparisons and points of the row model."""

    def _open(self) -> None:
        cap = self.task.max_comparisons
        left = max((self.largest if cap is None else min(cap, self.largest)) - self.comparisons, 0)
        none = self._finished or left == 0
        self._asked = np.zeros_like(self._outstanding) if none else self._plan(left)
        self._paid = self.comparisons
        self._outstanding = self._asked.copy()
        self._won = np.zeros(self._asked.shape, dtype=self.tally)

    def _wanted(self) -> Queries:
        return Queries.from_dense(self._outstanding)

    def _take(self, outcomes: Outcomes) -> None:
        told = np.zeros_like(self._outstanding)
        where = (outcomes.first, outcomes.second, outcomes.objective)
        np.add.at(told, where, outcomes.count)
        over = told > self._outstanding
        if over.any():
            i, j, r = (int(index) for index in np.argwhere(over)[0])
            models = self.task.models
            raise BattleError(
                f"{self.name}: {told[i, j, r]} comparisons of {models[i]!r} with {models[j]!r} on "
                f"{self.task.objectives[r]!r} were told, {self._outstanding[i, j, r]} are wanted; tell what "
                "`ask` names, once each (nothing of this call was used)"
            )
        np.add.at(self._won, where, outcomes.points)
        self._outstanding -= told
        done = self._asked - self._outstanding
        # a showing that answers all objectives is paid once, by the objective answered most often
        self.comparisons = self._paid + int(done.max(axis=2).sum() if self.task.joint else done.sum())
        if not self._outstanding.any():
            self._judge(self._asked, self._won)
            self._open()


def affordable(wanted: Counts, left: int) -> Counts:
    """`wanted` if its sum is at most `left`, else about the same share of every entry, with sum `left`."""
    total = int(wanted.sum())
    if total <= left:
        return wanted
    ends = np.array([0, *(end * left // total for end in np.cumsum(wanted).tolist())], dtype=np.int64)
    return (ends[1:] - ends[:-1]).reshape(wanted.shape)
