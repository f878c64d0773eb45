"""Likelihoods compared term by term.

At 10^18 comparisons two log-likelihoods agree in their first sixteen digits, and their difference as two sums
would be noise. With leads d and d + s the ratio of the chances is

    σ(d) / σ(d + s) = 1 + σ(−d) (e^(−s) − 1),

whose logarithm `log1p` and `expm1` give to the last digit, however small s is.
"""

from __future__ import annotations

import numpy as np

from pareto.links import Reals, logistic


def log_likelihood_ratio(wins: Reals, theta: Reals, other: Reals) -> Reals:
    """ℓ(theta) − ℓ(other) under Bradley–Terry, (...): wins (..., K, K), row over column, scores (..., K)."""
    lead = theta[..., :, None] - theta[..., None, :]
    moved = other - theta
    shift = moved[..., :, None] - moved[..., None, :]
    terms = wins * np.log1p(logistic(-lead) * np.expm1(-shift))
    # the two sides of a pair nearly cancel: together first, then the sum over pairs
    pairs = terms + np.swapaxes(terms, -1, -2)
    return np.asarray(pairs.sum(axis=(-1, -2)) / 2)


def bernoulli_divergence(lead: Reals, shift: Reals) -> Reals:
    """kl(σ(lead), σ(lead + shift)): how far coins with these log-odds are apart, elementwise."""
    chance = logistic(lead)
    rest = logistic(-lead)
    exact = chance * _grown(-lead, -shift) + rest * _grown(lead, shift)
    # what is left of the two terms at small shifts is rounding; here the next one of the series is below it
    small = chance * rest * shift * shift * (0.5 + (rest - chance) * shift / 6)
    return np.asarray(np.where(np.abs(shift) < 1e-5, small, np.maximum(exact, 0.0)))


def _grown(lead: Reals, shift: Reals) -> Reals:
    """log((1 + e^(lead + shift)) / (1 + e^lead))."""
    far = np.abs(shift) >= 1
    with np.errstate(divide="ignore"):
        near = np.log1p(logistic(lead) * np.expm1(shift))
    if not np.any(far):
        return np.asarray(near)
    # σ(lead) may have been rounded to 1; at such shifts a difference loses nothing
    return np.asarray(np.where(far, np.logaddexp(0, lead + shift) - np.logaddexp(0, lead), near))
