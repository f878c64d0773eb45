"""Pictures of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from solvers.compare import Outcome, Row
from solvers.errors import SolverError

ENDINGS = (".png", ".svg", ".pdf")

COLOURS = {
    Outcome.PROVEN: "#0072B2",
    Outcome.CLAIMED: "#E69F00",
    Outcome.OPEN: "#56B4E9",
    Outcome.REFUTED: "#D55E00",
    Outcome.FAILED: "#D55E00",
    Outcome.REFUSED: "#9A9A9A",
}


def check_ending(path: str | PathLike[str]) -> str:
    """The ending of a picture's name, in lower case.

    Raises:
        SolverError: for any other ending.
    """
    found = Path(path).suffix.lower()
    if found not in ENDINGS:
        raise SolverError(f"{path}: ending {found!r}; pictures are drawn as {', '.join(ENDINGS)}.")
    return found


def seconds(comparisons: Sequence[tuple[str, Sequence[Row]]], path: str | PathLike[str]) -> None:
    """Bars of seconds on a log scale, one panel a problem, coloured by outcome (.png, .svg, .pdf).

    Back ends that did not run have no bar and say why in a word.

    Args:
        comparisons: title and rows of each problem.
        path: file to write; must not exist.

    Raises:
        SolverError: for an ending other than those, and for a file that exists.
    """
    ending = check_ending(path)
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
        axes.set_yticks(range(len(rows)), [row.backend for row in rows], fontsize=8, parse_math=False)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_title(title, fontsize=9, loc="left", parse_math=False)  # a file name may hold $
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
    try:
        with Path(path).open("xb") as file:  # given a name, matplotlib may write to another
            figure.savefig(file, dpi=150, format=ending[1:])
    except FileExistsError as error:
        raise SolverError(f"{path} exists already and is never overwritten; name another file.") from error
