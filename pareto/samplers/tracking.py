"""Where Track-and-Stop spends its next batch: multiplicative weights, mixed with uniform ones, tracked.

Arrays are (T, cells): trials, and pairs i < j on all objectives.
"""

from __future__ import annotations

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals


def reweighted(weights: Reals, divergence: Reals, check: Counts, step: float, least: float) -> Reals:
    """w · exp(step · κ / (√m · max κ)), normalised: more to cells that tell the fit from the alternative.

    divergence: κ ≥ 0. check: (T,) the number m ≥ 1 of this check. least: what max κ is at least taken for.
    """
    largest = np.maximum(divergence.max(axis=1), least) * np.sqrt(check)
    grown = weights * np.exp(step * divergence / largest[:, None])
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def mixed(weights: Reals, until: Counts, mixing: float) -> Reals:
    """(1 − ρ) w + ρ / cells with ρ = until^−mixing; until: (T,) comparisons at the end of the batch."""
    share = until.astype(np.float64) ** -mixing
    return np.asarray((1 - share[:, None]) * weights + share[:, None] / weights.shape[1])


def apportioned(deficits: Reals, batch: Counts) -> Counts:
    """Whole comparisons (T, cells) in proportion to `deficits` ≥ 0, exactly `batch` (T,) in all.

    Largest remainders. Batches may pass 2^53: what floating point leaves over is dealt out evenly to the
    cells that have a deficit.
    """
    total = deficits.sum(axis=1, keepdims=True)
    share = np.where(total > 0, deficits / np.where(total > 0, total, 1.0), 1.0 / deficits.shape[1])
    exact = share * batch[:, None].astype(np.float64) * (1 - 2.0**-50)
    whole = np.floor(exact)
    counts = whole.astype(np.int64)
    left = batch - counts.sum(axis=1)
    wanting = share > 0
    several, left = np.divmod(left, wanting.sum(axis=1))
    counts += np.where(wanting, several[:, None], 0)
    order = np.argsort(np.where(wanting, whole - exact, 1.0), axis=1, kind="stable")
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None, :], axis=1)
    return np.asarray(counts + (place < left[:, None]))
