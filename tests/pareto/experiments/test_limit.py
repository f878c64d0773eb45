"""The study of the limit: tiny pieces, and what made-up results say."""

from __future__ import annotations

import pytest

from pareto.experiments import limit as study
from pareto.experiments.methods import GROUPS
from pareto.experiments.settings import SCALED, TASKS
from tests.pareto.experiments.rows import line, rows, table

SMALL = SCALED[16, 4, 1.0]


def bound(setting, low, high, method="limit"):
    return [{"setting": setting.name, "method": method, "low": low, "high": high, "steps": 3}]


def made(*parts):
    return table(*parts, columns=study.COLUMNS)


def trials(setting, method, comparisons, **more):
    found = rows(setting.name, method, comparisons, **more)
    return [{name: value for name, value in row.items() if name != "delta"} for row in found]


def test_pieces_are_bounds_or_trials_on_one_instance():
    keys = [key for key in study.study_keys(1) if key.startswith(f"{SMALL.name}/")]
    assert len(keys) == 2 + len(study.METHODS)
    (limit,) = study.work(f"{SMALL.name}/limit/0")
    (direct,) = study.work(f"{SMALL.name}/direct/0")
    assert limit["low"] <= limit["high"] <= 1.01 * limit["low"]
    assert limit["high"] < direct["low"] <= direct["high"]
    paid = study.work(f"{SMALL.name}/commit/1")
    assert [row["trial"] for row in paid] == list(range(5, 10))
    assert min(row["comparisons"] for row in paid) > limit["low"]
    assert not [key for key in study.study_keys(1) if "arena" in key and "direct" in key]


@pytest.mark.parametrize(("high", "holds"), [(100.9, True), (103.0, False)])
def test_bounds_are_held_to_a_hundredth_where_assignments_are_few(high, holds):
    few, many = SCALED[16, 4, 1.0], TASKS["arena-10"]
    found = study.compare(made(bound(few, 100.0, high), bound(many, 100.0, 140.0)))
    assert line(found, few.text, "The information limit").holds is holds
    wide = line(found, many.text, "The information limit")
    assert (wide.holds, wide.note) == (None, "40.00% apart; 16 frontier models")


@pytest.mark.parametrize(("low", "holds"), [(33_400.0, True), (36_000.0, False)])
def test_known_limits_are_met(low, holds):
    at = SCALED[64, 10, 0.5]
    found = study.compare(made(bound(at, low, low * 1.005), bound(at, 55_000.0, 55_200.0, "direct")))
    assert line(found, at.text, "The information limit").holds is holds
    direct = line(found, f"{at.text}, direct comparisons only")
    assert (direct.holds, direct.paper) == (True, "ref. 5.51e4")


def test_methods_are_measured_by_the_upper_bound():
    twenty = dict.fromkeys((*GROUPS["scaling"], *GROUPS["benchmarks"]))
    parts = [part for at in twenty for part in (bound(at, 99.0, 100.0), trials(at, "duel", [800, 800]))]
    found = study.compare(made(*parts, trials(SMALL, "vb-ege", [10**6], wrong=[0])))
    paid = line(found, SMALL.text, "Median comparisons, as multiples")
    assert paid.ours == "duel 8.00; VB-EGE 10000"
    overall = line(found, "duel", "Median comparisons by the limit")
    assert overall.ours == "8.00"
    assert not [one for one in found if one.quantity == "VB-EGE" and "middle one" in one.part]
    assert line(found, "VB-EGE: wrong of all").ours == "1 of 1"


@pytest.mark.parametrize(
    "parts", [(), (bound(SMALL, 90.0, 100.0),), (bound(SMALL, 90.0, 100.0), trials(SMALL, "duel", [500]))]
)
def test_pictures(parts, tmp_path):
    (picture,) = study.pictures(made(*parts), tmp_path)
    assert picture.path.stat().st_size > 2000
