"""Prices of many small covering problems at once: a smoothed dual of the covering program, by Newton steps.

Which rows may stay unread? Those whose gains against each rival j add up to no more than the margin M_j by
which the winner beats it. The linear relaxation of the largest such set has the dual

    minimise over λ ≥ 0   Σ_j λ_j M_j + Σ_i max(0, 1 − Σ_j λ_j e_ji),

and a row is read where its gains e_ji cost more than the 1 that skipping it saves: Σ_j λ_j e_ji > 1. The
hinge is softened to T·log(1 + exp(·/T)), which makes the price a smooth function of the data.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_STEPS = 12
_CLOSE = 0.05
"""A step of less than this share of the prices is the last: the next would be about its square."""
_SHRINK = (1.0, 0.3, 0.1, 0.03)
_ROUNDING = 1e-6
_PASSES = 3


# matrix products of finite numbers set the flag for invalid ones on some processors, by lanes not in use
@np.errstate(invalid="ignore")
def prices(gains: Floats, margins: npt.NDArray[np.float64], softness: float) -> Floats:
    """λ of S problems; gains (S, J, n) ≥ 0, margins (S, J) > 0, to (S, J) ≥ 0.

    A rival without gains gets the price 0. Projected Newton steps from a common start, each problem with
    a line search of its own. O(S J² n) a step.
    """
    _, rivals, n = gains.shape
    totals = gains.sum(axis=2)
    scale = np.divide(n, totals, out=np.zeros_like(totals), where=totals > 0)
    gains, room = gains * scale[:, :, None], (margins * scale).astype(np.float32)
    found = np.where(scale > 0, 1 / rivals, 0).astype(np.float32)
    at, going = found.copy(), np.arange(len(gains))
    value, kept = _look(gains, room, at, softness)
    for _ in range(_STEPS):
        step = _newton(gains, room, at, kept, softness)
        before, waiting = at.copy(), np.arange(len(at))
        for shrink in _SHRINK:
            trial = np.maximum(0, before[waiting] + shrink * step[waiting])
            part = waiting if len(waiting) < len(at) else slice(None)
            reached, kept_there = _look(gains[part], room[part], trial, softness)
            better = reached <= value[waiting] + _ROUNDING * np.abs(value[waiting])
            done = waiting[better]
            at[done], value[done], kept[done] = trial[better], reached[better], kept_there[better]
            waiting = waiting[~better]
            if not len(waiting):
                break
        found[going] = at
        far = np.abs(at - before).max(axis=1) > _CLOSE * (1 + before.max(axis=1))
        if not far.any():
            break
        if 4 * far.sum() < 3 * len(far):  # copying those that go on has to pay
            going, gains, room = going[far], gains[far], room[far]
            at, value, kept = at[far], value[far], kept[far]
    return np.asarray(found * scale)


def _newton(gains: Floats, room: Floats, at: Floats, kept: Floats, softness: float) -> Floats:
    """Steps to the least of the quadratic model over prices ≥ 0, none much longer than the prices are large.

    Prices that the unbounded step would make negative are set to 0 and the others solved for again.
    """
    slope = (room - np.matmul(gains, kept[:, :, None])[:, :, 0]).astype(np.float64)
    bent = gains * (kept * (1 - kept) / softness)[:, None, :]
    curvature = np.matmul(bent, gains.transpose(0, 2, 1)).astype(np.float64)
    each = np.arange(at.shape[1])
    curvature[:, each, each] += 1e-6 * curvature[:, each, each].max(axis=1, keepdims=True) + 1e-9
    step = np.zeros(at.shape)
    nil = (at <= 0) & (slope >= 0)
    for _ in range(_PASSES):
        step = np.where(nil, -at, 0.0)
        free = ~nil
        target = -(slope + np.matmul(curvature, step[:, :, None])[:, :, 0]) * free
        system = curvature * (free[:, :, None] & free[:, None, :])
        system[:, each, each] += nil
        step += np.linalg.solve(system, target[:, :, None])[:, :, 0]
        negative = free & (at + step < 0)
        if not negative.any():
            break
        nil |= negative
    longest = np.abs(step).max(axis=1) / (3 * (1 + at.max(axis=1)))
    return np.asarray(step / np.maximum(1, longest)[:, None]).astype(np.float32)


def _look(gains: Floats, room: Floats, at: Floats, softness: float) -> tuple[Floats, Floats]:
    """The softened objective, (S,), and how far each row stays unread, (S, n) from 0 to 1."""
    saved = (1 - np.matmul(at[:, None, :], gains)[:, 0]) / np.float32(softness)
    tail = np.exp(-np.abs(saved))
    soft = np.float32(softness) * (np.maximum(saved, 0) + np.log(1 + tail)).sum(axis=1)
    return soft + (at * room).sum(axis=1), np.where(saved > 0, 1, tail) / (1 + tail)
