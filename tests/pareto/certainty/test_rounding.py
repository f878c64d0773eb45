"""Rounding at huge counts: bounds are not below those in forty digits, of leads that are exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from pareto.certainty import tails as module
from pareto.certainty.differences import Differences
from pareto.certainty.protection import pair_parts
from pareto.certainty.sample import Sample
from pareto.certainty.tails import EPSILON, PER_PART, SLACK, tail
from tests.pareto.certainty.reference import lead_of, log_bound, parts_of

MODELS = 4
MASS = 2 * (MODELS - 1)


def huge(comparisons):
    """Cells of about as many comparisons, with leads of a few standard deviations."""
    rng = np.random.default_rng(comparisons % 1_000_003)
    shape = (1, MODELS, MODELS)
    upper = np.triu(comparisons + rng.integers(0, comparisons // 3, shape), 1)
    won = np.triu(upper // 2 + (rng.integers(1, 8, shape) * np.sqrt(upper) / 2).astype(np.int64), 1)
    total = upper + upper.swapaxes(1, 2)
    points = (won + (upper - won).swapaxes(1, 2)).astype(np.float64)
    return Sample(points, total, halves=False, apart=True)


def excesses(sample, first=MODELS):
    """By how much bounds of pairs exceed the exact ones, and ε λ Σa of each: (m,)."""
    found = Differences(sample).tails(sample.lead)
    pairs = np.argwhere(found.rate[0] > 0)[:first]
    exact = [
        float(
            log_bound(
                lead_of(sample.points, sample.total, i, j, [1]),
                parts_of(sample.total, i, j, [1]),
                float(found.rate[0, i, j]),
                float(found.kappa[0, i, j]),
            )
        )
        for i, j in pairs
    ]
    of = (0, pairs[:, 0], pairs[:, 1])
    return found.log_bound[of] - exact, EPSILON * found.rate[of] * MASS


@pytest.mark.parametrize("comparisons", [10**6, 10**11, 10**13, 10**15])
def test_bounds_of_all_pairs_at_huge_counts(comparisons):
    excess, unit = excesses(huge(comparisons))
    assert len(excess) > 2
    assert (excess >= 0).all()
    assert (excess <= 2 * SLACK + 2 * PER_PART * unit).all()


def test_a_constant_alone_would_not_do(monkeypatch):
    monkeypatch.setattr(module, "PER_PART", 0)
    excess, unit = excesses(huge(10**15), first=6)
    assert excess.min() < -10 * SLACK
    # and there is room for what rounding does
    assert (np.abs(excess) < PER_PART * unit / 8).all()


@pytest.mark.parametrize("comparisons", [10**11, 10**15])
def test_bounds_of_one_pair_at_huge_counts(comparisons):
    sample = huge(comparisons)
    for i, j in np.argwhere(sample.lead[0] > 0)[:3]:
        lead = lead_of(sample.points, sample.total, i, j, [1])
        found = tail(sample.lead[0, i, j], *pair_parts(sample, i, j, np.ones(1)))
        if found.rate:
            exact = float(log_bound(lead, parts_of(sample.total, i, j, [1]), found.rate, found.kappa))
            most = 2 * SLACK + 2 * PER_PART * EPSILON * found.rate * MASS
            assert exact <= found.log_bound <= exact + most


def test_counts_of_today_cost_nothing():
    """At a million comparisons a cell what is added is still about the constant."""
    found = Differences(huge(10**6)).tails(huge(10**6).lead)
    assert PER_PART * EPSILON * found.rate.max() * MASS < SLACK
