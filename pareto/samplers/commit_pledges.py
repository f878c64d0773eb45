"""What `commit` decides, and why it errs with probability at most δ. What is played is decided elsewhere.

`duel` charges every model δ/K, as if each had a truth of its own. But there is one truth. Here every model
is *pledged* to a side, kept or dropped, before the draws that test it; the answer is claimed all at once,
and only when every model has passed on the side to which it is pledged. Then a wrong answer takes that
*every* model pledged to a wrong side has won games that it should not win, and one of them, fixed
beforehand, may bear the whole budget.

*Batches.* Models pledged at the same moment form a batch. Batch b is given a share β_b when it is pledged,
all shares together at most 1. A pledge may be withdrawn, at any moment and for any reason; f_b counts those
of batch b withdrawn so far. The model may be pledged anew, to either side: then it belongs to a later
batch, and what it had won counts no more.

*Games* are those of the tickets of `duel`, on draws made after the ticket was opened only, and a ticket is
opened after the pledge that it serves. The q-th ticket since the pledge, or the q-th game since then for
the pair (i, j), has passed when the highest capital that its games have had, at ends of rounds, is at least

    1 / (δ β_b φ_b(f_b + 1) ρ_b(q)),

with φ_b(1) ≥ φ_b(2) ≥ …, Σ_k φ_b(k) ≤ 1 and Σ_q ρ_b(q) ≤ 1, both fixed when the batch is pledged. A
withdrawal raises the thresholds of those that stay, passed games included. A model pledged to be dropped
passes with the d games of its newest ticket. One pledged to be kept passes with a game won against every
other model except the passed among those pledged to be dropped. When all pass at the same moment, the
answer is claimed.

*Proof.* Let T be the true frontier, F_b the models of batch b that are pledged to the wrong side when it is
pledged, in an order fixed then: those of T first (pledged to be dropped), the others (pledged to be kept)
next, within each by number. Suppose the claim is wrong, and R ≠ ∅ are the models on the wrong side.

1. A member of F_b is standing if its pledge in batch b was not withdrawn; the others are at most f_b, and may
   be in R as well, pledged anew in later batches. A standing member is in R, as it is claimed on the side of
   that pledge; and each member of R is a standing member of one F_b, that of its one standing pledge. If R
   meets T, take a batch b such that a member of T is a standing member of F_b, else any such that F_b has a
   standing member. So i, the first standing member of F_b, is among its first f_b + 1: it is its m-th with
   m ≤ f_b + 1. As φ_b does not increase, what i passed since its pledge in batch b has reached the threshold
   with φ_b(m).
2. If i ∈ T, then i was dropped through some witness j. As i is on the frontier, there is an objective on
   which j is not better, whatever j is. The game on it is one against a true hypothesis.
3. If i ∉ T, then no standing member of F_b is in T, as those of T come first; by the choice of b, R does not
   meet T, and all of T is claimed kept. One of T, fixed by the truth, dominates i; it is not passed as
   dropped, so i has won a game against it, on whichever objective one against a true hypothesis.
4. T, F_b, its order, β_b, φ_b and ρ_b are fixed before the first ticket of the batch is opened. Given all
   that happened before it was opened, a game against a true hypothesis ever reaches a capital x with
   probability at most 1/x (Ville). In the case of (b, m, q) the game is the one named in 2 or 3 of the q-th
   ticket since the pledge in batch b of the m-th member of F_b, so the claim is wrong with probability at
   most the mean of Σ_b Σ_m Σ_q δ β_b φ_b(m) ρ_b(q), which is at most δ whatever shares the past made it
   choose. ∎

In 2 only one game of a ticket need be named, and which one depends on the witness: that is known when the
ticket is opened. In 3 the rival is known from the start. No factor is paid for models, rivals or
objectives; what is paid is log 1/φ_b(f_b + 1), for pledges that were not kept. A margin changes what games
are played against, as in `duel_tickets`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import SLACK, Index
from pareto.samplers.duel_tickets import Tickets

NONE, KEPT, DROPPED = 0, 1, 2
"""To which side a model is pledged."""
WHOLE = 1 << 40
"""Shares of batches are whole multiples of 1 / WHOLE."""
PLANNED = 0.9
"""Of a batch's share, for the withdrawals that its allowance foresees."""
FIRST = 0.85
"""Of a model's share, for its first ticket."""


def withdrawal_log(allowance: Index, place: Index) -> Reals:
    """Log 1/φ(k), k = `place` ≥ 1, m = `allowance`.

    φ(k) = 0.9/m up to k = m, beyond it the smaller of this and 0.1/((k − m)(k − m + 1)).
    """
    planned = np.log(allowance / PLANNED)
    beyond = np.maximum(place - allowance, 1).astype(np.float64)
    rare = np.log(beyond * (beyond + 1) / (1 - PLANNED))
    return np.asarray(np.where(place <= allowance, planned, np.maximum(planned, rare)), dtype=np.float64)


def ticket_log(number: Index) -> Reals:
    """Log 1/ρ(q): ρ(1) = 0.85, ρ(q) = 0.15/(q(q − 1))."""
    count = np.maximum(number, 2).astype(np.float64)
    later = np.log(count * (count - 1) / (1 - FIRST))
    return np.asarray(np.where(number <= 1, -math.log(FIRST), later), dtype=np.float64)


class Pledges(Tickets):
    """Tickets of pledged models. `rejected` and `accepted` are who passes now; only all together is a claim.

    Attributes:
        side: (T, K) NONE, KEPT or DROPPED.
        batch: (T, K) number of the batch of the standing pledge, −1 without one; batches: (T,) how many.
        share: (T, K) β, in units of 1 / WHOLE, and allowance: (T, K) m, of the batch.
        withdrawn: (T, K) f of the batch. spent: (T,) shares given out.
        peaks, pair_peaks: (T, K, d), (T, K, K) highest log capital of the games of the newest tickets.
    """

    def __init__(self, trials: int, models: int, objectives: int, delta: float, margin: float = 0.0) -> None:
        super().__init__(trials, models, objectives, delta, margin)
        shape = (trials, models)
        self.side: npt.NDArray[np.int8] = np.full(shape, NONE, dtype=np.int8)
        self.batch: Index = np.full(shape, -1, dtype=np.int64)
        self.batches: Index = np.zeros(trials, dtype=np.int64)
        self.share: Index = np.ones(shape, dtype=np.int64)
        self.allowance: Index = np.ones(shape, dtype=np.int64)
        self.withdrawn: Index = np.zeros(shape, dtype=np.int64)
        self.spent: Index = np.zeros(trials, dtype=np.int64)
        self.peaks: Reals = np.full((trials, models, objectives), -np.inf)
        self.pair_peaks: Reals = np.full((trials, models, models), -np.inf)
        # tickets and games of earlier pledges
        self._number_before: Index = np.zeros(shape, dtype=np.int64)
        self._tried_before: Index = np.zeros((trials, models, models), dtype=np.int64)

    @property
    def decided(self) -> Mask:
        """(T, K): everybody once all pass, nobody before."""
        return np.repeat(~self.undecided.any(axis=1, keepdims=True), self.models, axis=1)

    def pledge(self, trial: int, kept: Index, dropped: Index, share: int, allowance: int) -> None:
        """A new batch of models `kept` and `dropped`, none of them pledged; β is share / WHOLE."""
        models = np.concatenate((kept, dropped))
        if not 1 <= share <= WHOLE - self.spent[trial] or allowance < 1 or self.side[trial, models].any():
            raise ValueError(f"batch of share {share}, allowance {allowance}: not one that is left to give")
        self.side[trial, kept], self.side[trial, dropped] = KEPT, DROPPED
        self.batch[trial, models] = self.batches[trial]
        self.share[trial, models], self.allowance[trial, models] = share, allowance
        self.withdrawn[trial, models] = 0
        self.batches[trial] += 1
        self.spent[trial] += share

    def withdraw(self, trial: Index, model: Index) -> None:
        """Take pledges (m,) back, for good: their tickets count no more."""
        if (self.side[trial, model] == NONE).any():
            raise ValueError("a withdrawal of a model that is not pledged")
        for each, who in zip(trial.tolist(), model.tolist(), strict=True):
            self.withdrawn[each, self.batch[each] == self.batch[each, who]] += 1
            self.batch[each, who] = -1
        self.side[trial, model] = NONE
        self.witness[trial, model] = -1
        self.protection[trial, model] = -1
        self._number_before[trial, model] = self.number[trial, model]
        self._tried_before[trial, model] = self.tried[trial, model]

    def rejection_goal(self, trial: Index, model: Index, ahead: int = 0) -> Reals:
        number = self.number[trial, model] - self._number_before[trial, model] + ahead
        return self._base(trial, model) + ticket_log(number)

    def acceptance_goal(self, trial: Index, model: Index, rival: Index, ahead: int = 0) -> Reals:
        number = self.tried[trial, model, rival] - self._tried_before[trial, model, rival] + ahead
        return self._base(trial, model) + ticket_log(number)

    def _base(self, trial: Index, model: Index) -> Reals:
        share = np.log(WHOLE / self.share[trial, model]) - math.log(self.delta)
        place = self.withdrawn[trial, model] + 1
        return np.asarray(share + withdrawal_log(self.allowance[trial, model], place), dtype=np.float64)

    def open_rejection(self, trial: Index, model: Index, witness: Index, lead: Reals, spread: Reals) -> None:
        if (self.side[trial, model] != DROPPED).any():
            raise ValueError("a ticket for a rejection of a model that is not pledged to be dropped")
        super().open_rejection(trial, model, witness, lead, spread)
        self.peaks[trial, model] = -np.inf

    def open_acceptance(
        self, trial: Index, model: Index, rival: Index, objective: Index, lead: Reals, spread: Reals
    ) -> None:
        if (self.side[trial, model] != KEPT).any():
            raise ValueError("a game for an acceptance of a model that is not pledged to be kept")
        super().open_acceptance(trial, model, rival, objective, lead, spread)
        self.pair_peaks[trial, model, rival] = -np.inf

    def rejection_need(self, trial: Index, model: Index) -> tuple[Reals, Reals]:
        capital, played = self.rejection_capital(trial, model)
        peak = np.maximum(self.peaks[trial, model], capital)
        self.peaks[trial, model] = peak
        goal = self.rejection_goal(trial, model)[:, None] + SLACK
        return np.where(peak >= goal, 0.0, np.maximum(goal - capital, 0.0)), played

    def acceptance_need(self, trial: Index, model: Index, rival: Index) -> tuple[Reals, Reals]:
        capital, played = self.acceptance_capital(trial, model, rival)
        peak = np.maximum(self.pair_peaks[trial, model, rival], capital)
        self.pair_peaks[trial, model, rival] = peak
        goal = self.acceptance_goal(trial, model, rival) + SLACK
        return np.where(peak >= goal, 0.0, np.maximum(goal - capital, 0.0)), played

    def judge(self, trials: Index) -> None:
        """Who passes, judged anew: a withdrawal may undo it."""
        row, model = np.nonzero((self.side[trials] == DROPPED) & (self.witness[trials] >= 0))
        trial = trials[row]
        need, _ = self.rejection_need(trial, model)
        self.rejected[trials] = False
        self.rejected[trial, model] = (need <= 0).all(axis=1)

        live, kept = ~self.rejected[trials], self.side[trials] == KEPT
        rivals = kept[:, :, None] & live[:, None, :] & (self.protection[trials] >= 0)
        row, model, rival = np.nonzero(rivals)
        trial = trials[row]
        lack, _ = self.acceptance_need(trial, model, rival)
        self.beaten[trials] = False
        self.beaten[trial, model, rival] = lack <= 0
        safe = self.beaten[trials] | ~live[:, None, :] | np.eye(self.models, dtype=np.bool_)
        self.accepted[trials] = safe.all(axis=2) & kept
