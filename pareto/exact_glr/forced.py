"""The cheapest scores that put one model on top of others, on one objective, with a proof.

Minimise F (see `divergence`) over moves m with λ_top ≥ λ_p for every p of a set. Shifts cost nothing, so let
m_top = 0: then every constraint is a bound on a single move, m_p ≤ −(θ_p − θ_top).

No box is needed. At the optimum the gradient of F is 0 but at the top, which is pushed up, and at the p that
bind, which are pushed down. At a model i with the largest move, every term w_ij (q_ij − p_ij) of the gradient
is ≥ 0, and 0 only if its neighbours moved as much. So the largest move is at the top and the smallest at a p
that binds: all moves are in [−b, 0], b the largest lead θ_p − θ_top. Over this box any gradient g at any
moves m proves F ≥ F(m) + Σ_i min_s g_i (s_i − m_i), the Frank–Wolfe gap in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.exact_glr.divergence import Divergence
from pareto.links import Reals
from pareto.scores import Mask

STEPS = 100
PRECISE = 1e-9
"""Gap, as a share of the value, at which to stop."""
WHOLE = 0.5
"""Spread up to which a Newton step is taken whole (Bach 2010: F is self-concordant in it)."""


@dataclass(frozen=True, eq=False)
class Forced:
    """What it costs to put the top above others.

    Attributes:
        value: F at `moves`, which do it.
        lower: nothing that does it costs less.
        moves: (K,) λ − θ, 0 at the top.
        met: (K,) True for models that the top is at least as good as at λ, asked for or not.
    """

    value: float
    lower: float
    moves: Reals
    met: Mask


def forced(divergence: Divergence, top: int, below: tuple[int, ...]) -> Forced:
    """Minimise F with λ_top ≥ λ_p for p in `below`."""
    room = divergence.theta[top] - divergence.theta  # moves up to here keep a model below the top
    wanted = np.array(below, dtype=np.int64)
    binding = wanted[room[wanted] < 0]
    models = len(room)
    if not len(binding):
        return Forced(0.0, 0.0, np.zeros(models), np.asarray(room >= 0))
    upper = np.zeros(models)
    upper[binding] = room[binding]
    floor = float(upper.min())
    here = divergence.group == divergence.group[top]
    moves = np.where(here, upper, floor)  # whoever nothing links to the top goes down for nothing
    held = np.zeros(models, dtype=np.bool_)
    held[binding] = True
    fixed = ~here
    fixed[top] = True
    gap = np.inf
    for _ in range(STEPS):
        gradient, hessian = divergence.derivatives(moves)
        gap = _gap(gradient, moves, upper, floor, top)
        if gap <= PRECISE * abs(float(gradient @ moves)):
            break
        held &= gradient <= 0  # a positive one wants to go down, where nothing stops it
        moves = _stepped(gradient, hessian, moves, upper, floor, ~(held | fixed))
        held |= (upper < 0) & (moves >= upper)
    else:
        gradient, _ = divergence.derivatives(moves)
        gap = _gap(gradient, moves, upper, floor, top)
    value = divergence.value(moves)
    # each q − p is at most |floor|, and acts over at most |floor|
    rounding = divergence.rounding * (value + divergence.total * floor * floor)
    return Forced(value, max(0.0, value - gap - rounding), moves, np.asarray(moves <= room))


def _gap(gradient: Reals, moves: Reals, upper: Reals, floor: float, top: int) -> float:
    room = np.where(gradient > 0, moves - floor, moves - upper)
    room[top] = 0.0
    return float(gradient @ room)


def _stepped(gradient: Reals, hessian: Reals, moves: Reals, upper: Reals, floor: float, free: Mask) -> Reals:
    """A Newton step of the free models, cut at the bounds."""
    from scipy.linalg.lapack import dposv  # a slow import

    some = np.flatnonzero(free)
    _, step, failed = dposv(hessian[np.ix_(some, some)], -gradient[some], lower=1)
    if failed:  # conductances so unequal that rounding made a direction flat
        level = float(np.trace(hessian)) / len(hessian)
        matrix = hessian[np.ix_(some, some)] + np.eye(len(some)) * (1e-10 * level)
        step = np.linalg.lstsq(matrix, -gradient[some], rcond=None)[0]
    spread = float(max(step.max(), 0.0) - min(step.min(), 0.0)) if len(some) else 0.0
    length = 1.0 if spread <= WHOLE else float(np.log1p(spread)) / spread
    moved = moves.copy()
    moved[some] += length * step
    return np.minimum(np.maximum(moved, floor), upper)
