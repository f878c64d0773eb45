"""Pledges in a journal of `commit`: honest ones pass, others do not, with every hash put right."""

import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pareto import Session
from pareto.audit import audit
from pareto.audit.commits import FIRST, PLANNED, WHOLE
from pareto.samplers import commit_pledges
from pareto.samplers.commit import Commit
from pareto.samplers.commit_choice import CommitRace
from tests.pareto.audit.test_audit import Book
from tests.pareto.samplers.test_commit import Hasty
from tests.pareto.voting import Clock, judge_all, open_session


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    path = tmp_path_factory.mktemp("commit") / "honest"
    with open_session("commit", path) as session:
        judge_all(session)
    return path


@pytest.fixture
def book(honest, tmp_path):
    return Book(shutil.copy(honest, tmp_path / "j"))


def pledging(book):
    return next(body["staked"] for body in book.bodies("round") if body["staked"]["pledged"])


def refused(book, words):
    failure = audit(book.save()).first_failure
    assert failure is not None
    assert failure.name == "decisions"
    assert words in failure.detail


def test_shares_are_those_of_the_method():
    assert (
        WHOLE,
        float(PLANNED),
        float(FIRST),
    ) == (commit_pledges.WHOLE, commit_pledges.PLANNED, commit_pledges.FIRST)


def test_an_honest_journal_says_what_was_pledged(book):
    found = audit(book.save())
    assert found.ok
    assert "batches of pledges" in found.checks[-1].detail


def test_shares_of_more_than_the_whole(book):
    pledging(book)["pledged"][0] = WHOLE + 1
    refused(book, "shares add up")


@pytest.mark.parametrize("share", [0, -1, 0.5, None])
def test_a_share_that_is_none(book, share):
    pledging(book)["pledged"][0] = share
    refused(book, "not pledges")


def test_a_smaller_share_needs_more_capital(book):
    pledging(book)["pledged"][0] = 1
    refused(book, "do not bear that out")


def test_a_large_allowance_needs_more_capital(book):
    pledging(book)["pledged"][1] = 10**6
    refused(book, "do not bear that out")


def test_withdrawals_that_are_kept_quiet_about_and_pledged_twice(book):
    staked = pledging(book)
    staked["pledged"][3].append(staked["pledged"][3][0])
    refused(book, "not pledges")


def test_a_pledge_to_the_other_side(book):
    staked = pledging(book)
    share, allowance, kept, dropped = staked["pledged"]
    staked["pledged"] = [share, allowance, dropped, kept]
    refused(book, "other side")


@pytest.mark.parametrize("late", [-2, -1])
def test_a_pledge_taken_back_at_the_end(book, late):
    rounds = book.bodies("round")
    model = pledging(book)["pledged"][3][0]
    rounds[late]["staked"]["withdrawn"].append(model)
    refused(book, "was not pledged so")


@pytest.mark.parametrize("late", [-2, -1])
def test_a_pledge_made_after_its_bets(book, late):
    rounds = book.bodies("round")
    at = next(at for at, body in enumerate(rounds) if body["staked"]["rejections"])
    of = next(at for at, body in enumerate(rounds) if body["staked"]["pledged"])
    rounds[late]["staked"]["pledged"], rounds[of]["staked"]["pledged"] = rounds[of]["staked"]["pledged"], []
    assert of <= at
    refused(book, "not pledges")


@pytest.mark.parametrize("late", [-2, -1])
def test_bets_made_after_the_outcomes(book, late):
    rounds = book.bodies("round")
    at = next(at for at, body in enumerate(rounds) if body["staked"]["rejections"])
    rounds[late]["staked"]["rejections"] += rounds[at]["staked"]["rejections"]
    rounds[at]["staked"]["rejections"] = []
    refused(book, "do not bear that out")


def test_a_pledge_and_its_bets_made_with_the_claim(book):
    """An event's claims may rest on its pledges, not on its bets."""
    *before, last = (body["staked"] for body in book.bodies("round"))
    of = pledging(book)
    _, _, kept, dropped = last["pledged"] = of["pledged"]
    of["pledged"] = []
    for kind in ("rejections", "acceptances"):
        moved = [row for staked in before for row in staked[kind] if row[0] in (*kept, *dropped)]
        for staked in before:
            staked[kind] = [row for row in staked[kind] if row not in moved]
        last[kind] += moved
    assert last["rejections"]
    refused(book, "do not bear that out")


def test_a_claim_about_some_models_only(book):
    rounds = book.bodies("round")
    rounds[-2]["dropped"] = rounds[-1]["dropped"]
    rounds[-1]["dropped"] = []
    refused(book, "all at once")


@pytest.fixture(scope="module")
def fickle(tmp_path_factory):
    """A journal with several batches, and pledges withdrawn."""
    path = tmp_path_factory.mktemp("commit") / "fickle"
    theta = np.array([[0.5, 0.0], [0.0, 0.5], [0.2, -0.3], [-0.3, 0.2]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Commit, "race_type", Hasty)
        with open_session("commit", path) as session:
            judge_all(session, theta)
    return path


def test_withdrawals_are_counted(fickle, tmp_path):
    book = Book(shutil.copy(fickle, tmp_path / "j"))
    found = audit(book.save())
    assert found.ok
    withdrawn = sum(len(body["staked"]["withdrawn"]) for body in book.bodies("round"))
    assert withdrawn > 0
    assert f"{withdrawn} withdrawn" in found.checks[-1].detail
    next(body for body in book.bodies("round") if body["staked"]["withdrawn"])["staked"]["withdrawn"].pop()
    refused(book, "not pledges")


def leader(models, seed):
    """Strengths (K, 1): the first model ahead of all others."""
    theta = np.zeros((models, 1))
    theta[1:, 0] = -np.random.default_rng(seed).uniform(0.6, 1.8, size=models - 1)
    return theta


def recorded(path, theta, delta, seed, race=CommitRace):
    """The book of a session that ran to its end, or to its cap."""
    models, objectives = theta.shape
    path.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Commit, "race_type", race)
        with Session(
            tuple("abcd"[:models]),
            tuple("xy"[:objectives]),
            "commit",
            delta,
            seed,
            path,
            ordered=True,
            max_comparisons=20_000,
            clock=Clock(),
        ) as session:
            while queries := session.ask(None):
                session.tell(queries, [answer(query, theta, seed) for query in queries])
    return Book(path)


def answer(query, theta, seed):
    """Points out of as many as are asked for, fixed by seed and number."""
    rng = np.random.default_rng((seed, query.number))
    lead = theta[query.left] - theta[query.right]
    return {
        "xy"[r]: (int(rng.binomial(query.count, 1 / (1 + np.exp(-lead[r])))), query.count)
        for r in query.objectives
    }


def claimed_with_a_pledge(book):
    last = book.bodies("round")[-1]
    return bool(last["kept"]) and bool(last["staked"]["pledged"])


@pytest.fixture(scope="module")
def sudden(tmp_path_factory):
    """A journal whose claim is made with the pledge of the last model, all others having passed."""
    return recorded(tmp_path_factory.mktemp("commit") / "sudden", leader(3, 166), 0.3, 166).path


def test_a_claim_may_rest_on_a_pledge_of_its_own_event(sudden, tmp_path):
    book = Book(shutil.copy(sudden, tmp_path / "j"))
    assert claimed_with_a_pledge(book)
    found = audit(book.save())
    assert found.ok, found.first_failure


def test_a_claim_rests_on_no_pledge_to_the_other_side_in_its_own_event(sudden, tmp_path):
    book = Book(shutil.copy(sudden, tmp_path / "j"))
    pledged = book.bodies("round")[-1]["staked"]["pledged"]
    pledged[2], pledged[3] = pledged[3], pledged[2]
    refused(book, "was not pledged so")


def test_a_withdrawal_in_the_event_of_a_claim_counts(sudden, tmp_path):
    book = Book(shutil.copy(sudden, tmp_path / "j"))
    last = book.bodies("round")[-1]
    model = last["dropped"][0][0]
    last["staked"]["withdrawn"].append(model)
    last["staked"]["pledged"][3].append(model)  # pledged anew, so what it won before counts no more
    refused(book, "do not bear that out")


@given(
    st.integers(2, 4),
    st.integers(1, 2),
    st.sampled_from([0.02, 0.1, 0.3, 0.5, 0.8]),
    st.sampled_from([0.4, 1.0, 2.0]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_untampered_journals_pass(tmp_path, models, objectives, delta, scale, hasty, seed):
    theta = scale * np.random.default_rng(seed).normal(size=(models, objectives))
    book = recorded(tmp_path / "j", theta, delta, seed, Hasty if hasty else CommitRace)
    found = audit(book.path)
    assert found.ok, found.first_failure
