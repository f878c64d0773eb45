"""What every problem type's verdict is made of: the facts, and how raw answers are read."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer
from solvers.errors import SolverError
from solvers.solution import Multipliers, Status
from solvers.tree import Tree

NEAR_INTEGER = 1e-5
"""Solvers return 0.9999999 for 1; entries this close are rounded and then counted in integers."""
TOLERANCE = Fraction(1, 10**6)
"""Relative violation and gap up to which a continuous optimum counts as one (``proven`` needs zero)."""
POINTLESS = (Status.NO_SOLUTION, Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What exact arithmetic established about an answer."""

    status: Status
    x: npt.NDArray[Any] | None = None
    objective: int | Fraction | None = None
    bound: int | Fraction | None = None
    proven: bool = False
    reason: str = ""
    duals: npt.NDArray[np.float64] | None = None
    multipliers: Multipliers | None = None
    tree: Tree | None = None


def usable_duals(answer: Answer, m: int) -> npt.NDArray[np.float64] | None:
    """The duals (m,) if they are finite numbers; None for anything else."""
    if answer.duals is None:
        return None
    try:
        duals = np.asarray(answer.duals, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return duals if duals.shape == (m,) and bool(np.isfinite(duals).all()) else None


def near_integers(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Entries within ``NEAR_INTEGER`` of an integer as that integer, the others as they are.

    Raises:
        SolverError: if they do not form an array.
    """
    try:
        array = np.asarray(x)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"x cannot be read as numbers ({error}).") from error
    if array.dtype.kind != "f":
        return array
    near = np.rint(array)
    with np.errstate(invalid="ignore"):  # a liar's infinities; the checks that follow refuse them
        return np.where(np.abs(array - near) <= NEAR_INTEGER, near, array)


def refuted(answer: Answer, why: str) -> str:
    return f"the back end claims {answer.status.value!r}; refuted: {why}"
