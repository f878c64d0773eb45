"""Who gets the comparisons: those of each model against its gap (appendix 8, Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from pareto.borda import borda
from pareto.experiments import lines, looks
from pareto.experiments.pieces import BASE, OURS
from pareto.experiments.settings import TASKS
from pareto.frontier import frontier
from pareto.gaps import gaps
from pareto.links import Reals
from pareto.trials import simulate
from solvers.studies.drawing import saved
from solvers.studies.study import Columns, Line, Picture, Row, Study, seed_of

if TYPE_CHECKING:
    import polars as pl

NAMES = ("arena-4-medium", "two-group-10")
METHODS = (BASE, *OURS)
BLOCK = 10
"""Trials of a block; ten blocks are wanted by default."""
AMONG = 101
"""The representative instance is the middle one of so many by Σ 1/Δ²."""

COLUMNS: Columns = {
    "setting": str,
    "method": str,
    "instance": int,
    "model": int,
    "kept": int,
    "gap": float,
    "trials": int,
    "comparisons": int,
}
"""A row for each model: whether it is on the frontier, its gap in Borda scores, comparisons in all trials."""


@lru_cache(maxsize=len(NAMES))
def representative(name: str) -> int:
    """Number of the instance whose Σ 1/Δ_i² in Borda scores is the median of the first 101."""
    draw = TASKS[name].draw
    hardness = [float((gaps(borda(draw(instance))) ** -2.0).sum()) for instance in range(AMONG)]
    return int(np.argsort(hardness, kind="stable")[AMONG // 2])


def study_keys(seeds: int) -> list[str]:
    return [f"{name}/{method}/{block}" for name in NAMES for block in range(seeds) for method in METHODS]


def work(key: str) -> list[Row]:
    name, method, block = key.split("/")
    task, instance = TASKS[name], representative(name)
    theta = task.draw(instance)
    trials = range(BLOCK * int(block), BLOCK * (int(block) + 1))
    draws = simulate(method, theta, trials, seed_of(f"allocation {key}")).draws.sum(axis=0)
    # of VB-EGE, draws are those on one objective
    spent = draws * task.objectives if method == BASE else draws
    return [
        {
            "setting": name,
            "method": method,
            "instance": instance,
            "model": model,
            "kept": int(kept),
            "gap": gap,
            "trials": BLOCK,
            "comparisons": comparisons,
        }
        for model, (kept, gap, comparisons) in enumerate(
            zip(frontier(theta).tolist(), gaps(borda(theta)).tolist(), spent.tolist(), strict=True)
        )
    ]


def compare(table: pl.DataFrame) -> list[Line]:
    return [line for name in NAMES for line in _lines(table, name)]


def _lines(table: pl.DataFrame, name: str) -> Iterator[Line]:
    part = f"{TASKS[name].text}, one instance (which one the paper drew is not in its text)"
    for method in METHODS:
        found = _models(table, name, method)
        if found is None:
            continue
        gap, spent = found
        order = float(np.corrcoef(rankdata(gap), rankdata(spent))[0, 1])
        closest = spent[np.argsort(gap, kind="stable")[: len(gap) // 4]].sum() / spent.sum()
        yield Line(
            f"{lines.NAMES[method]}: rank correlation of gap and comparisons",
            f"{order:+.2f}",
            "smaller gaps, more comparisons" if method == BASE else "",
            f"the quarter of the models with the smallest gaps gets {closest:.0%} of the comparisons",
            part,
            order < 0 if method == BASE else None,
        )


def _models(table: pl.DataFrame, name: str, method: str) -> tuple[Reals, npt.NDArray[np.float64]] | None:
    """Gap and mean comparisons of each model, None where there is no trial."""
    import polars as pl

    frame = table.filter((pl.col("setting") == name) & (pl.col("method") == method))
    if frame.is_empty():
        return None
    one = (
        frame.group_by("model", maintain_order=True)
        .agg(pl.col("gap").first(), pl.col("comparisons", "trials").sum())
        .sort("model")
    )
    return one["gap"].to_numpy(), one["comparisons"].to_numpy() / one["trials"].to_numpy()


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    figure, axes = looks.panels(len(NAMES), 9.0, 4.2)
    for name, one in zip(NAMES, axes, strict=True):
        for method in METHODS:
            found = _models(table, name, method)
            if found is not None:
                one.plot(*found, linestyle="none", alpha=0.8, **looks.look(method))
        one.set(xlabel="gap Δ in Borda scores", xscale="log", yscale="log", title=TASKS[name].text)
        one.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        one.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        one.xaxis.set_minor_formatter(NullFormatter())
        one.grid(color="0.9")
        one.set_axisbelow(True)
    axes[0].set_ylabel("mean comparisons of the model")
    looks.legend(figure, axes[0], METHODS)
    return [
        saved(
            figure,
            folder,
            "allocation",
            "Comparisons of each model against its gap: as focal model for VB-EGE and interval, on either "
            "side for duel, so that its add up to twice the total. Counterpart of the paper's Figure 6.",
        )
    ]


STUDY = Study(
    name="allocation",
    title="Comparisons of each model against its gap",
    columns=COLUMNS,
    keys=study_keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=130,
)
