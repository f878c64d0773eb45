"""Policies ranked over nine tables: Friedman's permutation test and Nemenyi's difference (Figure 11).

Demšar 2006, *Statistical Comparisons of Classifiers over Multiple Data Sets*. Each table counts once, with
the mean of its conditions; its policies are ranked, ties averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.experiments import panel_study
from certify.experiments.data import TABLES
from certify.experiments.panel_comparison import TABLE_3
from certify.experiments.summary import mean, of, prepared
from certify.policies import POLICIES
from solvers.studies.drawing import canvas, saved
from solvers.studies.study import Line, Picture

PERMUTATIONS = 99_999
LEVEL = 0.05

Ranks = npt.NDArray[np.float64]


def ranks(costs: npt.NDArray[np.float64]) -> Ranks:
    """Ranks of the policies on each table, 1 for the cheapest; (tables, policies) to the same."""
    from scipy.stats import rankdata

    # means that differ by rounding alone are ties
    return np.asarray(rankdata(costs.round(9), axis=1))


def friedman(ranked: Ranks, seed: int = 0, permutations: int = PERMUTATIONS) -> tuple[float, float]:
    """Spread of the mean ranks, and how probable so large a one is when policies do not matter.

    Each table's ranks are shuffled; the probability is (hits + 1)/(permutations + 1). The spread, the sum of
    squared deviations of the mean ranks, orders shufflings as Friedman's statistic does, whose other terms no
    shuffling changes.
    """
    generator = np.random.default_rng(seed)
    tables, policies = ranked.shape
    middle = (policies + 1) / 2
    observed = float(((ranked.mean(axis=0) - middle) ** 2).sum())
    hits, left = 0, permutations
    while left:
        count = min(left, 5000)
        shuffled = generator.permuted(np.broadcast_to(ranked, (count, tables, policies)), axis=2)
        spread = ((shuffled.mean(axis=1) - middle) ** 2).sum(axis=1)
        hits += int((spread >= observed - 1e-9).sum())
        left -= count
    return observed, (hits + 1) / (permutations + 1)


def critical_difference(policies: int, tables: int, level: float = LEVEL) -> float:
    """Nemenyi: mean ranks further apart than this differ at the level."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - level, policies, np.inf)) / 2**0.5
    return float(quantile * (policies * (policies + 1) / (6 * tables)) ** 0.5)


def groups(means: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Longest runs, first and last position, of ascending mean ranks that lie within the difference."""
    found: list[tuple[int, int]] = []
    for first, start in enumerate(means):
        last = max(at for at, value in enumerate(means) if value - start <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def costs_of(table: pl.DataFrame, policies: Sequence[str]) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Tables for which every policy has run, and their mean costs, (tables, policies)."""
    frame = prepared(table)
    costs = np.array([[mean(of(frame, p, tables=(name,))) for p in policies] for name in TABLES])
    there = ~np.isnan(costs).any(axis=1)
    return [name for name, known in zip(TABLES, there, strict=True) if known], costs[there]


def compare(table: pl.DataFrame) -> list[Line]:
    lines = []
    for part, policies in (
        ("The paper's seven policies", tuple(TABLE_3)),
        ("All policies", POLICIES),
    ):
        if part == "All policies" and set(policies) == set(TABLE_3):
            continue
        tables, costs = costs_of(table, policies)
        if len(tables) < 2:
            note = "ranks take at least two tables on which each of these policies has run"
            lines.append(Line("tables", str(len(tables)), note=note, part=part))
            continue
        ranked = ranks(costs)
        _, probability = friedman(ranked)
        difference = critical_difference(len(policies), len(tables))
        paper = part != "All policies"
        order = np.argsort(ranked.mean(axis=0), kind="stable")
        best = int(order[0])
        apart = [
            policies[k] for k in order if ranked.mean(axis=0)[k] - ranked.mean(axis=0)[best] > difference
        ]
        lines += [
            Line(
                "Friedman, permutation p",
                f"{probability:.0e}",
                "1e-05" if paper else "",
                f"{PERMUTATIONS:,} shufflings; with the plus-one correction 1e-05 is the least possible",
                part,
            ),
            Line("Nemenyi critical difference", f"{difference:.3f}", "3.002" if paper else "", "", part),
            *(
                Line(policies[k], f"mean rank {ranked.mean(axis=0)[k]:.2f}", "", "", part)
                for k in map(int, order)
            ),
            Line(
                f"{policies[best]} differs from",
                ", ".join(apart) or "none",
                "random, vma, model-selector (adaptive-pair-sum)" if paper else "",
                "",
                part,
            ),
        ]
    return lines


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    tables, costs = costs_of(table, POLICIES)
    if len(tables) < 2:
        return []
    means = ranks(costs).mean(axis=0)
    order = np.argsort(means, kind="stable")
    difference = critical_difference(len(POLICIES), len(tables))
    figure, axes = canvas(7.2, 3.4)
    for place, k in enumerate(order):
        axes.plot(means[k], place, "o", color="black")
        axes.annotate(
            f"{POLICIES[k]}  {means[k]:.2f}",
            (means[k], place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
        )
    for at, (first, last) in enumerate(groups([float(means[k]) for k in order], difference)):
        height = len(order) + 0.4 * at
        axes.plot([means[order[first]], means[order[last]]], [height, height], color="0.3", linewidth=4)
    axes.invert_yaxis()
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set(xlabel="mean rank over the tables, fewer labels to the left", xlim=(0.8, len(POLICIES) + 1.6))
    caption = (
        "Mean ranks of the policies; bars join policies that do not differ (Nemenyi, 5 %, critical "
        f"difference {difference:.3f}). Counterpart of Figure 11."
    )
    return [saved(figure, folder, "ranks", caption)]


STUDY = replace(
    panel_study.STUDY,
    name="ranks",
    title="Policies ranked over the nine tables: Friedman and Nemenyi",
    compare=compare,
    pictures=pictures,
    results="panels",
)
