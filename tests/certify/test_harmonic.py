"""AURC's weights and sums against fractions, and pools whose ties only the exact fallback can tell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool, harmonic
from certify.certificate import minimum_certificate
from certify.errors import PoolError
from certify.harmonic import UNIT, HarmonicSum, floor_weights
from certify.objectives import Aurc
from certify.replay import replay
from certify.session import Session
from certify.totals import Totals
from certify.true_cover import TrueCover

LEVELS = [0.1, 0.2, 0.3, 0.5, 0.7, 0.9]


def weight(n: int, s: int, e: int) -> Fraction:
    """n times the weight of a row in the block [s, e)."""
    return sum((Fraction(1, i) for p in range(s, e) for i in range(p + 1, n + 1)), Fraction(0)) / (e - s)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LEVELS) | st.floats(0, 1), min_size=1, max_size=16))
def test_weights_are_rounded_down_exactly(confidence):
    weights, blocks = floor_weights(np.array([confidence]))
    for row, own in enumerate(confidence):
        s, e = sum(c > own for c in confidence), sum(c >= own for c in confidence)
        assert (blocks.starts[0, row], blocks.ends[0, row]) == (s, e)
        assert weights[0, row] == int(weight(len(confidence), s, e) * UNIT)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_signs_of_sums_are_exact(data):
    n = data.draw(st.integers(1, 14))
    levels = st.lists(st.sampled_from(LEVELS), min_size=n, max_size=n)
    confidences = np.array([data.draw(levels), data.draw(levels)])
    counts = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=2 * n, max_size=2 * n))).reshape(2, n)
    _, blocks = floor_weights(confidences)
    found = blocks.total(counts, (0, 1))
    true = sum(
        (int(count) * weight(n, int(s), int(e)) for count, s, e in zip(
            counts.ravel(), blocks.starts.ravel(), blocks.ends.ravel(), strict=True
        )),
        Fraction(0),
    )  # fmt: skip
    for apart in (0, 1, -1):
        for size in (1, 10**20, 10**70, 10**90):
            shifted = found.plus(HarmonicSum.of(n, -true + Fraction(apart, size)))
            assert shifted.sign() == apart


@pytest.mark.parametrize("n", [1000, 30_000])
def test_weights_of_long_pools_stay_ordered_and_sum_to_n(n):
    confidence = np.random.default_rng(n).random((1, n))
    weights, _ = floor_weights(confidence)
    order = np.argsort(-confidence[0])
    assert (np.diff(weights[0, order]) < 0).all()
    assert weights[0, order[-1]] == UNIT // n
    assert 0 <= n * UNIT - int(weights.sum(dtype=np.int64)) < n


def tied(n: int) -> tuple[Pool, np.ndarray]:
    """Two scores with errors at positions 3, 6, 12 and 4, 5, 11: 1/4 = 1/6 + 1/12 makes the AURC equal."""
    rows = np.arange(n)
    first, second = rows.copy(), rows.copy()
    first[[0, 1, 2, 3, 6, 12]] = [3, 6, 12, 0, 1, 2]
    second[[0, 1, 2, 4, 5, 11]] = [4, 5, 11, 0, 1, 2]
    labels = (rows < 3).astype(np.int16)
    return Pool.shared(-np.stack([first, second]).astype(float)), labels


@pytest.fixture
def fractions_worked_out(monkeypatch) -> list[int]:
    """Grows by one whenever a sum is worked out as a fraction."""
    calls: list[int] = []
    exact = HarmonicSum._exact

    def counted(self):
        calls.append(1)
        return exact(self)

    monkeypatch.setattr(harmonic.HarmonicSum, "_exact", counted)
    return calls


@pytest.mark.parametrize("n", [13, 2000])
def test_an_exact_tie_goes_to_the_first_candidate(n, fractions_worked_out):
    pool, labels = tied(n)
    for order in ([0, 1], [1, 0]):
        pair = Pool.shared(pool.confidences[order]).with_objective("aurc")
        with Session(pair) as session:
            session.tell(range(n), labels.tolist())
            assert (session.verdict.certified, session.verdict.winner, session.verdict.gap) == (True, 0, 0)
    assert fractions_worked_out


@pytest.mark.parametrize("n", [13, 300])
def test_replay_and_certificate_on_a_tie(n, fractions_worked_out):
    pool, labels = tied(n)
    pair = pool.with_objective("aurc")
    run = replay(pair, labels, "static-range")
    assert (run.certified, run.winner, run.gap) == (True, 0, 0)
    found = minimum_certificate(pair, labels)
    assert (found.winner, found.proven) == (0, True)
    assert fractions_worked_out


def test_one_error_fewer_is_told_apart():
    pool, labels = tied(40)
    labels[39] = 1
    second = pool.confidences.copy()
    second[1, [38, 39]] = second[1, [39, 38]]  # B's last error one place earlier: 1/39 worse in 40·AURC
    pair = Pool.shared(second).with_objective("aurc")
    with Session(pair) as session:
        session.tell(range(40), labels.tolist())
        assert session.verdict.winner == 0
    reverse = Pool.shared(second[::-1].copy()).with_objective("aurc")
    with Session(reverse) as session:
        session.tell(range(40), labels.tolist())
        assert session.verdict.winner == 1


def test_where_rounding_hides_the_cover_another_is_found(monkeypatch):
    """A cover of the relaxed program that is no certificate gives way to a true one."""
    rng = np.random.default_rng(6)
    pool = Pool.binary(rng.integers(0, 2, (3, 40)), np.round(rng.random((3, 40)), 1)).with_objective("aurc")
    labels = rng.integers(0, 2, 40)
    best = minimum_certificate(pool, labels)
    certifies, refused = TrueCover.certifies, []

    def refusing(self, rows):
        if not refused:
            refused.append(rows)
            return False
        return certifies(self, rows)

    monkeypatch.setattr(TrueCover, "certifies", refusing)
    found = minimum_certificate(pool, labels)
    assert best.proven
    assert best.size <= found.size <= best.size + 1
    assert found.winner == best.winner
    monkeypatch.setattr(TrueCover, "certifies", lambda self, rows: False)
    with pytest.raises(PoolError, match="no certificate was found"):
        minimum_certificate(pool, labels)


def test_totals_are_refused_and_long_pools_too(monkeypatch):
    pool, _ = tied(13)
    with pytest.raises(PoolError, match="AURC"):
        Totals.of(pool.with_objective("aurc"), {"0": 10, "1": 3})
    monkeypatch.setattr("certify.objectives.aurc.MAX_ROWS", 12)
    with pytest.raises(PoolError, match="13 rows; AURC"):
        pool.with_objective(Aurc())
