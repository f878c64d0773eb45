"""Borda profiles: every model a line over the objectives (paper, Figures 7 to 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pareto.log_pictures.field import Field, name_objectives
from solvers.pages.canvas import MUTED, Picture, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def profiles(field: Field) -> Picture:
    """The frontier's models in colour, the dominated ones grey behind them."""
    names = field.names(field.kept)
    grey = [f"{len(field.others)} dominated"] if field.others else []
    entries = names + grey
    single = len(field.objectives) == 1

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D

        axes = figure.subplots()
        places = range(len(field.objectives))
        dot = "o" if single else None  # a line over one objective is a point
        for model in field.others:
            axes.plot(
                places, field.borda[model], marker=dot, color=MUTED, linewidth=0.8, alpha=0.38, markersize=4
            )
        for model in reversed(field.kept):
            look = field.looks[model]
            axes.plot(
                places,
                field.borda[model],
                color=look.colour,
                marker=look.mark,
                linestyle=look.style,
                linewidth=2.2,
                markersize=6,
            )
        name_objectives(axes, field.objectives, 3.6 if narrow else 8.6)
        axes.margins(x=0.06)
        axes.set_ylabel("Borda score")
        axes.grid(axis="y")
        handles = [field.looks[model].handle() for model in field.kept]
        if grey:
            handles.append(Line2D([], [], color=MUTED, linewidth=0.8, alpha=0.6))
        legend(figure, handles, entries, narrow)

    listed = "; ".join(
        f"{field.models[model]} "
        + ", ".join(
            f"{objective} {value:.3f}"
            for objective, value in zip(field.objectives, field.borda[model], strict=True)
        )
        for model in field.kept[:12]
    )
    more = f" and {len(field.kept) - 12} more" if len(field.kept) > 12 else ""
    return Picture(
        "profiles",
        "Borda profiles",
        f"Line chart, Borda scores of {len(field.models)} models on {len(field.objectives)} objectives. "
        f"On the frontier: {listed}{more}.",
        draw,
        height=4.6 + 0.22 * legend_shape(entries, False)[1],
        narrow_height=4.4 + 0.22 * legend_shape(entries, True)[1],
    )
