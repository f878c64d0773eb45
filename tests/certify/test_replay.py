from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.bounds import Requirement, best, excesses, initial_lower, lower_after, row_gains
from certify.errors import PoolError
from certify.policies import POLICIES, Seen, make_policy, propose
from certify.policies.orders import distinct, pair_sum_scores, range_scores
from certify.replay import replay
from certify.tolerance import exact_tolerance
from tests.certify.examples import FIGURE_2, FIGURE_2_LABELS, FIGURE_3, FIGURE_3_LABELS
from tests.certify.reference import labelled_pools, small_pools, verdict_of


def one_by_one(pool, codes, policy, tolerance, budget, seed):
    """The same run a label at a time: propose, read, test."""
    requirement = Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
    chooser = make_policy(policy, pool, seed)
    known = np.full(pool.n, -1, dtype=np.int16)
    lower = initial_lower(pool.risks)
    readable = pool.risks.matters.copy()
    rows = []
    while not best(lower, requirement)[1] and (budget is None or len(rows) < budget):
        seen = Seen(lower, known, np.array(rows, dtype=np.int64))
        proposed = propose(chooser, seen, readable, (), 1)
        if not proposed:
            break
        (row,) = proposed
        readable[row] = False
        if codes[row] >= 0:
            rows.append(row)
            known[row] = codes[row]
            lower = lower + row_gains(pool.risks, row, int(codes[row]))
    return rows, best(lower, requirement), lower


@settings(max_examples=300, deadline=None)
@given(
    labelled_pools(max_rows=12),
    st.sampled_from(POLICIES),
    st.sampled_from(["0", "0.02", "0.1"]),
    st.none() | st.integers(0, 12),
    st.sets(st.integers(0, 11)),
)
def test_replay_equals_reading_one_label_at_a_time(case, policy, tolerance, budget, unknown):
    pool, labels = case
    codes = labels.copy()
    codes[[row for row in unknown if row < pool.n]] = -1
    found = replay(pool, codes, policy, tolerance, budget, seed=3)
    rows, (winner, certified), lower = one_by_one(pool, codes, policy, tolerance, budget, seed=3)
    assert found.rows.tolist() == rows
    assert (found.winner, found.certified) == (winner, certified)
    assert (found.lower == lower).all()
    assert found.gap == Fraction(int(excesses(lower)[winner]), pool.risks.scale)


@pytest.mark.parametrize("policy", POLICIES)
def test_long_adaptive_replay(policy):
    rng = np.random.default_rng(11)
    n = 3000
    pool = Pool.binary(rng.random((5, n)) < 0.4, np.round(rng.random((5, n)), 2))
    labels = (rng.random(n) < 0.4).astype(np.int16)
    found = replay(pool, labels, policy)
    rows, (winner, certified), _ = one_by_one(pool, labels, policy, "0", None, 0)
    assert found.rows.tolist() == rows
    assert (found.winner, found.certified) == (winner, True) == (winner, certified)


@settings(max_examples=200, deadline=None)
@given(labelled_pools(), st.sampled_from(POLICIES))
def test_first_certified_prefix_is_the_first_by_brute_force(case, policy):
    pool, labels = case
    found = replay(pool, labels, policy)
    codes = np.full(pool.n, -1, dtype=np.int16)
    for row in found.rows:
        assert not verdict_of(pool, codes)[0]
        codes[row] = labels[row]
    assert verdict_of(pool, codes)[:2] == (True, found.winner)


@settings(max_examples=200, deadline=None)
@given(small_pools(max_rows=8))
def test_scores_equal_their_definitions(pool):
    risks = pool.risks
    keep = distinct(risks)
    pairs = list(risks.pairs(keep))
    spans = np.array([risks.span(j, k) for j, k in pairs] or [np.zeros(pool.n, dtype=np.int64)])
    assert range_scores(risks, keep).tolist() == spans.max(axis=0).tolist()
    assert pair_sum_scores(risks, keep).tolist() == spans.sum(axis=0).tolist()
    if pool.kind == "binary":
        signs = 1 - 2 * np.broadcast_to(pool.predictions, risks.weights.shape)
        coefficients = (risks.weights * signs)[keep]
        assert range_scores(risks, keep).tolist() == np.ptp(coefficients, axis=0).tolist()


@settings(max_examples=200, deadline=None)
@given(small_pools(max_rows=8))
def test_distinct_candidates_are_those_with_their_own_losses(pool):
    classes = range(len(pool.classes))
    predictions = np.broadcast_to(pool.predictions, pool.risks.weights.shape)
    losses = [
        tuple(tuple(int(w) * (p != v) for w, p in zip(ws, ps, strict=True)) for v in classes)
        for ws, ps in zip(pool.risks.weights, predictions, strict=True)
    ]
    assert distinct(pool.risks).tolist() == [losses.index(own) == k for k, own in enumerate(losses)]


def test_figures_2_and_3():
    found = replay(FIGURE_2, FIGURE_2_LABELS.astype(np.int16), "static-range")
    assert found.rows.tolist() == [2, 3, 0, 1]
    assert (found.certified, found.winner) == (True, 1)
    found = replay(FIGURE_3, FIGURE_3_LABELS.astype(np.int16), "static-range")
    assert found.rows.tolist() == [1, 2, 0]
    assert (found.certified, found.winner) == (True, 0)
    unread = Seen(initial_lower(FIGURE_3.risks), np.full(4, -1, dtype=np.int16), np.empty(0, dtype=np.int64))
    policy = make_policy("static-range", FIGURE_3)
    assert propose(policy, unread, np.ones(4, dtype=bool), (), 4) == [1, 2, 0, 3]


def test_duplicates_need_no_label():
    pool = Pool.shared(np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]]))
    found = replay(pool, np.array([1, 0, 1], dtype=np.int16), "adaptive-pair-sum")
    assert (found.labels_read, found.certified, found.winner) == (0, True, 0)


def test_budget_answer_is_the_smallest_worst_case_excess():
    labels = FIGURE_2_LABELS.astype(np.int16)
    found = replay(FIGURE_2, labels, "static-range", budget=3)
    lower = lower_after(FIGURE_2.risks, np.array([1, -1, 0, 0], dtype=np.int16))
    assert not found.certified
    assert found.gap == Fraction(int(excesses(lower).min()), 32)


def test_unknown_policy_lists_the_known_ones():
    with pytest.raises(PoolError, match="static-range"):
        make_policy("greedy", FIGURE_2)


@pytest.mark.parametrize("seed", [-1, True, 0.5])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_seed_that_is_no_whole_number_is_refused(policy, seed):
    pool = Pool.binary([[0, 1], [1, 0]], [[0.5, 0.6], [0.7, 0.8]])
    with pytest.raises(PoolError, match="is not a whole number ≥ 0"):
        replay(pool, np.zeros(2, dtype=np.int16), policy, seed=seed)
