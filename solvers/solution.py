"""What a solve hands back: why it stopped, what it returned, what is proven.

Three things are kept apart throughout the package:

* ``status``: the outcome after the exact layer looked at it;
* ``claimed``: what the back end said about itself, for comparison only;
* ``bound`` and ``proven``: what exact arithmetic established here.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.tree import Tree


class Status(Enum):
    """One vocabulary for every back end."""

    OPTIMAL = "optimal"
    """A point whose objective meets the exact bound (within the stated tolerance for a continuous
    :class:`~solvers.problems.LinearProgram`, to the last unit for everything that is integer)."""
    FEASIBLE = "feasible"
    """A checked point whose optimality is not established; ``reason`` says what stopped the search."""
    NO_SOLUTION = "no solution"
    """Stopped at a limit without a point; nothing is known about feasibility."""
    INFEASIBLE = "infeasible"
    """No point satisfies the constraints (``proven`` tells whether this was verified here)."""
    UNBOUNDED = "unbounded"
    """The objective has no finite optimum, as claimed by the back end."""
    INFEASIBLE_OR_UNBOUNDED = "infeasible or unbounded"
    """The back end could not tell which of the two."""
    ERROR = "error"
    """The back end failed, or returned something that exact arithmetic refutes; see ``reason``."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a back end says of its own result. Nothing is decided by it.

    Attributes:
        status: outcome in the common vocabulary, before any check.
        objective: objective value it reports, if any.
        bound: bound on the optimum it reports, if any.
    """

    status: Status
    objective: float | None = None
    bound: float | None = None


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Dual multipliers p / q of a covering program, in integers, with the value they reproduce.

    Attributes:
        p: one nonnegative integer per constraint.
        q: positive common denominator.
        numerator: p·D + Σ_i min(0, q − p·g_i), so that numerator / q bounds the optimum from below.
    """

    p: tuple[int, ...]
    q: int
    numerator: int

    @property
    def bound(self) -> int:
        """Smallest integer not below numerator / q."""
        return -(-self.numerator // self.q)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The checked outcome of one solve.

    Attributes:
        status: outcome after checking.
        x: the point: bool (n,) for a covering program, float64 (n,) otherwise; None when there is none.
        objective: recomputed exactly from ``x`` (int or Fraction); None without a point.
        bound: exact bound on the optimum (lower for minimisation, upper for maximisation); None if none.
        duals: float64 (m,), d optimum / d right-hand side, for every back end; None when not available.
        proven: True only if ``status`` itself was established in exact arithmetic.
        backend: name of the back end that ran.
        seconds: wall-clock time of back end and checks.
        claimed: what the back end said.
        reason: why the search stopped short or the claim was turned down; empty otherwise.
        multipliers: integer multipliers behind ``bound`` (covering programs only).
        tree: what proves ``bound`` where it exceeds that of the multipliers (covering programs only).
    """

    status: Status
    x: npt.NDArray[Any] | None
    objective: int | Fraction | None
    bound: int | Fraction | None
    duals: npt.NDArray[np.float64] | None
    proven: bool
    backend: str
    seconds: float
    claimed: Claim
    reason: str = ""
    multipliers: Multipliers | None = None
    tree: Tree | None = None
