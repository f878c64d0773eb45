"""The exact layer every answer passes through: claims in, checked solutions out.

Whatever a back end returns, the objective is recomputed from x, feasibility is checked in integers or
rationals, the bound is recomputed from the duals, and the status is the one those facts support.
"""

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer, Problem
from solvers.covering.canonical import canonical
from solvers.errors import SolverError
from solvers.exact import best_multipliers, linear_bound, multipliers, shortfall
from solvers.problems import CoveringProgram, LinearProgram
from solvers.solution import Claim, Multipliers, Solution, Status

NEAR_INTEGER = 1e-5
"""Solvers return 0.9999999 for 1; entries this close are rounded and then counted in integers."""
TOLERANCE = Fraction(1, 10**6)
"""Relative violation and gap up to which a continuous optimum counts as one (``proven`` needs zero)."""
POINTLESS = (Status.NO_SOLUTION, Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)


@dataclass(frozen=True, slots=True, eq=False)
class _Facts:
    """What exact arithmetic established about an answer."""

    status: Status
    x: npt.NDArray[Any] | None = None
    objective: int | Fraction | None = None
    bound: int | Fraction | None = None
    proven: bool = False
    reason: str = ""
    duals: npt.NDArray[np.float64] | None = None
    multipliers: Multipliers | None = None


def judge(problem: Problem, answer: Answer, backend: str, began: float) -> Solution:
    """The Solution that exact checks leave of an answer; ``began`` is the perf_counter at the start."""
    facts = (
        _judge_covering(problem, answer)
        if isinstance(problem, CoveringProgram)
        else _judge_linear(problem, answer)
    )
    return Solution(
        status=facts.status,
        x=facts.x,
        objective=facts.objective,
        bound=facts.bound,
        duals=facts.duals,
        proven=facts.proven,
        backend=backend,
        seconds=time.perf_counter() - began,
        claimed=Claim(answer.status, answer.objective, answer.bound),
        reason=facts.reason,
        multipliers=facts.multipliers,
    )


def _duals(answer: Answer, m: int) -> npt.NDArray[np.float64] | None:
    if answer.duals is None:
        return None
    duals = np.asarray(answer.duals, dtype=np.float64)
    return duals if duals.shape == (m,) and bool(np.isfinite(duals).all()) else None


def _suggested(program: CoveringProgram, answer: Answer) -> Multipliers:
    if answer.multipliers is not None:
        p, q = answer.multipliers
        if q >= 1 and len(p) == program.m and all(pj >= 0 for pj in p):
            return multipliers(program, [int(pj) for pj in p], int(q))
    duals = _duals(answer, program.m)
    return best_multipliers(program, np.zeros(program.m) if duals is None else duals)


def _judge_covering(program: CoveringProgram, answer: Answer) -> _Facts:
    row = shortfall(program)
    if row is not None:
        why = (
            f"constraint {row} asks for {int(program.demands[row])}, all {program.n} columns together "
            f"give {program.totals[row]}"
        )
        return _Facts(Status.INFEASIBLE, proven=True, reason=why)
    dual = _suggested(program, answer)
    if dual.numerator < 0:
        dual = multipliers(program, [0] * program.m, 1)
    duals = np.array([float(Fraction(pj, dual.q)) for pj in dual.p])
    known = _Facts(Status.ERROR, bound=dual.bound, duals=duals, multipliers=dual, reason=answer.reason)
    if answer.x is None and answer.status in (Status.NO_SOLUTION, Status.ERROR):
        return replace(known, status=answer.status)
    if answer.x is None:
        return replace(known, reason=_refuted(answer, "a feasible point exists and none was returned"))
    if answer.status in POINTLESS:
        return replace(known, reason=_refuted(answer, "a point came with it"))
    try:
        x = program.mask(_near_integers(answer.x))
        violation = program.check(x)
    except SolverError as error:
        return replace(known, reason=_refuted(answer, str(error)))
    if violation:
        return replace(known, reason=_refuted(answer, f"a constraint is {violation} short at its point"))
    x, _ = canonical(program, dual, x)
    size = int(x.sum())
    known = replace(known, status=Status.FEASIBLE, x=x, objective=size)
    if size == dual.bound:
        return replace(known, status=Status.OPTIMAL, proven=True, reason="")
    if answer.status is not Status.FEASIBLE:
        why = f"optimality is claimed, the proven bound is {dual.bound} against {size}"
        return replace(known, reason=why)
    return known


def _near_integers(x: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array = np.asarray(x)
    if array.dtype.kind != "f":
        return array
    near = np.rint(array)
    return np.where(np.abs(array - near) <= NEAR_INTEGER, near, array)


def _refuted(answer: Answer, why: str) -> str:
    return f"the back end claims {answer.status.value!r}; refuted: {why}"


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


def _crossed(program: LinearProgram) -> bool:
    """True if some lower bound exceeds its upper bound, or no integer lies between them."""
    lower, upper = program.box()
    return bool((lower > upper).any() or (program.row_lower > program.row_upper).any())


def _judge_linear(program: LinearProgram, answer: Answer) -> _Facts:
    if _crossed(program):  # whatever was claimed
        return _Facts(Status.INFEASIBLE, proven=True, reason="a lower bound exceeds an upper one")
    duals = _duals(answer, program.m)
    bound, near = (None, None)
    if duals is not None or program.m == 0:
        bound, near = _linear_bounds(program, np.zeros(program.m) if duals is None else duals)
    elif not program.costs.any():
        bound = near = Fraction(0)
    if answer.x is None or answer.status in POINTLESS or answer.status is Status.ERROR:
        if answer.status in (Status.OPTIMAL, Status.FEASIBLE):
            return _Facts(Status.ERROR, bound=bound, reason=_refuted(answer, "no point came with it"))
        proven = (
            answer.status is Status.INFEASIBLE
            and answer.ray is not None
            and np.shape(answer.ray) == (program.m,)
            and bool(np.isfinite(answer.ray).all())
            and _infeasible_by(program, answer.ray)
        )
        return _Facts(answer.status, proven=proven, reason=answer.reason)
    try:
        x = np.array(answer.x, dtype=np.float64)
        near_x = _near_integers(x)
        x = np.where(program.integrality, near_x, x) if x.shape == (program.n,) else x
        violation = program.check(x)
    except SolverError as error:
        return _Facts(Status.ERROR, bound=bound, reason=_refuted(answer, str(error)))
    scale = 1 + Fraction(float(np.abs(x).max(initial=0.0)))
    if violation > TOLERANCE * scale:
        why = f"its point violates a constraint by {float(violation):.6g}"
        return _Facts(Status.ERROR, bound=bound, reason=_refuted(answer, why))
    value = program.objective(x)
    if violation == 0 and bound == value:
        return _Facts(Status.OPTIMAL, x, value, bound, True, duals=duals)
    if answer.status is Status.FEASIBLE:
        return _Facts(Status.FEASIBLE, x, value, bound, reason=answer.reason, duals=duals)
    if near is not None and abs(value - near) <= TOLERANCE * (1 + abs(value)):
        return _Facts(Status.OPTIMAL, x, value, bound, reason="optimal within tolerance", duals=duals)
    held = "none" if bound is None else f"{float(bound):.12g}"
    why = f"optimality is claimed at {float(value):.12g}; the bound its duals prove is {held}"
    return _Facts(Status.FEASIBLE, x, value, bound, reason=why, duals=duals)
