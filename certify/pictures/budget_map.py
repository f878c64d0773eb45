"""Which tolerances a number of labels buys: ruled out, certified, or in between (paper, Figures 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from solvers.pages.canvas import CERTIFIED, INK, RULED_OUT, UNDECIDED, Picture, counted, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class BudgetMap:
    """What is drawn.

    n: rows. budgets, ruled_out: numbers of labels, (B,), and for each the tolerance below which no policy can
    certify anybody, whatever the labels. at, certified: numbers of labels read, (T,), and for each the
    smallest tolerance certified by these. tolerance: the one asked for. objective: its name.
    """

    n: int
    budgets: npt.NDArray[np.int64]
    ruled_out: npt.NDArray[np.float64]
    at: npt.NDArray[np.int64]
    certified: npt.NDArray[np.float64]
    tolerance: float
    objective: str


def budget_map(data: BudgetMap) -> Picture:
    """The picture of `data`, tolerances on an axis that is logarithmic except near 0."""

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.patches import Patch
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

        axes = figure.subplots()
        top = float(max(data.ruled_out.max(), data.certified.max(), data.tolerance, 1e-6)) * 1.25
        fine = 10.0 ** np.floor(np.log10(top / 30))
        axes.set_yscale("symlog", linthresh=fine, linscale=0.6)
        axes.set_ylim(0, top)
        axes.set_xlim(0, data.n)
        axes.axhspan(0, top, color=UNDECIDED, alpha=0.28, linewidth=0)
        # between the places kept, each region claims no more than is true
        axes.fill_between(data.at, data.certified, top, step="post", color=CERTIFIED, alpha=0.45, linewidth=0)
        axes.plot(data.at, data.certified, color=CERTIFIED, linewidth=2, drawstyle="steps-post")
        if data.at[-1] < data.n:
            edge = float(data.certified[-1])
            axes.fill_between([data.at[-1], data.n], edge, top, color=CERTIFIED, alpha=0.45, linewidth=0)
            axes.plot([data.at[-1], data.n], [edge, edge], color=CERTIFIED, linewidth=1.4, linestyle=":")
        last = np.count_nonzero(data.ruled_out) + 1
        axes.fill_between(
            data.budgets, 0, data.ruled_out, step="pre", color=RULED_OUT, alpha=0.75, linewidth=0
        )
        axes.plot(
            data.budgets[:last], data.ruled_out[:last], color=RULED_OUT, linewidth=2, drawstyle="steps-pre"
        )
        axes.axvline(int(data.at[-1]), color=INK, linewidth=1, linestyle="--")
        if data.tolerance:
            axes.axhline(data.tolerance, color=INK, linewidth=1, linestyle=":")
        steps = [
            step
            for power in range(-9, 3)
            for digit in (1, 2, 5)
            if fine <= (step := digit * 10.0**power) <= top
        ]
        axes.yaxis.set_major_locator(FixedLocator([0, *steps]))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))
        axes.set_xlabel("budget in labels")
        axes.set_ylabel(f"tolerance ({data.objective})")
        counted(axes)
        patches = [
            Patch(color=RULED_OUT, alpha=0.75),
            Patch(color=UNDECIDED, alpha=0.28),
            Patch(color=CERTIFIED, alpha=0.45),
        ]
        names = ("impossible, whatever the labels", "open", "certified by these labels")
        legend(figure, patches, names, narrow)

    zero = data.certified == 0
    reach = int(data.at[np.argmax(zero)]) if zero.any() else None
    return Picture(
        "budget-map",
        "What a number of labels buys",
        f"Map of budget, 0 to {data.n:,} labels, against tolerance. Orange: no policy can certify a choice, "
        "whatever the labels. Blue: certified by the labels of this session in the order read. Grey: open. "
        + (
            f"The blue region reaches tolerance 0 at {reach:,} labels."
            if reach is not None
            else f"After {int(data.at[-1]):,} labels the smallest certified tolerance is "
            f"{data.certified[-1]:.3g}."
        ),
        draw,
        height=4.2,
        narrow_height=4.8,
    )
