"""The exact generalised likelihood ratio: the closest of all alternatives to a frontier, with proof.

The paper's stopping statistic tests one alternative, screened by an approximation. Here is the minimum over
all of them, |P|(|P| − 1) drops and d^|P| adds for every model outside the frontier P, by branch and bound
over convex fits. `exact_glr` takes scores and counts, `exact_glr_in_box` wins and a box; `ratio_against`
says what speaks against a single alternative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.alternatives import Alternative
from pareto.errors import BattleError
from pareto.exact_glr.assignments import Wanted
from pareto.exact_glr.box import BoxCosts
from pareto.exact_glr.closest import forced_below, near, ratio_against
from pareto.exact_glr.costs import Costs, DivergenceCosts
from pareto.frontier import frontier
from pareto.links import Reals
from pareto.scores import as_scores
from solvers import SolverError

__all__ = [
    "BoxCosts",
    "Closest",
    "DivergenceCosts",
    "Wanted",
    "exact_glr",
    "exact_glr_in_box",
    "forced_below",
    "near",
    "ratio_against",
]


NODES = 10_000
WIDEST = 600.0
"""Largest range of scores: odds beyond e^600 and their products are no numbers any more."""


@dataclass(frozen=True, eq=False)
class Closest:
    """The closest scores with another frontier (or at its edge).

    Attributes:
        value: log-likelihood ratio against `scores`.
        lower: proven: against every alternative it is at least this.
        alternative: that of `scores`.
        scores: (K, d) the closest scores, those of an objective summing to 0.
    """

    value: float
    lower: float
    alternative: Alternative
    scores: Reals

    @property
    def exact(self) -> bool:
        """True if no alternative is closer by more than a millionth."""
        return self.lower >= self.value * (1 - 1e-6)


def exact_glr(
    theta: npt.ArrayLike, counts: npt.ArrayLike, nodes: int = NODES, enough: float = 0.0
) -> Closest:
    """The smallest log-likelihood ratio of all alternatives to the frontier of `theta`.

    theta: (K, d) Bradley–Terry scores. counts: (d, K, K) symmetric, comparisons of each pair, or any weights.
    If theta is the unrestricted maximum-likelihood fit, the result is the generalised likelihood ratio. If
    it is one within a box, `lower` still holds against all alternatives within that box: the likelihood would
    rise only towards the outside, so any move within the box costs the divergence or more. A fit that is only
    known to be within a gap of the maximum likelihood takes that gap off `lower`.

    nodes: for each model that may join, branch and bound looks into no more nodes; where it does not end by
    then (large frontiers only: the default covers d^|P| = 4096), `lower` stays below `value`. enough: end
    with the first alternative whose ratio is below this.
    """
    return _closest(DivergenceCosts(*_checked(theta, counts)), Wanted(nodes=nodes, enough=enough))


def exact_glr_in_box(wins: npt.ArrayLike, box: float = 2.0, backend: str = "auto") -> Closest:
    """The same for wins (d, K, K), row over column, whole numbers or not, all scores within [−box, box].

    Every fit is enclosed by rationals, by a back end of `solvers`; slower than `exact_glr`. Raises
    `BattleError` for other shapes, and for what the back end does not take or does not solve.
    """
    table = np.asarray(wins, dtype=np.float64)
    if table.ndim != 3 or table.shape[1] != table.shape[2] or table.shape[1] < 2:
        raise BattleError(
            f"wins of shape {table.shape}; (objectives, models, models) is accepted, 2 models or more"
        )
    try:
        return _closest(BoxCosts(table, box, backend), Wanted(nodes=NODES))
    except SolverError as error:
        raise BattleError(f"wins or box cannot be used: {error}") from error


def _closest(costs: Costs, wanted: Wanted) -> Closest:
    found = near(costs, frontier(costs.theta), wanted)
    value, alternative = found.found[0]
    objectives = range(costs.theta.shape[1])
    fits = [costs.forced(r, alternative.top, forced_below(alternative, r)) for r in objectives]
    scores = costs.theta + np.stack([one.moves for one in fits], axis=1)
    return Closest(value, min(found.lower, value), alternative, scores - scores.mean(axis=0))


def _checked(theta: npt.ArrayLike, counts: npt.ArrayLike) -> tuple[Reals, Reals]:
    scores = as_scores(theta, least=2).astype(np.float64)
    weights = np.asarray(counts, dtype=np.float64)
    models, objectives = scores.shape
    widest = float(np.ptp(scores, axis=0).max())
    if widest > WIDEST:
        raise BattleError(
            f"scores of an objective range over {widest:.6g}; up to {WIDEST:g} is accepted: fit them with a "
            "ridge, or within a box"
        )
    if weights.shape != (objectives, models, models):
        raise BattleError(
            f"counts of shape {weights.shape} with scores of shape {scores.shape}; "
            f"{(objectives, models, models)} (objectives, models, models) is accepted"
        )
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise BattleError("counts contain negative, infinite or missing numbers; numbers ≥ 0 are accepted")
    if not np.array_equal(weights, weights.swapaxes(1, 2)):
        raise BattleError("counts of i with j and of j with i differ; enter each comparison at both places")
    return scores, weights
