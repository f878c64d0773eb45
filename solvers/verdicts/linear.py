"""Linear and mixed-integer programs: violations and weak-duality bounds in rationals."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer
from solvers.errors import SolverError
from solvers.exact import linear_bound, out_of_reach
from solvers.problems import LinearProgram
from solvers.solution import Status
from solvers.verdicts.facts import POINTLESS, TOLERANCE, Facts, near_integers, refuted, usable_duals


def _candidates(duals: npt.NDArray[np.float64]) -> list[list[Fraction]]:
    """The duals as they are and their simplest neighbours: data of few digits have simple duals."""
    raw = [Fraction(v) for v in duals.tolist()]
    return [raw, *([v.limit_denominator(d) for v in raw] for d in (1000, 10**6))]


def _integral_objective(program: LinearProgram) -> bool:
    moving = program.costs != 0
    return bool(program.integrality[moving].all() and (program.costs == np.rint(program.costs)).all())


def _linear_bounds(
    program: LinearProgram, duals: npt.NDArray[np.float64]
) -> tuple[Fraction | None, Fraction | None]:
    """Best exact bound, and the value the duals support when tiny reduced costs are forgiven."""
    exact: list[Fraction] = []
    for y in _candidates(duals):
        value = linear_bound(program, y)
        if value is not None:
            exact.append(value)
    scale: Fraction = 1 + Fraction(float(np.abs(program.costs).max(initial=0.0)))
    near = linear_bound(program, [Fraction(v) for v in duals.tolist()], TOLERANCE * scale)
    if not exact:
        return None, near
    best = min(exact) if program.maximise else max(exact)
    if _integral_objective(program):
        best = Fraction(math.floor(best) if program.maximise else math.ceil(best))
    if near is None:
        return best, best
    return best, min(best, near) if program.maximise else max(best, near)


def _infeasible_by(program: LinearProgram, ray: npt.NDArray[np.float64]) -> bool:
    """True if a combination of the rows has no value within the column bounds."""
    empty = LinearProgram(
        np.zeros(program.n),
        program.matrix,
        program.row_lower,
        program.row_upper,
        program.lower,
        program.upper,
    )
    bounds = [linear_bound(empty, y) for sign in (1.0, -1.0) for y in _candidates(sign * ray)]
    return any(b is not None and b > 0 for b in bounds)


def _within_rounding(program: LinearProgram, x: npt.NDArray[np.float64]) -> bool:
    """True if a continuous program's rows are violated by no more than a relative error in their terms.

    Back ends that report 8 digits miss a row of large terms by more than ``TOLERANCE``. Integer programs get
    no such grace: one unit among 10^12 decides.
    """
    if program.integrality.any():
        return False
    terms = abs(program.matrix) @ np.abs(x)
    slack = float(TOLERANCE) * (1 + terms)
    loose = replace(program, row_lower=program.row_lower - slack, row_upper=program.row_upper + slack)
    return loose.check(x) <= TOLERANCE * (1 + Fraction(float(np.abs(x).max(initial=0.0))))


def judge_linear(program: LinearProgram, answer: Answer) -> Facts:
    why = out_of_reach(program)
    if why:  # whatever was claimed
        return Facts(Status.INFEASIBLE, proven=True, reason=why)
    duals = usable_duals(answer, program.m)
    bound, near = (None, None)
    if duals is not None or program.m == 0:
        bound, near = _linear_bounds(program, np.zeros(program.m) if duals is None else duals)
    elif not program.costs.any():
        bound = near = Fraction(0)
    if answer.x is None or answer.status in POINTLESS or answer.status is Status.ERROR:
        if answer.status in (Status.OPTIMAL, Status.FEASIBLE):
            return Facts(Status.ERROR, bound=bound, reason=refuted(answer, "no point came with it"))
        proven = (
            answer.status is Status.INFEASIBLE
            and answer.ray is not None
            and np.shape(answer.ray) == (program.m,)
            and bool(np.isfinite(answer.ray).all())
            and _infeasible_by(program, answer.ray)
        )
        return Facts(answer.status, proven=proven, reason=answer.reason)
    try:
        x = np.array(answer.x, dtype=np.float64)
        near_x = near_integers(x)
        x = np.where(program.integrality, near_x, x) if x.shape == (program.n,) else x
        violation = program.check(x)
    except SolverError as error:
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, str(error)))
    scale = 1 + Fraction(float(np.abs(x).max(initial=0.0)))
    if violation > TOLERANCE * scale and not _within_rounding(program, x):
        why = f"its point violates a constraint by {float(violation):.6g}"
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, why))
    value = program.objective(x)
    if violation == 0 and bound == value:
        return Facts(Status.OPTIMAL, x, value, bound, True, duals=duals)
    if answer.status is Status.FEASIBLE:
        return Facts(Status.FEASIBLE, x, value, bound, reason=answer.reason, duals=duals)
    if near is not None and abs(value - near) <= TOLERANCE * (1 + abs(value)):
        return Facts(Status.OPTIMAL, x, value, bound, reason="optimal within tolerance", duals=duals)
    held = "none" if bound is None else f"{float(bound):.12g}"
    why = f"optimality is claimed at {float(value):.12g}; the bound its duals prove is {held}"
    return Facts(Status.FEASIBLE, x, value, bound, reason=why, duals=duals)
