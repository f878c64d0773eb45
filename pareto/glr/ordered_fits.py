"""Many Bradley–Terry fits at once, within a box and under star-shaped orders, to the last digit.

Each minimises the loss f(ϑ) = Σ_ij W_ij log(1 + exp(ϑ_j − ϑ_i)) over {1ᵀϑ = 0, |ϑ_i| ≤ S, ϑ_top ≥ ϑ_b for b
below}, the polytope of one alternative on one objective, as `solvers.OrderedBradleyTerry` states it one at
a time. The method is sequential quadratic programming from a feasible point. The quadratic programs are
solved by a primal–dual active set: guess which constraints are tight, solve a linear system, drop those
with multipliers of the wrong sign and add those violated, until the guess repeats. (For orders alone, with
the top as origin, the Hessian is an M-matrix, and such guesses settle: Hintermüller, Ito & Kunisch 2002.) A
step s of spread D = max s − min s is shortened to log(1 + D)/D of it unless D ≤ ½: as the third derivative
of f along s is at most D times the second, that decreases f. Where guesses do not settle, a back end of
`solvers` takes over. Whoever it was, the Frank–Wolfe gap says how good the point is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts
from pareto.glr.frank_wolfe import star_gap
from pareto.links import Reals, logistic
from pareto.scores import Mask
from solvers import OrderedBradleyTerry, solve

WHOLE = 0.5
"""Spread up to which a step is taken whole."""
SETTLED = 1e-8
"""Spread of a whole step after which what is left is rounding: the error is squared by every step."""
GUESSES = 30
"""Guesses of the tight constraints before a back end of `solvers` takes over."""
FAINT = 1e-13
"""Multipliers, by the mean curvature, and violations that are taken for rounding."""
DAMPING = 1e-9
"""Curvature, by the mean one, lent to models that have not all met: some directions may have none."""


@dataclass(frozen=True, eq=False)
class OrderedFits:
    """Fits of n problems.

    Attributes:
        theta: (n, K), feasible; the sum is 0 up to rounding.
        gap: (n,) Frank–Wolfe gap: no feasible point has a loss smaller by more, rounding aside.
        converged: (n,) True where the gap is at most `tolerance` for every comparison.
        steps: (n,) quadratic programs solved.
    """

    theta: Reals
    gap: Reals
    converged: Mask
    steps: Counts


def fit_ordered(
    wins: Reals,
    top: Counts,
    below: Mask,
    box: float,
    start: Reals | None = None,
    tolerance: float = 1e-7,
    iterations: int = 1000,
) -> OrderedFits:
    """Fit wins (n, K, K), row over column, with `top` (n,) at least as good as those `below` (n, K).

    Where nobody is below, only the box remains. start: (n, K), feasible or not; 0 by default.
    """
    cases, models = wins.shape[:2]
    total = wins.sum(axis=(1, 2))
    scaled = wins / np.where(total > 0, total, 1.0)[:, None, None]
    theta = _feasible(np.zeros((cases, models)) if start is None else start, top, below, box)
    steps = np.zeros(cases, dtype=np.int64)
    open_ = np.flatnonzero(total > 0)
    unsettled: list[int] = []
    for _ in range(iterations):
        if not len(open_):
            break
        # a copy of the large arrays is spared while all are open
        part = scaled if len(open_) == cases else scaled[open_]
        at = theta[open_]
        gradient, hessian = derivatives(part, at)
        _damp(hessian)
        step, settled = _quadratic(gradient, hessian, at, top[open_], below[open_], box)
        unsettled += open_[~settled].tolist()
        spread = step.max(axis=1) - step.min(axis=1)
        length = np.where(spread <= WHOLE, 1.0, np.log1p(spread) / np.maximum(spread, WHOLE))
        moved = _feasible(at + length[:, None] * step, top[open_], below[open_], box)
        theta[open_[settled]] = moved[settled]
        steps[open_] += 1
        open_ = open_[settled & (spread > SETTLED)]
    for case in unsettled:
        order = tuple((int(top[case]), int(b)) for b in np.flatnonzero(below[case]))
        found = solve(OrderedBradleyTerry(wins[case], order, box)).x
        if found is not None:
            one = slice(case, case + 1)
            theta[one] = _feasible(found[None], top[one], below[one], box)
    gap = star_gap(derivatives(wins, theta)[0], theta, top, below, box)
    return OrderedFits(theta, gap, np.asarray(gap <= tolerance * total), steps)


def derivatives(wins: Reals, theta: Reals) -> tuple[Reals, Reals]:
    """Gradient (n, K) and Hessian (n, K, K) of the loss at theta (n, K)."""
    chance = logistic(theta[:, :, None] - theta[:, None, :])
    upset = wins * chance.swapaxes(1, 2)  # wins that were not expected
    gradient: Reals = upset.sum(axis=1) - upset.sum(axis=2)
    hessian = (wins + wins.swapaxes(1, 2)) * chance
    hessian *= chance.swapaxes(1, 2)
    np.negative(hessian, out=hessian)
    diagonal = np.einsum("nii->ni", hessian)
    diagonal[...] = 0.0
    diagonal[...] = -hessian.sum(axis=2)
    return gradient, hessian


def _damp(hessian: Reals) -> None:
    """Lend curvature where a pair has none; this slows the method and does not move its end."""
    models = hessian.shape[1]
    some = np.count_nonzero(hessian, axis=(1, 2)) < models * models
    diagonal = np.einsum("nii->ni", hessian)
    mean = diagonal.mean(axis=1)
    diagonal += np.where(some, DAMPING * np.where(mean > 0, mean, 1.0), 0.0)[:, None]


def _feasible(theta: Reals, top: Counts, below: Mask, box: float) -> Reals:
    """A feasible point near theta (n, K): nobody below exceeds the top, centred, shrunk into the box."""
    leader = theta[np.arange(len(theta)), top][:, None]
    point = np.where(below, np.minimum(theta, leader), theta)
    point -= point.mean(axis=1, keepdims=True)
    largest = np.abs(point).max(axis=1, keepdims=True)
    # a point at the box but for rounding is cut, not shrunk
    shrunk = np.where(largest > box * (1 + 1e-12), point * (box / np.maximum(largest, box)), point)
    return np.clip(shrunk, -box, box)


def _quadratic(
    gradient: Reals, hessian: Reals, theta: Reals, top: Counts, below: Mask, box: float
) -> tuple[Reals, Mask]:
    """Steps (n, K) to the feasible minimum of the quadratic model, and where the active set settled."""
    level = np.einsum("nii->n", hessian) / theta.shape[1]
    level = np.where(level > 0, level, 1.0)[:, None]
    gradient, hessian = gradient / level, hessian / level[:, :, None]
    leader = theta[np.arange(len(theta)), top][:, None]
    tied = below & (theta >= leader)
    wall = np.where(np.abs(theta) >= box, np.sign(theta), 0.0)
    wall[tied] = 0.0
    step = np.zeros_like(theta)
    settled = np.zeros(len(theta), dtype=np.bool_)
    open_ = np.arange(len(theta))
    for _ in range(GUESSES):
        here = gradient[open_], hessian[open_], theta[open_], top[open_], below[open_]
        step[open_], new_tied, new_wall = _guess(*here, box, tied[open_], wall[open_])
        same = (new_tied == tied[open_]).all(axis=1) & (new_wall == wall[open_]).all(axis=1)
        settled[open_[same]] = True
        tied[open_], wall[open_] = new_tied, new_wall
        open_ = open_[~same]
        if not len(open_):
            break
    return step, settled


def _guess(
    gradient: Reals,
    hessian: Reals,
    theta: Reals,
    top: Counts,
    below: Mask,
    box: float,
    tied: Mask,
    wall: Reals,
) -> tuple[Reals, Mask, Reals]:
    """The step with these constraints tight, and which constraints it says are.

    tied: (n, K) who equals the top. wall: (n, K) ±1 for who is at ±box, of the tied ones only the top.
    """
    each, models = np.arange(len(theta)), theta.shape[1]
    fixed = wall != 0
    leader = theta[each, top][:, None]
    # what of the step is known: s_b = s_top + (ϑ_top − ϑ_b) for tied b, s_i = ±box − ϑ_i at a wall
    known = np.where(fixed, wall * box - theta, 0.0)
    known += np.where(tied, leader - theta + known[each, top][:, None], 0.0)
    right = -gradient - np.squeeze(hessian @ known[:, :, None], axis=2)
    right[each, top] += np.where(tied, right, 0.0).sum(axis=1)
    matrix = np.zeros((len(theta), models + 1, models + 1))
    inner = matrix[:, :models, :models]
    inner[...] = hessian
    inner[each, top, :] += np.squeeze(tied[:, None, :].astype(np.float64) @ hessian, axis=1)
    inner[each, :, top] += np.squeeze(inner @ tied[:, :, None].astype(np.float64), axis=2)
    size = np.where(tied | fixed, 0.0, 1.0)
    size[each, top] *= 1.0 + tied.sum(axis=1)
    gone = tied | fixed
    inner *= ~(gone[:, :, None] | gone[:, None, :])
    np.einsum("nii->ni", inner)[...] += gone
    matrix[:, models, :models] = matrix[:, :models, models] = -size
    matrix[:, models, models] = np.where(size.any(axis=1), 0.0, 1.0)
    full = np.concatenate((np.where(gone, 0.0, right), (theta + known).sum(axis=1, keepdims=True)), axis=1)
    solved = np.linalg.solve(matrix, full[:, :, None])[:, :, 0]
    step = solved[:, :models] + known
    step += np.where(tied, solved[each, top][:, None], 0.0)
    push = gradient + np.squeeze(hessian @ step[:, :, None], axis=2) - solved[:, models:]
    return step, *_tight(push, theta + step, top, below, box, tied, wall)


def _tight(
    push: Reals, theta: Reals, top: Counts, below: Mask, box: float, tied: Mask, wall: Reals
) -> tuple[Mask, Reals]:
    """Constraints to hold tight next: those of now whose multipliers have the right sign, and the violated.

    push: (n, K) derivative of the Lagrangian without order and walls; it must not invite a way in.
    """
    each = np.arange(len(theta))
    leader = theta[each, top][:, None]
    stays = tied & (push <= FAINT)
    group = push.copy()
    group[each, top] += np.where(tied, push, 0.0).sum(axis=1)
    held = np.where((wall != 0) & (group * wall <= FAINT), wall, 0.0)
    over = np.where(np.abs(theta) > box * (1 + FAINT), np.sign(theta), 0.0)
    new_tied = stays | (below & ~tied & (theta > leader + FAINT))
    new_wall = np.where(wall != 0, held, over)
    new_wall[new_tied] = 0.0
    return new_tied, new_wall
