"""Some unread rows as the label model sees them: what their labels may do to the candidates' risks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.policies.covering_duals import Floats
from certify.policies.label_model import LabelModel, Reals, Rows, Slots
from certify.risks import Risks


@dataclass(frozen=True, eq=False)
class Outlook:
    """J candidates on r rows with A + 1 outcomes each (see `label_model`).

    weights: (J, r). slots: (J, r), the outcome that each candidate expects. chances: (A + 1, r) of the
    outcomes. right: (J, r) chance of each candidate.
    """

    weights: npt.NDArray[np.int64]
    slots: Slots
    chances: Reals
    right: Reals

    @classmethod
    def of(cls, model: LabelModel, opinion: Reals, risks: Risks, kept: Rows, rows: Rows) -> Outlook:
        """`rows` under the coefficients `opinion`, for the candidates `kept`."""
        slots = model.slots[kept[:, None], rows]
        chances = model.chances(opinion, rows)
        right = np.take_along_axis(chances, slots.astype(np.intp), axis=0)
        return cls(risks.weights[kept[:, None], rows].astype(np.int64), slots, chances, right)

    def imagined(self, uniforms: Reals) -> Reals:
        """Risk that the rows add to each candidate when outcomes fall as the uniforms (S, r) say; (S, J)."""
        totals = np.zeros((len(uniforms), len(self.weights)))
        below = np.zeros(uniforms.shape[1])
        for outcome, chance in enumerate(self.chances):
            happens = (uniforms >= below) & (uniforms < below + chance)
            totals += happens.astype(np.float64) @ np.where(self.slots == outcome, 0.0, self.weights).T
            below += chance
        return totals

    def gains(self, winners: Rows, most: Reals) -> Floats:
        """Expected gains of each winner (S,) over every candidate, each gain cut to `most` (S, J); (S, J, r).

        Where the two predict alike only the one error that favours the winner gains, w_j − w_k or its
        opposite. Where they differ the winner being right gains w_j + w_k, neither being right w_j.
        """
        weights, right = self.weights.astype(np.float32), self.right.astype(np.float32)
        gains = np.empty((len(winners), *weights.shape), dtype=np.float32)
        neither = len(self.chances) > 2
        for k in np.unique(winners):
            agree = self.slots == self.slots[k]
            excess = weights - weights[k]
            size = np.where(agree, np.abs(excess), weights + weights[k])
            chance = np.where(agree & (excess > 0), 1 - right[k], right[k])
            chosen = winners == k
            cut = most[chosen][:, :, None].astype(np.float32)
            expected = np.minimum(size, cut) * chance
            if neither:
                expected += np.minimum(weights, cut) * np.where(agree, 0, np.maximum(0, 1 - right - right[k]))
            gains[chosen] = expected
        return gains
