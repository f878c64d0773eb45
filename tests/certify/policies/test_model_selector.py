from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.paths import whole_order
from certify.policies import Seen, make_policy, propose
from certify.policies.model_selector import NOISE, Partitions
from certify.replay import replay
from tests.certify.reference import labelled_pools

GAMMA = (1 - NOISE) / NOISE
PATTERNS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=np.int16).T


def entropy_of(weights) -> float:
    total = sum(weights)
    return -sum(w / total * log2(w / total) for w in weights)


def score_of(predictions, right) -> float:
    """Σ over the predicted classes of H_c − H, from the updated beliefs themselves."""
    belief = [GAMMA**count for count in right]
    updated = [
        [weight * (GAMMA if own == label else 1) for weight, own in zip(belief, predictions, strict=True)]
        for label in set(predictions)
    ]
    return sum(entropy_of(weights) - entropy_of(belief) for weights in updated)


@pytest.mark.parametrize(
    ("right", "entropy", "expected"),
    [
        ((0, 0, 0), 1.584962501, (1.5849625, 1.58085006, 1.58085006, 1.58085006, 1.5849625)),
        ((1, 0, 0), None, (1.58070384, 1.57683699, 1.57683699, 1.57621286, 1.58070384)),
        ((5, 3, 0), 1.51352677, (1.51352677, 1.51167673, 1.50951072, 1.50874919, 1.51352677)),
    ],
)
def test_expected_entropies_of_three_candidates_and_two_classes(right, entropy, expected):
    partitions, of_row = Partitions.of(PATTERNS)
    before = entropy_of([GAMMA**count for count in right])
    if entropy is not None:
        assert before == pytest.approx(entropy, abs=1e-8)
    changes = partitions.entropy_changes(np.array(right))[of_row]
    assert before + changes / 2 == pytest.approx(expected, abs=1e-8)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_scores_of_partitions_equal_those_of_rows(data):
    candidates, n = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 8))
    cells = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    predictions = np.array([data.draw(cells) for _ in range(candidates)], dtype=np.int16)
    right = data.draw(st.lists(st.integers(0, 40), min_size=candidates, max_size=candidates))
    partitions, of_row = Partitions.of(predictions)
    expected = [score_of(predictions[:, row].tolist(), right) for row in range(n)]
    assert partitions.entropy_changes(np.array(right))[of_row] == pytest.approx(expected, abs=1e-12)
    splits = {tuple(np.unique(predictions[:, row], return_inverse=True)[1]) for row in range(n)}
    assert len(partitions.starts) <= len(splits)


def test_thousands_of_labels_leave_finite_scores():
    partitions, _ = Partitions.of(PATTERNS)
    assert np.isfinite(partitions.entropy_changes(np.array([100_000, 50, 0]))).all()


@st.composite
def partly_told(draw):
    """A pool, all labels, what was told so far (with some wrong rows skipped), and a seed."""
    pool, labels = draw(labelled_pools(max_rows=10))
    order = draw(st.permutations(range(pool.n)))
    told = order[: draw(st.integers(0, pool.n - 1))]
    skipped = draw(st.sets(st.sampled_from(order[len(told) :]), max_size=2))
    readable = np.ones(pool.n, dtype=bool)
    readable[list(told) + list(skipped)] = False
    return pool, labels, seen_of(pool, labels, told), readable, draw(st.integers(0, 50))


def seen_of(pool, labels, told, corrections=0) -> Seen:
    known = np.full(pool.n, -1, dtype=np.int16)
    known[list(told)] = labels[list(told)]
    nothing = np.zeros((pool.candidates, pool.candidates), dtype=np.int64)
    return Seen(nothing, known, np.array(told, dtype=np.int64), corrections)


def predictions_of(pool):
    return np.broadcast_to(pool.predictions, pool.risks.weights.shape)


@settings(max_examples=120, deadline=None)
@given(partly_told(), st.integers(1, 4))
def test_rows_are_the_best_disputed_ones_and_then_the_agreed(case, m):
    pool, labels, seen, readable, seed = case
    predictions = predictions_of(pool)
    right = [int((own[seen.told] == labels[seen.told]).sum()) for own in predictions]
    disputed = (predictions != predictions[0]).any(axis=0)
    score = [score_of(predictions[:, row].tolist(), right) for row in range(pool.n)]
    left = set(np.flatnonzero(readable).tolist())
    found = propose(make_policy("model-selector", pool, seed), seen, readable, (), m)
    assert len(found) == min(m, len(left))
    for row in found:
        assert row in left
        better = [score[other] for other in left if disputed[other]]
        assert not better or (disputed[row] and score[row] <= min(better) + 2e-12)
        left.remove(row)


@settings(max_examples=120, deadline=None)
@given(partly_told(), st.integers(1, 4), st.integers(0, 9))
def test_closing_or_holding_a_row_only_takes_it_out(case, m, which):
    pool, _, seen, readable, seed = case
    order = propose(make_policy("model-selector", pool, seed), seen, readable, (), pool.n)
    assert propose(make_policy("model-selector", pool, seed), seen, readable, (), m) == order[:m]
    if order:
        gone = order[which % len(order)]
        rest = [row for row in order if row != gone]
        assert propose(make_policy("model-selector", pool, seed), seen, readable, {gone}, m) == rest[:m]
        closed = readable.copy()
        closed[gone] = False
        assert propose(make_policy("model-selector", pool, seed), seen, closed, (), m) == rest[:m]


@settings(max_examples=80, deadline=None)
@given(partly_told())
def test_a_policy_that_was_asked_before_answers_like_a_new_one(case):
    pool, labels, seen, readable, seed = case
    used = make_policy("model-selector", pool, seed)
    for count in range(len(seen.told)):
        earlier = seen.told[:count]
        used.stretch(seen_of(pool, labels, earlier), readable, 1)
    new = make_policy("model-selector", pool, seed)
    assert propose(used, seen, readable, (), 3) == propose(new, seen, readable, (), 3)
    corrected = seen_of(pool, (labels + 1) % len(pool.classes), seen.told, corrections=1)
    new = make_policy("model-selector", pool, seed)
    assert propose(used, corrected, readable, (), 3) == propose(new, corrected, readable, (), 3)


def test_ties_are_drawn_uniformly_and_anew_for_every_label():
    n = 8
    pool = Pool.binary(np.stack([np.zeros(n), np.ones(n)]).astype(int), np.ones((2, n)))
    readable = np.ones(n, dtype=bool)
    labels = np.zeros(n, dtype=np.int16)
    seeds = 1500
    firsts, seconds = np.zeros(n), np.zeros((n, n))
    for seed in range(seeds):
        policy = make_policy("model-selector", pool, seed)
        (first,) = propose(policy, seen_of(pool, labels, []), readable, (), 1)
        (second,) = propose(policy, seen_of(pool, labels, [7]), readable, (), 1)  # row 7 told, not closed
        firsts[first] += 1
        seconds[first, second] += 1
    assert np.abs(firsts / seeds - 1 / n).max() < 4.5 * np.sqrt(1 / n / seeds)
    assert np.abs(seconds / seeds - 1 / n**2).max() < 4.5 * np.sqrt(1 / n**2 / seeds)


def test_ties_of_a_seed_are_drawn_alike_for_ever():
    n = 12
    pool = Pool.binary(np.stack([np.zeros(n), np.ones(n)]).astype(int), np.ones((2, n)))
    seen = seen_of(pool, np.zeros(n, dtype=np.int16), [])
    order = propose(make_policy("model-selector", pool, 1), seen, np.ones(n, dtype=bool), (), n)
    assert order == [5, 8, 7, 0, 11, 3, 6, 9, 1, 4, 2, 10]


def test_identical_predictions_are_read_at_random():
    n = 40
    pool = Pool.shared(np.random.default_rng(5).random((3, n)))
    assert sorted(whole_order(pool, "model-selector", 3).tolist()) == list(range(n))
    assert whole_order(pool, "model-selector", 3).tolist() == whole_order(pool, "random", 3).tolist()


def test_duplicates_keep_their_share_of_the_belief():
    # three copies against one: with four beliefs of ¼ rows 0 and 1 differ, for two candidates they would not
    predictions = [[0, 0], [0, 0], [0, 1], [1, 1]]
    confidences = [[0.9, 0.8], [0.9, 0.8], [0.7, 0.8], [0.6, 0.5]]
    pool = Pool.binary(predictions, confidences)
    policies = [make_policy("model-selector", pool, seed) for seed in range(20)]
    seen = seen_of(pool, np.zeros(2, dtype=np.int16), [])
    found = {propose(policy, seen, np.ones(2, dtype=bool), (), 1)[0] for policy in policies}
    assert found == {1}
    assert score_of([0, 0, 1, 1], [0] * 4) < score_of([0, 0, 0, 1], [0] * 4)


def test_long_run_reads_disputed_rows_first_and_stops_certified():
    rng = np.random.default_rng(2)
    n, truth = 2000, rng.integers(0, 5, 2000)
    predictions = np.where(rng.random((6, n)) < 0.9, truth, rng.integers(0, 5, (6, n)))
    pool = Pool.multiclass(predictions, rng.random((6, n)), range(5))
    found = replay(pool, truth.astype(np.int16), "model-selector", seed=1)
    disputed = (predictions != predictions[0]).any(axis=0)
    assert found.certified
    assert len(set(found.rows.tolist())) == found.labels_read
    assert disputed[found.rows[: disputed.sum()]].all()
