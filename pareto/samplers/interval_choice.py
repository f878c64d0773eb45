"""Which arms `interval` draws next. No guarantee rests on this file: any choice from the past is valid.

After a pilot each undecided model is either threatened, when some rival may well dominate it, or it seems
safe. A threatened model is to be told from the rival for whom that is predicted to cost least, on the
objectives still open there; a safe one from each rival that is itself not threatened, on the objective where
it leads by most. An arm that many tests use is drawn more: with u tests on one arm and v on the other the
cheapest ratio of draws is √u : √v. Batches follow the predicted need.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import Index
from pareto.samplers.interval_claims import Claims


@dataclass(frozen=True)
class Habits:
    """Numbers that only change how much is spent.

    Attributes:
        first: draws of every arm in the first round of the pilot.
        pilot: the pilot goes on while it is less than this share of the predicted cost of all rejections.
        doubt: a rival with a lead above −doubt standard errors on every objective is a threat.
        floor: leads below this many standard errors count as this many when costs are predicted.
        portion: share of the predicted need in one batch.
        growth: a batch is at most this share of an arm's draws.
        least: and at least this share.
        weight: m of a test is this divided by the squared lead that the pilot suggests.
    """

    first: int = 8
    pilot: float = 0.08
    doubt: float = 1.0
    floor: float = 0.5
    portion: float = 0.7
    growth: float = 0.5
    least: float = 0.04
    weight: float = 0.6


HABITS = Habits()
MIXING = 2.6
"""What the two square roots of E are predicted to cost, in log."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws wanted, arrays (m,): of model `model` on `objective` against uniform opponents; no arm twice."""

    trial: Index
    model: Index
    objective: Index
    count: Index


class IntervalRace:
    """T trials of `interval`: `want`, then `take` with the points of each row, until no trial is open.

    joint: a draw answers all objectives, so the dearest objective is what a rejection costs.
    """

    def __init__(
        self,
        trials: int,
        models: int,
        objectives: int,
        delta: float,
        margin: float = 0.0,
        habits: Habits = HABITS,
        joint: bool = False,
    ) -> None:
        self.joint = joint
        self.tests = Claims(trials, models, objectives, delta, margin)
        self.spent: Index = np.zeros(trials, dtype=np.int64)
        self.draws: Reals = np.zeros((trials, models, objectives))
        self.points: Reals = np.zeros((trials, models, objectives))
        self.habits = habits
        self._rival: Index = np.full((trials, models), -1, dtype=np.int64)

    @property
    def open(self) -> Index:
        """Trials in which somebody is undecided."""
        return np.flatnonzero(self.tests.undecided.any(axis=1))

    def take(self, draws: Draws, points: Reals) -> None:
        """Outcomes of all of `draws`: points (m,). Makes the claims they allow."""
        where = (draws.trial, draws.model, draws.objective)
        self.draws[where] += draws.count
        self.points[where] += points
        game = self.tests.ready[draws.trial]
        later = tuple(index[game] for index in where)
        self.tests.draws[later] += draws.count[game]
        self.tests.points[later] += points[game]
        np.add.at(self.spent, draws.trial, draws.count)
        self.tests.judge(np.unique(draws.trial))

    def want(self) -> Draws:
        """The next draws of all open trials."""
        trials = self.open
        models, objectives = self.tests.models, self.tests.objectives
        wanted = np.zeros((len(trials), models, objectives))
        outlook = _Outlook(self, trials)
        pilot = ~self.tests.ready[trials]
        if pilot.any():
            short = pilot & (self.spent[trials] < self.habits.pilot * outlook.predicted())
            short |= self.spent[trials] == 0
            so_far = self.draws[trials].max(axis=(1, 2))
            wanted[short] = np.maximum(so_far[short] / 2, self.habits.first)[:, None, None]
            ending = pilot & ~short
            if ending.any():
                self._begin(trials[ending], outlook, ending)
                outlook = _Outlook(self, trials)
            pilot = short
        running = np.flatnonzero(~pilot)
        if len(running):
            wanted[running] = self._batches(trials, outlook, running)
        row, model, objective = np.nonzero(wanted)
        count = np.ceil(wanted[row, model, objective]).astype(np.int64)
        return Draws(trials[row], model, objective.astype(np.int64), count)

    def _begin(self, trials: Index, outlook: _Outlook, which: Mask) -> None:
        lead, spread = outlook.leads(which)
        sure = np.maximum(np.abs(lead), spread)
        weight = np.ceil(self.habits.weight / sure**2)
        witness = _ranks(outlook.price[which], axis=2)
        # the leads of the row, largest first
        objective = _ranks(lead, axis=1)
        self.tests.begin(trials, weight, witness, objective)

    def _batches(self, trials: Index, outlook: _Outlook, running: Index) -> Reals:
        """(t, K, d) draws wanted by the running trials."""
        claims, habits = self.tests, self.habits
        at, first, second, r, units = self._demands(trials[running], outlook, running)
        draws = self.tests.draws[trials[running]]
        users = np.zeros_like(draws)
        np.add.at(users, (at, first, r), 1)
        np.add.at(users, (at, second, r), 1)
        one, two = (at, first, r), (at, second, r)
        ratio = np.sqrt(users[one] / users[two])
        weight = claims.weight[trials[running][at], r, first, second]
        goal_one = units / 2 * (1 + ratio)
        goal_two = units / 2 * (1 + 1 / ratio)
        target = np.zeros_like(draws)
        for mine, other, goal in ((one, two, goal_two), (two, one, goal_one)):
            known = np.maximum(draws[other], goal)
            np.maximum.at(target, mine, 1 / np.maximum(2 / units - 1 / known, 1e-300) + weight)
        total = self.draws[trials[running]]
        size = np.clip(habits.portion * (target - draws), habits.least * total, habits.growth * total + 4)
        return np.where(users > 0, np.maximum(size, 1), 0)

    def _demands(
        self, trials: Index, outlook: _Outlook, rows: Index
    ) -> tuple[Index, Index, Index, Index, Reals]:
        """Tests to push: trial row, models, objective, and the sharpness a_i a_j/(a_i+a_j) they need."""
        claims, habits = self.tests, self.habits
        threatened = outlook.threatened[rows]
        price, witness = outlook.price[rows], outlook.witness[rows]
        at, model = np.nonzero(threatened)
        best = witness[at, model]
        old = self._rival[trials[at], model]
        keep = (old >= 0) & (price[at, model, np.maximum(old, 0)] < price[at, model, best] / 0.8)
        best = np.where(keep, old, best)
        self._rival[trials[at], model] = best
        still = ~claims.behind[trials[at], :, model, best]
        lead, spread = outlook.lead(rows[at], model, best)
        lead = lead - claims.margin
        score = np.where(still, lead / spread, np.inf)
        doubtful = score.min(axis=1) < habits.doubt
        only = np.zeros_like(still)
        only[np.arange(len(at)), score.argmin(axis=1)] = True
        line, r = np.nonzero(still & (only | ~doubtful[:, None]))
        goal = claims.reject_goal[trials[at], model, best] + MIXING
        units = goal[line] / np.maximum(lead[line, r], habits.floor * spread[line, r]) ** 2

        safe = claims.undecided[trials] & ~threatened
        rivals = ~claims.rejected[trials] & ~threatened
        pairs = safe[:, :, None] & rivals[:, None, :] & ~claims.beaten[trials]
        pairs &= ~np.eye(claims.models, dtype=np.bool_)
        at2, model2, rival2 = np.nonzero(pairs)
        behind, spread2 = outlook.lead(rows[at2], model2, rival2)
        ahead = claims.margin - behind
        goal2 = claims.accept_goal[trials[at2], :, model2, rival2] + MIXING
        units2 = goal2 / np.maximum(ahead, habits.floor * spread2) ** 2
        r2 = units2.argmin(axis=1)
        return (
            np.concatenate((at[line], at2)),
            np.concatenate((model[line], model2)),
            np.concatenate((best[line], rival2)),
            np.concatenate((r, r2)).astype(np.int64),
            np.concatenate((units, units2[np.arange(len(at2)), r2])),
        )


class _Outlook:
    """Leads as they seem, from all draws; of column j over row i. t trials.

    Attributes:
        price: (t, K, K) sharpness needed on all objectives still open, infinite where j is no threat.
        witness, threatened: (t, K).
    """

    def __init__(self, race: IntervalRace, trials: Index) -> None:
        claims, habits = race.tests, race.habits
        draws = np.moveaxis(race.draws[trials], 2, 1) + 2.0
        self._means = (np.moveaxis(race.points[trials], 2, 1) + 1) / draws
        self._variance = 0.25 / draws
        undecided, live = claims.undecided[trials], ~claims.rejected[trials]
        # only models in play anywhere, to keep the arrays small
        i, j = np.flatnonzero(undecided.any(axis=0)), np.flatnonzero(live.any(axis=0))
        shape = (len(trials), len(i), len(j))
        worst, units = np.full(shape, np.inf), np.zeros(shape)
        for r in range(claims.objectives):
            means, variance = self._means[:, r], self._variance[:, r]
            ahead = means[:, None, j] - means[:, i, None] - claims.margin
            spread = np.sqrt(variance[:, None, j] + variance[:, i, None])
            open_ = ~claims.behind[trials[:, None, None], r, i[:, None], j]
            np.minimum(worst, ahead / spread, out=worst, where=open_)
            need = open_ / np.maximum(ahead, habits.floor * spread) ** 2
            units = np.maximum(units, need) if race.joint else units + need
        goal = np.where(
            claims.ready[trials, None, None], claims.reject_goal[np.ix_(trials, i, j)], _guess(claims)
        )
        void = (worst < -habits.doubt) | ~live[:, None, j] | (i[:, None] == j)
        models = claims.models
        self.price: Reals = np.full((len(trials), models, models), np.inf)
        self.price[np.ix_(np.arange(len(trials)), i, j)] = np.where(void, np.inf, (goal + MIXING) * units)
        self.witness: Index = self.price.argmin(axis=2)
        self._least = self.price.min(axis=2)
        self.threatened: Mask = undecided & np.isfinite(self._least)

    def lead(self, at: Index, model: Index, rival: Index) -> tuple[Reals, Reals]:
        """(m, d): leads of `rival` over `model` in trial rows `at`, and their standard errors."""
        lead = self._means[at, :, rival] - self._means[at, :, model]
        return lead, np.sqrt(self._variance[at, :, rival] + self._variance[at, :, model])

    def leads(self, which: Mask) -> tuple[Reals, Reals]:
        """(t, d, K, K): all of these trials' leads of the column over the row, and standard errors."""
        means, variance = self._means[which], self._variance[which]
        lead = means[:, :, None, :] - means[:, :, :, None]
        return lead, np.sqrt(variance[:, :, None, :] + variance[:, :, :, None])

    def predicted(self) -> Reals:
        """(t,): draws that the rejections of all threatened models take, roughly."""
        return np.asarray(0.6 * np.where(self.threatened, self._least, 0.0).sum(axis=1), dtype=np.float64)


def _guess(claims: Claims) -> float:
    """The threshold of a first choice."""
    return math.log(2 * claims.models / claims.delta)


def _ranks(values: Reals, axis: int) -> Index:
    """1 for the smallest along `axis`, 2 for the next, …; ties by position."""
    order = np.argsort(values, axis=axis, kind="stable")
    ranks = np.empty_like(order)
    places = np.arange(1, values.shape[axis] + 1)
    shape = [1] * values.ndim
    shape[axis] = -1
    np.put_along_axis(ranks, order, places.reshape(shape), axis=axis)
    return ranks
