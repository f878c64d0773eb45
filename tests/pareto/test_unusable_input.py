"""Input that once ended in a traceback, or was silently taken for something else."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, BradleyTerrySource, CallbackSource, Session, frontier, gaps, identify
from pareto.bradley_terry import fit
from pareto.runs import run_all
from pareto.scorefile import read_scores
from pareto.session.exchange import read_outcomes
from pareto.task import Task

RAGGED = [[1.0], [1.0, 2.0]]


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"delta": 5e-324}, "smallest accepted"),
        ({"delta": None}, "delta is None"),
        ({"delta": "0.05"}, "delta is '0.05'"),
        ({"delta": float("nan")}, "delta is nan"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"seed": None}, "seed is None"),
        ({"max_comparisons": float("nan")}, "max_comparisons is nan"),
        ({"max_comparisons": 1.5}, "max_comparisons is 1.5"),
        ({"max_comparisons": True}, "max_comparisons is True"),
        ({"max_comparisons": "3"}, "max_comparisons is '3'"),
        ({"margin": 1e308}, "margin is 1e"),
        ({"margin": "0"}, "margin is '0'"),
        ({"models": (1, 2)}, "no text"),
        ({"models": ("", "a")}, "blank"),
        ({"models": (" a", "a")}, "begins or ends"),
        ({"models": ("\ud800", "a")}, "half of a character"),
        ({"objectives": ("x\n",)}, "begins or ends"),
    ],
)
def test_terms_of_a_task(terms, message):
    with pytest.raises(BattleError, match=message):
        Task(**{"models": ("a", "b"), "objectives": ("x",)} | terms)


def test_numpy_numbers_are_numbers():
    task = Task(("a", "b"), ("x",), np.float32(0.5), np.int64(3), np.int32(7), np.float64(0.1))
    assert task.shape == (2, 1)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (RAGGED, "different lengths"),
        (np.ma.masked_array([[1.0, 2.0], [2.0, 3.0]], mask=[[1, 0], [0, 0]]), "masked"),
    ],
)
def test_tables(scores, message):
    for function in (frontier, gaps, BradleyTerrySource):
        with pytest.raises(BattleError, match=message):
            function(scores)


def test_numbers_too_large_for_differences_are_only_compared():
    huge = [[1e308], [-1e308]]
    assert frontier(huge).tolist() == [True, False]
    for function in (gaps, BradleyTerrySource):
        with pytest.raises(BattleError, match="beyond"):
            function(huge)


def test_wins():
    with pytest.raises(BattleError, match="different lengths"):
        fit(RAGGED)
    with pytest.raises(BattleError, match="masked"):
        fit(np.ma.masked_array([[0.0, 1.0], [2.0, 0.0]], mask=[[0, 1], [0, 0]]))


@pytest.mark.parametrize("margin", [float("nan"), -1.0, 1e308])
def test_margin_of_simulated_runs(margin):
    with pytest.raises(BattleError, match="margin"):
        run_all(["interval"], np.zeros((1, 2, 1)), 0, 0.05, max_comparisons=10, margin=margin)


@pytest.mark.parametrize("reply", ["tie", "1", 2, -1, float("nan"), float("inf"), 10**400, np.ones(1), [1]])
def test_replies_of_a_function(reply):
    source = CallbackSource(lambda *_: reply, ["a", "b"], ["x"])
    with pytest.raises(BattleError, match="the function answered"):
        identify(source, max_comparisons=1000)


def test_batch_that_is_no_list():
    source = CallbackSource(lambda asked: None, ["a", "b"], ["x"], batch=True)
    with pytest.raises(BattleError, match="NoneType; a list"):
        identify(source, max_comparisons=1000)


@pytest.mark.parametrize("reply", [0, 1, 0.5, True, np.bool_(True), np.float32(0.25), np.int8(1)])
def test_replies_that_are_numbers(reply):
    source = CallbackSource(lambda *_: reply, ["a", "b"], ["x"])
    assert identify(source, max_comparisons=100).comparisons > 0


@pytest.mark.parametrize(
    "name", ["0", "1", "0.5", "tie", "both_bad", "?", "withdrawn"], ids=lambda name: f"named {name}"
)
def test_model_named_like_an_outcome(name):
    with Session([name, "other"], ["x"]) as session:
        query = session.ask()[0]
        with pytest.raises(BattleError, match="names a model"):
            session.tell([query], [name])
        assert session.tell([query], ["other"]).used == 1


def test_model_named_with_a_number_that_is_no_outcome():
    with Session(["2024", "2025"], ["x"]) as session:
        assert session.tell(session.ask(), ["2025"]).used == 1


@pytest.mark.parametrize("answer", [[1], (1,), b"left", 1j, 10**400, (1, 0.5), (1, "1")])
def test_answers_that_are_none(answer):
    with Session(["a-1", "a-2"], ["x"]) as session:
        with pytest.raises(BattleError, match="query 1"):
            session.tell(session.ask(), [answer])
        with pytest.raises(BattleError, match="no query True"):
            session.tell([True], ["left"])
        assert session.comparisons == 0


def test_folders_for_files(tmp_path):
    with pytest.raises(BattleError, match="check that it is a file"):
        Session.resume(tmp_path)
    with pytest.raises(BattleError, match="check the path"):
        read_scores(tmp_path)
    with Session(["a", "b"], ["x"]) as session, pytest.raises(BattleError, match="check the path"):
        read_outcomes(tmp_path, session)
