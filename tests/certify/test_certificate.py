from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.bounds import EXACT, Requirement, best, initial_lower, lower_after
from certify.budget import prelabel_bound
from certify.certificate import covering_program, minimum_certificate
from certify.errors import PoolError
from certify.policies import POLICIES
from certify.replay import replay
from certify.tolerance import exact_tolerance
from solvers import checker
from tests.certify.examples import (
    FIGURE_1,
    FIGURE_2,
    FIGURE_2_LABELS,
    FIGURE_3,
    FIGURE_3_LABELS,
    cyclic_shift,
    worst_case,
)
from tests.certify.reference import certificate_size_of, labelled_pools, verdict_of


@settings(max_examples=400, deadline=None)
@given(labelled_pools(max_rows=7, max_candidates=4))
def test_size_equals_exhaustive_search(case):
    pool, labels = case
    found = minimum_certificate(pool, labels)
    assert found.size == certificate_size_of(pool, labels)
    assert found.lower_bound == found.size
    codes = np.full(pool.n, -1, dtype=np.int16)
    codes[found.rows] = labels[found.rows]
    assert verdict_of(pool, codes)[:2] == (True, found.winner)


@settings(max_examples=200, deadline=None)
@given(labelled_pools(max_rows=6, max_candidates=4), st.fractions(Fraction(1, 100), Fraction(1, 4)))
def test_size_within_a_tolerance_equals_exhaustive_search(case, tolerance):
    pool, labels = case
    found = minimum_certificate(pool, labels, tolerance)
    slack = Requirement.of(tolerance, pool.risks.scale).slack
    assert found.size == certificate_size_of(pool, labels, slack)
    assert found.lower_bound == found.size


@settings(max_examples=300, deadline=None)
@given(labelled_pools(max_rows=12), st.sampled_from(POLICIES), st.sampled_from(["0", "0.03"]))
def test_bound_certificate_and_labels_read_are_in_order(case, policy, tolerance):
    pool, labels = case
    found = minimum_certificate(pool, labels, tolerance)
    read = replay(pool, labels, policy, tolerance).labels_read
    assert prelabel_bound(pool, tolerance) <= found.size <= read
    assert found.proven


@settings(max_examples=100, deadline=None)
@given(labelled_pools(max_rows=8), st.sampled_from(["0", "0.05"]))
def test_proof_is_accepted_by_the_checker(case, tolerance):
    pool, labels = case
    found = minimum_certificate(pool, labels, tolerance)
    problems = [
        checker.Problem(section.program.demands.tolist(), section.program.gains.tolist(), section.program.n)
        for section in found._sections
    ]
    assert checker.check(found.proof, problems)


def test_figure_2():
    found = minimum_certificate(FIGURE_2, FIGURE_2_LABELS)
    assert (found.size, found.winner, found.rows.tolist()) == (3, 1, [0, 1, 2])
    program = covering_program(
        FIGURE_2.risks, FIGURE_2_LABELS.astype(np.int16), initial_lower(FIGURE_2.risks), EXACT, 1
    )
    assert program.demands.tolist() == [7]
    assert program.gains.tolist() == [[2, 2, 4, 0]]


def test_figure_3():
    found = minimum_certificate(FIGURE_3, FIGURE_3_LABELS)
    assert (found.size, found.winner, found.rows.tolist()) == (2, 0, [0, 1])


def test_figure_1_in_both_labellings():
    assert minimum_certificate(FIGURE_1, [0, 1]).size == 1
    assert minimum_certificate(FIGURE_1, [1, 0]).size == 2


@pytest.mark.parametrize("n", [2, 5, 9])
def test_worst_case_needs_all_rows_but_one(n):
    assert minimum_certificate(worst_case(n), np.zeros(n, dtype=int)).size == n - 1


def test_cyclic_shift_stays_above_its_bound():
    pool = cyclic_shift(200, 18)
    labels = np.random.default_rng(3).integers(0, 2, 200)
    found = minimum_certificate(pool, labels)
    assert found.proven
    assert found.size >= 18


def test_duplicates_of_the_winner_need_no_label():
    pool = Pool.shared(np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]]))
    assert minimum_certificate(pool, [1, 0, 1]).size == 0


def test_rows_without_labels_are_not_used():
    pool = Pool.shared(np.array([[6.0, 5, 4, 3, 2, 1], [1.0, 2, 3, 4, 5, 6]]))
    labels: list[int | None] = [0, 0, 0, 1, 1, 1]
    whole = minimum_certificate(pool, labels)
    hidden = int(whole.rows[0])
    labels[hidden] = None
    found = minimum_certificate(pool, labels)
    assert (whole.size, whole.winner) == (2, 0)
    assert hidden not in found.rows
    assert (found.size, found.winner) == (3, 0)


def test_labels_that_decide_nothing_are_refused():
    with pytest.raises(PoolError, match="certify nobody: 3 of 4 rows"):
        minimum_certificate(FIGURE_2, [1, None, None, None])
    lower = lower_after(FIGURE_2.risks, np.array([1, -1, -1, -1], dtype=np.int16))
    assert not best(lower, Requirement.of(exact_tolerance("0"), 32))[1]


@pytest.mark.parametrize("backend", ["auto", "highs", "sifting"])
def test_back_ends_agree(backend):
    rng = np.random.default_rng(5)
    pool = Pool.binary(rng.random((4, 60)) < 0.4, np.round(rng.random((4, 60)), 1))
    labels = (rng.random(60) < 0.4).astype(int)
    found = minimum_certificate(pool, labels, backend=backend)
    assert (found.size, found.winner) == (31, 0)


def test_records_are_the_rows_with_their_ids() -> None:
    pool = FIGURE_2.with_ids(["r1", "r2", "r3", "r4"])
    found = minimum_certificate(pool, FIGURE_2_LABELS)
    assert found.records(pool) == [{"row": int(row), "id": pool.ids[row]} for row in found.rows]
