"""Run cases through a back end and judge what comes back against the known answer.

Two questions are kept apart. Is anything stated that is false (:func:`falsehood`)? That must never happen,
whatever the back end does. Was the job done (:func:`shortcoming`)? That is asked of honest back ends.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from solvers import LinearProgram, MaximumClique, OrderedBradleyTerry, Solution, SolverError, Status, solve
from solvers.backends import registered
from solvers.solve import refusal

from .case import Case
from .cases import CASES

TOLERANCE = Fraction(1, 10**5)
"""Relative error allowed in an optimum that is not proven."""
GRACE = 8.0
"""Seconds beyond a time limit, for building models and slow machines."""

EXCLUSIONS: dict[tuple[str, str], str] = {}
"""(back end, case) → why the back end need not do this job; it must still state nothing false."""


@dataclass(frozen=True)
class Result:
    """Outcome of one case: "refused", "excluded" and "fail" come with a reason."""

    backend: str
    case: str
    outcome: Literal["pass", "refused", "excluded", "fail"]
    reason: str = ""


def _is_integer(problem: Any) -> bool:
    if isinstance(problem, LinearProgram):
        return bool(problem.integrality.all())
    return not isinstance(problem, OrderedBradleyTerry)


def _maximises(problem: Any) -> bool:
    if isinstance(problem, MaximumClique | OrderedBradleyTerry):
        return True
    return bool(getattr(problem, "maximise", False))


def _near(a: Fraction | float, b: Fraction | float) -> bool:
    return abs(Fraction(a) - Fraction(b)) <= TOLERANCE * (1 + abs(Fraction(b)))


def _false_point(problem: Any, solution: Solution) -> str:
    if solution.x is None:
        return "" if solution.objective is None else "an objective without a point"
    x = np.asarray(solution.x)
    if x.shape != (problem.n,):
        return f"a point of shape {x.shape}"
    violation = problem.check(x)
    size = float(np.abs(x).max(initial=0.0))
    if isinstance(problem, LinearProgram) and not problem.integrality.any():
        size += float((abs(problem.matrix) @ np.abs(x)).max(initial=0.0))
    if violation > (0 if _is_integer(problem) else TOLERANCE * (1 + Fraction(size))):
        return f"a point that violates a constraint by {float(violation):g}"
    if isinstance(problem, OrderedBradleyTerry):  # a logarithm has no exact value: its lower end is stated
        low, _ = problem.enclosure(x)
        return "" if low == solution.objective else f"objective {solution.objective}, the point has {low}"
    costs = getattr(problem, "costs", np.ones(problem.n))
    value = sum(
        (Fraction(c) * Fraction(v) for c, v in zip(costs.tolist(), x.tolist(), strict=True)), Fraction(0)
    )
    return "" if value == solution.objective else f"objective {solution.objective}, the point has {value}"


def _false_duals(case: Case, solution: Solution) -> str:
    truth, duals = case.expected.duals, solution.duals
    if solution.status is not Status.OPTIMAL or truth is None or duals is None:
        return ""
    same = np.allclose(duals, truth, rtol=1e-4, atol=1e-4)
    return "" if same else f"duals {duals.tolist()}, true are {list(truth)}"


def falsehood(case: Case, problem: Any, solution: Solution) -> str:
    """What a solution states that is not true; empty if everything holds."""
    truth = case.expected
    status, bound = solution.status, solution.bound
    wrong = _false_point(problem, solution)
    if wrong:
        return wrong
    if status in (Status.OPTIMAL, Status.FEASIBLE) and solution.x is None:
        return f"{status.value}, but no point"
    if status in (Status.NO_SOLUTION, Status.INFEASIBLE, Status.UNBOUNDED) and solution.x is not None:
        return f"{status.value}, but a point"
    if status is Status.OPTIMAL:
        if truth.optimum is None:
            return "optimal, though there is no optimum"
        exact = _is_integer(problem) or solution.proven
        same = solution.objective == truth.optimum if exact else _near(solution.objective, truth.optimum)
        if not same:
            return f"optimal at {solution.objective}, the optimum is {truth.optimum}"
    if solution.proven and status is not truth.status:
        return f"{status.value} proven, true is {truth.status.value}"
    if status in (Status.INFEASIBLE, Status.UNBOUNDED) and status is not truth.status:
        return f"{status.value}, true is {truth.status.value}"
    if status is Status.INFEASIBLE_OR_UNBOUNDED and truth.status is Status.OPTIMAL:
        return "infeasible or unbounded, though there is an optimum"
    if bound is not None and truth.status is Status.UNBOUNDED:
        return f"a bound of {bound} on an unbounded problem"
    if bound is not None and truth.optimum is not None:
        above = bound - truth.optimum if not _maximises(problem) else truth.optimum - bound
        if above > 0:
            return f"bound {bound} lies beyond the optimum {truth.optimum}"
    return _false_duals(case, solution)


def shortcoming(case: Case, problem: Any, solution: Solution) -> str:
    """What an honest back end should have delivered and did not; empty if the job is done."""
    truth = case.expected
    if case.limit is not None and solution.seconds > case.limit + GRACE:
        return f"{solution.seconds:.1f} s with a time limit of {case.limit:g} s"
    if case.stops:
        if solution.status not in (Status.FEASIBLE, Status.NO_SOLUTION):
            return f"{solution.status.value} after a limit"
        return "" if "limit" in solution.reason else f"the limit is not named: {solution.reason!r}"
    if truth.status is Status.UNBOUNDED and solution.status is Status.INFEASIBLE_OR_UNBOUNDED:
        return ""
    bracket = case.name.startswith("covering") and not case.proof
    if bracket and solution.status is Status.FEASIBLE and solution.objective == truth.optimum:
        return ""  # the optimum is found; its proof may need more than duals
    if solution.status is not truth.status and not (
        solution.status is Status.FEASIBLE
        and isinstance(problem, LinearProgram)
        and problem.integrality.any()
        and solution.objective is not None
        and _near(solution.objective, truth.optimum or 0)
    ):
        return f"{solution.status.value} instead of {truth.status.value}: {solution.reason}"
    if case.proof and not solution.proven:
        return "not proven"
    x = None if solution.x is None else np.asarray(solution.x, dtype=float)
    if truth.x is not None and x is not None and not np.allclose(x, truth.x, rtol=1e-4, atol=1e-4):
        return f"x = {x}, the only optimum is {truth.x}"
    if truth.status is Status.OPTIMAL and truth.duals is not None and solution.duals is None:
        return "no duals"
    return ""


@contextmanager
def captured_output() -> Iterator[list[bytes]]:
    """Collect what reaches file descriptor 1 during the block, from Python or native code."""
    said: list[bytes] = []
    sys.stdout.flush()
    saved = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield said
            sys.stdout.flush()
        finally:
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            said.append(file.read())


def check_case(name: str, case: Case) -> Result:
    """Run one case through the registered back end ``name``."""
    backend = registered()[name]
    problem = case.build()
    why = refusal(backend, problem)
    if why:
        return Result(name, case.name, "refused", why)
    try:
        with captured_output() as said:
            solution = solve(problem, name, time_limit=case.limit, **case.options.get(name, {}))
    except SolverError as error:
        return Result(name, case.name, "fail", f"refused only after it was asked: {error}")
    if any(said):
        return Result(name, case.name, "fail", f"standard output got {said[0][:80]!r}")
    wrong = falsehood(case, problem, solution)
    if wrong:
        return Result(name, case.name, "fail", f"false: {wrong}")
    excluded = EXCLUSIONS.get((name, case.name), "")
    missing = shortcoming(case, problem, solution)
    if missing:
        return Result(name, case.name, "excluded" if excluded else "fail", excluded or missing)
    return Result(name, case.name, "pass")


def check_backend(name: str, cases: list[Case] | None = None) -> list[Result]:
    """Run every case (or the given ones) through the registered back end ``name``; none is skipped."""
    return [check_case(name, case) for case in (CASES if cases is None else cases)]
