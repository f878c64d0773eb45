"""How far a sum of independent comparisons may stray upwards: Hoeffding's inequality with its missing factor.

Let S be a sum of independent variables, each 0 or a_l. For all λ > 0, κ > 1 and every s,

    P(S − ES ≥ s) ≤ exp(−λs) ∫_0^∞ w(y) exp(Σ_l g(λ a_l, y)) dy,
    g(u, y) = max over 0 ≤ p ≤ 1 of log|1 + p(exp(u + iuy) − 1)| − up,
    w(y) = κ² / (π ((κ − 1)² + y²) √(1 + y²)).

Means do not enter: whatever they are, the bound holds. At y = 0 g is what Hoeffding's inequality has in its
place, and without the integral that is the bound; for y > 0 g is smaller, which is the gain: near y = 0 it
falls like −(uy)²/8, so the integral is about that of a normal tail, √(2/π) / (λ √Σa²).

*Proof.* Let E be independent of S and a sum of two exponential variables of rate κλ. As E ≥ 0, the left side
is at most P(S − ES + E ≥ s), the mean of f(S − ES − s) for f(x) = P(E ≥ −x). The function e^(−λx) f(x) is
continuous and integrable, and so is its Fourier transform, (κλ / (κλ − λ − iω))² / (λ + iω). Inverting it,
multiplying by e^(λx) and taking expectations,

    E f = (1/2π) ∫ (κλ / (κλ − λ − iω))² exp(−(λ + iω)s) Π_l E exp((λ + iω)(X_l − EX_l)) dω / (λ + iω).

Take absolute values, put ω = λy, and bound every factor by its largest value exp g over p. ∎

*Other variables.* A law on an interval of length a is a mixture of laws on two points with the same mean, and
|E exp((λ + iω)(X − EX))| is convex in the law: at most exp g(λb, y) for some b ≤ a. So points 0, ½ and 1 have
max(g(u, y), g(u/2, y)); arbitrary variables, such as all votes of one session together, have g(u, 0), which
grows with u.

*Numbers.* Every λ and κ gives a bound of the same probability, hence so does the smallest found. The
integral is replaced by an upper sum over cells of a fixed grid of y: in g, which falls with 1 − cos(uy), this
is put at its least in the cell, and the first factor of w at its largest; the last cell is infinite.

*Rounding.* Log bounds are differences of much larger numbers. g is computed as log1p(·) − up, with an error
of about ε·u however small g itself is; all parts together have Σ u = λ Σ a, and a lead, at most Σ a, is as
exact. Sums of m terms g ≥ 0 are off by at most m ε Σ g. `slack` adds these. With n comparisons in every cell
Σ a is 2(K − 1) and λ grows like √n: from n about 10¹¹ on this is more than the constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import zeta

from pareto.certainty.nodes import condensed, terms_of
from pareto.links import Reals
from pareto.result import Mask

Index = npt.NDArray[np.int64]

GRID: Reals = np.concatenate([np.arange(0.0, 1.2, 0.02), np.geomspace(1.2, 300.0, 150)])
"""Where cells of y begin; each ends where the next begins, the last nowhere."""
KAPPAS = (4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 24.0, 40.0, 60.0)
"""Values of κ."""
RATES = (1.0, 1.08, 1.17, 1.27)
"""Values of λ, in units of the best one without the integral."""
SLACK = 1e-9
"""Added to every logarithm of a bound, for rounding that does not grow with them; far less than matters."""
EPSILON = 2.0**-52
"""Twice the relative error of one operation."""
PER_PART = 16
"""Units of `EPSILON` by which g(u, y), and a part's share of λ·lead, may be off, for a part of u = λa."""
SMALL = 1.0
"""Below it g(u, 0) is summed as a series; of the closed form rounding would leave little."""
_TWO_PI = 2 * math.pi
_POWERS = np.arange(2, 22, 2)
SERIES: Reals = -2 * (-1.0) ** (_POWERS // 2) * zeta(_POWERS) * (1 + 1 / _POWERS) / _TWO_PI**_POWERS
"""Coefficients of u², u⁴, … in g(u, 0), from Bernoulli numbers: terms alternate and shrink by (u/2π)²."""
HUGE = 30.0
"""Above it g(u, 0) stands for g(u, y), of which squares of e^u would leave nothing."""


def weights(kappa: float) -> Reals:
    """(cells,) upper bounds of ∫ w(y) dy over the cells."""
    first = kappa**2 / ((kappa - 1) ** 2 + GRID**2)
    found = first / math.pi
    found[:-1] *= np.diff(np.arcsinh(GRID))
    found[-1] = (kappa / GRID[-1]) ** 2 / (2 * math.pi)
    return np.asarray(found, dtype=np.float64)


WEIGHTS: Reals = np.stack([weights(kappa) for kappa in KAPPAS], axis=1)
"""(cells, kappas)."""


def single(u: Reals, halves: bool = False) -> Reals:
    """Upper bounds (…, cells) of g(u, y) in every cell, for u (…) > 0; halves: outcomes 0, ½ and 1."""
    found = _two_points(u)
    return np.maximum(found, _two_points(u / 2)) if halves else found


def bundle(u: Reals) -> Reals:
    """g(u, 0) for u (…) > 0: log((e^u − 1)/u) − 1 + u/(e^u − 1), at most u²/8."""
    fade = -np.expm1(-u)  # 1 − e^−u
    exact = u + np.log(fade / u) - 1 + u * np.exp(-u) / fade
    square = np.minimum(u, SMALL) ** 2
    series = np.polynomial.polynomial.polyval(square, SERIES) * square
    return np.asarray(np.where(u < SMALL, series, exact), dtype=np.float64)


def log_integral(exponents: Reals) -> tuple[Reals, Index]:
    """Log of the upper sums for exponents Σ g (…, cells), with the best κ's number, (…) each."""
    top = exponents[..., :1]  # g is largest at y = 0
    sums = np.exp(exponents - top) @ WEIGHTS
    best = sums.argmin(axis=-1)
    least = np.take_along_axis(sums, best[..., None], axis=-1)
    return np.asarray((np.log(least) + top)[..., 0], dtype=np.float64), np.asarray(best, dtype=np.int64)


def slack(rate: Reals | float, mass: float, exponents: Reals, terms: int) -> Reals:
    """What is added to log bounds so that rounding cannot make them too small, (…).

    rate: λ. mass: Σ a over all parts. exponents: (…) Σ g(λa, 0), each summed from `terms` numbers.
    """
    return np.asarray(SLACK + EPSILON * (PER_PART * mass * rate + terms * exponents), dtype=np.float64)


@dataclass(frozen=True)
class Tail:
    """A bound of one tail, with what shows it.

    Attributes:
        log_bound: natural logarithm of the bound, at most 0.
        rate, kappa: λ and κ; 0 if the bound is 1.
    """

    log_bound: float
    rate: float = 0.0
    kappa: float = 0.0


def tail(lead: float, ranges: Reals, counts: Reals, bundles: Reals, halves: bool = False) -> Tail:
    """Bounds P(S − ES ≥ lead).

    ranges, counts: (m,) `counts` single comparisons that count for up to `ranges` > 0 each; bundles: (b,)
    ranges > 0 of arbitrary variables. All are independent.
    """
    variance = float(counts @ ranges**2 + bundles @ bundles) / 4
    if lead <= 0 or variance == 0:
        return Tail(0.0)
    # the exponent λ·lead − Σ g(λa, 0) is concave in λ; Hoeffding's rate is where its bound is best
    tried = lead / variance * np.geomspace(0.7, 4.0, 60)
    plain = counts @ bundle(tried * ranges[:, None]) - tried * lead
    nodes, weight = condensed(bundles)
    plain += weight @ bundle(tried * nodes[:, None])
    rates = tried[plain.argmin()] * np.asarray(RATES)
    exponents = np.tensordot(single(rates[:, None] * ranges, halves), counts, axes=(1, 0))
    exponents += (weight @ bundle(rates * nodes[:, None]))[:, None]
    logs, kappas = log_integral(exponents)
    mass, terms = float(counts @ ranges + bundles.sum()), len(ranges) + terms_of(len(bundles))
    logs += slack(rates, mass, exponents[:, 0], terms) - rates * lead
    best = int(logs.argmin())
    if logs[best] >= 0:
        return Tail(0.0)
    return Tail(float(logs[best]), float(rates[best]), KAPPAS[kappas[best]])


def _two_points(u: Reals) -> Reals:
    """For the variable 0 or 1: |1 + pζ|² = 1 + 2ρp + mp² with ζ = exp(u + iuy) − 1."""
    given = np.asarray(u, dtype=np.float64)
    u = np.minimum(given, HUGE)[..., None]
    grown = np.exp(u)
    drop = grown * _least_turn(u)
    rho = np.expm1(u) - drop
    m = np.expm1(u) ** 2 + 2 * drop
    best = np.zeros(rho.shape)  # p = 0 and p = 1 both give 0
    # elsewhere the derivative in p is 0 where u m p² + (2uρ − m) p + u − ρ = 0
    middle = 2 * u * rho - m
    root = np.sqrt(np.maximum(middle * middle - 4 * u * m * (u - rho), 0.0))
    lower = (m - 2 * u * rho - root) / (2 * u * m)
    for p in (lower, lower + root / (u * m)):
        inside = np.clip(p, 0.0, 1.0)
        np.maximum(best, 0.5 * np.log1p(inside * (2 * rho + inside * m)) - u * inside, out=best)
    return np.where(given[..., None] > HUGE, bundle(given)[..., None], best)


def _least_turn(u: Reals) -> Reals:
    """The least of 1 − cos(uy) in every cell: at one of its ends, unless uy passes a multiple of 2π."""
    angle = u * GRID
    first = 2 * np.sin(angle / 2) ** 2
    second = np.concatenate([first[..., 1:], np.zeros_like(first[..., :1])], axis=-1)
    turn = np.floor(angle / _TWO_PI)
    passes: Mask = np.concatenate(
        [turn[..., 1:] != turn[..., :-1], np.ones_like(turn[..., :1], dtype=np.bool_)], axis=-1
    )
    return np.where(passes, 0.0, np.minimum(first, second))
