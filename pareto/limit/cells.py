"""What may be compared, with what symmetry makes equal taken together.

Models with the same scores on every objective can be exchanged, and so can objectives with the same scores of
every model: the instance stays what it is. The information that an allocation buys is concave in it, so
averaging an allocation over all such exchanges loses nothing, and some optimal allocation gives the same
weight to all cells of a class: those whose two models and whose objective are exchangeable for each other's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts
from pareto.links import Reals
from pareto.scores import Mask


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells (objective, pair) in classes.

    Attributes:
        models: K.
        first, second: (pairs,) the pairs i < j.
        number: (d, pairs) class of each cell, −1 for cells that are not compared.
        size: (classes,) cells of each.
        representative: (K,) True for the first of the models that are exchangeable for each other.
    """

    models: int
    first: Counts
    second: Counts
    number: Counts
    size: Counts
    representative: Mask

    @classmethod
    def of(cls, theta: Reals, among: Mask | None = None) -> Cells:
        """Classes of equal scores in theta (K, d). among: (K,) only pairs with one of these models."""
        models = len(theta)
        _, at, row = np.unique(theta, axis=0, return_index=True, return_inverse=True)
        _, column = np.unique(theta.T, axis=0, return_inverse=True)
        row, column = row.ravel(), column.ravel()
        first, second = np.triu_indices(models, 1)
        low, high = np.minimum(row[first], row[second]), np.maximum(row[first], row[second])
        label = (column[:, None] * models + low) * models + high
        allowed = np.ones(len(first), dtype=np.bool_) if among is None else among[first] | among[second]
        number = np.full(label.shape, -1, dtype=np.int64)
        number[:, allowed] = np.unique(label[:, allowed], return_inverse=True)[1].reshape(len(column), -1)
        representative = np.zeros(models, dtype=np.bool_)
        representative[at] = True
        return cls(models, first, second, number, np.bincount(number[number >= 0]), representative)

    @property
    def even(self) -> Reals:
        """(classes,) the same share for every cell."""
        return np.asarray(self.size / self.size.sum())

    def weights(self, mass: Reals) -> Reals:
        """(d, K, K) symmetric, from shares of the classes (classes,)."""
        each = np.append(mass / self.size, 0.0)[self.number]
        square = np.zeros((len(each), self.models, self.models))
        square[:, self.first, self.second] = each
        square[:, self.second, self.first] = each
        return square

    def total(self, weights: Reals) -> Reals:
        """(classes,) sums over cells of weights (d, K, K), symmetric."""
        inside = self.number >= 0
        each = weights[:, self.first, self.second][inside]
        return np.asarray(np.bincount(self.number[inside], each, len(self.size)))

    def mean(self, values: Reals) -> Reals:
        """(classes,) averages of values (d, pairs)."""
        inside = self.number >= 0
        return np.asarray(np.bincount(self.number[inside], values[inside], len(self.size)) / self.size)
