"""Comparisons against log(1/δ), on the symmetric instance and on Arena-10 (Tables 6, 7; Figures 2a, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from pareto.experiments import lines, looks
from pareto.experiments.known import CONFIDENCE_FIT, CONFIDENCE_TOTALS
from pareto.experiments.pieces import BASE, COLUMNS, METHODS, keys, work
from pareto.experiments.samples import Sample, fit_line, ratio, sample
from pareto.experiments.settings import SCALED, TASKS, Setting
from pareto.instances import CONFIDENCES
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SYMMETRIC = SCALED[64, 10, 1.0]
ARENA = TASKS["arena-10"]
ARENA_CONFIDENCES = tuple(delta for delta in CONFIDENCES if delta >= 0.005)
GRIDS = ((SYMMETRIC, CONFIDENCES), (ARENA, ARENA_CONFIDENCES))
LEAST_FIT = 0.9999


def compare(table: pl.DataFrame) -> list[Line]:
    found: list[Line] = []
    for setting, deltas in GRIDS:
        found += _base(table, setting, deltas)
        found += _fits(table, setting, deltas)
        for method in METHODS:
            if method != BASE:
                found += _ratios(table, setting, deltas, method)
    for delta in CONFIDENCES:
        found += lines.error_lines(
            table.filter(pl.col("delta") == delta), delta, f"Wrong answers at δ = {delta:g}"
        )
    return found


def _base(table: pl.DataFrame, setting: Setting, deltas: tuple[float, ...]) -> Iterator[Line]:
    for delta in deltas:
        found = sample(table, setting.name, BASE, delta=delta)
        if found is not None:
            total = CONFIDENCE_TOTALS[delta] if setting is SYMMETRIC else None
            yield Line(
                f"δ = {delta:g}",
                lines.spread(found),
                "" if total is None else f"{total:,} in every trial",
                "" if total is None else "the schedule's total at the end of phase 4",
                f"VB-EGE, {_title(setting)} (the paper's table is missing from its text)",
                None if total is None else found.only == total,
            )


def _fits(table: pl.DataFrame, setting: Setting, deltas: tuple[float, ...]) -> Iterator[Line]:
    for method in METHODS:
        points = _points(table, setting, deltas, method)
        if len(points) == len(deltas):
            fit = fit_line([log(1 / delta) for delta, _ in points], [one.mean for _, one in points])
            papers = method == BASE and setting is SYMMETRIC
            yield Line(
                lines.NAMES[method],
                f"{fit.explained:.9f}",
                f"≈ {CONFIDENCE_FIT}" if papers else "",
                "the paper's is that of rounded table entries" if papers else "",
                f"R² of mean comparisons as a line in log(1/δ), {_title(setting)}",
                fit.explained >= LEAST_FIT if papers else None,
            )


def _ratios(table: pl.DataFrame, setting: Setting, deltas: tuple[float, ...], method: str) -> Iterator[Line]:
    for delta in deltas:
        found = sample(table, setting.name, method, delta=delta)
        base = sample(table, setting.name, BASE, delta=delta)
        if found is not None and base is not None:
            yield Line(
                f"δ = {delta:g}",
                lines.against(ratio(found, base)),
                note=f"q95 {lines.count(found.quantile(0.95))}",
                part=f"{lines.NAMES[method]} / VB-EGE, {_title(setting)}",
            )


def _title(setting: Setting) -> str:
    return f"symmetric {setting.text}" if setting is SYMMETRIC else setting.text


def _points(
    table: pl.DataFrame, setting: Setting, deltas: tuple[float, ...], method: str
) -> list[tuple[float, Sample]]:
    found = [(delta, sample(table, setting.name, method, delta=delta)) for delta in deltas]
    return [(delta, one) for delta, one in found if one is not None]


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = looks.panels(len(GRIDS), 9.0, 4.2)
    for (setting, deltas), one in zip(GRIDS, axes, strict=True):
        for method in METHODS:
            if points := _points(table, setting, deltas, method):
                one.errorbar(
                    [1 / delta for delta, _ in points],
                    [found.mean for _, found in points],
                    yerr=[found.error for _, found in points],
                    linewidth=1,
                    capsize=2,
                    **looks.look(method),
                )
        _axes(one, deltas, _title(setting))
    axes[0].set_ylabel("mean comparisons until stopping")
    looks.legend(figure, axes[0])
    return [
        saved(
            figure,
            folder,
            "confidence",
            "Mean comparisons (± a standard error) against log(1/δ). Counterpart of the paper's Figures 2a "
            "(iv) and 3.",
        )
    ]


def _axes(axes: Axes, deltas: tuple[float, ...], title: str) -> None:
    axes.set(xlabel="1/δ", xscale="log", yscale="log", title=title)
    axes.set_xticks([1 / delta for delta in deltas], [f"{1 / delta:g}" for delta in deltas])
    axes.minorticks_off()
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)


def study_keys(seeds: int) -> list[str]:
    return [key for setting, deltas in GRIDS for key in keys([setting], seeds, deltas=deltas)]


STUDY = Study(
    name="confidence",
    title="Comparisons against log(1/δ)",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=3500,
)
