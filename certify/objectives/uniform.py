"""Objectives that weigh a row alike for all candidates: confidences play no part in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.objectives.base import LARGEST_WEIGHT
from certify.risks import Codes, Risks
from certify.tolerance import Exact, exact_number

_ACCEPTED = "a whole number, a decimal or a fraction, 0 at least"
_MOST_DIGITS = 4000  # of the common denominator, beyond which nothing can fit anyway


@dataclass(frozen=True)
class Accuracy:
    """The error rate, so that the most accurate candidate is the best. Every weight 1, scale n."""

    name = "accuracy"
    unit = "error rate"

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        ones = np.broadcast_to(np.ones(1, dtype=np.int32), confidences.shape)
        return Risks(ones, predictions, confidences.shape[1])


@dataclass(frozen=True, eq=False)
class WeightedError:
    """The share of the total weight that lies on errors; build it with `of`.

    weights: (n,) int32, ≥ 0, in lowest terms. column: what they are called, "" when they came as an array.
    """

    weights: npt.NDArray[np.int32]
    column: str = ""
    unit = "weighted error"

    def __post_init__(self) -> None:
        weights = np.array(self.weights)  # a copy, so that nothing decided changes with the caller's array
        if weights.ndim != 1 or weights.dtype.kind not in "iu" or not len(weights):
            raise PoolError(
                f"row weights are {weights.dtype} of shape {weights.shape}; give one whole number a row, or "
                "`WeightedError.of` with exact numbers"
            )
        if weights.min() < 0 or weights.max() > LARGEST_WEIGHT or not weights.any():
            raise PoolError(f"whole row weights lie between 0 and {LARGEST_WEIGHT}, and one is above 0")
        weights = weights.astype(np.int32)
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(cls, values: Sequence[Exact] | npt.NDArray[np.generic], column: str = "") -> WeightedError:
        """Weights ≥ 0, one a row: whole numbers, decimals or fractions, as text or number, each exact.

        A float is read by its shortest decimal. Raises `PoolError` when the smallest whole numbers in the
        same proportion exceed 2³⁰ − 1.
        """
        where = f"row weights {column!r}" if column else "row weights"
        listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
        if not listed or isinstance(listed[0], list):
            raise PoolError(f"{where}: give one number a row")
        numbers: dict[object, Fraction] = {}
        for row, value in enumerate(listed):
            key = (type(value), value)
            if key not in numbers:
                try:
                    numbers[key] = exact_number(value, "weight", _ACCEPTED)
                except PoolError as error:
                    raise PoolError(f"{where}, row {row}: {error}") from None
        whole = _whole(tuple(numbers.values()), where)
        place = dict(zip(numbers, whole, strict=True))
        return cls(np.array([place[type(value), value] for value in listed], dtype=np.int64), column)

    @property
    def name(self) -> str:
        return f"weighted-error:{self.column}" if self.column else "weighted-error"

    @property
    def scale(self) -> int:
        """The sum of the weights."""
        return int(self.weights.sum(dtype=np.int64))

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        n = confidences.shape[1]
        if len(self.weights) != n:
            raise PoolError(f"{len(self.weights)} row weights for {n} rows; give one a row, in pool order")
        return Risks(np.broadcast_to(self.weights, confidences.shape), predictions, self.scale)


def _whole(numbers: tuple[Fraction, ...], where: str) -> list[int]:
    """The smallest whole numbers in the same proportion."""
    common = 1
    for number in numbers:
        common = lcm(common, number.denominator)
        if common.bit_length() > 3.33 * _MOST_DIGITS:
            break
    else:
        whole = [int(number * common) for number in numbers]
        shared = gcd(*whole)
        if not shared:
            raise PoolError(f"{where}: every weight is 0, so nothing tells the candidates apart")
        whole = [number // shared for number in whole]
        if max(whole) <= LARGEST_WEIGHT:
            return whole
    raise PoolError(
        f"{where}: as whole numbers in the same proportion they exceed {LARGEST_WEIGHT}, beyond which sums "
        "would not stay exact; give fewer digits, or fractions with a common denominator"
    )
