"""What a Davidson fit accepts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.scores import as_table


def check_size(size: int, models: int) -> None:
    """Refuse a tie-factor size that is no whole number from 0 to K."""
    whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
    if not whole or not 0 <= size <= models:
        raise BattleError(
            f"tie-factor size is {size!r}; a whole number from 0 to {models}, one for each model, is accepted"
        )


def check_ridge(ridge: float) -> None:
    """Refuse a ridge that is negative or no finite number."""
    if not (ridge >= 0 and np.isfinite(ridge)):
        raise BattleError(f"ridge is {ridge}; a finite number ≥ 0 is accepted")


def checked_counts(wins: npt.ArrayLike, ties: npt.ArrayLike) -> tuple[Reals, Reals]:
    """Wins and ties (K, K) of one objective as reals; `BattleError` for what are no counts of pairs."""
    won, tied = _checked(wins, "wins"), _checked(ties, "ties")
    if won.shape != tied.shape:
        raise BattleError(f"wins of shape {won.shape} and ties of shape {tied.shape}; they must agree")
    if not np.array_equal(tied, tied.T):
        i, j = (int(index) for index in np.argwhere(tied != tied.T)[0])
        raise BattleError(
            f"ties[{i}, {j}] is {tied[i, j]} and ties[{j}, {i}] is {tied[j, i]}; enter each tie at "
            "both places"
        )
    return won, tied


def _checked(counts: npt.ArrayLike, what: str) -> Reals:
    given = as_table(counts, what)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or len(given) < 2:
        raise BattleError(
            f"{what} of shape {given.shape}; (models, models) of one objective, two models or more, is "
            "accepted"
        )
    if given.dtype.kind not in "biuf":
        raise BattleError(f"{what} are {given.dtype}; numbers ≥ 0 are accepted")
    reals = given.astype(np.float64)
    bad = ~(np.isfinite(reals) & (reals >= 0))
    if bad.any():
        i, j = (int(index) for index in np.argwhere(bad)[0])
        raise BattleError(f"{what}[{i}, {j}] is {reals[i, j]}; finite numbers ≥ 0 are accepted")
    own = np.flatnonzero(np.diag(reals))
    if len(own):
        raise BattleError(f"model {own[0]} has {what} against itself; leave self-battles out and count them")
    return reals
