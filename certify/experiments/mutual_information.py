"""A second way to make candidates: panels of the indicators with most mutual information (section 6.6).

54 comparisons of four panels, of ⌈p/8⌉, ⌈p/4⌉, ⌈p/2⌉ and p indicators, on the panel study's splits. Beside
the measures of `certify.experiments.measures`: `disagreement`, whose `value` is 1 where the labels of the
rows on which candidates disagree settle the choice; `duplicates`, candidates equal to an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.experiments import measures
from certify.experiments.data import TABLES
from certify.experiments.disagreement import disagreeing, settled
from certify.experiments.panels import FITTED, Mask, Probabilities, conditions_of, fits, pool_of, split_of
from certify.experiments.summary import against, bracket, mean, of, percent, prepared
from certify.policies.orders import distinct
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes
from solvers.studies.drawing import BLUE, GREEN, ORANGE, canvas, saved
from solvers.studies.study import Line, Picture, Row, Study

POLICIES = ("static-range", measures.BASE, measures.OURS)
PAPER = {"static-range": "72.19 %", "adaptive-pair-sum": "70.72 %"}


def mutual_information(shown: Mask, positive: Mask) -> npt.NDArray[np.float64]:
    """Between each indicator, (n, m), and the label, (n,), in nats; (m,)."""
    n = len(positive)
    total = np.zeros(shown.shape[1])
    for seen in (shown, ~shown):
        for label in (positive, ~positive):
            joint = (seen & label[:, None]).sum(axis=0)
            expected = seen.sum(axis=0) * int(label.sum())
            ratio = np.where(joint > 0, joint * n / np.maximum(expected, 1), 1.0)
            total += joint / n * np.log(ratio)
    return total


def information_panels(shown: Mask, positive: Mask) -> list[list[int]]:
    """The four panels, smallest first; indicators with equal information keep their order."""
    # rounded, because equal counts may be added in another order
    order = np.argsort(-mutual_information(shown, positive).round(12), kind="stable").tolist()
    return [sorted(order[: -(-len(order) // part)]) for part in (8, 4, 2, 1)]


@cache
def _fitted(dataset: str, seed: int, model: str) -> list[Probabilities]:
    sources = split_of(dataset, seed)
    return fits(
        sources, information_panels(sources.shown[sources.train], sources.positive[sources.train]), model
    )


def compared(fitted: str) -> tuple[Pool, Codes]:
    """The pool of one comparison and its true labels."""
    dataset, split, model = fitted.split("-")
    return pool_of(_fitted(dataset, int(split), model), range(4), split_of(dataset, int(split)))


def keys(seeds: int) -> Sequence[str]:
    return measures.keys(FITTED, POLICIES, seeds)


def work(key: str) -> list[Row]:
    name, piece, seed = measures.parsed(key)
    (condition,) = conditions_of(name, [4])
    pool, codes = compared(name)
    if piece == measures.FACTS:
        seen = np.where(disagreeing(pool), codes, UNLABELLED).astype(np.int16)
        measured: list[Row] = [
            measures.exact_certificate(pool, codes),
            measures.prelabel(pool),
            {"measure": "disagreement", "value": float(settled(pool.risks, seen))},
            {"measure": "duplicates", "value": float((~distinct(pool.risks)).sum())},
        ]
    else:
        measured = list(measures.reads(pool, codes, piece, seed))[:1]
    return [{"condition": condition.name, "n": pool.n, **row} for row in measured]


def compare(table: pl.DataFrame) -> list[Line]:
    frame = prepared(table)
    exact = of(frame, "certificate")
    proven = exact.filter(pl.col("least") == pl.col("labels")).height
    unsettled = frame.filter((pl.col("measure") == "disagreement") & (pl.col("value") == 0)).height
    twins = frame.filter((pl.col("measure") == "duplicates") & (pl.col("value") > 0)).height
    lines = [
        Line("C̲", percent(mean(of(frame, "prelabel"))), "20.42 %", "our own splits, but for seed 731"),
        Line("C(y)", bracket(exact), "45.81–46.27 %", f"{proven} of {exact.height} proven exact"),
    ]
    for policy in POLICIES:
        run = of(frame, policy)
        excess = mean(run) - mean(exact)
        lines.append(
            Line(
                f"{policy} reads",
                percent(mean(run)),
                PAPER.get(policy, ""),
                f"{excess:.2f} points above C(y)"
                + (" (paper 24.45–24.91)" if policy == measures.BASE else ""),
            )
        )
    lines += against(frame, measures.BASE, "static-range", "34 / 9 / 11 of 54")
    lines += against(frame, measures.OURS, measures.BASE)
    return [
        *lines,
        Line("left open by the disagreement labels", f"{unsettled} of {exact.height}", "53 of 54"),
        Line("collections with candidates of equal loss", f"{twins} of {exact.height}", "1 of 54"),
    ]


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    frame = prepared(table)
    figure, axes = canvas(5.8, 4.0)
    shown = [("prelabel", "bound C̲", ORANGE, "|"), ("certificate", "certificate C(y)", ORANGE, "o")]
    shown.append((measures.BASE, measures.BASE, BLUE, "o"))
    shown.append((measures.OURS, measures.OURS, GREEN, "D"))
    tables = [name for name in TABLES if not of(frame, "certificate", tables=(name,)).is_empty()]
    for measure, label, colour, marker in shown:
        values = [mean(of(frame, measure, tables=(name,))) for name in tables]
        axes.plot(values, range(len(tables)), marker, color=colour, label=label, markersize=7)
    axes.set_yticks(range(len(tables)), tables)
    axes.invert_yaxis()
    axes.set(xlabel="percent of the pool", xlim=(0, 100))
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=8)
    caption = "Panels chosen by mutual information, means by table. Counterpart of Figure 13b."
    return [saved(figure, folder, "mutual-information", caption)]


STUDY = Study(
    name="mutual-information",
    title="A second panel generator: most informative indicators, 54 comparisons",
    columns=measures.COLUMNS,
    keys=keys,
    work=work,
    compare=compare,
    pictures=pictures,
    seconds=120,
)
