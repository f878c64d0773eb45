"""Slow and obvious counterparts: exact tails, largest values by trying, bounds in 40 decimal digits."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from pareto.certainty.tails import GRID

PI = Decimal("3.14159265358979323846264338327950288419716939937510582")


def log_modulus(u, y, p):
    """log|E exp((1 + iy)u(X − EX))| for X = 1 with probability p, else 0."""
    return np.log(np.abs(1 + p * (np.exp(u * (1 + 1j * y)) - 1))) - u * p


def largest(u, y, count=4001):
    """g(u, y) by trying many p: at most the true value."""
    with np.errstate(divide="ignore"):
        return max(0.0, float(log_modulus(u, y, np.linspace(0, 1, count)).max()))


def exact_tail(laws, least):
    """P(Σ X ≥ least) for independent X with laws {value: probability}, values and `least` fractions."""
    total = {Fraction(0): 1.0}
    for law in laws:
        new = {}
        for (a, pa), (b, pb) in itertools.product(total.items(), law.items()):
            new[a + b] = new.get(a + b, 0.0) + pa * pb
        total = new
    return sum(p for value, p in total.items() if value >= least)


def binomial(p, n, unit):
    """The laws of n independent trials that count for `unit` each."""
    return [{Fraction(0): 1 - p, Fraction(unit): p}] * n


def parts_of(total, i, j, weights):
    """(range, how many) of the single comparisons in Σ_r w_r lead_r of i over j, cell by cell."""
    found = []
    for r, weight in enumerate(weights):
        if weight == 0:
            continue
        for model in (i, j):
            numbers = [int(n) for other, n in enumerate(total[r, model]) if other not in (i, j) and n]
            found.extend((Fraction(weight) / n, n) for n in numbers)
        if total[r, i, j]:
            found.append((2 * Fraction(weight) / int(total[r, i, j]), int(total[r, i, j])))
    return found


def lead_of(points, total, i, j, weights):
    """Σ_r w_r (Σ_l p̂_il − Σ_l p̂_jl), exactly."""
    lead = Fraction(0)
    for r, weight in enumerate(weights):
        for model, sign in ((i, 1), (j, -1)):
            for other in range(total.shape[1]):
                if other != model:
                    share = Fraction(float(points[r, model, other])) / int(total[r, model, other])
                    lead += sign * Fraction(weight) * share
    return lead


def log_bound(lead, parts, rate, kappa):
    """The upper sum of the bound, in 40 digits: (log, as a Decimal). parts: (range, how many)."""
    with localcontext() as context:
        context.prec = 40
        rate, kappa = Decimal(rate), Decimal(kappa)
        grid = [Decimal(float(y)) for y in GRID]
        exponents = [Decimal(0)] * len(grid)
        merged = {}
        for size, number in parts:
            merged[size] = merged.get(size, 0) + number
        for size, number in merged.items():
            u = rate * _decimal(size)
            for k, turn in enumerate(_turns(u, grid)):
                exponents[k] += number * _largest(u, turn)
        total = Decimal(0)
        for k, y in enumerate(grid):
            if k + 1 < len(grid):
                weight = kappa**2 / ((kappa - 1) ** 2 + y * y) * (_asinh(grid[k + 1]) - _asinh(y)) / PI
            else:
                weight = (kappa / y) ** 2 / (2 * PI)
            total += weight * (exponents[k] - rate * _decimal(lead)).exp()
        return total.ln()


def _turns(u, grid):
    """The least 1 − cos over each cell."""
    found = []
    for k, y in enumerate(grid):
        if k + 1 == len(grid) or (u * y) // (2 * PI) != (u * grid[k + 1]) // (2 * PI):
            found.append(Decimal(0))
        else:
            found.append(min(1 - _cos(u * y), 1 - _cos(u * grid[k + 1])))
    return found


def _largest(u, turn):
    """max over p of ½ log(1 + 2ρp + mp²) − up, at its stationary points and ends."""
    grown = u.exp()
    rho, m = grown - 1 - grown * turn, (grown - 1) ** 2 + 2 * grown * turn
    best = Decimal(0)
    a, b, c = u * m, 2 * u * rho - m, u - rho
    inside = b * b - 4 * a * c
    if inside >= 0:
        for sign in (-1, 1):
            p = (-b + sign * inside.sqrt()) / (2 * a)
            if 0 < p < 1:
                best = max(best, (1 + 2 * rho * p + m * p * p).ln() / 2 - u * p)
    return best


def _decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def _asinh(x):
    return (x + (x * x + 1).sqrt()).ln()


def _cos(x):
    x %= 2 * PI
    term, total, k = Decimal(1), Decimal(1), 0
    while abs(term) > Decimal("1e-38"):
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    return total
