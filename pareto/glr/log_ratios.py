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
    exact = chance * np.log1p(rest * np.expm1(-shift)) + rest * np.log1p(chance * np.expm1(shift))
    # what is left of the two terms at small shifts is rounding; here the next one of the series is below it
    small = chance * rest * shift * shift * (0.5 + (rest - chance) * shift / 6)
    return np.asarray(np.where(np.abs(shift) < 1e-5, small, np.maximum(exact, 0.0)))
