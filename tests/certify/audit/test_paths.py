"""The path auditor: enumeration at every prefix, the engine's claims accepted, every wrong one rejected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.audit import paths
from certify.audit.paths import PathClaim, PathPool, check_path, possible_labels
from certify.audit.report import Lie
from certify.bounds import initial_lower, row_gains
from certify.replay import replay
from certify.tolerance import exact_tolerance
from tests.certify.examples import FIGURE_2, FIGURE_2_LABELS, FIGURE_3, FIGURE_3_LABELS
from tests.certify.reference import completion_risks, labelled_pools, verdict_of, weights_of


def seen_by_auditor(pool: Pool) -> PathPool:
    return PathPool.of(pool.confidences, pool.predictions, len(pool.classes))


def bounds_of(risks, labels, rows):
    """The engine's L at every prefix, one label at a time."""
    steps = [initial_lower(risks)]
    for row in rows:
        steps.append(steps[-1] + row_gains(risks, int(row), int(labels[row])))
    return np.array(steps)


def claim_of(pool, labels, policy="static-range", tolerance="0", budget=None):
    run = replay(pool, labels, policy, tolerance, budget)
    return PathClaim(
        run.rows,
        labels[run.rows],
        run.certified,
        run.winner,
        run.gap,
        exact_tolerance(tolerance),
        bounds_of(pool.risks, labels, run.rows),
    )


@settings(max_examples=100, deadline=None)
@given(
    labelled_pools(max_rows=6),
    st.sampled_from(["static-range", "adaptive-pair-sum", "random", "model-selector"]),
    st.sampled_from(["0", "0.02", "0.1"]),
    st.none() | st.integers(0, 6),
)
def test_every_path_of_the_engine_passes(case, policy, tolerance, budget):
    pool, labels = case
    claim = claim_of(pool, labels, policy, tolerance, budget)
    assert check_path(seen_by_auditor(pool), claim, labels) == len(claim.rows) + 1


@settings(max_examples=100, deadline=None)
@given(labelled_pools(max_rows=5), st.data())
def test_bounds_are_those_of_all_completions_and_no_others_pass(case, data):
    pool, labels = case
    rows = np.array(data.draw(st.permutations(range(pool.n))), dtype=np.int64)
    read = data.draw(st.integers(0, pool.n))
    rows = rows[:read]
    codes = np.full(pool.n, -1, dtype=np.int16)
    truth = []
    verdicts = []
    for row in [None, *rows]:
        if row is not None:
            codes[row] = labels[row]
        risks = completion_risks(pool, codes)
        truth.append((risks[:, :, None] - risks[:, None, :]).min(axis=0))
        verdicts.append(verdict_of(pool, codes))
    certified, winner, excess = verdicts[-1]
    gap = Fraction(excess, 2 * pool.n**2)
    claim = PathClaim(rows, labels[rows], certified, winner, gap, lower=np.array(truth))
    audited = seen_by_auditor(pool)
    if any(sure for sure, _, _ in verdicts[:-1]):
        with pytest.raises(Lie, match="was certifiable after"):
            check_path(audited, claim, labels)
        return
    assert check_path(audited, claim, labels) == read + 1
    at = data.draw(st.integers(0, read))
    wrong = claim.lower.copy()
    j, k = data.draw(st.permutations(range(pool.candidates)))[:2]
    wrong[at, j, k] += data.draw(st.sampled_from([-1, 1]))
    with pytest.raises(Lie, match=f"after {at} labels"):
        check_path(audited, replace(claim, lower=wrong), labels)


@settings(max_examples=100, deadline=None)
@given(labelled_pools(max_rows=7))
def test_labels_to_try_cover_all_that_a_label_can_do(case):
    pool, _ = case
    audited = seen_by_auditor(pool)
    weights = np.array([weights_of(list(row)) for row in pool.confidences])
    assert (audited.weights == weights).all()
    predictions = np.broadcast_to(pool.predictions, weights.shape)
    for pair, (j, k) in enumerate(audited.pairs):
        values = [
            weights[j] * (predictions[j] != v) - weights[k] * (predictions[k] != v)
            for v in range(len(pool.classes))
        ]
        assert (audited.least[pair] == np.min(values, axis=0)).all()
        assert (audited.most[pair] == np.max(values, axis=0)).all()


def test_a_class_that_nobody_predicts_is_tried_where_there_are_many():
    predictions = np.array([[0, 2, 7], [1, 2, 9]])
    tried = np.array(possible_labels(predictions, 10))
    assert tried[:2].tolist() == predictions.tolist()
    assert tried[2].tolist() == [2, 0, 0]


@pytest.fixture(scope="module")
def longer():
    rng = np.random.default_rng(5)
    pool = Pool.binary(rng.random((4, 400)) < 0.4, np.round(rng.random((4, 400)), 2))
    labels = (rng.random(400) < 0.4).astype(np.int16)
    claim = claim_of(pool, labels)
    assert 100 < len(claim.rows) < 399
    return pool, labels, claim


def rejected(pool, labels, claim, match):
    with pytest.raises(Lie, match=match):
        check_path(seen_by_auditor(pool), claim, labels)


def test_a_stop_one_label_early_is_rejected(longer):
    pool, labels, claim = longer
    early = replace(claim, rows=claim.rows[:-1], labels=claim.labels[:-1], lower=None)
    rejected(pool, labels, early, "claimed certified: True after")


def test_a_stop_one_label_late_is_rejected(longer):
    pool, labels, claim = longer
    rows = np.append(claim.rows, np.setdiff1d(np.arange(pool.n), claim.rows)[0])
    late = replace(claim, rows=rows, labels=labels[rows], lower=None)
    rejected(pool, labels, late, f"was certifiable after {len(claim.rows)} of {len(rows)}")


def test_a_certified_path_that_claims_not_to_be_is_rejected(longer):
    pool, labels, claim = longer
    rejected(pool, labels, replace(claim, certified=False), "claimed certified: False")


def test_another_winner_or_gap_is_rejected(longer):
    pool, labels, claim = longer
    for other in set(range(pool.candidates)) - {claim.winner}:
        rejected(pool, labels, replace(claim, winner=other), f"the test returns {claim.winner}")
    rejected(pool, labels, replace(claim, gap=claim.gap + Fraction(1, 10**9)), "gap")


def test_a_weight_off_by_one_is_rejected(longer):
    pool, labels, claim = longer
    for row in (0, 199, 399):
        weights = pool.risks.weights.copy()
        weights[claim.winner, row] += 1
        lower = bounds_of(replace(pool.risks, weights=weights), labels, claim.rows)
        rejected(pool, labels, replace(claim, lower=lower), "is claimed to be")


def test_a_label_read_wrong_or_twice_or_out_of_range_is_rejected(longer):
    pool, labels, claim = longer
    flipped = claim.labels.copy()
    flipped[3] = 1 - flipped[3]
    rejected(pool, labels, replace(claim, labels=flipped), "label 4: row")
    rows = claim.rows.copy()
    rows[1] = rows[0]
    rejected(pool, labels, replace(claim, rows=rows, labels=labels[rows]), "read twice")
    rows[1] = pool.n
    rejected(pool, labels, replace(claim, rows=rows), "outside the pool")
    rejected(pool, None, replace(claim, labels=claim.labels + 2), "outside the 2 classes")
    rejected(pool, labels, replace(claim, labels=claim.labels[:-1]), "one label a row")
    rejected(pool, labels, replace(claim, lower=claim.lower[:-1]), "one a prefix")


def test_python_integers_take_over_where_64_bits_could_overflow(longer, monkeypatch):
    pool, labels, claim = longer
    assert paths.whole_type(1 << 29) is np.int64
    assert paths.whole_type(1 << 31) is object
    monkeypatch.setattr(paths, "whole_type", lambda n: object)
    audited = seen_by_auditor(pool)
    assert isinstance(audited.least[0, 0], int)
    assert check_path(audited, claim, labels) == len(claim.rows) + 1
    with pytest.raises(Lie, match="the test returns"):
        check_path(audited, replace(claim, winner=(claim.winner + 1) % 4), labels)


def test_worked_examples():
    for pool, labels, read in ((FIGURE_2, FIGURE_2_LABELS, 4), (FIGURE_3, FIGURE_3_LABELS, 3)):
        claim = claim_of(pool, labels.astype(np.int16))
        assert check_path(seen_by_auditor(pool), claim, labels) == read + 1
    trajectory = claim_of(FIGURE_2, FIGURE_2_LABELS.astype(np.int16)).lower
    assert trajectory[:, 0, 1].tolist() == [-6, -2, -2, 0, 2]
    assert (-trajectory[:, 1, 0]).tolist() == [6, 6, 2, 2, 2]
