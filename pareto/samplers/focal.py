"""Sampling a focal model against opponents drawn uniformly from all others (paper, eq. 4).

A draw for (i, r) is then Bernoulli with mean b_i,r, the Borda score, whatever the source. The opponents
of a phase are drawn when it opens, from the task's seed and the phase's number.
"""

from __future__ import annotations

import numpy as np

from pareto.comparisons import Counts, Outcomes
from pareto.result import Mask, Reals
from pareto.samplers.phased import PhasedSampler
from pareto.samplers.schedule import PAPER, Constants
from pareto.scores import Scores
from pareto.task import Task


class FocalSampler(PhasedSampler):
    """Phases over arms (i, r) of the focal models."""

    def __init__(self, task: Task, constants: Constants = PAPER) -> None:
        models, objectives = task.shape
        self._points: Scores = np.zeros((models, objectives), dtype=np.int64)
        self._draws = np.zeros((models, objectives), dtype=np.int64)
        super().__init__(task, constants)

    def _focal(self) -> Mask:
        """Which models are focal in the coming phase; (K,)."""
        return np.ones(len(self.task.models), dtype=np.bool_)

    def _cells(self) -> int:
        models, objectives = self.task.shape
        return models * objectives

    def _size(self, draws: int) -> int:
        return draws * int(self._focal().sum()) * len(self.task.objectives)

    def _plan(self) -> Counts:
        models, objectives = self.task.shape
        rng = np.random.default_rng((self.task.seed, self.phase.number))
        fresh = self.phase.draws - self._drawn
        focal = np.flatnonzero(self._focal())
        chances = np.full(models - 1, 1.0 / (models - 1))
        wanted = np.zeros((models, models, objectives), dtype=np.int64)
        independent = 1 if self.task.joint else objectives
        drawn = rng.multinomial(fresh, chances, size=(len(focal), independent))
        for i, counts in zip(focal.tolist(), drawn, strict=True):
            rivals = np.delete(np.arange(models), i)
            wanted[i, rivals, :] = (
                counts.T
            )  # the same opponents on all objectives when these are answered together
        return wanted

    def _count(self, outcomes: Outcomes) -> None:
        if not outcomes.whole and self._points.dtype.kind == "i":
            self._points = self._points.astype(np.float64)
        arms = (outcomes.first, outcomes.objective)
        np.add.at(self._points, arms, outcomes.points)
        np.add.at(self._draws, arms, outcomes.count)

    def _means(self) -> Reals:
        """(K, d): present means, NaN where nothing was drawn."""
        with np.errstate(invalid="ignore"):
            means: Reals = self._points / self._draws
        return means
