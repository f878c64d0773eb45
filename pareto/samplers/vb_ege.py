"""VB-EGE: vector-Borda empirical-gap elimination (paper, Algorithm 1)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.gaps import leads
from pareto.result import Mask
from pareto.samplers.answers import closest_objective, guess
from pareto.samplers.base import Answer, Guarantee, no_models
from pareto.samplers.elimination import Elimination
from pareto.samplers.focal import FocalSampler
from pareto.samplers.schedule import PAPER, Constants
from pareto.standing import open_pairs
from pareto.task import Task


class VbEge(FocalSampler):
    """Samples only models still active; drops and accepts them by their gaps, the largest first."""

    name: ClassVar[str] = "vb-ege"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier is exact with probability at least 1 − δ, after a number of comparisons "
        "bounded by Σ 1/Δ_i² up to logarithms.",
        assumptions="Comparisons are independent, with outcomes in [0, 1] whose means do not change. The "
        "frontier is that of the Borda scores, which under any strictly increasing link is that of the "
        "latent scores. Constants (2, 4, 4). It need not stop when a classification gap is 0.",
        source="frontier paper, Algorithm 1, Proposition B.4, Theorem 3.1",
        certified=True,
        fractions=True,
        needs_order=False,
    )

    def __init__(self, task: Task, constants: Constants = PAPER) -> None:
        models = len(task.models)
        self._active = np.ones(models, dtype=np.bool_)
        self._accepted = np.zeros(models, dtype=np.bool_)
        self._rival = no_models(models)
        super().__init__(task, constants)

    def _focal(self) -> Mask:
        return self._active

    @property
    def _finished(self) -> bool:
        return not self._active.any()

    def _close(self) -> None:
        at = self.phase
        points = self._points[None]
        inner = Elimination(
            leads(points, self.task.margin * at.draws),
            self._active[None],
            self.constants.threshold * at.radius * at.draws,
        )
        inner.run()
        dropped = self._active & ~inner.active[0]
        self._rival = np.where(dropped, inner.rival[0], self._rival)
        self._active = inner.active[0]
        self._accepted |= inner.accepted[0]

    def _answer(self) -> Answer:
        means = self._means()
        estimates = np.nan_to_num(means, nan=0.5)
        radius = np.inf if self.closed is None else self.closed.radius
        return Answer(
            frontier=guess(means, self._accepted, self._active, self.task.margin),
            decided=~self._active,
            undecided_pairs=open_pairs(estimates, self._active, radius, self.task.margin),
            estimates=means,
            scale="borda",
            rival=self._rival.copy(),
            objective=closest_objective(estimates, self._rival),
            allocation=self._draws.copy(),
        )
