"""Maximum-likelihood Davidson fits with one tie weight or factored ones (paper, appendix 9.4).

The fit of one objective minimises

    F(θ, V) = − Σ over pairs (W_ij log win_ij + W_ji log loss_ij + U_ij log tie_ij) + (ridge / 2)(‖θ‖² + ‖V‖²)

over Σθ = 0, γ in place of V for size 0. Φ being fixed F is convex, and Newton's method (`newton`) finds its
minimum from any start, usually in four to six steps.

Ties are counted with or without both-bad votes, as the caller likes; the model knows three outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pareto.bradley_terry import RIDGE, TOLERANCE
from pareto.bradley_terry import fit as fit_bradley_terry
from pareto.davidson.checks import check_ridge, check_size, checked_counts
from pareto.davidson.existence import Maximum, find_maximum
from pareto.davidson.likelihood import Outcomes
from pareto.davidson.newton import Loss, minimise
from pareto.davidson.tie_spaces import TieSpace, tie_space
from pareto.errors import BattleError
from pareto.links import Reals
from pareto.task import numbered


@dataclass(frozen=True, eq=False)
class DavidsonFit:
    """A fitted model of one objective and how it was reached.

    Attributes:
        size: tie-factor size k.
        theta: (K,) scores, with sum 0 over models that comparisons link.
        tie_parameters: γ as (1,) for size 0; V (K, k) of least Σ V² otherwise.
        tie_weights: (K, K) η, 0 on the diagonal. Where a pair has no comparisons and the others do not
            determine its weight, it is that of the V of least Σ V².
        log_likelihood: without the penalty and without the multinomial coefficients.
        converged: the gradient is within `bradley_terry.TOLERANCE` per comparison and the steps have shrunk
            until the remaining error in θ, and in η of observed pairs, is below 1e-9.
        iterations: steps; factorisations: those of them with a Hessian of their own.
        gradient: largest entry of the gradient of F by θ and V (or γ), divided by the number of comparisons.
        last_step: range D of the last step.
        directions: independent directions of the tie weights; the other directions of V change nothing.
        ridge, wins, ties: as given, (K, K), ties symmetric.
    """

    size: int
    theta: Reals
    tie_parameters: Reals
    tie_weights: Reals
    log_likelihood: float
    converged: bool
    iterations: int
    factorisations: int
    gradient: float
    last_step: float
    directions: int
    ridge: float
    wins: Reals
    ties: Reals

    @cached_property
    def outcomes(self) -> Outcomes:
        """Win and tie probabilities of every pair, met or not."""
        return Outcomes.at(self.theta, self.tie_weights)

    @cached_property
    def maximum(self) -> Maximum:
        """Whether the likelihood has a maximum. Without one, part of the fit depends on the ridge."""
        return find_maximum(self.wins, self.ties, tie_space(self.size, len(self.theta)))

    @property
    def half_credit(self) -> Reals:
        """p̂ (K, K) = win + tie/2, ½ on the diagonal."""
        return self.outcomes.half_credit


def fit_davidson(
    wins: npt.ArrayLike,
    ties: npt.ArrayLike,
    size: int = 0,
    ridge: float = RIDGE,
    start: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> DavidsonFit:
    """Fit one objective: wins (K, K), row over column, and ties (K, K), symmetric, both with diagonal 0.

    size: tie-factor size k from 0 to K. start: (theta, tie_parameters) to begin from, finite numbers. With
    ridge 0 the maximum must exist; `BattleError` names what is in its way. A step costs O((K + r)³) for r
    directions of tie weights, at most K(K−1)/2; five or six steps are usual.
    """
    won, tied = checked_counts(wins, ties)
    models = len(won)
    check_size(size, models)
    check_ridge(ridge)
    space = tie_space(int(size), models)
    if ridge == 0:
        _refuse_without_maximum(won, tied, space)
    descent = minimise(Loss(won, tied, ridge, space), _begun(won, tied, space, start))
    theta, tie_parameters = descent.point[:models], space.parameters(descent.point[models:])
    weights = space.weights_of(tie_parameters)
    outcomes = Outcomes.at(theta, weights)
    lead_slopes = outcomes.lead_slopes(won, tied).sum(axis=1) / 2 - ridge * theta
    tie_slopes = space.pulled(outcomes.tie_slopes(won, tied)) - ridge * tie_parameters
    steepest = max(float(np.abs(lead_slopes).max()), float(np.abs(tie_slopes).max()))
    gradient = steepest / max(float((won + tied / 2).sum()), 1.0)
    return DavidsonFit(
        size=int(size),
        theta=theta,
        tie_parameters=tie_parameters,
        tie_weights=weights,
        log_likelihood=outcomes.log_likelihood(won, tied),
        converged=descent.settled and gradient <= TOLERANCE,
        iterations=descent.iterations,
        factorisations=descent.factorisations,
        gradient=gradient,
        last_step=descent.last_step,
        directions=space.dimensions,
        ridge=ridge,
        wins=won,
        ties=tied,
    )


def _refuse_without_maximum(wins: Reals, ties: Reals, space: TieSpace) -> None:
    maximum = find_maximum(wins, ties, space)
    if not maximum.unique:
        trouble = maximum.trouble(numbered("model", len(wins)), "#0")
        raise BattleError(
            f"no unique maximum-likelihood Davidson model exists: {trouble}. Give a ridge > 0, e.g. {RIDGE}"
        )


def _begun(
    wins: Reals, ties: Reals, space: TieSpace, start: tuple[npt.ArrayLike, npt.ArrayLike] | None
) -> Reals:
    """(K + r,) where to begin: Bradley–Terry scores of half credits and η = 0, unless a start is given."""
    if start is None:
        theta = fit_bradley_terry(wins + ties / 2).theta
        return np.concatenate((theta, np.zeros(space.dimensions)))
    theta = np.asarray(start[0], dtype=np.float64)
    tie_parameters = np.asarray(start[1], dtype=np.float64)
    shape = space.parameters(np.zeros(space.dimensions)).shape
    if theta.shape != (len(wins),) or tie_parameters.shape != shape:
        raise BattleError(
            f"a start of shapes {theta.shape} and {tie_parameters.shape}; ({len(wins)},) and {shape} are "
            "accepted"
        )
    if not (np.isfinite(theta).all() and np.isfinite(tie_parameters).all()):
        raise BattleError("the start contains infinite or missing numbers; finite ones are accepted")
    return np.concatenate((theta - theta.mean(), space.coordinates(tie_parameters)))
