from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import certify
from certify import Pool, Session
from certify.bounds import initial_lower, lower_after
from certify.bundled import CIFAR10_VGG16, CONFIDENCE_SCORES, IONOSPHERE, IONOSPHERE_LABELS
from certify.policies import Seen, make_policy
from certify.policies.expected_gain import moments
from certify.replay import replay


def opinions(rng, n, candidates, classes=2, skill=2.0):
    """Labels, and softmax outputs of candidates that share some of their mistakes; (K, n, classes)."""
    labels = rng.integers(0, classes, n)
    common = rng.normal(size=(n, classes))
    common[np.arange(n), labels] += skill
    scores = common + rng.normal(size=(candidates, n, classes)) * rng.uniform(0.3, 1.2, (candidates, 1, 1))
    outputs = np.exp(scores)
    return labels.astype(np.int16), outputs / outputs.sum(axis=2, keepdims=True)


def example(kind, n=100, seed=0):
    rng = np.random.default_rng(seed)
    labels, outputs = opinions(rng, n, 4, 2 if kind == "binary" else 5)
    predictions, confidences = outputs.argmax(axis=2), outputs.max(axis=2)
    if kind == "binary":
        return Pool.binary(predictions, confidences), labels
    if kind == "shared":
        entropies = (outputs * np.log(outputs)).sum(axis=2)
        scores = [confidences[0], entropies[0], confidences[1], np.round(confidences[0], 1)]
        return Pool.shared(scores), (predictions[0] != labels).astype(np.int16)
    return Pool.multiclass(predictions, confidences, range(5)), labels


KINDS = ("binary", "shared", "categorical")


@pytest.mark.parametrize(
    ("kind", "tolerance"), [("binary", "0"), ("binary", "0.003"), ("shared", "0"), ("categorical", "0")]
)
def test_reads_fewer_labels_than_adaptive_pair_sum(kind, tolerance):
    """On average over three pools of each kind, and the choice is the one all labels would give."""
    read = []
    for seed in range(3):
        pool, labels = example(kind, n=150, seed=seed)
        runs = [replay(pool, labels, name, tolerance) for name in ("expected-gain", "adaptive-pair-sum")]
        assert all(run.certified for run in runs)
        if tolerance == "0":
            assert runs[0].winner == runs[1].winner == int(pool.risks.totals(labels).argmin())
        read.append([run.labels_read for run in runs])
    ours, theirs = np.mean(read, axis=0)
    assert ours < 0.97 * theirs


def test_reads_fewer_labels_on_real_pools():
    pool = certify.read_pool(IONOSPHERE)
    codes = certify.read_labels(IONOSPHERE_LABELS, pool).codes
    assert replay(pool, codes, "expected-gain").labels_read < replay(pool, codes, "static-range").labels_read
    pool = certify.read_pool([CIFAR10_VGG16], scores=CONFIDENCE_SCORES)
    codes = certify.read_labels(CIFAR10_VGG16, pool).codes
    ours, theirs = (replay(pool, codes, name).labels_read for name in ("expected-gain", "adaptive-pair-sum"))
    assert ours < 0.7 * theirs


@pytest.mark.parametrize("kind", KINDS)
def test_labels_that_were_not_read_change_nothing(kind):
    pool, labels = example(kind, n=70)
    whole = replay(pool, labels, "expected-gain")
    rng = np.random.default_rng(1)
    for known in (0, 20, whole.labels_read - 1):
        other = rng.integers(0, len(pool.classes), pool.n).astype(np.int16)
        other[whole.rows[:known]] = labels[whole.rows[:known]]
        again = replay(pool, other, "expected-gain")
        assert again.rows[: known + 1].tolist() == whole.rows[: known + 1].tolist()


@given(st.integers(1, 3000), st.data())
def test_moments_partition_the_counts(n, data):
    told = data.draw(st.integers(0, n))
    last, following = moments(n, told)
    assert last <= told < following
    assert moments(n, last) == (last, following)
    assert moments(n, following)[0] == following


@pytest.mark.parametrize("kind", KINDS)
def test_a_fresh_policy_proposes_what_the_running_one_does(kind):
    """Between the moments at which the order changes too, and after labels came in any order."""
    pool, labels = example(kind, n=330)
    assert moments(pool.n, 5) == (0, 14)
    assert moments(pool.n, 206) == (206, 210) == moments(pool.n, 209)
    rng = np.random.default_rng(2)
    told = rng.permutation(pool.n)
    running = make_policy("expected-gain", pool, 5)
    for known in [0, 1, 13, 14, 15, 205, 206, 207, 210, pool.n - 1, pool.n]:
        codes = np.full(pool.n, -1, dtype=np.int16)
        codes[told[:known]] = labels[told[:known]]
        seen = Seen(lower_after(pool.risks, codes), codes, told[:known])
        stretches = [policy.stretch(seen, codes < 0, 3) for policy in (running, make_policy(*_same(pool)))]
        left = [part.rows[codes[part.rows] < 0].tolist() for part in stretches]
        assert left[0] == left[1]
        assert sorted(left[0]) == np.flatnonzero(codes < 0).tolist()
        assert stretches[0].labels == stretches[1].labels == moments(pool.n, known)[1] - known


def _same(pool):
    return "expected-gain", pool, 5


@pytest.mark.parametrize("kind", KINDS)
def test_resuming_correcting_and_skipping(kind, tmp_path):
    """A session resumed after every call asks the same rows as one that never stopped."""
    pool, labels = example(kind, n=60, seed=3)
    texts = [pool.classes[code] for code in labels]
    whole = Session(pool, "expected-gain", seed=2)
    Session(pool, "expected-gain", seed=2, journal=tmp_path / "kept").close()
    for turn in range(200):
        rows = whole.ask(4)
        with Session.resume(tmp_path / "kept") as session:
            assert session.ask(4) == rows
            for each in (whole, session):
                if turn % 7 == 3:
                    each.skip(rows[:1])
                if turn % 9 == 4:
                    each.tell(rows[-1:], [pool.classes[int(texts[rows[-1]] == pool.classes[0])]])
                told = rows[turn % 7 == 3 :]
                each.tell(told, [texts[row] for row in told])
        if whole.verdict.certified or not rows:
            break
    assert whole.verdict.labels_read > 20


def test_the_seed_decides():
    pool, labels = example("binary")
    first, second, other = (replay(pool, labels, "expected-gain", seed=s, budget=30) for s in (7, 7, 8))
    assert first.rows.tolist() == second.rows.tolist() != other.rows.tolist()


def test_duplicates_are_one_candidate():
    pool, labels = example("binary")
    order = [0, 1, 1, 2, 0, 3]
    twice = Pool.binary(pool.predictions[order], pool.confidences[order])
    run = replay(twice, labels, "expected-gain")
    assert run.certified
    assert order[run.winner] == replay(pool, labels, "expected-gain").winner
    alike = Pool.binary(pool.predictions[[0, 0]], pool.confidences[[0, 0]])
    assert replay(alike, labels, "expected-gain").labels_read == 0
    lower, nothing = initial_lower(alike.risks), np.full(pool.n, -1, dtype=np.int16)
    seen = Seen(lower, nothing, np.empty(0, dtype=np.int64))
    rows = make_policy("expected-gain", alike).stretch(seen, nothing < 0, 1).rows
    assert sorted(rows) == list(range(pool.n))


def test_an_exact_tie_is_settled_for_the_first():
    """Two candidates of equal risk: only rows that gain for the first have to be read."""
    rng = np.random.default_rng(4)
    labels, outputs = opinions(rng, 100, 2)
    confidences, predictions = outputs.max(axis=2), outputs.argmax(axis=2)
    mirrored = np.concatenate([np.arange(50, 100), np.arange(50)])
    labels[50:] = labels[:50]
    pair = Pool.binary(
        [np.tile(predictions[0, :50], 2), np.tile(predictions[0, :50], 2)],
        [confidences[0], confidences[0, mirrored]],
    )
    totals = pair.risks.totals(labels)
    assert totals[0] == totals[1]
    ours, theirs = (replay(pair, labels, name) for name in ("expected-gain", "adaptive-pair-sum"))
    assert ours.winner == theirs.winner == 0
    assert ours.labels_read <= theirs.labels_read


@pytest.mark.parametrize("candidates", [2, 8])
def test_nothing_can_be_won_where_ranks_and_errors_are_noise(candidates):
    """Proposition 3 of the paper: independent orders, errors independent of them."""
    rng = np.random.default_rng(6)
    n = 600
    confidences = rng.permuted(np.tile(np.arange(n, dtype=float), (candidates, 1)), axis=1)
    errors = (rng.random(n) < 0.5).astype(np.int16)
    assert replay(Pool.shared(confidences), errors, "expected-gain").labels_read > 0.9 * n


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("kind", KINDS)
def test_confidences_of_any_scale(kind, scale):
    pool, labels = example(kind, n=50)
    scores = (np.log(pool.confidences - pool.confidences.min() + 0.01) - 3) * scale
    again = Pool(pool.names, pool.classes, pool.kind, pool.predictions, scores)
    assert (again.risks.weights == pool.risks.weights).all()
    assert replay(again, labels, "expected-gain").certified


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_pools(n):
    for labels in np.ndindex(*[2] * n):
        pool = Pool.binary([[0] * n, [1] * n, [1] + [0] * (n - 1)], [np.arange(n), np.ones(n), np.arange(n)])
        assert replay(pool, np.array(labels, dtype=np.int16), "expected-gain").certified
