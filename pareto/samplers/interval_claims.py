"""What `interval` decides, and why it errs with probability at most δ. Whom to sample is decided elsewhere.

Many trials at once: arrays start with an axis of trials, and a sampler is one trial.

A draw of arm (i, r) shows model i and a uniformly drawn opponent on objective r; its outcome, in [0, 1], has
mean b_i,r, the Borda score. After n draws with mean b̂, for any m > 0 fixed before them,

    M(b) = √(m/(n+m)) exp(2 n² (b̂ − b)²/(n+m))

is at b = b_i,r a nonnegative supermartingale that starts at 1: a normal mixture over Hoeffding's
exp(η n(b̂−b) − n η²/8). So is the product of two of them, for arms (i, r) and (j, r), however often each is
drawn and whatever made us draw them. If b_j ≤ b_i, the product at the true means is no less than its minimum
over all c_j ≤ c_i, which for b̂_j > b̂_i is attained at c_j = c_i and is

    E = √(m/(n_i+m)) √(m/(n_j+m)) exp( a_i a_j/(a_i+a_j) (b̂_j − b̂_i)² ),   a = 2n²/(n+m).

Hence E ever reaches x with probability at most 1/x: a test at any time that j is better than i on r. Two arms
inform it jointly, each as precisely as it is known, and every draw of an arm serves all its rivals.

A pilot comes first. At its end everything that depends on choice is fixed and all tallies begin anew: m for
every (i, j, r), shares π_i(j) over witnesses and ω_ij(r) over objectives, each summing to at most 1. Every
model can be the subject of exactly one false claim; each gets δ/K.

*Rejection.* Model i is rejected when for one witness j all d tests "j better than i on r" have reached
K/(δ π_i(j)). If i is on the frontier, each j is not better somewhere, on an objective that depends on j only;
that test gets there with probability at most π_i(j) δ/K. The sum over j is at most δ/K.

*Acceptance.* Model i is accepted when for every rival j not rejected some test "i better than j on r" has
reached K/(δ ω_ij(r)). If i is dominated, then by some frontier model j*, fixed once and for all, and as long
as no frontier model was rejected one of the tests against j*, all of true hypotheses, must have got there:
with probability at most Σ_r ω_ij*(r) δ/K ≤ δ/K.

With a margin ε, "j dominates i" means b_j − b_i > ε on every objective; tests then play against
b_j − b_i ≤ ε for rejections and against b_j − b_i ≥ ε for acceptances, and the lead in E is measured from ε.
Leads add up, so who dominates somebody that dominates i does so to i.
"""

from __future__ import annotations

import math

import numpy as np

from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.betting import SLACK, Index


class Claims:
    """Tallies, tests and claims of T trials with K models and d objectives.

    Attributes:
        draws, points: (T, K, d) of the arms since the end of the pilot.
        ready: (T,) True where the pilot has ended.
        weight: (T, d, K, K) the m of each test, symmetric in the two models.
        reject_goal: (T, K, K) log threshold of tests that column j is better than row i.
        accept_goal: (T, d, K, K) log threshold of tests that row i is better than column j.
        behind: (T, d, K, K) True where it was shown that j is better than i.
        beaten: (T, K, K) True where it was shown that i is better than j on some objective; protection:
            which, −1 before.
        witness: (T, K) who dominates a rejected model, −1 otherwise.
        rejected, accepted: (T, K) claims made.
    """

    def __init__(self, trials: int, models: int, objectives: int, delta: float, margin: float = 0.0) -> None:
        self.models, self.objectives, self.delta, self.margin = models, objectives, delta, margin
        square = (trials, models, models)
        stack = (trials, objectives, models, models)
        self.draws: Reals = np.zeros((trials, models, objectives))
        self.points: Reals = np.zeros((trials, models, objectives))
        self.ready: Mask = np.zeros(trials, dtype=np.bool_)
        self.weight: Reals = np.ones(stack)
        self.reject_goal: Reals = np.full(square, np.inf)
        self.accept_goal: Reals = np.full(stack, np.inf)
        self.behind: Mask = np.zeros(stack, dtype=np.bool_)
        self.beaten: Mask = np.zeros(square, dtype=np.bool_)
        self.protection: Index = np.full(square, -1, dtype=np.int64)
        self.witness: Index = np.full((trials, models), -1, dtype=np.int64)
        self.rejected: Mask = np.zeros((trials, models), dtype=np.bool_)
        self.accepted: Mask = np.zeros((trials, models), dtype=np.bool_)

    @property
    def undecided(self) -> Mask:
        """(T, K)."""
        return ~(self.rejected | self.accepted)

    def begin(self, trials: Index, weight: Reals, witness_rank: Index, objective_rank: Index) -> None:
        """End the pilot of `trials` (t,).

        weight: (t, d, K, K). Ranks 1, 2, … make shares 1/(q(q+1)): witness_rank (t, K, K) is a permutation
        of 1 … K along every row, objective_rank (t, d, K, K) one of 1 … d along the first axis.
        """
        self.ready[trials] = True
        self.weight[trials] = weight
        base = math.log(self.models / self.delta) + SLACK
        self.reject_goal[trials] = base + _log_rank(witness_rank)
        self.accept_goal[trials] = base + _log_rank(objective_rank)

    def judge(self, trials: Index) -> None:
        """Make the claims that the tallies of these trials allow."""
        trials = trials[self.ready[trials] & self.undecided[trials].any(axis=1)]
        if not len(trials):
            return
        live, undecided = ~self.rejected[trials], self.undecided[trials]
        # only models in play anywhere, to keep the arrays small
        i, j = np.flatnonzero(undecided.any(axis=0)), np.flatnonzero(live.any(axis=0))
        pairs = np.ix_(trials, i, j)
        goal, beaten, protection = self.reject_goal[pairs], self.beaten[pairs], self.protection[pairs]
        everywhere = np.ones_like(beaten)
        for r in range(self.objectives):
            tests = (trials[:, None, None], r, i[:, None], j)
            lead, evidence = self._evidence(trials, r, i, j, self.weight[tests])
            behind = self.behind[tests] | ((lead > self.margin) & (evidence >= goal))
            self.behind[tests] = behind
            everywhere &= behind
            shown = (lead < self.margin) & (evidence >= self.accept_goal[tests]) & ~beaten
            protection[shown] = r
            beaten |= shown
        self.beaten[pairs], self.protection[pairs] = beaten, protection
        everywhere &= undecided[:, i, None] & live[:, None, j]
        found = everywhere.any(axis=2)
        row, at = np.nonzero(found)
        self.rejected[trials[row], i[at]] = True
        self.witness[trials[row], i[at]] = j[everywhere[row, at].argmax(axis=1)]
        live = ~self.rejected[trials]
        safe = (beaten | ~live[:, None, j] | (i[:, None] == j)).all(axis=2)
        row, at = np.nonzero(safe & undecided[:, i] & live[:, i])
        self.accepted[trials[row], i[at]] = True

    def _evidence(self, trials: Index, r: int, i: Index, j: Index, weight: Reals) -> tuple[Reals, Reals]:
        """(t, I, J): b̂_j − b̂_i, and log E for the lead that it has beyond the margin, in either direction."""
        draws = self.draws[trials, :, r]
        means = self.points[trials, :, r] / np.maximum(draws, 1)
        lead = means[:, None, j] - means[:, i, None]
        one, two = draws[:, i, None], draws[:, None, j]
        sharp, other = 2 * one * one / (one + weight), 2 * two * two / (two + weight)
        joint = sharp * other / np.maximum(sharp + other, 1e-300)
        paid = 0.5 * np.log((1 + one / weight) * (1 + two / weight))
        return lead, joint * (lead - self.margin) ** 2 - paid


def _log_rank(rank: Index) -> Reals:
    """log q(q+1)."""
    number = rank.astype(np.float64)
    return np.asarray(np.log(number * (number + 1)), dtype=np.float64)
