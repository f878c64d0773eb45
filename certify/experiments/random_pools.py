"""Pools of the independent-order model: candidates that predict alike, random orders, random errors.

Kuboyama 2026, sections 4.3 and 6.7. Every pool is a function of a text key alone. Draws are raw bits of PCG64
turned into numbers here, because numpy keeps that stream for ever and its distributions it does not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from certify.pool import Pool
from certify.risks import Codes
from solvers.studies.study import seed_of

Floats = npt.NDArray[np.float64]


def uniforms(key: str, *shape: int) -> Floats:
    """Independent numbers in the open unit interval, odd multiples of 2⁻⁵³."""
    bits = np.random.PCG64(seed_of(key)).random_raw(int(np.prod(shape)))
    return np.asarray(((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)


def independent_orders(key: str, candidates: int, n: int) -> Pool:
    """Confidence orders that are independent uniform permutations (Proposition 2)."""
    return Pool.shared(uniforms(f"{key} orders", candidates, n))


def copula_orders(key: str, n: int, rho: float) -> Pool:
    """Two confidence orders coupled by a Gaussian copula with correlation `rho`."""
    from scipy.special import ndtri

    first, second = ndtri(uniforms(f"{key} orders", 2, n))
    return Pool.shared([first, rho * first + np.sqrt(1 - rho * rho) * second])


def errors(key: str, n: int, rate: float) -> Codes:
    """Independent error bits, 1 with probability `rate`; drawn apart from the orders of the same key."""
    return (uniforms(f"{key} errors", n) < rate).astype(np.int16)
