"""The fewest comparisons to add to cells for the variance of a sum over them to be small enough.

The variance of Σ c p̂ over cells of N comparisons is at most Σ c²/(4N). The least Σ N with N ≥ n for which
that is at most V has N = max(n, μc): a marginal comparison is worth c²/(4N²) in each cell that is added to.
"""

from __future__ import annotations

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals


def filled(numbers: Counts, worth: Reals, allowed: Reals) -> Counts:
    """N (…, L) for n (…, L), c (…, L) ≥ 0 and V (…) > 0, rounded up; n where c is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        full = np.where(worth > 0, numbers / worth, np.inf)  # the cell is added to from this μ on
        variance = np.where(worth > 0, worth * worth / (4 * numbers), 0.0)
    order = np.argsort(full, axis=-1)
    full, worth_in, variance = (np.take_along_axis(one, order, axis=-1) for one in (full, worth, variance))
    zero = np.zeros_like(worth[..., :1])
    opened = np.concatenate([zero, np.cumsum(worth_in, axis=-1)], axis=-1)
    closed = np.concatenate([np.cumsum(variance[..., ::-1], axis=-1)[..., ::-1], zero], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        there = np.where(full > 0, opened[..., :-1] / (4 * full), 0.0) + closed[..., :-1]
    count = ((there > allowed[..., None]) & np.isfinite(full)).sum(axis=-1)[..., None]
    left = allowed - np.take_along_axis(closed, count, axis=-1)[..., 0]
    level = np.take_along_axis(opened, count, axis=-1)[..., 0] / (4 * np.where(count[..., 0] > 0, left, 1.0))
    wanted = np.ceil(level[..., None] * worth * (1 - 1e-12))
    return np.asarray(np.maximum(numbers, wanted), dtype=np.int64)
