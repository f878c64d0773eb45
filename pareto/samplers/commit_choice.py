"""To which side `commit` pledges models, when, and what it plays next. No guarantee rests on this file.

After a pilot a model is clear when some rival leads it by enough standard errors on every objective, or no
rival comes near that. Clear models are pledged; the others are explored, by the question that keeps them
unclear: their foremost rival, on the objective that may speak most against it. Pledged models play the games
of `duel` for their side. A pledge is withdrawn once belief has turned against it.

Where one model leads all others alike, a short pilot is enough to tell, and all are pledged at once.
Elsewhere the pilot is longer, and hard models may be left to later batches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import Index
from pareto.samplers.commit_pledges import DROPPED, KEPT, NONE, WHOLE, Pledges
from pareto.samplers.duel_choice import DuelRace, Duels, Habits, Threats, nat_price
from pareto.samplers.duel_tickets import Tickets


@dataclass(frozen=True)
class CommitHabits(Habits):
    """Further numbers that only change how much is spent; a lead is in standard errors.

    Attributes:
        overhead: log capital that a game is predicted to lose to not knowing the lead.
        modesty: leads count as so many standard errors less when the length of the pilot is judged,
        pilot: which lasts for this share of the predicted cost where one model leads all others alike,
        long_pilot: for this share elsewhere.
        led: one model leads where it is foremost for this share of the models,
        outstanding: where its standardised mean lead is by this much more than chance would have it,
        unlike: and the others differ in their leads at most by this multiple of what chance would have.
        clear_above, clear_above_apart, clear_below: a model is clear where the smallest lead of its foremost
            rival is above the first (where one model leads; elsewhere above the second) or below the last.
        middle: it is pledged to be dropped where that is above this.
        wait, wait_apart: the first batch is pledged, though some are unclear, when all comparisons so far
            are this share of the predicted cost (where one model leads; elsewhere the second).
        growth_between: a later batch when they grew by this factor since the last.
        main, main_apart: share of the first batch (where one model leads; elsewhere).
        allowance: withdrawals foreseen in a batch, and one more.
        turned_below, turned_above: pledges to be dropped are withdrawn when the lead is below the first,
            pledges to be kept when it is above the second.
        explored: share of the predicted cost of a unit of log capital in one exploration.
        caution: of objectives, that comes first where the lead less so many standard errors is smallest.
        even: share of the capital of a rejection's games that is spread evenly.
        crowd: as soon as so many games begin at once, the leads on which they bet are drawn together,
        alike: to within this share of their mean at most.
    """

    doubt: float = 0.5
    portion: float = 0.3
    least: float = 0.005
    overhead: float = 1.5
    modesty: float = 0.5
    pilot: float = 0.02
    long_pilot: float = 0.1
    led: float = 0.65
    outstanding: float = 0.1
    unlike: float = 1.0
    clear_above: float = -0.3
    clear_above_apart: float = 0.3
    clear_below: float = -1.5
    middle: float = -1.0
    wait: float = 0.15
    wait_apart: float = 0.45
    growth_between: float = 1.6
    main: float = 0.96
    main_apart: float = 0.8
    allowance: int = 1
    turned_below: float = -1.3
    turned_above: float = 1.0
    explored: float = 0.5
    caution: float = 1.0
    even: float = 0.1
    crowd: int = 16
    alike: float = 0.1


COMMIT_HABITS = CommitHabits()


class CommitRace(DuelRace):
    """T trials of `commit`; the interface is that of `DuelRace`."""

    name: ClassVar[str] = "commit"
    tickets_type: ClassVar[type[Tickets]] = Pledges
    tickets: Pledges
    habits: CommitHabits

    def __init__(
        self,
        trials: int,
        models: int,
        objectives: int,
        delta: float,
        margin: float = 0.0,
        seed: int = 0,
        habits: CommitHabits = COMMIT_HABITS,
        joint: bool = False,
    ) -> None:
        super().__init__(trials, models, objectives, delta, margin, seed, habits, joint)
        self._all_in = math.log(1 / delta) + 0.5 + habits.overhead
        self.tickets.rejections.even = habits.even
        self._due: Reals = np.zeros(trials)
        self._rest: Index = np.zeros(trials, dtype=np.int64)
        self._led: Mask = np.zeros(trials, dtype=np.bool_)

    def _in_the_dark(self, threat: Threats) -> Mask:
        habits, trials = self.habits, threat.trials
        row, model = np.nonzero((threat.lead > -habits.doubt) & (threat.foremost >= 0))
        lead, spread = self._leads(trials[row], threat.foremost[row, model], model)
        price = nat_price(lead - self.latent_margin - habits.modesty * spread, spread, habits.floor)
        total = np.bincount(row, price.sum(axis=1), minlength=len(trials))
        self._led[trials] = led = self._with_a_leader(threat, row, model)
        part = np.where(led, habits.pilot, habits.long_pilot)
        return np.asarray(self.spent[trials] < part * self._all_in * total)

    def _with_a_leader(self, threat: Threats, row: Index, model: Index) -> Mask:
        """(t,): True where one model seems to lead all others alike; (row, model) (m,) are threatened."""
        habits, trials, models = self.habits, threat.trials, self.tickets.models
        votes = np.bincount(row * models + threat.foremost[row, model], minlength=len(trials) * models)
        votes = votes.reshape(len(trials), models)
        leader = votes.argmax(axis=1)
        each = np.arange(len(trials))
        theta, covariance = self.belief.theta[trials], self.belief.covariance[trials]
        above = theta[each, :, leader] - theta.mean(axis=2)
        error = np.sqrt(covariance[each, :, leader, leader])
        sure = (above / error).sum(axis=1) / math.sqrt(self.tickets.objectives)
        leads = theta[each, :, leader][:, :, None] - theta
        own = np.einsum("trii->tri", covariance)
        # errors of the leader move all leads alike: half of the variance
        unlike = (leads - leads.mean(axis=2, keepdims=True)) ** 2 / (own + own[each, :, leader][:, :, None])
        # the largest of K standard normal numbers is hardly larger than this
        chance = math.sqrt(2 * math.log(models))
        alone = (votes[each, leader] > habits.led * models) & (sure > chance + habits.outstanding)
        return np.asarray(alone & (unlike.mean(axis=(1, 2)) < habits.unlike))

    def _fights(self, threats: Threats) -> list[Duels]:
        self._withdraw(threats)
        self._pledge(threats)
        self.tickets.judge(threats.trials)
        tickets, trials = self.tickets, threats.trials
        side, open_ = tickets.side[trials], tickets.undecided[trials]
        threats.threatened = side != KEPT
        acceptances = self._acceptances(threats)
        # whoever is to be dropped, but seems to have no witness, is explored until it has one or is withdrawn
        dropped = (side == DROPPED) & open_
        threats.threatened = dropped & np.isfinite(threats.price)
        unclear = (side == NONE) | (dropped & ~threats.threatened)
        return [self._rejections(threats), acceptances, self._explorations(threats, unclear)]

    def _withdraw(self, threats: Threats) -> None:
        tickets, habits = self.tickets, self.habits
        side = tickets.side[threats.trials]
        turned = ((side == DROPPED) & (threats.lead < habits.turned_below)) | (
            (side == KEPT) & (threats.lead > habits.turned_above)
        )
        turned &= tickets.undecided[threats.trials]
        row, model = np.nonzero(turned)
        tickets.withdraw(threats.trials[row], model)

    def _pledge(self, threats: Threats) -> None:
        tickets, habits = self.tickets, self.habits
        lead, free = threats.lead, tickets.side[threats.trials] == NONE
        enough = np.where(self._led[threats.trials], habits.clear_above, habits.clear_above_apart)
        clear = free & ((lead >= enough[:, None]) | (lead <= habits.clear_below))
        unclear = free & ~clear
        predicted = threats.predicted(self._all_in)
        for row in np.flatnonzero(clear.any(axis=1)).tolist():
            trial = int(threats.trials[row])
            b = int(tickets.batches[trial])
            led = self._led[trial]
            due = (habits.wait if led else habits.wait_apart) * predicted[row] if b == 0 else self._due[trial]
            if unclear[row].any() and self.spent[trial] < due:
                continue
            kept = np.flatnonzero(clear[row] & (lead[row] <= habits.middle))
            dropped = np.flatnonzero(clear[row] & (lead[row] > habits.middle))
            if b == 0:
                share = int((habits.main if led else habits.main_apart) * WHOLE)
                self._rest[trial] = WHOLE - share
            else:
                share = max(int(self._rest[trial]) // (b * (b + 1)), 1)
            tickets.pledge(trial, kept, dropped, share, habits.allowance)
            self._due[trial] = self.spent[trial] * habits.growth_between

    def _assurance(self, lead: Reals, spread: Reals) -> Reals:
        # a lead of nearly nothing costs more to settle than one that may be far below nothing
        return lead - self.habits.caution * spread

    def _guessed(self, trial: Index, lead: Reals, spread: Reals) -> tuple[Reals, Reals]:
        """Drawn towards what the trial's new tickets have in common, by the rule of Stein."""
        guess, error = lead.copy(), spread.copy()
        for each in np.unique(trial).tolist():
            rows = trial == each
            if lead[rows].size < self.habits.crowd:
                continue
            noise = spread[rows] ** 2
            middle = np.average(lead[rows], weights=1 / noise)
            excess = np.average((lead[rows] - middle) ** 2 - noise, weights=1 / noise)
            real = max(float(excess), (self.habits.alike * middle) ** 2)
            part = real / (real + noise)
            guess[rows] = middle + part * (lead[rows] - middle)
            # errors of a witness are common to its games
            error[rows] = np.sqrt(part * noise + (1 - part) ** 2 * noise / (2 * lead.shape[1]))
        return guess, error

    def _explorations(self, threats: Threats, unclear: Mask) -> Duels:
        habits = self.habits
        row, model = np.nonzero(unclear & np.isfinite(threats.lead))
        trial, rival = threats.trials[row], threats.foremost[row, model]
        lead, spread = self._leads(trial, rival, model)
        lead = lead - self.latent_margin
        r = self._assurance(lead, spread).argmin(axis=1)
        everyone = np.arange(len(row))
        lead, spread = lead[everyone, r], spread[everyone, r]
        known = 4 / spread**2
        size = np.clip(
            habits.explored * nat_price(lead, spread, habits.floor),
            habits.least * known,
            habits.growth * known + 4,
        )
        count: Index = np.maximum(np.ceil(size), 1).astype(np.int64)
        return Duels(trial, rival, model, r.astype(np.int64), count)
