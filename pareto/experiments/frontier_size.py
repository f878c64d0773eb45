"""How comparisons grow with the frontier, on Arena instances of 64 models (appendix 8; Table 8, Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from pareto.experiments import lines, looks
from pareto.experiments.known import FAMILY_MEANS
from pareto.experiments.pieces import BASE, COLUMNS, DELTA, METHODS, keys, work
from pareto.experiments.samples import sample
from pareto.experiments.settings import FAMILIES, SIZES
from solvers.studies.drawing import saved
from solvers.studies.study import Line, Picture, Study

if TYPE_CHECKING:
    import polars as pl

OBJECTIVES = (4, 10)
KNOWN = {FAMILIES[at].name: f"ref. mean {lines.about(value)}" for at, value in FAMILY_MEANS.items()}
PART = f"VB-EGE's comparisons, settings † ({lines.LOST}; {lines.CONFIGURED})"


def compare(table: pl.DataFrame) -> list[Line]:
    settings = list(FAMILIES.values())
    return [
        *_growth(table),
        *lines.base_lines(table, settings, PART, KNOWN),
        *lines.ratio_lines(table, settings, "Means over means, paired by instance"),
        *lines.error_lines(table, DELTA),
    ]


def _growth(table: pl.DataFrame) -> Iterator[Line]:
    for objectives in OBJECTIVES:
        for method in METHODS:
            found = [sample(table, FAMILIES[objectives, kept].name, method) for kept in SIZES]
            medians = [one.median for one in found if one is not None]
            if len(medians) == len(SIZES):
                rising = all(later >= earlier for earlier, later in pairwise(medians))
                yield Line(
                    f"{lines.NAMES[method]}, d = {objectives}",
                    " → ".join(map(lines.count, medians)) + ("" if rising else " (not rising)"),
                    "rising" if method == BASE else "",
                    part=f"Median comparisons at |P| = {', '.join(map(str, SIZES))}",
                    holds=rising if method == BASE else None,
                )


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = looks.panels(len(OBJECTIVES), 9.0, 4.2)
    for objectives, one in zip(OBJECTIVES, axes, strict=True):
        for method in METHODS:
            found = [(kept, sample(table, FAMILIES[objectives, kept].name, method)) for kept in SIZES]
            looks.means(
                one, method, [(kept, at) for kept, at in found if at is not None], linewidth=1, capsize=2
            )
        one.set(title=f"Arena-{objectives}, K = 64")
        looks.log_log(one, "frontier models |P|", SIZES)
    axes[0].set_ylabel("mean comparisons until stopping")
    looks.legend(figure, axes[0])
    return [
        saved(
            figure,
            folder,
            "frontier-size",
            "Mean comparisons (± a standard error) against the size of the frontier. Counterpart of the "
            "paper's Figure 5.",
        )
    ]


def study_keys(seeds: int) -> list[str]:
    return keys(FAMILIES.values(), seeds)


STUDY = Study(
    name="frontier-size",
    title="Comparisons against the size of the frontier",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=2000,
    results="methods",
)
