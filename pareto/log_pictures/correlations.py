"""How alike the objectives order the models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.log_pictures.field import Field
from pareto.result import Reals
from solvers.pages.canvas import MUTED, Picture, briefs

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

LIGHT, DARK = "#FFFFFF", "#111111"
"""Numbers in a cell, by the cell's own colour and not by the page's."""
NOTHING = "#8C8C8C"


def correlations(borda: Reals) -> Reals:
    """Pearson correlations (d, d) of the columns of `borda` (K, d); NaN where a column is constant.

    The diagonal is 1 wherever it is anything.
    """
    centred = borda - borda.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    size[np.ptp(borda, axis=0) == 0] = np.nan
    found: Reals = np.clip(centred.T @ centred / np.outer(size, size), -1, 1)
    np.fill_diagonal(found, np.where(np.isfinite(size), 1.0, np.nan))
    return found


def heat_map(field: Field) -> Picture | None:
    """A cell for each pair of objectives; None with a single objective."""
    if len(field.objectives) < 2:
        return None
    values = correlations(field.borda)
    count = len(values)

    def draw(figure: Figure, narrow: bool) -> None:
        import matplotlib

        axes = figure.subplots()
        colours = matplotlib.colormaps["PuOr_r"].with_extremes(bad=NOTHING)
        names = briefs(list(field.objectives), 13 if narrow else 24)
        size = (9.5 if count <= 5 else 7.5 if count <= 7 else 6) if narrow else (11 if count <= 9 else 9)
        for i, j in np.ndindex(values.shape):
            shade = colours((values[i, j] + 1) / 2) if np.isfinite(values[i, j]) else colours(np.nan)
            axes.add_patch(_cell(j, i, shade))
            bright = float(np.dot(shade[:3], (0.299, 0.587, 0.114))) > 0.55
            axes.text(
                j,
                i,
                _written(float(values[i, j])),
                ha="center",
                va="center",
                fontsize=size,
                color=DARK if bright else LIGHT,
            )
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_xticks(range(count), names, rotation=35, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(count), names)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.tick_params(color=MUTED)

    low = _lowest(values)
    said = (
        ""
        if low is None
        else f"; the lowest is {_pair(field.objectives, low)}, {_written(float(values[low]))}"
    )
    return Picture(
        "correlations",
        "Correlations of Borda scores",
        f"Heat map of the correlations of Borda scores between {count} objectives{said}.",
        draw,
        height=1.6 + min(0.62 * count, 4.6),
        narrow_height=1.3 + 3.0,
    )


def _cell(x: int, y: int, colour: Any) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="none", linewidth=0)


def _written(value: float) -> str:
    return "–" if not np.isfinite(value) else f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _lowest(values: Reals) -> tuple[int, int] | None:
    """The pair of different objectives whose correlation is lowest."""
    apart = np.where(np.eye(len(values), dtype=np.bool_), np.nan, values)
    if not np.isfinite(apart).any():
        return None
    i, j = np.unravel_index(int(np.nanargmin(apart)), apart.shape)
    return int(i), int(j)


def _pair(objectives: Sequence[str], pair: tuple[int, int]) -> str:
    return f"{objectives[pair[0]]} with {objectives[pair[1]]}"
