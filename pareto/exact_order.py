"""Sums of fractions put in order without rounding.

Borda scores of a log are sums of rates, whole numbers over whole numbers. In floating point two equal sums
may differ in the last digit, and a tie, which protects a model, would be lost. So sums that rounding cannot
tell apart are compared as fractions; everybody else's order is that of the floating-point numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts
from pareto.links import Reals

ROUNDING = 2.0**-50
"""A sum of K rates is off by less than K times this."""
TINY = 1e-40
"""A difference that exists but that floating-point numbers do not show; below every one that they do: scores
that are not 0 are far above 1e-20."""


def mean_rates(credit: Counts, total: Counts) -> tuple[Reals, Counts]:
    """Every model's mean rate against its opponents, and its exact rank, 0 the lowest; (K, d) each.

    credit, total: (d, K, K) whole numbers, credit ≤ total, total > 0 off the diagonal. Equal means have
    equal ranks and equal floating-point values.
    """
    objectives, models, _ = credit.shape
    off = ~np.eye(models, dtype=np.bool_)
    sums = np.divide(credit, total, out=np.zeros(credit.shape), where=off).sum(axis=2)
    rank = np.empty((models, objectives), dtype=np.int64)
    for r in range(objectives):
        group = chained(sums[r], models * ROUNDING)
        classes: list[tuple[int, Fraction | int]] = [(int(number), 0) for number in group]
        for number in np.flatnonzero(np.bincount(group) > 1).tolist():
            for i in np.flatnonzero(group == number).tolist():
                exact = _sum_of_rates(credit[r, i, off[i]], total[r, i, off[i]])
                classes[i] = (number, exact)
                sums[r, i] = float(exact)
        numbers = {value: number for number, value in enumerate(sorted(set(classes)))}
        rank[:, r] = [numbers[one] for one in classes]
    return sums.T / (models - 1), rank


def chained(values: Reals, tolerance: float) -> Counts:
    """Group numbers (n,), ascending with the values; neighbours within `tolerance` share one."""
    order = np.argsort(values, kind="stable")
    group = np.zeros(len(values), dtype=np.int64)
    group[order[1:]] = np.cumsum(np.diff(values[order]) > tolerance)
    return group


def differences(scores: Reals, rank: Counts, objective: int) -> Reals:
    """(K, K) score of the column minus that of the row on one objective, with the sign the ranks have."""
    value, place = scores[:, objective], rank[:, objective]
    difference = value[None, :] - value[:, None]
    sign = np.sign(place[None, :] - place[:, None]).astype(np.float64)
    return np.where(np.sign(difference) == sign, difference, sign * TINY)


def exact_leads(scores: Reals, rank: Counts) -> Reals:
    """m(i, j) = min_r (x_j,r − x_i,r), (K, K), zero and positive exactly where it is."""
    lead: npt.NDArray[np.float64] = differences(scores, rank, 0)
    for r in range(1, scores.shape[1]):
        np.minimum(lead, differences(scores, rank, r), out=lead)
    return lead


def _sum_of_rates(credit: Counts, total: Counts) -> Fraction:
    """Σ credit / total; few totals are distinct, so credits over the same total are added first."""
    distinct, where = np.unique(total, return_inverse=True)
    parts = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(parts, where, credit)
    bottom = math.lcm(*distinct.tolist())
    top = sum(part * (bottom // one) for part, one in zip(parts.tolist(), distinct.tolist(), strict=True))
    return Fraction(top, bottom)
