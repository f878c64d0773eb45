"""How much better than a point a constrained fit can be at most: the Frank–Wolfe gap (paper, appendix 10).

For a convex loss f with gradient g at ϑ, f ≥ f(ϑ) − gap on the whole polytope, where

    gap = gᵀϑ − min {gᵀs : 1ᵀs = 0, |s_i| ≤ S, s_a ≥ s_b for every pair (a, b) of the order}.

The minimum is a linear program, `program`. For the star-shaped orders of `pareto.alternatives`, where one
model is at least as good as some others, it has a closed form: `star_gap`. By duality the minimum is the
largest D(ν) = min {(g − ν1)ᵀs : box and order}. D is concave and piecewise linear. The inner minimum sits at
a corner: s_i = ±S by the sign of g_i − ν, and of the star either the top is at S and everybody below as they
please, or all of it is at −S. So D bends at the g_i, and where both are equally good:
g_top = ν + Σ_below (ν − g_b)⁺.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.links import Reals
from pareto.scores import Mask
from solvers import LinearProgram


def program(gradient: npt.ArrayLike, order: Sequence[tuple[int, int]], box: float) -> LinearProgram:
    """min gradient·s over 1ᵀs = 0, |s_i| ≤ box, s_a ≥ s_b for the pairs (a, b) of the order.

    gradient: (K,), entries below 1e15 (solvers misread larger costs): divide it by a power of two first.
    """
    costs = np.asarray(gradient, dtype=np.float64)
    if costs.ndim != 1:
        raise BattleError(f"gradient of shape {costs.shape}; (models,) is accepted")
    models, rows = len(costs), len(order)
    matrix = np.zeros((rows + 1, models))
    for row, (better, worse) in enumerate(order):
        matrix[row, better], matrix[row, worse] = 1.0, -1.0
    matrix[rows] = 1.0
    return LinearProgram(
        costs,
        matrix,
        row_lower=np.zeros(rows + 1),
        row_upper=np.append(np.full(rows, np.inf), 0.0),
        lower=np.full(models, -box),
        upper=np.full(models, box),
    )


def star_gap(gradient: Reals, theta: Reals, top: Counts, below: Mask, box: float) -> Reals:
    """The gap (n,) of points `theta` (n, K), gradient (n, K), where `top` (n,) ≥ everybody in `below` (n, K).

    Points satisfy the constraints. Rounding aside (relative to Σ|g_i|·box), which is the caller's affair.
    """
    each = np.arange(len(gradient))
    leader = gradient[each, top]
    bends = np.concatenate((gradient, _balance(gradient, leader, below)[:, None]), axis=1)
    apart = gradient[:, None, :] - bends[:, :, None]  # [n, ν, i]
    free = np.ones(below.shape, dtype=np.bool_)
    free[each, top] = False
    size = np.abs(apart)
    outside = -np.einsum("nvi,ni->nv", size, (free & ~below).astype(np.float64))
    star = below.astype(np.float64)
    ahead = leader[:, None] - bends
    up = ahead - np.einsum("nvi,ni->nv", size, star)
    down = -ahead - np.einsum("nvi,ni->nv", apart, star)
    level = bends[each, (outside + np.minimum(up, down)).argmax(axis=1)]
    return _gap_at(level, gradient, theta, top, below, box)


def _balance(gradient: Reals, leader: Reals, below: Mask) -> Reals:
    """ν with leader = ν + Σ_below (ν − g_b)⁺, (n,): the smallest root of its linear pieces."""
    rising = np.sort(np.where(below, gradient, np.inf), axis=1)
    with np.errstate(invalid="ignore"):
        sums = leader[:, None] + np.cumsum(rising, axis=1)
    roots = sums / np.arange(2, gradient.shape[1] + 2)
    return np.asarray(np.minimum(leader, roots.min(axis=1)))


def _gap_at(level: Reals, gradient: Reals, theta: Reals, top: Counts, below: Mask, box: float) -> Reals:
    """gᵀϑ − D(ν): a bound for every ν, summed from terms that are small where nothing is to be gained."""
    each = np.arange(len(gradient))
    slope = gradient - level[:, None]
    terms = slope * theta + box * np.abs(slope)
    ahead = slope[each, top]
    rest = terms.copy()
    rest[each, top] = 0.0
    star = ahead * theta[each, top] + np.where(below, slope * theta, 0.0).sum(axis=1)
    up = -ahead + np.where(below, np.abs(slope), 0.0).sum(axis=1)
    down = ahead + np.where(below, slope, 0.0).sum(axis=1)
    gap = np.where(below, 0.0, rest).sum(axis=1) + star + box * np.maximum(up, down)
    return np.asarray(np.maximum(gap + level * theta.sum(axis=1), 0.0))
