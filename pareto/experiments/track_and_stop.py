"""Track-and-Stop beside VB-EGE on the paper's 28 settings (appendix 10, Figures 22 to 24)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.experiments import lines, looks
from pareto.experiments.known import TRACK_CAPPED, TRACK_MEANS, TRACK_RATIOS, TRACK_WINS
from pareto.experiments.methods import GROUPS
from pareto.experiments.pieces import BASE, COLUMNS, keys, work
from pareto.experiments.samples import Ratio, Sample, ratio, sample
from pareto.experiments.scaling import PANELS
from pareto.experiments.settings import FAMILIES, SCALED, SETTINGS, SIZES, TASKS, Setting
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

METHOD = "track-and-stop"
BOTH = (BASE, METHOD)
WITHIN = 1.5
"""By which factor a ratio may differ from the paper's."""
PART = "Capped mean comparisons, Track-and-Stop / VB-EGE"


def compare(table: pl.DataFrame) -> list[Line]:
    return [
        *_scaling(table),
        *_summary(table),
        *_others(table, "benchmarks"),
        *_others(table, "frontier size"),
        *_capped(table),
        *lines.error_lines(table, 0.05, methods=BOTH),
    ]


def _scaling(table: pl.DataFrame) -> Iterator[Line]:
    for panel in PANELS:
        for at in panel.settings:
            found = _ratio(table, SCALED[at])
            if found is not None:
                papers = TRACK_RATIOS[panel.symbol][at[panel.index]]
                yield Line(
                    f"{panel.symbol} = {at[panel.index]:g}",
                    lines.against(found),
                    f"{papers:g}",
                    _spread(table, SCALED[at]),
                    f"{PART}: scaling in {panel.text}",
                    1 / WITHIN <= found.mean / papers <= WITHIN,
                )


def _summary(table: pl.DataFrame) -> Iterator[Line]:
    part = f"{PART}: geometric means, and who is lower"
    ratios = {group: [_ratio(table, one) for one in settings] for group, settings in GROUPS.items()}
    for group, papers in TRACK_MEANS.items():
        known = [one.mean for one in ratios[group] if one is not None]
        if len(known) == len(ratios[group]):
            value = exp(sum(map(log, known)) / len(known))
            yield Line(
                f"geometric mean of the {len(known)} {group} settings",
                lines.times(value),
                f"{papers:#.3g}",
                "" if group == "scaling" else "ours are other random instances",
                part,
                1 / WITHIN <= value / papers <= WITHIN if group == "scaling" else None,
            )
    every = [one for group in ratios.values() for one in group]
    means = [one.mean for one in every if one is not None]
    if len(means) == len(every):
        lower = sum(mean < 1 for mean in means)
        yield Line(
            "Track-and-Stop has the lower capped mean",
            f"{lower} of {len(means)} settings",
            f"{TRACK_WINS} of 28",
            part=part,
            holds=lower == TRACK_WINS,
        )


def _others(table: pl.DataFrame, group: str) -> Iterator[Line]:
    for setting in GROUPS[group]:
        found = _ratio(table, setting)
        if found is not None:
            note = _spread(table, setting)
            yield Line(setting.text, lines.against(found), note=note, part=f"{PART}: {group}")


def _capped(table: pl.DataFrame) -> Iterator[Line]:
    for setting in SETTINGS.values():
        found = sample(table, setting.name, METHOD)
        papers = TRACK_CAPPED.get(setting.name)
        if found is not None and (found.capped or papers):
            yield Line(
                setting.text,
                f"{found.capped} of {found.trials} ({found.capped / found.trials:.1%})",
                f"{papers:.1%}" if papers else "0",
                part="Trials given up at T_max = 1e18 (random instances; the closest to a tie decide)",
            )


def _ratio(table: pl.DataFrame, setting: Setting) -> Ratio | None:
    found, base = (sample(table, setting.name, method) for method in (METHOD, BASE))
    return None if found is None or base is None else ratio(found, base)


def _spread(table: pl.DataFrame, setting: Setting) -> str:
    found = sample(table, setting.name, METHOD)
    return "" if found is None else f"Track-and-Stop: {lines.spread(found)}"


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = looks.panels(6, 11.0, 7.2, rows=2)
    for panel, one in zip(PANELS, axes, strict=False):
        _drawn(table, one, [(at[panel.index], SCALED[at]) for at in panel.settings], linewidth=1)
        looks.log_log(one, panel.text, [at[panel.index] for at in panel.settings])
    _drawn(table, axes[3], list(enumerate(TASKS.values())), linestyle="none")
    axes[3].set_yscale("log")
    texts = [task.text for task in TASKS.values()]
    axes[3].set_xticks(range(len(texts)), texts, rotation=40, ha="right", fontsize=8)
    for objectives, one in zip((4, 10), axes[4:], strict=True):
        _drawn(table, one, [(kept, FAMILIES[objectives, kept]) for kept in SIZES], linewidth=1)
        looks.log_log(one, f"frontier models |P|, Arena-{objectives}", SIZES)
    for one in (axes[0], axes[3]):
        one.set_ylabel("capped mean comparisons")
    looks.legend(figure, axes[0], BOTH)
    return [
        saved(
            figure,
            folder,
            "track-and-stop",
            "Capped mean comparisons (± a standard error over instances) of Track-and-Stop and VB-EGE at "
            "δ = 0.05. Counterpart of the paper's Figures 22 to 24.",
        )
    ]


def _drawn(
    table: pl.DataFrame, axes: Axes, settings: Sequence[tuple[float, Setting]], **line: object
) -> None:
    for method in BOTH:
        found: list[tuple[float, Sample]] = []
        for x, setting in settings:
            one = sample(table, setting.name, method)
            if one is not None:
                found.append((x, one))
        looks.means(axes, method, found, capsize=2, **line)


def study_keys(seeds: int) -> list[str]:
    return keys(SETTINGS.values(), seeds, BOTH)


STUDY = Study(
    name="track-and-stop",
    title="Comparisons of Track-and-Stop beside VB-EGE",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=2000,
)
