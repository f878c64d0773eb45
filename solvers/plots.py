"""Pictures of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from solvers.compare import Outcome, Row

COLOURS = {
    Outcome.PROVEN: "#0072B2",
    Outcome.CLAIMED: "#E69F00",
    Outcome.OPEN: "#56B4E9",
    Outcome.REFUTED: "#D55E00",
    Outcome.FAILED: "#D55E00",
    Outcome.REFUSED: "#9A9A9A",
}


def seconds(comparisons: Sequence[tuple[str, Sequence[Row]]], path: str | PathLike[str]) -> None:
    """Bars of seconds on a log scale, one panel a problem, coloured by outcome (.png, .svg, .pdf).

    Back ends that did not run have no bar and say why in a word.

    Args:
        comparisons: title and rows of each problem.
        path: file to write.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    heights = [0.9 + 0.28 * len(rows) for _, rows in comparisons]
    figure = Figure(figsize=(7.2, 0.5 + sum(heights)), layout="constrained")
    grid = figure.subplots(len(comparisons), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (title, rows) in zip(grid[:, 0], comparisons, strict=True):
        times = [row.seconds for row in rows if row.seconds]
        shortest, longest = min(times, default=1e-3), max(times, default=1.0)
        left = shortest / 3
        for at, row in enumerate(rows):
            colour = COLOURS[row.outcome]
            if row.seconds:
                axes.barh(at, row.seconds - left, left=left, height=0.62, color=colour)
                mark = "  disagrees" if row.agrees is False else ""
                axes.text(row.seconds, at, f" {row.seconds:.3g} s{mark}", va="center", fontsize=8)
            else:
                axes.text(left, at, f" {row.outcome.value}", va="center", fontsize=8, color=colour)
        axes.set_xscale("log")
        axes.set_xlim(left, longest * 6)
        axes.set_yticks(range(len(rows)), [row.backend for row in rows], fontsize=8)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_title(title, fontsize=9, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    grid[-1, 0].set_xlabel("seconds, imports excluded")
    shown = dict.fromkeys(row.outcome for _, rows in comparisons for row in rows)
    figure.legend(
        handles=[Patch(color=COLOURS[outcome], label=outcome.value) for outcome in shown],
        loc="outside lower center",
        ncols=len(shown),
        frameon=False,
        fontsize=8,
    )
    figure.savefig(path, dpi=150)
