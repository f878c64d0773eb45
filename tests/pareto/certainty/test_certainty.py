"""What is certain about real and small logs, what it rests on, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from pareto import BattleError
from pareto.battles import read_battles
from pareto.bundled import bundled_log
from pareto.certainty import certainty
from pareto.certainty.sample import sample_of
from pareto.pair_counts import PairCounts
from pareto.preprocessing import OUTSIDE, Preprocessing, Step
from pareto.records import Records
from pareto.retention import Log, retain_counts
from pareto.schemas import LAYOUTS
from tests.pareto.certainty.reference import lead_of, log_bound, parts_of
from tests.pareto.logs import arena, counted

CLIQUES = {10: None, 15: ("code", "instruction_following", "general"), 35: ("code", "general")}


def arena_log(size):
    return retain_counts(arena(), CLIQUES[size])


@pytest.mark.parametrize(("size", "dominated", "frontier"), [(10, 1, 1), (15, 3, 0), (35, 27, 0)])
def test_the_bundled_log(size, dominated, frontier):
    found = certainty(arena_log(size))
    assert len(found.having("dominated")) == dominated
    assert len(found.having("frontier")) == frontier
    if size == 10:
        assert found.having("frontier") == ("gemini-2.5-pro",)
        assert found.having("dominated") == ("o3-mini",)


@pytest.mark.parametrize("size", CLIQUES)
def test_evidence_is_complete_and_within_its_level(size):
    log = arena_log(size)
    found = certainty(log)
    sample = sample_of(log, False, False)
    for i, (status, evidence) in enumerate(zip(found.status, found.evidence, strict=True)):
        if status == "undecided":
            assert evidence is None
            assert found.witness[i] == -1
            continue
        assert evidence.log_p <= evidence.log_level <= np.log(0.05)
        if status == "dominated":
            assert [test.weights.index(1.0) for test in evidence.tests] == list(range(len(log.objectives)))
            assert {(test.better, test.worse) for test in evidence.tests} == {(found.witness[i], i)}
        else:
            rivals = {j for j, other in enumerate(found.status) if other != "dominated" and j != i}
            assert {test.worse for test in evidence.tests} == rivals
            assert (found.protection[i, list(rivals)] >= 0).all()
        for test in evidence.tests:
            assert min(test.weights) >= 0
            lead = lead_of(sample.points, sample.total, test.better, test.worse, test.weights)
            assert test.lead == pytest.approx(float(lead), abs=1e-9)


def test_evidence_in_forty_digits():
    log = arena_log(10)
    sample = sample_of(log, False, False)
    for evidence in certainty(log).evidence:
        if evidence is None:
            continue
        test = max(evidence.tests, key=lambda one: one.log_p)
        lead = lead_of(sample.points, sample.total, test.better, test.worse, test.weights)
        parts = parts_of(sample.total, test.better, test.worse, test.weights)
        exact = float(log_bound(lead, parts, test.tail.rate, test.tail.kappa))
        assert exact <= test.tail.log_bound <= exact + 2e-9
        assert exact - test.log_share <= evidence.log_level


def test_everything_is_said_in_plain_types():
    found = certainty(arena_log(10))
    record = json.loads(json.dumps(found.record()))
    assert [one["model"] for one in record["models"]] == list(found.models)
    assert (
        record["next"]["total"] == found.next.total == sum(cell["more"] for cell in record["next"]["cells"])
    )
    assert record["outside_comparisons"] == found.outside > 10_000
    assert record["clusters"] is None
    assert "independent" in record["assumptions"]


def test_clear_logs_are_decided():
    """Without outside comparisons: a on top of everything, d below on everything, b and c in between."""
    share = np.array([[[0, 0.9, 0.9, 0.95], [0.1, 0, 0.5, 0.9], [0.1, 0.5, 0, 0.9], [0.05, 0.1, 0.1, 0]]] * 2)
    wins = np.rint(share * 200).astype(int)
    found = certainty(retain_counts(PairCounts.decisive(tuple("abcd"), ("x", "y"), wins)))
    assert found.status == ("frontier", "dominated", "dominated", "dominated")
    assert found.outside == 0
    assert "order" not in found.assumptions
    assert found.next.plans == ()


def test_models_that_trade_places_are_both_kept():
    wins = np.zeros((2, 3, 3), dtype=int)
    for r, (first, second) in enumerate(((0, 1), (1, 0))):
        wins[r, first, second], wins[r, second, first] = 260, 40
        wins[r, [0, 1], 2], wins[r, 2, [0, 1]] = 270, 30
    found = certainty(retain_counts(PairCounts.decisive(tuple("abc"), ("x", "y"), wins)))
    assert found.status == ("frontier", "frontier", "dominated")
    assert found.protection[0, 1] == 0
    assert found.protection[1, 0] == 1


def test_nothing_is_said_about_few_votes():
    found = certainty(retain_counts(counted(np.ones((2, 4, 4), dtype=int) - np.eye(4, dtype=int))))
    assert found.status == ("undecided",) * 4


def test_more_confidence_decides_less():
    log = arena_log(35)
    decided = [
        len(log.models) - len(certainty(log, delta).having("undecided")) for delta in (0.2, 0.05, 0.001)
    ]
    assert decided[0] >= decided[1] >= decided[2] > 9


def test_ties_count_half_or_not_at_all():
    rng = np.random.default_rng(0)
    chances = np.array([[0.5, 0.85, 0.85], [0.15, 0.5, 0.8], [0.15, 0.2, 0.5]])
    wins = np.triu(rng.binomial(120, chances), 1)
    wins = wins + np.triu(120 - wins, 1).T
    ties = np.triu(np.full((3, 3), 60), 1)
    log = retain_counts(counted(wins[None], ties[None]))
    decisive, half, fitted = (certainty(log, ties=ties) for ties in ("decisive", "half", "davidson"))
    assert half.status == fitted.status
    assert "tie being half a win" in half.assumptions
    assert "half the tie probability" in fitted.assumptions
    assert sample_of(log, True, False).total.sum() == sample_of(log, False, False).total.sum() + 2 * 60 * 3
    assert decisive.ties == "decisive"


@pytest.mark.parametrize("size", CLIQUES)
def test_the_bundled_log_by_session(size):
    log = read_battles(bundled_log("arena140k-decisive"), cluster="session").retain(CLIQUES[size])
    found, alone = certainty(log, cluster="session"), certainty(log)
    decided = {10: 2, 15: 3, 35: 27}
    assert size - len(found.having("undecided")) == decided[size]
    assert found.by == "evaluation_session_id"
    assert found.by in found.assumptions
    assert found.outside < alone.outside


def repeated(log, times):
    """Every vote cast `times` times, in a session of its own."""
    r, i, j = np.nonzero(log.counts.wins)
    number = log.counts.wins[r, i, j]
    votes = [np.repeat(np.repeat(one, number), times).astype(np.int32) for one in (i, j, r)]
    cluster = np.repeat(np.arange(number.sum(), dtype=np.int32), times)
    records = Records(cluster, *votes, np.zeros(len(cluster), np.int8), int(number.sum()), "voter")
    counts = PairCounts.decisive(log.models, log.objectives, times * log.counts.wins)
    return Log(counts, log.retention, records=records)


def test_repeated_votes_are_no_news():
    log = arena_log(35)
    bare = Log(log.counts, log.retention)
    once, again = set(certainty(bare).having("dominated")), repeated(bare, 8)
    assert set(certainty(again, cluster="voter").having("dominated")) <= once
    assert set(certainty(again).having("dominated")) > once


def test_votes_that_count_for_several_objectives_are_not_pooled():
    log = arena_log(10)
    account = Preprocessing(100, (), 100, 130).after(Step(OUTSIDE, 3), 50)
    found = certainty(replace(log, preprocessing=account))
    assert "several objectives" in found.assumptions
    for evidence in found.evidence:
        assert evidence is None or all(sorted(test.weights)[-2] == 0 for test in evidence.tests)
    whole = certainty(log)
    assert "different objectives are different votes" in whole.assumptions
    assert "different objectives are different votes" not in found.assumptions
    pooled = whole.evidence[log.models.index("gemini-2.5-pro")]
    assert any(sorted(test.weights)[-2] > 0 for test in pooled.tests)


def test_cells_without_votes_are_allowed():
    wins = np.zeros((1, 4, 4), dtype=int)
    wins[0, 0, 1:], wins[0, 1, 2] = 300, 100
    log = retain_counts(
        PairCounts.decisive(tuple("abcd"), ("x",), wins + wins.swapaxes(1, 2) // 50), rule="connected"
    )
    found = certainty(log)
    assert found.status[0] == "frontier"
    assert found.status[3] == "dominated"


def test_refusals():
    log = arena_log(10)
    for delta in (0.0, 1.0, float("nan")):
        with pytest.raises(BattleError, match="between 0 and 1"):
            certainty(log, delta)
    with pytest.raises(BattleError, match="read it with a cluster"):
        certainty(log, cluster="session")
    with pytest.raises(BattleError, match="accepted are"):
        certainty(log, ties="none")
    other = repeated(log, 2)
    with pytest.raises(BattleError, match="same files"):
        certainty(replace(other, counts=log.counts), cluster=True)


def test_what_is_no_log_of_retained_models_is_refused():
    battles = read_battles(bundled_log("arena140k-decisive"))
    with pytest.raises(BattleError, match=r"log is Battles.*call \.retain\(\)"):
        certainty(battles)
    for other in (pl.DataFrame({"model_a": ["a"]}), battles.counts, "log.parquet", None):
        with pytest.raises(BattleError, match=rf"log is {type(other).__name__}; .*\.retain\(\)"):
            certainty(other)


@pytest.mark.parametrize("word", ["voter", "nonsense", "Session"])
def test_clusters_other_than_those_read_are_refused(word):
    log = read_battles(bundled_log("arena140k-decisive"), cluster="session").retain(CLIQUES[10])
    with pytest.raises(
        BattleError, match=r"'evaluation_session_id'; accepted: 'session', 'evaluation"
    ) as error:
        certainty(log, cluster=word)
    assert repr(word) in str(error.value)


def test_clusters_by_their_word_by_their_column_and_as_read_are_the_same():
    log = read_battles(bundled_log("arena140k-decisive"), cluster="session").retain(CLIQUES[10])
    found = [certainty(log, cluster=word) for word in ("session", "evaluation_session_id", True)]
    assert {one.by for one in found} == {"evaluation_session_id"}
    assert len({one.status for one in found}) == 1
    assert {certainty(log, cluster=word).by for word in ("", None, False)} == {""}


@pytest.mark.parametrize(("layout", "word"), [("vision-arena", "voter"), ("search-arena", "voter")])
def test_words_of_every_layout_are_accepted(layout, word):
    log = repeated(arena_log(10), 1)
    records = replace(log.records, by=getattr(LAYOUTS[layout], word))
    assert certainty(replace(log, records=records), cluster=word).by == "judge"


def test_leads_are_exact_differences_of_scores():
    log = arena_log(10)
    sample, scores = sample_of(log, False, False), log.borda()
    expected = 9 * (scores.T[:, :, None] - scores.T[:, None, :])
    assert np.allclose(sample.lead, expected)
    assert lead_of(sample.points, sample.total, 0, 1, (0, 0, 0, 0, 1)) == Fraction(
        sum(
            Fraction(int(a), int(a + b))
            for a, b in zip(log.counts.wins[4, 0, 1:], log.counts.wins[4, 1:, 0], strict=True)
        )
        - sum(
            Fraction(int(log.counts.wins[4, 1, k]), int(log.counts.decided[4, 1, k]))
            for k in range(10)
            if k != 1
        )
    )
