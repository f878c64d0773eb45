"""What the pictures of the studies have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from solvers.studies.study import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# colours that stay apart for colour-blind readers and in grey
BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, VIOLET, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#5D3A9B",
    "#7A7A7A",
)
COLOURS = (BLUE, ORANGE, GREEN, PINK, YELLOW, SKY, VIOLET, GREY)


def canvas(width: float = 7.2, height: float = 4.0) -> tuple[Figure, Axes]:
    """A figure in inches with one pair of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes: Axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def saved(figure: Figure, folder: Path, name: str, caption: str) -> Picture:
    """Write the figure as a PNG file of `folder`."""
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=150)
    return Picture(path, caption)
