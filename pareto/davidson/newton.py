"""Newton's method for a Davidson model's scores and tie weights together.

In coordinates without redundancy (`tie_spaces`) the three exponents of a pair are linear and minus the
log-likelihood is convex. Let D be the largest range, over the observed pairs, of the changes of a pair's
three exponents along a step. The third derivative along the step is at most D times the second, for an
outcome's third central moment is at most its range times its variance. So, as for Bradley–Terry
(`pareto.bradley_terry`), the whole step decreases the loss if D ≤ ½, and log(1 + D)/D of it always does.
That much is taken, and doubled up to the whole step while the slope there is still downhill, which takes no
Hessian: the bound is too careful where the pair that attains it hardly matters. No loss is ever evaluated,
so nothing cancels, and the method converges from any start.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dpotrf, dpotrs

from pareto.davidson.likelihood import Outcomes
from pareto.davidson.tie_spaces import TieSpace
from pareto.links import Reals
from pareto.pair_graph import PairGraph

STEP = 3e-5
"""Range of a Newton step after which the remaining error, of the order of its square, is under 1e-9."""
CHORD = 3e-10
"""The same for a step with an older Hessian: for its range times its ratio to the last one's."""
SHRINK = 0.1
"""A step with an older Hessian that is not so much smaller than the last is dropped for a Newton step."""
REUSE = 0.1
"""Range of a step from which on its Hessian may serve for the next."""
WHOLE = 0.5
"""Range up to which a Newton step is taken whole."""
FLAT = 1e-13
"""Added to the Hessian, in units of its mean diagonal, where rounding has made it singular; then ten times
more, until it is not."""
ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Loss:
    """Minus the log-likelihood plus the penalty, of points (K + r,): scores, then coordinates of tie weights.

    Attributes:
        wins, ties: (K, K), ties symmetric.
    """

    wins: Reals
    ties: Reals
    ridge: float
    space: TieSpace

    @property
    def models(self) -> int:
        """K."""
        return len(self.wins)

    @cached_property
    def met(self) -> Reals:
        """(K, K) comparisons of each pair."""
        return self.wins + self.wins.T + self.ties

    @cached_property
    def pairs(self) -> npt.NDArray[np.bool_]:
        """(K, K) True for pairs with comparisons."""
        return self.met > 0

    @cached_property
    def shifts(self) -> Reals:
        """(K, K) projection onto common shifts of models that comparisons link: they change no likelihood."""
        group = PairGraph.of(self.met).group
        same = group[:, None] == group[None, :]
        shifts: Reals = same / same.sum(axis=1)
        return shifts

    def outcomes(self, point: Reals) -> Outcomes:
        """Probabilities at a point."""
        return Outcomes.at(point[: self.models], self.space.weights(point[self.models :]))

    def downhill(self, point: Reals, outcomes: Outcomes) -> Reals:
        """Minus the gradient, (K + r,)."""
        theta, coordinates = point[: self.models], point[self.models :]
        lead = outcomes.lead_slopes(self.wins, self.ties).sum(axis=1) / 2
        tie = self.space.free(self.space.pulled(outcomes.tie_slopes(self.wins, self.ties)))
        penalty = self.space.penalty @ coordinates
        return np.concatenate((lead - self.ridge * theta, tie - self.ridge * penalty))

    def hessian(self, outcomes: Outcomes) -> Reals:
        """(K + r, K + r), lower triangle; shifts of the scores are given curvature.

        The minimum, ridge or not, has no shift, and a curvature near that of the rest keeps the system
        well-conditioned.
        """
        lead, mixed, tie = outcomes.curvatures(self.met)
        models, width = self.models, self.models + self.space.dimensions
        hessian = np.zeros((width, width))
        scores = hessian[:models, :models]
        np.divide(lead, -4.0, out=scores)
        diagonal = -scores.sum(axis=1)
        np.einsum("ii->i", scores)[...] = diagonal + self.ridge
        scores += (float(diagonal.mean()) or 1.0) * self.shifts
        hessian[models:, :models] = self.space.cross(mixed / 2).T
        hessian[models:, models:] = self.space.curvature(tie)
        if self.ridge:
            hessian[models:, models:] += self.ridge * self.space.penalty
        return hessian

    def range(self, step: Reals) -> float:
        """D: largest range of the changes of (x, −x, η) over observed pairs."""
        theta = step[: self.models]
        lead = np.abs(theta[:, None] - theta[None, :]) / 2
        weight = np.abs(self.space.weights(step[self.models :]))
        return float(np.max(lead + np.maximum(lead, weight), where=self.pairs, initial=0.0))


@dataclass(frozen=True, eq=False)
class Descent:
    """Where Newton's method ended.

    Attributes:
        point: (K + r,), scores without shifts.
        iterations: steps; factorisations: those of them with a Hessian of their own.
        last_step: range D of the last step.
        settled: True if the steps have shrunk until the remaining error is below 1e-9.
    """

    point: Reals
    iterations: int
    factorisations: int
    last_step: float
    settled: bool


def minimise(loss: Loss, begun: Reals) -> Descent:
    """From any finite point (K + r,). A factorisation costs O((K + r)³), anything else O(K² k)."""
    point = begun.copy()
    factor: Reals = point[:0]
    iterations = factorisations = 0
    due, last, settled = True, np.inf, False
    while not settled and iterations < ITERATIONS:
        outcomes = loss.outcomes(point)
        downhill = loss.downhill(point, outcomes)
        fresh = due
        if fresh:
            factor = _factor(loss.hessian(outcomes))
            factorisations += 1
        step: Reals = dpotrs(factor, downhill, lower=0)[0]
        step[: loss.models] -= loss.shifts @ step[: loss.models]
        spread = loss.range(step)
        if not fresh and spread > SHRINK * last:
            due = True
            continue
        point += _length(loss, point, step, spread) * step
        iterations += 1
        settled = spread <= STEP if fresh else spread * spread <= CHORD * last
        due, last = spread > REUSE, spread
    point[: loss.models] -= loss.shifts @ point[: loss.models]
    return Descent(point, iterations, factorisations, float(last), settled)


def _length(loss: Loss, point: Reals, step: Reals, spread: float) -> float:
    """How much of a step to take."""
    length = 1.0 if spread <= WHOLE else float(np.log1p(spread) / spread)
    while length < 1:
        further = min(1.0, 2 * length)
        ahead = point + further * step
        if loss.downhill(ahead, loss.outcomes(ahead)) @ step < 0:
            break
        length = further
    return length


def _factor(hessian: Reals) -> Reals:
    """Cholesky factor from the lower triangle."""
    factor, failed = dpotrf(hessian.T, lower=0)
    flat = FLAT * float(np.trace(hessian)) / len(hessian)
    while failed and np.isfinite(flat):  # rounding made a nearly flat direction negative
        np.einsum("ii->i", hessian)[...] += flat
        factor, failed = dpotrf(hessian.T, lower=0)
        flat *= 10
    return np.asarray(factor)
