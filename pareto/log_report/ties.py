"""Treatments of ties side by side, as tables and pictures (paper, Tables 12 to 15, Figures 13 to 21)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pareto.log_pictures.gaps import gap_dots
from pareto.log_pictures.held_out import held_out
from pareto.log_pictures.treatments import Treatment, treatments
from pareto.log_report.tables import gap_text, hardness_text
from pareto.outcome_counts import OutcomeCounts
from pareto.treatments import Comparison
from solvers.pages.canvas import Picture
from solvers.terminal import grid

if TYPE_CHECKING:
    from rich.table import Table

    from pareto.davidson import DavidsonModels

HEADINGS = {"D": "D, decisive only", "H": "H, half credit", "F": "F, fitted Davidson"}
ON, OFF = "●", "–"
CHOSEN = "★"
WHAT = (
    "D leaves ties and both-bad votes out; H counts each as half a win for both; F takes win probability "
    "plus half the tie probability from a Davidson model fitted to each objective. All use the same models, "
    "objectives and uniform opponents."
)

Cells = list[tuple[str, ...]]


def outcome_cells(found: Comparison) -> Cells:
    """Objective, decisive, ties, both bad, records, share that nobody won; of several, all together last."""
    several = len(found.outcomes) > 1
    return [_outcomes(one) for one in (*found.outcomes, *([found.total] if several else []))]


OUTCOME_HEADINGS = ("objective", "decisive", "ties", "both bad", "records", "nobody won")


def _outcomes(one: OutcomeCounts) -> tuple[str, ...]:
    share = "–" if not one.records else f"{100 * one.undecided_share:.1f} %"
    return (
        one.objective,
        *(f"{count:,}" for count in (one.decisive, one.ties, one.both_bad, one.records)),
        share,
    )


TARGET_HEADINGS = ("", "frontier", "minimum gap", "Σ gap⁻²", "variance of a comparison")


def target_cells(found: Comparison) -> Cells:
    """Size of the frontier, gaps, and mean variance under each treatment (Table 15a)."""
    return [
        (
            HEADINGS[one.letter],
            f"{len(one.kept)}",
            gap_text(one.minimum_gap),
            hardness_text(one.hardness),
            f"{variance.mean:.4f}",
        )
        for one, variance in zip(found.targets, found.variances, strict=True)
    ]


def membership_cells(found: Comparison) -> Cells:
    """Every model that some treatment keeps, and which do."""
    return [(name, *(ON if stays else OFF for stays in on)) for name, on in found.membership.items()]


LIKENESS_HEADINGS = ("", "Jaccard", "ρ_min", "enter", "leave", "largest change of a score")


def likeness_cells(found: Comparison) -> Cells:
    """How alike every two treatments are (Table 14)."""
    return [
        (
            " and ".join(one.letters),
            f"{one.jaccard:.3f}",
            "–" if np.isnan(one.rho_min) else f"{one.rho_min:.3f}",
            ", ".join(one.entered) or OFF,
            ", ".join(one.left) or OFF,
            f"{one.largest_change:.3f}",
        )
        for one in found.likenesses
    ]


def sizes_tried(models: DavidsonModels) -> list[int]:
    """All tie-factor sizes, ascending."""
    return sorted({one.size for selection in models.selections for one in selection.candidates})


def davidson_headings(models: DavidsonModels) -> tuple[str, ...]:
    return ("objective", *(f"size {size}" for size in sizes_tried(models)), "held out")


def davidson_cells(models: DavidsonModels) -> Cells:
    """Held-out loss of every size on every objective, the chosen one marked, and how many were held out."""
    rows = []
    for objective, selection in zip(models.objectives, models.selections, strict=True):
        loss = {one.size: one.held_out for one in selection.candidates}
        rows.append(
            (
                objective,
                *(
                    OFF
                    if np.isnan(loss.get(size, np.nan))
                    else f"{CHOSEN if size == selection.size else ''} {loss[size]:.4f}".strip()
                    for size in sizes_tried(models)
                ),
                f"{selection.held:,}",
            )
        )
    return rows


def tie_tables(found: Comparison) -> list[Table | str]:
    """Everything for a terminal."""
    parts: list[Table | str] = [
        _table("How comparisons ended, retained models", OUTCOME_HEADINGS, outcome_cells(found)),
        _table("Targets", TARGET_HEADINGS, target_cells(found)),
        _table("On the frontier", ("model", *found.letters), membership_cells(found)),
        _table("How alike", LIKENESS_HEADINGS, likeness_cells(found), texts=(3, 4)),
    ]
    if found.davidson is not None:
        title = f"F: held-out loss of each tie-factor size, {CHOSEN} chosen"
        parts.append(_table(title, davidson_headings(found.davidson), davidson_cells(found.davidson)))
        parts += list(found.davidson.troubles)
    return [*parts, WHAT, "ρ_min: smallest rank correlation of Borda scores over the objectives"]


def _table(title: str, headings: tuple[str, ...], cells: Cells, texts: tuple[int, ...] = ()) -> Table:
    """The first column and `texts` to the left, the others to the right."""
    from rich.text import Text

    rows = [
        [cell if at == 0 or at in texts else Text(cell, justify="right") for at, cell in enumerate(row)]
        for row in cells
    ]
    return grid(title, headings, rows)


def tie_pictures(found: Comparison) -> list[Picture]:
    """Profiles under each treatment, gaps, and the sizes tried."""
    first = found.targets[0]
    panels = [Treatment(HEADINGS[one.letter], one.borda, one.frontier) for one in found.targets]
    headings = [panel.heading for panel in panels]
    drawn = [
        treatments(first.models, first.objectives, panels),
        gap_dots(first.models, headings, [one.gaps for one in found.targets]),
    ]
    models = found.davidson
    if models is not None:
        sizes = sizes_tried(models)
        losses = np.full((len(models.objectives), len(sizes)), np.nan)
        for r, selection in enumerate(models.selections):
            for one in selection.candidates:
                losses[r, sizes.index(one.size)] = one.held_out
        tried = np.isfinite(losses).any(axis=1)
        if tried.any() and len(sizes) > 1 and found.total.ties + found.total.both_bad:
            names = [name for name, there in zip(models.objectives, tried.tolist(), strict=True) if there]
            drawn.append(held_out(names, sizes, losses[tried]))
    return drawn
