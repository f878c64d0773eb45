"""Factored tie weights η = V Φᵀ + Φ Vᵀ in coordinates without redundancy (paper, appendix 9.4).

Different V may give the same weights: V + ΦX with X skew-symmetric gives the same matrix, and more of them
differ on its diagonal alone, which no pair sees (K = 8, k = 5: 13 directions of 40). So as many entries of V
as the weights have dimensions are free and the others 0, chosen by a pivoted Cholesky factorisation of the
map's Gram matrix. Of all V with the same weights, the one with the smallest Σ V² is reported and penalised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from pareto.links import Reals

RANK = 1e-11
"""Pivots up to this, of a Gram matrix with diagonal near 1, are rounding: the direction changes no weight."""

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FactoredWeights:
    """η = V Φᵀ + Φ Vᵀ with some entries of V free.

    Attributes:
        basis: Φ (K, k).
        model, factor: (r,) where in V the free entries are, by model and then factor.
        other: (p,) flat positions in V of the entries that are held at 0.
        redundant: (r, p) with one more 1 at its own entry of `other`, each column changes no weight.
    """

    basis: Reals
    model: Index
    factor: Index
    other: Index
    redundant: Reals

    @classmethod
    def of(cls, basis: Reals) -> FactoredWeights:
        """For Φ (K, k)."""
        models, size = basis.shape
        everything = cls(
            basis,
            np.repeat(np.arange(models), size),
            np.tile(np.arange(size), models),
            np.zeros(0, dtype=np.int64),
            np.zeros((models * size, 0)),
        )
        factor, pivots, rank, _ = dpstrf(everything.curvature(1.0 - np.eye(models)).T, tol=RANK)
        order = pivots.astype(np.int64) - 1
        upper = np.triu(factor[:rank, :rank])
        redundant = np.zeros((rank, len(order) - rank))
        if 0 < rank < len(order):
            redundant = -solve_triangular(upper, factor[:rank, rank:])
        sort = np.argsort(order[:rank])
        chosen = order[:rank][sort]
        return cls(basis, chosen // size, chosen % size, order[rank:], redundant[sort])

    @property
    def dimensions(self) -> int:
        return len(self.model)

    @cached_property
    def penalty(self) -> Reals:
        return np.eye(self.dimensions) - self.redundant @ self._least

    @cached_property
    def _least(self) -> Reals:
        """(p, r): how much of each redundant direction the V of least Σ V² lacks."""
        square = np.eye(len(self.other)) + self.redundant.T @ self.redundant
        return np.asarray(np.linalg.solve(square, self.redundant.T), dtype=np.float64)

    @cached_property
    def _products(self) -> Reals:
        """(r, r) Φ[model t, factor s] · Φ[model s, factor t]."""
        mixed: Reals = self.basis[self.model[None, :], self.factor[:, None]]
        return mixed * mixed.T

    @cached_property
    def _same(self) -> tuple[Index, Index]:
        """Pairs of free entries in one row of V."""
        first, second = [], []
        begins = np.searchsorted(self.model, np.arange(len(self.basis) + 1))
        for begin, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True):
            span = np.arange(begin, end)
            first.append(np.repeat(span, end - begin))
            second.append(np.tile(span, end - begin))
        return np.concatenate(first), np.concatenate(second)

    def weights(self, coordinates: Reals) -> Reals:
        table = np.zeros_like(self.basis)
        table[self.model, self.factor] = coordinates
        return self.weights_of(table)

    def parameters(self, coordinates: Reals) -> Reals:
        surplus = self._least @ coordinates
        flat = np.zeros(self.basis.size)
        flat[self.model * self.basis.shape[1] + self.factor] = coordinates - self.redundant @ surplus
        flat[self.other] = -surplus
        return flat.reshape(self.basis.shape)

    def weights_of(self, parameters: Reals) -> Reals:
        half = parameters @ self.basis.T
        weights: Reals = half + half.T
        np.fill_diagonal(weights, 0.0)
        return weights

    def coordinates(self, parameters: Reals) -> Reals:
        return self.free(parameters) - self.redundant @ parameters.ravel()[self.other]

    def pulled(self, slopes: Reals) -> Reals:
        pulled: Reals = slopes @ self.basis
        return pulled

    def free(self, slopes: Reals) -> Reals:
        entries: Reals = slopes[self.model, self.factor]
        return entries

    def curvature(self, weights: Reals) -> Reals:
        size = self.basis.shape[1]
        squares = (self.basis[:, :, None] * self.basis[:, None, :]).reshape(-1, size * size)
        gram = weights @ squares
        curvature: Reals = weights[self.model[:, None], self.model[None, :]] * self._products
        first, second = self._same
        curvature[first, second] = gram[self.model[first], self.factor[first] * size + self.factor[second]]
        return curvature

    def cross(self, weights: Reals) -> Reals:
        cross: Reals = weights[:, self.model] * self.basis[:, self.factor]
        cross[self.model, np.arange(self.dimensions)] = (weights @ self.basis)[self.model, self.factor]
        return cross

    def rows(self, first: Index, second: Index) -> Any:
        from scipy.sparse import csr_matrix

        models = len(self.basis)
        number = np.full((models, models), -1, dtype=np.int64)
        number[first, second] = number[second, first] = np.arange(len(first))
        pair = number[self.model]
        coordinate, rival = np.nonzero(pair >= 0)
        values = self.basis[rival, self.factor[coordinate]]
        return csr_matrix(
            (values, (pair[coordinate, rival], coordinate)), shape=(len(first), self.dimensions)
        )


def cosines(models: int, size: int) -> Reals:
    """Φ (K, k), orthonormal columns: the first k of the type-IV discrete cosine transform."""
    odd = 2.0 * np.arange(models) + 1
    columns = 2.0 * np.arange(size) + 1
    waves = np.cos(np.pi * odd[:, None] * columns / (4.0 * models))
    return np.asarray(np.sqrt(2.0 / models) * waves, dtype=np.float64)
