"""`interval`: Borda scores of arms known ever more closely, told apart two by two.

What it decides and why that is right with probability 1 − δ is argued in `interval_claims`; what it asks next
is `interval_choice`. It works on one trial of an `IntervalRace`; studies run many in one.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals
from pareto.samplers.answers import guess
from pareto.samplers.base import Answer, Guarantee
from pareto.samplers.interval_choice import Draws, IntervalRace
from pareto.samplers.rounds import RoundSampler, affordable
from pareto.standing import standing
from pareto.task import Task


class Interval(RoundSampler):
    """Tests on differences of Borda scores, every comparison with a uniformly drawn opponent."""

    name: ClassVar[str] = "interval"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier is exact, and every claim ever made about a model is right, with "
        "probability at least 1 − δ.",
        assumptions="Comparisons are independent, with outcomes in [0, 1] whose means do not change. The "
        "frontier is that of the Borda scores, which under any strictly increasing link is that of the "
        "latent scores. It need not stop when a classification gap is 0.",
        source="beyond the paper: normal mixtures and Ville's inequality, see interval_claims",
        certified=True,
        fractions=True,
        needs_order=False,
    )

    def __init__(self, task: Task) -> None:
        models, objectives = task.shape
        self.race = IntervalRace(1, models, objectives, task.delta, task.margin, joint=task.joint)
        self._number = 0
        super().__init__(task)

    @property
    def _finished(self) -> bool:
        return not self.race.tests.undecided.any()

    def _plan(self, left: int) -> Counts:
        models, objectives = self.task.shape
        draws = self.race.want()
        arms = np.zeros((models, objectives), dtype=np.int64)
        arms[draws.model, draws.objective] = draws.count
        if self.task.joint:
            # a showing answers everything: one row of opponents for all objectives
            arms = arms.max(axis=1, keepdims=True)
        # cut before opponents are drawn, or these would not be uniform
        arms = affordable(arms, left)
        self._number += 1
        rng = np.random.default_rng((self.task.seed, self._number))
        chances = np.full(models - 1, 1.0 / (models - 1))
        wanted = np.zeros(self._outstanding.shape, dtype=np.int64)
        for i in np.flatnonzero(arms.any(axis=1)).tolist():
            rivals = np.delete(np.arange(models), i)
            wanted[i, rivals, :] = rng.multinomial(arms[i], chances).T
        return wanted

    def _judge(self, asked: Counts, won: Reals) -> None:
        count, points = asked.sum(axis=1), won.sum(axis=1)
        model, r = np.nonzero(count)
        draws = Draws(np.zeros_like(model), model, r, count[model, r])
        self.race.take(draws, points[model, r])

    def _answer(self) -> Answer:
        race, claims = self.race, self.race.tests
        with np.errstate(invalid="ignore"):
            means: Reals = race.points[0] / race.draws[0]
        values = np.nan_to_num(means, nan=0.5)
        models = len(values)
        accepted, rejected = claims.accepted[0], claims.rejected[0]
        undecided = ~(accepted | rejected)
        kept = guess(means, accepted, ~rejected, self.task.margin)
        open_ = undecided[:, None] & ~rejected[None, :] & ~claims.beaten[0] & ~np.eye(models, dtype=np.bool_)
        rival = claims.witness[0].copy()
        objective = np.where(rejected, (values[claims.witness[0]] - values).argmin(axis=1), -1)
        live = np.flatnonzero(~rejected)
        closest = live[standing(values[live]).rival]
        for i, j in zip(live.tolist(), closest.tolist(), strict=True):
            if accepted[i] and i != j:
                rival[i], objective[i] = j, claims.protection[0, i, j]
        return Answer(
            frontier=np.where(undecided, kept, accepted),
            decided=~undecided,
            undecided_pairs=np.argwhere(open_).astype(np.int64).reshape(-1, 2),
            estimates=means,
            scale="borda",
            rival=rival,
            objective=objective,
            allocation=np.rint(race.draws[0]).astype(np.int64),
        )
