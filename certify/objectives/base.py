"""What an objective is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from certify.risks import Codes, Risks

LARGEST_WEIGHT = (1 << 30) - 1
"""The sum of two weights stays within 32 bits, that of a whole pool within 64."""


class Objective(Protocol):
    """A loss to minimise: Σ over rows of a weight ≥ 0, fixed before any label is known, times [error]."""

    @property
    def name(self) -> str:
        """Its spelling on the command line and in journals, parameters included."""
        ...

    @property
    def unit(self) -> str:
        """What a difference of it is called in reports."""
        ...

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        """Integer weights and their scale, for confidences (K, n) and predictions (K, n) or (1, n).

        Raises `PoolError` for pools beyond its limits.
        """
        ...
