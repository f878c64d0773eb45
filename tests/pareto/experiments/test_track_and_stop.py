"""The study of Track-and-Stop on made-up results: what it says beside the paper, and what it holds."""

from __future__ import annotations

import pytest

from pareto.experiments import track_and_stop
from pareto.experiments.known import TRACK_MEANS, TRACK_RATIOS
from pareto.experiments.methods import GROUPS
from pareto.experiments.scaling import PANELS
from pareto.experiments.settings import SCALED, SETTINGS, TASKS
from tests.pareto.experiments.rows import line, rows, table

TRACK = "track-and-stop"


def scaled(factor=1.0):
    """Two trials of both methods on every scaling setting, at the paper's ratios times a factor."""
    ratios = {SCALED[at].name: TRACK_RATIOS[p.symbol][at[p.index]] for p in PANELS for at in p.settings}
    return [
        rows(name, method, [round(10**9 * times)] * 2)
        for name, ratio in ratios.items()
        for method, times in (("vb-ege", 1.0), (TRACK, ratio * factor))
    ]


def test_the_papers_ratios_make_the_papers_mean():
    found = track_and_stop.compare(table(*scaled()))
    mean = line(found, "geometric mean of the 12 scaling settings")
    assert float(mean.ours) == pytest.approx(TRACK_MEANS["scaling"], abs=0.01)
    assert mean.holds
    held = [one for one in found if "scaling in" in one.part]
    assert len(held) == 12
    assert all(one.holds for one in held)
    assert not [one for one in found if "lower capped mean" in one.quantity]


@pytest.mark.parametrize(("factor", "holds"), [(1.45, True), (0.7, True), (1.6, False), (0.6, False)])
def test_ratios_are_held_to_a_factor(factor, holds):
    found = track_and_stop.compare(table(*scaled(factor)))
    assert {one.holds for one in found if "scaling in" in one.part} == {holds}
    assert line(found, "geometric mean of the 12 scaling settings").holds is holds


def test_who_is_lower_is_counted_over_all_28():
    parts = [
        rows(setting.name, method, [count])
        for number, setting in enumerate(SETTINGS.values())
        for method, count in (("vb-ege", 100), (TRACK, 50 if number == 0 else 900))
    ]
    found = track_and_stop.compare(table(*parts))
    lower = line(found, "Track-and-Stop has the lower capped mean")
    assert (lower.ours, lower.paper, lower.holds) == ("1 of 28 settings", "1 of 28", True)
    assert line(found, "geometric mean of the 8 frontier size settings").ours == "9.00"
    assert line(found, "geometric mean of the 8 frontier size settings").holds is None
    assert sum(one.part.endswith(": benchmarks") for one in found) == len(GROUPS["benchmarks"])


def test_capped_trials_are_counted_at_t_max_and_said():
    name = TASKS["two-group-10"].name
    track = rows(name, TRACK, [*[10**9] * 9, 10**18])
    track[-1]["stopped"] = 0
    found = track_and_stop.compare(table(track, rows(name, "vb-ege", [10**9] * 10)))
    capped = line(found, "Two-group-10", "Trials given up")
    assert (capped.ours, capped.paper) == ("1 of 10 (10.0%)", "1.8%")
    assert line(found, "Track-and-Stop: wrong of all").note == "promises nothing; 1 capped"
    assert line(found, "Two-group-10", "Capped mean").ours.startswith("100000001 ± 1e+08; medians 1.00")


def test_a_piece_is_a_block_of_trials():
    (key,) = [key for key in track_and_stop.study_keys(1) if key.startswith("symmetric-16") and TRACK in key]
    found = track_and_stop.STUDY.work(key)
    assert len(found) == 50
    assert {row["comparisons"] for row in found} <= {190_475, 342_855}
    assert {row["wrong"] for row in found} == {0}
