"""Worth of a verdict against the nearest labelling of the whole pool that makes the choice wrong."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certify.bounds import EXACT, Requirement, best, lower_after, row_gains, satisfied
from certify.pool import Pool
from certify.report import verdict_lines, verdict_record
from certify.session import Session
from certify.worth import SCOPE, worth
from tests.certify.examples import FIGURE_1, FIGURE_2, FIGURE_2_LABELS, worst_case
from tests.certify.reference import completion_risks, completions, labelled_pools


@st.composite
def partly_read(draw):
    pool, labels = draw(labelled_pools(max_rows=6))
    unread = draw(st.lists(st.booleans(), min_size=pool.n, max_size=pool.n))
    slack = draw(st.one_of(st.none(), st.integers(0, pool.n * pool.n)))
    requirement = EXACT if slack is None else Requirement(slack, tie_rule=False)
    return pool, np.where(unread, -1, labels).astype(np.int16), requirement


def wrong_choice(risks: np.ndarray, k: int, requirement: Requirement) -> np.ndarray:
    """Labellings, by their risks (labellings, K), under which k should not have been chosen."""
    if requirement.tie_rule:
        return risks.argmin(axis=1) != k
    return risks[:, k] - risks.min(axis=1) > requirement.slack


@settings(max_examples=60, deadline=None)
@given(partly_read())
def test_no_labelling_nearer_than_the_worth_makes_the_choice_wrong(case):
    pool, codes, requirement = case
    lower = lower_after(pool.risks, codes)
    k, certified = best(lower, requirement)
    assume(certified)
    found = worth(pool.risks, codes, lower, requirement, k)
    unread = np.full(pool.n, -1)
    read = codes >= 0
    changed = (completions(pool, unread) != codes)[:, read].sum(axis=1)
    wrong = wrong_choice(completion_risks(pool, unread), k, requirement)
    assert found.labels == (min(changed[wrong].tolist(), default=None) if wrong.any() else None)


@settings(max_examples=60, deadline=None)
@given(partly_read())
def test_changing_the_labels_of_its_rows_ends_the_certificate(case):
    pool, codes, requirement = case
    lower = lower_after(pool.risks, codes)
    k, certified = best(lower, requirement)
    assume(certified)
    found = worth(pool.risks, codes, lower, requirement, k)
    if found.labels is None or found.rival is None:
        assert len(found.rows) == 0
        return
    assert found.labels == len(found.rows) == len(set(found.rows.tolist()))
    changed = codes.copy()
    for row in found.rows.tolist():
        gained = [int(row_gains(pool.risks, row, code)[found.rival, k]) for code in range(len(pool.classes))]
        changed[row] = int(np.argmin(gained))
        assert changed[row] != codes[row]
    after = lower_after(pool.risks, changed)
    assert not satisfied(after, requirement)[found.rival, k]
    back = [int(row_gains(pool.risks, row, int(codes[row]))[found.rival, k]) for row in found.rows]
    assert back == sorted(back, reverse=True)
    assert (
        set(found.rows.tolist()) <= set(found.suspects.tolist()) <= set(np.flatnonzero(codes >= 0).tolist())
    )


@settings(max_examples=60, deadline=None)
@given(partly_read())
def test_rows_that_overturn_alone_are_the_first_suspects(case):
    pool, codes, requirement = case
    lower = lower_after(pool.risks, codes)
    k, certified = best(lower, requirement)
    assume(certified)
    found = worth(pool.risks, codes, lower, requirement, k)
    alone = [
        row
        for row in np.flatnonzero(codes >= 0).tolist()
        if any(
            not satisfied(
                lower_after(pool.risks, np.where(np.arange(pool.n) == row, code, codes)), requirement
            )[:, k].all()
            for code in range(len(pool.classes))
        )
    ]
    assert set(found.suspects[: len(alone)].tolist()) == set(alone)
    assert (found.labels == 1) == bool(alone)


def test_figure_2_hangs_on_one_label():
    lower = lower_after(FIGURE_2.risks, FIGURE_2_LABELS.astype(np.int16))
    found = worth(FIGURE_2.risks, FIGURE_2_LABELS.astype(np.int16), lower, EXACT, 1)
    # r_A − r_B is 2, and the third row alone gave 4 of it
    assert (found.labels, found.rival, found.rows.tolist()) == (1, 0, [2])


def test_a_tie_that_the_rule_gives_away_overturns():
    read = np.array([0, -1], dtype=np.int16)
    lower = lower_after(FIGURE_1.risks, read)
    found = worth(FIGURE_1.risks, read, lower, EXACT, 0)
    assert (found.labels, found.rows.tolist()) == (1, [0])


def test_what_was_certain_before_any_label_cannot_be_overturned():
    twins = Pool.binary(np.zeros((2, 5), dtype=int), np.tile(np.arange(5.0), (2, 1)))
    codes = np.zeros(5, dtype=np.int16)
    found = worth(twins.risks, codes, lower_after(twins.risks, codes), EXACT, 0)
    assert (found.labels, found.rival, len(found.rows), len(found.suspects)) == (None, None, 0, 0)


@pytest.mark.parametrize("n", [2, 3, 40])
def test_the_hardest_pool_hangs_on_one_label(n: int):
    pool, codes = worst_case(n), np.zeros(n, dtype=np.int16)
    found = worth(pool.risks, codes, lower_after(pool.risks, codes), EXACT, 0)
    assert found.labels == 1


def test_tolerance_makes_a_verdict_worth_more():
    rng = np.random.default_rng(5)
    pool = Pool.binary(rng.integers(0, 2, (3, 300)), rng.random((3, 300)))
    codes = np.where(rng.random(300) < 0.9, pool.predictions[1], 1 - pool.predictions[1]).astype(np.int16)
    lower = lower_after(pool.risks, codes)
    found = [
        worth(pool.risks, codes, lower, Requirement.of(Fraction(slack), pool.risks.scale), 1).labels
        for slack in ("0", "0.001", "0.01", "0.1")
    ]
    assert None not in found
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_a_session_tells_what_its_verdict_is_worth():
    session = Session(FIGURE_2)
    session.tell([2, 3, 0], [0, 0, 1])
    assert session.verdict.worth is None
    assert verdict_lines(verdict_record(FIGURE_2, session.verdict))[1:] == [f"scope: {SCOPE}"]
    session.tell([1], [0])
    found = session.verdict.worth
    assert found is not None
    assert (found.labels, found.rows.tolist()) == (1, [2])
    _, worth_line, scope = verdict_lines(verdict_record(FIGURE_2, session.verdict))
    assert worth_line == "worth: overturned if one label is wrong, in favour of A; check first: 2, 0, 1"
    assert scope == f"scope: {SCOPE}"


def test_a_verdict_keeps_the_worth_it_had():
    rng = np.random.default_rng(2)
    pool = Pool.binary(np.zeros((2, 30), dtype=int), np.stack([np.arange(30.0), rng.permutation(30)]))
    session, fresh = Session(pool), Session(pool)
    for one in (session, fresh):
        one.skip([3])
        one.tell([row for row in range(30) if row not in (3, 7)], [1] * 14 + [0] * 14)
        assert one.verdict.certified
    verdict = session.verdict
    session.tell([0, 3, 7, 29], [0, 1, 1, 1])  # two corrections, a skip lifted, a row read later
    late, early = verdict.worth, fresh.verdict.worth
    assert late is not None
    assert early is not None
    assert (late.labels, late.rival) == (early.labels, early.rival)
    assert late.suspects.tolist() == early.suspects.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_with_rounded_weights_the_count_is_a_lower_bound(seed: int):
    rng = np.random.default_rng(seed)
    n = 5
    order = np.stack([rng.permutation(n) for _ in range(2)])  # ranks, 0 the most confident
    pool = Pool.binary(rng.integers(0, 2, (2, n)), -order.astype(float)).with_objective("aurc")
    weight = [Fraction(0)] * n
    for rank in range(n):
        weight[rank] = sum((Fraction(1, m * n) for m in range(rank + 1, n + 1)), Fraction(0))
    session = Session(pool)
    while rows := session.ask():
        session.tell(rows, [int(rng.integers(2))])
    found = session.verdict.worth
    assert found is not None
    assert not found.exact
    codes, k = session.labels, session.verdict.winner
    distances = []
    for labels in completions(pool, np.full(n, -1)):
        risks = [
            sum(
                weight[order[j, row]]
                for row in range(n)
                if pool.predictions[j % len(pool.predictions), row] != labels[row]
            )
            for j in range(2)
        ]
        if min(range(2), key=lambda j: (risks[j], j)) != k:
            distances.append(int((labels != codes)[codes >= 0].sum()))
    assert found.labels is None or found.labels >= 1
    if distances:
        assert found.labels is not None
        assert found.labels <= min(distances)
