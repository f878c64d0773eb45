"""CVXPY: one back end for each solver it is known to reach, with the options that make them exact or quiet.

CVXPY's multiplier of an inequality is ≥ 0 in the problem turned into a minimisation, that of an equality is
minus the derivative; both become d optimum / d right-hand side here. Statuses after a limit are not taken
at their word: CVXPY reports "user_limit" with a vector of zeros, or an error, when there is no solution.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from solvers.backends.base import Answer, Backend, Problem
from solvers.bradley_terry import conic
from solvers.mixed import TIME_LIMIT, at_limit, presolves, solve_by, too_large, too_small, unit_gap
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram
from solvers.quiet_highs import fresh_threads
from solvers.rows import one_sided
from solvers.solution import Status

Settings = Callable[[dict[str, Any], float | None, Any], dict[str, Any]]
"""(options, seconds, program) → keyword arguments of ``Problem.solve``."""


@dataclass(frozen=True, slots=True)
class _Solver:
    """What is particular to one solver behind CVXPY."""

    name: str
    module: str
    settings: Settings
    options: dict[str, str]
    integers: bool = False
    highs: bool = False
    cones: bool = False
    tolerance: float = 0.0
    defaults: dict[str, Any] = field(default_factory=dict)
    cone_defaults: dict[str, Any] = field(default_factory=dict)


def _timed(name: str) -> Settings:
    def settings(options: dict[str, Any], seconds: float | None, program: LinearProgram) -> dict[str, Any]:
        return options if seconds is None else {**options, name: seconds}

    return settings


def _highs(options: dict[str, Any], seconds: float | None, program: LinearProgram) -> dict[str, Any]:
    settings: dict[str, Any] = {"mip_rel_gap": 0.0, "mip_abs_gap": unit_gap(program)}
    if not presolves(program):
        settings["presolve"] = "off"
    return {**settings, **options, **({} if seconds is None else {"time_limit": seconds})}


def _scipy(options: dict[str, Any], seconds: float | None, program: LinearProgram) -> dict[str, Any]:
    inner = {"presolve": presolves(program), **options}
    if program.integrality.any():
        inner["mip_rel_gap"] = 0.0
    if seconds is not None:
        inner["time_limit"] = seconds
    return {"scipy_options": inner}


# OSQP is left out: after other solvers ran in the same process it can crash it (osqp 1.1.3), and it takes
# a linear program for a degenerate quadratic one.
SOLVERS = (
    _Solver(
        "clarabel",
        "clarabel",
        _timed("time_limit"),
        {"max_iter": "stop after this many iterations", "tol_gap_rel": "relative duality gap (default 1e-8)"},
        cones=True,  # whose points are only as good as the square root of the gap
        cone_defaults={"tol_gap_rel": 1e-12, "tol_gap_abs": 1e-12, "tol_feas": 1e-12},
    ),
    _Solver(
        "highs",
        "highspy",
        _highs,
        {
            "threads": "number of threads; resets the thread scheduler that the whole process shares",
            "presolve": '"on", "off" or "choose"',
            "random_seed": "integer seed",
            "mip_max_improving_sols": "stop after this many improving solutions",
            "mip_max_nodes": "stop after this many branch-and-bound nodes",
            "simplex_iteration_limit": "stop after this many simplex iterations",
        },
        integers=True,
        highs=True,
    ),
    _Solver(
        "scipy",
        "scipy",
        _scipy,
        {"presolve": "True or False"},
        integers=True,
        highs=True,
    ),
    _Solver(
        "scs",
        "scs",
        _timed("time_limit_secs"),
        {
            "max_iters": "stop after this many iterations (default 20000)",
            "eps_abs": "absolute tolerance (default 1e-8)",
            "eps_rel": "relative tolerance (default 1e-8)",
        },
        cones=True,
        tolerance=1e-6,
        defaults={"max_iters": 20_000, "eps_abs": 1e-8, "eps_rel": 1e-8},
    ),
)


def _model(program: LinearProgram) -> tuple[Any, Any, Callable[[], Any]]:
    """The CVXPY problem, its variable, and a function that collects the row duals."""
    import cvxpy

    whole = program.integrality
    some = (np.flatnonzero(whole),) if whole.any() and not whole.all() else bool(whole.any())
    x = cvxpy.Variable(program.n, integer=some, bounds=list(program.box()))
    rows = one_sided(program)
    constraints = []
    below = equal = None
    if len(rows.at_most):
        below = rows.below @ x <= rows.at_most
        constraints.append(below)
    if len(rows.equals):
        equal = rows.equal @ x == rows.equals
        constraints.append(equal)
    goal = cvxpy.Maximize if program.maximise else cvxpy.Minimize
    sign = 1.0 if program.maximise else -1.0

    def duals() -> Any:
        parts = []
        for constraint, size in ((below, len(rows.at_most)), (equal, len(rows.equals))):
            value = None if constraint is None else constraint.dual_value
            if constraint is not None and value is None:
                return None
            parts.append(np.zeros(size) if value is None else sign * np.reshape(value, size))
        return rows.duals(*parts)

    return cvxpy.Problem(goal(program.costs @ x), constraints), x, duals


def _answer(program: LinearProgram, status: str, x: Any, duals: Any, value: Any, limit: str) -> Answer:
    point = None if x is None else np.asarray(x, dtype=np.float64)
    integer = bool(program.integrality.any())
    if status == "optimal":
        return Answer(Status.OPTIMAL, point, float(value), float(value), None if integer else duals)
    if status in ("user_limit", "optimal_inaccurate"):
        return at_limit(program, point, limit)
    kinds = {
        "infeasible": Status.INFEASIBLE,
        "unbounded": Status.UNBOUNDED,
        "infeasible_or_unbounded": Status.INFEASIBLE_OR_UNBOUNDED,
    }
    if status in kinds:
        ray = duals if status == "infeasible" and not integer else None
        return Answer(kinds[status], ray=ray)
    if status.endswith("_inaccurate"):
        return Answer(Status.NO_SOLUTION, reason=f"{limit}; {status.replace('_', ' ')} so far")
    return Answer(Status.ERROR, reason=f"CVXPY status {status!r}")


def _run(solver: _Solver, program: LinearProgram, seconds: float | None, options: dict[str, Any]) -> Answer:
    began = time.perf_counter()
    problem, x, duals = _model(program)
    if seconds is not None:  # building the model counts
        seconds = max(1e-3, seconds - (time.perf_counter() - began))
    given = solver.settings({**solver.defaults, **options}, seconds, program)
    failure, limit = _called(solver, problem, given, seconds)
    return failure or _answer(program, str(problem.status), x.value, duals(), problem.value, limit)


def _called(
    solver: _Solver, problem: Any, given: dict[str, Any], seconds: float | None
) -> tuple[Answer | None, str]:
    """Solve a CVXPY problem in place: what went wrong, if anything, and the limit that may have ended it."""
    import cvxpy

    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "may be inaccurate": said again, and better, by the checks
        try:
            problem.solve(solver=solver.name.upper(), verbose=False, **given)
        except cvxpy.error.SolverError as error:
            if seconds is not None and time.perf_counter() - started >= 0.9 * seconds:
                return Answer(Status.NO_SOLUTION, reason=TIME_LIMIT), ""
            return Answer(Status.ERROR, reason=f"CVXPY: {' '.join(str(error).split())}"), ""
        except (TypeError, ValueError) as error:
            return Answer(Status.ERROR, reason=f"{solver.name} refused the model or an option: {error}"), ""
    timed_out = seconds is not None and time.perf_counter() - started >= 0.9 * seconds
    return None, TIME_LIMIT if timed_out else "iteration, node or solution limit"


def _fit(
    solver: _Solver, problem: OrderedBradleyTerry, seconds: float | None, options: dict[str, Any]
) -> Answer:
    """An ordered Bradley–Terry fit over exponential cones."""
    began = time.perf_counter()
    program, theta, order, scale = conic.model(problem)
    if seconds is not None:
        seconds = max(1e-3, seconds - (time.perf_counter() - began))
    given = solver.settings({**solver.defaults, **solver.cone_defaults, **options}, seconds, None)
    failure, limit = _called(solver, program, given, seconds)
    status = str(program.status)
    if failure or theta.value is None or status not in ("optimal", "optimal_inaccurate", "user_limit"):
        return failure or Answer(Status.NO_SOLUTION, reason=f"{limit}; CVXPY status {status!r}")
    duals = None if order is None or order.dual_value is None else -scale * np.reshape(order.dual_value, -1)
    value = -scale * float(program.value)
    done = status == "optimal"
    if status == "optimal_inaccurate" and not solver.tolerance and limit != TIME_LIMIT:
        done = True  # an interior-point method at the end of its precision; the certificate tells the rest
    return Answer(
        Status.OPTIMAL if done else Status.FEASIBLE,
        np.asarray(theta.value, dtype=np.float64),
        value,
        value if done else None,
        duals,
        reason="" if done else limit,
    )


def _solve_with(solver: _Solver) -> Callable[..., Answer]:
    def solve(problem: Problem, time_limit: float | None, **options: Any) -> Answer:
        import cvxpy  # noqa: F401  # seconds of import, which no time limit is meant for

        def run(program: LinearProgram, seconds: float | None) -> Answer:
            return _run(solver, program, seconds, options)

        if isinstance(problem, OrderedBradleyTerry):
            return _fit(solver, problem, time_limit, options)
        with fresh_threads("threads" in options):
            return solve_by(run, problem, time_limit)

    return solve


def _refuser(solver: _Solver) -> Callable[[Any], str]:
    def refuses(problem: Problem) -> str:
        if isinstance(problem, CoveringProgram):
            return too_large(problem, f"cvxpy-{solver.name}")
        if isinstance(problem, OrderedBradleyTerry):
            return conic.refuses(problem)
        if not isinstance(problem, LinearProgram):
            return ""
        if not solver.integers and problem.integrality.any():
            whole = int(problem.integrality.sum())
            return f"{whole} integer columns; {solver.name} takes continuous ones only."
        return too_small(problem) if solver.highs else ""

    return refuses


def _limits(solver: _Solver) -> str:
    if solver.highs:
        return "|integers| below 1e15; matrix entries from 1e-9"
    return "no integer columns" + ("; first-order method, approximate" if solver.tolerance else "")


def _problems(solver: _Solver) -> tuple[type, ...]:
    if solver.integers:
        return CoveringProgram, LinearProgram
    return (LinearProgram, OrderedBradleyTerry) if solver.cones else (LinearProgram,)


BACKENDS = tuple(
    Backend(
        name=f"cvxpy-{solver.name}",
        problems=_problems(solver),
        solve=_solve_with(solver),
        options=solver.options,
        requires=("cvxpy", solver.module),
        install=f"pip install cvxpy {solver.module}",
        refuses=_refuser(solver),
        limits=_limits(solver),
        tolerance=solver.tolerance,
    )
    for solver in SOLVERS
)
