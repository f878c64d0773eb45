"""Win, loss and tie probabilities of the Davidson model, and its likelihood's derivatives by pair.

    (win, loss, tie) = softmax((θ_i − θ_j)/2, (θ_j − θ_i)/2, η_ij)        (paper, equation 23)

Arrays are K × K, row over column. Differences of large numbers are avoided: a derivative by the half lead
x = (θ_i − θ_j)/2 or by η is written with the probabilities of what did not happen, so that it is precise
where an outcome is nearly certain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.links import Reals


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Probabilities at some parameters; loss is the transpose of win.

    Attributes:
        win: (K, K) that row wins against column.
        tie: (K, K) symmetric.
        log_win, log_tie: their logarithms.
    """

    win: Reals
    tie: Reals
    log_win: Reals
    log_tie: Reals

    @classmethod
    def at(cls, theta: Reals, weights: Reals) -> Outcomes:
        """At scores (K,) and tie weights (K, K)."""
        half = (theta[:, None] - theta[None, :]) / 2
        top = np.maximum(np.abs(half), weights)
        win, tie = np.exp(half - top), np.exp(weights - top)
        total = (win + win.T) + tie
        log = top + np.log(total)
        return cls(win / total, tie / total, half - log, weights - log)

    @property
    def half_credit(self) -> Reals:
        """(K, K) win + tie/2, ½ on the diagonal; an entry and its mirror image sum to 1."""
        return 0.5 + 0.5 * (self.win - self.win.T)

    def log_likelihood(self, wins: Reals, ties: Reals) -> float:
        """Σ log probability of the outcomes of every pair: wins (K, K), ties (K, K) symmetric."""
        return float((wins * self.log_win).sum() + (ties * self.log_tie).sum() / 2)

    def lead_slopes(self, wins: Reals, ties: Reals) -> Reals:
        """∂/∂x_ij of the log-likelihood, (K, K) antisymmetric."""
        surprising = wins * (self.win.T + self.tie) - (wins.T + ties) * self.win
        return surprising - surprising.T

    def tie_slopes(self, wins: Reals, ties: Reals) -> Reals:
        """∂/∂η_ij of the log-likelihood, (K, K) symmetric, 0 on the diagonal."""
        return ties * (self.win + self.win.T) - (wins + wins.T) * self.tie

    def curvatures(self, met: Reals) -> tuple[Reals, Reals, Reals]:
        """−∂²/∂x², −∂²/∂x∂η, −∂²/∂η² of the log-likelihood of `met` comparisons (K, K): variances and the
        covariance of the outcome as (1, −1, 0) and as (0, 0, 1)."""
        decided = self.win + self.win.T
        lead = met * (4 * self.win * self.win.T + self.tie * decided)
        mixed = met * ((self.win.T - self.win) * self.tie)
        tie = met * (self.tie * decided)
        return lead, mixed, tie
