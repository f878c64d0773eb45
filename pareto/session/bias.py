"""Position bias: how often the side decided."""

from __future__ import annotations

import math
from dataclasses import dataclass

NORMAL = 1.959963984540054
"""Half width of the central 95 % of a standard normal variable."""


@dataclass(frozen=True)
class PositionBias:
    """`points` of the models shown on the left, in `shown` comparisons.

    Sides are shuffled, so without a preference for a side the share is ½ whatever the models are.
    """

    points: float
    shown: int

    @property
    def share(self) -> float | None:
        """Of the left side; None before the first answer."""
        return self.points / self.shown if self.shown else None

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval for it; conservative where ties or scores make outcomes vary less."""
        if not self.shown:
            return 0.0, 1.0
        z2 = NORMAL**2 / self.shown
        share = self.points / self.shown
        centre = (share + z2 / 2) / (1 + z2)
        half = math.sqrt(z2 * share * (1 - share) + z2**2 / 4) / (1 + z2)
        return centre - half, centre + half

    @property
    def visible(self) -> bool:
        """True if ½ lies outside the interval."""
        low, high = self.interval
        return not low <= 0.5 <= high
