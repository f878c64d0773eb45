"""Which duels to fight next. No guarantee rests on this file: any choice from past outcomes is valid.

After a pilot that meets every model a few times, each undecided model is either threatened, when some rival
may well dominate it, or it seems safe. A threatened model fights the rival against whom a rejection is
predicted to cost least, on the objectives still open there. A model that seems safe fights each rival that is
itself not threatened (threatened ones are soon rejected) on the objective where it leads by most. Batches
follow the predicted need, at most half of what is already known of the cell, at least a few per cent of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import Index
from pareto.samplers.duel_tickets import Tickets
from pareto.samplers.latent_belief import Belief


@dataclass(frozen=True)
class Habits:
    """Numbers that only change how much is spent.

    Attributes:
        meetings: opponents of each model on each objective in the first round of the pilot, in each
            direction of a ring.
        pilot: the pilot goes on while it is less than this share of the predicted cost of all rejections.
        doubt: a rival with a lead above −doubt standard errors on every objective is a threat.
        floor: leads below this many standard errors count as this many when costs are predicted.
        switch: a new ticket is opened when it is predicted to cost less than this share of the present one.
        portion: share of the predicted need in one batch.
        growth: a batch is at most this share of what is known of the cell, in comparisons.
        least: and at least this share.
        refit: refit once all comparisons grew by this share,
        rounds: or after this many rounds, as the cells at issue may be few.
    """

    meetings: int = 3
    pilot: float = 0.06
    doubt: float = 1.0
    floor: float = 0.5
    switch: float = 0.5
    portion: float = 0.6
    growth: float = 0.5
    least: float = 0.04
    refit: float = 0.08
    rounds: int = 4


HABITS = Habits()
GAMES_OVERHEAD = 1.5
"""Log capital that a game is predicted to lose to not knowing the lead."""


@dataclass(frozen=True, eq=False)
class Duels:
    """Comparisons wanted, arrays (m,); no cell twice."""

    trial: Index
    first: Index
    second: Index
    objective: Index
    count: Index


class DuelRace:
    """T trials of `duel`: `want`, then `take` with the points of `first`, until no trial is open.

    joint: a comparison answers all objectives, so the dearest objective is what a rejection costs.
    """

    name: ClassVar[str] = "duel"
    tickets_type: ClassVar[type[Tickets]] = Tickets

    def __init__(
        self,
        trials: int,
        models: int,
        objectives: int,
        delta: float,
        margin: float = 0.0,
        seed: int = 0,
        habits: Habits = HABITS,
        joint: bool = False,
    ) -> None:
        if margin >= 0.5:
            raise BattleError(
                f"{self.name}: margin {margin}; it is in mean outcomes beyond ½, below 0.5 is accepted"
            )
        self.joint = joint
        self.tickets = self.tickets_type(trials, models, objectives, delta, margin)
        self.belief = Belief(trials, models, objectives)
        self.spent: Index = np.zeros(trials, dtype=np.int64)
        self.habits = habits
        self.latent_margin = math.log((0.5 + margin) / (0.5 - margin))
        self._piloting = np.ones(trials, dtype=np.bool_)
        self._fitted = np.zeros(trials, dtype=np.int64)
        self._stale = np.zeros(trials, dtype=np.int64)
        self._seats = np.random.default_rng((seed, 0)).permutation(models)
        self._rounds = np.zeros(trials, dtype=np.int64)
        self._all_in: float = math.log(models / delta) + math.log(2) + GAMES_OVERHEAD

    @property
    def open(self) -> Index:
        """Trials in which somebody is undecided."""
        return np.flatnonzero(self.tickets.undecided.any(axis=1))

    def take(self, duels: Duels, points: Reals) -> None:
        """Outcomes of all of `duels`: points (m,) of `first`. Makes the claims they allow."""
        wins = self.tickets.wins
        where = (duels.trial, duels.objective, duels.first, duels.second)
        wins[where] += points
        back = (duels.trial, duels.objective, duels.second, duels.first)
        wins[back] += duels.count - points
        np.add.at(self.spent, duels.trial, duels.count)
        asked = np.unique(duels.trial)
        self.tickets.judge(asked)
        asked = asked[self.tickets.undecided[asked].any(axis=1)]
        self._stale[asked] += 1
        grown = self.spent[asked] > (1 + self.habits.refit) * self._fitted[asked]
        due = asked[grown | (self._stale[asked] >= self.habits.rounds)]
        pilot = self._piloting[due]
        for some, steps in ((due[pilot], 4), (due[~pilot], 1)):
            if len(some):
                self.belief.update(some, wins[some], steps)
        self._fitted[due], self._stale[due] = self.spent[due], 0

    def want(self) -> Duels:
        """The next comparisons of all open trials."""
        trials = self.open
        fresh = trials[self.spent[trials] == 0]
        if len(fresh):
            return self._ring(fresh)
        threat = Threats(self, trials)
        pilot = self._piloting[trials]
        if pilot.any():
            short = pilot & self._in_the_dark(threat)
            self._piloting[trials[~short]] = False
            if short.any():
                more = self._ring(trials[short])
                if short.all():
                    return more
                rest = Threats(self, trials[~short])
                return merged([more, *self._fights(rest)], self.tickets)
        return merged(self._fights(threat), self.tickets)

    def _in_the_dark(self, threat: Threats) -> Mask:
        """(t,): True where the pilot should go on."""
        return np.asarray(self.spent[threat.trials] < self.habits.pilot * threat.predicted(self._all_in))

    def _ring(self, trials: Index) -> Duels:
        """Everybody meets a few neighbours in a ring: new ones every round, half as often as so far."""
        models, objectives, wide = self.tickets.models, self.tickets.objectives, self.habits.meetings
        steps = models // 2
        parts = []
        for trial in trials.tolist():
            offsets = np.unique((self._rounds[trial] * wide + np.arange(wide)) % steps + 1)
            self._rounds[trial] += 1
            seat, offset, r = (
                axis.ravel()
                for axis in np.meshgrid(np.arange(models), offsets, np.arange(objectives), indexing="ij")
            )
            # half a turn meets the same opponent from both ends
            once = (2 * offset != models) | (seat < offset)
            first, second = self._seats[seat[once]], self._seats[(seat + offset)[once] % models]
            repeat = max(math.ceil(wide / len(offsets)), math.ceil(self.spent[trial] / 2 / len(first)))
            whole = np.ones_like(first)
            parts.append(Duels(trial * whole, first, second, r[once], repeat * whole))
        return merged(parts, self.tickets)

    def _fights(self, threat: Threats) -> list[Duels]:
        return [self._rejections(threat), self._acceptances(threat)]

    def _rejections(self, threat: Threats) -> Duels:
        """Threatened models against their witnesses."""
        tickets, habits = self.tickets, self.habits
        row, model = np.nonzero(threat.threatened)
        trial = threat.trials[row]
        witness = tickets.witness[trial, model]
        now = np.full(len(row), np.inf)
        at = np.flatnonzero(witness >= 0)
        if len(at):
            need, _ = tickets.rejection_need(trial[at], model[at])
            price = self._prices(trial[at], witness[at], model[at])
            now[at] = (need * price).max(axis=1) if self.joint else (need * price).sum(axis=1)
        best = threat.witness[row, model]
        goal = tickets.rejection_goal(trial, model, ahead=1) + GAMES_OVERHEAD
        new = goal * threat.price[row, model]
        change = (new < habits.switch * now) & ~((best == witness) & np.isfinite(now))
        if change.any():
            lead, spread = self._leads(trial[change], best[change], model[change])
            lead, spread = self._guessed(trial[change], lead - self.latent_margin, spread)
            tickets.open_rejection(trial[change], model[change], best[change], lead, spread)
        witness = tickets.witness[trial, model]
        some = witness >= 0
        trial, model, witness = trial[some], model[some], witness[some]
        need, _ = tickets.rejection_need(trial, model)
        lead, spread = self._leads(trial, witness, model)
        count = self._batch(need, lead - self.latent_margin, spread)
        # while a lead is in doubt, the most doubtful objective comes first
        lead = lead - self.latent_margin
        doubtful = np.where(need > 0, lead / spread, np.inf).min(axis=1) < habits.doubt
        first = np.where(need > 0, self._assurance(lead, spread), np.inf).argmin(axis=1)
        only = np.zeros_like(need, dtype=np.bool_)
        only[np.arange(len(need)), first] = True
        fight = (need > 0) & (only | ~doubtful[:, None])
        at, r = np.nonzero(fight)
        return Duels(trial[at], witness[at], model[at], r.astype(np.int64), count[at, r])

    def _acceptances(self, threat: Threats) -> Duels:
        """Models that seem safe against the rivals that do."""
        tickets, habits = self.tickets, self.habits
        trials = threat.trials
        safe = tickets.undecided[trials] & ~threat.threatened
        rivals = ~tickets.rejected[trials] & ~threat.threatened
        pairs = safe[:, :, None] & rivals[:, None, :] & ~tickets.beaten[trials]
        pairs &= ~np.eye(tickets.models, dtype=np.bool_)
        row, model, rival = np.nonzero(pairs)
        trial = trials[row]
        lead, spread = self._leads(trial, model, rival)
        lead = lead + self.latent_margin
        price = nat_price(lead, spread, habits.floor)
        best = price.argmin(axis=1)
        everyone = np.arange(len(row))
        goal = tickets.acceptance_goal(trial, model, rival, ahead=1) + GAMES_OVERHEAD
        new = goal * price[everyone, best]
        current = tickets.protection[trial, model, rival]
        now = np.full(len(row), np.inf)
        old = np.flatnonzero(current >= 0)
        if len(old):
            need, _ = tickets.acceptance_need(trial[old], model[old], rival[old])
            now[old] = need * price[old, current[old]]
        change = (new < habits.switch * now) & (best != current)
        if change.any():
            chosen = (everyone[change], best[change])
            tickets.open_acceptance(
                trial[change], model[change], rival[change], best[change], lead[chosen], spread[chosen]
            )
        objective = tickets.protection[trial, model, rival]
        need, _ = tickets.acceptance_need(trial, model, rival)
        chosen = (everyone, objective)
        count = self._batch(need, lead[chosen], spread[chosen])
        return Duels(trial, model, rival, objective, count)

    def _assurance(self, lead: Reals, spread: Reals) -> Reals:
        """How little a lead is in doubt, in any unit: the objective where it is most comes first."""
        return lead / spread

    def _guessed(self, trial: Index, lead: Reals, spread: Reals) -> tuple[Reals, Reals]:
        """Leads (m, d) on which new tickets for rejections bet, and how sure they are."""
        return lead, spread

    def _leads(self, trial: Index, first: Index, second: Index) -> tuple[Reals, Reals]:
        """(m, d): believed leads of `first`, and their standard errors."""
        theta, covariance = self.belief.theta, self.belief.covariance
        lead = theta[trial, :, first] - theta[trial, :, second]
        variance = (
            covariance[trial, :, first, first]
            + covariance[trial, :, second, second]
            - 2 * covariance[trial, :, first, second]
        )
        return lead, np.sqrt(np.maximum(variance, 1e-18))

    def _prices(self, trial: Index, first: Index, second: Index) -> Reals:
        lead, spread = self._leads(trial, first, second)
        return nat_price(lead - self.latent_margin, spread, self.habits.floor)

    def _batch(self, need: Reals, lead: Reals, spread: Reals) -> Index:
        known = 4 / spread**2
        wanted = self.habits.portion * need * nat_price(lead, spread, self.habits.floor)
        size = np.clip(wanted, self.habits.least * known, self.habits.growth * known + 4)
        return np.maximum(np.ceil(size), 1).astype(np.int64)


class Threats:
    """Who may be dominated, by whom most cheaply shown; over the models not rejected.

    Attributes:
        threatened: (t, K).
        witness: (t, K), anything where nobody is a threat.
        price: (t, K) comparisons for a unit of log capital on all objectives, infinite where nobody is.
        lead: (t, K) of all rivals the largest smallest lead in standard errors: high where one dominates.
        foremost: (t, K) who comes nearest to dominating, all objectives taken together.
    """

    def __init__(self, race: DuelRace, trials: Index) -> None:
        tickets, belief, habits = race.tickets, race.belief, race.habits
        self.trials = trials
        undecided, live = tickets.undecided[trials], ~tickets.rejected[trials]
        # only models in play anywhere, to keep the arrays small
        i, j = np.flatnonzero(undecided.any(axis=0)), np.flatnonzero(live.any(axis=0))
        shape = (len(trials), len(i), len(j))
        worst, found, short = np.full(shape, np.inf), np.zeros(shape), np.zeros(shape)
        for r in range(tickets.objectives):
            theta = belief.theta[trials, r]
            lead = theta[:, None, j] - theta[:, i, None] - race.latent_margin
            spread = belief.spread(trials, r, i, j)
            sure = lead / spread
            np.minimum(worst, sure, out=worst)
            short += np.minimum(sure - 1, 0) ** 2
            price = nat_price(lead, spread, habits.floor)
            found = np.maximum(found, price) if race.joint else found + price
        absent = ~live[:, None, j] | (i[:, None] == j)
        found[absent | (worst < -habits.doubt)] = np.inf
        self.price: Reals = np.full((len(trials), tickets.models), np.inf)
        self.price[:, i] = found.min(axis=2)
        self.witness: Index = np.full(self.price.shape, -1, dtype=np.int64)
        self.witness[:, i] = j[found.argmin(axis=2)]
        worst[absent] = -np.inf
        self.lead: Reals = np.full(self.price.shape, -np.inf)
        self.lead[:, i] = worst.max(axis=2)
        self.foremost: Index = np.full(self.price.shape, -1, dtype=np.int64)
        short[absent] = np.inf
        self.foremost[:, i] = j[short.argmin(axis=2)]
        self.threatened: Mask = undecided & np.isfinite(self.price)

    def predicted(self, goal: float) -> Reals:
        """(t,): comparisons that the rejections of all threatened models take."""
        return np.asarray(goal * np.where(self.threatened, self.price, 0.0).sum(axis=1), dtype=np.float64)


def nat_price(lead: Reals, spread: Reals, floor: float) -> Reals:
    """Comparisons for a unit of log capital at a believed lead: 1 / kl(σ(lead), ½), nearly."""
    sure = np.maximum(lead, floor * spread)
    return 8.0 / sure**2 + 4.0 / 3.0


def merged(parts: list[Duels], tickets: Tickets) -> Duels:
    """One after the other; of a cell named twice, in either direction, the larger count is wanted."""
    columns = [
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("trial", "first", "second", "objective", "count")
    ]
    trial, first, second, objective, count = columns
    low, high = np.minimum(first, second), np.maximum(first, second)
    cell = ((trial * tickets.objectives + objective) * tickets.models + low) * tickets.models + high
    order = np.lexsort((-count, cell))
    keep = order[np.diff(cell[order], prepend=-1) != 0]
    return Duels(trial[keep], first[keep], second[keep], objective[keep], count[keep])
