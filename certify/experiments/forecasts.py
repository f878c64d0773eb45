"""Forecasts of the labels that policies read, held against what they read on the 108 panel comparisons.

For every comparison and policy the simulations of `certify.forecast`, made without any label, and the labels
that the policy reads on the true ones. What simulations usually miss is learnt on eight of the nine tables
and tried on the ninth, for each table in turn. Nothing of this is in the paper.

labels        what the policy reads on the true labels, with seed 0
bound         C̲, below which no range goes
mean, spread  of the share of the pool read in simulations: their average and standard deviation
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.budget import prelabel_bound
from certify.experiments.panels import COMPARED, FITTED, compared, conditions_of
from certify.forecast import CORRECTIONS, NORMAL, Correction, imagined, share, simulations
from certify.policies import DEFAULT_POLICY, POLICIES
from certify.replay import replay
from solvers.studies.drawing import BLUE, GREY, ORANGE, canvas, saved
from solvers.studies.study import Columns, Line, Picture, Row, Study

Reals = npt.NDArray[np.float64]

COLUMNS: Columns = {
    "condition": str,
    "n": int,
    "policy": str,
    "labels": int,
    "bound": int,
    "mean": float,
    "spread": float,
}
INSIDE = 0.92
"""Share of the learning comparisons that are to fall inside; a little above the 90 % that are stated."""
GOAL = 0.8


def keys(_seeds: int) -> Sequence[str]:
    """TABLE-SPLIT-MODEL, each for both numbers of candidates."""
    return list(FITTED)


def work(key: str) -> list[Row]:
    rows: list[Row] = []
    for condition in conditions_of(key, COMPARED):
        pool, codes = compared(condition)
        bound = prelabel_bound(pool)
        scenes = [imagined(pool, number) for number in range(max(map(simulations, POLICIES)))]
        for policy in POLICIES:
            found = np.array([share(scene, policy) for scene in scenes[: simulations(policy)]])
            rows.append(
                {
                    "condition": condition.name,
                    "n": pool.n,
                    "policy": policy,
                    "labels": replay(pool, codes, policy).labels_read,
                    "bound": bound,
                    "mean": float(found.mean()),
                    "spread": float(found.std(ddof=1)),
                }
            )
    return rows


def learnt(frame: pl.DataFrame) -> Correction:
    """Shift and allowance with which the stated range holds `INSIDE` of these comparisons of one policy."""
    error = frame["truth"].to_numpy() - frame["mean"].to_numpy()
    shift = float(np.median(error))
    beyond = np.square(error - shift) - np.square(NORMAL * frame["spread"].to_numpy())
    return Correction(shift, float(np.sqrt(np.quantile(np.maximum(beyond, 0), INSIDE))))


def ranges(frame: pl.DataFrame, correction: Correction) -> tuple[Reals, Reals]:
    """Ends of the stated ranges as shares of the pool, rounded outwards to whole labels."""
    n, bound = frame["n"].to_numpy(), frame["bound"].to_numpy()
    stated = [
        correction.around(mean, spread)
        for mean, spread in zip(frame["mean"].to_list(), frame["spread"].to_list(), strict=True)
    ]
    low = np.maximum(np.floor(np.array([low for low, _, _ in stated]) * n), bound) / n
    high = np.maximum(np.ceil(np.array([high for _, _, high in stated]) * n), bound) / n
    return low, high


def left_out(frame: pl.DataFrame) -> pl.DataFrame:
    """The comparisons of one policy with the range stated for each by what the other tables taught."""
    parts = []
    for (table,), tried in frame.group_by("table", maintain_order=True):
        others = frame.filter(pl.col("table") != table)
        low, high = ranges(tried, learnt(others))
        parts.append(tried.with_columns(pl.Series("low", low), pl.Series("high", high)))
    return pl.concat(parts).with_columns(inside=pl.col("truth").is_between("low", "high"))


def prepared(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(
        table=pl.col("condition").str.split("-").list.get(0), truth=pl.col("labels") / pl.col("n")
    )


def compare(table: pl.DataFrame) -> list[Line]:
    frame = prepared(table)
    lines = []
    whole = frame["table"].n_unique() > 1
    for policy in POLICIES:
        some = frame.filter(pl.col("policy") == policy)
        if not len(some) or not whole:
            continue
        tried = left_out(some)
        inside = tried["inside"].to_numpy()
        width = float((tried["high"] - tried["low"]).to_numpy().mean())
        missed = float((tried["truth"] - tried["mean"]).abs().to_numpy().mean())
        correction = learnt(some)
        lines.append(
            Line(
                policy,
                f"{int(inside.sum())} of {len(inside)} ({100 * inside.mean():.0f} %)",
                note=f"mean width {100 * width:.1f} % of the pool; simulations miss by "
                f"{100 * missed:.1f} % on average",
                part="Left-out comparisons inside the stated 90 % range",
                holds=bool(inside.mean() >= GOAL) if len(inside) == 2 * len(FITTED) else None,
            )
        )
        known = CORRECTIONS.get(policy)
        lines.append(
            Line(
                policy,
                f"shift {correction.shift:+.3f}, allowance {correction.allowance:.3f}",
                note="" if known is None else f"in use: {known.shift:+.3f}, {known.allowance:.3f}",
                part="Learnt on all tables, in shares of the pool",
            )
        )
    return sorted(lines, key=lambda line: line.part)


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    frame = prepared(table).filter(pl.col("policy") == DEFAULT_POLICY)
    if frame["table"].n_unique() < 2:
        return []
    tried = left_out(frame).sort("truth")
    figure, axes = canvas(6.4, 3.6)
    at = np.arange(len(tried))
    axes.vlines(at, 100 * tried["low"], 100 * tried["high"], color=GREY, linewidth=1.5, label="stated range")
    inside = tried["inside"].to_numpy()
    truth = 100 * tried["truth"].to_numpy()
    axes.plot(at[inside], truth[inside], ".", color=BLUE, label="labels read, inside")
    axes.plot(at[~inside], truth[~inside], ".", color=ORANGE, label="labels read, outside")
    axes.set(xlabel="comparison", ylabel="percent of the pool", ylim=(0, 102))
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    caption = f"What {DEFAULT_POLICY} was forecast to read, learnt on the other tables, and what it reads."
    return [saved(figure, folder, "forecasts", caption)]


STUDY = Study(
    name="forecasts",
    title="Forecasts before labelling: how many left-out comparisons fall inside the stated range",
    columns=COLUMNS,
    keys=keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=350,
)
