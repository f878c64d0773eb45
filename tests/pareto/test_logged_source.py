"""A log as a source: the law of its outcomes, which methods work on it, and which are refused."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import (
    BattleError,
    LoggedSource,
    ProbabilitySource,
    Queries,
    Session,
    Status,
    drive,
    identify,
    target,
)
from pareto.davidson import davidson_target
from pareto.logged_source import disorder, promise
from pareto.retention import retain_counts
from pareto.samplers import METHODS, method
from tests.pareto.logs import arena, counted

ON_BORDA = [name for name in METHODS if not method(name).guarantee.needs_order]
ON_ORDER = [name for name in METHODS if method(name).guarantee.needs_order]

WINS = [
    [[0, 7, 8, 6], [3, 0, 7, 9], [2, 3, 0, 4], [1, 2, 6, 0]],
    [[0, 3, 9, 8], [7, 0, 8, 9], [1, 2, 0, 5], [3, 1, 5, 0]],
]
TIES = [np.full((4, 4), 3), np.full((4, 4), 5)]
LOG = counted(WINS, TIES)
CYCLE = counted([[[0, 9, 1], [1, 0, 9], [9, 1, 0]]])


def every_cell(counts, count):
    models, objectives = len(counts.models), len(counts.objectives)
    wanted = np.full((models, models, objectives), count, dtype=np.int64)
    wanted[np.arange(models), np.arange(models)] = 0
    return Queries.from_dense(wanted)


def test_decisive_outcomes_are_wins_at_the_rate_of_the_cell():
    source, n = LoggedSource(LOG, seed=1), 40_000
    found = source.answer(every_cell(LOG, n))
    assert found.whole
    rates = found.points / found.count
    wins, met = (a[found.objective, found.first, found.second] for a in (LOG.wins, LOG.decided))
    assert np.abs(rates - wins / met).max() < 5 * 0.5 / np.sqrt(n)


def test_half_credit_outcomes_are_wins_halves_and_losses():
    """Single draws are 0, ½ or 1, each as often as the cell has it."""
    source, n = LoggedSource(LOG, seed=2, ties="half"), 4_000
    rows = every_cell(LOG, 1)
    drawn = np.stack([source.answer(rows).points for _ in range(n)])
    where = rows.objective, rows.first, rows.second
    met = LOG.met[where]
    for points, times in ((1, LOG.wins[where]), (0.5, LOG.undecided[where])):
        assert np.abs((drawn == points).mean(axis=0) - times / met).max() < 5 * 0.5 / np.sqrt(n)
    assert set(np.unique(drawn)) == {0, 0.5, 1}


def test_fitted_outcomes_are_wins_at_the_fitted_rate():
    source, n = LoggedSource(LOG, seed=3, ties="davidson"), 40_000
    found = source.answer(every_cell(LOG, n))
    assert found.whole
    expected = davidson_target(LOG)[found.first, found.second, found.objective]
    assert np.abs(found.points / found.count - expected).max() < 5 * 0.5 / np.sqrt(n)


def test_the_same_seed_gives_the_same_outcomes():
    first, again, other = (LoggedSource(LOG, seed).answer(every_cell(LOG, 9)).points for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("ties", ["decisive", "half", "davidson"])
@pytest.mark.parametrize("name", ON_BORDA)
def test_methods_on_borda_scores_find_the_frontier_of_the_log(name, ties):
    found = identify(LoggedSource(LOG, 5, ties), name, delta=0.1)
    assert found.stopped
    assert found.kept == target(LOG, ties).kept == ("a", "b")
    assert found.status is (Status.CERTIFIED if method(name).guarantee.certified else Status.STOPPED)


def test_every_method_takes_fractions_or_is_refused_on_a_log_anyway():
    assert all(method(name).guarantee.fractions for name in ON_BORDA)
    assert "duel" in ON_ORDER


@pytest.mark.parametrize("ties", ["decisive", "half", "davidson"])
@pytest.mark.parametrize("name", ON_ORDER)
def test_methods_that_need_an_order_are_refused(name, ties):
    with pytest.raises(
        BattleError, match="majorities in a log may be cyclic or disagree with its Borda scores"
    ):
        identify(LoggedSource(LOG, ties=ties), name)


def test_the_refusal_names_an_example_if_there_is_one():
    wins = np.array([[[0, 6, 3], [4, 0, 9], [7, 1, 0]]])
    with pytest.raises(BattleError, match=r"in this one 'c' gets 0\.70 points a comparison from 'a' on 'x'"):
        identify(LoggedSource(counted(wins)), "duel")
    assert "in this one" not in disorder(target(counted([[[0, 9, 9], [1, 0, 9], [1, 1, 0]]])))
    assert "in this one" not in disorder(target(CYCLE))  # all Borda scores are equal


@pytest.mark.parametrize("ties", ["decisive", "half"])
def test_a_log_answers_a_session(ties):
    source = LoggedSource(LOG, 1, ties)
    with Session(source.models, source.objectives, method="interval", delta=0.1) as session:
        assert drive(session, source).kept == ("a", "b")


def test_a_log_has_no_order_whatever_a_session_was_told():
    source = LoggedSource(LOG)
    with (
        Session(source.models, source.objectives, method="duel", ordered=True) as session,
        pytest.raises(BattleError, match="majorities in a log"),
    ):
        drive(session, source)


def test_other_sources_are_told_how_to_declare_an_order():
    probabilities = np.full((2, 2, 1), 0.5)
    with pytest.raises(BattleError, match="declare it as ordered"):
        identify(ProbabilitySource(probabilities), "duel")


def test_what_is_promised_is_about_the_log():
    said = promise("vb-ege", target(LOG), 0.05)
    assert "With probability at least 0.95 over the resampling" in said
    assert "nothing is said about the population" in said
    assert "need not stop" not in said
    assert "need not stop" in promise("interval", target(CYCLE), 0.05)
    assert promise("bt-mle", target(LOG), 0.05).startswith("bt-mle promises nothing about the frontier of")
    assert promise("duel", target(LOG), 0.05).startswith("duel refuses a log: majorities in a log may")


def test_a_target_is_a_source_too():
    half = target(LOG, "half")
    one, other = (LoggedSource(given, 7, "half").answer(every_cell(LOG, 5)) for given in (half, LOG))
    assert np.array_equal(one.points, other.points)
    assert LoggedSource(half).target is half


def test_the_bundled_log_as_a_source():
    log = retain_counts(arena())
    found = identify(LoggedSource(log, seed=4), "interval")
    assert found.kept == ("gemini-2.5-pro",)
    assert found.models == log.models
    assert found.comparisons < 100_000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LoggedSource(LOG, ties="drop"), "accepted are decisive"),
        (lambda: LoggedSource(counted(np.zeros((1, 2, 2)))), "what is missing is not ½"),
        (lambda: LoggedSource(LOG, ties="half").answer(every_cell(LOG, 1 << 53)), "2\\^52"),
    ],
)
def test_unusable_logs_are_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
