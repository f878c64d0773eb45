"""What the exact likelihood ratio and the information limit accept."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.scores import Scores, as_scores, as_table

WIDEST = 600.0
"""Largest range of scores: odds beyond e^600 and their products are no numbers any more."""
FAINTEST = 1e-200
"""Smallest count that is not 0, by the largest one: smaller products with variances are lost in rounding."""


def as_moved(theta: npt.ArrayLike) -> Reals:
    """Scores (K, d) of two models or more, less those of the first model, which no chance depends on.

    Whole numbers are subtracted before they are rounded: 2^60 + 1 and 2^60 stay different. Others stay as
    they are.
    """
    scores: Scores = as_scores(theta, least=2)
    if scores.dtype.kind == "i" and np.abs(scores).max() > 1 << 53:
        scores = scores - scores[0]
    return scores.astype(np.float64)


def as_whole(value: Any, what: str, least: int) -> int:
    """A whole number, `least` or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise BattleError(f"{what} is {value!r}; a whole number, {least} or more, is accepted")
    return int(value)


def as_number(value: Any, what: str, least: float) -> float:
    """A number, `least` or more; NaN is none."""
    kind = int | float | np.integer | np.floating
    if isinstance(value, bool) or not isinstance(value, kind) or not value >= least:
        raise BattleError(
            f"{what} is {value!r}; a number{f' ≥ {least:g}' if np.isfinite(least) else ''} is accepted"
        )
    return float(value)


def as_cells(values: npt.ArrayLike, what: str, shape: tuple[int, ...] | None = None) -> Reals:
    """Numbers ≥ 0 of every pair on every objective: (objectives, models, models), 2 models or more."""
    given = as_table(values, what)
    accepted = f"numbers as (objectives, models, models){f' = {shape}' if shape else ', 2 models or more'}"
    try:
        if given.dtype.kind not in "biufO":
            raise TypeError(f"found {given.dtype}")
        table: Reals = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise BattleError(f"{what} are no numbers ({error}); {accepted} are accepted") from None
    fits = table.ndim == 3 and table.shape[1] == table.shape[2] and table.shape[0] > 0 and table.shape[1] > 1
    if not fits or (shape is not None and table.shape != shape):
        raise BattleError(f"{what} of shape {table.shape}; {accepted} are accepted")
    return table


def as_pairs(values: npt.ArrayLike, what: str, shape: tuple[int, ...]) -> Reals:
    """The same, where the order of the two models does not matter: symmetric, finite, ≥ 0."""
    table = as_cells(values, what, shape)
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise BattleError(f"{what} contain negative, infinite or missing numbers; numbers ≥ 0 are accepted")
    if not np.array_equal(table, table.swapaxes(1, 2)):
        raise BattleError(f"{what} of i with j and of j with i differ; enter each comparison at both places")
    return table


def checked(theta: npt.ArrayLike, counts: npt.ArrayLike) -> tuple[Reals, Reals, int]:
    """Scores; counts over a power of 4 that makes the largest one less than 4 and no rounding; its log₂."""
    scores = as_moved(theta)
    models, objectives = scores.shape
    widest = float(np.ptp(scores, axis=0).max())
    if widest > WIDEST:
        raise BattleError(
            f"scores of an objective range over {widest:.6g}; up to {WIDEST:g} is accepted: fit them with a "
            "ridge, or within a box"
        )
    weights = as_pairs(counts, "counts", (objectives, models, models))
    off = weights[:, ~np.eye(models, dtype=np.bool_)]
    most, least = float(off.max()), float(off.min(where=off > 0, initial=np.inf))
    if most == 0:
        return scores, weights, 0
    power = 2 * ((int(np.frexp(most)[1]) - 1) // 2)
    unit = np.ldexp(off, -power)
    if (unit[off > 0] < FAINTEST * unit.max()).any():
        raise BattleError(
            f"counts from {least:.3g} to {most:.3g}; those that are not 0 may be {FAINTEST:g} of the largest "
            "at least: enter 0 for smaller ones"
        )
    with np.errstate(over="ignore"):  # on the diagonal, which is not looked at
        scaled = np.ldexp(weights, -power)
    return scores, np.where(np.isfinite(scaled), scaled, 0.0), power
