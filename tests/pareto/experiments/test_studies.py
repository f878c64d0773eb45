"""What the studies say about made-up and about real, tiny results."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from pareto.cli import app
from pareto.experiments import (
    allocation,
    benchmarks,
    confidence,
    constants,
    frontier_size,
    known,
    methods,
    scaling,
)
from pareto.experiments.catalogue import CATALOGUE
from pareto.experiments.known import ALWAYS, CONFIDENCE_TOTALS, MOSTLY, ending_phase
from pareto.experiments.pieces import BASELINES, METHODS, OURS
from pareto.experiments.settings import FAMILIES, SCALED, SETTINGS, TASKS
from pareto.instances import CONFIDENCES
from tests.pareto.experiments.rows import line, rows, table

OTHER_COLUMNS = ("constants", "allocation", "arena", "exact-glr")
EVERYTHING = [name for name in CATALOGUE.names if name not in OTHER_COLUMNS]


def on_all(settings, **spent):
    """Two trials of each method on each setting; keywords are methods, with _ for -."""
    return [
        rows(setting.name, method.replace("_", "-"), [count, count + 2])
        for setting in settings
        for method, count in spent.items()
    ]


def test_totals_that_the_schedule_fixes():
    for (method, *at), total in ALWAYS.items():
        assert ending_phase(SCALED[tuple(at)], method, 0.05, total)
        assert ending_phase(SCALED[tuple(at)], method, 0.05, total + 1) is None
    for at, (total, _) in MOSTLY.items():
        assert ending_phase(SCALED[at], "vb-ege", 0.05, total)
    for delta, total in CONFIDENCE_TOTALS.items():
        assert ending_phase(confidence.SYMMETRIC, "vb-ege", delta, total) == 4
    assert tuple(CONFIDENCE_TOTALS) == CONFIDENCES


def test_scaling_holds_methods_to_their_totals():
    name = SCALED[64, 10, 1.5].name
    good = scaling.compare(table(rows(name, "vb-ege", [1_068_800] * 3)))
    assert line(good, "VB-EGE, K = 64, d = 10, Δ = 1.5", "Totals that every").holds
    bad = scaling.compare(table(rows(name, "vb-ege", [1_068_800, 1_068_800, 1_068_801])))
    found = line(bad, "VB-EGE, K = 64, d = 10, Δ = 1.5", "Totals that every")
    assert (found.ours, found.holds) == ("2 of 3 trials at 1,068,800", False)


@pytest.mark.parametrize(("hits", "more", "holds"), [(72, 0, True), (40, 0, False), (72, 1, False)])
def test_scaling_holds_vb_ege_to_the_share_at_its_largest_total(hits, more, holds):
    spent = [370_752 + more] * (1 if more else 0) + [370_752] * hits + [300_000] * (100 - hits)
    found = scaling.compare(table(rows(SCALED[16, 4, 1.0].name, "vb-ege", spent)))
    assert line(found, "VB-EGE, K = 16, d = 4, Δ = 1", "The largest").holds is holds


def test_scaling_reads_slopes_off_powers():
    parts = [
        rows(setting.name, "vb-ege", [10**6 * setting.models * setting.objectives])
        for setting in SCALED.values()
    ]
    found = scaling.compare(table(*parts))
    assert line(found, "VB-EGE in K").ours == "+1.00"
    assert line(found, "VB-EGE in d").ours == "+1.00"
    assert line(found, "VB-EGE in Δ").ours == "+0.00"


def test_scaling_fits_the_largest_totals():
    ends = {setting.name: known.phase_total(setting, "vb-ege", 0.05, 4) for setting in SCALED.values()}
    parts = [rows(name, "vb-ege", [total // 2, total]) for name, total in ends.items()]
    assert line(
        scaling.compare(table(*parts)), "VB-EGE: R² against cells · log(4 cells m²/δ) · 4^m, m the last phase"
    ).holds
    # one that ends nowhere, so that not all settings are there
    odd = [*parts[1:], rows(SCALED[16, 4, 1.0].name, "vb-ege", [12_345])]
    assert not [one for one in scaling.compare(table(*odd)) if "of every" in one.part]


def test_confidence_fits_the_schedules_totals():
    name = confidence.SYMMETRIC.name
    parts = [rows(name, "vb-ege", [total] * 2, delta=delta) for delta, total in CONFIDENCE_TOTALS.items()]
    found = confidence.compare(table(*parts))
    fit = line(found, "VB-EGE", "R²")
    assert fit.holds
    assert float(fit.ours) > 0.99999
    totals = [one for one in found if one.part.startswith("VB-EGE, symmetric")]
    assert len(totals) == len(CONFIDENCES)
    assert all(one.holds for one in totals)
    parts[3] = rows(name, "vb-ege", [9_000_000] * 2, delta=CONFIDENCES[3])
    found = confidence.compare(table(*parts))
    assert line(found, "VB-EGE", "R²").holds is False
    assert sum(one.holds is False for one in found) == 2
    # part of the grid says nothing about the line
    assert not [one for one in confidence.compare(table(*parts[:5])) if one.part.startswith("R²")]


def test_benchmarks_range_over_all_eight():
    settings = list(TASKS.values())
    spent = {"vb_ege": 1000, "focal_borda": 3000, "bt_mle": 2000, "borda_plugin": 90_000, "duel": 20}
    found = benchmarks.compare(table(*on_all(settings, **spent)))
    assert line(found, "Focal Borda / VB-EGE").ours == "3.00 to 3.00"
    assert line(found, "Borda plug-in / VB-EGE").paper == "29.7 to 4230"
    assert line(found, "VB-EGE has the lowest mean of the paper's four").holds
    assert not [one for one in found if one.quantity == "interval / VB-EGE"]
    worse = benchmarks.compare(table(*on_all(settings, **{**spent, "bt_mle": 900})))
    assert line(worse, "VB-EGE has the lowest mean of the paper's four").holds is False
    some = benchmarks.compare(table(*on_all(settings[:7], **spent)))
    assert all(one.holds is not False for one in some)
    assert not [one for one in some if "smallest and largest" in one.part]


def test_near_tie_instances_count_as_one():
    units = [trial % 50 for trial in range(500)]
    spent = [10**9 if unit == 7 else 10**6 for unit in units]
    name = TASKS["arena-10"].name
    parts = [rows(name, method, spent, units=units) for method in ("vb-ege", "bt-mle")]
    found = benchmarks.compare(table(*parts))
    (base,) = [one for one in found if one.part.startswith("VB-EGE's")]
    # one of 50 units: the error is as large as the mean beyond the others
    assert base.ours == "2.10e7 ± 2.0e7; median 1,000,000, q95 1,000,000"
    assert base.paper == "ref. mean 6.1e8"
    assert line(found, "Arena-10", "Means over means").ours.startswith("1.00 ± 0")


def test_frontier_size_must_rise():
    parts = [rows(FAMILIES[10, kept].name, "vb-ege", [kept * 1000]) for kept in frontier_size.SIZES]
    rising = frontier_size.compare(table(*parts))
    assert line(rising, "VB-EGE, d = 10").ours == "4,000 → 8,000 → 16,000 → 32,000"
    assert line(rising, "VB-EGE, d = 10").holds
    parts[2] = rows(FAMILIES[10, 16].name, "vb-ege", [10])
    assert line(frontier_size.compare(table(*parts)), "VB-EGE, d = 10").holds is False


@pytest.mark.parametrize(("interval", "duel", "holds"), [(100, 10, [True] * 4), (400, 400, [False] * 4)])
def test_methods_measures_ours_on_twenty_settings(interval, duel, holds):
    settings = list(SETTINGS.values())
    found = methods.compare(table(*on_all(settings, vb_ege=1000, interval=interval, duel=duel)))
    goals = [one for one in found if "goals" in one.part]
    assert [one.holds for one in goals] == holds
    assert "20 settings" in goals[0].part
    assert sum(one.part.startswith("Median comparisons, ") for one in found) == 26
    some = methods.compare(table(*on_all(settings[:9], vb_ege=1000, interval=interval, duel=duel)))
    assert not [one for one in some if "goals" in one.part]


def test_wrong_answers_are_held_to_delta_where_that_is_promised():
    name = SCALED[16, 4, 1.0].name
    parts = [rows(name, method, [9] * 40, wrong=range(3)) for method in METHODS]
    found = scaling.compare(table(*parts))
    assert line(found, "BT-MLE: wrong of all").holds is None
    for text in ("VB-EGE", "Focal Borda", "Borda plug-in", "interval", "duel"):
        assert line(found, f"{text}: wrong of all").holds is False
    one = scaling.compare(table(rows(name, "vb-ege", [9] * 40, wrong=range(2))))
    assert line(one, "VB-EGE: wrong of all").holds


def constant_rows(sampling, threshold, spent, **more):
    name = constants.SETTINGS[0].name
    return rows(name, "vb-ege", [spent] * 2, sampling=sampling, threshold=threshold, **more)


def test_constants_beside_the_papers():
    parts = [constant_rows(2.0, 4.0, 1000), constant_rows(0.5, 2.0, 100, wrong=[1])]
    found = constants.compare(table(*parts, columns=constants.STUDY.columns))
    one = line(found, "C_samp = 0.5, C_thr = 2")
    assert one.ours == "100, 0.100 of (2, 4); 1 of 2 wrong"
    assert one.note == "no guarantee"
    assert line(found, "VB-EGE: wrong of all").holds  # only the paper's constants promise anything


def test_constants_share_outcomes_of_a_block():
    one, other = (constants.work(f"arena-10/2/{threshold}/0") for threshold in ("4", "6"))
    assert [row["trial"] for row in one] == [row["trial"] for row in other]
    assert all(b["comparisons"] >= a["comparisons"] for a, b in zip(one, other, strict=True))
    assert {row["threshold"] for row in other} == {6.0}


def test_allocation_takes_the_middle_instance():
    name = allocation.NAMES[0]
    instance = allocation.representative(name)
    assert 0 <= instance < allocation.AMONG
    allocation.representative.cache_clear()
    assert allocation.representative(name) == instance
    found = allocation.work(f"{name}/vb-ege/0")
    frame = pl.DataFrame(found)
    assert frame.height == TASKS[name].models
    assert frame["kept"].sum() == 12
    assert (frame["comparisons"] % (allocation.BLOCK * TASKS[name].objectives) == 0).any()
    (said,) = allocation.compare(frame)
    assert said.holds
    turned = frame.with_columns(pl.col("gap") * -1)
    assert allocation.compare(turned)[0].holds is False


@pytest.mark.parametrize("name", EVERYTHING)
def test_pictures_of_part_of_the_results(name, tmp_path):
    study = CATALOGUE.load(name)
    setting = confidence.SYMMETRIC if name == "confidence" else next(iter(TASKS.values()))
    parts = [rows(setting.name, method, [5, 7]) for method in ("vb-ege", *OURS)]
    (picture,) = study.pictures(table(*parts), tmp_path)
    assert picture.path.stat().st_size > 5000
    assert picture.caption


def test_picture_of_constants(tmp_path):
    frame = table(constant_rows(2.0, 4.0, 1000), columns=constants.STUDY.columns)
    (picture,) = constants.STUDY.pictures(frame, tmp_path)
    assert picture.path.stat().st_size > 5000


def test_from_the_command_to_the_figures(tmp_path):
    command = ["reproduce", "scaling", "-o", str(tmp_path), "--jobs", "1", "--seeds", "1"]
    result = CliRunner().invoke(app, [*command, "--only", "symmetric-16", "--json"])
    assert result.exit_code == 0, result.output
    (study,) = json.loads(result.output)["studies"]
    assert (study["pieces"], study["of"]) == (len(METHODS), len(SCALED) * len(METHODS))
    said = {(one["part"].split(" (")[0], one["quantity"]): one for one in study["lines"]}
    assert said["Totals that every trial hits", "BT-MLE, K = 16, d = 4, Δ = 1"]["holds"]
    for method in ("Focal Borda", "BT-MLE", "Borda plug-in", "interval", "duel"):
        assert ("Means over means: " + method + " / VB-EGE", "K = 16, d = 4, Δ = 1") in said
    assert (tmp_path / "pictures" / "scaling.png").exists()
    # the study of all methods reads the same file
    again = CliRunner().invoke(
        app,
        [
            "reproduce",
            "methods",
            "-o",
            str(tmp_path),
            "--jobs",
            "1",
            "--seeds",
            "1",
            "--only",
            "symmetric-16",
        ],
    )
    assert again.exit_code == 0, again.output
    assert "methods.csv" in again.output


def test_figures_are_written_for_reading():
    from pareto.experiments.lines import count, times

    assert [count(value) for value in (4_462_080, 12_345_678, 1.2e18, float("nan"))] == [
        "4,462,080",
        "1.23e7",
        "1.20e18",
        "–",
    ]
    assert [times(value) for value in (0.0123456, 7.4, 99.96, 4230.4, float("nan"))] == [
        "0.0123",
        "7.40",
        "100",
        "4230",
        "–",
    ]
    assert np.isfinite(list(known.FAMILY_MEANS.values())).all()
    assert set(known.BENCHMARK_RANGES) == set(BASELINES)
