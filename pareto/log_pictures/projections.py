"""Two objectives at a time (paper, Figures 10 to 12, panel a)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pareto.frontier import frontier
from pareto.log_pictures.field import Field
from pareto.result import Mask, Reals
from solvers.pages.canvas import FAINT, INK, MUTED, Picture, briefs, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL, NARROW_PANEL = 2.5, 2.0  # inches of height


def projected(field: Field, objectives: Sequence[int]) -> Mask:
    """The strict frontier on part of the objectives, (K,): a part of the whole one."""
    return frontier(field.borda[:, list(objectives)])


def projections(field: Field) -> Picture | None:
    """A panel for each pair of objectives; None with a single objective.

    Filled: on the frontier of these two; hollow: only on that of all objectives.
    """
    pairs = list(combinations(range(len(field.objectives)), 2))
    if not pairs:
        return None
    kept = {pair: projected(field, pair) for pair in pairs}
    shown = briefs(list(field.objectives), 22)
    names = [*field.names(field.kept), "only with the other objectives", "dominated"]
    used = [True] * len(field.kept) + [
        any((field.frontier & ~mask).any() for mask in kept.values()),
        bool(field.others),
    ]
    names = [name for name, wanted in zip(names, used, strict=True) if wanted]

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D

        columns = _columns(len(pairs), narrow)
        grid = figure.subplots(-(-len(pairs) // columns), columns, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place >= len(pairs):
                axes.set_axis_off()
                continue
            _panel(axes, field, pairs[place], kept[pairs[place]])
            x, y = pairs[place]
            axes.set_xlabel(shown[x], fontsize=9.5)
            axes.set_ylabel(shown[y], fontsize=9.5)
        handles = [field.looks[model].handle() for model in field.kept]
        for handle in handles:
            handle.set_linestyle("")
        handles.append(Line2D([], [], marker="o", ls="", mfc="none", mec=INK, markersize=6, mew=1.4))
        handles.append(Line2D([], [], marker="o", ls="", color=MUTED, alpha=0.5, markersize=4, mew=0))
        chosen = [handle for handle, wanted in zip(handles, used, strict=True) if wanted]
        legend(figure, chosen, names, narrow)

    def height(narrow: bool) -> float:
        rows = -(-len(pairs) // _columns(len(pairs), narrow))
        alone = 4.6 if len(pairs) == 1 else NARROW_PANEL if narrow else PANEL
        return 0.4 + rows * alone + 0.22 * legend_shape(names, narrow)[1]

    most = max(pairs, key=lambda pair: int(kept[pair].sum()))
    text = (
        f"Scatter plots of {len(field.models)} models, one for each of {len(pairs)} pairs of objectives. "
        f"Most models of the frontier, {int(kept[most].sum())} of {len(field.kept)}, stay on it with "
        f"{field.objectives[most[0]]} and {field.objectives[most[1]]} alone."
    )
    return Picture(
        "projections",
        "Two objectives at a time",
        text,
        draw,
        height=height(False),
        narrow_height=height(True),
    )


def _columns(panels: int, narrow: bool) -> int:
    return min(panels, 2 if narrow else 3 if panels <= 15 else 4)


def _panel(axes: Axes, field: Field, pair: tuple[int, int], kept: Mask) -> None:
    from matplotlib.ticker import MaxNLocator

    x, y = (field.borda[:, objective] for objective in pair)
    axes.plot(x[field.others], y[field.others], "o", color=MUTED, alpha=0.5, markersize=4, mew=0)
    for model in reversed(field.kept):
        look = field.looks[model]
        axes.plot(
            x[model],
            y[model],
            look.mark,
            color=look.colour,
            markerfacecolor=look.colour if kept[model] else "none",
            markersize=7,
            markeredgewidth=1.5,
        )
    axes.margins(0.09)
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    axes.plot(*_stairs(x[kept], y[kept], left, bottom), color=INK, linewidth=0.9, alpha=0.55, zorder=1.5)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(4))
    axes.tick_params(labelsize=8.5)
    axes.grid(color=FAINT)


def _stairs(x: Reals, y: Reals, left: float, bottom: float) -> tuple[Reals, Reals]:
    """The edge of what the points strictly dominate, from `left` to `bottom`."""
    order = np.lexsort((-y, x))
    return (
        np.concatenate(([left], np.repeat(x[order], 2))),
        np.concatenate((np.repeat(y[order], 2), [bottom])),
    )
