"""Where C̲/n tends when two confidence orders are coupled by a Gaussian copula, by numerical integration.

With normalised ranks U and V the deficit is half the total rank difference, so the limit is P(|U − V| > s) at
the s above which half of E|U − V| lies, as in Proposition 2 (Kuboyama 2026), where U and V are independent
and the limit is ¼.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Limit:
    """share: the limit of C̲/n. threshold: s. mean_difference: E|U − V|."""

    share: float
    threshold: float
    mean_difference: float


def further_apart(thresholds: Floats, rho: float) -> Floats:
    """P(|U − V| > t) for each threshold 0 ≤ t < 1; −1 < rho < 1.

    Twice ∫ P(V > u + t | U = u) du over 0 ≤ u ≤ 1 − t, where Φ⁻¹(V) given U = u is normal with mean
    ρΦ⁻¹(u) and variance 1 − ρ².
    """
    from scipy.special import ndtr, ndtri

    nodes, weights = _unit_rule(128)
    length = 1 - thresholds[:, None]
    u = length * nodes
    above = ndtr((rho * ndtri(u) - ndtri(u + thresholds[:, None])) / sqrt(1 - rho * rho))
    return np.asarray(2 * (length * above * weights).sum(axis=1))


def rank_bound_limit(rho: float) -> Limit:
    """The limit of C̲/n for correlation `rho`; good to about six digits."""
    from scipy.optimize import brentq

    total = _integral(0.0, rho)

    def excess(threshold: float) -> float:
        """How much of E|U − V| lies above the threshold beyond one half."""
        tail = float(further_apart(np.array([threshold]), rho)[0])
        return threshold * tail + _integral(threshold, rho) - total / 2

    threshold = float(brentq(excess, 0.0, 0.99, xtol=1e-12))
    return Limit(float(further_apart(np.array([threshold]), rho)[0]), threshold, total)


def _integral(start: float, rho: float) -> float:
    """∫ P(|U − V| > t) dt from `start` to 1, finer near the start, where everything happens for large ρ."""
    nodes, weights = _unit_rule(12)
    edges = start + (1 - start) * np.concatenate([[0.0], 2.0 ** np.arange(-9, 1)])
    lengths = np.diff(edges)[:, None]
    points = edges[:-1, None] + lengths * nodes
    return float((lengths * weights * further_apart(points.ravel(), rho).reshape(points.shape)).sum())


@cache
def _unit_rule(size: int) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(size)
    return (nodes + 1) / 2, weights / 2
