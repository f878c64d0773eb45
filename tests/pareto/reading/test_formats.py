"""Parquet and JSON lines: stored types, columns nobody needs, nested flags."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from pareto import BattleError, read_battles


def test_stored_types_of_names_and_outcomes_do_not_matter(tmp_path):
    table = pl.DataFrame(
        {"model_a": ["1", "2", "1"], "model_b": ["2", "3", "3"], "winner": ["model_a", "tie", None]}
    )
    kinds = {
        "text": pl.String,
        "categorical": pl.Categorical,
        "enumeration": pl.Enum(["1", "2", "3"]),
        "whole": pl.Int16,
    }
    words = pl.Enum(["model_a", "tie"])
    for name, kind in kinds.items():
        sides = pl.col("model_a", "model_b").cast(kind)
        outcome = pl.col("winner").cast(words if kind != pl.String else pl.String)
        table.with_columns(sides, outcome).write_parquet(tmp_path / f"{name}.parquet")
    found = [read_battles(tmp_path / f"{name}.parquet") for name in kinds]
    for battles in found:
        assert battles.models == ("1", "2", "3")
        assert battles.preprocessing == found[0].preprocessing
        np.testing.assert_array_equal(battles.counts.wins, found[0].counts.wins)
    table.with_columns(pl.lit(None).alias("winner")).write_parquet(tmp_path / "null.parquet")
    with pytest.raises(BattleError, match="no comparison is left of 3 rows"):
        read_battles(tmp_path / "null.parquet")
    assert read_battles([tmp_path / f"{name}.parquet" for name in (*kinds, "null")]).preprocessing.rows == 15


@pytest.mark.parametrize("kind", [pl.Float64, pl.Boolean, pl.Date])
def test_names_of_other_types_are_refused(tmp_path, kind):
    path = tmp_path / "log.parquet"
    table = pl.DataFrame({"model_a": [1, 0], "model_b": ["x", "y"], "winner": ["tie", "tie"]})
    table.with_columns(pl.col("model_a").cast(kind)).write_parquet(path)
    with pytest.raises(BattleError, match=r"column 'model_a' holds .*; names are text or whole numbers"):
        read_battles(path)


def test_columns_that_are_not_needed_are_not_read(tmp_path):
    """A log whose texts are destroyed is read all the same."""
    path = tmp_path / "log.parquet"
    text = [f"needle {number} " * 40 for number in range(200)]
    pl.DataFrame({"model_a": "x", "talk": text, "model_b": "y", "winner": "tie"}).write_parquet(
        path, compression="uncompressed", statistics=False
    )
    content = path.read_bytes()
    start = content.index(b"needle 0") - 24
    end = content.rindex(b"needle 199")
    path.write_bytes(content[:start] + b"\xff" * (end - start) + content[end:])
    with pytest.raises(pl.exceptions.PolarsError):
        pl.read_parquet(path, columns=["talk"])
    assert read_battles(path).counts.ties.sum() == 400


def lines(path, *objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def test_json_lines_with_a_column_of_several_types(tmp_path):
    path = lines(
        tmp_path / "log.jsonl",
        {"model_a": "x", "model_b": "y", "winner": "tie", "talk": "hello"},
        {
            "model_a": "x",
            "model_b": "y",
            "winner": "model_a",
            "talk": [{"role": "user"}],
            "objective": "code",
        },
        {"model_a": "x", "model_b": "y", "winner": None, "talk": {"role": "user"}},
    )
    battles = read_battles(path)
    assert battles.objectives == ("code",)
    assert {step.reason: step.rows for step in battles.preprocessing.steps if step.rows} == {
        "no outcome": 1,
        "tie": 1,
    }


def test_json_lines_with_nested_flags_and_blank_lines(tmp_path):
    path = tmp_path / "log.ndjson"
    flags = {"tags.v1": {"hard": True}}
    votes = [
        {"model_a": "x", "model_b": "y", "winner": "model_a", **flags},
        {"model_a": "x", "model_b": 7, "winner": "model_b", "tags.v1": None},
        {"model_a": "x", "model_b": "y", "winner": "model_b", "tags.v1": {"hard": "no"}},
        {"model_a": "x", "model_b": "y", "winner": "model_b"},
    ]
    path.write_text("\n\n".join(map(json.dumps, votes)) + "\n\n")
    battles = read_battles(path, flags={"hard": ["tags.v1", "hard"]})
    assert battles.models == ("7", "x", "y")
    assert battles.objectives == ("hard", "general")
    assert battles.counts.records.tolist() == [1, 3]
    assert battles.preprocessing.notices == ("2 rows without the flag hard, which counts as false",)
    votes[2]["tags.v1"]["hard"] = "so so"
    path.write_text("\n\n".join(map(json.dumps, votes)) + "\n\n")
    with pytest.raises(BattleError, match=r"data row 3, column 'tags\.v1\.hard': found 'so so'"):
        read_battles(path, flags={"hard": ["tags.v1", "hard"]})


def test_the_row_and_the_file_of_an_error_among_several(tmp_path):
    good = pl.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": ["tie"] * 4})
    bad = good.with_columns(winner=pl.Series(["tie", "tie", "tied", "tied"]))
    good.write_parquet(tmp_path / "1.parquet")
    bad.write_parquet(tmp_path / "2.parquet")
    with pytest.raises(BattleError, match=r"2\.parquet, data row 3, column 'winner': found 'tied' \(2 rows"):
        read_battles(tmp_path / "*.parquet")


def test_files_of_one_layout_and_several_formats(tmp_path):
    pl.DataFrame(
        {"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"], "objective": ["code"]}
    ).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("objective,winner,model_b,model_a,who\nmath,model_b,y,x,w\n")
    lines(tmp_path / "c.jsonl", {"model_a": "z", "model_b": "y", "winner": "tie", "objective": "code"})
    battles = read_battles([tmp_path / name for name in ("a.parquet", "b.csv", "c.jsonl")])
    assert battles.objectives == ("code", "math")
    assert battles.preprocessing.rows == 3
    assert battles.counts.wins[0, 0, 1] == battles.counts.wins[1, 1, 0] == battles.counts.ties[0, 1, 2] == 1
    with pytest.raises(BattleError, match="no column 'who'"):
        read_battles([tmp_path / name for name in ("a.parquet", "b.csv")], cluster="who")


def test_clusters_of_several_files_and_types_are_the_same_by_name(tmp_path):
    rows = {"model_a": ["x"] * 3, "model_b": ["y"] * 3, "winner": ["model_a"] * 3}
    pl.DataFrame({**rows, "who": [7, 8, None]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({**rows, "who": [9.0, 7.0, float("nan")]}).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "c.csv").write_text(
        "model_a,model_b,winner,who,end\nx,y,tie, 8 ,.\nx,y,tie,new,.\ny,x,tie,,.\n"
    )
    paths = [tmp_path / name for name in ("a.parquet", "c.csv")]
    battles = read_battles(paths, cluster="who")
    assert battles.records.cluster.tolist() == [0, 1, 3, 1, 2, 4]
    assert battles.records.clusters == 5
    assert battles.records.outcome.tolist() == [0, 0, 0, 2, 2, 2]
    assert "2 rows without who, each taken as a cluster of its own" in battles.preprocessing.notices
    floats = read_battles(tmp_path / "b.parquet", cluster="who").records
    assert floats.cluster.tolist() == [0, 1, 2]


@pytest.mark.parametrize("blank", ["\x1c", "\x1f ", "\u00a0", "\x85\u3000"])
def test_blanks_are_the_same_ones_in_every_column(tmp_path, blank):
    table = {"model_a": ["x"] * 3, "model_b": ["y"] * 3}
    flags = [f"true{blank}", blank, f"{blank}no"]
    votes = {**table, "winner": ["model_a"] * 3, "who": [f"{blank}s", "s", blank], "hard": flags}
    counts = {**table, "wins_a": [f"{blank}1", "2", f"3.0{blank}"], "wins_b": ["0"] * 3}
    pl.DataFrame(votes).write_parquet(tmp_path / "votes.parquet")
    pl.DataFrame(counts).write_parquet(tmp_path / "counts.parquet")
    battles = read_battles(tmp_path / "votes.parquet", cluster="who", flags=["hard"])
    assert battles.records.cluster.tolist() == [0, 0, 1]
    assert battles.objectives == ("hard", "general")
    assert battles.counts.wins[:, 0, 1].tolist() == [1, 2]
    assert read_battles(tmp_path / "counts.parquet").counts.wins[0, 0, 1] == 6
