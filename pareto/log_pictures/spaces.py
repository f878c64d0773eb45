"""Three objectives at a time (paper, Figures 1 and 10 to 12, panel b)."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from pareto.log_pictures.field import Field
from pareto.log_pictures.projections import projected
from pareto.result import Mask
from solvers.pages.canvas import FAINT, INK, MUTED, Picture, briefs, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Triple = tuple[int, int, int]


def telling_triples(field: Field) -> list[Triple]:
    """The three objectives that keep most of the frontier, and the three that keep least of it.

    One triple where all keep equally many, none with fewer than three objectives.
    """
    triples = list(combinations(range(len(field.objectives)), 3))
    size = {triple: int(projected(field, triple).sum()) for triple in triples}
    if not triples:
        return []
    most, least = max(triples, key=size.__getitem__), min(triples, key=size.__getitem__)
    return [most] if size[most] == size[least] else [most, least]


def spaces(field: Field) -> Picture | None:
    """The telling triples; None with fewer than three objectives."""
    triples = telling_triples(field)
    if not triples:
        return None
    kept = [projected(field, triple) for triple in triples]
    hidden = any((field.frontier & ~mask).any() for mask in kept)
    names = field.names(field.kept) + ["only with the other objectives"] * hidden
    names += ["dominated"] * bool(field.others)

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D

        shape = (len(triples), 1) if narrow else (1, len(triples))
        for place, (triple, mask) in enumerate(zip(triples, kept, strict=True), 1):
            axes = figure.add_subplot(*shape, place, projection="3d")
            # the name of the upright axis would be cut off at the edge of a narrow panel
            axes.set_box_aspect(None, zoom=0.84 if narrow or len(triples) > 1 else 0.97)
            _cloud(axes, field, triple, mask)
            axes.set_title(f"{int(mask.sum())} of {len(field.kept)} stay on the frontier", fontsize=10.5)
        handles: list[Any] = [field.looks[model].handle() for model in field.kept]
        for handle in handles:
            handle.set_linestyle("")
        if hidden:
            handles.append(Line2D([], [], marker="o", ls="", mfc="none", mec=INK, markersize=6, mew=1.4))
        if field.others:
            handles.append(Line2D([], [], marker="o", ls="", color=MUTED, alpha=0.5, markersize=4, mew=0))
        legend(figure, handles, names, narrow)

    said = "; ".join(
        f"with {', '.join(field.objectives[r] for r in triple)} "
        f"{int(mask.sum())} of {len(field.kept)} stay on the frontier: "
        + ", ".join(field.models[model] for model in field.kept if mask[model])
        for triple, mask in zip(triples, kept, strict=True)
    )
    rows = len(triples)
    return Picture(
        "spaces",
        "Three objectives at a time",
        f"Scatter plots in three dimensions of {len(field.models)} models: {said}.",
        draw,
        height=4.7 + 0.22 * legend_shape(names, False)[1],
        narrow_height=0.3 + 3.9 * rows + 0.22 * legend_shape(names, True)[1],
    )


def _cloud(axes: Any, field: Field, triple: Triple, kept: Mask) -> None:
    from matplotlib.ticker import MaxNLocator

    points = field.borda[:, list(triple)]
    floor = float(points[:, 2].min()) - 0.05 * float(points[:, 2].max() - points[:, 2].min() or 1)
    for model in field.others:
        x, y, z = points[model]
        axes.plot([x, x], [y, y], [floor, z], color=MUTED, linewidth=0.5, alpha=0.3)
        axes.plot([x], [y], [z], "o", color=MUTED, alpha=0.55, markersize=3.5, mew=0)
    for model in reversed(field.kept):
        look, (x, y, z) = field.looks[model], points[model]
        axes.plot([x, x], [y, y], [floor, z], color=look.colour, linewidth=1.1, alpha=0.8)
        axes.plot(
            [x],
            [y],
            [z],
            look.mark,
            color=look.colour,
            markerfacecolor=look.colour if kept[model] else "none",
            markersize=7,
            markeredgewidth=1.5,
        )
    axes.set_zlim(bottom=floor)
    labels = briefs([field.objectives[r] for r in triple], 22)
    for axis, set_label, label in zip(
        (axes.xaxis, axes.yaxis, axes.zaxis),
        (axes.set_xlabel, axes.set_ylabel, axes.set_zlabel),
        labels,
        strict=True,
    ):
        set_label(label, fontsize=9.5, labelpad=1)
        axis.set_major_locator(MaxNLocator(4))
        axis.set_tick_params(labelsize=8, pad=-1)
        axis.set_pane_color((0, 0, 0, 0))
        axis._axinfo["grid"].update(color=FAINT, linewidth=0.6)  # the only way to a page's own grid colour
    axes.view_init(elev=22, azim=-58)
