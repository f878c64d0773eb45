"""Borda scores: how often a model wins against a uniformly drawn opponent (paper, Definition 2.1).

On every objective they order the models as the latent scores do (Lemma 2.1), whatever the strictly
increasing link, so both have the same strict frontier. In floating point large latent differences
saturate: leads beyond about 36 are all a certain win.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pareto.errors import BattleError
from pareto.links import Link, Reals, logistic
from pareto.scores import as_scores


def borda(theta: npt.ArrayLike, link: Link = logistic) -> Reals:
    """Borda scores (..., K, d) of latent scores (..., K, d), K ≥ 2. O(K²d) time, one objective at a time.

    >>> import pareto
    >>> pareto.borda([[0.0], [1.0], [2.0]]).round(3).tolist()  # mean win rates against the other two
    [[0.194], [0.5], [0.806]]
    """
    latent = as_scores(theta, batch=True, least=2).astype(np.float64)
    scores = np.empty_like(latent)
    for r in range(latent.shape[-1]):
        column = latent[..., r]
        wins = link(column[..., :, None] - column[..., None, :])
        scores[..., r] = wins.sum(axis=-1) - 0.5  # the model itself, at link(0)
    scores /= latent.shape[-2] - 1
    return scores


def borda_of_probabilities(probabilities: npt.ArrayLike) -> Reals:
    """Borda scores (..., K, d) of win probabilities (..., K, K, d); the diagonal is ignored."""
    given = np.asarray(probabilities, dtype=np.float64)
    if given.ndim < 3 or given.shape[-2] != given.shape[-3] or given.shape[-2] < 2:
        raise BattleError(
            f"probabilities of shape {given.shape}; (models, models, objectives) is accepted, "
            "with two models or more"
        )
    models = given.shape[-2]
    self_wins = np.einsum("...iir->...ir", given)
    scores: Reals = (given.sum(axis=-2) - self_wins) / (models - 1)
    return scores


def half_range(theta: npt.ArrayLike) -> float:
    """The smallest B with |θ_i,r − θ_j,r| ≤ 2B for all pairs and objectives."""
    latent = as_scores(theta)
    return float((latent.max(axis=0) - latent.min(axis=0)).max()) / 2


def slope_floor(bound: float) -> float:
    """κ_B = σ(2B)(1 − σ(2B)): the smallest slope of the logistic link on leads up to 2B."""
    if not bound > 0:
        raise BattleError(f"B is {bound}; a number > 0 is accepted: half the largest difference of scores")
    return float(expit(2 * bound) * expit(-2 * bound))


def borda_gap_floor(latent_gap: npt.ArrayLike, bound: float) -> Reals:
    """κ_B Δ^θ, which the Borda gap is at least under Bradley–Terry (paper, Lemma B.3)."""
    return slope_floor(bound) * np.asarray(latent_gap, dtype=np.float64)
