"""What a certificate is made of: what each rival demands, and where its rows stand in the leader's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from solvers.pages.canvas import CERTIFIED, FAINT, INK, MUTED, RULED_OUT, Picture, brief, counted, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RIVALS = 12


@dataclass(frozen=True, eq=False)
class Coverage:
    """For each rival, as differences of the objective: what it demands, what the labels shown cover of it
    and what all known labels could cover; (R,) each."""

    leader: str
    rivals: Sequence[str]
    demand: npt.NDArray[np.float64]
    covered: npt.NDArray[np.float64]
    available: npt.NDArray[np.float64]
    objective: str
    certificate: bool
    """Whether the labels shown are a minimum certificate, else those read so far."""


def coverage(data: Coverage) -> Picture:
    """A bar for each rival, in per cent of its demand; beyond twelve only the tightest are drawn."""
    wanted = np.flatnonzero(data.demand > 0)
    spare = data.covered[wanted] / data.demand[wanted]
    shown = sorted(wanted[np.argsort(spare, kind="stable")][:_RIVALS].tolist())
    share = {r: 100 * data.covered[r] / data.demand[r] for r in shown}
    reach = {r: 100 * data.available[r] / data.demand[r] for r in shown}

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        axes = figure.subplots()
        for place, r in enumerate(shown):
            axes.barh(place, reach[r], height=0.62, color=FAINT, linewidth=0)
            axes.barh(place, min(share[r], 100), height=0.62, color=CERTIFIED, linewidth=0)
            axes.barh(place, max(share[r] - 100, 0), left=100, height=0.62, color=RULED_OUT, linewidth=0)
        axes.axvline(100, color=INK, linewidth=1.4)
        axes.set_yticks(range(len(shown)), [brief(data.rivals[r], 18 if narrow else 30) for r in shown])
        axes.set_ylim(max(len(shown), 1) - 0.5, -0.5)
        axes.set_xlim(0, max([105.0, *share.values(), *reach.values()]) * 1.02)
        axes.set_xlabel("% of what the rival demands")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        handles: list[Patch | Line2D] = [
            Patch(color=CERTIFIED),
            Patch(color=RULED_OUT),
            Patch(color=FAINT),
        ]
        rest = "left in other rows" if data.certificate else "known, not read"
        names = ["covers the demand", "more than demanded", rest]
        handles.append(Line2D([], [], color=INK, linewidth=1.4))
        names.append("demand")
        if not data.certificate:
            del handles[2], names[2]
        legend(figure, handles, names, narrow)

    listed = "; ".join(f"{data.rivals[r]} {share[r]:.0f} per cent" for r in shown)
    what = "the minimum certificate covers" if data.certificate else "the labels read cover"
    return Picture(
        "coverage",
        "What each rival demands",
        f"Bar chart of how much of each rival's demand {what}: {listed or 'nobody demands anything'}.",
        draw,
        height=1.5 + 0.42 * max(len(shown), 1),
        narrow_height=2.0 + 0.42 * max(len(shown), 1),
    )


@dataclass(frozen=True, eq=False)
class ByRank:
    """Rows in bins of the leader's confidence, most confident first; (B,) each.

    rows: all of them. right, wrong: those in the certificate on which the leader is right, and wrong.
    ranks: first rank of each bin and one past the last, (B + 1,).
    """

    leader: str
    ranks: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    wrong: npt.NDArray[np.int64]


def by_rank(data: ByRank) -> Picture:
    """Which part of every bin is in the certificate."""

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.patches import Patch

        axes = figure.subplots()
        size = np.maximum(data.rows, 1)
        right, both = 100 * data.right / size, 100 * (data.right + data.wrong) / size
        axes.axhspan(0, 100, color=FAINT, linewidth=0, alpha=0.6)
        axes.stairs(right, data.ranks, fill=True, color=CERTIFIED, linewidth=0)
        axes.stairs(both, data.ranks, baseline=right, fill=True, color=RULED_OUT, linewidth=0)
        axes.set_xlim(int(data.ranks[0]), int(data.ranks[-1]))
        axes.set_ylim(0, 100)
        axes.set_xlabel(
            "rank by confidence (1 = highest)"
            if narrow
            else "rank by the leader's confidence (1 = most confident)"
        )
        axes.set_ylabel("% of the rows there")
        counted(axes)
        axes.spines["left"].set_color(MUTED)
        handles = [Patch(color=CERTIFIED), Patch(color=RULED_OUT), Patch(color=FAINT, alpha=0.6)]
        names = ("in it, leader right", "in it, leader wrong", "not in it")
        legend(figure, handles, names, narrow)

    total = int(data.right.sum() + data.wrong.sum())
    half = np.searchsorted(np.cumsum(data.right + data.wrong), total / 2)
    middle = int(data.ranks[min(int(half) + 1, len(data.ranks) - 1)]) - 1
    return Picture(
        "ranks",
        "Where its rows stand in the leader's order",
        f"Bars over the ranks of {data.leader}: {total:,} of {int(data.rows.sum()):,} rows are in the "
        f"certificate, {int(data.wrong.sum()):,} of them mistakes of {data.leader}; half of them are among "
        f"the {middle:,} rows it is most confident of.",
        draw,
        height=3.6,
        narrow_height=4.0,
    )
