"""How many comparisons' worth of evidence speaks against other scores, on one objective.

At scores θ that maximise a Bradley–Terry likelihood of N_ij comparisons, the log-likelihood ratio against
any scores λ is Σ_{i<j} N_ij kl(p_ij(θ), p_ij(λ)), because a fit has the wins of every model right. With the
shares of an allocation as weights it is what one comparison tells the two apart by, on average. So one
function serves the likelihood ratio and the information limit:

    F(m) = Σ_{i<j} w_ij kl(p_ij(θ), p_ij(θ + m)),   m = λ − θ the moves.

F is convex, 0 at 0, and blind to a common shift. Written in moves it does not cancel, however close λ is.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pareto.glr.log_ratios import bernoulli_divergence
from pareto.links import Reals, logistic
from pareto.pair_graph import PairGraph


class Divergence:
    """F on one objective. theta: (K,). weights: (K, K) symmetric, ≥ 0; the diagonal is ignored.

    Attributes:
        group: (K,) models that positive weights link, however indirectly, share a number.
        rounding: what floating point may do to a sum of positive terms over pairs, relative to it, with room
            to spare: 2^−52 for each addition, and for each unit of the widest lead.
    """

    def __init__(self, theta: Reals, weights: Reals) -> None:
        self.theta = theta
        self._first, self._second = np.nonzero(np.triu(weights, 1))
        self._weight = weights[self._first, self._second]
        self._lead = theta[self._first] - theta[self._second]
        self._chance, self._rest = logistic(self._lead), logistic(-self._lead)
        self._slope = self._chance * self._rest
        self.total = float(self._weight.sum())
        self.rounding = (len(self._first) + 16 * float(np.ptp(theta)) + 64) * 2.0**-52
        self.group = PairGraph.of(weights).group

    def value(self, moves: Reals) -> float:
        """F(moves)."""
        shift = moves[self._first] - moves[self._second]
        return float(self._weight @ bernoulli_divergence(self._lead, shift))

    def derivatives(self, moves: Reals) -> tuple[Reals, Reals]:
        """Gradient (K,) and Hessian (K, K) of F."""
        models = len(self.theta)
        shift = moves[self._first] - moves[self._second]
        odds = np.exp(shift)
        scale = self._rest + self._chance * odds
        flow = self._weight * self._slope * np.expm1(shift) / scale  # w (q − p) without a difference
        gradient: Reals = np.zeros(models)
        gradient += np.bincount(self._first, flow, models)
        gradient -= np.bincount(self._second, flow, models)
        return gradient, self._laplacian(self._weight * self._slope * (odds / scale) / scale)

    def _laplacian(self, conductance: Reals) -> Reals:
        models = len(self.theta)
        matrix = np.zeros((models, models))
        matrix[self._first, self._second] = -conductance
        matrix[self._second, self._first] = -conductance
        np.einsum("ii->i", matrix)[...] = -matrix.sum(axis=1)
        return matrix

    @cached_property
    def single_orders(self) -> tuple[Reals, Reals]:
        """Bounds (K, K) from below and above on the least F with λ_a ≥ λ_b, [a, b]; 0 where θ has it.

        With b = θ_b − θ_a > 0 no two models move apart by more than b, neither at the least F (see `forced`)
        nor at that of its quadratic model ½ mᵀI m, which is h = b² / (2 R_ab), R_ab the effective resistance
        between a and b under conductances w p (1 − p). Within such moves p (1 − p) changes by a factor
        e^(±b) at most, so each kl is between (e^(−b) − 1 + b) and (e^b − 1 − b) times w p (1 − p) s² / b².
        """
        resistance, off = self._resistance
        lead = np.maximum(self.theta[None, :] - self.theta[:, None], 0.0)
        apart, known = lead > 0, off < 1
        low, high = _curvature(lead)
        # where a resistance is not known, or no number, nothing is: 0 from below, inf from above
        with np.errstate(all="ignore"):
            score = np.where(known, lead * lead / (2 * resistance), np.nan)
            least, most = score * low * (1 - off), score * high * (1 + off)
        least = np.where(apart & np.isfinite(least), least, 0.0)
        most = np.where(apart, np.where(np.isnan(most), np.inf, most), 0.0)
        return least, np.where(apart & np.isposinf(resistance) & known, 0.0, most)

    @property
    def _resistance(self) -> tuple[Reals, Reals]:
        """Effective resistances (K, K), inf between groups, and by which shares (K, K) they may be off.

        X solves I X = Π up to residuals. For the potential x = X (e_a − e_b) whose residual is ρ, the true
        resistance is xᵀ(e_a − e_b) minus (e_a − e_b)ᵀ I† ρ, and a potential of unit flow spans R_ab: the
        error is at most R_ab ‖ρ‖₁ / 2. What rounding does to the residual and to xᵀ(e_a − e_b) is added; a
        share of 1 or more says that nothing is known.
        """
        models = len(self.theta)
        information = self._laplacian(self._weight * self._slope)
        level = float(np.trace(information)) / models or 1.0
        same = self.group[:, None] == self.group[None, :]
        blocks = same / same.sum(axis=1)
        scaled = information / level
        try:
            inverse = np.linalg.inv(scaled + blocks)
        except np.linalg.LinAlgError:  # so unequal that some links are lost in rounding
            return np.full_like(scaled, np.inf), np.ones_like(scaled)
        with np.errstate(all="ignore"):  # so unequal that products are no numbers: the share is none either
            inverse -= blocks @ inverse
            residual = scaled @ inverse - (np.eye(models) - blocks)
            rounded = (models + 2) * 2.0**-53 * (np.abs(scaled) @ np.abs(inverse)).sum(axis=0).max()
            measured = float(np.abs(residual).sum(axis=0).max())
            own: Reals = np.diag(inverse)
            apart = own[:, None] + own[None, :] - inverse - inverse.T
            size = np.abs(own)[:, None] + np.abs(own)[None, :] + np.abs(inverse) + np.abs(inverse.T)
            lost = np.where(apart > 0, 2.0**-50 * size / apart, np.inf)
            off = measured + np.maximum(2.0**-40, rounded + lost)
            resistance: Reals = np.where(same, apart / level, np.inf)
        return resistance, np.where(same, np.where(off < 1, off, 1.0), 0.0)


def _curvature(lead: Reals) -> tuple[Reals, Reals]:
    """2 (e^(−b) − 1 + b) / b² and 2 (e^b − 1 − b) / b²; 1 at b = 0."""
    b = np.maximum(lead, 1e-3)
    with np.errstate(over="ignore"):
        low, high = 2 * (np.expm1(-b) + b) / (b * b), 2 * (np.expm1(b) - b) / (b * b)
    small = lead < 1e-3  # three terms of the series, then a bound on the rest
    return np.where(small, 1 - lead / 3, low), np.where(small, 1 + lead / 3 + lead * lead, high)
