"""Pledges in a journal of `commit`: honest ones pass, others do not, with every hash put right."""

import shutil

import numpy as np
import pytest

from pareto.audit import audit
from pareto.audit.commits import FIRST, PLANNED, WHOLE
from pareto.samplers import commit_pledges
from pareto.samplers.commit import Commit
from tests.pareto.audit.test_audit import Book
from tests.pareto.samplers.test_commit import Hasty
from tests.pareto.voting import judge_all, open_session


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


def test_a_pledge_taken_back_at_the_end(book):
    rounds = book.bodies("round")
    model = pledging(book)["pledged"][3][0]
    rounds[-2]["staked"]["withdrawn"].append(model)
    refused(book, "was not pledged so")


def test_a_pledge_made_after_its_bets(book):
    rounds = book.bodies("round")
    at = next(at for at, body in enumerate(rounds) if body["staked"]["rejections"])
    of = next(at for at, body in enumerate(rounds) if body["staked"]["pledged"])
    rounds[-2]["staked"]["pledged"], rounds[of]["staked"]["pledged"] = rounds[of]["staked"]["pledged"], []
    assert of <= at
    refused(book, "not pledges")


def test_bets_made_after_the_outcomes(book):
    rounds = book.bodies("round")
    at = next(at for at, body in enumerate(rounds) if body["staked"]["rejections"])
    rounds[-2]["staked"]["rejections"] += rounds[at]["staked"]["rejections"]
    rounds[at]["staked"]["rejections"] = []
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
