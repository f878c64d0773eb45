"""What back ends that know nothing but linear programs have in common.

A covering program is handed to them as a mixed-integer program, the relaxation is solved first because its
duals carry the bound that can be checked, all calls share one time limit, and a program called infeasible
is solved again with its rows relaxed, whose duals prove the claim.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer
from solvers.exact import out_of_reach, shortfall
from solvers.problems import LARGEST_COEFFICIENT, CoveringProgram, LinearProgram
from solvers.solution import Status

Run = Callable[[LinearProgram, float | None], Answer]
"""One call of the library: a program and the seconds left (None for no limit)."""

TIME_LIMIT = "time limit"
NEAR = 1e-6
"""Relative violation up to which a point left behind at a limit counts as a solution."""
WHOLE_UNIT = 0.999
"""Absolute gap of programs whose objective is an integer: less than one unit is none."""
TINY = 1e-9
"""HiGHS drops matrix entries below this size."""

LONG_ROW = 2000
"""Mean entries of a row from which the presolve of HiGHS, deaf to time limits, may take minutes."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time limit shared by several calls."""

    deadline: float

    @staticmethod
    def start(time_limit: float | None) -> "Clock":
        """A clock that ends ``time_limit`` seconds from now, never for None."""
        return Clock(math.inf if time_limit is None else time.perf_counter() + time_limit)

    def left(self) -> float | None:
        """Seconds left, at least 0; None without a limit."""
        return None if self.deadline == math.inf else max(0.0, self.deadline - time.perf_counter())

    def over(self) -> bool:
        """True once the limit has passed."""
        return time.perf_counter() >= self.deadline


def as_linear(problem: CoveringProgram | LinearProgram) -> LinearProgram:
    """A covering program as a program in binary columns; a linear program as it is."""
    if isinstance(problem, LinearProgram):
        return problem
    return LinearProgram(
        np.ones(problem.n),
        problem.gains.astype(np.float64),
        row_lower=problem.demands.astype(np.float64),
        upper=np.ones(problem.n),
        integrality=np.ones(problem.n, dtype=np.bool_),
    )


def too_large(problem: CoveringProgram, name: str) -> str:
    """Why floating point cannot hold the integers of a covering program; empty if it can."""
    size = max([0, *problem.largest, *(abs(d) for d in problem.demands.tolist())])
    if size < LARGEST_COEFFICIENT:
        return ""
    return f"an integer of size {size}: {name} takes |integers| below {LARGEST_COEFFICIENT:g}."


def too_small(problem: LinearProgram) -> str:
    """Why HiGHS would drop a matrix entry; empty if it drops none."""
    entries = np.abs(problem.columns()[2])
    small = entries[(entries > 0) & (entries < TINY)]
    if not small.size:
        return ""
    return f"matrix entry of size {small[0]:g}: HiGHS drops entries below {TINY:g}; rescale the row."


def unit_gap(program: LinearProgram) -> float:
    """Absolute gap that still means optimal: just below 1 where the objective is always an integer."""
    costs = program.costs[program.costs != 0]
    whole = program.integrality[program.costs != 0].all() and (costs == np.rint(costs)).all()
    return WHOLE_UNIT if whole else 0.0


def presolves(program: LinearProgram) -> bool:
    """False for few dense rows over many columns, where HiGHS is better off without its presolve."""
    return program.m == 0 or len(program.columns()[2]) < LONG_ROW * program.m


def nothing_to_search(program: LinearProgram) -> Answer | None:
    """The answer to programs without rows or columns, with crossed bounds, or with a row nothing can meet.

    Several libraries fail on these. None for every other program.
    """
    if out_of_reach(program):
        return Answer(Status.INFEASIBLE)
    if program.m and program.n:
        return None
    costs = -program.costs if program.maximise else program.costs
    lower, upper = program.box()
    x = np.where(costs > 0, lower, np.where(costs < 0, upper, np.clip(0.0, lower, upper)))
    if not np.isfinite(x).all():
        return Answer(Status.UNBOUNDED)
    value = float(program.costs @ x)
    return Answer(Status.OPTIMAL, x, value, value, np.zeros(program.m))


def at_limit(program: LinearProgram, x: npt.NDArray[np.float64] | None, limit: str) -> Answer:
    """What a stopped search leaves: its point if there is one and it satisfies the rows, else no solution.

    Libraries hand back zeros, or the point of an unfinished iteration, when they found nothing.
    """
    if x is None or x.shape != (program.n,) or not np.isfinite(x).all():
        return Answer(Status.NO_SOLUTION, reason=limit)
    whole = program.integrality
    point = np.where(whole, np.rint(x), x)
    slack = NEAR * (1 + float(np.abs(point).max(initial=0.0)))
    rows = program.matrix @ point
    inside = (
        (np.abs(point - x) <= slack).all()
        and (point >= program.lower - slack).all()
        and (point <= program.upper + slack).all()
        and (rows >= program.row_lower - slack).all()
        and (rows <= program.row_upper + slack).all()
    )
    if not inside:
        return Answer(Status.NO_SOLUTION, reason=limit)
    return Answer(Status.FEASIBLE, x, float(program.costs @ point), reason=limit)


def _call(run: Run, program: LinearProgram, clock: Clock) -> Answer:
    return Answer(Status.NO_SOLUTION, reason=TIME_LIMIT) if clock.over() else run(program, clock.left())


def elastic(program: LinearProgram) -> LinearProgram:
    """min Σ(u + v) with row_lower ≤ A x + u − v ≤ row_upper: zero exactly when the rows can be met.

    Its duals, when the optimum is positive, are a Farkas certificate of ``program``'s relaxation.
    """
    from scipy import sparse

    m, n = program.m, program.n
    matrix = sparse.hstack([sparse.csc_array(program.matrix), sparse.eye_array(m), -sparse.eye_array(m)])
    lower, upper = program.box()
    return LinearProgram(
        np.concatenate([np.zeros(n), np.ones(2 * m)]),
        matrix,
        program.row_lower,
        program.row_upper,
        np.concatenate([lower, np.zeros(2 * m)]),
        np.concatenate([upper, np.full(2 * m, np.inf)]),
    )


def _continuous(run: Run, program: LinearProgram, clock: Clock) -> Answer:
    """Solve a program without integers; a claim of infeasibility gets a ray where one can be found."""
    answer = _call(run, program, clock)
    if answer.status not in (Status.INFEASIBLE, Status.INFEASIBLE_OR_UNBOUNDED) or answer.ray is not None:
        return answer
    relaxed = _call(run, elastic(program), clock)
    if relaxed.status is not Status.OPTIMAL or relaxed.objective is None:
        return answer
    if relaxed.objective > NEAR:
        return replace(answer, status=Status.INFEASIBLE, ray=relaxed.duals)
    return replace(answer, status=Status.UNBOUNDED) if answer.status is not Status.INFEASIBLE else answer


def _integer(run: Run, program: LinearProgram, clock: Clock) -> Answer:
    """Solve the relaxation for its duals, then the program itself in the time that is left."""
    root = _continuous(run, replace(program, integrality=np.zeros(program.n, dtype=np.bool_)), clock)
    if root.status is Status.INFEASIBLE:
        return root
    answer = _call(run, program, clock)
    unclear = answer.status in (Status.INFEASIBLE, Status.INFEASIBLE_OR_UNBOUNDED, Status.ERROR)
    if unclear and root.status is Status.UNBOUNDED:  # some libraries call an unbounded program infeasible
        any_point = _call(run, replace(program, costs=np.zeros(program.n)), clock)
        met = any_point.status in (Status.OPTIMAL, Status.FEASIBLE)
        answer = replace(answer, status=Status.UNBOUNDED if met else Status.INFEASIBLE_OR_UNBOUNDED)
    return replace(answer, duals=root.duals if root.status is Status.OPTIMAL else None)


def solve_by(run: Run, problem: object, time_limit: float | None) -> Answer:
    """Solve a problem with a library that takes linear programs, ``run``, within a time limit.

    Raises:
        TypeError: for anything but a covering or linear program; :func:`solvers.solve` asks for no other.
    """
    if not isinstance(problem, CoveringProgram | LinearProgram):
        raise TypeError(f"{type(problem).__name__} is no linear program")
    clock = Clock.start(time_limit)
    if isinstance(problem, CoveringProgram) and shortfall(problem) is not None:
        return Answer(Status.INFEASIBLE)
    program = as_linear(problem)
    settled = nothing_to_search(program)
    if settled is not None:
        return settled
    return (_integer if program.integrality.any() else _continuous)(run, program, clock)
