"""AUGRC: the area under the generalised risk–coverage curve (paper, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.risks import Codes, Risks
from certify.weights import all_rank_weights


@dataclass(frozen=True)
class Augrc:
    """Errors weigh more the earlier they are accepted, linearly; ties averaged. Scale 2n²."""

    name = "augrc"
    unit = "AUGRC"

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        n = confidences.shape[1]
        return Risks(all_rank_weights(confidences), predictions, 2 * n * n)
