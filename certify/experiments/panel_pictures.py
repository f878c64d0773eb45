"""Pictures of the panel study: the paper's Figures 7, 9, 10 and 12a again, and policies by table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from certify.experiments.data import TABLES
from certify.experiments.measures import BASE, OURS, TOLERANCES
from certify.experiments.panel_comparison import ADDED, enough, ruled_out, whole
from certify.experiments.summary import mean, of, prepared
from certify.policies import POLICIES
from solvers.studies.drawing import BLUE, COLOURS, GREEN, GREY, ORANGE, canvas, saved
from solvers.studies.study import Picture

if TYPE_CHECKING:
    import polars as pl


def pictures(table: pl.DataFrame, folder: Path) -> list[Picture]:
    frame = prepared(table)
    drawn = []
    if whole(of(frame, "prelabel")) and whole(of(frame, "static-range")):
        drawn += [_budget_map(frame, folder), _savings(frame, folder), _tolerances(frame, folder)]
    if not of(frame, OURS).is_empty() and not of(frame, "certificate").is_empty():
        drawn.append(_policies(frame, folder))
    if "ionosphere-731-tree-4" in of(frame, "shared")["condition"]:
        drawn.append(_label_by_label(frame, folder))
    return drawn


def _budget_map(frame: pl.DataFrame, folder: Path) -> Picture:
    """Figure 7."""
    budgets, tolerances = (10, 20, 30, 40, 50, 60, 70, 80, 90), ("0", "0.005", "0.01")
    figure, axes = canvas(7.2, 5.6)
    marks, names = [], []
    for at, tolerance in enumerate(tolerances):
        bound, run = of(frame, "prelabel", tolerance), of(frame, "static-range", tolerance)
        for row, budget in enumerate(budgets):
            place = row + 10 * at
            out, sure = ruled_out(bound, budget), enough(run, budget)
            axes.barh(place, out, color=ORANGE)
            axes.barh(place, bound.height - out - sure, left=out, color="0.85")
            axes.barh(place, sure, left=bound.height - sure, color=BLUE)
            for count, centre in ((out, out / 2), (sure, bound.height - sure / 2)):
                if count > 3:
                    axes.text(centre, place, str(count), ha="center", va="center", color="white", fontsize=7)
            marks.append(place)
            names.append(f"{budget} %" + (f", τ = {tolerance}" if row == 0 else ""))
    axes.set_yticks(marks, names, fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="conditions", xlim=(0, 108), title="What a budget can certify, by tolerance")
    return saved(
        figure,
        folder,
        "panels-budgets",
        "Orange: the budget is impossible whatever the labels. Blue: enough for static-range. Grey: open. "
        "Counterpart of the paper's Figure 7.",
    )


def _savings(frame: pl.DataFrame, folder: Path) -> Picture:
    """Figure 9."""
    bars = [
        ("separate test", "separate", GREY),
        ("centred test", "centred", GREY),
        ("shared test, static order", "shared", BLUE),
        (f"shared, {BASE}", BASE, BLUE),
    ]
    bars.append((f"shared, {OURS}", OURS, GREEN))
    bars += [
        ("smallest certificate C(y)", "certificate", ORANGE),
        ("bound before labels C̲", "prelabel", ORANGE),
    ]
    figure, axes = canvas(7.2, 3.2)
    for place, (_, measure, colour) in enumerate(bars):
        value = mean(of(frame, measure, tables=ADDED))
        axes.barh(place, value, color=colour)
        axes.text(value + 0.8, place, f"{value:.1f}", va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), [name for name, _, _ in bars], fontsize=9)
    axes.invert_yaxis()
    axes.set(xlabel="percent of the pool, mean of the six added tables", xlim=(0, 108))
    return saved(
        figure, folder, "panels-savings", "Where labels are saved. Counterpart of the paper's Figure 9."
    )


def _tolerances(frame: pl.DataFrame, folder: Path) -> Picture:
    """Figure 12a."""
    lines = [
        ("bound C̲", "prelabel", ORANGE, ":"),
        ("certificate C_τ(y)", "certificate", ORANGE, "-"),
        ("static-range", "static-range", GREY, "-"),
        (BASE, BASE, BLUE, "-"),
    ]
    lines.append((OURS, OURS, GREEN, "-"))
    figure, axes = canvas()
    places = range(len(TOLERANCES))
    for name, measure, colour, style in lines:
        values = [mean(of(frame, measure, tolerance)) for tolerance in TOLERANCES]
        axes.plot(places, values, marker="o", markersize=4, color=colour, linestyle=style, label=name)
    axes.set_xticks(places, TOLERANCES)
    axes.set(xlabel="tolerance τ (AUGRC)", ylabel="percent of the pool", ylim=(0, 100))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower left")
    return saved(
        figure,
        folder,
        "panels-tolerances",
        "Labels needed and read as a tolerance is allowed, means of all conditions. Counterpart of the "
        "paper's Figure 12a.",
    )


def _policies(frame: pl.DataFrame, folder: Path) -> Picture:
    figure, axes = canvas(7.2, 4.4)
    tables = [name for name in TABLES if not of(frame, OURS, tables=(name,)).is_empty()]
    for policy, colour in zip(POLICIES, COLOURS, strict=False):
        values = [mean(of(frame, policy, tables=(name,))) for name in tables]
        ours = policy == OURS
        axes.plot(
            values,
            range(len(tables)),
            "D" if ours else "o",
            color="black" if ours else colour,
            markersize=8 if ours else 5,
            label=policy,
        )
    for place, name in enumerate(tables):
        size = mean(of(frame, "certificate", tables=(name,)))
        axes.plot([size, size], [place - 0.35, place + 0.35], color=ORANGE, linewidth=2.5)
    axes.plot([], [], color=ORANGE, linewidth=2.5, label="C(y), in hindsight")
    axes.set_yticks(range(len(tables)), tables)
    axes.invert_yaxis()
    axes.set(xlabel="labels read until the choice is certain, percent of the pool", xlim=(40, 101))
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False, fontsize=8
    )
    return saved(
        figure,
        folder,
        "panels-policies",
        f"Labels that each policy reads, means by table; the diamond is {OURS}; no "
        "policy can pass the orange bar, which takes hindsight.",
    )


def _label_by_label(frame: pl.DataFrame, folder: Path) -> Picture:
    """Figure 10."""
    import numpy as np

    from certify.experiments.panels import Condition, compared
    from certify.paths import whole_order
    from certify.stopping_tests import TESTS, Test, margins

    pool, codes = compared(Condition("ionosphere", 731, "tree", 4))
    one = frame.filter(frame["condition"] == "ionosphere-731-tree-4")
    winner = int(of(one, "certificate")["candidate"][0])
    order = whole_order(pool, "static-range")
    figure, axes = canvas()
    colours: dict[Test, str] = {"separate": GREY, "centred": ORANGE, "shared": BLUE}
    for test in TESTS:
        heights = margins(pool, codes, order, winner, test) / (2 * pool.risks.scale)
        stop = int(of(one, test)["labels"][0])
        axes.plot(np.arange(len(heights)), heights, color=colours[test], label=f"{test}: {stop} labels")
        axes.plot([stop], [heights[stop]], "o", color=colours[test])
    axes.axhline(0, color="0.4", linewidth=0.8)
    for measure, text in (("prelabel", "C̲"), ("certificate", "C(y)")):
        place = int(of(one, measure)["labels"][0])
        axes.axvline(place, color="0.5", linestyle=":", linewidth=1)
        axes.annotate(f"{text} = {place}", (place, 0.02), xycoords=("data", "axes fraction"), fontsize=8)
    axes.set(xlabel="labels read", ylabel="bound on AUGRC of the best rival − winner")
    axes.legend(frameon=False, fontsize=8)
    return saved(
        figure,
        folder,
        "panels-ionosphere",
        "Ionosphere, split 731, trees, four candidates: three tests along the static order; a dot where "
        "each is certain. Counterpart of the paper's Figure 10.",
    )
