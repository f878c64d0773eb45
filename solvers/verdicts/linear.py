"""Linear and mixed-integer programs: violations and weak-duality bounds in rationals.

A continuous program is OPTIMAL within a relative ``TOLERANCE``. An integer program is so only if its
objective equals the bound to the last unit, where the objective has one, and never if it is better than the
bound: such a point owes its value to the constraints it misses.
"""

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
from solvers.verdicts.violations import violations

SMALLEST_UNIT = Fraction(1, 10**6)
"""Objectives that move in smaller steps, such as 0.1's 2^-55, count as continuous."""


def _candidates(duals: npt.NDArray[np.float64]) -> list[list[Fraction]]:
    """The duals as they are and their simplest neighbours: data of few digits have simple duals."""
    raw = [Fraction(v) for v in duals.tolist()]
    return [raw, *([v.limit_denominator(d) for v in raw] for d in (1000, 10**6))]


def _unit(program: LinearProgram) -> Fraction | None:
    """The largest number that divides every objective value at integer points; None if there is none."""
    moving = np.flatnonzero(program.costs)
    if not moving.size or not program.integrality[moving].all():
        return None
    costs = [Fraction(v) for v in program.costs[moving].tolist()]
    scale = math.lcm(*(c.denominator for c in costs))
    unit = Fraction(math.gcd(*(int(c * scale) for c in costs)), scale)
    return unit if unit >= SMALLEST_UNIT else None


def _rounded(program: LinearProgram, bound: Fraction) -> Fraction:
    """The bound moved to the next value the objective can have."""
    unit = _unit(program)
    if unit is None:
        return bound
    return unit * (math.floor(bound / unit) if program.maximise else math.ceil(bound / unit))


def _best(program: LinearProgram, bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    if not known:
        return None
    return min(known) if program.maximise else max(known)


def _linear_bounds(
    program: LinearProgram, duals: npt.NDArray[np.float64] | None
) -> tuple[Fraction | None, Fraction | None]:
    """Best exact bound, and the value the duals support when tiny reduced costs are forgiven."""
    found = [linear_bound(program, [Fraction(0)] * program.m)]
    near = None
    if duals is not None:
        found += [linear_bound(program, y) for y in _candidates(duals)]
        scale: Fraction = 1 + Fraction(float(np.abs(program.costs).max(initial=0.0)))
        near = linear_bound(program, [Fraction(v) for v in duals.tolist()], TOLERANCE * scale)
    best = _best(program, found)
    best = None if best is None else _rounded(program, best)
    return best, _best(program, [best, near])


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


def _read(program: LinearProgram, given: object) -> tuple[npt.NDArray[np.float64], list[Fraction]]:
    """A point as floats (n,), integer columns rounded where they nearly are integers, and as rationals.

    Raises:
        SolverError: if it is not a vector of n finite numbers.
    """
    try:
        x = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise SolverError(f"x cannot be read as numbers ({error}).") from error
    if x.shape == (program.n,):
        x = np.where(program.integrality, near_integers(x), x)
    return x, program.point(x)


def _feasible(program: LinearProgram, given: object) -> npt.NDArray[np.float64] | None:
    """A point that violates nothing at all; None if this is none."""
    try:
        x, point = _read(program, given)
    except SolverError:
        return None
    return x if violations(program, point).worst == 0 else None


def _pointless(program: LinearProgram, answer: Answer, bound: Fraction | None) -> Facts:
    """Claims that no point goes with."""
    error = Facts(Status.ERROR, bound=bound)
    if answer.status is Status.ERROR:
        return replace(error, reason=answer.reason)
    if answer.status not in POINTLESS:
        return replace(error, reason=refuted(answer, "no point came with it"))
    x = None if answer.x is None else _feasible(program, answer.x)
    if answer.status is Status.UNBOUNDED and bound is not None:
        why = f"no point is better than {_shown(bound)}"
        return replace(error, reason=refuted(answer, why))
    if answer.status is Status.INFEASIBLE and x is not None:
        return replace(
            error, reason=refuted(answer, "the point that came with it satisfies every constraint")
        )
    if x is not None and (answer.status is Status.NO_SOLUTION or bound is not None):
        said = answer.reason or f"the back end claims {answer.status.value!r}"
        return Facts(Status.FEASIBLE, x, program.objective(x), bound, reason=said)
    ray = answer.ray if answer.status is Status.INFEASIBLE else None
    proven = ray is not None and _proves(program, ray)
    return Facts(answer.status, bound=bound, proven=proven, reason=answer.reason)


def _proves(program: LinearProgram, ray: object) -> bool:
    try:
        weights = np.asarray(ray, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    good = weights.shape == (program.m,) and bool(np.isfinite(weights).all())
    return good and _infeasible_by(program, weights)


def _shown(value: Fraction | None) -> str:
    if value is None:
        return "none"
    try:
        return f"{float(value):.12g}"
    except OverflowError:
        return "beyond float64"


def _optimal(program: LinearProgram, value: Fraction, bound: Fraction | None, near: Fraction | None) -> bool:
    """True if an optimum is claimed rightly, for a point within its allowances."""
    if program.integrality.any():
        if _unit(program) is not None:
            return value == bound
        if bound is not None and (value > bound if program.maximise else value < bound):
            return False
    return near is not None and abs(value - near) <= TOLERANCE * (1 + abs(value))


def judge_linear(program: LinearProgram, answer: Answer) -> Facts:
    """What rationals make of the answer."""
    why = out_of_reach(program)
    if why:  # whatever was claimed
        return Facts(Status.INFEASIBLE, proven=True, reason=why)
    duals = usable_duals(answer, program.m)
    bound, near = _linear_bounds(program, duals)
    if answer.x is None or answer.status in POINTLESS or answer.status is Status.ERROR:
        return _pointless(program, answer, bound)
    try:
        x, point = _read(program, answer.x)
    except SolverError as error:
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, str(error)))
    found = violations(program, point)
    if found.refused:
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, found.refused))
    value = program.objective(x)
    missed = f"; a constraint is missed by {float(found.worst):.3g}" if found.worst else ""
    facts = Facts(Status.FEASIBLE, x, value, bound, reason=answer.reason + missed, duals=duals)
    if not found.worst and bound == value:
        return replace(facts, status=Status.OPTIMAL, proven=True, reason="")
    if answer.status is Status.FEASIBLE:
        return replace(facts, reason=(answer.reason + missed).removeprefix("; "))
    if _optimal(program, value, bound, near):
        return replace(facts, status=Status.OPTIMAL, reason=f"optimal within tolerance{missed}")
    why = f"optimality is claimed at {_shown(value)}; the bound its duals prove is {_shown(bound)}"
    return replace(facts, reason=why + missed)
