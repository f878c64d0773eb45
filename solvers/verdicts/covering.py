"""Covering programs: feasibility counted in integers, the bound recomputed from multipliers and tree."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from solvers.backends.base import Answer
from solvers.covering.canonical import canonical
from solvers.covering.subproblem import holds, is_plain
from solvers.errors import SolverError
from solvers.exact import best_multipliers, multipliers, shortfall
from solvers.problems import CoveringProgram
from solvers.solution import Multipliers, Status
from solvers.verdicts.facts import POINTLESS, Facts, near_integers, refuted, usable_duals

LARGEST_RATIO = 1 << 1000
"""Multipliers are shown as float64 duals too."""
LARGEST_BITS = 1 << 16
"""Integers longer than this prove nothing that shorter ones do not, and take long to multiply."""


def _given(program: CoveringProgram, answer: Answer) -> tuple[list[int], int] | None:
    """The integer multipliers of an answer; None if that is not what they are."""
    try:
        p, q = answer.multipliers or ((), 0)
        listed = [*p, q]
    except (TypeError, ValueError):
        return None
    if len(listed) != program.m + 1 or not all(
        isinstance(v, int | np.integer) and not isinstance(v, bool) for v in listed
    ):
        return None
    *weights, q = map(int, listed)
    if q < 1 or q.bit_length() > LARGEST_BITS or not all(0 <= w <= LARGEST_RATIO * q for w in weights):
        return None
    return weights, q


def _suggested(program: CoveringProgram, answer: Answer) -> Multipliers:
    given = _given(program, answer)
    if given is not None:
        return multipliers(program, *given)
    duals = usable_duals(answer, program.m)
    return best_multipliers(program, np.zeros(program.m) if duals is None else duals)


def judge_covering(program: CoveringProgram, answer: Answer) -> Facts:
    row = shortfall(program)
    if row is not None:
        why = (
            f"constraint {row} asks for {int(program.demands[row])}, all {program.n} columns together "
            f"give {program.totals[row]}"
        )
        return Facts(Status.INFEASIBLE, proven=True, reason=why)
    dual = _suggested(program, answer)
    if dual.numerator < 0:
        dual = multipliers(program, [0] * program.m, 1)
    duals = np.array([float(Fraction(pj, dual.q)) for pj in dual.p])
    tree = answer.tree
    if tree is not None and not (is_plain(tree) and tree.target >= dual.bound and holds(program, dual, tree)):
        tree = None
    bound = dual.bound if tree is None else tree.target + 1
    known = Facts(Status.ERROR, bound=bound, duals=duals, multipliers=dual, tree=tree, reason=answer.reason)
    if answer.x is None and answer.status in (Status.NO_SOLUTION, Status.ERROR):
        return replace(known, status=answer.status)
    if answer.x is None:
        return replace(known, reason=refuted(answer, "a feasible point exists and none was returned"))
    if answer.status in POINTLESS:
        return replace(known, reason=refuted(answer, "a point came with it"))
    try:
        x = program.mask(near_integers(answer.x))
        violation = program.check(x)
    except (SolverError, TypeError, ValueError) as error:
        return replace(known, reason=refuted(answer, str(error)))
    if violation:
        return replace(known, reason=refuted(answer, f"a constraint is {violation} short at its point"))
    x, _ = canonical(program, dual, x)
    size = int(x.sum())
    known = replace(known, status=Status.FEASIBLE, x=x, objective=size)
    if size == bound:
        return replace(known, status=Status.OPTIMAL, proven=True, reason="")
    if answer.status is not Status.FEASIBLE:
        why = f"optimality is claimed, the proven bound is {bound} against {size}"
        return replace(known, reason=why)
    return known
