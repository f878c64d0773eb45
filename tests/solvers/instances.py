"""Covering programs to test with: small random ones, brute force, and the random panel model."""

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from solvers import CoveringProgram

seeded = settings(derandomize=True, deadline=None, max_examples=150)
"""The same examples on every run."""


@st.composite
def small_programs(draw, largest=9):
    """Up to 3 constraints and 9 columns, with ties, zero columns, duplicates and infeasible demands."""
    m = draw(st.integers(0, 3))
    n = draw(st.integers(0, 9))
    kinds = draw(st.lists(st.lists(st.integers(0, largest), min_size=m, max_size=m), min_size=1, max_size=5))
    picks = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=n, max_size=n))
    gains = np.array([kinds[k] for k in picks], dtype=np.int64).reshape(n, m).T
    demands = draw(st.lists(st.integers(-2, 3 * largest), min_size=m, max_size=m))
    return CoveringProgram(np.ascontiguousarray(gains), np.array(demands, dtype=np.int64))


def brute_force(program):
    """Size of the smallest cover, or None."""
    columns = [tuple(int(g) for g in column) for column in program.gains.T] or [()] * program.n
    demands = [int(d) for d in program.demands]
    sizes = [
        sum(x)
        for x in product((0, 1), repeat=program.n)
        if all(
            sum(g[j] for g, taken in zip(columns, x, strict=True) if taken) >= d
            for j, d in enumerate(demands)
        )
    ]
    return min(sizes, default=None)


def dual_value(program, p, q):
    """Σ p_j D_j / q + Σ min(0, 1 − p·g_i / q) in fractions, the slow way."""
    value = Fraction(0)
    for pj, d in zip(p, program.demands, strict=True):
        value += Fraction(pj, q) * int(d)
    for column in program.gains.T:
        value += min(Fraction(0), 1 - sum(Fraction(pj, q) * int(g) for pj, g in zip(p, column, strict=True)))
    return value


def random_panel(n, candidates, seed, error=0.2):
    """Identical predictions, independent confidence orders: the covering program of the true winner."""
    rng = np.random.default_rng(seed)
    weights = np.array([2 * n - 1 - 2 * rng.permutation(n) for _ in range(candidates)])
    wrong = (rng.random(n) < error).astype(np.int64)
    winner = int(np.argmin(weights @ wrong))
    gains, demands = [], []
    for j in range(candidates):
        if j != winner:
            difference = weights[j] - weights[winner]
            lowest = np.minimum(0, difference)
            gains.append(difference * wrong - lowest)
            demands.append(max(0, int(j < winner) - int(lowest.sum())))
    return CoveringProgram(np.array(gains), np.array(demands))
