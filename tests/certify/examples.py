"""Worked examples of the certificate paper as pools."""

from __future__ import annotations

import numpy as np

from certify import Pool


def by_weights(weights) -> np.ndarray:
    """Confidences that order rows as these tie-free weights do."""
    return np.asarray(weights, dtype=np.float64)


FIGURE_1 = Pool.binary([[0, 0], [0, 0]], [[0.9, 0.8], [0.8, 0.9]], names=("A", "B"))

FIGURE_2 = Pool.binary(
    [[0, 0, 1, 0], [0, 0, 0, 1]], by_weights([[7, 5, 3, 1], [5, 7, 1, 3]]), names=("A", "B")
)
FIGURE_2_LABELS = np.array([1, 0, 0, 0])

FIGURE_3 = Pool.binary(
    [[1, 0, 1, 0], [0, 1, 1, 1], [0, 1, 0, 0]],
    by_weights([[1, 7, 3, 5], [3, 5, 7, 1], [7, 5, 3, 1]]),
    names=("A", "B", "C"),
)
FIGURE_3_LABELS = np.array([1, 0, 0, 1])


def worst_case(n: int) -> Pool:
    """Section 4.2: both predict 0; A ranks 2, …, n, 1 and B ranks 1, …, n."""
    b = np.arange(n, 0, -1.0)
    return Pool.binary(np.zeros((2, n), dtype=int), np.stack([np.concatenate([[0.5], b[:-1]]), b]))


def cyclic_shift(n: int, s: int) -> Pool:
    """Section 6.7: both predict alike and B's order is A's shifted by s rows."""
    a = np.arange(n, 0, -1.0)
    return Pool.binary(np.zeros((2, n), dtype=int), np.stack([a, np.roll(a, s)]))
