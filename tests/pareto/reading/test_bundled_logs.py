"""The logs that come with the package hold what their sources say."""

from __future__ import annotations

import pytest

from pareto import BattleError, bundled_log, read_battles
from pareto.bundled import DATA, LOGS

ARENA = ("code", "math", "creative_writing", "instruction_following", "general")


def test_decisive_battles():
    battles = read_battles(bundled_log("arena140k-decisive"), cluster="session")
    assert battles.schema == "arena-140k"
    assert battles.objectives == ARENA
    assert len(battles.models) == 52
    assert battles.counts.records.tolist() == [6480, 1319, 1830, 1581, 11367]
    assert battles.preprocessing.comparisons == 22577
    assert battles.records.clusters == 20181
    assert len(battles.records) == 22577


def test_decisive_battles_with_every_flag():
    preprocessing = read_battles(bundled_log("arena140k-decisive"), multi_label=True).preprocessing
    assert preprocessing.dropped("no objective") == 11367
    assert preprocessing.comparisons == 11210
    assert preprocessing.records == 8440 + 2 * 2502 + 3 * 266 + 4 * 2


@pytest.mark.parametrize(
    ("objectives", "kept"),
    [(ARENA, 10), (("code", "instruction_following", "general"), 15), (("code", "general"), 35)],
)
def test_models_that_decisive_battles_compare_on_everything(objectives, kept):
    assert len(read_battles(bundled_log("arena140k-decisive")).retain(objectives).models) == kept


def test_first_battles():
    accounts = read_battles(bundled_log("arena140k-first5000")).preprocessing
    assert accounts.rows == 5000
    assert {step.reason: step.rows for step in accounts.steps if step.rows} == {
        "self-battle, voted": 1,
        "tie": 786,
        "both bad": 529,
    }
    assert accounts.comparisons == 1823 + 1861


def test_counts_by_pair():
    battles = read_battles(bundled_log("chatbot-arena-2024-08-pairs"))
    assert battles.schema == "counts"
    assert len(battles.models) == 129
    assert battles.preprocessing.rows == 1_670_250
    assert battles.counts.records.tolist() == [1_670_250]
    one, other = (battles.models.index(name) for name in ("RWKV-4-Raven-14B", "alpaca-13b"))
    counts = battles.counts
    found = (
        counts.wins[0, one, other],
        counts.wins[0, other, one],
        counts.ties[0, one, other],
        counts.both_bad[0, one, other],
    )
    assert found == (103, 94, 18, 85)


def test_every_log_is_there_with_its_source_and_another_is_refused():
    sources = (DATA / "SOURCES.md").read_text(encoding="utf-8")
    for name in LOGS:
        assert bundled_log(name).is_file()
        assert f"`{name}.parquet`" in sources
    with pytest.raises(BattleError, match="no bundled log 'arena'; there are arena140k-decisive"):
        bundled_log("arena")
