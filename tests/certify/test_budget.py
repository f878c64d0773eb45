from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.bounds import EXACT, initial_lower
from certify.budget import IMPOSSIBLE, pair_requirements, plan, prelabel_bound
from certify.errors import PoolError
from tests.certify.examples import FIGURE_1, FIGURE_2, cyclic_shift, worst_case
from tests.certify.reference import small_pools


def bound_of(pool, level, candidates=None):
    """C̲ from its definition, one pair and one prefix at a time."""
    lower = initial_lower(pool.risks)
    kept = range(pool.candidates) if candidates is None else candidates
    best = None
    for k in kept:
        worst = 0
        for j in kept:
            if j == k:
                continue
            spans = sorted(map(int, pool.risks.span(j, k)), reverse=True)
            need = level(j, k) - int(lower[j, k])
            m = next((m for m in range(len(spans) + 1) if sum(spans[:m]) >= need), None)
            worst = None if m is None or worst is None else max(worst, m)
        if worst is not None:
            best = worst if best is None else min(best, worst)
    return best


def test_worked_examples():
    assert prelabel_bound(FIGURE_2) == 2
    assert prelabel_bound(FIGURE_1) == 1
    assert prelabel_bound(cyclic_shift(1000, 90)) == 90
    assert prelabel_bound(cyclic_shift(40, 20)) == 20


@settings(max_examples=300, deadline=None)
@given(small_pools(max_rows=7), st.integers(0, 12))
def test_plan_equals_its_definition(pool, budget):
    found = plan(pool, "0", budget)
    assert found.bound == bound_of(pool, lambda j, k: int(j < k)) == prelabel_bound(pool)
    assert found.bound <= pool.n
    assert found.possible == (budget >= found.bound)
    if pool.candidates > 2:
        for dropped, bound in enumerate(found.without):
            kept = [k for k in range(pool.candidates) if k != dropped]
            assert bound == bound_of(pool, lambda j, k: int(j < k), kept)
    tau = found.smallest_tolerance
    if tau == 0 and not found.open_end:
        assert found.possible
    else:
        above = tau + Fraction(1, 2 * pool.risks.scale) if found.open_end else tau
        assert prelabel_bound(pool, above) <= budget
        below = tau - Fraction(1, pool.risks.scale)
        assert below < 0 or prelabel_bound(pool, max(below, Fraction(0))) > budget


def test_lower_index_duplicate_is_impossible_to_beat():
    pool = Pool.shared(np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1], [0.1, 0.5, 0.9]]))
    requirements = pair_requirements(pool.risks, initial_lower(pool.risks), EXACT)
    assert requirements[0, 1] == IMPOSSIBLE
    assert requirements[1, 0] == 0


def test_all_confidences_equal():
    pool = Pool.shared(np.full((3, 3000), 0.5))
    assert prelabel_bound(pool) == 0


def test_worst_case_bound_is_below_its_certificate():
    assert prelabel_bound(worst_case(6)) <= 5


@pytest.mark.parametrize("tolerance", ["-1", "abc", "nan", "inf", "1/0", "1e999999999", True, None])
def test_bad_tolerances_are_refused(tolerance):
    with pytest.raises(PoolError, match="tolerance"):
        prelabel_bound(FIGURE_2, tolerance)
