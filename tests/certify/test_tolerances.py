from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.bounds import Requirement, best, excesses, lower_after
from certify.errors import PoolError
from certify.paths import BoundPath, whole_order
from certify.replay import replay
from certify.tolerance import exact_tolerance
from certify.tolerances import Smallest, tolerances_along
from tests.certify.examples import FIGURE_1, FIGURE_2, FIGURE_2_LABELS
from tests.certify.reference import labelled_pools, verdict_of

GRID = ("0", "0.0005", "0.001", "0.01", "0.05", "1/7", "0.3", "2")


@st.composite
def paths(draw, **options):
    pool, labels = draw(labelled_pools(**options))
    order = draw(st.permutations(range(pool.n)))
    return pool, labels, order[: draw(st.integers(0, pool.n))]


def prefix(labels, rows):
    """Codes when only `rows` were read."""
    codes = np.full(len(labels), -1, dtype=np.int16)
    codes[list(rows)] = labels[list(rows)]
    return codes


@settings(max_examples=60, deadline=None)
@given(paths(), st.sampled_from(GRID))
def test_stops_equal_testing_after_every_label(case, tolerance):
    pool, labels, rows = case
    requirement = Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
    expected = None
    for count in range(len(rows) + 1):
        candidate, certified = best(lower_after(pool.risks, prefix(labels, rows[:count])), requirement)
        if certified:
            expected = count
            break
    found = tolerances_along(pool, labels, rows).stop(tolerance)
    assert (found.labels, found.candidate) == (expected, candidate)
    assert found.tolerance == exact_tolerance(tolerance)


@settings(max_examples=60, deadline=None)
@given(paths(), st.sampled_from(["static-range", "adaptive-pair-sum", "model-selector"]))
def test_grid_equals_one_run_for_each_tolerance(case, policy):
    pool, labels, _ = case
    whole = replay(pool, labels, policy, seed=2)
    for stop in tolerances_along(pool, labels, whole.rows).grid(GRID):
        run = replay(pool, labels, policy, stop.tolerance, seed=2)
        assert run.certified
        assert (run.labels_read, run.winner) == (stop.labels, stop.candidate)


@settings(max_examples=60, deadline=None)
@given(paths(max_rows=6), st.integers(0, 7))
def test_smallest_tolerance_is_certified_and_nothing_below_it(case, budget):
    pool, labels, rows = case
    found = tolerances_along(pool, labels, rows).smallest(budget)
    codes = prefix(labels, rows[:budget])
    scale = 2 * pool.n**2
    exact = verdict_of(pool, codes)[0]
    least = Fraction(verdict_of(pool, codes, slack=0)[2], scale)
    assert found == Smallest(Fraction(0) if exact else least, least == 0 and not exact)
    lower = lower_after(pool.risks, codes)

    def certified(tolerance):
        return best(lower, Requirement.of(tolerance, scale))[1]

    assert certified(found.tolerance) == (not found.open_end)
    assert certified(found.tolerance + Fraction(1, 10 * scale))
    assert found.tolerance == 0 or not certified(found.tolerance - Fraction(1, 10 * scale))


@settings(max_examples=60, deadline=None)
@given(paths())
def test_steps_are_the_whole_map(case):
    pool, labels, rows = case
    found = tolerances_along(pool, labels, rows)
    steps = dict(found.steps())
    assert list(steps) == sorted(steps)
    now = None
    for budget in range(len(rows) + 2):
        now = steps.get(budget, now)
        assert now == found.smallest(budget)
    values = list(steps.values())
    assert len(set(values)) == len(values)
    assert [step.tolerance for step in values] == sorted((step.tolerance for step in values), reverse=True)


@settings(max_examples=60, deadline=None)
@given(paths(), st.integers(0, 9))
def test_smallest_of_a_grid(case, budget):
    pool, labels, rows = case
    found = tolerances_along(pool, labels, rows)
    fitting = [Fraction(t) for t, stop in zip(GRID, found.grid(GRID), strict=True) if stop.labels is not None]
    fitting = [t for t in fitting if found.stop(t).labels <= budget]
    assert found.smallest_of(budget, GRID) == min(fitting, default=None)


@settings(max_examples=60, deadline=None)
@given(paths())
def test_bounds_along_a_path_are_those_after_each_label(case):
    pool, labels, rows = case
    path = BoundPath.of(pool.risks, labels, np.array(rows, dtype=np.int64))
    for count in range(len(rows) + 1):
        lower = lower_after(pool.risks, prefix(labels, rows[:count]))
        for j in range(pool.candidates):
            for k in range(pool.candidates):
                assert path.lower(j, k)[count] == lower[j, k]


def test_figure_1_open_end():
    # after y₁ = 1 candidate B has excess 0, but a tie would go to A: any tolerance above 0 is certified
    found = tolerances_along(FIGURE_1, np.array([1, 0]), [0])
    assert found.smallest(0) == Smallest(Fraction(2, 8), False)
    assert found.smallest(1) == Smallest(Fraction(0), True)
    assert (found.stop("0").labels, found.stop("1e-9").labels) == (None, 1)
    assert found.steps() == [(0, Smallest(Fraction(1, 4), False)), (1, Smallest(Fraction(0), True))]


def test_figure_2():
    found = tolerances_along(FIGURE_2, FIGURE_2_LABELS, [2, 3, 0, 1])
    assert found.excess.tolist() == [6, 2, 2, 0, 0]
    assert [found.smallest(budget).tolerance * 32 for budget in range(6)] == [6, 2, 2, 0, 0, 0]
    assert found.exact == 4
    assert found.stop("1/16").labels == 1
    with pytest.raises(PoolError, match="budget -1 is negative"):
        found.smallest(-1)


def test_a_long_path_is_one_pass():
    rng = np.random.default_rng(4)
    n = 3000
    truth = rng.random(n) < 0.5
    pool = Pool.binary((rng.random((5, n)) < 0.9) == truth, rng.random((5, n)))
    labels = truth.astype(np.int16)
    rows = whole_order(pool, "static-range")
    found = tolerances_along(pool, labels, rows)
    for tolerance in GRID[:4]:
        run = replay(pool, labels, "static-range", tolerance)
        assert (found.stop(tolerance).labels, found.stop(tolerance).candidate) == (
            run.labels_read,
            run.winner,
        )
    for budget in (0, 700, 2000, n):
        lower = lower_after(pool.risks, prefix(labels, rows[:budget]))
        assert found.excess[budget] == excesses(lower).min()


def test_rounded_weights_are_refused():
    with pytest.raises(PoolError, match="'aurc' are no whole numbers"):
        tolerances_along(FIGURE_2.with_objective("aurc"), FIGURE_2_LABELS, [0])


def test_accuracy():
    pool = FIGURE_2.with_objective("accuracy")
    found = tolerances_along(pool, FIGURE_2_LABELS, [2, 3])
    assert found.excess.tolist()[-1] == 0
    for stop in found.grid(("0", "1/4", "1/2", "1")):
        run = replay(pool, FIGURE_2_LABELS.astype(np.int16), "static-range", stop.tolerance)
        assert (run.labels_read, run.winner) == (stop.labels, stop.candidate)
