"""Where to split a relaxed covering program: on rounded combinations of tableau rows, or on single columns.

Fixing one column of a covering program hardly moves its relaxation: hundreds of columns of nearly the same
use stand in for it. A row of the simplex tableau, rounded as in a Gomory cut, has coefficients close to what
the relaxation must pay for every column, which leaves nothing to stand in.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from solvers.covering.simplex import Places, Reals, Simplex
from solvers.covering.subproblem import Integers, Subproblem, equal_columns, rounded_row
from solvers.tree import RULE_BITS, ColumnSplit, RowSplit

BASIC = 8
"""Fractional basic columns whose tableau rows are combined."""
THETAS = np.array([0.3, 0.6, 1.0, 1.5, 2.2])
"""Lengths of the dual step tried, relative to the one that closes the gap if nothing stood in the way."""
WEIGHT_ROOM = 2.0**50


@dataclass(frozen=True, slots=True)
class Rule:
    """How splits are chosen.

    Attributes:
        tries: splits solved on both sides before one is chosen.
        terms: tableau rows added or subtracted in one rounded row.
        largest: largest |π_i| accepted.
        singles: also split on single columns (otherwise only where nothing else is left).
        nearest: columns of smallest |reduced cost| looked at when splits are ranked.
    """

    tries: int = 8
    terms: int = 2
    largest: int = 1
    singles: bool = True
    nearest: int = 64


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A split with its row: π·x ≤ k or π·x ≥ k + 1; a split on a column needs none."""

    split: ColumnSplit | RowSplit
    pi: npt.NDArray[np.int64]
    k: int


@cache
def combinations(count: int, terms: int) -> Reals:
    """Vectors over {−1, 0, 1} with up to ``terms`` entries, the first of them positive, (C, count)."""
    found = []
    for size in range(1, min(terms, count) + 1):
        for places in itertools.combinations(range(count), size):
            for signs in itertools.product((1.0, -1.0), repeat=size - 1):
                vector = np.zeros(count)
                vector[list(places)] = (1.0, *signs)
                found.append(vector)
    return np.array(found).reshape(-1, count)


def _one_step(
    residual: Reals, surplus: Reals, fraction: Reals, reduced: Reals, prices: Reals, gap: float
) -> Reals:
    """Rise of the side that cuts off ``fraction``, after one dual step, (C,).

    A step θ earns θ·fraction and loses what nonbasic columns with a helpful residual take back.
    """
    usable = np.maximum(surplus, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.where(usable > 1e-12, prices / np.maximum(usable, 1e-12), np.inf)
    longest = limit.min(axis=1, initial=np.inf)
    best = np.zeros(len(fraction))
    helpful = np.maximum(residual, 0.0)
    for share in THETAS:
        theta = np.minimum(share * gap / fraction, longest)
        lost = np.maximum(theta[:, None] * helpful - reduced, 0.0).sum(axis=1)
        best = np.maximum(best, theta * fraction - lost)
    return np.minimum(best, 1.01 * gap)


def _scores(lp: Simplex, places: Places, mix: Reals, whole: bool, rule: Rule, gap: float) -> Reals:
    """Product of both sides' one-step rises for combinations ``mix`` (C, len(places)) of basic columns."""
    inside = lp.structural
    nonbasic = np.ones(lp.n, dtype=np.bool_)
    nonbasic[lp.basis[inside]] = False
    near = np.flatnonzero(nonbasic)
    near = near[np.argsort(np.abs(lp.reduced[near]), kind="stable")[: rule.nearest]]
    reduced = np.abs(lp.reduced[near])
    sign = np.where(lp.at_high[near], -1.0, 1.0)
    surplus = np.ones(len(lp.rhs), dtype=np.bool_)
    surplus[lp.basis[~inside] - lp.n] = False
    fraction = _fractions(lp, places, mix)
    weights = mix @ lp.inverse[places]
    residual = (weights @ lp.rows[:, near]) * sign
    if whole:
        part = residual - np.floor(residual)
        residual = np.where(part <= fraction[:, None], part, part - 1.0)
    extra = -weights[:, surplus]
    prices = lp.prices[surplus]
    down = _one_step(residual, extra, fraction, reduced, prices, gap)
    up = _one_step(-residual, -extra, 1.0 - fraction, reduced, prices, gap)
    return np.asarray(np.maximum(down, 1e-7) * np.maximum(up, 1e-7))


def _fractions(lp: Simplex, places: Places, mix: Reals) -> Reals:
    value = mix @ lp.values[places]
    return np.clip(value - np.floor(value), 1e-4, 1.0 - 1e-4)


def single(column: int) -> Candidate:
    """The split on one column."""
    return Candidate(ColumnSplit(column), np.zeros(0, dtype=np.int64), 0)


def _fractional_single(part: Subproblem, lp: Simplex, column: int) -> Candidate:
    """The split on the number of columns equal to this one, which is fractional."""
    x = lp.point()
    members = np.flatnonzero(equal_columns(part, column))
    count = int(np.floor(x[members].sum() + 1e-9))
    return single(int(members[min(count, len(members) - 1)]))


def _rounded(
    part: Subproblem, lp: Simplex, cost: Integers, weights: Reals, fraction: float, largest: int
) -> Candidate | None:
    """The split rounded from ``weights`` (R,) of the rows, or None if it is of no use."""
    one = 1 << RULE_BITS
    w = np.rint(np.clip(weights * one, -WEIGHT_ROOM, WEIGHT_ROOM)).astype(np.int64).tolist()
    while w and w[-1] == 0:
        w.pop()
    shift = one - int(fraction * one)
    found = rounded_row(part, cost, w, shift)
    if found is None or np.abs(found[0]).max(initial=0) > largest:
        return None
    pi, total = found
    value = float(pi @ lp.point())
    k = int(np.floor(value))
    if not 1e-5 < value - k < 1.0 - 1e-5:
        return None
    return Candidate(RowSplit(tuple(w), shift, k, total), pi, k)


def candidates(
    part: Subproblem,
    lp: Simplex,
    cost: Integers,
    gap: float,
    scale: Reals,
    active: Places,
    rule: Rule,
) -> Iterator[Candidate]:
    """At most ``rule.tries`` splits of the relaxation's point, the most promising first.

    Args:
        cost: exact reduced costs of the free columns, whose signs round the rows.
        gap: what a side must rise by to be closed, in columns.
        scale: (R,) what each row of the subproblem is multiplied by in the relaxation.
        active: rows of the subproblem that are in the relaxation.
    """
    distance = np.abs(lp.values - np.rint(lp.values))
    places = np.flatnonzero(lp.structural & (distance > 1e-6))
    if not len(places):  # nothing fractional, yet not a cover: floating point has run out of digits
        yield single(int(np.argmin(np.abs(lp.reduced))))
        return
    ranked: list[tuple[float, bool, int]] = []
    if rule.singles:
        singles = _scores(lp, places, np.eye(len(places)), False, rule, gap)
        ranked += [(score, False, i) for i, score in enumerate(singles.tolist())]
    many = places[np.argsort(-distance[places], kind="stable")[:BASIC]]
    mix = combinations(len(many), rule.terms)
    fraction = _fractions(lp, many, mix)
    scores = _scores(lp, many, mix, True, rule, gap)
    ranked += [(score, True, i) for i, score in enumerate(scores.tolist())]
    given = 0
    for _, general, i in sorted(ranked, key=lambda entry: -entry[0]):
        found: Candidate | None = None
        if general:
            weights = np.zeros(len(part.rhs))
            weights[active] = (mix[i] @ lp.inverse[many]) * scale[active]
            found = _rounded(part, lp, cost, weights, float(fraction[i]), rule.largest)
        else:
            found = _fractional_single(part, lp, int(lp.basis[places[i]]))
        if found is not None:
            yield found
            given += 1
            if given == rule.tries:
                return
    if not given:
        for column in lp.basis[places].tolist():
            yield _fractional_single(part, lp, column)
