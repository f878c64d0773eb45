"""HiGHS through highspy: linear programs, mixed-integer programs, and covering programs as such.

Arrays are handed over once, column by column. Relative and absolute MIP gaps are zero, so that "optimal"
never means "within a ten-thousandth".
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer, Backend, Problem
from solvers.clique import mip
from solvers.exact import shortfall
from solvers.highs_model import load_covering, load_linear, outcome
from solvers.maximum_clique import MaximumClique
from solvers.mixed import Clock, nothing_to_search, too_large, too_small
from solvers.problems import CoveringProgram, LinearProgram
from solvers.quiet_highs import new_highs
from solvers.solution import Status

REFUSED = Answer(Status.ERROR, reason="HiGHS refused the model")

OPTIONS = {
    "threads": "number of threads; resets the thread scheduler that the whole process shares",
    "mip_max_nodes": "stop after this many branch-and-bound nodes",
    "mip_max_improving_sols": "stop after this many improving solutions",
    "simplex_iteration_limit": "stop after this many simplex iterations",
    "presolve": '"on", "off" or "choose"',
    "solver": '"choose", "simplex", "ipm" or "pdlp"',
    "random_seed": "integer seed",
}


def refuses(problem: Problem) -> str:
    """Why HiGHS would not solve the problem as stated; empty if it does."""
    if isinstance(problem, CoveringProgram):
        return too_large(problem, "highs")
    if isinstance(problem, MaximumClique):
        return mip.refuses(problem)
    return too_small(problem) if isinstance(problem, LinearProgram) else ""


def _answer(highs: Any, integer: bool, duals: npt.NDArray[np.float64] | None) -> Answer:
    status, reason = outcome(highs)
    info = highs.getInfo()
    solution = highs.getSolution()
    with_point = status in (Status.OPTIMAL, Status.FEASIBLE)
    x = np.array(solution.col_value) if with_point else None
    if not integer and status is Status.OPTIMAL:
        duals = np.array(solution.row_dual)
    bound = info.mip_dual_bound if integer else info.objective_function_value
    return Answer(
        status=status,
        x=x,
        objective=info.objective_function_value if with_point else None,
        bound=bound if with_point and abs(bound) < 1e30 else None,
        duals=duals,
        reason=reason,
    )


def _left(settings: dict[str, Any], clock: Clock) -> dict[str, Any]:
    """The settings with what the calls before have left of the time limit."""
    seconds = clock.left()
    return settings if seconds is None else {**settings, "time_limit": seconds}


def _told_apart(problem: LinearProgram, settings: dict[str, Any], clock: Clock, highs: Any) -> Any:
    """Run again without presolve where that tells infeasible from unbounded, or leaves a ray behind."""
    integer = bool(problem.integrality.any())
    status, _ = outcome(highs)
    if status is not Status.INFEASIBLE_OR_UNBOUNDED and (integer or status is not Status.INFEASIBLE):
        return highs
    if highs.getOptionValue("presolve")[1] == "off":
        return highs
    again = new_highs(**_left({**settings, "presolve": "off"}, clock))
    load_linear(again, problem)
    again.run()
    return again if outcome(again)[0] is not Status.NO_SOLUTION else highs


def _solve_linear(problem: LinearProgram, settings: dict[str, Any], clock: Clock) -> Answer:
    settled = nothing_to_search(problem)
    if settled is not None:
        return settled
    integer = bool(problem.integrality.any())
    duals = None
    if integer:  # the root relaxation's duals carry the bound that can be checked
        highs = new_highs(**_left(settings, clock))
        if not load_linear(highs, replace(problem, integrality=np.zeros(problem.n, dtype=np.bool_))):
            return REFUSED
        highs.run()
        if outcome(highs)[0] is Status.OPTIMAL:
            duals = np.array(highs.getSolution().row_dual)
    highs = new_highs(**_left(settings, clock))
    if not load_linear(highs, problem):
        return REFUSED
    highs.run()
    highs = _told_apart(problem, settings, clock, highs)
    answer = _answer(highs, integer, duals)
    if answer.status is Status.INFEASIBLE and not integer:
        found, has_ray, ray = _dual_ray(highs)
        if found and has_ray:
            return Answer(Status.INFEASIBLE, ray=ray)
    return answer


def _dual_ray(highs: Any) -> tuple[bool, bool, npt.NDArray[np.float64] | None]:
    status, has_ray, *rest = highs.getDualRay()
    return "kOk" in str(status), bool(has_ray), np.array(rest[0]) if has_ray and rest else None


def _solve_covering(problem: CoveringProgram, settings: dict[str, Any], clock: Clock) -> Answer:
    row = shortfall(problem)
    if row is not None:
        return Answer(Status.INFEASIBLE, reason=f"constraint {row} exceeds the sum of its gains")
    if problem.n == 0:
        return Answer(Status.OPTIMAL, x=np.zeros(0), objective=0.0, bound=0.0, duals=np.zeros(problem.m))
    gains, demands = problem.gains.astype(np.float64), problem.demands.astype(np.float64)
    highs = new_highs(**{"presolve": "off", **_left(settings, clock)})
    if not load_covering(highs, gains, demands, np.ones(problem.n), integer=False):
        return REFUSED
    highs.run()
    solved = outcome(highs)[0] is Status.OPTIMAL
    duals = np.array(highs.getSolution().row_dual) if solved else None
    highs = new_highs(**_left(settings, clock))
    load_covering(highs, gains, demands, np.ones(problem.n), integer=True)
    highs.run()
    return _answer(highs, True, duals)


def solve(problem: Problem, time_limit: float | None, **options: Any) -> Answer:
    """Solve with HiGHS; see :data:`OPTIONS` for what ``options`` may hold."""
    settings: dict[str, Any] = {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0, **options}
    if isinstance(problem, CoveringProgram):
        settings["mip_abs_gap"] = 0.999  # the objective counts columns: below one unit is none
    clock = Clock.start(time_limit)
    if isinstance(problem, CoveringProgram):
        return _solve_covering(problem, settings, clock)
    if isinstance(problem, MaximumClique):
        settings["mip_abs_gap"] = 0.999

        def run(program: LinearProgram, seconds: float | None) -> Answer:
            return _solve_linear(program, settings, Clock.start(seconds))

        return mip.solve_by(run, problem, time_limit)
    assert isinstance(problem, LinearProgram)
    return _solve_linear(problem, settings, clock)


BACKEND = Backend(
    name="highs",
    problems=(CoveringProgram, LinearProgram, MaximumClique),
    solve=solve,
    options=OPTIONS,
    requires=("highspy",),
    install="pip install highspy",
    quiet=True,
    refuses=refuses,
    limits="|integers| below 1e15; matrix entries from 1e-9",
)
