"""What `duel` decides, and why it errs with probability at most δ. Which duels to fight is decided elsewhere.

Many trials at once: arrays start with an axis of trials, and a sampler is one trial.

Every model can be the subject of exactly one false claim: a frontier model of a false rejection, a dominated
one of a false acceptance. Each gets δ/K.

*Rejection.* Model i is rejected through a witness j. The q-th witness tried for i gets a ticket: d games, one
an objective, each betting that j beats i there, on draws made after the ticket was opened only. Model i is
rejected when all d games have reached capital K q(q+1)/δ. If i is on the frontier, then whatever j is, there
is an objective on which j is not better; the game on it is one against a true hypothesis, so conditionally on
all that happened before the ticket it ever gets there with probability at most δ/(K q(q+1)) (Ville). These
sum to δ/K over q: no factor for the number of rivals, nor of objectives.

*Acceptance.* Model i is accepted when for every rival j not rejected some game that i beats j has reached its
threshold, which for the q-th game opened for the pair (i, j) is K q(q+1)/δ. If i is dominated, then by some
frontier model j*, fixed once and for all, and as long as no frontier model was rejected, i must have won a
game against j*. On whichever objective, that game is one against a true hypothesis. So this happens with
probability at most Σ_q δ/(K q(q+1)) = δ/K: no factor for the number of rivals, nor of objectives.

With a margin ε "better" is "wins with probability above ½ + ε". Games of rejections then play against
p ≤ ½ + ε, games of acceptances against p ≤ ½ − ε. That j* is on the frontier uses transitivity: who beats by
more than ε somebody who beats i by more than ε does so to i, as with every link function.
"""

from __future__ import annotations

import math

import numpy as np

from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import SHARES, SLACK, SPREAD, WINDOW, Index, Odds, log_capital, stakes


def log_threshold(models: int, delta: float, number: Index) -> Reals:
    """Log of K q(q+1)/δ for tickets of number q ≥ 1."""
    count = number.astype(np.float64)
    return np.asarray(math.log(models / delta) + np.log(count * (count + 1)), dtype=np.float64)


class Tickets:
    """Tallies, open tickets and claims of T trials with K models and d objectives.

    Attributes:
        wins: (T, d, K, K) points of row model against column model.
        rejected, accepted: (T, K) claims made.
        witness: (T, K) of the newest rejection ticket, −1 before the first; number: (T, K) its q.
        passed: (T, K, d) games of that ticket that reached their threshold.
        protection: (T, K, K) objective of the newest acceptance ticket of (i, j), −1 before the first.
        tried: (T, K, K) its q. beaten: (T, K, K) True where i has won a game against j.
        rejections, acceptances: the games of the newest tickets, (T, K, d) and (T, K, K) of them.
    """

    def __init__(self, trials: int, models: int, objectives: int, delta: float, margin: float = 0.0) -> None:
        self.models, self.objectives, self.delta = models, objectives, delta
        self.wins: Reals = np.zeros((trials, objectives, models, models))
        self.rejected: Mask = np.zeros((trials, models), dtype=np.bool_)
        self.accepted: Mask = np.zeros((trials, models), dtype=np.bool_)
        self.reject_odds, self.accept_odds = Odds.against(0.5 + margin), Odds.against(0.5 - margin)

        self.witness: Index = np.full((trials, models), -1, dtype=np.int64)
        self.number: Index = np.zeros((trials, models), dtype=np.int64)
        self.passed: Mask = np.zeros((trials, models, objectives), dtype=np.bool_)
        self.rejections = Games((trials, models, objectives))

        self.protection: Index = np.full((trials, models, models), -1, dtype=np.int64)
        self.tried: Index = np.zeros((trials, models, models), dtype=np.int64)
        self.beaten: Mask = np.zeros((trials, models, models), dtype=np.bool_)
        self.acceptances = Games((trials, models, models))

    @property
    def undecided(self) -> Mask:
        """(T, K)."""
        return ~(self.rejected | self.accepted)

    @property
    def decided(self) -> Mask:
        """(T, K) True where a claim is made."""
        return self.rejected | self.accepted

    def rejection_goal(self, trial: Index, model: Index, ahead: int = 0) -> Reals:
        """(m,): log capital at which a game of the newest ticket is won, or of the `ahead`-th after it."""
        return log_threshold(self.models, self.delta, self.number[trial, model] + ahead)

    def acceptance_goal(self, trial: Index, model: Index, rival: Index, ahead: int = 0) -> Reals:
        """(m,): the same for the game of `model` against `rival`."""
        return log_threshold(self.models, self.delta, self.tried[trial, model, rival] + ahead)

    def open_rejection(self, trial: Index, model: Index, witness: Index, lead: Reals, spread: Reals) -> None:
        """Tickets of `model` (m,) through `witness` (m,): its leads as guessed (m, d), with errors (m, d)."""
        self.witness[trial, model] = witness
        self.number[trial, model] += 1
        self.passed[trial, model] = False
        won, lost = self.wins[trial, :, witness, model], self.wins[trial, :, model, witness]
        self.rejections.begin((trial, model), lead, spread, won, won + lost)

    def open_acceptance(
        self, trial: Index, model: Index, rival: Index, objective: Index, lead: Reals, spread: Reals
    ) -> None:
        """Tickets of `model` (m,) against `rival` (m,), by a guessed lead (m,) on `objective` (m,)."""
        self.protection[trial, model, rival] = objective
        self.tried[trial, model, rival] += 1
        won = self.wins[trial, objective, model, rival]
        lost = self.wins[trial, objective, rival, model]
        self.acceptances.begin((trial, model, rival), lead, spread, won, won + lost)

    def rejection_capital(self, trial: Index, model: Index) -> tuple[Reals, Reals]:
        """(m, d): log capital of the games of the newest tickets; draws they had."""
        witness = self.witness[trial, model]
        won, lost = self.wins[trial, :, witness, model], self.wins[trial, :, model, witness]
        return self.rejections.capital(self.reject_odds, (trial, model), won, won + lost)

    def acceptance_capital(self, trial: Index, model: Index, rival: Index) -> tuple[Reals, Reals]:
        """(m,): log capital of the newest games of pairs; draws they had."""
        objective = self.protection[trial, model, rival]
        won = self.wins[trial, objective, model, rival]
        lost = self.wins[trial, objective, rival, model]
        return self.acceptances.capital(self.accept_odds, (trial, model, rival), won, won + lost)

    def rejection_need(self, trial: Index, model: Index) -> tuple[Reals, Reals]:
        """(m, d): how much log capital is missing in the newest tickets, 0 where passed; draws they had."""
        capital, played = self.rejection_capital(trial, model)
        goal = self.rejection_goal(trial, model)[:, None] + SLACK
        return np.where(self.passed[trial, model], 0.0, np.maximum(goal - capital, 0.0)), played

    def acceptance_need(self, trial: Index, model: Index, rival: Index) -> tuple[Reals, Reals]:
        """(m,): how much log capital is missing in the newest tickets; draws they had."""
        capital, played = self.acceptance_capital(trial, model, rival)
        goal = self.acceptance_goal(trial, model, rival) + SLACK
        return np.maximum(goal - capital, 0.0), played

    def judge(self, trials: Index) -> None:
        """Make the claims that the tallies of these trials allow."""
        running = self.undecided[trials]
        row, model = np.nonzero(running & (self.witness[trials] >= 0))
        trial = trials[row]
        need, _ = self.rejection_need(trial, model)
        self.passed[trial, model] |= need <= 0
        self.rejected[trial, model] = self.passed[trial, model].all(axis=1)

        live = ~self.rejected[trials]
        rivals = (self.undecided[trials])[:, :, None] & live[:, None, :]
        row, model, rival = np.nonzero(rivals & (self.tried[trials] > 0) & ~self.beaten[trials])
        trial = trials[row]
        lack, _ = self.acceptance_need(trial, model, rival)
        self.beaten[trial, model, rival] = lack <= 0
        safe = self.beaten[trials] | ~live[:, None, :] | np.eye(self.models, dtype=np.bool_)
        self.accepted[trials] |= safe.all(axis=2) & live


class Games:
    """Stakes of games and the tallies at which they began.

    Attributes:
        start: first lead of the grid that each game bets on. log_shares: (…, WINDOW) logarithms of how the
            stake is spread over the grid from there. even: share of it spread evenly.
    """

    def __init__(self, shape: tuple[int, ...], even: float = SPREAD) -> None:
        self.even = even
        self.start = np.zeros(shape, dtype=np.int64)
        self.log_shares = np.zeros((*shape, WINDOW))
        self._won = np.zeros(shape)
        self._played = np.zeros(shape)

    def begin(self, at: tuple[Index, ...], lead: Reals, spread: Reals, won: Reals, played: Reals) -> None:
        chosen = stakes(lead, spread, self.even)
        self.start[at] = chosen.start
        self.log_shares[at] = np.log(chosen.shares / SHARES)
        self._won[at], self._played[at] = won, played

    def capital(self, odds: Odds, at: tuple[Index, ...], won: Reals, played: Reals) -> tuple[Reals, Reals]:
        since = played - self._played[at]
        gained = won - self._won[at]
        return log_capital(odds, self.start[at], self.log_shares[at], gained, since), since
