"""Comparisons against K, d and Δ on the symmetric instance (section 4.1, Table 4, Figure 2a)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.experiments import lines, looks
from pareto.experiments.known import ALWAYS, MOSTLY, STRADDLING, ending_phase
from pareto.experiments.pieces import BASE, COLUMNS, DELTA, METHODS, keys, work
from pareto.experiments.samples import Sample, fit_line, sample
from pareto.experiments.settings import SCALED, Setting
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    import polars as pl

At = tuple[int, int, float]
LEAST_FIT = 0.9999


@dataclass(frozen=True)
class Panel:
    """Settings that differ in one thing: its symbol, what it is on the axis, and the settings in order."""

    symbol: str
    text: str
    settings: tuple[At, ...]
    index: int


PANELS = (
    Panel("K", "models K (d = 4, Δ = 1)", tuple((models, 4, 1.0) for models in (16, 32, 64, 128)), 0),
    Panel("d", "objectives d (K = 64, Δ = 1)", tuple((64, objectives, 1.0) for objectives in (2, 4, 10)), 1),
    Panel("Δ", "gap Δ (K = 64, d = 10)", tuple((64, 10, gap) for gap in (0.5, 0.75, 1.0, 1.25, 1.5)), 2),
)
PART = f"VB-EGE's comparisons, settings † ({lines.LOST}; {lines.CONFIGURED})"


def compare(table: pl.DataFrame) -> list[Line]:
    settings = list(SCALED.values())
    return [
        *_always(table),
        *_mostly(table),
        *_schedule(table),
        *lines.base_lines(
            table, settings, PART, {SCALED[STRADDLING[0]].name: f"ref. mean {STRADDLING[1]:,.0f}"}
        ),
        *lines.ratio_lines(table, settings, "Means over means"),
        *_growth(table),
        *lines.error_lines(table, DELTA),
    ]


def _always(table: pl.DataFrame) -> Iterator[Line]:
    for (method, *at), total in ALWAYS.items():
        setting = _setting(at)
        found = sample(table, setting.name, method)
        if found is not None:
            number = ending_phase(setting, method, DELTA, total)
            hit = int((found.comparisons == total).sum())
            yield Line(
                f"{lines.NAMES[method]}, {setting.text}",
                f"{hit} of {found.trials} trials at {total:,}",
                "all",
                f"the schedule's total at the end of phase {number}",
                "Totals that every trial hits",
                hit == found.trials,
            )


def _mostly(table: pl.DataFrame) -> Iterator[Line]:
    for at, (total, share) in MOSTLY.items():
        setting = SCALED[at]
        found = sample(table, setting.name, BASE)
        if found is not None:
            hit = float((found.comparisons == total).mean())
            # both shares are estimates
            room = 4 * sqrt(2 * share * (1 - share) / found.trials)
            yield Line(
                f"VB-EGE, {setting.text}",
                f"{hit:.1%} of trials at {total:,}",
                f"ref. {share:.0%}",
                "the rest drops models a phase earlier; none needs more",
                "The largest total, hit by most trials",
                found.largest == total and abs(hit - share) <= room,
            )


def _schedule(table: pl.DataFrame) -> Iterator[Line]:
    """Largest totals against what the schedule is made of: cells · log(4 cells m²/δ) · 4^m."""
    made_of, totals = [], []
    for setting in SCALED.values():
        found = sample(table, setting.name, BASE)
        number = None if found is None else ending_phase(setting, BASE, DELTA, found.largest)
        if found is not None and number is not None:
            cells = setting.models * setting.objectives
            made_of.append(cells * log(4 * cells * number**2 / DELTA) * 4.0**number)
            totals.append(float(found.largest))
    if len(totals) == len(SCALED):
        fit = fit_line(made_of, totals)
        yield Line(
            "VB-EGE: R² against cells · log(4 cells m²/δ) · 4^m, m the last phase",
            f"{fit.explained:.9f}",
            note=f"slope {fit.slope:.4f}, C_samp is 2",
            part="The largest total of every setting",
            holds=fit.explained >= LEAST_FIT,
        )


def _growth(table: pl.DataFrame) -> Iterator[Line]:
    for panel in PANELS:
        for method in METHODS:
            points = _points(table, panel, method)
            if len(points) == len(panel.settings):
                fit = fit_line([log(x) for x, _ in points], [log(at.mean) for _, at in points])
                yield Line(
                    f"{lines.NAMES[method]} in {panel.symbol}",
                    f"{fit.slope:+.2f}",
                    "lost" if method == BASE else "",
                    part="Slope of log mean comparisons against the logarithm (the text lost the paper's)",
                )


def _points(table: pl.DataFrame, panel: Panel, method: str) -> list[tuple[float, Sample]]:
    """x and the trials there along a panel, where there are any."""
    found = [(at[panel.index], sample(table, SCALED[at].name, method)) for at in panel.settings]
    return [(float(x), one) for x, one in found if one is not None]


def _setting(at: list[int | float]) -> Setting:
    models, objectives, gap = at
    return SCALED[int(models), int(objectives), float(gap)]


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = looks.panels(len(PANELS), 10.0, 4.0)
    for panel, one in zip(PANELS, axes, strict=True):
        for method in METHODS:
            looks.means(one, method, _points(table, panel, method), linewidth=1, capsize=2)
        looks.log_log(one, panel.text, [at[panel.index] for at in panel.settings])
    axes[0].set_ylabel("mean comparisons until stopping")
    looks.legend(figure, axes[0])
    return [
        saved(
            figure,
            folder,
            "scaling",
            "Mean comparisons (± a standard error, mostly too small to see) on the symmetric instance at "
            "δ = 0.05. Counterpart of the paper's Figure 2a (i)–(iii).",
        )
    ]


def study_keys(seeds: int) -> list[str]:
    return keys(SCALED.values(), seeds)


STUDY = Study(
    name="scaling",
    title="Comparisons against models, objectives and gaps on the symmetric instance",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=600,
    results="methods",
)
