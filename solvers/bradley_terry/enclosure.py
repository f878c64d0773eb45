"""Rigorous values: the log-likelihood, its gradient, and how much better any feasible point can be.

Rounding is accounted for, not hoped away. Library logarithms come without a promise, so log(1 + e⁻ˣ) is
built from the four operations that IEEE 754 rounds correctly, each off by a factor within 1 ± u, u = 2⁻⁵³:

* e⁻ˣ for 0 ≤ x ≤ 600: x = k·log 2 + r with |r| < 0.35. k·HIGH is exact (HIGH has 32 bits, k at most 10), x −
  k·HIGH is off by at most u·|r| and LOW, its rounding and its product by less than 2⁻⁷⁰. A Taylor polynomial
  of degree 15 in r leaves less than 2⁻⁶⁵, its Horner scheme (each inner bracket shrinks its predecessor's
  error to 0.35 of it, values stay above 0.7) at most 5u: together below 8u, relatively.
* log(1 + y) = 2·artanh(y / (2 + y)) for 0 < y ≤ 1: the argument z is at most 1/3 and off by 10u; the series
  in z² up to z³⁷ leaves less than 2⁻⁶⁴, its Horner scheme of positive terms at most 6u: together below 18u.
* 1 / (1 + y) and y / (1 + y) are off by at most 11u.

Sums use ``math.fsum``, which rounds once. Everything below inflates by 32u or more. Products that underflow
are covered by ``TINY``.
"""

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[np.float64]

SLACK = 2.0**-48
"""32u: relative error of every term, with room to spare."""
TINY = 1e-250
HIGH = float.fromhex("0x1.62e42feep-1")
LOW = float.fromhex("0x1.a39ef35793c76p-33")
"""log 2 = HIGH + LOW within 2⁻⁸⁶."""
EXP_TERMS = 15
LOG_TERMS = 18


def decay(x: Reals) -> Reals:
    """e⁻ˣ for 0 ≤ x ≤ 600, within a factor of 1 ± 8u."""
    k = np.rint(x * (1.0 / (HIGH + LOW)))
    r = -((x - k * HIGH) - k * LOW)
    total = np.ones_like(r)
    for j in range(EXP_TERMS, 0, -1):
        total = 1.0 + r * total / j
    return np.ldexp(total, -k.astype(np.int32))


def log1p_small(y: Reals) -> Reals:
    """log(1 + y) for 0 ≤ y ≤ 1, within a factor of 1 ± 18u if y is within one of 1 ± 8u."""
    z = y / (2.0 + y)
    square = z * z
    total = np.full_like(z, 1.0 / (2 * LOG_TERMS + 1))
    for j in range(LOG_TERMS - 1, -1, -1):
        total = 1.0 / (2 * j + 1) + square * total
    return 2.0 * z * total


def _met(wins: Reals) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    i, j = np.nonzero(np.triu(wins + wins.T, 1))
    return i, j


def differences(x: Reals, i: npt.NDArray[np.intp], j: npt.NDArray[np.intp]) -> tuple[Reals, Reals]:
    """x_i − x_j in floating point, and how far each may be off."""
    d = x[i] - x[j]
    back = x[i] - d  # error-free transformation: what the subtraction lost, itself rounded once
    lost = np.abs((x[i] - (d + back)) + (back - x[j]))
    return d, lost * (1 + 4 * SLACK)


def enclosed(wins: Reals, ridge: float, x: Reals) -> tuple[Fraction, Fraction]:
    """Rationals that enclose Σ_ij wins_ij log σ(x_i − x_j) − (ridge / 2) ‖x‖².

    Args:
        wins: (K, K), nonnegative.
        x: (K,), entries of size at most 300.
    """
    i, j = _met(wins)
    d, lost = differences(x, i, j)
    size = np.abs(d)
    common = log1p_small(decay(size))  # −log σ(|d|); the less likely outcome costs |d| more
    likely, unlikely = np.where(d >= 0, (wins[i, j], wins[j, i]), (wins[j, i], wins[i, j]))
    both = likely + unlikely
    loss = math.fsum((both * common).tolist() + (unlikely * size).tolist())
    squares = 0.5 * ridge * math.fsum((x * x).tolist())
    off = math.fsum((both * lost).tolist()) * (1 + SLACK) + TINY * (2 * len(i) + (len(x) if squares else 0))
    total = Fraction(loss) + Fraction(squares)
    width = total * Fraction(SLACK) + Fraction(off)
    return -total - width, -total + width


def gradient(wins: Reals, ridge: float, x: Reals) -> tuple[Reals, Reals]:
    """The gradient of the objective at x (K,), and bounds on the error of each entry."""
    d = x[:, None] - x[None, :]
    back = x[:, None] - d
    lost = np.abs((x[:, None] - (d + back)) + (back - x[None, :])) * (1 + 4 * SLACK)
    y = decay(np.abs(d))
    upset = np.where(d >= 0, y, 1.0) / (1.0 + y)  # σ(−d)
    terms = wins * upset  # what i gains from its wins; its losses are the transpose
    k = len(x)
    value = np.empty(k)
    for a, (won, beaten) in enumerate(zip(terms.tolist(), terms.T.tolist(), strict=True)):
        value[a] = math.fsum([*won, *(-t for t in beaten), -ridge * float(x[a])])
    both = terms + terms.T
    moved = (wins + wins.T) * lost * 0.25  # σ has slope at most 1/4
    size = both.sum(axis=1) + ridge * np.abs(x)  # its own rounding is covered by the factor 2 below
    error = 2.0 * (SLACK * size + moved.sum(axis=1))
    if wins.any() or (ridge and x.any()):
        error += k * TINY
    return value, error


def best_level(value: Reals, x: Reals, sizes: Reals, box: float) -> float:
    """The multiplier ν of the sum that makes :func:`surplus` smallest (a weighted median)."""
    crossing = value / sizes
    order = np.argsort(crossing, kind="stable")
    slope = -float(sizes @ (box - x)) + np.cumsum(2 * box * sizes[order])
    return float(crossing[order[min(int(np.searchsorted(slope, 0.0)), len(order) - 1)]])


def surplus(
    value: Reals,
    error: Reals,
    x: Reals,
    sizes: Reals,
    box: float,
    pairs: npt.NDArray[np.intp],
    prices: Reals,
) -> Fraction:
    """An upper bound on g·(s − x) over all feasible s: how much better than x any point can be at most.

    For multipliers ``prices`` μ ≥ 0 of the order and ν of the sum, with c = g + Σ μ_ab (e_a − e_b) − ν·sizes:
    every feasible s has μ_ab (s_a − s_b) ≥ 0 and sizes·s = 0, so g·(s − x) ≤ c·(s − x) + Σ μ_ab (x_a − x_b)
    − ν sizes·x, and c·(s − x) is largest at a corner of the box. Any multipliers give a true bound.

    Args:
        value, error: the gradient g at x is within ``error`` of ``value``, entry by entry, (G,).
        x: the point (G,), one entry a group; it need not be feasible.
        sizes: how often each entry counts in the sum that is zero, (G,).
        pairs: (r, 2) order constraints (a, b).
        prices: (r,), nonnegative.
    """
    rows: list[list[float]] = [[v] for v in value.tolist()]
    for (a, b), price in zip(pairs.tolist(), prices.tolist(), strict=True):
        if price:
            rows[a].append(price)
            rows[b].append(-price)
    level = best_level(np.array([math.fsum(row) for row in rows]), x, sizes, box)
    for row, size in zip(rows, sizes.tolist(), strict=True):
        row.extend([-level] * int(size))
    c = np.array([math.fsum(row) for row in rows])
    up, down = np.maximum(box - x, 0.0), np.maximum(box + x, 0.0)
    gains = np.where(c >= 0, c * up, -c * down)
    slack = prices * (x[pairs[:, 0]] - x[pairs[:, 1]])
    gain = math.fsum(gains.tolist()) + math.fsum((error * np.maximum(up, down)).tolist())
    spread = math.fsum(np.abs(slack).tolist()) + gain
    total = Fraction(math.fsum(slack.tolist())) + Fraction(gain)
    left = math.fsum(v for v, s in zip(x.tolist(), sizes.tolist(), strict=True) for _ in range(int(s)))
    total += abs(Fraction(level) * Fraction(left)) * (1 + Fraction(SLACK))  # exactly 0 if the sum is
    if not total:
        return total
    return max(Fraction(0), total + Fraction(4 * SLACK * spread) + Fraction(len(x) * TINY))
