"""Pareto classification gaps on an active set (paper, Definition 2.2), one task or many at once.

With m(i, j) = min_r (x_j,r − x_i,r), which is positive exactly when j strictly dominates i, and
M(i, j) = −m(i, j):

    Δ*_i = max_{j ≠ i} m(i, j)
    δ*_i = min_{j ≠ i} min( M(i, j), M(j, i)⁺ + (Δ*_j)⁺ )
    Δ_i  = Δ*_i if somebody dominates i, else δ*_i        ( = max(Δ*_i, δ*_i), Lemma B.5)

j running over the active set. A margin ε replaces m by m − ε: i counts as dominated only by more than ε.
The argument for elimination by gaps needs |m̂ − m| ≤ 2r and m(i, k) ≥ m(i, j) + m(j, k) only, and both
survive the shift.

Whole scores give whole gaps, without rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pareto.scores import Mask, Scores, as_active, as_scores


def gaps(scores: npt.ArrayLike, active: npt.ArrayLike | None = None, margin: float = 0.0) -> Scores:
    """The gap Δ_i of every active model; (..., K) for scores (..., K, d), 0 where not active.

    active: bool (..., K), None for everybody. A model alone in its active set has an infinite gap, which
    whole scores express by the largest int64. O(K²d) for each task.

    >>> import pareto
    >>> pareto.gaps([[10, 100], [5, 100], [1, 1]]).tolist()  # equals on an objective: no gap
    [0, 0, 9]
    """
    checked = as_scores(scores, batch=True)
    mask = as_active(active, checked.shape[:-1])
    lead = leads(checked, margin)
    return gaps_from_leads(lead, mask)


def leads(scores: Scores, margin: float = 0.0) -> Scores:
    """m(i, j) = min_r (x_j,r − x_i,r) − margin; (..., K, K) for scores (..., K, d)."""
    columns = np.moveaxis(scores, -1, 0)
    first = columns[0]
    lead: Scores = first[..., None, :] - first[..., :, None]
    step = np.empty_like(lead)
    for column in columns[1:]:
        np.subtract(column[..., None, :], column[..., :, None], out=step)
        np.minimum(lead, step, out=lead)
    if margin:
        lead = lead - margin
    return lead


def gaps_from_leads(lead: Scores, active: Mask) -> Scores:
    """The gaps Δ_i of the active models from m (..., K, K); 0 where not active."""
    star = dominance_gaps(lead, active)
    kept = protection_gaps(lead, active, star)
    gap: Scores = np.where(active, np.maximum(star, kept), star.dtype.type(0))
    return gap


def dominance_gaps(lead: Scores, active: Mask) -> Scores:
    """Δ*_i = max over active j ≠ i of m(i, j); (..., K), the smallest number if there is no such j."""
    star: Scores = np.where(others(active), lead, lowest(lead.dtype)).max(axis=-1)
    return star


def protection_gaps(lead: Scores, active: Mask, star: Scores) -> Scores:
    """δ*_i = min over active j ≠ i of min(M(i, j), M(j, i)⁺ + (Δ*_j)⁺); (..., K), else the largest number."""
    zero = lead.dtype.type(0)
    spared = np.maximum(-np.swapaxes(lead, -1, -2), zero) + np.maximum(star, zero)[..., None, :]
    terms = np.minimum(-lead, spared)
    kept: Scores = np.where(others(active), terms, highest(lead.dtype)).min(axis=-1)
    return kept


def others(active: Mask) -> Mask:
    """(..., K, K): j is active and is not i."""
    size = active.shape[-1]
    return active[..., None, :] & ~np.eye(size, dtype=np.bool_)


def lowest(dtype: np.dtype[Any]) -> Any:
    """What no lead is below: −∞, or a whole number whose negative and double are still in range."""
    return dtype.type(-np.inf if dtype.kind == "f" else -(1 << 62))


def highest(dtype: np.dtype[Any]) -> Any:
    """What no gap is above."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(np.int64).max)
