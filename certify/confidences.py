"""Confidence tables: what is accepted as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError

MAX_ROWS = 1 << 29  # weights reach 2n and risks 2n², which keeps them in int32 and int64


def as_confidences(confidences: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """A table (candidates, rows) of doubles."""
    try:
        given = np.asarray(confidences)
        if given.dtype.kind not in "biufO" or (
            given.dtype.kind in "iu" and np.abs(given).max(initial=0) > 2**53
        ):
            raise ValueError(f"{given.dtype} values that a double cannot hold")
        scores = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise PoolError(
            f"confidences are not one table of numbers, candidates × rows, of equal lengths ({error})"
        ) from None
    if scores.ndim != 2:
        raise PoolError(f"confidences have shape {scores.shape}; give (candidates, rows)")
    return scores


def check_confidences(confidences: npt.NDArray[np.float64], names: Sequence[str]) -> tuple[int, int]:
    """Candidates and rows of a table of finite numbers; names are for messages."""
    candidates, n = confidences.shape
    if candidates < 2:
        raise PoolError("one candidate leaves nothing to choose; give at least two")
    if n < 1:
        raise PoolError("the pool has no rows; give at least one")
    if n > MAX_ROWS:
        raise PoolError(f"{n} rows; at most {MAX_ROWS} are supported")
    for k in range(candidates):
        finite = np.isfinite(confidences[k])
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            name = names[k] if k < len(names) else str(k)
            raise PoolError(
                f"confidence of {name} at row {row} is {confidences[k, row]} "
                f"({int((~finite).sum())} such rows); confidences are finite numbers"
            )
    return candidates, n
