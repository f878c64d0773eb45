"""What a method is asked to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

from pareto.errors import BattleError

SMALLEST_DELTA = 1e-200
LARGEST_MARGIN = 1e6


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

    Raises `BattleError` for anything out of range.
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
        check_seed(self.seed)
        check_cap(self.max_comparisons)
        check_margin(self.margin)

    @property
    def shape(self) -> tuple[int, int]:
        """(K, d)."""
        return len(self.models), len(self.objectives)


def check_delta(delta: float) -> None:
    """Refuse a δ outside (0, 1), and one so small that 1/δ times a few counts is no double any more."""
    if not (_number(delta) and 0 < delta < 1):
        raise BattleError(
            f"delta is {delta!r}; a probability strictly between 0 and 1 is accepted, e.g. 0.05"
        )
    if delta < SMALLEST_DELTA:
        raise BattleError(f"delta is {delta}; {SMALLEST_DELTA:g} is the smallest accepted")


def check_seed(seed: int) -> None:
    """Refuse a seed that is no whole number from 0."""
    if not (_whole(seed) and seed >= 0):
        raise BattleError(f"seed is {seed!r}; whole numbers from 0 are accepted, no negative ones")


def check_cap(cap: int | None) -> None:
    """Refuse a largest number of comparisons that is neither None nor a whole number from 0."""
    if cap is not None and not (_whole(cap) and cap >= 0):
        raise BattleError(f"max_comparisons is {cap!r}; a whole number from 0, or None, is accepted")


def check_margin(margin: float) -> None:
    """Refuse a margin that is negative or no number, and one so large that squares of it are no doubles."""
    if not (_number(margin) and 0 <= margin <= LARGEST_MARGIN):
        raise BattleError(
            f"margin is {margin!r}; a finite number ≥ 0, up to {LARGEST_MARGIN:g}, is accepted, in the units "
            "the method decides in"
        )


def check_names(names: Sequence[str], what: str, least: int) -> None:
    """Refuse too few names, repeated ones, and those that files and answers could not give back."""
    if len(names) < least:
        raise BattleError(f"{len(names)} {what}s; at least {least} needed")
    for name in names:
        if not isinstance(name, str):
            raise BattleError(f"{what} name {name!r} is no text; give names as text")
        if not name or name != name.strip():
            raise BattleError(f"{what} name {name!r} is blank, or begins or ends with a space; strip it")
        if any("\ud800" <= letter <= "\udfff" for letter in name):
            raise BattleError(f"{what} name {name!r} has half of a character and no file can hold it")
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise BattleError(f"{what} {repeated[0]!r} is named twice; {what} names must differ")


def _whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def numbered(what: str, count: int) -> tuple[str, ...]:
    """Names for the nameless: what-1, what-2, … padded so that they sort in order."""
    width = len(str(count))
    return tuple(f"{what}-{number:0{width}d}" for number in range(1, count + 1))
