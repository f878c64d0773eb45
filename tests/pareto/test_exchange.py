"""Queries out and outcomes in as files, and how outcomes may be spelled."""

from __future__ import annotations

import csv

import pytest

from pareto import BattleError, Session
from pareto.session.exchange import read_outcomes, write_queries
from pareto.spelling import points_of_left
from tests.pareto.voting import MODELS, OBJECTIVES, open_session, opinion


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def save(path, rows):
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def asked(tmp_path):
    session = open_session()
    queries = session.ask(8)
    path = tmp_path / "queries.csv"
    write_queries(path, queries, MODELS, OBJECTIVES)
    return session, queries, path


def test_there_and_back(asked):
    session, queries, path = asked
    rows = rows_of(path)
    assert [row["query"] for row in rows] == [str(query.number) for query in queries]
    assert {row["outcome"] for row in rows} == {""}
    for row, query in zip(rows, queries, strict=True):
        assert (row["left"], row["right"]) == (MODELS[query.left], MODELS[query.right])
        row["outcome"] = opinion(query)
    rows[2]["outcome"] = " "
    rows[3]["outcome"] = "?"
    numbers, answers = read_outcomes(save(path, rows[::-1]), session)
    receipt = session.tell(numbers, answers)
    assert (receipt.used, receipt.unknown) == (6, 1)
    with open_session() as direct:
        direct.ask(8)
        direct.tell(
            [query.number for query in queries if query.number not in (3, 4)],
            [opinion(query) for query in queries if query.number not in (3, 4)],
        )
        assert (direct.state.votes == session.state.votes).all()


def test_only_query_and_outcome_are_needed(asked, tmp_path):
    session, _, _ = asked
    path = save(tmp_path / "short.csv", [{"query": "2", "outcome": "left"}])
    assert read_outcomes(path, session) == ([2], ["left"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"query": "99"}, "line 2: query '99' was not asked"),
        ({"query": "first"}, "'first' was not asked"),
        ({"left": "z"}, "left is 'z'"),
        ({"objective": "z"}, "objective is 'z'"),
        ({"count": "7"}, "count is '7'"),
    ],
)
def test_rows_that_were_not_asked_like_that(asked, changes, message):
    session, _, path = asked
    rows = rows_of(path)
    rows[0].update(outcome="left", **changes)
    with pytest.raises(BattleError, match=message):
        read_outcomes(save(path, rows), session)


def test_swapped_models_are_noticed(asked):
    session, _, path = asked
    rows = rows_of(path)
    rows[0].update(outcome="left", left=rows[0]["right"], right=rows[0]["left"])
    with pytest.raises(BattleError, match="left is"):
        read_outcomes(save(path, rows), session)


def test_files_that_are_none(asked, tmp_path):
    session, _, _ = asked
    with pytest.raises(BattleError, match="no column 'outcome'"):
        read_outcomes(save(tmp_path / "a", [{"query": "1", "winner": "left"}]), session)
    (tmp_path / "b").write_bytes(b"query,outcome\n1,\xff\xfe\n")
    with pytest.raises(BattleError, match="UTF-8"):
        read_outcomes(tmp_path / "b", session)


def test_several_objectives_in_one_query(tmp_path):
    session = open_session(joint=True)
    write_queries(tmp_path / "q", session.ask(2), MODELS, OBJECTIVES)
    rows = rows_of(tmp_path / "q")
    assert [row["objective"] for row in rows] == ["x", "y", "x", "y"]
    for row, outcome in zip(rows, ("left", "right", "tie", ""), strict=True):
        row["outcome"] = outcome
    receipt = session.tell(*read_outcomes(save(tmp_path / "q", rows), session))
    assert receipt.used == 3
    assert session.state.shown == 2
    bare = save(tmp_path / "bare", [{"query": "1", "outcome": "left"}])
    with pytest.raises(BattleError, match="several objectives"):
        read_outcomes(bare, session)


@pytest.mark.parametrize(
    ("spelled", "points"),
    [
        ("left", 1),
        (" Left ", 1),
        ("model_a", 1),
        ("model-a", 1),
        ("claude", 1),
        ("right", 0),
        ("model-b", 0),
        ("model_b", 0),
        ("gpt", 0),
        ("tie", 0.5),
        ("both_bad", 0.5),
        ("tie (bothbad)", 0.5),
        ("0.25", 0.25),
        (True, 1),
        (0, 0),
        (1.0, 1),
        ("?", None),
        (None, None),
    ],
)
def test_spellings(spelled, points):
    assert points_of_left(spelled, "claude", "gpt", 1, True, True, "here") == points


@pytest.mark.parametrize("spelled", ["", "win", "lefty", "1.5", "nan", "-1", "null", float("nan"), 2])
def test_anything_else_is_an_error_that_lists_what_is_accepted(spelled):
    with pytest.raises(BattleError, match=r"here: .*accepted"):
        points_of_left(spelled, "claude", "gpt", 1, True, True, "here")


def test_a_model_called_like_a_side():
    assert points_of_left("right", "left", "right", 1, True, True, "here") == 0
    with pytest.raises(BattleError, match="other's side"):
        points_of_left("right", "right", "other", 1, True, True, "here")


def test_nothing_of_a_bad_file_is_recorded(asked):
    session, _, path = asked
    rows = rows_of(path)
    for row in rows:
        row["outcome"] = "left"
    rows[-1]["outcome"] = "model_c"
    numbers, answers = read_outcomes(save(path, rows), session)
    with pytest.raises(BattleError, match="'model_c'"):
        session.tell(numbers, answers)
    assert session.comparisons == 0


def test_many_comparisons_at_once(tmp_path):
    session = Session(MODELS, OBJECTIVES)
    queries = session.ask(None)
    write_queries(tmp_path / "q", queries, MODELS, OBJECTIVES)
    rows = rows_of(tmp_path / "q")
    for row in rows:
        row["outcome"] = row["count"]
    session.tell(*read_outcomes(save(tmp_path / "q", rows), session))
    assert session.comparisons == sum(query.count for query in queries)
    assert session.bias.share == 1.0
