"""Dual prices of the linear relaxation by sifting.

The relaxation min Σx, gains @ x ≥ demands, 0 ≤ x ≤ 1 has few constraints and very many columns, nearly
all of which the right prices λ settle at once: taken if λ·g > 1, left if λ·g < 1. So prices are estimated
on a sample of the columns, the columns near λ·g = 1 are put into a small linear program while the others
stay where the prices put them, all columns are priced again, and those that the new prices contradict join
the program. It ends when none is contradicted, which makes the prices optimal.

A sample keeps its share of the slack S = Σ gains − demands, not of the demands: S is what the columns left
out may use up, and it is much smaller than either of its terms.

Everything here is floating point and only suggests prices; bounds are recomputed exactly elsewhere.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.covering.canonical import hashed
from solvers.highs_model import load_covering, power_of_two_scale
from solvers.problems import blocks
from solvers.quiet_highs import new_highs

SMALL = 1500
"""Programs of at most this many columns are solved as they are."""
ROUNDS = 30
NOISE = 1e-9

Gains = npt.NDArray[Any]
Reals = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """A (nearly) optimal pair of the linear relaxation.

    Attributes:
        prices: λ (m,), nonnegative.
        x: (n,), values in [0, 1], at most m of them fractional.
        cost: reduced costs 1 − λ·g_i, (n,).
    """

    prices: Reals
    x: Reals
    cost: Reals


def price(gains: Gains, prices: Reals) -> Reals:
    """Reduced costs 1 − λ·g_i, (n,), in one pass over the gains."""
    cost = np.empty(gains.shape[1])
    for part in blocks(gains.shape[1]):
        cost[part] = 1.0 - prices @ gains[:, part].astype(np.float64)
    return cost


def weigh(gains: Gains, x: npt.NDArray[Any]) -> Reals:
    """gains @ x in floating point, (m,)."""
    total = np.zeros(gains.shape[0])
    for part in blocks(gains.shape[1]):
        total += gains[:, part].astype(np.float64) @ x[part].astype(np.float64)
    return total


def _merge_equal(gains: Gains) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Representatives, class of every column and class sizes, by a hash of the columns."""
    # by the bits of floats, row by row, so that no second matrix is needed
    key = hashed((row.astype(np.float64).view(np.int64) for row in gains), *gains.shape)
    _, first, group, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, group, counts


def _solve_small(gains: Gains, slack: Reals, left: Reals | float = 0.0) -> tuple[Reals, Reals] | None:
    """Prices (m,) and point (n,) by simplex, equal columns merged if there are many; None if it failed.

    The demands are what all columns give together, and `left` (m,) besides, less the slack (m,). A caller
    that keeps no reference to the gains makes room for the solver's copy.
    """
    n = gains.shape[1]
    demands = gains.sum(axis=1, dtype=np.float64) + left - slack
    first, group, counts = (
        _merge_equal(gains) if n > SMALL else (np.arange(n), np.arange(n), np.ones(n, dtype=np.intp))
    )
    merged = gains[:, first].astype(np.float64)
    del gains
    scale = power_of_two_scale(merged.max(axis=1, initial=1.0))
    merged *= scale[:, None]
    highs = new_highs(presolve="off")
    load_covering(highs, merged, demands * scale, counts.astype(np.float64), integer=False)
    del merged  # the solver has its own
    highs.run()
    if highs.modelStatusToString(highs.getModelStatus()) != "Optimal":
        return None
    solution = highs.getSolution()
    prices = np.maximum(np.array(solution.row_dual) * scale, 0.0)
    amount = np.array(solution.col_value)
    order = np.argsort(group, kind="stable")  # hand each class's amount to its first members
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
    return prices, np.clip(amount[group] - place, 0.0, 1.0)


def relax(gains: Gains, slack: Reals) -> Relaxation:
    """Prices and point of the linear relaxation of a feasible covering program.

    Args:
        gains: nonnegative integers (m, n).
        slack: Σ gains − demands, (m,), nonnegative.
    """
    m, n = gains.shape
    if n <= SMALL:
        prices, x = _solve_small(gains[:, np.arange(n)], slack) or (np.zeros(m), np.ones(n))
        return Relaxation(prices, x, price(gains, prices))
    stride = -(-n // max(1000, n // 24))
    start = np.arange(0, n, stride)
    shift = np.random.default_rng(0).integers(0, stride, size=len(start))
    sample = np.ascontiguousarray(gains[:, np.minimum(start + shift, n - 1)])
    share = sample.shape[1] / n
    return _sift(gains, slack, relax(sample, share * slack).prices, width=1.5 / sample.shape[1] ** 0.5)


def _sift(gains: Gains, slack: Reals, prices: Reals, width: float) -> Relaxation:
    first, cost = prices, price(gains, prices)
    left = weigh(gains, cost >= width)
    while width <= 1.0 and np.any(left > slack):  # what is left out must stay within the slack
        width *= 2.0
        left = weigh(gains, cost >= width)
    free = np.abs(cost) < width
    taken = cost <= -width
    # the best point: these columns taken, and so much of those in the core; built in the end, to save memory
    outside, core, inside = np.ones(gains.shape[1], dtype=np.bool_), np.zeros(0, dtype=np.intp), np.zeros(0)
    for _ in range(ROUNDS):
        columns = np.flatnonzero(free)
        solved = _solve_small(gains[:, columns], slack, left)
        if solved is None:
            break
        prices, inside = solved
        outside, core = taken.copy(), columns
        cost = price(gains, prices)
        wrong = np.where(taken, cost > NOISE, cost < -NOISE) & ~free
        if not wrong.any():
            break
        if np.count_nonzero(wrong) > 2 * max(len(core), SMALL):  # prices led astray by a core too narrow
            width *= 2.0
            wrong = np.abs(price(gains, first)) < width
        moved = np.flatnonzero(wrong & ~free & ~taken)
        left = left - gains[:, moved].sum(axis=1, dtype=np.float64)
        free |= wrong
        taken &= ~wrong
    x = outside.astype(np.float64)
    x[core] = inside
    return Relaxation(prices, x, cost)
