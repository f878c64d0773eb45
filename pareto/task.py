"""What a method is asked to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pareto.errors import BattleError


@dataclass(frozen=True)
class Task:
    """Find the strict frontier of `models` over `objectives` at confidence 1 − `delta`.

    Attributes:
        models, objectives: names; K ≥ 2 and d ≥ 1, no repetition.
        delta: probability of a wrong answer that is acceptable, in (0, 1).
        seed: of the method's own random choices (opponents); a whole number ≥ 0.
        max_comparisons: no more than so many comparisons; None = no limit.
        margin: a model counts as dominated only by more than this, in the units the method decides in.
        joint: one showing of a pair answers every objective it was asked about and costs one comparison.
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    delta: float = 0.05
    seed: int = 0
    max_comparisons: int | None = None
    margin: float = 0.0
    joint: bool = False

    def __post_init__(self) -> None:
        check_names(self.models, "model", 2)
        check_names(self.objectives, "objective", 1)
        check_delta(self.delta)
        if self.seed < 0:
            raise BattleError(f"seed {self.seed} is negative; whole numbers from 0 are accepted")
        if self.max_comparisons is not None and self.max_comparisons < 0:
            raise BattleError(f"max_comparisons is {self.max_comparisons}; 0 or more, or None, is accepted")
        if not (self.margin >= 0 and math.isfinite(self.margin)):
            raise BattleError(f"margin is {self.margin}; a finite number ≥ 0 is accepted")

    @property
    def shape(self) -> tuple[int, int]:
        """(K, d)."""
        return len(self.models), len(self.objectives)


def check_delta(delta: float) -> None:
    """Refuse a δ outside (0, 1)."""
    if not 0 < delta < 1:
        raise BattleError(f"delta is {delta}; a probability strictly between 0 and 1 is accepted, e.g. 0.05")


def check_names(names: Sequence[str], what: str, least: int) -> None:
    """Refuse too few names and repeated ones."""
    if len(names) < least:
        raise BattleError(f"{len(names)} {what}s; at least {least} needed")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise BattleError(f"{what} {repeated[0]!r} is named twice; {what} names must differ")


def numbered(what: str, count: int) -> tuple[str, ...]:
    """Names for the nameless: what-1, what-2, … padded so that they sort in order."""
    width = len(str(count))
    return tuple(f"{what}-{number:0{width}d}" for number in range(1, count + 1))
