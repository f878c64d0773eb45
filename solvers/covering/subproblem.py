"""Subproblems of a covering program in exact integers: pricing, fixing, splitting, and checking whole trees.

Every selection x of at most T columns that meets rows @ x ≥ rhs satisfies, for integers p ≥ 0 and q ≥ 0,

    q·T ≥ q·|x| ≥ q·taken + p·rhs + Σ_i (q − p·a_i) x_i,

and the last sum is Σ_i min(0, q − p·a_i) plus |q − p·a_i| for each column on the wrong side of its sign.
With gap = q·T − (q·taken + p·rhs + Σ_i min(0, q − p·a_i)):

* gap < 0: there is no such selection;
* |q − p·a_i| > gap: column i stays on the right side of its sign: out if q − p·a_i > 0, in otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.problems import CoveringProgram, blocks
from solvers.solution import Multipliers
from solvers.tree import RULE_BITS, ColumnSplit, RowSplit, Step, Tree

ROOM = 1 << 61
"""Sums and multipliers below this size are computed in int64, others as Python integers."""

Integers = npt.NDArray[Any]
"""int64, or Python integers where int64 is too small."""
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Subproblem:
    """What is left of a covering program.

    Attributes:
        columns: (N,) indices of the free columns in the program.
        rows: (R, N) int64, the constraints and after them the splits on the way here.
        largest: largest absolute entry of each row, or more.
        rhs: what each row still needs.
        taken: number of columns taken already.
        chosen: indices of those of them that were free at the root.
    """

    columns: npt.NDArray[np.intp]
    rows: npt.NDArray[np.int64]
    largest: tuple[int, ...]
    rhs: tuple[int, ...]
    taken: int
    chosen: npt.NDArray[np.intp]


def exact_sum(values: Integers) -> int:
    """Sum as a Python integer; halves of int64 values are summed apart so that nothing can overflow."""
    if values.dtype == object:
        return int(sum(values.tolist()))
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def combined(weights: Sequence[int], rows: Integers, largest: Sequence[int]) -> Integers:
    """weights @ rows, (N,), exactly; missing weights are zero."""
    used = [j for j, w in enumerate(weights) if w]
    room = sum(abs(weights[j]) * max(largest[j], 1) for j in used) < ROOM
    kind: Any = np.int64 if room else object
    total = np.zeros(rows.shape[1], dtype=kind)
    for j in used:
        total += weights[j] * rows[j].astype(kind, copy=False)
    return total


def priced(part: Subproblem, p: Sequence[int], q: int) -> tuple[Integers, int]:
    """Reduced costs q − p·a_i (N,) and the numerator q·taken + p·rhs + Σ min(0, q − p·a_i)."""
    value = combined(p, part.rows, part.largest)
    cost = q - (value if q < ROOM else value.astype(object))
    negative = exact_sum(np.minimum(cost, 0))
    return cost, q * part.taken + sum(a * b for a, b in zip(p, part.rhs, strict=False)) + negative


def decided(cost: Integers, gap: int) -> Mask:
    """Where |cost| > gap ≥ 0."""
    if gap >= 2 * ROOM and cost.dtype != object:  # int64 costs stay below
        return np.zeros(cost.shape, dtype=np.bool_)
    return np.asarray((cost > gap) | (cost < -gap), dtype=np.bool_)


def without(part: Subproblem, out: Mask, take: Mask) -> Subproblem:
    """The subproblem without the columns in ``out``, of which those in ``take`` are taken."""
    gone = (exact_sum(row[take]) for row in part.rows)
    return Subproblem(
        columns=part.columns[~out],
        rows=np.ascontiguousarray(part.rows[:, ~out]),
        largest=part.largest,
        rhs=tuple(b - g for b, g in zip(part.rhs, gone, strict=True)),
        taken=part.taken + int(take.sum()),
        chosen=np.concatenate([part.chosen, part.columns[take]]),
    )


def with_row(part: Subproblem, row: npt.NDArray[np.int64], bound: int) -> Subproblem:
    """The subproblem with one more row row·x ≥ bound."""
    return Subproblem(
        columns=part.columns,
        rows=np.vstack([part.rows, row]),
        largest=(*part.largest, int(np.abs(row).max(initial=0))),
        rhs=(*part.rhs, bound),
        taken=part.taken,
        chosen=part.chosen,
    )


def equal_columns(part: Subproblem, column: int) -> Mask:
    """Bool (N,), the free columns with the coefficients of this one in every row."""
    return np.asarray((part.rows == part.rows[:, column : column + 1]).all(axis=0))


def followers(part: Subproblem, column: int) -> tuple[Mask, Mask]:
    """The columns (N,) that are out if this one is, and those that are in if this one is."""
    out = equal_columns(part, column)
    take = out.copy()
    out[:column] = False
    take[column + 1 :] = False
    return out, take


def column_sides(part: Subproblem, column: int) -> tuple[Subproblem, Subproblem]:
    """One free column left out, and taken, with its followers."""
    out, take = followers(part, column)
    return without(part, out, np.zeros_like(out)), without(part, take, take)


def row_sides(part: Subproblem, pi: npt.NDArray[np.int64], k: int) -> tuple[Subproblem, Subproblem]:
    """π·x ≤ k, and π·x ≥ k + 1."""
    return with_row(part, -pi, -k), with_row(part, pi, k + 1)


def rounded_row(
    part: Subproblem, cost: Integers, weights: Sequence[int], shift: int
) -> tuple[npt.NDArray[np.int64], int] | None:
    """π (N,) of a :class:`RowSplit` and Σ v_i; None if π does not fit int64."""
    value = combined(weights, part.rows, part.largest)
    if abs(shift) >= ROOM >> 1:
        value = value.astype(object)
    pi = np.where(cost >= 0, (value + shift) >> RULE_BITS, -((shift - value) >> RULE_BITS))
    if pi.dtype == object and any(abs(v) >= ROOM for v in pi.tolist()):
        return None
    return pi.astype(np.int64), exact_sum(value)


def root(program: CoveringProgram, dual: Multipliers, target: int) -> tuple[Subproblem, Mask]:
    """The columns that the root multipliers leave open for covers of at most ``target`` columns.

    Returns:
        The subproblem, and bool (n,), the columns taken for good.
    """
    return opened(program, *open_columns(program, dual, target))


def open_columns(program: CoveringProgram, dual: Multipliers, target: int) -> tuple[Places, Mask]:
    """Places of the columns that :func:`root` leaves open, and bool (n,), the columns taken for good."""
    gap = dual.q * target - dual.numerator
    taken = np.zeros(program.n, dtype=np.bool_)
    free = []
    for block in blocks(program.n):
        value = combined(dual.p, program.gains[:, block], program.largest)
        cost = dual.q - (value if dual.q < ROOM else value.astype(object))
        out = decided(cost, gap)
        taken[block] = out & (cost < 0)
        free.append(block.start + np.flatnonzero(~out))
    return np.concatenate([*free, np.zeros(0, dtype=np.intp)]), taken


def opened(program: CoveringProgram, columns: Places, taken: Mask) -> tuple[Subproblem, Mask]:
    """The subproblem with these columns open and those taken, and those taken."""
    covered = program.covered(taken)
    part = Subproblem(
        columns=columns,
        rows=program.gains[:, columns].astype(np.int64),
        largest=program.largest,
        rhs=tuple(d - c for d, c in zip(program.demands.tolist(), covered, strict=True)),
        taken=int(taken.sum()),
        chosen=np.zeros(0, dtype=np.intp),
    )
    return part, taken


def holds(program: CoveringProgram, dual: Multipliers, tree: Tree) -> bool:
    """True if every step of the tree is what it says and together they rule out ``target`` columns.

    ``dual`` must be exact (from :func:`solvers.exact.multipliers`) and not rule them out by itself. O(n m),
    and small work for every step.
    """
    if not is_plain(tree) or dual.q * tree.target < dual.numerator:
        return False
    target = tree.target
    open_parts = [root(program, dual, target)[0]]
    for step in tree.steps:
        if not open_parts:
            return False
        part = open_parts.pop()
        if len(step.p) > len(part.rhs):
            return False
        cost, numerator = priced(part, step.p, step.q)
        gap = step.q * target - numerator
        if numerator != step.numerator:
            return False
        if gap < 0:
            if step.split is not None:
                return False
            continue
        out = decided(cost, gap)
        part, cost = without(part, out, out & (cost < 0)), cost[~out]
        split = step.split
        if split is None:
            open_parts.append(part)
        elif isinstance(split, ColumnSplit):
            if not 0 <= split.column < len(part.columns):
                return False
            open_parts.extend(reversed(column_sides(part, split.column)))
        else:
            sides = _row_split(part, cost, split)
            if sides is None:
                return False
            open_parts.extend(reversed(sides))
    return not open_parts


def is_plain(tree: object) -> bool:
    """True if this is a tree of steps, with integers throughout and none of the multipliers negative."""
    if not isinstance(tree, Tree) or type(tree.target) is not int or type(tree.steps) is not tuple:
        return False
    return all(map(_is_plain, tree.steps))


def _is_plain(step: object) -> bool:
    if not isinstance(step, Step) or type(step.p) is not tuple:
        return False
    split = step.split
    listed = [*step.p, step.q, step.numerator]
    if isinstance(split, ColumnSplit):
        listed.append(split.column)
    elif isinstance(split, RowSplit) and type(split.weights) is tuple:
        listed += [*split.weights, split.shift, split.k, split.total]
    elif split is not None:
        return False
    return all(type(value) is int for value in listed) and min(step.p, default=0) >= 0 and step.q >= 0


def _row_split(part: Subproblem, cost: Integers, split: RowSplit) -> tuple[Subproblem, Subproblem] | None:
    if len(split.weights) > len(part.rhs):
        return None
    found = rounded_row(part, cost, split.weights, split.shift)
    if found is None or found[1] != split.total:
        return None
    return row_sides(part, found[0], split.k)
