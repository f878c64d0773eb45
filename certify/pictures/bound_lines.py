"""How the leader's lead over each rival grows in the worst case, label by label (paper, Figure 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from solvers.pages.canvas import COLOURS, INK, MUTED, STYLES, Picture, brief, counted, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NAMED = 9


@dataclass(frozen=True, eq=False)
class BoundLines:
    """What is drawn.

    leader: its name. rivals: theirs, (R,). at: numbers of labels read, (T,), ascending. lower: least possible
    lead of the leader over each rival after so many labels, as a difference of the objective, (R, T). level:
    what every line must reach. settled: after how many labels each does, None where it has not. objective:
    its name. owned: how many of the first labels were there at the start. unit: of the vertical axis.
    """

    leader: str
    rivals: Sequence[str]
    at: npt.NDArray[np.int64]
    lower: npt.NDArray[np.float64]
    level: float
    settled: Sequence[int | None]
    objective: str
    owned: int = 0


def bound_lines(data: BoundLines) -> Picture:
    """The picture of `data`; beyond nine rivals only those settled last are named."""
    read = int(data.at[-1])
    late = sorted(
        range(len(data.rivals)), key=lambda r: (data.settled[r] is not None, -(data.settled[r] or 0), r)
    )
    named = sorted(late[:_NAMED])
    others = sorted(late[_NAMED:])
    names = [brief(data.rivals[r]) for r in named] + ([f"{len(others)} others"] if others else [])

    def draw(figure: Figure, narrow: bool) -> None:
        axes = figure.subplots()
        for r in others:
            axes.plot(data.at, data.lower[r], color=MUTED, linewidth=0.7, alpha=0.5, drawstyle="steps-post")
        handles = []
        for place, r in enumerate(named):
            style = STYLES[place // len(COLOURS) % len(STYLES)]
            colour = COLOURS[place % len(COLOURS)]
            (line,) = axes.plot(
                data.at, data.lower[r], color=colour, linewidth=2, linestyle=style, drawstyle="steps-post"
            )
            at = data.settled[r]
            if at is not None:
                axes.plot([at], [data.level], "o", color=colour, markersize=6, clip_on=False, zorder=5)
            handles.append(line)
        axes.axhline(data.level, color=INK, linewidth=1)
        if data.owned:
            axes.axvline(data.owned, color=MUTED, linewidth=1, linestyle=":")
        span = max(read, 1)
        low, high = min(float(data.lower.min()), data.level), max(float(data.lower.max()), data.level)
        pad = 0.06 * (high - low or 1)
        axes.set_xlim(0, span * 1.01)
        axes.set_ylim(low - pad, high + 2 * pad)
        axes.annotate(
            "certain from here up",
            (span * 0.01, data.level),
            xytext=(0, 3),
            textcoords="offset points",
            color=MUTED,
            fontsize=10,
        )
        axes.set_xlabel("labels read")
        axes.set_ylabel(f"least possible lead ({data.objective})")
        axes.grid(axis="y")
        counted(axes)
        if others:
            (line,) = axes.plot([], [], color=MUTED, linewidth=0.7)
            handles.append(line)
        legend(figure, handles, names, narrow)

    return Picture(
        "bounds",
        "The worst case, label by label",
        _alt(data, read),
        draw,
        height=4.1 + 0.22 * legend_shape(names, False)[1],
        narrow_height=4.0 + 0.22 * legend_shape(names, True)[1],
    )


def _alt(data: BoundLines, read: int) -> str:
    done = [at for at in data.settled if at is not None]
    text = (
        f"Line chart over {read:,} labels: the least possible lead of {data.leader} over each of "
        f"{len(data.rivals)} rivals, as a difference of {data.objective}. "
    )
    if len(done) == len(data.rivals):
        last = data.rivals[max(range(len(data.rivals)), key=lambda r: data.settled[r] or 0)]
        return text + f"Every line reaches the level; the last, {last}, after {max(done):,} labels."
    worst = int(np.argmin(data.lower[:, -1]))
    return text + (
        f"{len(done)} of them reach the level; the lowest line now is {data.rivals[worst]} at "
        f"{data.lower[worst, -1]:.3g}."
    )
