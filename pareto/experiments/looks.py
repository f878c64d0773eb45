"""How methods look in every picture, and panels side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pareto.experiments.lines import NAMES
from pareto.experiments.pieces import METHODS
from solvers.studies.drawing import BLUE, GREEN, ORANGE, PINK, SKY, VIOLET, YELLOW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pareto.experiments.samples import Sample

_LOOKS = {
    "vb-ege": (BLUE, "o"),
    "focal-borda": (SKY, "s"),
    "bt-mle": (YELLOW, "^"),
    "borda-plugin": (PINK, "v"),
    "track-and-stop": (VIOLET, "P"),
    "interval": (GREEN, "D"),
    "duel": (ORANGE, "*"),
    "commit": ("black", "X"),
}
"""Colour and mark; both differ, so that neither is needed."""
ENTRY = 1.25
"""Inches that an entry of the legend may take."""


def look(method: str) -> dict[str, Any]:
    """Arguments of `plot` for a method."""
    colour, mark = _LOOKS[method]
    shown: dict[str, Any] = {
        "color": colour,
        "marker": mark,
        "markersize": 9 if mark == "*" else 5,
        "label": NAMES[method],
    }
    if mark == "s":  # often where VB-EGE is: a frame around it
        shown |= {"markersize": 8, "markerfacecolor": "none", "markeredgewidth": 1.5}
    return shown


def panels(count: int, width: float, height: float, rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure in inches and its axes, row by row."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    columns = -(-count // rows)
    axes: list[Axes] = [figure.add_subplot(rows, columns, at + 1) for at in range(count)]
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def means(axes: Axes, method: str, points: Sequence[tuple[float, Sample]], **line: Any) -> None:
    """A method's mean comparisons at x, with standard errors; `line` goes to `errorbar`."""
    if points:
        axes.errorbar(
            [x for x, _ in points],
            [at.mean for _, at in points],
            yerr=[at.error for _, at in points],
            **line,
            **look(method),
        )


def log_log(axes: Axes, text: str, ticks: Sequence[float]) -> None:
    """Both axes logarithmic, with ticks where the settings are."""
    axes.set(xlabel=text, xscale="log", yscale="log")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)


def legend(figure: Figure, axes: Axes, methods: Sequence[str] = METHODS) -> None:
    """The methods drawn in `axes`, below everything."""
    handles, labels = axes.get_legend_handles_labels()
    wanted = [NAMES[method] for method in methods]
    shown = sorted(
        {label: handle for handle, label in zip(handles, labels, strict=True) if label in wanted}.items(),
        key=lambda item: wanted.index(item[0]),
    )
    rows = max(1, -(-len(shown) // max(1, int(figure.get_figwidth() / ENTRY))))
    figure.legend(
        [handle for _, handle in shown],
        [label for label, _ in shown],
        loc="outside lower center",
        ncols=-(-len(shown) // rows),
        frameon=False,
        fontsize=8,
    )
