"""Weak duality in integers and rationals: the bounds everything else is measured against.

Floats enter as suggestions for multipliers only. Any nonnegative multipliers give a valid bound, so a bad
suggestion costs sharpness, never truth.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from solvers.problems import CoveringProgram, LinearProgram, blocks
from solvers.solution import Multipliers

ROOM = 1 << 62
"""Reduced costs below this size are computed in int64."""
DIGITS = 24
"""Bits that rounded multipliers keep at least."""


def shortfall(program: CoveringProgram) -> int | None:
    """Index of a constraint that even all columns together do not cover; None if there is none.

    A covering program is infeasible exactly when such a constraint exists, because gains are nonnegative.
    """
    for j, (total, demand) in enumerate(zip(program.totals, program.demands.tolist(), strict=True)):
        if total < demand:
            return j
    return None


def _fits(program: CoveringProgram, p: Sequence[int], q: int) -> bool:
    return q + sum(a * b for a, b in zip(p, program.largest, strict=True)) < ROOM and max(p, default=0) < ROOM


def _reduced_costs(program: CoveringProgram, p: Sequence[int], q: int, part: slice) -> npt.NDArray[np.int64]:
    """q − p·g_i over ``part`` in int64; the caller has made sure that it fits."""
    gains = program.gains[:, part]
    cost = np.full(gains.shape[1], q, dtype=np.int64)
    for pj, row in zip(p, gains, strict=True):
        if pj:
            cost -= np.multiply(row, pj, dtype=np.int64)
    return cost


def sign_rule(program: CoveringProgram, p: Sequence[int], q: int, part: slice) -> npt.NDArray[np.bool_]:
    """Where q − p·g_i < 0 over the columns of ``part``, exactly, for integers p ≥ 0 and q of any size.

    Multipliers beyond int64 are truncated to some that fit, which leaves an interval around the true value;
    only columns whose interval holds zero need Python integers.
    """
    if _fits(program, p, q):
        return _reduced_costs(program, p, q, part) < 0
    gains = program.gains[:, part]
    size = q + sum(a * b for a, b in zip(p, program.largest, strict=True))
    shift = max(0, size.bit_length() - 60)
    floor = [pj >> shift for pj in p]
    ceiling = [-(-pj >> shift) for pj in p]
    negative = np.zeros(gains.shape[1], dtype=np.bool_)
    unsure = np.arange(gains.shape[1])
    if _fits(program, ceiling, (q >> shift) + 1):
        negative = _reduced_costs(program, floor, (q >> shift) + 1, part) <= 0
        unsure = np.flatnonzero(~negative & (_reduced_costs(program, ceiling, q >> shift, part) < 0))
    for i in unsure:
        negative[i] = sum(pj * int(g) for pj, g in zip(p, gains[:, i], strict=True)) > q
    return negative


def covering_numerator(program: CoveringProgram, p: Sequence[int], q: int) -> int:
    """p·D + Σ_i min(0, q − p·g_i), exactly.

    Divided by q this is the Lagrangian dual value of λ = p / q, hence at most the linear relaxation
    (Kuboyama 2026, How Many Labels Does Model Choice Need?, section 4.1).

    Args:
        p: m nonnegative integers of any size.
        q: positive integer.
    """
    if q <= 0 or any(pj < 0 for pj in p) or len(p) != program.m:
        raise ValueError("multipliers must be nonnegative, one a constraint, over a positive denominator")
    total: int = sum(pj * d for pj, d in zip(p, program.demands.tolist(), strict=True))
    if not _fits(program, p, q):  # the sum follows from the signs alone
        rule = np.zeros(program.n, dtype=np.bool_)
        for part in blocks(program.n):
            rule[part] = sign_rule(program, p, q, part)
        covered = program.covered(rule)
        return total + q * int(rule.sum()) - sum(a * b for a, b in zip(p, covered, strict=True))
    for part in blocks(program.n):
        cost = _reduced_costs(program, p, q, part)
        np.minimum(cost, 0, out=cost)  # summed in halves of 32 bits, so that no block can overflow
        total += (int((cost >> 32).sum()) << 32) + int((cost & 0xFFFFFFFF).sum())
    return total


def multipliers(program: CoveringProgram, p: Sequence[int], q: int) -> Multipliers:
    """Integer multipliers together with the numerator they reproduce."""
    return Multipliers(tuple(p), q, covering_numerator(program, p, q))


def dyadic(program: CoveringProgram, duals: npt.NDArray[np.float64]) -> Multipliers:
    """Float duals (m,) rounded to p / 2^k, with k as large as int64 reduced costs allow, at most 53.

    Negative and non-finite entries count as zero; a bound below zero is replaced by the empty one.
    """
    weights = [Fraction(v) if math.isfinite(v) and v > 0 else Fraction(0) for v in map(float, duals)]
    if len(weights) != program.m:
        weights = [Fraction(0)] * program.m
    size = 1 + sum(w * b for w, b in zip(weights, program.largest, strict=True))
    k = min(53, 60 - math.ceil(size).bit_length())
    relevant = [w for w, b in zip(weights, program.largest, strict=True) if w * b * 10**9 > 1]
    if relevant:  # gains beyond about 2^30 need more, at the price of leaving int64
        k = max(k, DIGITS + math.ceil(1 / min(relevant)).bit_length())
    found = multipliers(program, [round(w * 2**k) for w in weights], 2**k)
    return found if found.numerator >= 0 else multipliers(program, [0] * program.m, 1)


def sharpened(program: CoveringProgram, duals: npt.NDArray[np.float64]) -> Multipliers | None:
    """The multipliers of the basis behind ``duals``, solved in rationals; None if no basis shows.

    Worth its price only when a dyadic bound misses the next integer by a hair.
    """
    support = [j for j in range(program.m) if duals[j] > 0]
    if not support or len(support) > 40:
        return None
    keep = min(program.n, 6 * len(support) + 10)
    gap = np.concatenate(
        [np.abs(1.0 - duals @ program.gains[:, part].astype(np.float64)) for part in blocks(program.n)]
    )
    near = np.argpartition(gap, keep - 1)[:keep] if keep < program.n else np.arange(program.n)
    near = near[np.lexsort((near, gap[near]))]
    rows: list[list[Fraction]] = []  # reduced equations Σ_j g_ji λ_j = 1, pivot columns in ``pivots``
    pivots: list[int] = []
    for i in near:
        row = [Fraction(int(program.gains[j, i])) for j in support] + [Fraction(1)]
        for pivot, done in zip(pivots, rows, strict=True):
            if row[pivot]:
                row = [a - row[pivot] * b for a, b in zip(row, done, strict=True)]
        lead = next((k for k in range(len(support)) if row[k]), None)
        if lead is None:
            continue
        row = [a / row[lead] for a in row]
        rows = [[a - done[lead] * b for a, b in zip(done, row, strict=True)] for done in rows]
        rows.append(row)
        pivots.append(lead)
        if len(pivots) == len(support):
            break
    if len(pivots) < len(support):
        return None
    values = [Fraction(0)] * program.m
    for pivot, row in zip(pivots, rows, strict=True):
        values[support[pivot]] = row[-1]
    if any(v < 0 for v in values):
        return None
    q = math.lcm(*(v.denominator for v in values))
    return multipliers(program, [int(v * q) for v in values], q)


def best_multipliers(program: CoveringProgram, duals: npt.NDArray[np.float64]) -> Multipliers:
    """Dyadic multipliers, sharpened in rationals when the next integer is nearly reached."""
    found = dyadic(program, duals)
    missing = found.bound * found.q - found.numerator  # in units of 1 / q
    if missing * 10**5 <= found.q:
        exact = sharpened(program, duals)
        if exact is not None and exact.numerator * found.q > found.numerator * exact.q:
            return exact
    return found


def out_of_reach(program: LinearProgram) -> str:
    """Why no point can satisfy a linear program, where bounds or empty rows show it; empty otherwise."""
    lower, upper = program.box()
    for name, low, high in (("column", lower, upper), ("row", program.row_lower, program.row_upper)):
        if (low > high).any():
            at = int(np.flatnonzero(low > high)[0])
            return f"{name} {at}: no value lies between its bounds {low[at]:g} and {high[at]:g}"
    used = np.zeros(program.m, dtype=np.bool_)
    _, index, value = program.columns()
    used[index[value != 0]] = True
    missed = np.flatnonzero(~used & ((program.row_lower > 0) | (program.row_upper < 0)))
    return f"row {missed[0]} has no entries and its bounds exclude zero" if missed.size else ""


def linear_bound(
    program: LinearProgram, duals: Sequence[Fraction], forgive: Fraction = Fraction(0)
) -> Fraction | None:
    """Weak-duality bound of row duals y (d optimum / d right-hand side); None where it is infinite.

    y·(active row side) + Σ_j min over the column's bounds of (c − Aᵀy)_j x_j, for minimisation, and its
    mirror image for maximisation.

    Args:
        forgive: reduced costs up to this size count as zero against an infinite bound. With 0 the result
            is a proof; anything larger only tells how nearly the duals support a claim.
    """
    sign = -1 if program.maximise else 1
    total = Fraction(0)
    y = [sign * v for v in duals]
    sides = zip(y, program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    reduced = [sign * Fraction(c) for c in program.costs.tolist()]
    starts, index, value = program.columns()
    for j in range(program.n):
        for k in range(int(starts[j]), int(starts[j + 1])):
            if y[int(index[k])]:
                reduced[j] -= Fraction(float(value[k])) * y[int(index[k])]
    lower, upper = program.box()
    boxes = zip(reduced, lower.tolist(), upper.tolist(), strict=True)
    for weight, low, high in (*sides, *boxes):
        side = low if weight > 0 else high
        if weight and math.isfinite(side):
            total += weight * Fraction(side)
        elif abs(weight) > forgive:
            return None
    return sign * total
