"""Ordered Bradley–Terry fits as exponential-cone programs for CVXPY."""

from typing import Any

import numpy as np

from solvers.bradley_terry.newton import FAINT, connected
from solvers.ordered_bradley_terry import OrderedBradleyTerry

PAIRS = 5000
"""Pairs that were compared; every direction of each becomes two exponential cones."""


def refuses(problem: OrderedBradleyTerry) -> str:
    """Why the cone program would be too large or too badly scaled; empty if it is not."""
    met = int(np.count_nonzero(np.triu(problem.wins + problem.wins.T, 1)))
    if met > PAIRS:
        return f"{met} pairs were compared; as exponential cones at most {PAIRS} are accepted."
    return ""


def model(problem: OrderedBradleyTerry) -> tuple[Any, Any, Any, float]:
    """The CVXPY problem (per comparison), its variable, its order constraint, and the comparisons."""
    import cvxpy as module

    cvxpy: Any = module  # its functions are not exported explicitly

    winner, loser = np.nonzero(problem.wins)
    counts = problem.wins[winner, loser]
    scale = float(counts.sum()) + problem.ridge
    scale = scale if scale > 0 else 1.0
    theta = cvxpy.Variable(problem.n)
    ridge = problem.ridge / scale
    if not (ridge or connected(problem.wins)):
        ridge = FAINT if problem.wins.any() else 1.0
    terms: list[Any] = []
    if len(winner):
        terms.append((counts / scale) @ cvxpy.logistic(theta[loser] - theta[winner]))
    if ridge:
        terms.append((0.5 * ridge) * cvxpy.sum_squares(theta))
    constraints = [cvxpy.sum(theta) == 0, theta <= problem.box, theta >= -problem.box]
    order = None
    if problem.m:
        order = theta[problem.pairs[:, 0]] - theta[problem.pairs[:, 1]] >= 0
        constraints.append(order)
    return cvxpy.Problem(cvxpy.Minimize(sum(terms)), constraints), theta, order, scale
