"""Ordered Bradley–Terry fits: a point repaired exactly, and a bracket of the optimum that no rounding harms.

The objective is concave, so f(s) ≤ f(x) + ∇f(x)·(s − x) for every feasible s: the largest value of the last
term (the Frank–Wolfe gap) bounds what is missing. It is a linear program, which is not solved here but
bounded through multipliers of the order, whoever suggests them. ``objective`` is a rational at most f(x),
``bound`` one that no feasible value exceeds. A logarithm equals no rational, so ``proven`` stays False unless
the two coincide; OPTIMAL means that they differ by at most ``TOLERANCE`` per comparison.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from solvers.backends import highs
from solvers.backends.base import Answer
from solvers.bradley_terry.enclosure import gradient, surplus
from solvers.bradley_terry.polytope import Groups, groups_of, repaired
from solvers.errors import SolverError
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import LinearProgram
from solvers.solution import Status
from solvers.verdicts.facts import POINTLESS, TOLERANCE, Facts, refuted, usable_duals

Reals = npt.NDArray[np.float64]


def allowance(problem: OrderedBradleyTerry) -> Fraction:
    """How far objective and bound may be apart in an optimum: ``TOLERANCE`` for every comparison."""
    return TOLERANCE * (Fraction(float(problem.wins.sum())) + Fraction(problem.ridge))


def _priced_by_lp(problem: OrderedBradleyTerry, groups: Groups, value: Reals) -> Reals | None:
    """Multipliers of the order from max value·s over the feasible set; a suggestion like any other."""
    size, rows = len(groups.sizes), len(groups.pairs)
    scale = float(np.abs(value).max())
    if scale == 0:
        return None
    matrix = np.zeros((rows + 1, size))
    at = np.arange(rows)
    matrix[at, groups.pairs[:, 0]] = 1.0
    matrix[at, groups.pairs[:, 1]] = -1.0
    matrix[rows] = groups.sizes
    program = LinearProgram(
        value / scale,
        matrix,
        row_lower=np.zeros(rows + 1),
        row_upper=np.append(np.full(rows, np.inf), 0.0),
        lower=np.full(size, -problem.box),
        upper=np.full(size, problem.box),
        maximise=True,
    )
    duals = highs.solve(program, None).duals
    return None if duals is None else np.maximum(0.0, -duals[:rows]) * scale


def _shared(problem: OrderedBradleyTerry, groups: Groups, prices: Reals) -> Reals:
    """Order multipliers of merged pairs (r,) as duals (m,) of the problem's; those within a cycle get 0."""
    duals = np.zeros(problem.m)
    proper = groups.source >= 0
    if proper.any():
        count = np.bincount(groups.source[proper], minlength=len(prices))
        duals[proper] = -(prices / count)[groups.source[proper]]
    return duals


def _certified(
    problem: OrderedBradleyTerry, groups: Groups, x: Reals, answer: Answer
) -> tuple[Fraction, Reals]:
    """The smallest surplus found, and the order multipliers that prove it."""
    own = gradient(problem.wins, problem.ridge, x)
    size, rows = len(groups.sizes), len(groups.pairs)

    def summed(parts: Reals) -> Reals:
        return np.bincount(groups.of, weights=parts, minlength=size).astype(np.float64)

    value, error, spread = summed(own[0]), summed(own[1]), summed(np.abs(own[0]))
    rounded = 2.0**-50 * float(groups.sizes.max())  # the sums over groups were rounded too
    error = (error + rounded * spread) * (1 + 2 * rounded)
    merged = np.empty(size)
    merged[groups.of] = x

    def tried(prices: Reals) -> Fraction:
        return surplus(value, error, merged, groups.sizes, problem.box, groups.pairs, prices)

    duals = usable_duals(answer, problem.m)
    prices = np.zeros(rows)
    if duals is not None and rows:
        proper = groups.source >= 0
        weights = np.clip(-duals[proper], 0.0, 1e100)
        prices = np.bincount(groups.source[proper], weights=weights, minlength=rows).astype(np.float64)
    gap = tried(prices)
    if prices.any() and tried(np.zeros(rows)) < gap:
        prices = np.zeros(rows)
        gap = tried(prices)
    if rows and gap * 100 > allowance(problem):
        other = _priced_by_lp(problem, groups, value)
        if other is not None and tried(other) < gap:
            return tried(other), other
    return gap, prices


def judge_bradley_terry(problem: OrderedBradleyTerry, answer: Answer) -> Facts:
    """What exact and outward-rounded arithmetic makes of the answer."""
    if answer.x is None or answer.status in POINTLESS or answer.status is Status.ERROR:
        if answer.status in (Status.NO_SOLUTION, Status.ERROR):
            return Facts(answer.status, reason=answer.reason)
        why = "all equal satisfies every constraint, and the objective is bounded"
        if answer.status in (Status.OPTIMAL, Status.FEASIBLE):
            why = "no point came with it"
        return Facts(Status.ERROR, reason=refuted(answer, why))
    try:
        given = np.array(answer.x, dtype=np.float64)
        violation = problem.check(given)
    except (SolverError, TypeError, ValueError, OverflowError) as error:
        return Facts(Status.ERROR, reason=refuted(answer, str(error)))
    if violation > TOLERANCE * (1 + Fraction(problem.box)):
        why = f"its point violates a constraint by {float(violation):.6g}"
        return Facts(Status.ERROR, reason=refuted(answer, why))
    groups = groups_of(problem)
    x = repaired(problem, groups, given)
    low, high = problem.enclosure(x)
    gap, prices = _certified(problem, groups, x, answer)
    facts = Facts(Status.FEASIBLE, x, low, high + gap, duals=_shared(problem, groups, prices))
    if problem.check(x) == 0 and low == high + gap:
        return replace(facts, status=Status.OPTIMAL, proven=True)
    if answer.status is Status.FEASIBLE:
        return replace(facts, reason=answer.reason)
    if high + gap - low <= allowance(problem):
        return replace(facts, status=Status.OPTIMAL, reason="optimal within tolerance")
    why = f"optimality is claimed; a point may be better by {float(high + gap - low):.3g}"
    return replace(facts, reason=why)
