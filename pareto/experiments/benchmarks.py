"""The eight random benchmarks (section 4.1, appendix 8.1; Table 5, Figure 2b)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.experiments import lines, looks
from pareto.experiments.known import BENCHMARK_MEANS, BENCHMARK_MEDIANS, BENCHMARK_RANGES
from pareto.experiments.pieces import BASE, BASELINES, COLUMNS, DELTA, METHODS, keys, work
from pareto.experiments.samples import ratio, sample
from pareto.experiments.settings import TASKS
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    import polars as pl

PART = f"VB-EGE's comparisons, sizes and margins † ({lines.LOST}; {lines.CONFIGURED})"
KNOWN = {name: f"ref. mean {lines.about(value)}" for name, value in BENCHMARK_MEANS.items()} | {
    name: f"ref. median {lines.about(value)}" for name, value in BENCHMARK_MEDIANS.items()
}


def compare(table: pl.DataFrame) -> list[Line]:
    settings = list(TASKS.values())
    return [
        *_ranges(table),
        *_cheapest(table),
        *lines.base_lines(table, settings, PART, KNOWN),
        *lines.ratio_lines(table, settings, "Means over means, paired by instance"),
        *lines.error_lines(table, DELTA),
    ]


def _ranges(table: pl.DataFrame) -> Iterator[Line]:
    for method in METHODS:
        ratios = list(_ratios(table, method).values())
        if method == BASE or len(ratios) < len(TASKS):
            continue
        low, high = min(ratios), max(ratios)
        papers = BENCHMARK_RANGES.get(method)
        yield Line(
            f"{lines.NAMES[method]} / VB-EGE",
            f"{lines.times(low)} to {lines.times(high)}",
            f"{papers[0]:g} to {papers[1]:g}" if papers else "",
            "the largest hangs on one near-tie instance" if papers else "",
            "Ratio of means, smallest and largest of the eight",
        )


def _cheapest(table: pl.DataFrame) -> Iterator[Line]:
    ratios = [_ratios(table, method) for method in BASELINES]
    if all(len(found) == len(TASKS) for found in ratios):
        lowest = sum(all(found[name] > 1 for found in ratios) for name in TASKS)
        yield Line(
            "VB-EGE has the lowest mean of the paper's four",
            f"{lowest} of 8",
            "8 of 8",
            part="Ratio of means, smallest and largest of the eight",
            holds=lowest == len(TASKS),
        )


def _ratios(table: pl.DataFrame, method: str) -> dict[str, float]:
    """Ratio of means to VB-EGE by benchmark, where there are trials of both."""
    found = {}
    for name in TASKS:
        over, under = sample(table, name, method), sample(table, name, BASE)
        if over is not None and under is not None:
            found[name] = ratio(over, under).mean
    return found


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, (axes,) = looks.panels(1, 8.0, 4.4)
    for method in METHODS:
        found = [(place, sample(table, name, method)) for place, name in enumerate(TASKS)]
        drawn = [(place, one) for place, one in found if one is not None]
        if drawn:
            looks.means(axes, method, drawn, linestyle="none", capsize=3)
            axes.plot(
                [place for place, _ in drawn],
                [one.median for _, one in drawn],
                "_",
                color=looks.look(method)["color"],
                markersize=14,
            )
    axes.set_xticks(range(len(TASKS)), [task.text for task in TASKS.values()], rotation=20, ha="right")
    axes.set(ylabel="comparisons until stopping", yscale="log")
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    looks.legend(figure, axes)
    return [
        saved(
            figure,
            folder,
            "benchmarks",
            "Mean comparisons (± a standard error over instances) on the eight benchmarks; dashes are "
            "medians. Counterpart of the paper's Figure 2b.",
        )
    ]


def study_keys(seeds: int) -> list[str]:
    return keys(TASKS.values(), seeds)


STUDY = Study(
    name="benchmarks",
    title="Comparisons on eight random benchmarks",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=1900,
    results="methods",
)
