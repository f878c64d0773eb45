"""What is certain, as records for a frame."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pareto
from pareto.battles import read_battles
from pareto.bundled import bundled_log
from pareto.pair_counts import PairCounts
from pareto.retention import retain_counts
from tests.pareto.logs import arena, counted

FRAMES = {"polars": pl.DataFrame, "pandas": pd.DataFrame}


def columns(records, frame):
    """By name, through a frame."""
    made = FRAMES[frame](records)
    return {name: made[name].to_list() for name in made.columns}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("objectives", [None, ("code", "general")])
@pytest.mark.parametrize("cluster", [None, "session"])
def test_a_frame_says_what_the_result_says(frame, objectives, cluster):
    log = read_battles(bundled_log("arena140k-decisive"), cluster="session").retain(objectives)
    found, target = pareto.certainty(log, cluster=cluster), pareto.target(log)
    column = columns(found.records(), frame)
    assert column["model"] == list(found.models)
    assert column["status"] == list(found.status)
    assert column["gap"] == target.gaps.tolist()
    for r, objective in enumerate(found.objectives):
        assert column[f"borda.{objective}"] == target.borda[:, r].tolist()
    plans = {plan.model: plan for plan in found.next.plans}
    for i, evidence in enumerate(found.evidence):
        witness, rival = column["witness"][i], column["rival"][i]
        if evidence is None:
            assert pd.isna([rival, witness, column["objective"][i]]).all()
            assert column["looks"][i] == plans[i].looks
            more = plans[i].more
            assert pd.isna(column["more"][i]) if more is None else column["more"][i] == more
            continue
        assert column["log_p"][i] == evidence.log_p <= column["log_level"][i] == evidence.log_level
        r = found.objectives.index(column["objective"][i])
        if found.status[i] == "dominated":
            assert witness == rival == found.models[found.witness[i]]
            assert evidence.tests[r].log_p == evidence.log_p
        else:
            assert pd.isna(witness)
            assert found.protection[i, found.models.index(rival)] == r
        assert pd.isna(column["looks"][i])


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_of_next_comparisons(frame):
    log = retain_counts(arena())
    found = pareto.certainty(log)
    column = columns(found.next_records(), frame)
    place = {name: i for i, name in enumerate(found.models)}
    assert [place[name] for name in column["first"]] == found.next.first.tolist()
    assert [place[name] for name in column["second"]] == found.next.second.tolist()
    assert [found.objectives.index(name) for name in column["objective"]] == found.next.objective.tolist()
    assert column["have"] == found.next.have.tolist()
    assert column["helps"] == [len(models) for models in found.next.settles]
    assert sum(column["more"]) == found.next.total > 0


def test_no_cells_no_records():
    wins = np.array([[[0, 300], [2, 0]]])
    found = pareto.certainty(retain_counts(counted(wins)))
    assert found.next_records() == []
    assert [one["status"] for one in found.records()] == ["frontier", "dominated"]


def test_ties_count_half_where_they_count():
    wins, ties = np.array([[[0, 3, 1], [1, 0, 4], [1, 2, 0]]]), np.array([[[0, 4, 0], [0, 0, 2], [0, 0, 0]]])
    log = retain_counts(counted(wins, ties))
    half, fitted = (pareto.certainty(log, ties=ties).records() for ties in ("half", "davidson"))
    assert half == fitted
    assert [one["borda.x"] for one in half] == [(5 / 8 + 1 / 2) / 2, (3 / 8 + 5 / 8) / 2, (3 / 8 + 1 / 2) / 2]


def test_scores_without_comparisons_are_not_made_up():
    wins = np.zeros((1, 4, 4), dtype=int)
    wins[0, 0, 1:], wins[0, 1, 2] = 300, 100
    counts = PairCounts.decisive(tuple("abcd"), ("x",), wins + wins.swapaxes(1, 2) // 50)
    records = pareto.certainty(retain_counts(counts, rule="connected")).records()
    assert records[0]["borda.x"] == pytest.approx(300 / 306)
    assert [one["borda.x"] is None for one in records] == [False, True, True, True]
    assert {one["gap"] for one in records} == {None}
    assert pl.DataFrame(records).height == 4
