"""Track-and-Stop on many trials at once: counts, checks and plans. The sampler is one trial of it.

Cells are pairs i < j on objectives, (d, pairs). All counts are int64 and exact up to 10^18.
"""

from __future__ import annotations

import numpy as np

from pareto.comparisons import Counts
from pareto.glr.log_ratios import bernoulli_divergence
from pareto.links import Reals
from pareto.samplers.likelihood_ratio import Check, check
from pareto.samplers.track_constants import TrackConstants
from pareto.samplers.tracking import apportioned, mixed, reweighted


class TrackRace:
    """T trials between checks.

    Attributes:
        counts: (T, d, pairs) comparisons so far. wins: (T, d, pairs) those won by the first model.
        checks: (T,) how many checks there were. stopped: (T,) whose stopping rule has fired.
        plan: (T, d, pairs) comparisons until the next check; none where stopped or at T_max.
        theta, frontier: (T, d, K), (T, K) of the last check. statistic, threshold: (T,) Ψ and β there.
    """

    def __init__(
        self, trials: int, models: int, objectives: int, delta: float, constants: TrackConstants
    ) -> None:
        self.delta, self.constants = delta, constants
        self.first, self.second = np.triu_indices(models, 1)
        shape = (trials, objectives, len(self.first))
        self.cells = objectives * len(self.first)
        self.counts: Counts = np.zeros(shape, dtype=np.int64)
        self.wins: Counts = np.zeros(shape, dtype=np.int64)
        self.checks: Counts = np.zeros(trials, dtype=np.int64)
        self.stopped = np.zeros(trials, dtype=np.bool_)
        self.theta: Reals = np.zeros((trials, objectives, models))
        self.frontier = np.ones((trials, models), dtype=np.bool_)
        self.statistic: Reals = np.zeros(trials)
        self.threshold: Reals = np.full(trials, np.inf)
        self._weights: Reals = np.full((trials, self.cells), 1.0 / self.cells)
        self._target: Reals = np.full((trials, self.cells), float(constants.first))
        first = np.full((trials, self.cells), constants.first, dtype=np.int64)
        if constants.first * self.cells > constants.most:
            even = np.full((trials, self.cells), 1.0)
            first = apportioned(even, np.full(trials, constants.most, dtype=np.int64))
        self.plan: Counts = first.reshape(shape)

    @property
    def spent(self) -> Counts:
        """(T,) comparisons so far."""
        return np.asarray(self.counts.sum(axis=(1, 2)))

    @property
    def met(self) -> Counts:
        """(T, d, K) comparisons of each model, on either side."""
        models = self.frontier.shape[1]
        square = np.zeros((*self.counts.shape[:2], models, models), dtype=np.int64)
        square[:, :, self.first, self.second] = self.counts
        return np.asarray(square.sum(axis=3) + square.sum(axis=2))

    @property
    def open(self) -> Counts:
        """Trials that want comparisons."""
        return np.flatnonzero(self.plan.any(axis=(1, 2)))

    def take(self, which: Counts, asked: Counts, won: Counts) -> None:
        """A batch of the trials `which` (n,), then their checks and plans. asked, won: (n, d, pairs)."""
        self.counts[which] += asked
        self.wins[which] += won
        self.checks[which] += 1
        start = self.theta[which] if (self.checks[which] > 1).all() else None
        found = check(self._square(which), self.delta, self.constants, start)
        self.theta[which], self.frontier[which] = found.theta, found.frontier
        self.statistic[which], self.threshold[which] = found.statistic, found.threshold
        self.stopped[which] = found.stopping
        self.plan[which] = 0
        on = np.flatnonzero(~found.stopping)
        if len(on):
            self._schedule(which[on], self._divergence(found, on))

    def _square(self, which: Counts) -> Counts:
        """Wins (n, d, K, K), row over column."""
        models = self.frontier.shape[1]
        square = np.zeros((len(which), self.counts.shape[1], models, models), dtype=np.int64)
        wins = self.wins[which]
        square[:, :, self.first, self.second] = wins
        square[:, :, self.second, self.first] = self.counts[which] - wins
        return square

    def _divergence(self, found: Check, on: Counts) -> Reals:
        """κ (n, cells) between the two fits."""
        theta, other = found.theta[on], found.other[on]
        lead = theta[:, :, self.first] - theta[:, :, self.second]
        moved = other - theta  # not a difference of leads: the two fits may be very close
        shift = moved[:, :, self.first] - moved[:, :, self.second]
        return bernoulli_divergence(lead, shift).reshape(len(on), -1)

    def _schedule(self, which: Counts, divergence: Reals) -> None:
        """Plan the batches up to the next checks (n,)."""
        constants = self.constants
        at = self.spent[which]
        until = np.array([constants.next_check(t, self.cells) for t in at.tolist()], dtype=np.int64)
        batch = np.maximum(until - at, 0)
        weights = reweighted(
            self._weights[which],
            divergence,
            self.checks[which],
            constants.step,
            constants.least_divergence,
        )
        self._weights[which] = weights
        share = mixed(weights, np.maximum(until, 1), constants.mixing)
        self._target[which] += batch[:, None] * share
        deficits = np.maximum(self._target[which] - self.counts[which].reshape(len(which), -1), 0.0)
        self.plan[which] = apportioned(deficits, batch).reshape(self.plan[which].shape)
