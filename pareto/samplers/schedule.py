"""Phases of uniform sampling: how far phase m goes, and how close the means are then (paper, eq. 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pareto.errors import BattleError
from pareto.task import check_delta


@dataclass(frozen=True)
class Constants:
    """Constants of the paper's equation (6): sampling C_samp, threshold C_thr, logarithm C_log.

    The guarantees are stated for (2, 4, 4).
    """

    sampling: float = 2.0
    threshold: float = 4.0
    logarithm: float = 4.0

    def __post_init__(self) -> None:
        for name in ("sampling", "threshold"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise BattleError(f"constant {name} is {value}; a finite number > 0 is accepted")
        if not (self.logarithm >= 1 and math.isfinite(self.logarithm)):
            raise BattleError(f"constant logarithm is {self.logarithm}; a finite number ≥ 1 is accepted")


PAPER = Constants()


@dataclass(frozen=True)
class Phase:
    """Phase m ≥ 1: `draws` n_m of every cell so far, `radius` r_m of their means."""

    number: int
    draws: int
    radius: float


def phase(number: int, cells: int, delta: float, constants: Constants = PAPER) -> Phase:
    """Phase `number` when `cells` means are watched: K·d arms, or d·K(K − 1)/2 pairs."""
    check_delta(delta)
    weight = math.log(constants.logarithm * cells * number**2 / delta)
    draws = math.ceil(constants.sampling * weight * 4.0**number)
    return Phase(number, draws, math.sqrt(weight / (2 * draws)))
