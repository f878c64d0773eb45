"""Means, quantiles, ratios and lines against slow or closed forms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto.experiments.samples import Sample, fit_line, ratio, sample
from tests.pareto.experiments.rows import rows, table

counts = st.lists(st.integers(1, 10**15), min_size=2, max_size=12)


def made(comparisons, units=None):
    units = range(len(comparisons)) if units is None else units
    return Sample(np.array(comparisons, dtype=np.int64), np.array(list(units), dtype=np.int64), 0, 0)


@given(counts, st.sampled_from([0.05, 0.5, 0.95, 1.0]))
def test_a_quantile_is_the_smallest_count_that_enough_trials_do_not_exceed(values, share):
    found = made(values).quantile(share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    assert sum(value < found for value in values) < share * len(values)


def test_the_error_is_that_of_unit_means():
    found = made([1, 3, 10, 20, 5, 6], [0, 0, 1, 1, 2, 2])
    means = [Fraction(2), Fraction(15), Fraction(11, 2)]
    mean = sum(means) / 3
    variance = sum((m - mean) ** 2 for m in means) / 2
    assert found.mean == pytest.approx(float(mean))
    assert found.error**2 == pytest.approx(float(variance / 3))
    assert np.isnan(made([1, 2], [0, 0]).error)


def test_a_ratio_is_paired():
    base = made([100, 200, 400, 800])
    exact = ratio(made([300, 600, 1200, 2400]), base)
    assert (exact.mean, exact.median) == (3.0, 3.0)
    assert exact.error == pytest.approx(0.0, abs=1e-12)
    # unpaired the same numbers say little
    assert ratio(made([2400, 1200, 600, 300]), base).error > 1


def test_the_delta_method_agrees_with_the_jackknife():
    rng = np.random.default_rng(5)
    units = np.repeat(np.arange(200), 3)
    size = np.repeat(rng.lognormal(12, 0.4, 200), 3)
    under, over = (
        made((size * rng.lognormal(0, 0.2, 600) * scale).astype(np.int64), units) for scale in (1, 7)
    )
    found = ratio(over, under)
    x, y = over.unit_means()[1], under.unit_means()[1]
    left_out = np.array([np.delete(x, at).mean() / np.delete(y, at).mean() for at in range(200)])
    jackknife = np.sqrt(199 / 200 * ((left_out - left_out.mean()) ** 2).sum())
    assert found.mean == pytest.approx(x.sum() / y.sum())
    assert found.error == pytest.approx(jackknife, rel=0.02)


def test_a_ratio_takes_only_what_both_have_tried():
    found = ratio(made([10, 30, 999], [0, 1, 7]), made([5, 5, 1], [0, 1, 2]))
    assert (found.mean, found.median) == (4.0, 2.0)
    assert np.isnan(ratio(made([1, 2], [0, 1]), made([1, 2], [2, 3])).mean)


def test_counts_beyond_doubles_stay_whole():
    big = 2**53 + 1
    found = sample(table(rows("s", "m", [big, big])), "s", "m")
    assert found.only == found.largest == big


def test_a_sample_is_picked_by_its_columns():
    given_rows = table(rows("s", "m", [1, 2], delta=0.1), rows("s", "m", [7], delta=0.05, wrong=[0]))
    found = sample(given_rows, "s", "m", delta=0.05)
    assert (found.trials, found.mean, found.wrong, found.capped) == (1, 7.0, 1, 0)
    assert sample(given_rows, "s", "other") is None


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_points_of_a_line_give_it_back(slope, intercept):
    x = np.array([0.0, 1.0, 2.0, 5.0])
    found = fit_line(x, intercept + slope * x)
    assert (found.slope, found.intercept) == pytest.approx((slope, intercept), abs=1e-9)
    if abs(slope) > 1e-3:
        assert found.explained == pytest.approx(1.0)


def test_a_fit_explains_what_least_squares_does():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 30))
    found = fit_line(x, y)
    assert (found.slope, found.intercept) == pytest.approx(tuple(np.polyfit(x, y, 1)))
    assert found.explained == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
