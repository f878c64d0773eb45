"""Means over conditions from the rows of `certify.experiments.measures`, and how they are written.

Condition names start with TABLE-SPLIT-MODEL-CANDIDATES. Every table has equally many conditions, so that a
mean over conditions gives each table the same weight, as the paper's means do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from certify.experiments.data import TABLES
from solvers.studies.study import Line


def prepared(table: pl.DataFrame) -> pl.DataFrame:
    """The results with the parts of the condition's name, and labels as percentages of the pool."""
    parts = pl.col("condition").str.split("-")
    return table.with_columns(
        parts.list.get(0).alias("dataset"),
        parts.list.get(3).cast(pl.Int64).alias("candidates"),
        (100 * pl.col("labels") / pl.col("n")).alias("percent"),
        (100 * pl.col("least") / pl.col("n")).alias("least_percent"),
    )


def of(
    frame: pl.DataFrame, measure: str, tolerance: str = "0", tables: Sequence[str] = TABLES
) -> pl.DataFrame:
    """One row a condition: a measure on some tables, seeds averaged."""
    return (
        frame.filter(
            (pl.col("measure") == measure)
            & (pl.col("tolerance") == tolerance)
            & pl.col("dataset").is_in(tables)
        )
        .group_by("condition", maintain_order=True)
        .agg(
            pl.col("dataset", "candidates", "n", "least", "least_percent", "steps", "candidate").first(),
            pl.col("labels", "percent").mean(),
        )
    )


def mean(frame: pl.DataFrame, column: str = "percent") -> float:
    """Mean over conditions, NaN when there are none."""
    value = frame[column].mean()
    return float(value) if isinstance(value, int | float) else float("nan")


def percent(value: float) -> str:
    """``56.37 %``, a dash for NaN."""
    return "–" if value != value else f"{value:.2f} %"


def interval(low: float, high: float) -> str:
    """A bracket, or one number where both ends agree."""
    if low != low or f"{low:.2f}" == f"{high:.2f}":
        return percent(high)
    return f"{low:.2f}–{high:.2f} %"


def bracket(certificates: pl.DataFrame) -> str:
    """Mean of C between its proven ends."""
    return interval(mean(certificates, "least_percent"), mean(certificates))


def within(value: float, low: float, high: float, points: float) -> bool:
    return low - points <= value <= high + points


def against(
    frame: pl.DataFrame,
    policy: str,
    other: str,
    paper: str = "",
    part: str = "",
    tables: Sequence[str] = TABLES,
) -> Iterator[Line]:
    """In how many conditions a policy reads fewer, as many and more labels than another."""
    joined = of(frame, policy, tables=tables).join(of(frame, other, tables=tables), on="condition")
    if joined.is_empty():
        return
    saved = (joined["percent_right"] - joined["percent"]).to_list()
    fewer, equal = sum(s > 0 for s in saved), sum(s == 0 for s in saved)
    yield Line(
        f"{policy} reads fewer / as many / more labels than {other}",
        f"{fewer} / {equal} / {len(saved) - fewer - equal} of {len(saved)}",
        paper,
        f"mean saving {sum(saved) / len(saved):.2f} points",
        part,
    )
