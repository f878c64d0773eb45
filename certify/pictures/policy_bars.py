"""Labels read by each policy, and how many of them are beyond the minimum certificate (paper, Figure 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from solvers.pages.canvas import CERTIFIED, FAINT, INK, RULED_OUT, Picture, brief, legend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DARK = "#004C78"


def policy_bars(
    reads: Mapping[str, Sequence[float]],
    *,
    bound: Sequence[float] | float | None = None,
    certificate: Sequence[float] | float | None = None,
    places: Sequence[str] = (),
    marked: str | None = None,
    title: str = "Labels read until the choice is certain",
) -> Picture:
    """One bar a policy: the share of the pool it reads, split at C̲ and at C(y).

    reads: shares in per cent by policy, one for each place (a data set, a condition, a pool); the bar is
    their mean and, where there are several, a dot marks each. bound, certificate: C̲ and C(y) in per cent,
    one for each place or their mean. places: their names, for the alternative text. marked: the policy
    written in bold.
    """
    names = list(reads)
    means = {name: float(np.mean(values)) for name, values in reads.items()}
    floor = None if certificate is None else float(np.mean(certificate))
    base = None if bound is None else float(np.mean(bound))
    several = max((len(values) for values in reads.values()), default=0) > 1

    def draw(figure: Figure, narrow: bool) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        axes = figure.subplots()
        cuts = [cut for cut in (base, floor) if cut is not None]
        for place, name in enumerate(names):
            mean = means[name]
            axes.barh(place, 100, height=0.62, color=FAINT, alpha=0.55, linewidth=0)
            edges = [0.0, *(min(cut, mean) for cut in cuts), mean]
            shades = [_DARK] * (base is not None) + [CERTIFIED] * (floor is not None) + [RULED_OUT]
            for left, right, shade in zip(edges[:-1], edges[1:], shades, strict=True):
                axes.barh(place, right - left, left=left, height=0.62, color=shade, linewidth=0)
            if several:
                axes.plot(
                    list(reads[name]), [place] * len(reads[name]), "o", color=INK, markersize=3.5, alpha=0.7
                )
            axes.text(101.5, place, f"{mean:.1f}", va="center", fontsize=10, color=INK)
        if floor is not None:
            axes.axvline(floor, color=INK, linewidth=1.2, linestyle="--")
        axes.set_yticks(range(len(names)), [brief(name, 22 if narrow else 30) for name in names])
        for text, name in zip(axes.get_yticklabels(), names, strict=True):
            if name == marked:
                text.set_fontweight("bold")
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(0, 100)
        axes.set_xlabel("labels read, % of the pool")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        handles: list[object] = []
        texts: list[str] = []
        if base is not None:
            handles.append(Patch(color=_DARK))
            texts.append(f"impossible below ({base:.1f})")
        if floor is not None:
            handles.append(Patch(color=CERTIFIED))
            texts.append(f"minimum certificate ({floor:.1f})")
        handles.append(Patch(color=RULED_OUT))
        texts.append("read" if floor is None else "read beyond it")
        if several:
            handles.append(Line2D([], [], color=INK, marker="o", markersize=3.5, linestyle=""))
            texts.append(f"{max(map(len, reads.values()))} single values")
        legend(figure, handles, texts, narrow)

    listed = "; ".join(f"{name} {means[name]:.1f}" for name in names)
    where = f" Mean over {len(places)}: {', '.join(places[:12])}." if len(places) > 1 else ""
    known = "" if floor is None else f" The minimum certificate is {floor:.1f} per cent."
    bars = len(names)
    return Picture(
        "policies",
        title,
        f"Bar chart, labels read in per cent of the pool: {listed}.{known}{where}",
        draw,
        height=1.3 + 0.42 * bars,
        narrow_height=2.1 + 0.42 * bars,
    )
