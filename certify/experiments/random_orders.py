"""The independent-order model at the sizes of the real pools (Kuboyama 2026, section 6.6, Figure 13a).

For each table's pool size, K = 4 and 8 and error rates .1 and .3, a hundred pools whose candidates predict
alike and rank rows independently: 3,600 in all, beside the fitted panels.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from certify.experiments.measures import certificate_bracket, prelabel
from certify.experiments.panels import CONDITIONS, compared
from certify.experiments.random_pools import errors, independent_orders
from certify.experiments.summary import interval, mean, percent, within
from certify.pool import Pool
from certify.risks import Codes
from solvers.studies.drawing import BLUE, ORANGE, canvas, saved
from solvers.studies.study import SEEDS, Line, Picture, Row, Study

if TYPE_CHECKING:
    import polars as pl

POOL_SIZES = {
    "breast": 171,
    "wine": 54,
    "digits": 540,
    "ionosphere": 106,
    "sonar": 63,
    "banknote": 412,
    "haberman": 92,
    "spambase": 1381,
    "magic": 5706,
}
"""Held-out rows of each table."""
CANDIDATES = (4, 8)
RATES = (0.1, 0.3)
PER_SEED = 10
"""Pools for each size, K, rate and seed, so that ten seeds make the paper's hundred."""
COLUMNS = {
    "part": str,
    "dataset": str,
    "candidates": int,
    "rate": float,
    "rows": int,
    "bound": int,
    "low": int,
    "high": int,
}


def keys(seeds: int) -> list[str]:
    matched = [
        f"{dataset}-K{candidates}-q{rate}-seed{seed}"
        for dataset in POOL_SIZES
        for candidates in CANDIDATES
        for rate in RATES
        for seed in range(seeds)
    ]
    return matched + [f"fitted-{dataset}" for dataset in POOL_SIZES]


def work(key: str) -> list[Row]:
    if key.startswith("fitted-"):
        dataset = key.partition("-")[2]
        return [
            {
                "part": "fitted",
                "dataset": dataset,
                "candidates": condition.candidates,
                **measured(*compared(condition)),
            }
            for condition in CONDITIONS
            if condition.dataset == dataset
        ]
    dataset, many, share, _ = key.split("-")
    candidates, rate = int(many[1:]), float(share[1:])
    rows: list[Row] = []
    for at in range(PER_SEED):
        name = f"random-orders {key} {at}"
        pool = independent_orders(name, candidates, POOL_SIZES[dataset])
        found = measured(pool, errors(name, pool.n, rate))
        rows.append({"part": "matched", "dataset": dataset, "candidates": candidates, "rate": rate, **found})
    return rows


def measured(pool: Pool, codes: Codes) -> Row:
    """C̲ and the bracket of C(y) as result columns."""
    found = certificate_bracket(pool, codes, "0")
    return {
        "rows": pool.n,
        "bound": prelabel(pool)["labels"],
        "low": found["least"],
        "high": found["labels"],
    }


def means(table: pl.DataFrame, part: str, by: str = "dataset") -> pl.DataFrame:
    """Mean percentages of the pool, by dataset: columns `bound`, `low`, `high`."""
    import polars as pl

    shares = [(100 * pl.col(name) / pl.col("rows")).mean().alias(name) for name in ("bound", "low", "high")]
    return table.filter(part=part).group_by(by, maintain_order=True).agg(*shares, pl.len().alias("pools"))


def compare(table: pl.DataFrame) -> list[Line]:
    lines: list[Line] = []
    matched, fitted = means(table, "matched"), means(table, "fitted")
    pools = table.filter(part="matched")
    whole = len(matched) == len(POOL_SIZES)
    if len(matched):
        widths = (pools["high"] - pools["low"]).to_list()
        lines += [
            Line(
                "pools",
                f"{len(pools):,}",
                "3,600",
                f"brackets checked in integers, widest {max(widths)}, {widths.count(0):,} exact",
                holds=True if len(pools) == 360 * SEEDS else None,
            ),
            Line(
                "mean C(y)",
                between(matched),
                "60.15–61.15 %",
                "every table's size weighs the same; only n and K are matched to real pools",
                holds=within(mean(matched, "low"), 60.15, 61.15, 1) if whole else None,
            ),
            Line(
                "mean C̲",
                percent(mean(matched, "bound")),
                "25.88 %",
                holds=abs(mean(matched, "bound") - 25.88) <= 0.5 if whole else None,
            ),
        ]
    if len(fitted):
        lines.append(
            Line(
                "fitted panels: mean C(y)",
                between(fitted),
                "56.37–57.16 %",
                "other splits; see the study of the panels for exact values",
            )
        )
    for row in matched.iter_rows(named=True):
        beside = fitted.filter(dataset=row["dataset"])
        lines.append(
            Line(
                f"{row['dataset']}, n = {POOL_SIZES[row['dataset']]:,}",
                f"random orders {interval(row['low'], row['high'])}",
                {"digits": "fitted 48.50–48.84 %", "wine": "fitted 68.67–70.06 %"}.get(row["dataset"], ""),
                f"fitted panels {between(beside)}" if len(beside) else "",
                "C(y) by pool size",
            )
        )
    for candidates in CANDIDATES:
        some = means(table.filter(candidates=candidates), "matched")
        if len(some):
            lines.append(Line(f"K = {candidates}", between(some), "", "", "C(y) by number of candidates"))
    return lines


def between(some: pl.DataFrame) -> str:
    """The mean bracket, as one number where both ends print alike."""
    return interval(mean(some, "low"), mean(some, "high"))


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    both = means(table, "matched").join(means(table, "fitted"), on="dataset", suffix="_fitted")
    if both.is_empty():
        return []
    figure, axes = canvas(5.4, 5.0)
    axes.plot([15, 80], [15, 80], color="0.7", linewidth=1)
    axes.plot(both["low_fitted"], both["low"], "o", color=BLUE, label="minimum certificate C(y)")
    axes.plot(both["bound_fitted"], both["bound"], "s", color=ORANGE, label="prelabel bound C̲")
    for at, row in enumerate(both.sort("low").iter_rows(named=True)):
        # away from the diagonal, and neighbours at different heights, so that names stay apart
        above = row["low"] > row["low_fitted"]
        axes.annotate(
            row["dataset"],
            (row["low_fitted"], row["low"]),
            textcoords="offset points",
            xytext=(-6 if above else 6, -8 if at % 4 < 2 else 0),
            ha="right" if above else "left",
            fontsize=8,
        )
    axes.set(
        xlabel="fitted panels, % of pool", ylabel="random orders of the same n and K, % of pool",
        xlim=(15, 80), ylim=(15, 80), aspect="equal",
    )  # fmt: skip
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    return [
        saved(
            figure,
            folder,
            "random-orders",
            "Labels needed by fitted panels against pools of the same size with random orders (Figure 13a). "
            "Each point is a table; brackets are narrower than the marks.",
        )
    ]


STUDY = Study(
    "random-orders",
    "Random orders at the sizes of the real pools (3,600 pools)",
    COLUMNS,
    keys,
    work,
    compare,
    pictures,
    seconds=150,
)
