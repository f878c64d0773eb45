"""The optimal allocation as a picture: for every objective, how much each pair of models is compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pareto.links import Reals
from pareto.plots import check_format
from pareto.scores import Mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMED = 24
"""Up to so many models are named."""
SPAN = 1e3
"""Shares are coloured from the largest down to this part of it."""


def allocation_picture(
    weights: Reals, kept: Mask, models: Sequence[str], objectives: Sequence[str], title: str, path: Path
) -> None:
    """Shares (d, K, K) as heat maps, frontier models first; colours are logarithmic."""
    check_format(path)
    figure = allocation_figure(weights, kept, models, objectives, title)
    figure.savefig(path, dpi=160)


def allocation_figure(
    weights: Reals, kept: Mask, models: Sequence[str], objectives: Sequence[str], title: str
) -> Figure:
    """The figure alone."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    columns = min(len(objectives), 5)
    rows = -(-len(objectives) // columns)
    named = len(models) <= NAMED
    side = 3.4 if named or columns <= 3 else 2.4
    figure = Figure(figsize=(side * columns + 1.2, side * rows + 0.7), layout="constrained")
    order = np.argsort(~kept, kind="stable")
    largest = float(weights.max())
    norm = LogNorm(largest / SPAN, largest)
    panels = [figure.add_subplot(rows, columns, at + 1) for at in range(len(objectives))]
    image = None
    for at, (axes, name) in enumerate(zip(panels, objectives, strict=True)):
        share = np.maximum(weights[at][np.ix_(order, order)], largest / SPAN)
        image = axes.imshow(share, norm=norm, cmap="YlOrBr", interpolation="nearest")
        axes.set_title(f"{name}: {np.triu(weights[at], 1).sum():.0%}", fontsize=9)
        _framed(axes, [models[i] for i in order] if named else None, int(kept.sum()), at % columns == 0)
    if image is not None:
        bar = figure.colorbar(image, ax=panels, shrink=0.8, extend="min")
        bar.set_label("share of all comparisons")
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure


def _framed(axes: Axes, names: Sequence[str] | None, kept: int, leftmost: bool) -> None:
    """Lines after the frontier models, names where there is room for them."""
    for line in (axes.axhline, axes.axvline):
        line(kept - 0.5, color="#444444", linewidth=0.7)
    if names is None:
        axes.set_xticks([])
        axes.set_yticks([(kept - 1) / 2] if leftmost else [], ["frontier"] if leftmost else [], rotation=90)
        axes.tick_params(length=0, labelsize=7)
        return
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
    axes.set_yticks(range(len(names)), names if leftmost else [""] * len(names), fontsize=6)
    axes.tick_params(length=0)
