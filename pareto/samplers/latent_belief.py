"""What tallies so far suggest about latent scores: guides which comparisons come next, decides nothing.

A Bradley–Terry fit with a wide normal prior on every score. One Newton step a call, from where the last call
ended: the tallies grow a little between calls, so the fit stays close to its maximum.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from pareto.links import Reals
from pareto.samplers.betting import Index

WIDTH = 1.0
"""Standard deviation of the prior. A narrow one would hide a leader among many equals."""

FAINTEST = 1e-13
"""The prior's precision is at least this share of the largest one in the data."""


class Belief:
    """Scores and covariances of T trials; theta (T, d, K), covariance (T, d, K, K)."""

    def __init__(self, trials: int, models: int, objectives: int) -> None:
        self.theta: Reals = np.zeros((trials, objectives, models))
        self.covariance: Reals = np.zeros((trials, objectives, models, models))
        self.covariance[...] = WIDTH**2 * np.eye(models)

    def update(self, trials: Index, wins: Reals, steps: int = 1) -> None:
        """Newton steps of these trials on `wins` (len(trials), d, K, K)."""
        played = wins + wins.swapaxes(-1, -2)
        won = wins.sum(axis=-1)
        theta = self.theta[trials]
        models = theta.shape[-1]
        diagonal = np.arange(models)
        for _ in range(steps):
            chance = expit(theta[..., :, None] - theta[..., None, :])
            expected = played * chance
            slope = expected * (1 - chance)
            total = slope.sum(axis=-1)
            # at enormous counts a prior of width 1 would be lost to rounding, and the matrix singular
            prior = np.maximum(1 / WIDTH**2, FAINTEST * total.max(axis=-1, keepdims=True))
            gradient = won - expected.sum(axis=-1) - theta * prior
            hessian = -slope
            hessian[..., diagonal, diagonal] += total + prior
            covariance = np.linalg.inv(hessian)
            step = (covariance @ gradient[..., None])[..., 0]
            size = step.max(axis=-1) - step.min(axis=-1)
            theta = theta + step * (np.log1p(size) / np.maximum(size, 1e-12))[..., None]
        self.theta[trials], self.covariance[trials] = theta, covariance

    def spread(self, trials: Index, r: int, i: Index, j: Index) -> Reals:
        """(len(trials), I, J): standard errors of the leads of models `j` over models `i` on objective r."""
        covariance = self.covariance[trials[:, None, None], r, i[:, None], j]
        own = np.einsum("tii->ti", self.covariance[trials, r])
        variance = own[:, i, None] + own[:, None, j] - 2 * covariance
        return np.asarray(np.sqrt(np.maximum(variance, 1e-18)), dtype=np.float64)
