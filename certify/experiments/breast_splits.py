"""How much the split matters on Breast Cancer, where our mean lies above what the paper's figures imply.

The paper's three split seeds are public but for one; this repeats the four comparisons of a split with twelve
further seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev

import polars as pl

from certify.experiments import measures
from certify.experiments.panel_comparison import CERTIFICATES
from certify.experiments.panels import COMPARED, MODELS, SPLITS, compared, conditions_of
from certify.experiments.summary import bracket, mean, of, prepared
from solvers.studies.drawing import BLUE, GREY, ORANGE, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

TABLE = "breast"
SEEDS = (*SPLITS, *range(1, 13))


def keys(_seeds: int) -> Sequence[str]:
    return [f"{TABLE}-{seed}-{model}" for seed in SEEDS for model in MODELS]


def work(key: str) -> list[Row]:
    rows: list[Row] = []
    for condition in conditions_of(key, COMPARED):
        pool, codes = compared(condition)
        measured = measures.certificate_bracket(pool, codes, "0")
        rows.append({"condition": condition.name, "n": pool.n, **measured})
    return rows


def means_of(table: pl.DataFrame) -> dict[int, float]:
    """Mean C(y) of each split that has all its comparisons, in percent of the pool."""
    frame = of(prepared(table), "certificate")
    found = {}
    for seed in SEEDS:
        some = frame.filter(pl.col("condition").str.starts_with(f"{TABLE}-{seed}-"))
        if some.height == len(MODELS) * len(COMPARED):
            found[seed] = mean(some)
    return found


def compare(table: pl.DataFrame) -> list[Line]:
    low, high = CERTIFICATES[TABLE]
    means = means_of(table)
    ours = [means[seed] for seed in SPLITS if seed in means]
    lines = [
        Line(
            "C(y) on the splits of the panel study",
            " / ".join(f"{value:.1f}" for value in ours) + " %",
            f"{low:.2f}–{high:.2f} % on average",
            f"seeds {', '.join(map(str, SPLITS))}, of which the first is the paper's",
        ),
        Line(
            "C(y) over all splits tried",
            bracket(of(prepared(table), "certificate")),
            "",
            f"{len(means)} splits",
        ),
    ]
    if len(means) >= len(SPLITS):
        values = list(means.values())
        triples = [fmean(some) for some in combinations(values, 3)]
        below = sum(value <= high for value in triples) / len(triples)
        lines += [
            Line("range over splits", f"{min(values):.1f} to {max(values):.1f} %"),
            Line("standard deviation between splits", f"{stdev(values):.1f} points"),
            Line(
                "three of these splits average no more than the paper's three",
                f"{100 * below:.0f} %",
                "",
                f"of {len(triples)} triples; so the paper's figure is an ordinary draw of splits",
            ),
        ]
    return lines


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    means = means_of(table)
    if len(means) < len(SPLITS):
        return []
    figure, axes = canvas(6.4, 2.2)
    for seed, value in means.items():
        ours = seed in SPLITS
        axes.plot(value, 0, "o", color=BLUE if ours else GREY, markersize=9 if ours else 6, alpha=0.8)
    axes.axvspan(*CERTIFICATES[TABLE], color=ORANGE, alpha=0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set(xlabel="C(y), percent of the pool, mean of a split's four comparisons")
    caption = (
        "Breast Cancer, one dot a split; blue: the three of the panel study. Orange: what the paper's three "
        "splits average."
    )
    return [saved(figure, folder, "breast-splits", caption)]


STUDY = Study(
    name="breast-splits",
    title="Breast Cancer: how far certificates vary from split to split",
    columns=measures.COLUMNS,
    keys=keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=20,
)
