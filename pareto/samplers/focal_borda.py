"""Focal Borda: VB-EGE's sampling without its elimination (paper, section 4.1)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.gaps import gaps
from pareto.samplers.answers import answer_at_once
from pareto.samplers.base import Answer, Guarantee
from pareto.samplers.focal import FocalSampler
from pareto.samplers.schedule import PAPER, Constants
from pareto.task import Task


class FocalBorda(FocalSampler):
    """Every model is focal in every phase, until all gaps are clear at once."""

    name: ClassVar[str] = "focal-borda"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier is exact with probability at least 1 − δ.",
        assumptions="As for vb-ege.",
        source="frontier paper, section 4.1; the confidence event is that of Lemma B.6",
        certified=True,
        fractions=True,
        needs_order=False,
    )

    def __init__(self, task: Task, constants: Constants = PAPER) -> None:
        self._clear = False
        super().__init__(task, constants)

    @property
    def _finished(self) -> bool:
        return self._clear

    def _close(self) -> None:
        gap = gaps(self._points, margin=self.task.margin * self.phase.draws)
        self._clear = bool(gap.min() > self.constants.threshold * self.phase.radius * self.phase.draws)

    def _answer(self) -> Answer:
        radius = np.inf if self.closed is None else self.closed.radius
        return answer_at_once(
            self._means(), "borda", self._clear, radius, self.task.margin, self._draws.copy()
        )
