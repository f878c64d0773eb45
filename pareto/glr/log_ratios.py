"""Likelihoods compared term by term.

At 10^18 comparisons two log-likelihoods agree in their first sixteen digits, and their difference as two sums
would be noise. With leads d and d + s the ratio of the chances is

    σ(d) / σ(d + s) = 1 + σ(−d) (e^(−s) − 1),

whose logarithm `log1p` and `expm1` give to the last digits, however small s is. A divergence is the mean of
such logarithms, in which all but their second order cancels: here it is the integral over the curvature,

    kl(σ(d), σ(d + s)) = ∫ (s − t) σ′(d + t) dt for t from 0 to s,

whose terms are positive. For |s| < ½ six points of Gauss and Legendre leave out less than 10^−16 of it, as σ′
has no pole within π of the real line; for larger s the two logarithms lose one digit.
"""

from __future__ import annotations

import numpy as np

from pareto.links import Reals, logistic

NEAR = 0.5
POINTS, WEIGHTS = (side / 2 for side in np.polynomial.legendre.leggauss(6))
POINTS = POINTS + 0.5
"""Of Gauss and Legendre's rule on [0, 1]."""


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
    """kl(σ(lead), σ(lead + shift)): how far coins with these log-odds are apart, elementwise.

    Relative errors are some units in the last place, times 1 + |lead|.
    """
    lead, shift = np.broadcast_arrays(np.asarray(lead, dtype=np.float64), shift)
    near = np.abs(shift) < NEAR
    found = np.empty(lead.shape)
    at, by = lead[near], shift[near]
    total = np.zeros(at.shape)
    for point, weight in zip(POINTS.tolist(), WEIGHTS.tolist(), strict=True):
        there = at + point * by
        total += (weight * (1 - point)) * (logistic(there) * logistic(-there))
    found[near] = total * by * by
    at, by = lead[~near], shift[~near]
    apart = logistic(at) * _grown(-at, -by) + logistic(-at) * _grown(at, by)
    found[~near] = np.maximum(apart, 0.0)
    return found


def _grown(lead: Reals, shift: Reals) -> Reals:
    """log((1 + e^(lead + shift)) / (1 + e^lead))."""
    far = np.abs(shift) >= 1
    with np.errstate(divide="ignore"):
        near = np.log1p(logistic(lead) * np.expm1(shift))
    if not np.any(far):
        return np.asarray(near)
    # σ(lead) may have been rounded to 1; at such shifts a difference loses nothing
    return np.asarray(np.where(far, np.logaddexp(0, lead + shift) - np.logaddexp(0, lead), near))
