"""Profiles under different treatments of ties (paper, Figures 13 to 15 and 19 to 21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pareto.log_pictures.field import Field, name_objectives
from pareto.result import Mask, Reals
from solvers.pages.canvas import Picture, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Treatment:
    """One way to count ties: its heading, the Borda scores (K, d) and strict frontier (K,) it gives."""

    heading: str
    borda: Reals
    frontier: Mask


def treatments(models: tuple[str, ...], objectives: tuple[str, ...], panels: Sequence[Treatment]) -> Picture:
    """A panel for each treatment with the models that any of them keeps; those it keeps itself are thick."""
    union = np.logical_or.reduce([panel.frontier for panel in panels])
    # looks by the first treatment's order, so that a model is drawn alike wherever it stays
    field = Field(models, objectives, panels[0].borda, union)
    names = field.names(field.kept)

    def draw(figure: Figure, narrow: bool) -> None:
        shape = (len(panels), 1) if narrow else (1, len(panels))
        grid = figure.subplots(*shape, squeeze=False, sharey=True)
        for axes, panel in zip(grid.flat, panels, strict=True):
            for model in reversed(field.kept):
                look, stays = field.looks[model], bool(panel.frontier[model])
                axes.plot(
                    range(len(objectives)),
                    panel.borda[model],
                    color=look.colour,
                    marker=look.mark,
                    linestyle=look.style,
                    linewidth=2.8 if stays else 1.0,
                    markersize=6.5 if stays else 4,
                    alpha=1.0 if stays else 0.45,
                    markerfacecolor=look.colour if stays else "none",
                )
            axes.set_title(f"{panel.heading}: {int(panel.frontier.sum())} kept", fontsize=11)
            name_objectives(axes, objectives, 3.6 if narrow else 8.8 / len(panels))
            axes.margins(x=0.08)
            axes.grid(axis="y")
        for axes in grid[:, 0]:
            axes.set_ylabel("Borda score")
        legend(figure, [field.looks[model].handle() for model in field.kept], names, narrow)

    said = "; ".join(
        f"{panel.heading} keeps {', '.join(models[i] for i in field.kept if panel.frontier[i])}"
        for panel in panels
    )
    return Picture(
        "treatments",
        "The frontier under each treatment of ties",
        f"Line charts of Borda scores on {len(objectives)} objectives, one for each treatment: {said}.",
        draw,
        height=4.0 + 0.22 * legend_shape(names, False)[1],
        narrow_height=0.3 + 3.1 * len(panels) + 0.22 * legend_shape(names, True)[1],
    )
