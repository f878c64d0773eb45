"""`duel`: who is better on one objective is settled by direct comparisons, by betting against ½.

What it decides and why that is right with probability 1 − δ is argued in `duel_tickets`; what it asks next is
`duel_choice`. It works on one trial of a `DuelRace`; studies run many in one.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals
from pareto.samplers.answers import guess
from pareto.samplers.base import Answer, Guarantee, no_models
from pareto.samplers.duel_choice import DuelRace, Duels
from pareto.samplers.rounds import RoundSampler, affordable
from pareto.standing import standing
from pareto.task import Task


class Duel(RoundSampler):
    """Bets on single orders; spends comparisons only where they classify a model."""

    name: ClassVar[str] = "duel"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier is exact, and every claim ever made about a model is right, with "
        "probability at least 1 − δ.",
        assumptions="Comparisons are independent, with outcomes in [0, 1] whose means do not change. On "
        "every objective the better of two models has a mean above ½, by one order of all models. A margin "
        "is in such means: dominated is whom another model beats with a mean above ½ + ε everywhere. It need "
        "not stop when a classification gap is 0.",
        source="beyond the paper: conditional Ville inequality for every ticket, see duel_tickets",
        certified=True,
        fractions=True,
        needs_order=True,
    )

    race_type: ClassVar[type[DuelRace]] = DuelRace

    def __init__(self, task: Task) -> None:
        models, objectives = task.shape
        self.race = self.race_type(
            1, models, objectives, task.delta, task.margin, task.seed, joint=task.joint
        )
        super().__init__(task)

    @property
    def _finished(self) -> bool:
        return not self.race.tickets.undecided.any()

    def _plan(self, left: int) -> Counts:
        duels = self.race.want()
        wanted = np.zeros(self._outstanding.shape, dtype=np.int64)
        wanted[duels.first, duels.second, duels.objective] = duels.count
        if not self.task.joint:
            return affordable(wanted, left)
        # a showing answers everything, so everything is asked, from one side
        pairs = wanted.max(axis=2)
        pairs = np.triu(np.maximum(pairs, pairs.T))
        return np.repeat(affordable(pairs, left)[:, :, None], len(self.task.objectives), axis=2)

    def _judge(self, asked: Counts, won: Reals) -> None:
        first, second, r = np.nonzero(asked)
        count = asked[first, second, r]
        self.race.take(Duels(np.zeros_like(first), first, second, r, count), won[first, second, r])

    def _answer(self) -> Answer:
        tickets, theta = self.race.tickets, self.race.belief.theta[0].T
        models = len(theta)
        accepted, rejected = tickets.accepted[0], tickets.rejected[0]
        undecided = ~tickets.decided[0]
        kept = guess(theta, accepted, ~rejected, self.race.latent_margin)
        open_ = undecided[:, None] & ~rejected[None, :] & ~tickets.beaten[0] & ~np.eye(models, dtype=np.bool_)
        rival = np.where(rejected, tickets.witness[0], no_models(models))
        objective = np.where(rejected, (theta[tickets.witness[0]] - theta).argmin(axis=1), -1)
        live = np.flatnonzero(~rejected)
        closest = live[standing(theta[live]).rival] if len(live) else live
        for i, j in zip(live.tolist(), closest.tolist(), strict=True):
            if accepted[i] and i != j:
                rival[i], objective[i] = j, tickets.protection[0, i, j]
        played = tickets.wins[0] + tickets.wins[0].swapaxes(1, 2)
        return Answer(
            frontier=np.where(undecided, kept, accepted),
            decided=~undecided,
            undecided_pairs=np.argwhere(open_).astype(np.int64).reshape(-1, 2),
            estimates=theta.copy(),
            scale="latent",
            rival=rival,
            objective=objective,
            allocation=np.rint(played.sum(axis=2).T).astype(np.int64),
        )
