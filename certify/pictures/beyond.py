"""Labels spent beyond the minimum certificate, as they were spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from solvers.pages.canvas import CERTIFIED, INK, MUTED, RULED_OUT, Picture, counted, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Beyond:
    """What is drawn.

    at: numbers of labels read, (T,), ascending. needed: for each how many labels would have been enough from
    there on, knowing them all. minimum: C(y), the same before the first label.
    """

    at: npt.NDArray[np.int64]
    needed: npt.NDArray[np.int64]
    minimum: int


def beyond(data: Beyond) -> Picture:
    """Labels read so far: those that brought the end one label nearer, and those beyond."""
    wasted = data.at + data.needed - data.minimum

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        axes = figure.subplots()
        useful = data.at - wasted
        axes.fill_between(data.at, 0, useful, color=CERTIFIED, alpha=0.55, linewidth=0)
        axes.fill_between(data.at, useful, data.at, color=RULED_OUT, alpha=0.75, linewidth=0)
        axes.plot(data.at, useful, color=CERTIFIED, linewidth=2, marker="o", markersize=4)
        axes.axhline(data.minimum, color=INK, linewidth=1.2, linestyle="--")
        axes.plot(data.at, data.at, color=MUTED, linewidth=1)
        axes.set_xlim(0, max(int(data.at[-1]), 1))
        axes.set_ylim(0, max(int(data.at[-1]), data.minimum, 1) * 1.02)
        axes.set_xlabel("labels read")
        axes.set_ylabel("labels")
        counted(axes)
        counted(axes, "y")
        handles = [
            Patch(color=CERTIFIED, alpha=0.55),
            Patch(color=RULED_OUT, alpha=0.75),
            Line2D([], [], color=INK, linewidth=1.2, linestyle="--"),
        ]
        names = ("brought the end nearer", "beyond the minimum", f"minimum certificate ({data.minimum:,})")
        legend(figure, handles, names, narrow)

    return Picture(
        "beyond",
        "Labels spent beyond the minimum",
        f"Area chart over {int(data.at[-1]):,} labels read: {int(data.at[-1] - wasted[-1]):,} of them "
        f"brought the end nearer, {int(wasted[-1]):,} were beyond the minimum certificate of "
        f"{data.minimum:,}.",
        draw,
        height=3.8,
        narrow_height=4.6,
    )
