"""Sampling all pairs of models on all objectives alike, and deciding everything at once."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from pareto.comparisons import Counts, Outcomes
from pareto.gaps import gaps
from pareto.result import Reals
from pareto.samplers.answers import answer_at_once
from pareto.samplers.base import Answer
from pareto.samplers.phased import PhasedSampler
from pareto.samplers.schedule import PAPER, Constants
from pareto.scores import Scores
from pareto.task import Task


class PairSampler(PhasedSampler):
    """Phases over unordered pairs (i < j, r); decides when all gaps of its estimates are clear."""

    scale: str

    def __init__(self, task: Task, constants: Constants = PAPER) -> None:
        models, objectives = task.shape
        self._wins: Scores = np.zeros((objectives, models, models), dtype=np.int64)
        self._estimates: Reals = np.full((models, objectives), np.nan)
        self._clear = False
        super().__init__(task, constants)

    @abstractmethod
    def _estimate(self) -> Reals:
        """(K, d) from `_wins` (d, K, K)."""

    def _cells(self) -> int:
        models, objectives = self.task.shape
        return objectives * (models * (models - 1) // 2)

    def _size(self, draws: int) -> int:
        return draws * self._cells()

    def _plan(self) -> Counts:
        models, objectives = self.task.shape
        fresh = self.phase.draws - self._drawn
        pairs = np.triu(np.full((models, models), fresh, dtype=np.int64), 1)
        return np.repeat(pairs[:, :, None], objectives, axis=2)

    def _oriented(self, outcomes: Outcomes) -> Outcomes:
        turned = outcomes.first > outcomes.second
        return Outcomes(
            first=np.where(turned, outcomes.second, outcomes.first),
            second=np.where(turned, outcomes.first, outcomes.second),
            objective=outcomes.objective,
            count=outcomes.count,
            points=np.where(turned, outcomes.count - outcomes.points, outcomes.points),
        )

    def _count(self, outcomes: Outcomes) -> None:
        if not outcomes.whole and self._wins.dtype.kind == "i":
            self._wins = self._wins.astype(np.float64)
        first, second, objective = outcomes.first, outcomes.second, outcomes.objective
        np.add.at(self._wins, (objective, first, second), outcomes.points)
        np.add.at(self._wins, (objective, second, first), outcomes.count - outcomes.points)

    @property
    def _finished(self) -> bool:
        return self._clear

    def _close(self) -> None:
        self._estimates = self._estimate()
        gap = gaps(self._estimates, margin=self.task.margin)
        self._clear = bool(gap.min() > self.constants.threshold * self.phase.radius)

    def _answer(self) -> Answer:
        radius = np.inf if self.closed is None else self.closed.radius
        met = self._wins + self._wins.swapaxes(1, 2)
        allocation = np.rint(met.sum(axis=2).T).astype(np.int64)
        return answer_at_once(self._estimates, self.scale, self._clear, radius, self.task.margin, allocation)
