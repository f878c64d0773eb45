"""The three published data sets, in miniature: layout found, traps avoided, every row accounted for."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, read_battles
from pareto.preprocessing import (
    BOTH_BAD,
    NO_OBJECTIVE,
    NO_OUTCOME,
    NOT_SELECTED,
    SELF_UNVOTED,
    SELF_VOTED,
    TIE,
)
from tests.pareto.reading.originals import CATEGORIES, arena_140k, search_arena, vision_arena

T, F = True, False
ARENA_ROWS = [  # model_a, model_b, winner, session, code, math, creative, instructions
    ("qwen3-30b", "amazon.nova-pro-v1:0", "model_a", "s1", T, T, F, T),
    ("amazon.nova-pro-v1:0", "qwen3-30b", "model_a", "s1", F, T, T, F),
    ("qwen3-30b", "claude-3-7-thinking-32k", "model_b", "s2", F, F, T, T),
    ("claude-3-7-thinking-32k", "claude-3-7", "model_b", "s2", F, F, F, T),
    ("qwen3-30b", "claude-3-7", "model_a", "s3", F, F, F, F),
    ("qwen3-30b", "claude-3-7", "tie", "s4", T, F, F, F),
    ("qwen3-30b", "claude-3-7", "both_bad", "s4", F, F, F, F),
    ("claude-3-7", "claude-3-7", "both_bad", "s5", T, F, F, F),
    ("claude-3-7", "claude-3-7", "model_a", "s5", T, F, F, F),
]
ARENA = ("code", "math", "creative_writing", "instruction_following", "general")


@pytest.fixture
def arena(tmp_path):
    return arena_140k(tmp_path / "train-00000-of-00007.parquet", ARENA_ROWS)


def test_arena_140k_by_priority(arena):
    battles = read_battles(arena)
    assert battles.schema == "arena-140k"
    assert battles.objectives == ARENA
    assert battles.models == ("amazon.nova-pro-v1:0", "claude-3-7", "claude-3-7-thinking-32k", "qwen3-30b")
    nova, plain, thinking, qwen = range(4)
    wins = np.zeros((5, 4, 4), dtype=int)
    for r, winner, loser in (
        (0, qwen, nova),
        (1, nova, qwen),
        (2, thinking, qwen),
        (3, plain, thinking),
        (4, qwen, plain),
    ):
        wins[r, winner, loser] = 1
    np.testing.assert_array_equal(battles.counts.wins, wins)
    assert battles.counts.ties[0, qwen, plain] == battles.counts.ties[0, plain, qwen] == 1
    assert battles.counts.both_bad[4, qwen, plain] == 1
    assert battles.counts.ties.sum() == battles.counts.both_bad.sum() == 2
    preprocessing = battles.preprocessing
    assert [(step.reason, step.rows) for step in preprocessing.steps] == [
        (SELF_VOTED, 2),
        (SELF_UNVOTED, 0),
        (NO_OUTCOME, 0),
        (TIE, 1),
        (BOTH_BAD, 1),
        (NO_OBJECTIVE, 0),
    ]
    assert (preprocessing.rows, preprocessing.comparisons, preprocessing.records) == (9, 5, 5)
    assert (preprocessing.undecided, preprocessing.undecided_records) == (2, 2)
    assert "code > math > creative_writing > instruction_following, else general" in battles.detected
    assert "category_tag.math_v0.1.math" in battles.detected


def test_arena_140k_with_every_flag(arena):
    battles = read_battles(arena, multi_label=True)
    assert battles.objectives == ARENA[:4]
    assert battles.counts.records.tolist() == [2, 2, 2, 3]  # with the tie on code
    preprocessing = battles.preprocessing
    assert (preprocessing.comparisons, preprocessing.records) == (4, 8)
    assert preprocessing.dropped(NO_OBJECTIVE) == 1
    assert (
        "without an objective" in next(step for step in preprocessing.steps if step.reason == BOTH_BAD).detail
    )
    assert battles.tally.comparisons(["qwen3-30b", "amazon.nova-pro-v1:0"]) == (2, 0)


@pytest.mark.parametrize("multi_label", [None, True])
def test_a_choice_of_objectives_drops_and_counts_the_others(arena, multi_label):
    battles = read_battles(arena, objectives=["instruction_following", "code"], multi_label=multi_label)
    assert battles.objectives == ("instruction_following", "code")
    preprocessing = battles.preprocessing
    if multi_label:  # the second row has only math and creative writing
        assert battles.counts.records.tolist() == [3, 2]
        assert (preprocessing.dropped(NO_OBJECTIVE), preprocessing.dropped(NOT_SELECTED)) == (1, 1)
        assert (preprocessing.comparisons, preprocessing.records) == (3, 4)
    else:
        assert battles.counts.records.tolist() == [1, 2]
        assert (preprocessing.dropped(NO_OBJECTIVE), preprocessing.dropped(NOT_SELECTED)) == (0, 3)
        assert (preprocessing.comparisons, preprocessing.records) == (2, 2)
    assert battles.detected.endswith("taken: instruction_following, code")


def test_arena_140k_flattened_gives_the_same(tmp_path, arena):
    names = (
        "model_a",
        "model_b",
        "winner",
        "session",
        "is_code",
        "math",
        "creative_writing",
        "instruction_following",
    )
    flat = tmp_path / "flat.csv"
    lines = [",".join(str(cell) for cell in row) for row in ARENA_ROWS]
    flat.write_text("\n".join([",".join(names), *lines]) + "\n")
    one, other = read_battles(arena), read_battles(flat)
    assert other.schema == "arena-140k"
    assert one.preprocessing == other.preprocessing
    for name in ("wins", "ties", "both_bad"):
        np.testing.assert_array_equal(getattr(one.counts, name), getattr(other.counts, name))


def test_arena_140k_a_missing_flag_is_false_and_counted(tmp_path):
    rows = [("x", "y", "model_a", "s", None, None, F, T), ("x", "y", "model_b", "s", F, None, T, F)]
    battles = read_battles(arena_140k(tmp_path / "a.parquet", rows))
    assert battles.objectives == ("creative_writing", "instruction_following")
    assert battles.preprocessing.notices == (
        "1 row without the flag code, which counts as false",
        "2 rows without the flag math, which counts as false",
    )
    assert "no comparison counts for code, math, general, left out" in battles.detected


def test_sessions_of_arena_140k(arena):
    records = read_battles(arena, cluster="session").records
    assert records.cluster.tolist() == [0, 0, 1, 1, 2, 3, 3]
    assert records.clusters == 4
    assert records.by == "evaluation_session_id"
    with pytest.raises(BattleError, match=r"no column 'voter'.*session \(evaluation_session_id\)"):
        read_battles(arena, cluster="voter")


SEARCH_ROWS = [  # model_a, model_b, winner, judge, primary_intent
    ("sonar-pro", "gpt-4o-search-preview", "model_a", "j1", "Factual Lookup"),
    ("sonar-pro", "gpt-4o-search-preview", "model_b", "j1", "Info Synthesis"),
    ("sonar", "sonar-pro", "tie (bothbad)", "j2", "Other"),
    ("sonar", "sonar-pro", "tie", "j2", "Other"),
    ("sonar", "sonar-pro", None, "j2", "Analysis"),
    ("sonar", "sonar", None, "j3", "Analysis"),
    ("sonar", "sonar", "model_b", "j3", "Analysis"),
    ("sonar", "sonar-pro", "model_b", "j3", None),
    ("sonar", "sonar-pro", "model_b", "j3", "Unassigned"),
    ("gemini-2.0-pro-exp-02-05-grounding", "gemini-2.5-pro-grounding", "model_a", "j4", "Guidance"),
]


def test_search_arena(tmp_path):
    battles = read_battles(search_arena(tmp_path / "search-arena-chat-24k.parquet", SEARCH_ROWS))
    assert battles.schema == "search-arena"
    assert battles.objectives == ("Factual Lookup", "Info Synthesis", "Guidance", "Other")
    assert battles.counts.records.tolist() == [1, 1, 1, 2]
    dropped = {step.reason: step.rows for step in battles.preprocessing.steps}
    assert dropped == {SELF_VOTED: 1, SELF_UNVOTED: 1, NO_OUTCOME: 1, TIE: 1, BOTH_BAD: 1, NO_OBJECTIVE: 2}
    detail = next(step.detail for step in battles.preprocessing.steps if step.reason == NO_OBJECTIVE)
    assert detail == "not among those of search-arena: 'Unassigned' 1"


def test_search_arena_with_a_name_map_makes_more_self_battles(tmp_path):
    path = search_arena(tmp_path / "s.parquet", SEARCH_ROWS)
    names = tmp_path / "names.csv"
    names.write_text("from,to\ngemini-2.0-pro-exp-02-05-grounding,gemini-2.5-pro-grounding\nold,new\n")
    mapped = {"gemini-2.0-pro-exp-02-05-grounding": "gemini-2.5-pro-grounding", "old": "new"}
    for given in (names, mapped):
        battles = read_battles(path, names=given)
        assert battles.preprocessing.dropped(SELF_VOTED) == 2
        assert "gemini-2.0-pro-exp-02-05-grounding" not in battles.models
        assert battles.preprocessing.notices == ("names to be renamed that the log does not have: old",)


def test_voters_of_search_arena(tmp_path):
    records = read_battles(search_arena(tmp_path / "s.parquet", SEARCH_ROWS), cluster="voter").records
    assert records.cluster.tolist() == [0, 0, 1, 1, 2]


VISION_ROWS = [  # model_a, model_b, winner, judge, true categories
    ("gpt-4o", "llava", "model_a", "j1", ("ocr", "diagram")),
    ("gpt-4o", "llava", "model_b", "j1", ("is_code", "ocr", "homework")),
    ("gpt-4o", "reka", "model_a", "j2", ()),
    ("gpt-4o", "reka", "tie (bothbad)", "j2", ("ocr",)),
    ("llava", "reka", "tie", "j3", ()),
    ("llava", "reka", "model_b", "j3", ("captioning",)),
]


def test_vision_arena(tmp_path):
    battles = read_battles(vision_arena(tmp_path / "train-00000-of-00031.parquet", VISION_ROWS))
    assert battles.schema == "vision-arena"
    assert battles.objectives == ("captioning", "diagram", "homework", "is_code", "ocr")
    gpt, llava, reka = range(3)
    assert battles.models == ("gpt-4o", "llava", "reka")
    wins = battles.counts.on(["ocr"]).wins[0]
    assert wins[gpt, llava] == wins[llava, gpt] == 1
    assert wins.sum() == 2
    assert battles.counts.on(["ocr"]).both_bad[0, gpt, reka] == 1  # never a loss of model_a
    preprocessing = battles.preprocessing
    assert (preprocessing.comparisons, preprocessing.records) == (3, 6)
    assert {step.reason: step.rows for step in preprocessing.steps} == {
        SELF_VOTED: 0,
        SELF_UNVOTED: 0,
        NO_OUTCOME: 0,
        TIE: 1,
        BOTH_BAD: 1,
        NO_OBJECTIVE: 1,
    }


def test_comparisons_behind_the_records_of_kept_models(tmp_path):
    """Records of a multi-label log outnumber its comparisons; both are known once models are kept."""
    rows = [(a, b, "model_a", "j", ("ocr", "diagram")) for a, b in (("x", "y"), ("y", "x"), ("x", "z"))]
    battles = read_battles(vision_arena(tmp_path / "v.parquet", [*rows, ("z", "y", "tie", "j", ("ocr",))]))
    log = battles.retain()
    assert log.models == ("x", "y")
    table = log.preprocessing.table()
    assert table[-2:] == [
        ("model not retained", -2, "models not retained: 1"),
        ("retained records", 4, "from 2 comparisons"),
    ]
    assert (log.preprocessing.retained_records, log.preprocessing.retained_comparisons) == (4, 2)


def test_vision_arena_has_no_priority(tmp_path):
    path = vision_arena(tmp_path / "v.parquet", VISION_ROWS)
    with pytest.raises(BattleError, match="no order of priority"):
        read_battles(path, multi_label=False)
    flags = {name: ["categories", name] for name in ("is_code", "ocr", "captioning")}
    battles = read_battles(path, schema="plain", flags=flags)
    assert battles.objectives == ("is_code", "ocr", "captioning", "general")
    assert battles.counts.records.tolist() == [1, 2, 1, 2]


def test_shards_of_one_set_are_read_together(tmp_path):
    for number in range(3):
        arena_140k(tmp_path / f"train-{number}.parquet", ARENA_ROWS[3 * number : 3 * number + 3])
    whole = read_battles(arena_140k(tmp_path / "all.parquet", ARENA_ROWS), cluster="session")
    shards = read_battles(tmp_path / "train-*.parquet", cluster="session")
    assert shards.preprocessing == whole.preprocessing
    np.testing.assert_array_equal(shards.counts.wins, whole.counts.wins)
    np.testing.assert_array_equal(shards.records.cluster, whole.records.cluster)
    assert "(3 files)" in shards.detected


def test_a_category_column_of_text_is_said_to_be_no_struct(tmp_path):
    path = tmp_path / "exported.csv"
    path.write_text("model_a,model_b,winner,is_code,category_tag\nx,y,model_a,True,\"{'math_v0.1': 1}\"\n")
    with pytest.raises(
        BattleError, match=r"looks like arena-140k but lacks .*'category_tag' is not nested here"
    ):
        read_battles(path)


def test_a_vision_file_without_one_category_is_refused(tmp_path):
    path = tmp_path / "v.jsonl"
    inner = ", ".join(f'"{name}": false' for name in CATEGORIES[:-1])
    path.write_text(f'{{"model_a": "x", "model_b": "y", "winner": "tie", "categories": {{{inner}}}}}\n')
    with pytest.raises(BattleError, match=r"looks like vision-arena but lacks 'categories.ocr'"):
        read_battles(path)
