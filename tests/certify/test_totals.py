"""Known class totals against enumeration of the completions that have them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.bounds import EXACT, Requirement, best, lower_after, row_gains
from certify.choose import choose
from certify.errors import PoolError
from certify.policies import POLICIES
from certify.pool import Pool
from certify.replay import replay
from certify.replay_with_totals import cut_short
from certify.session import Session
from certify.totals import Totals, Watch, fewest_labels_with_totals, lower_with_totals
from certify.worth import worth
from tests.certify.examples import FIGURE_1
from tests.certify.reference import completion_risks, completions, labelled_pools


@st.composite
def partly_read(draw, **options):
    pool, labels = draw(labelled_pools(max_rows=6, **options))
    unread = draw(st.lists(st.booleans(), min_size=pool.n, max_size=pool.n))
    slack = draw(st.one_of(st.none(), st.integers(0, pool.n * pool.n)))
    requirement = EXACT if slack is None else Requirement(slack, tie_rule=False)
    totals = Totals(pool.classes, np.bincount(labels, minlength=len(pool.classes)))
    return pool, labels, np.where(unread, -1, labels).astype(np.int16), totals, requirement


def possible(pool, codes, totals):
    """Labellings that agree with `codes` and the totals, and the risks under them."""
    every, risks = completions(pool, codes), completion_risks(pool, codes)
    counts = np.stack([(every == code).sum(axis=1) for code in range(len(pool.classes))], axis=1)
    kept = (counts == totals.counts).all(axis=1)
    return every[kept], risks[kept]


def verdict_of(risks, requirement):
    """(certified, candidate, its excess) by enumeration."""
    excess = (risks - risks.min(axis=1, keepdims=True)).max(axis=0)
    if requirement.tie_rule:
        winners = set(risks.argmin(axis=1).tolist())
        sure = sorted(winners) if len(winners) == 1 else []
    else:
        sure = np.flatnonzero(excess <= requirement.slack).tolist()
    winner = min(sure or range(len(excess)), key=lambda k: (excess[k], k))
    return sure, winner, int(excess[winner])


@settings(max_examples=60, deadline=None)
@given(partly_read())
def test_bounds_are_minima_over_the_completions_with_the_totals(case):
    pool, _, codes, totals, requirement = case
    _, risks = possible(pool, codes, totals)
    lower = lower_with_totals(pool.risks, codes, totals)
    assert (lower == (risks[:, :, None] - risks[:, None, :]).min(axis=0)).all()
    assert (lower >= lower_after(pool.risks, codes)).all()
    sure, winner, _ = verdict_of(risks, requirement)
    assert best(lower, requirement) == (winner, bool(sure))


@settings(max_examples=60, deadline=None)
@given(partly_read(), st.randoms(use_true_random=False))
def test_watching_label_by_label_equals_enumeration(case, random):
    pool, labels, start, totals, requirement = case
    watch = Watch(pool.risks, totals, requirement)
    codes = np.full(pool.n, -1, dtype=np.int16)
    rows = np.flatnonzero(start >= 0).tolist()
    random.shuffle(rows)
    for row in [None, *rows]:
        if row is not None:
            watch.read(row, int(labels[row]))
            codes[row] = labels[row]
        sure, winner, excess = verdict_of(possible(pool, codes, totals)[1], requirement)
        plain = lower_after(pool.risks, codes)
        assert watch.certified(codes, plain) == sure
        assert watch.answer(codes) == (winner, Fraction(excess, pool.risks.scale))
        assert sure or not best(plain, requirement)[1]  # never later than without totals


@settings(max_examples=50, deadline=None)
@given(partly_read())
def test_no_fewer_labels_than_the_live_bound_certify(case):
    pool, labels, codes, totals, requirement = case
    lower = lower_with_totals(pool.risks, codes, totals)
    if best(lower, requirement)[1]:
        return
    unread = np.flatnonzero(codes < 0)
    least = fewest_labels_with_totals(pool.risks, lower, requirement, unread, len(unread))
    for chosen in range(1 << len(unread)):
        more = codes.copy()
        rows = [row for at, row in enumerate(unread) if chosen >> at & 1]
        more[rows] = labels[rows]
        if verdict_of(possible(pool, more, totals)[1], requirement)[0]:
            assert len(rows) >= least


@settings(max_examples=60, deadline=None)
@given(partly_read())
def test_worth_under_totals_is_never_too_high(case):
    pool, _, codes, totals, requirement = case
    lower = lower_with_totals(pool.risks, codes, totals)
    k, certified = best(lower, requirement)
    if not certified:
        return
    found = worth(pool.risks, codes, lower, requirement, k, totals_known=True)
    every, risks = possible(pool, np.full(pool.n, -1), totals)
    wrong = (
        risks.argmin(axis=1) != k
        if requirement.tie_rule
        else risks[:, k] - risks.min(axis=1) > requirement.slack
    )
    read = codes >= 0
    changed = (every != codes)[:, read].sum(axis=1)
    assert not found.exact
    if wrong.any():
        assert found.labels is not None
        assert 1 <= found.labels <= changed[wrong].min()


def test_figure_1_with_totals_0_or_2_needs_no_label():
    for counts, winner in (((2, 0), 0), ((0, 2), 0)):
        totals = Totals(FIGURE_1.classes, np.array(counts))
        lower = lower_with_totals(FIGURE_1.risks, np.full(2, -1, dtype=np.int16), totals)
        assert best(lower, EXACT) == (winner, True)
    one = Totals(FIGURE_1.classes, np.array([1, 1]))
    unread = np.full(2, -1, dtype=np.int16)
    assert not best(lower_with_totals(FIGURE_1.risks, unread, one), EXACT)[1]


def large_pool(n: int, candidates: int, seed: int):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, n).astype(np.int16)
    rates = np.linspace(0.1, 0.4, candidates)[:, None]
    guesses = np.where(rng.random((candidates, n)) < rates, rng.integers(0, 5, (candidates, n)), truth)
    confidences = rng.random((candidates, n)) + (guesses == truth)
    return Pool.multiclass(guesses, confidences, range(7)), truth  # classes 5 and 6 have no row


def test_few_bounds_are_worked_out():
    pool, truth = large_pool(800, 3, 8)
    totals = Totals(pool.classes, np.bincount(truth, minlength=7))
    watch = Watch(pool.risks, totals, Requirement.of(Fraction(1, 1000), pool.risks.scale))
    codes = np.full(pool.n, -1, dtype=np.int16)
    plain = lower_after(pool.risks, codes)
    for row in np.random.default_rng(0).permutation(pool.n).tolist():
        watch.read(row, int(truth[row]))
        codes[row] = truth[row]
        plain += row_gains(pool.risks, row, int(truth[row]))
        if watch.certified(codes, plain):
            break
    assert watch.solved < (codes >= 0).sum() / 2
    assert best(lower_with_totals(pool.risks, codes, totals), watch.requirement)[1]


def by_class(pool, truth):
    counts = np.bincount(truth, minlength=len(pool.classes)).tolist()
    return dict(zip(pool.classes, counts, strict=True))


@pytest.mark.parametrize("tolerance", ["0", "0.02"])
def test_replay_driver_and_session_stop_at_the_same_label(tolerance, tmp_path):
    pool, truth = large_pool(100, 3, 2)
    known = by_class(pool, truth)
    run = replay(pool, truth, "random", tolerance)
    short = cut_short(pool, truth, run, Totals.of(pool, known), tolerance)
    verdict = choose(
        pool,
        lambda row: pool.classes[truth[row]],
        "random",
        tolerance,
        totals=known,
        journal=tmp_path / "j",
    )
    assert (verdict.certified, verdict.winner, verdict.gap) == (True, short.winner, short.gap)
    assert verdict.labels_read == short.labels_read <= run.labels_read
    assert verdict.at_least == 0
    assert verdict.totals_known
    with Session.resume(tmp_path / "j") as session:
        assert session.verdict == verdict
        assert session.totals.record() == known


@pytest.mark.parametrize("seed", range(24))
def test_rows_that_move_no_bound_are_read_under_totals_in_replays_too(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 14).astype(np.int16)
    # two accurate candidates agree on most rows, and some labels are missing
    guesses = np.where(rng.random((2, 14)) < 0.15, 1 - truth, truth)
    pool = Pool.binary(guesses, rng.random((2, 14))).with_objective("accuracy")
    codes = np.where(rng.random(14) < 0.2, np.int16(-1), truth)
    known, policy = by_class(pool, truth), POLICIES[seed % len(POLICIES)]
    run = replay(pool, codes, policy, every_row=True)
    short = cut_short(pool, codes, run, Totals.of(pool, known))
    told = [pool.classes[code] if code >= 0 else None for code in codes]
    verdict = choose(pool, told.__getitem__, policy, totals=known)
    assert (verdict.certified, verdict.winner, verdict.gap) == (short.certified, short.winner, short.gap)
    assert verdict.labels_read == short.labels_read


def test_a_resumed_session_goes_on_as_if_never_interrupted(tmp_path):
    pool, truth = large_pool(70, 3, 5)
    known = by_class(pool, truth)
    with Session(pool, totals=known) as whole:
        Session(pool, totals=known, journal=tmp_path / "j").close()
        while True:
            with Session.resume(tmp_path / "j") as part:
                rows = part.ask(7)
                assert rows == whole.ask(7)
                if not rows:
                    break
                labels = [pool.classes[truth[row]] for row in rows]
                part.tell(rows, labels)
                whole.tell(rows, labels)
                assert part.verdict == whole.verdict
        assert whole.verdict.certified


def test_labels_beyond_a_total_are_refused_and_nothing_is_recorded(tmp_path):
    pool = Pool.binary(np.zeros((2, 4), dtype=int), [[4, 3, 2, 1], [1, 2, 3, 4]])
    with Session(pool, totals="0=3,1=1", journal=tmp_path / "j") as session:
        with pytest.raises(PoolError, match="row 2: 2 labels are '1', but the totals say that 1 of the rows"):
            session.tell([0, 1, 2], ["0", "1", "1"])
        assert session.labels_read == 0
        session.tell([0, 1], ["0", "1"])
        with pytest.raises(PoolError, match="correct a wrong label first"):
            session.tell([2], ["1"])
        session.tell([1, 2], ["0", "1"])  # a correction makes room
        with pytest.raises(PoolError, match="row 0"):
            session.tell([0], ["1"])
        assert session.labels.tolist() == [0, 0, 1, -1]
    with pytest.raises(PoolError, match="2 labels are '1'"):
        Session(pool, totals="0=3,1=1", owned={0: "1", 3: "1"})


def test_totals_need_whole_weights():
    with pytest.raises(PoolError, match="AURC"):
        Session(FIGURE_1.with_objective("aurc"), totals={"0": 1, "1": 1})


def test_figure_1_in_a_session():
    assert Session(FIGURE_1, totals={"0": 2}).verdict.certified
    session = Session(FIGURE_1, totals={"0": 1, "1": 1})
    assert not session.verdict.certified
    assert session.verdict.at_least == 1
    (row,) = session.ask()
    session.tell([row], ["1"])
    assert (session.verdict.certified, session.verdict.labels_read) == (True, 1)


@pytest.mark.parametrize(
    ("given_totals", "words"),
    [
        ({"0": 1}, "sum to 1, and the pool has 2 rows, nothing is said about 1"),
        ({"0": 1, "1": 2}, "sum to 3"),
        ({"0": 1, "yes": 1}, "'yes', no class of the pool"),
        ({"0": -1, "1": 3}, "-1 of class '0' is no count"),
        ({"0": 1.5, "1": 0.5}, "1.5 of class '0' is no count"),
        ({"0": True, "1": 1}, "True of class '0'"),
        ({"0": 1, 0: 1}, "twice"),
        ("0=1,1", "'1' is not CLASS=COUNT"),
        ("0=1,1=x", "'x' of class '1'"),
        ("?=2", "means 'not labelled'"),
        ([1, 1], "do not name classes"),
    ],
)
def test_totals_that_cannot_be(given_totals, words):
    with pytest.raises(PoolError, match=words):
        Totals.of(FIGURE_1, given_totals)


def test_a_class_left_out_has_no_row():
    assert Totals.of(FIGURE_1, "1=2").record() == {"0": 0, "1": 2}
    assert Totals.of(FIGURE_1, {1: np.int64(1), 0: 1}).counts.tolist() == [1, 1]
