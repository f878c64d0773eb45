"""Pictures. Floats are for drawing only; nothing is decided here."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from certify.bounds import Requirement, initial_lower
from certify.replay import Replay
from certify.risks import Codes
from certify.tolerance import Exact, exact_tolerance

if TYPE_CHECKING:
    from certify.pool import Pool

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5D3A9B", "#7A7A7A")
_POINTS = 1500


def trajectory(
    pool: Pool,
    codes: Codes,
    run: Replay,
    path: str | PathLike[str],
    *,
    policy: str,
    tolerance: Exact = "0",
    bound: int | None = None,
    certificate: int | None = None,
) -> None:
    """Every candidate's worst-case excess AUGRC, label by label, written to `path` (.png, .svg, .pdf).

    A candidate whose line reaches zero (the tolerance) cannot be beaten any more. `bound` (C̲) and
    `certificate` (C(y)) are marked on the label axis where given.
    """
    from matplotlib.figure import Figure

    risks = pool.risks
    read = len(run.rows)
    at = np.unique(np.linspace(0, read, min(read + 1, _POINTS)).astype(np.int64))
    lower = initial_lower(risks)
    excess = np.zeros((pool.candidates, len(at)))
    for j in range(pool.candidates):
        for k in range(pool.candidates):
            if j != k:
                gains = np.cumsum(risks.gain(j, k, codes[run.rows], run.rows), dtype=np.int64)
                bounds = lower[j, k] + np.concatenate([[0], gains])[at]
                excess[k] = np.maximum(excess[k], -bounds)
    figure = Figure(figsize=(7.2, 4.0), layout="constrained")
    axes = figure.subplots()
    for k, name in enumerate(pool.names):
        axes.plot(
            at,
            excess[k] / risks.scale,
            color=_COLOURS[k % len(_COLOURS)],
            linewidth=2.2 if k == run.winner else 1.3,
            label=f"{name} (returned)" if k == run.winner else name,
        )
    slack = Requirement.of(exact_tolerance(tolerance), risks.scale).slack
    if slack:
        axes.axhline(slack / risks.scale, color="0.4", linestyle=":", linewidth=1)
    for place, text, height in (
        (bound, "impossible below", 0.97),
        (certificate, "enough, known afterwards", 0.90),
        (read if run.certified else None, "certain", 0.83),
    ):
        if place is not None:
            axes.axvline(place, color="0.35", linestyle="--", linewidth=1)
            late = place > 0.6 * read
            axes.annotate(
                f"{text}: {place:,}",
                (place, height),
                xycoords=("data", "axes fraction"),
                xytext=(-4 if late else 4, 0),
                textcoords="offset points",
                ha="right" if late else "left",
                va="top",
                fontsize=8,
                color="0.25",
            )
    axes.set(
        xlabel="labels read",
        ylabel="worst-case excess AUGRC",
        title=f"{policy} on {pool.n:,} rows",
        xlim=(0, max(read, 1) * 1.01),
        ylim=(0, None),
    )
    axes.legend(frameon=False, fontsize=8, loc="best")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
