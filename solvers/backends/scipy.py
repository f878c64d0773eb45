"""scipy.optimize: ``linprog`` for linear programs, ``milp`` where columns are integers.

Both run the HiGHS that scipy carries inside, which shares nothing with highspy. Marginals are derivatives of
the minimum with respect to the right-hand sides as passed, so rows turned around, and maximisation, change
their sign back.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from solvers.backends.base import Answer, Backend, Problem
from solvers.mixed import TIME_LIMIT, at_limit, presolves, solve_by, too_large, too_small
from solvers.problems import CoveringProgram, LinearProgram
from solvers.rows import one_sided
from solvers.solution import Status

OPTIONS = {
    "presolve": "True or False",
    "node_limit": "stop after this many branch-and-bound nodes (integer columns only)",
    "maxiter": "stop after this many simplex or interior-point iterations (continuous columns only)",
    "method": '"highs", "highs-ds" or "highs-ipm" (continuous columns only)',
}
INTEGER_ONLY = ("node_limit",)
CONTINUOUS_ONLY = ("maxiter", "method")


def refuses(problem: Problem) -> str:
    """Why scipy's HiGHS would not solve the problem as stated; empty if it does."""
    if isinstance(problem, CoveringProgram):
        return too_large(problem, "scipy")
    return too_small(problem) if isinstance(problem, LinearProgram) else ""


def _failed(result: Any) -> Answer:
    message = " ".join(str(result.message).split())
    if result.status == 2:
        return Answer(Status.INFEASIBLE)
    if result.status == 3:
        return Answer(Status.UNBOUNDED)
    if "unbounded or infeasible" in message.lower() or "infeasible or unbounded" in message.lower():
        return Answer(Status.INFEASIBLE_OR_UNBOUNDED)
    return Answer(Status.ERROR, reason=message)


def _limit(result: Any) -> str:
    """The limit that stopped scipy, in words; empty if none did. Its status 4 hides a solution limit."""
    message = str(result.message).lower()
    if result.status == 1 or "limit reached" in message:
        return TIME_LIMIT if "time" in message else "iteration, node or solution limit"
    return ""


def _linprog(program: LinearProgram, options: dict[str, Any]) -> Answer:
    import scipy.optimize

    linprog: Any = scipy.optimize.linprog  # its stubs know no sparse matrices
    sign = -1.0 if program.maximise else 1.0
    rows = one_sided(program)
    result = linprog(
        sign * program.costs,
        A_ub=rows.below if len(rows.at_most) else None,
        b_ub=rows.at_most if len(rows.at_most) else None,
        A_eq=rows.equal if len(rows.equals) else None,
        b_eq=rows.equals if len(rows.equals) else None,
        bounds=np.column_stack([program.lower, program.upper]),
        method=options.pop("method", "highs"),
        options=options,
    )
    limit = _limit(result)
    if limit:
        return at_limit(program, result.x, limit)
    if result.status != 0:
        return _failed(result)
    duals = rows.duals(sign * result.ineqlin.marginals, sign * result.eqlin.marginals)
    value = sign * float(result.fun)
    return Answer(Status.OPTIMAL, np.asarray(result.x), value, value, duals)


def _milp(program: LinearProgram, options: dict[str, Any]) -> Answer:
    import scipy.optimize
    from scipy.optimize import Bounds, LinearConstraint

    milp: Any = scipy.optimize.milp
    sign = -1.0 if program.maximise else 1.0
    rows = [LinearConstraint(program.matrix, program.row_lower, program.row_upper)] if program.m else []
    result = milp(
        sign * program.costs,
        integrality=program.integrality.astype(int),
        bounds=Bounds(*program.box()),
        constraints=rows,
        options={"mip_rel_gap": 0.0, **options},
    )
    bound = None if result.mip_dual_bound is None else sign * float(result.mip_dual_bound)
    limit = _limit(result)
    if limit:
        return replace(at_limit(program, result.x, limit), bound=bound)
    if result.status != 0:
        return _failed(result)
    return Answer(Status.OPTIMAL, np.asarray(result.x), sign * float(result.fun), bound)


def solve(problem: Problem, time_limit: float | None, **options: Any) -> Answer:
    """Solve with scipy; see :data:`OPTIONS` for what ``options`` may hold."""

    def run(program: LinearProgram, seconds: float | None) -> Answer:
        integer = bool(program.integrality.any())
        other = CONTINUOUS_ONLY if integer else INTEGER_ONLY
        given = {name: value for name, value in options.items() if name not in other}
        given.setdefault("presolve", presolves(program))
        if seconds is not None:
            given["time_limit"] = seconds
        try:
            return _milp(program, given) if integer else _linprog(program, given)
        except (TypeError, ValueError) as error:
            return Answer(Status.ERROR, reason=f"scipy refused the model or an option: {error}")

    return solve_by(run, problem, time_limit)


BACKEND = Backend(
    name="scipy",
    problems=(CoveringProgram, LinearProgram),
    solve=solve,
    options=OPTIONS,
    requires=("scipy",),
    install="pip install scipy",
    refuses=refuses,
    limits="|integers| below 1e15; matrix entries from 1e-9",
)
