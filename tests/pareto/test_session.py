"""Sessions: who is asked, what counts, and that interruptions change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, BradleyTerrySource, CallbackSource, Session, drive
from pareto.session.journal import Journal
from tests.pareto.voting import (
    ALL,
    MODELS,
    OBJECTIVES,
    THETA,
    Clock,
    events,
    judge,
    judge_all,
    open_session,
    opinion,
)


def cells(queries):
    return [(q.focal, q.other, q.objectives, q.count) for q in queries]


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("method", ALL)
def test_resumed_after_every_call_equals_uninterrupted(tmp_path, method, joint):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    with open_session(method, whole, joint=joint) as session:
        judge_all(session)
        result, comparisons = session.result, session.comparisons
    clock = Clock()
    open_session(method, broken, joint=joint, clock=clock).close()
    while True:
        with Session.resume(broken, clock=clock) as session:
            queries = session.ask(None)
        if not queries:
            break
        with Session.resume(broken, clock=clock) as session:
            assert session.ask(None) == queries
            judge(session, queries[::2])
        with Session.resume(broken, clock=clock) as session:
            assert session.ask(None) == queries[1::2]
            judge(session, queries[1::2])
    with Session.resume(broken) as session:
        assert session.done
        assert session.comparisons == comparisons
        assert session.result.kept == result.kept == ("a", "b")
        np.testing.assert_array_equal(session.result.estimates, result.estimates)
    assert [(kind, body) for _, kind, body in events(whole) if kind != "ask"] == [
        (kind, body) for _, kind, body in events(broken) if kind != "ask"
    ]


@pytest.mark.parametrize("method", ALL)
def test_order_of_answers_within_a_round_does_not_matter(method):
    first, second = open_session(method), open_session(method)
    queries = first.ask(None)
    assert second.ask(None) == queries
    answers = [(q.count // 2, q.count) for q in queries]
    first.tell(queries, answers)
    for query, answer in list(zip(queries, answers, strict=True))[::-1]:
        second.tell([query], [answer])
    assert first.comparisons == second.comparisons == sum(q.count for q in queries)
    assert cells(first.ask(None)) == cells(second.ask(None))
    np.testing.assert_array_equal(first.result.estimates, second.result.estimates)


def test_a_round_is_exactly_what_the_sampler_wants():
    session = open_session()
    wanted = session.state.wanted.copy()
    asked = np.zeros_like(wanted)
    for query in session.ask(None):
        asked[query.focal, query.other, query.objectives[0]] += query.count
    np.testing.assert_array_equal(asked, wanted)
    assert session.ask(5, asker="late") == []  # all of it is with somebody
    session.release()
    singles = session.ask(10**6)
    assert len(singles) == wanted.sum()
    asked[...] = 0
    for query in singles:
        asked[query.focal, query.other, query.objectives[0]] += 1
    np.testing.assert_array_equal(asked, wanted)


def test_two_askers_never_hold_the_same_comparison():
    clock = Clock()
    session = open_session(clock=clock, lease_seconds=60)
    total = session.state.outstanding
    one, two = session.ask(100, "one"), session.ask(10**6, "two")
    assert not {q.number for q in one} & {q.number for q in two}
    assert len(one) + len(two) == total
    assert session.ask(100, "one") == one  # asking again
    assert session.ask(1, "three") == []
    clock.now += 61
    three = session.ask(7, "three")  # leases have expired
    assert len(three) == 7
    assert min(q.number for q in three) > max(q.number for q in two)
    assert set(session.leases.values()) == {"three"}


def test_late_answers_count_where_room_is_left_and_are_kept_where_not():
    clock = Clock()
    session = open_session(clock=clock, lease_seconds=60)
    total = session.state.outstanding
    early = session.ask(total, "slow")
    clock.now += 61
    again = session.ask(total - 1, "quick")
    session.tell(again, ["left"] * (total - 1), "quick")
    assert (session.comparisons, session.state.outstanding) == (total - 1, 1)
    # one cell has room for one more: the first late answer in it is used, the others are not
    (i, j, r) = np.argwhere(session.state.room)[0]
    mine = [q for q in early if (q.focal, q.other, q.objectives) == (i, j, (r,))]
    others = [q for q in early if (q.focal, q.other, q.objectives) != (i, j, (r,))]
    receipt = session.tell(others[:5], ["left"] * 5, "slow")
    assert (receipt.used, receipt.surplus) == (0, 5)
    receipt = session.tell(mine[:2], ["left"] * 2, "slow")
    assert (receipt.used, receipt.surplus) == (1, 1)
    assert session.state.round == 2
    assert session.comparisons == total


def test_repeated_corrected_withdrawn_and_unknown_answers():
    session = open_session()
    queries = session.ask(4)
    numbers = [q.number for q in queries]
    assert session.tell(numbers, ["left", "right", "tie", "?"]).used == 3
    assert session.comparisons == 3
    assert session.tell(numbers, ["left", "right", "tie", "?"]).repeated == 4
    receipt = session.tell(numbers[:2], ["right", "withdrawn"])
    assert (receipt.corrected, receipt.withdrawn) == (1, 1)
    assert session.comparisons == 2
    assert session.tell([numbers[1]], [0.25]).used == 1
    assert session.state.left_points == 0 + 0.25 + 0.5
    assert session.tell([numbers[3]], ["left"]).corrected == 1  # it can be told after all
    assert session.state.unknown == 0
    assert session.comparisons == 4
    open_ = session.ask(1)
    assert session.tell(open_, ["withdrawn"]).released == 1
    assert session.leases == {}


def test_unknown_is_asked_again_as_another_query():
    session = open_session()
    total = session.state.outstanding
    queries = session.ask(total)
    session.tell(queries, ["?"] * total)
    assert (session.comparisons, session.state.unknown, session.state.outstanding) == (0, total, total)
    again = session.ask(total)
    assert len(again) == total
    assert sorted(cells(again)) == sorted(cells(queries))


def test_what_was_judged_stays():
    session = open_session()
    queries = session.ask(None)
    session.tell(queries, [(0, q.count) for q in queries])
    assert session.state.round == 2
    with pytest.raises(BattleError, match="round 1 was judged"):
        session.tell([queries[0]], [(1, queries[0].count)])
    assert session.tell([queries[0]], [(0, queries[0].count)]).repeated == 1


def test_all_of_a_call_or_nothing(tmp_path):
    with open_session(journal=tmp_path / "j") as session:
        queries = session.ask(3)
        before = session.head
        for answers in (["left", "right", "perhaps"], ["left", "right", 1.5], ["left", "right", np.nan]):
            with pytest.raises(BattleError, match="query 3"):
                session.tell(queries, answers)
        with pytest.raises(BattleError, match="no query 99"):
            session.tell([1, 2, 99], ["left"] * 3)
        with pytest.raises(BattleError, match="answered twice"):
            session.tell([1, 1], ["left", "right"])
        with pytest.raises(BattleError, match="one answer each"):
            session.tell([1, 2], ["left"])
        assert (session.head, session.comparisons) == (before, 0)


def test_batches_may_be_answered_in_part():
    session = open_session()
    total = session.state.outstanding
    query = next(q for q in session.ask(None) if q.count > 4)
    session.tell([query], [(3.0, 4)])
    assert (session.comparisons, session.state.outstanding) == (4, total - 4)


def test_one_showing_for_all_objectives_costs_one():
    session = open_session(joint=True)
    total = session.state.outstanding
    query = session.ask(1)[0]
    assert query.objectives == (0, 1)
    session.tell([query], [{"x": "left", "y": "?"}])
    assert (session.comparisons, session.state.shown, session.state.unknown) == (1, 1, 1)
    again = session.ask(10**6)
    only = [q for q in again if q.objectives == (1,)]
    assert len(only) == 1  # the objective that is missing, of the pair that was shown
    assert len(again) == total
    assert {only[0].left, only[0].right} == {query.left, query.right}
    with pytest.raises(BattleError, match="'x'"):
        session.tell(only, [{"x": "left"}])


def test_sides_are_shuffled_and_a_bias_is_seen():
    session = open_session()
    queries = session.ask(10**6)
    left = np.mean([q.focal == q.left for q in queries])
    assert 0.4 < left < 0.6
    rng = np.random.default_rng(5)
    session.tell(queries, ["left" if rng.random() < 0.8 else opinion(q) for q in queries])
    assert session.bias.visible
    assert session.bias.share > 0.75
    fair = open_session()
    fair.tell(fair.ask(10**6), [opinion(q) for q in queries])
    assert not fair.bias.visible
    # a side preferred always tells nothing about the models
    batches = open_session()
    batches.tell(*zip(*[(q, q.count) for q in batches.ask(None)], strict=True))
    means = batches.result.estimates
    assert np.abs(means - 0.5).max() < 0.03


def test_ties_are_half_or_refused():
    half = open_session()
    half.tell(half.ask(1), ["both_bad"])
    assert half.state.left_points == 0.5
    strict = open_session(ties="refuse")
    with pytest.raises(BattleError, match="decided comparisons only"):
        strict.tell(strict.ask(1), ["tie"])
    with pytest.raises(BattleError, match="whole numbers"):
        strict.tell(strict.ask(1), [0.5])


def test_a_cap_is_reported_as_a_cap():
    session = open_session("interval", max_comparisons=50)
    judge_all(session)
    assert session.result.status == "capped"
    assert session.comparisons == 50
    assert session.result.undecided


def test_drive_answers_by_a_judge_that_may_fail(tmp_path):
    calls = 0

    def compare(first, second, objective):
        nonlocal calls
        calls += 1
        if calls == 45:
            raise RuntimeError("the judge's line is down")
        return float(THETA[MODELS.index(first), OBJECTIVES.index(objective)]) > float(
            THETA[MODELS.index(second), OBJECTIVES.index(objective)]
        )

    source = CallbackSource(compare, MODELS, OBJECTIVES, ordered=True)
    journal = tmp_path / "j"
    with open_session("duel", journal) as session, pytest.raises(RuntimeError, match="line is down"):
        drive(session, source, at_once=10)
    with Session.resume(journal) as session:
        assert 34 < session.comparisons <= 44  # what was told is there, the batch that failed is not
        result = drive(session, source, at_once=10)
    assert result.kept == ("a", "b")
    assert session.bias.shown == result.comparisons


def test_drive_refuses_what_does_not_fit():
    source = BradleyTerrySource(THETA, models=MODELS, objectives=OBJECTIVES, joint=True)
    with pytest.raises(BattleError, match="one showing"):
        drive(open_session(), source)
    with pytest.raises(BattleError, match="other models"):
        drive(open_session(), BradleyTerrySource(THETA))
    silent = CallbackSource(lambda *_: None, MODELS, OBJECTIVES)
    with pytest.raises(BattleError, match="answered none"):
        drive(open_session(), silent)


def test_a_failed_commit_leaves_no_trace(tmp_path, monkeypatch):
    with open_session(journal=tmp_path / "j") as session:
        queries = session.ask(5)
        commit = Journal.commit

        def full(self, records, time):
            raise BattleError("the disk is full")

        monkeypatch.setattr(Journal, "commit", full)
        with pytest.raises(BattleError, match="disk is full"):
            session.tell(queries, ["left"] * 5)
        with pytest.raises(BattleError, match="disk is full"):
            session.ask(6)
        monkeypatch.setattr(Journal, "commit", commit)
        assert session.ask(5) == queries
        assert session.comparisons == 0
        assert session.tell(queries, ["left"] * 5).used == 5
    with Session.resume(tmp_path / "j") as session:
        assert session.comparisons == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 0.0}, "delta is 0"),
        ({"delta": 1.0}, "delta is 1"),
        ({"models": ("a",)}, "at least 2"),
        ({"models": ("a", "a")}, "named twice"),
        ({"objectives": ()}, "at least 1"),
        ({"method": "best"}, "no method 'best'"),
        ({"method": "duel"}, "ordered"),
        ({"ties": "drop"}, "half or refuse"),
        ({"margin": -1.0}, "margin"),
        ({"seed": -1}, "negative"),
        ({"asker": " "}, "no name"),
        ({"lease_seconds": 0}, "lease"),
    ],
)
def test_unusable_terms(options, message):
    with pytest.raises(BattleError, match=message):
        Session(**{"models": MODELS, "objectives": OBJECTIVES, **options})


def test_journals_are_never_overwritten_or_mistaken(tmp_path):
    path = tmp_path / "j"
    open_session(journal=path).close()
    with pytest.raises(BattleError, match="already exists"):
        open_session(journal=path)
    with pytest.raises(BattleError, match="does not exist"):
        Session.resume(tmp_path / "nothing")
    with pytest.raises(BattleError, match="no directory"):
        open_session(journal=tmp_path / "no" / "j")
    other = tmp_path / "text"
    other.write_text("not a database at all, but long enough to be read as one\n" * 20)
    with pytest.raises(BattleError, match="not a pareto journal"):
        Journal.open(other)
    with open_session(journal=tmp_path / "k") as session:
        pass
    with pytest.raises(BattleError, match="closed"):
        session.ask()
