"""Numbers as JSON can hold them."""

from __future__ import annotations

import math


def finite(value: float) -> float | None:
    """The number, or None for infinite and undefined ones, which JSON does not have."""
    return value if math.isfinite(value) else None
