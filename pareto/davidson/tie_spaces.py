"""The tie weights η a Davidson model can have (paper, appendix 9.4), K × K, symmetric, 0 on the diagonal.

Size k = 0 is one number, η_ij = γ. Size k ≥ 1 is

    η = V Φᵀ + Φ Vᵀ off the diagonal,   Φ_al = √(2/K) cos(π (2a − 1)(2l − 1) / (4K)),

linear in the K × k matrix V, with Φ fixed. Sizes from 1 on are nested, but k = 0 is not in them: equal
weights are no such matrix unless k is near K. As rows of Φ belong to models by position, what a size k ≥ 1
can fit depends on the order in which models are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from pareto.davidson.factored_weights import FactoredWeights, Index, cosines
from pareto.links import Reals

KEPT = 8
"""Spaces that are remembered, by (k, K)."""


class TieSpace(Protocol):
    """Linear coordinates (r,) of tie weights, and what second-order fitting needs of them."""

    @property
    def dimensions(self) -> int:
        """r, the number of independent directions."""

    @property
    def penalty(self) -> Reals:
        """(r, r): Σ of the squared parameters is cᵀ · penalty · c for coordinates c."""

    def weights(self, coordinates: Reals) -> Reals:
        """η (K, K) at coordinates (r,)."""

    def parameters(self, coordinates: Reals) -> Reals:
        """γ as (1,), or V (K, k) of least Σ V²."""

    def pulled(self, slopes: Reals) -> Reals:
        """Derivatives by the parameters, in their shape, from symmetric ones by the weights, (K, K)."""

    def weights_of(self, parameters: Reals) -> Reals:
        """η (K, K) of any γ (1,) or V (K, k)."""

    def coordinates(self, parameters: Reals) -> Reals:
        """(r,) with the same weights as any γ (1,) or V (K, k)."""

    def free(self, slopes: Reals) -> Reals:
        """Derivatives by the coordinates (r,) from those by the parameters, given in their shape."""

    def curvature(self, weights: Reals) -> Reals:
        """(r, r) Σ over pairs of weight · ∂η ∂ηᵀ, from symmetric weights (K, K) with diagonal 0."""

    def cross(self, weights: Reals) -> Reals:
        """(K, r) Σ over pairs i < j of weight_ij · (e_i − e_j) ∂ηᵀ, weights (K, K) antisymmetric."""

    def rows(self, first: Index, second: Index) -> Any:
        """(pairs, r), sparse if large: the weights of these pairs, none listed twice, by the coordinates."""


@dataclass(frozen=True)
class OneWeight:
    """η_ij = γ for all pairs of K models."""

    models: int

    @property
    def dimensions(self) -> int:
        return 1

    @property
    def penalty(self) -> Reals:
        return np.ones((1, 1))

    def weights(self, coordinates: Reals) -> Reals:
        return self.weights_of(coordinates)

    def parameters(self, coordinates: Reals) -> Reals:
        return coordinates.copy()

    def weights_of(self, parameters: Reals) -> Reals:
        same = np.full((self.models, self.models), parameters[0])
        np.fill_diagonal(same, 0.0)
        return same

    def coordinates(self, parameters: Reals) -> Reals:
        return parameters.copy()

    def pulled(self, slopes: Reals) -> Reals:
        return np.array([slopes.sum() / 2])

    def free(self, slopes: Reals) -> Reals:
        return slopes

    def curvature(self, weights: Reals) -> Reals:
        return np.array([[weights.sum() / 2]])

    def cross(self, weights: Reals) -> Reals:
        column: Reals = weights.sum(axis=1)[:, None]
        return column

    def rows(self, first: Index, second: Index) -> Any:
        return np.ones((len(first), 1))


@lru_cache(maxsize=KEPT)
def tie_space(size: int, models: int) -> TieSpace:
    """Coordinates of the tie weights of K models for tie-factor size k, 0 ≤ k ≤ K."""
    return OneWeight(models) if size == 0 else FactoredWeights.of(cosines(models, size))
