"""All methods on all settings, and how many times fewer comparisons ours take than VB-EGE.

The other studies on methods read this one's result file.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from pareto.experiments import lines, looks
from pareto.experiments.pieces import BASE, COLUMNS, DELTA, METHODS, OURS, keys, work
from pareto.experiments.samples import Sample, sample
from pareto.experiments.settings import FAMILIES, SCALED, SETTINGS, TASKS, Setting
from pareto.instances import SCALING
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    import polars as pl

GROUPS: dict[str, list[Setting]] = {
    "scaling": [SCALED[at] for at in SCALING],
    "benchmarks": list(TASKS.values()),
    "frontier size": list(FAMILIES.values()),
}
"""The paper's 12 + 8 + 8 settings; two of the first twelve occur twice."""
MEASURED = ("scaling", "benchmarks")
GOALS = {"interval": (8.0, 4.0), "duel": (50.0, 20.0), "commit": (50.0, 20.0)}
"""How many times fewer comparisons than VB-EGE: on the median of the twenty settings, and on each."""
HALVED = 2.0
"""How many times fewer comparisons than duel commit should need on half of the twenty settings."""


def compare(table: pl.DataFrame) -> list[Line]:
    found = [*_goals(table)]
    for group, settings in GROUPS.items():
        for setting in dict.fromkeys(settings):
            found += _setting_lines(table, setting, group)
    return [*found, *lines.error_lines(table, DELTA)]


def _goals(table: pl.DataFrame) -> Iterator[Line]:
    settings = [setting for group in MEASURED for setting in GROUPS[group]]
    part = (
        f"Median comparisons of VB-EGE by ours, over {len(settings)} settings (goals, no claims of the paper)"
    )
    for method in OURS:
        savings = [_saving(table, setting, method) for setting in settings]
        known = [saving for saving in savings if saving is not None]
        if len(known) < len(settings):
            continue
        middle, least = GOALS[method]
        name = lines.NAMES[method]
        yield Line(
            f"{name}: median setting",
            f"{lines.times(median(known))} × fewer",
            f"goal ≥ {middle:g} ×",
            f"geometric mean {lines.times(exp(sum(map(log, known)) / len(known)))}",
            part,
            median(known) >= middle,
        )
        worst = settings[known.index(min(known))]
        yield Line(
            f"{name}: least of all settings",
            f"{lines.times(min(known))} × fewer",
            f"goal ≥ {least:g} ×",
            worst.text,
            part,
            min(known) >= least,
        )
    savings = [_saving(table, setting, "commit", "duel") for setting in settings]
    known = [saving for saving in savings if saving is not None]
    if len(known) == len(settings):
        halved = sum(saving >= HALVED for saving in known)
        yield Line(
            f"commit: settings with {HALVED:g} × fewer than duel",
            f"{halved} of {len(settings)}",
            f"goal ≥ {len(settings) // 2}",
            f"median {lines.times(median(known))} ×, least {lines.times(min(known))} ×",
            part,
            2 * halved >= len(settings),
        )


def _saving(table: pl.DataFrame, setting: Setting, method: str, peer: str = BASE) -> float | None:
    """Median comparisons of a peer by those of a method."""
    found, base = sample(table, setting.name, method), sample(table, setting.name, peer)
    return None if found is None or base is None else base.median / found.median


def _setting_lines(table: pl.DataFrame, setting: Setting, group: str) -> Iterator[Line]:
    found = _samples(table, setting)
    if BASE not in found:
        return
    base = found[BASE].median
    ours = [
        f"{lines.NAMES[method]} {lines.count(found[method].median)} "
        f"({lines.times(base / found[method].median)} × fewer)"
        for method in OURS
        if method in found
    ]
    others = [
        f"{lines.NAMES[method]} {lines.count(one.median)}"
        for method, one in found.items()
        if method != BASE and method not in OURS
    ]
    yield Line(
        setting.text,
        "; ".join([f"VB-EGE {lines.count(base)}", *ours]),
        note="; ".join(others),
        part=f"Median comparisons, {group} settings",
    )


def _samples(table: pl.DataFrame, setting: Setting) -> dict[str, Sample]:
    found = {method: sample(table, setting.name, method) for method in METHODS}
    return {method: one for method, one in found.items() if one is not None}


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    measured = dict.fromkeys(setting for group in MEASURED for setting in GROUPS[group])
    tried = set(table["setting"].unique())
    settings = [setting for setting in measured if setting.name in tried]
    figure, (axes,) = looks.panels(1, 8.0, 6.4)
    for place, setting in enumerate(settings):
        found = _samples(table, setting)
        drawn = [one.median for one in found.values()]
        if drawn:
            axes.plot([min(drawn), max(drawn)], [place, place], color="0.85", linewidth=3, zorder=0)
        for method, one in found.items():
            axes.plot([one.median], [place], linestyle="none", **looks.look(method))
        if BASE in found and "commit" in found:
            saving = found[BASE].median / found["commit"].median
            axes.annotate(
                f"{saving:.0f} ×",
                (found["commit"].median, place),
                xytext=(-8, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=8,
            )
    axes.set_yticks(range(len(settings)), [setting.text for setting in settings], fontsize=8)
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="median comparisons until stopping, δ = 0.05")
    axes.margins(x=0.09)
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    looks.legend(figure, axes)
    return [
        saved(
            figure,
            folder,
            "methods",
            "Median comparisons of every method on the twenty scaling and benchmark settings (two coincide "
            "with others and are drawn once); beside the cross, how many times fewer commit needs.",
        )
    ]


def study_keys(seeds: int) -> list[str]:
    return keys(SETTINGS.values(), seeds)


STUDY = Study(
    name="methods",
    title="All methods on the paper's 28 settings",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=4400,
)
