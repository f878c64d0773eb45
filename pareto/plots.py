"""Pictures: how many comparisons methods need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pareto.errors import BattleError

if TYPE_CHECKING:
    from pareto.runs import Runs

FORMATS = (".png", ".svg", ".pdf")
COLOURS = ("#444444", "#2a78c0", "#d9822b", "#5a9e4b", "#8e5ea2", "#b0485a")


def check_format(path: Path | None) -> None:
    """Refuse the name of a picture that cannot be drawn; None is no picture."""
    if path is not None and path.suffix.lower() not in FORMATS:
        raise BattleError(f"picture {path}: {', '.join(FORMATS)} are accepted")


def comparisons_picture(runs: Sequence[Runs], title: str, path: Path) -> None:
    """Every run a dot on a logarithmic axis, a row for each method, its median marked and written."""
    check_format(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 0.9 + 0.6 * len(runs)), layout="constrained")
    axes = figure.add_subplot()
    rng = np.random.default_rng(0)
    for row, (one, colour) in enumerate(zip(runs, COLOURS * len(runs), strict=False)):
        height = row + rng.uniform(-0.22, 0.22, size=len(one.comparisons))
        done = one.stopped
        axes.scatter(one.comparisons[done], height[done], s=9, color=colour, alpha=0.45, linewidths=0)
        axes.scatter(one.comparisons[~done], height[~done], s=14, color=colour, marker="x", linewidths=0.7)
        middle = float(np.median(one.comparisons))
        axes.plot([middle, middle], [row - 0.32, row + 0.32], color=colour, linewidth=2)
        axes.annotate(
            f"{middle:,.0f}", (middle, row - 0.36), ha="center", va="bottom", fontsize=8, color=colour
        )
    axes.set_xscale("log")
    axes.set_yticks(range(len(runs)), [one.method for one in runs])
    axes.set_ylim(len(runs) - 0.4, -0.7)
    axes.set_xlabel("comparisons until it stopped (×: cut, undecided)")
    axes.set_title(title, loc="left", fontsize=10)
    axes.grid(axis="x", alpha=0.25)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=160)
