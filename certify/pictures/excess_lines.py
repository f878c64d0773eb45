"""How every candidate's worst case shrinks, label by label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certify.bounds import Requirement, initial_lower
from certify.replay import Replay
from certify.risks import Codes
from certify.tolerance import Exact, exact_tolerance
from solvers.pages.canvas import COLOURS, INK, MUTED, STYLES, Picture, brief, counted, legend, legend_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from certify.pool import Pool

_POINTS = 1500


def excess_lines(
    pool: Pool,
    codes: Codes,
    run: Replay,
    *,
    policy: str,
    tolerance: Exact = "0",
    bound: int | None = None,
    certificate: int | None = None,
) -> Picture:
    """Every candidate's worst-case excess over the labels of `run`, read from `codes`, (n,).

    A candidate whose line reaches zero (the tolerance) cannot be beaten any more. `bound` (C̲) and
    `certificate` (C(y)) are marked on the label axis where given.
    """
    risks, read = pool.risks, len(run.rows)
    at = np.unique(np.linspace(0, read, min(read + 1, _POINTS)).astype(np.int64))
    lower = initial_lower(risks)
    excess = np.zeros((pool.candidates, len(at)))
    for j in range(pool.candidates):
        for k in range(pool.candidates):
            if j != k:
                gains = np.cumsum(risks.gain(j, k, codes[run.rows], run.rows), dtype=np.int64)
                bounds = lower[j, k] + np.concatenate([[0], gains])[at]
                excess[k] = np.maximum(excess[k], -bounds)
    slack = Requirement.of(exact_tolerance(tolerance), risks.scale).slack / risks.scale
    names = [brief(name) for name in pool.names]
    names[run.winner] += " (returned)"
    marks = [
        (place, f"{text}: {place:,}", height)
        for place, text, height in (
            (bound, "impossible below", 0.97),
            (certificate, "enough, known afterwards", 0.90),
            (read if run.certified else None, "certain", 0.83),
        )
        if place is not None
    ]

    def draw(figure: Figure, narrow: bool) -> None:
        axes = figure.subplots()
        handles = []
        for k in range(pool.candidates):
            (line,) = axes.plot(
                at,
                excess[k] / risks.scale,
                color=COLOURS[k % len(COLOURS)],
                linestyle=STYLES[k // len(COLOURS) % len(STYLES)],
                linewidth=2.6 if k == run.winner else 1.5,
            )
            handles.append(line)
        if slack:
            axes.axhline(slack, color=MUTED, linestyle=":", linewidth=1)
        for place, text, height in marks:
            axes.axvline(place, color=MUTED, linestyle="--", linewidth=1)
            late = place > 0.6 * read
            axes.annotate(
                text,
                (place, height),
                xycoords=("data", "axes fraction"),
                xytext=(-5 if late else 5, 0),
                textcoords="offset points",
                ha="right" if late else "left",
                va="top",
                fontsize=10,
                color=INK,
                in_layout=False,
            )
        axes.set_title(f"{policy} on {pool.n:,} rows")
        axes.set_xlabel("labels read")
        axes.set_ylabel(f"worst-case excess ({pool.objective.unit})")
        axes.set_xlim(0, max([read, 1, *(place for place, _, _ in marks)]) * 1.01)
        axes.set_ylim(0, None)
        counted(axes)
        legend(figure, handles, names, narrow)

    ending = (
        f"{pool.names[run.winner]} is certain after {read:,} labels"
        if run.certified
        else f"open after {read:,} labels, {pool.names[run.winner]} leads"
    )
    return Picture(
        "excess",
        "Worst-case excess, label by label",
        f"Line chart: the worst-case excess {pool.objective.unit} of {pool.candidates} candidates over the "
        f"labels read by {policy}; {ending}."
        + "".join(f" {text[0].upper()}{text[1:]}." for _, text, _ in marks if not text.startswith("certain")),
        draw,
        height=4.4 + 0.22 * legend_shape(names, False)[1],
        narrow_height=4.2 + 0.22 * legend_shape(names, True)[1],
    )
