"""Battles from frames: what a file with the same cells says, in the same words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pareto
from pareto.errors import BattleError

VOTES = {
    "model_a": ["x", "y", "x", "z", "z"],
    "model_b": ["y", "x", "z", "x", "z"],
    "winner": ["model_a", None, "tie", "B", "model_a"],
    "objective": ["code", "code", "math", None, "code"],
    "judge": ["ann", "bob", "ann", None, "bob"],
}
NESTED = {
    **VOTES,
    "tags": [
        {"code": True, "math": None},
        {"code": False, "math": True},
        {"code": None, "math": True},
        {"code": False, "math": False},
        {"code": True, "math": False},
    ],
}
KINDS = {"polars": pl.DataFrame, "lazy": pl.LazyFrame, "pandas": pd.DataFrame}
made_of = pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def alike(ours, theirs):
    assert (ours.models, ours.objectives) == (theirs.models, theirs.objectives)
    for name in ("wins", "ties", "both_bad"):
        assert np.array_equal(getattr(ours.counts, name), getattr(theirs.counts, name))
    assert ours.preprocessing == theirs.preprocessing
    assert (ours.schema, ours.detected) == (theirs.schema, theirs.detected)
    if theirs.records is None:
        assert ours.records is None
    else:
        for name in ("cluster", "first", "second", "objective", "outcome"):
            assert np.array_equal(getattr(ours.records, name), getattr(theirs.records, name))


def refused(frame, *words, **options):
    with pytest.raises(BattleError) as caught:
        pareto.read_battles(frame, **options)
    for word in ("frame", *words):
        assert word in str(caught.value)


@made_of
@pytest.mark.parametrize(
    ("cells", "options"),
    [
        (VOTES, {}),
        (VOTES, {"objective": "objective", "cluster": "judge", "names": {"z": "y"}}),
        (NESTED, {"flags": {"math": ["tags", "math"], "code": ["tags", "code"]}, "multi_label": True}),
        ({"model_a": ["x", "y"], "model_b": ["y", "x"], "wins_a": [3, 0], "wins_b": [1, 2]}, {}),
        ({"model_a": [1, 2], "model_b": [2, 1], "winner": ["a", "a"]}, {}),
    ],
)
def test_a_frame_says_what_a_file_says(made, cells, options):
    pl.DataFrame(cells).write_parquet("log.parquet")
    alike(pareto.read_battles(made(cells), **options), pareto.read_battles("log.parquet", **options))


@made_of
def test_a_published_log(made):
    path = pareto.bundled_log("arena140k-first5000")
    frame = pl.read_parquet(path)
    given_ = made(frame.to_dict(as_series=False))
    alike(pareto.read_battles(given_, cluster="session"), pareto.read_battles(path, cluster="session"))


@pytest.mark.parametrize(
    "winner",
    [
        pd.Series(["model_a", np.nan, "tie", "B", "a"], dtype=object),
        pd.Series(["model_a", None, "tie", "B", "a"], dtype="string"),
        pd.Series(["model_a", None, "tie", "B", "a"], dtype="category"),
    ],
    ids=["object", "string", "category"],
)
def test_what_is_missing_in_pandas_is_null(winner):
    frame = pd.DataFrame({**VOTES, "winner": winner})
    alike(pareto.read_battles(frame), pareto.read_battles(pl.DataFrame(VOTES)))


def test_counts_and_flags_that_became_floats_and_objects_in_pandas():
    counts = {"model_a": ["x", "y"], "model_b": ["y", "x"], "wins_a": [3.0, 0.0], "wins_b": [1, 2]}
    assert pareto.read_battles(pd.DataFrame(counts)).counts.wins.tolist() == [[[0, 5], [1, 0]]]
    refused(pd.DataFrame({**counts, "wins_a": [3, np.nan]}), "data row 2", "'wins_a'", "the cell is blank")
    flags = pd.DataFrame({**VOTES, "hard": pd.Series([True, None, False, True, None], dtype=object)})
    nullable = flags.assign(hard=flags["hard"].astype("boolean"))
    alike(pareto.read_battles(flags, flags=["hard"]), pareto.read_battles(nullable, flags=["hard"]))


def test_keys_of_nested_columns_of_pandas_are_those_of_all_rows():
    tags = [{"code": True}, {"math": True}, None, {"math": True, "code": False}, {}]
    filled = [{"code": None, "math": None, **(one or {})} for one in tags]
    options = {"flags": {"code": ["tags", "code"], "math": ["tags", "math"]}, "multi_label": True}
    frame = pd.DataFrame({**VOTES, "tags": tags})
    alike(
        pareto.read_battles(frame, **options),
        pareto.read_battles(pl.DataFrame({**VOTES, "tags": filled}), **options),
    )
    refused(frame.assign(tags=[*tags[:4], "math"]), "'tags'", "dict, str", **options)


def test_an_index_of_pandas_plays_no_role():
    frame = pd.DataFrame(VOTES, index=[7, 7, "a", None, 3])
    alike(pareto.read_battles(frame), pareto.read_battles(pd.DataFrame(VOTES)))
    refused(frame.assign(winner=["a", "a", "a", "maybe", "a"]), "frame, data row 4", "'maybe'")


def test_columns_that_are_not_needed_are_not_looked_at():
    frame = pd.DataFrame({**VOTES, "odd": [1, "a", {}, [], object()], "talk": [[{"a": 1}], "b", None, 3, {}]})
    alike(pareto.read_battles(frame), pareto.read_battles(pl.DataFrame(VOTES)))


@made_of
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"winner": ["a", "b", "tie", "maybe", "a"]}, ("data row 4, column 'winner': found 'maybe'",)),
        ({"model_b": ["y", "x", None, "x", "z"]}, ("data row 3, column 'model_b': the name is blank",)),
        ({"winner": [1, 0, 1, 0, 1]}, ("column 'winner' holds", "outcomes are text")),
        ({"model_a": [[1], [2], [3], [4], [5]]}, ("column 'model_a'",)),
    ],
)
def test_what_is_refused_and_where(made, change, words):
    refused(made({**VOTES, **change}), *words)


@made_of
def test_frames_that_are_no_log(made):
    refused(made({"a": [1], "b": [2]}), "fits no known layout", "'a', 'b'")
    refused(made({"model_a": [], "model_b": [], "winner": []}), "no rows")
    refused(made(VOTES), "no column 'vote'", winner="vote")


def test_columns_of_pandas_without_a_name_of_their_own():
    frame = pd.DataFrame(VOTES)
    refused(pd.concat([frame, frame], axis=1), "'model_a', 'model_b'", "more than once")
    refused(pd.DataFrame({0: ["x"], ("a", 1): ["y"]}), "columns are called 0, ('a', 1)")
    refused(pd.DataFrame({**VOTES, "winner": [1, "a", None, 2.5, "b"]}), "'winner'", "int, str, float")


def test_a_frame_that_cannot_be_read():
    refused(pl.scan_parquet("absent.parquet"), "cannot be read")
    refused([pl.DataFrame(VOTES)], "one frame")


@given(
    st.lists(
        st.tuples(
            st.sampled_from("xyz"),
            st.sampled_from("xyz"),
            st.sampled_from(["a", "model_b", "tie", "bothbad", " ", None]),
            st.sampled_from(["code", "math", None]),
        ),
        min_size=1,
        max_size=12,
    )
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_votes_are_read_alike_or_refused_alike(votes):
    frame = pl.DataFrame(
        votes, ["model_a", "model_b", "winner", "objective"], orient="row", infer_schema_length=None
    )
    frame = frame.cast(pl.String)
    frame.write_parquet("frame.parquet")
    told = []
    for given_ in ("frame.parquet", frame, pd.DataFrame(frame.to_dict(as_series=False), dtype=object)):
        try:
            battles = pareto.read_battles(given_)
            told.append((battles.models, battles.counts.wins.tolist(), battles.preprocessing))
        except BattleError as error:
            told.append(str(error).replace("frame.parquet", "frame"))
    assert told[0] == told[1] == told[2]
