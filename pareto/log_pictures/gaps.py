"""Classification gaps: which models make the frontier expensive to identify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.result import Reals
from solvers.pages.canvas import COLOURS, FAINT, Picture, briefs, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 20
_MARKS = ("o", "D", "s")


def gap_dots(models: Sequence[str], letters: Sequence[str], gaps: Sequence[Reals]) -> Picture:
    """A row for each of the `MOST` models with the smallest gaps, a mark for each treatment; gaps (K,) each.

    The axis is logarithmic; a gap of 0, which no number of comparisons resolves, stands at its left end.
    """
    smallest = np.minimum.reduce(list(gaps))
    rows = np.argsort(smallest, kind="stable")[:MOST].tolist()
    positive = np.concatenate([one[one > 0] for one in gaps])
    positive = positive[np.isfinite(positive)]
    low = float(positive.min()) if len(positive) else 0.01
    zero = any((one[rows] <= 0).any() for one in gaps)
    left = low / 4 if zero else low / 1.4
    right = max(float(positive.max()) if len(positive) else 1.0, 2 * left) * 1.15

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        axes = figure.subplots()
        for place, model in enumerate(rows):
            values = [max(float(one[model]), left) for one in gaps]
            axes.plot([min(values), max(values)], [place, place], color=FAINT, linewidth=3, zorder=1)
        for one, mark, colour in zip(gaps, _MARKS, COLOURS, strict=False):
            values = np.maximum(one[rows], left)
            axes.plot(values, range(len(rows)), clip_on=False, **_look(mark, colour))
        axes.set_xscale("log")
        axes.set_xlim(left, right)
        steps = (1.0, 2.0, 5.0) if right < (10 if narrow else 100) * left else (1.0,)
        axes.xaxis.set_major_locator(LogLocator(subs=steps, numticks=5 if narrow else 9))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_yticks(range(len(rows)), briefs([models[model] for model in rows], 20 if narrow else 34))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel("gap (0 at the left end)" if zero else "gap")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        handles = [
            Line2D([], [], **_look(mark, colour))
            for _, mark, colour in zip(gaps, _MARKS, COLOURS, strict=False)
        ]
        legend(figure, handles, letters, narrow)

    hardest = "; ".join(
        f"{models[model]} " + ", ".join(f"{one[model]:.4g}" for one in gaps) for model in rows[:3]
    )
    size = 1.4 + 0.27 * len(rows)
    return Picture(
        "gaps",
        "Gaps: who is hardest to classify",
        f"Dot plot of the gaps of {len(rows)} models under {', '.join(letters)}. Smallest: {hardest}.",
        draw,
        height=size,
        narrow_height=size,
    )


def _look(mark: str, colour: str) -> dict[str, Any]:
    """The first treatment filled, the others hollow and larger, so that equal gaps show all their marks."""
    first = mark == _MARKS[0]
    return {
        "marker": mark,
        "linestyle": "",
        "color": colour,
        "markerfacecolor": colour if first else "none",
        "markersize": 6 if first else 8.5,
        "markeredgewidth": 0 if first else 1.6,
    }
