"""AURC: the area under the risk–coverage curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.harmonic import MAX_ROWS, UNIT, floor_weights
from certify.risks import Codes, Risks


@dataclass(frozen=True)
class Aurc:
    """The mean, over the coverages 1/n, 2/n, …, 1, of the error rate among the rows accepted.

    Ties averaged. Integer weights count 1/(2²⁶·n) and are rounded down; see `certify.harmonic`.
    """

    name = "aurc"
    unit = "AURC"

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        n = confidences.shape[1]
        if n > MAX_ROWS:
            raise PoolError(
                f"{n} rows; AURC, whose weights are no whole numbers, is supported up to {MAX_ROWS} rows. "
                "AUGRC has no such limit"
            )
        weights, blocks = floor_weights(confidences)
        return Risks(weights, predictions, n * UNIT, blocks)
