"""Bounds of tails: against trying all, against exact tails, against quadrature, and how close they are."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom

from pareto.certainty import tails
from pareto.certainty.tails import GRID, KAPPAS, bundle, log_integral, single, tail, weights
from tests.pareto.certainty.reference import binomial, exact_tail, largest, log_bound

NONE = np.zeros(0)


@pytest.mark.parametrize("u", [1e-6, 0.01, 0.2, 0.9, 2.5, 7.0, 28.0, 45.0])
def test_single_is_at_least_the_largest_value_in_every_cell(u):
    found = single(np.array([u]))[0]
    rng = np.random.default_rng(1)
    for cell in range(0, len(GRID), 7):
        end = GRID[cell + 1] if cell + 1 < len(GRID) else 4 * GRID[-1]
        for y in (GRID[cell], end, *rng.uniform(GRID[cell], end, 3)):
            assert found[cell] >= largest(u, y) - 1e-12


@pytest.mark.parametrize("u", [0.01, 0.2, 0.9, 2.5])
def test_single_is_not_much_larger(u):
    found = single(np.array([u]))[0]
    for cell in range(0, 70, 5):
        assert found[cell] <= max(largest(u, GRID[cell]), largest(u, GRID[cell + 1])) + 1e-6


@pytest.mark.parametrize("u", [1e-7, 1e-3, 0.05, 0.3, 2.0, 12.0, 50.0])
def test_bundle_is_the_largest_value_at_zero(u):
    found = float(bundle(np.array(u)))
    assert found >= largest(u, 0.0) - 1e-12
    assert found <= largest(u, 0.0) * (1 + 1e-4) + 1e-12
    assert found <= u * u / 8 * (1 + 1e-12)


@pytest.mark.parametrize("u", [1e-7, 1e-3, 0.05, 0.3, 0.999, 1.0, 2.0, 12.0, 50.0])
def test_bundle_in_forty_digits(u):
    with localcontext() as context:
        context.prec = 60
        size = Decimal(u)
        exact = ((size.exp() - 1) / size).ln() - 1 + size / (size.exp() - 1)
    assert float(bundle(np.array(u))) == pytest.approx(float(exact), rel=1e-14)


def test_halves_allow_for_laws_on_three_points():
    rng = np.random.default_rng(2)
    for u in (0.3, 1.0, 3.0):
        found = single(np.array([u]), halves=True)[0]
        for cell in (0, 10, 40, 80, 120):
            for low, middle, high in rng.dirichlet(np.ones(3) * 0.4, 200):
                z = u * (1 + 1j * GRID[cell])
                size = abs(low + middle * np.exp(z / 2) + high * np.exp(z))
                assert found[cell] >= math.log(size) - u * (middle / 2 + high) - 1e-12


@pytest.mark.parametrize("kappa", KAPPAS)
def test_weights_are_upper_sums_of_the_integral(kappa):
    def w(y):
        return kappa**2 / (math.pi * ((kappa - 1) ** 2 + y * y) * math.sqrt(1 + y * y))

    found = weights(kappa)
    for cell in (0, 1, 30, 59, 60, 100, 180):
        assert found[cell] >= quad(w, GRID[cell], GRID[cell + 1])[0] * (1 - 1e-9)
    assert found[-1] >= quad(w, GRID[-1], np.inf)[0] * (1 - 1e-9)
    assert found.sum() <= 1.05 * quad(w, 0, np.inf, limit=500)[0]


@st.composite
def sums(draw):
    """Cells (c, n, p) with few comparisons."""
    size = draw(st.integers(1, 5))
    cell = st.tuples(
        st.sampled_from([1, 1, 2]),
        st.integers(1, 4),
        st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.5, 0.7, 0.95, 1]),
    )
    return draw(st.lists(cell, min_size=size, max_size=size))


@given(sums(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_no_tail_exceeds_its_bound(cells, seed):
    laws = [law for c, n, p in cells for law in binomial(p, n, Fraction(c, n))]
    ranges = np.array([c / n for c, n, _ in cells])
    counts = np.array([float(n) for _, n, _ in cells])
    mean = sum(c * Fraction(p) for c, _, p in cells)
    most = sum(c for c, _, _ in cells)
    for part in np.random.default_rng(seed).uniform(0, 1, 4):
        least = mean + (most - mean) * Fraction(float(part))
        found = tail(float(least - mean), ranges, counts, NONE)
        assert found.log_bound <= 0
        assert exact_tail(laws, least) <= math.exp(found.log_bound)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_no_tail_with_halves_and_bundles_exceeds_its_bound(seed):
    rng = np.random.default_rng(seed)
    singles, clusters = rng.integers(1, 5), rng.integers(0, 3)
    laws, mean = [], Fraction(0)
    for _ in range(singles):
        low, middle, high = (Fraction(int(x), 10) for x in rng.multinomial(10, rng.dirichlet(np.ones(3))))
        laws.append({Fraction(0): float(low), Fraction(1, 2): float(middle), Fraction(1): float(high)})
        mean += middle / 2 + high
    sizes = [Fraction(int(rng.integers(2, 5)), 2) for _ in range(clusters)]
    for size in sizes:
        chances = [Fraction(int(x), 8) for x in rng.multinomial(8, rng.dirichlet(np.ones(4)))]
        law = {size * Fraction(k, 3): float(chance) for k, chance in enumerate(chances)}
        laws.append(law)
        mean += sum(size * Fraction(k, 3) * chance for k, chance in enumerate(chances))
    least = mean + Fraction(float(rng.uniform(0, 1))) * (singles + sum(sizes) - mean)
    bundles = np.array([float(size) for size in sizes])
    found = tail(float(least - mean), np.ones(1), np.array([float(singles)]), bundles, halves=True)
    assert exact_tail(laws, least) <= math.exp(found.log_bound)


@pytest.mark.parametrize(("n", "factor"), [(30, 3.0), (200, 2.0), (5000, 1.8)])
def test_bounds_are_close_to_exact_tails_of_fair_comparisons(n, factor):
    for level in (0.05, 0.01, 1e-3, 1e-5):
        wins = int(binom.isf(level, n, 0.5)) + 1
        exact = binom.sf(wins - 1, n, 0.5)
        found = tail(wins - n / 2, np.ones(1), np.array([float(n)]), NONE)
        hoeffding = math.exp(-2 * (wins - n / 2) ** 2 / n)
        assert exact <= math.exp(found.log_bound) <= factor * exact
        assert math.exp(found.log_bound) < 0.75 * hoeffding


def test_bound_is_the_upper_sum_in_forty_digits():
    parts = [(Fraction(2, 3), 3), (Fraction(1), 5), (Fraction(1, 7), 21)]
    ranges, counts = (np.array(one, dtype=float) for one in zip(*parts, strict=True))
    for lead in (1.5, 3.0, 4.25):
        found = tail(lead, ranges, counts, NONE)
        exact = float(log_bound(Fraction(lead), parts, found.rate, found.kappa))
        assert exact <= found.log_bound <= exact + 2e-9


def test_a_bound_without_its_first_cells_fails(monkeypatch):
    """The tests above can fail."""
    monkeypatch.setattr(tails, "WEIGHTS", tails.WEIGHTS * 0.4)
    wins = int(binom.isf(1e-3, 200, 0.5)) + 1
    found = tail(wins - 100, np.ones(1), np.array([200.0]), NONE)
    assert binom.sf(wins - 1, 200, 0.5) > math.exp(found.log_bound)


def test_ranges_may_differ_by_much():
    found = tail(1.7, np.array([1e-4, 2.0]), np.array([1e6, 1.0]), NONE)
    assert 0.1 < math.exp(found.log_bound) <= 1
    assert found.log_bound < tail(1.0, np.array([1e-4, 2.0]), np.array([1e6, 1.0]), NONE).log_bound


def test_no_lead_and_no_comparisons_say_nothing():
    assert tail(0.0, np.ones(1), np.ones(1), NONE) == tails.Tail(0.0)
    assert tail(1.0, NONE, NONE, NONE) == tails.Tail(0.0)
    assert tail(0.01, np.ones(1), np.array([50.0]), NONE).log_bound == 0


def test_log_integral_takes_the_best_kappa():
    exponents = np.stack([-GRID, -3 * GRID]) + 2
    logs, best = log_integral(exponents)
    sums = [[np.log((np.exp(row) * weights(kappa)).sum()) for kappa in KAPPAS] for row in exponents]
    assert np.allclose(logs, np.min(sums, axis=1))
    assert best.tolist() == np.argmin(sums, axis=1).tolist()
