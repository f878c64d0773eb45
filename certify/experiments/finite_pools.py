"""Propositions at finite sizes: C̲ and C(y) of pools with independent orders (Kuboyama 2026, section 6.7)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from certify.experiments.random_orders import RATES, between, means, measured
from certify.experiments.random_pools import errors, independent_orders
from certify.experiments.summary import percent
from solvers.studies.drawing import COLOURS, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl

SIZES = {
    2: (50, 100, 200, 500, 1000, 2000, 5706),
    4: (100, 500, 2000),
    8: (100, 500, 2000),
}
"""Numbers of rows for each number of candidates."""
PER_SEED = 10
PART = "matched"
COLUMNS = {
    "part": str,
    "candidates": int,
    "rate": float,
    "rows": int,
    "bound": int,
    "low": int,
    "high": int,
}


def keys(seeds: int) -> list[str]:
    return [f"K{k}-n{n}-seed{seed}" for k, sizes in SIZES.items() for n in sizes for seed in range(seeds)]


def work(key: str) -> list[Row]:
    many, size, _ = key.split("-")
    candidates, n = int(many[1:]), int(size[1:])
    rows: list[Row] = []
    for rate in RATES:
        for at in range(PER_SEED):
            name = f"finite-pools {key} {rate} {at}"
            found = measured(independent_orders(name, candidates, n), errors(name, n, rate))
            rows.append({"part": PART, "candidates": candidates, "rate": rate, **found})
    return rows


def compare(table: pl.DataFrame) -> list[Line]:
    paper_sizes = {50: ".37", 5706: ".46"}
    lines = []
    for k, sizes in SIZES.items():
        for n in sizes:
            found = means(table.filter(candidates=k, rows=n), PART, by="rows")
            if found.is_empty():
                continue
            row = found.row(0, named=True)
            paper = paper_sizes.get(n, "") if k == 2 else ""
            near = abs(row["low"] / 100 - float(paper)) <= 0.02 if paper else None
            apart = []
            for rate in RATES:
                some = means(table.filter(candidates=k, rows=n, rate=rate), PART, by="rows")
                apart.append(f"{between(some)} at error {rate}")
            lines.append(
                Line(
                    f"C(y), n = {n:,}",
                    between(found),
                    f"{100 * float(paper):.0f} %" if paper else "",
                    f"{', '.join(apart)}; C̲ {percent(row['bound'])}; {row['pools']} pools",
                    f"K = {k}, share of the pool",
                    near,
                )
            )
    settled = means(table.filter(candidates=2), PART, by="rows")
    large = [row for row in settled.iter_rows(named=True) if row["rows"] >= 500]
    if large:
        lines.append(
            Line(
                "C̲/n for two candidates from n = 500 on",
                ", ".join(f"{row['bound'] / 100:.3f}" for row in large),
                ".25",
                "to two places",
                "K = 2, share of the pool",
                all(abs(row["bound"] / 100 - 0.25) < 0.005 for row in large),
            )
        )
    return lines


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    figure, axes = canvas()
    for colour, k in zip(COLOURS, SIZES, strict=False):
        found = means(table.filter(candidates=k), PART, by="rows").sort("rows")
        if len(found):
            axes.plot(found["rows"], found["low"], "o-", color=colour, label=f"C(y), K = {k}")
            axes.plot(found["rows"], found["bound"], "s--", color=colour, label=f"C̲, K = {k}", alpha=0.7)
    for limit in (25, 50):
        axes.axhline(limit, color="0.6", linewidth=1, linestyle=":")
    axes.set(xscale="log", xlabel="rows", ylabel="% of pool", ylim=(15, 80))
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    return [
        saved(
            figure,
            folder,
            "finite-pools",
            "Minimum certificates and prelabel bounds of pools with independent orders. For two candidates "
            "they tend to a half and a quarter; for more, certificates keep growing past a half.",
        )
    ]


STUDY = Study(
    "finite-pools",
    "Independent orders at finite sizes",
    COLUMNS,
    keys,
    work,
    compare,
    pictures,
    seconds=60,
)
