"""What a conformance case is: a problem, its true answer, and what a back end is asked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from solvers import Status


@dataclass(frozen=True)
class Expected:
    """What is true of a problem.

    Attributes:
        status: OPTIMAL, INFEASIBLE or UNBOUNDED.
        optimum: exact objective of an optimal point; None without one.
        duals: the row duals, d optimum / d right-hand side, where they are unique; else None.
        x: the optimal point where it is unique; else None.
    """

    status: Status
    optimum: Fraction | int | None = None
    duals: tuple[float, ...] | None = None
    x: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Case:
    """A problem, its answer, and what a back end is asked.

    Attributes:
        name: unique, says what the case is about.
        build: makes the problem.
        expected: its answer.
        proof: True if a back end that takes the problem must also establish the answer exactly.
        limit: seconds; with ``stops`` a limit that cannot suffice.
        stops: True if the search has to stop at the limit.
        options: options for solve, per name of back end.
    """

    name: str
    build: Callable[[], Any]
    expected: Expected
    proof: bool = False
    limit: float | None = 60.0
    stops: bool = False
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
