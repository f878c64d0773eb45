"""Held-out loss of every tie-factor size tried (paper, Figures 16 to 18)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.result import Reals
from solvers.pages.canvas import COLOURS, STYLES, Picture, briefs, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def held_out(objectives: Sequence[str], sizes: Sequence[int], losses: Reals) -> Picture:
    """A line for each objective over the sizes tried; `losses` (d, sizes), NaN where not tried.

    Drawn above the objective's smallest loss, because objectives differ in more than the sizes do.
    """
    names = briefs(list(objectives))
    best = np.nanargmin(losses, axis=1)
    above = losses - np.nanmin(losses, axis=1, keepdims=True)

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D

        axes = figure.subplots()
        handles = []
        for r in range(len(objectives)):
            look: dict[str, Any] = {
                "color": COLOURS[r % len(COLOURS)],
                "linestyle": STYLES[r // len(COLOURS) % len(STYLES)],
                "linewidth": 1.8,
            }
            axes.plot(range(len(sizes)), above[r], marker="o", markersize=4, **look)
            axes.plot([best[r]], [0], "*", color=look["color"], markersize=13, clip_on=False, zorder=4)
            handles.append(Line2D([], [], **look))
        axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        axes.set_ylim(bottom=0)
        axes.margins(x=0.05)
        axes.set_xlabel("tie-factor size (★ chosen)")
        axes.set_ylabel("held-out loss above the least")
        axes.grid(axis="y")
        legend(figure, handles, names, narrow)

    said = "; ".join(
        f"{objective} {sizes[int(at)]}" for objective, at in zip(objectives, best.tolist(), strict=True)
    )
    return Picture(
        "held-out",
        "Held-out loss of each tie-factor size",
        f"Line chart over {len(sizes)} sizes. Smallest held-out loss: {said}.",
        draw,
        height=3.6 + 0.22 * legend_shape(names, False)[1],
        narrow_height=3.6 + 0.22 * legend_shape(names, True)[1],
    )
