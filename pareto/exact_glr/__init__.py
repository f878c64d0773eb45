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
from pareto.exact_glr.checks import as_cells, as_number, as_whole, checked
from pareto.exact_glr.closest import forced_below, near, ratio_against
from pareto.exact_glr.costs import Costs, DivergenceCosts
from pareto.frontier import frontier
from pareto.links import Reals
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
    then (large frontiers only: the default covers d^|P| = 4096), `lower` stays below `value`. So it does,
    with three models already, where scores are far apart and counts uneven or few, as with scores ~ N(0,
    20²): the ratio may then be so small beside Σ counts × lead² that what rounding may do to it, which
    `lower` is without, is more than a millionth of it, or all. enough: end with the first alternative whose
    ratio is below this.

    Raises `BattleError` for scores and counts of other shapes, or that are no finite numbers, counts below 0
    or not symmetric or more than 10^200 times others, scores that range over more than 600, `nodes` that is
    no whole number ≥ 0, and `enough` that is no number.
    """
    scores, weights, power = checked(theta, counts)
    enough = as_number(enough, "enough", -np.inf)
    wanted = Wanted(nodes=as_whole(nodes, "nodes", 0), enough=_times(enough, -power))
    found = _closest(DivergenceCosts(scores, weights), wanted)
    lower = _times(found.lower, power)
    if _times(lower, -power) > found.lower:  # a ratio so small that it was rounded, and upwards
        lower = float(np.nextafter(lower, 0.0))
    return Closest(_times(found.value, power), lower, found.alternative, found.scores)


def exact_glr_in_box(wins: npt.ArrayLike, box: float = 2.0, backend: str = "auto") -> Closest:
    """The same for wins (d, K, K), row over column, whole numbers or not, all scores within [−box, box].

    Every fit is enclosed by rationals, by a back end of `solvers`; slower than `exact_glr`. Raises
    `BattleError` for other shapes, and for what the back end does not take or does not solve.
    """
    table = as_cells(wins, "wins")
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


def _times(value: float, power: int) -> float:
    """value · 2^power, inf where that is too large."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, power))
