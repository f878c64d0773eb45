"""Scores as everybody may hand them in: models × objectives, finite, larger is better."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError

LARGEST_WHOLE = 1 << 61
"""Whole scores up to this have differences and sums of two differences that fit into 64 bits."""

LARGEST_REAL = 1e300
"""The same of other numbers: differences of two differences are finite."""

Scores = npt.NDArray[Any]
"""int64 or float64."""
Mask = npt.NDArray[np.bool_]


def as_scores(
    scores: npt.ArrayLike, *, batch: bool = False, least: int = 1, compared: bool = False
) -> Scores:
    """(K, d) scores, or (..., K, d) with `batch`; whole numbers stay exact int64, all else is float64.

    Refuses fewer than `least` models, no objective, and anything that is not a finite number; and numbers
    whose differences are not, unless they are only compared.
    """
    given = as_table(scores, "scores")
    if given.ndim != 2 and not (batch and given.ndim > 2):
        accepted = "(models, objectives)" if not batch else "(..., models, objectives)"
        raise BattleError(f"scores of shape {given.shape}; {accepted} is accepted")
    models, objectives = given.shape[-2:]
    if objectives == 0:
        raise BattleError(f"scores of shape {given.shape} have no objective; at least one is needed")
    if models < least:
        raise BattleError(f"scores of shape {given.shape} have {models} models; at least {least} needed")
    if given.dtype.kind in "biu":
        if given.size and (given.max() > LARGEST_WHOLE or given.min() < -LARGEST_WHOLE):
            raise BattleError(f"whole scores beyond ±2^61 ({given.max()}); divide by a common factor first")
        return given.astype(np.int64, copy=False)
    if given.dtype.kind != "f":
        raise BattleError(f"scores are {given.dtype}; whole or floating-point numbers are accepted")
    reals: Scores = given.astype(np.float64, copy=False)
    if not np.isfinite(reals).all():
        finite = np.isfinite(reals)
        where = tuple(int(index) for index in np.argwhere(~finite)[0])
        raise BattleError(
            f"score {reals[where]} of model {where[-2]} on objective {where[-1]}; finite numbers are "
            "accepted: leave out models or objectives without a score"
        )
    if not compared and reals.size and np.abs(reals).max() > LARGEST_REAL:
        raise BattleError(f"scores beyond ±{LARGEST_REAL:g}; divide by a common factor first")
    return reals


def as_table(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """An array of whatever numbers these are; refuses rows of different lengths and masked entries."""
    if np.ma.is_masked(values):
        raise BattleError(
            f"{what} have masked entries, which are missing; leave their models out, or fill them"
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise BattleError(f"{what} have rows of different lengths; give a table of numbers") from None


def as_active(active: npt.ArrayLike | None, shape: tuple[int, ...]) -> Mask:
    """The active set as a mask of `shape` (..., K); None means everybody."""
    if active is None:
        return np.ones(shape, dtype=np.bool_)
    mask = np.asarray(active)
    if mask.dtype != np.bool_ or mask.shape != shape:
        raise BattleError(
            f"active set is {mask.dtype} of shape {mask.shape}; a boolean mask of shape {shape} is accepted"
        )
    return mask
