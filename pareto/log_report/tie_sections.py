"""Treatments of ties side by side, as parts of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pareto.log_report import ties
from pareto.log_report.wording import WIDE, size
from pareto.treatments import Comparison
from solvers.pages.canvas import Picture
from solvers.pages.document import document, figure, section
from solvers.pages.markup import Html, Number, element, paragraph, table

_SAME = (
    "Nobody voted a tie or both-bad among the retained models, so H is D. F differs all the same: it is "
    "fitted."
)


def sections(found: Comparison, drawn: Mapping[str, Picture]) -> list[Html]:
    """Outcomes, membership, likeness, gaps and the sizes tried."""
    some = found.total.ties + found.total.both_bad > 0
    parts = [
        paragraph(ties.WHAT),
        *([] if some or not found.likenesses else [paragraph(_SAME, class_="missing")]),
        figure(
            drawn["treatments"],
            "Models that at least one treatment keeps; thick where the treatment keeps them itself.",
        ),
        element("h3", "On the frontier"),
        _table(("model", *found.letters), ties.membership_cells(found)),
        *_likeness(found),
        element("h3", "How the comparisons ended"),
        _table(ties.OUTCOME_HEADINGS, ties.outcome_cells(found)),
        element("h3", "Minimum gap and Σ gap⁻²"),
        _table(ties.TARGET_HEADINGS, ties.target_cells(found)),
        figure(
            drawn["gaps"],
            "A model's gap is what its scores must be wrong by for its place to change; small gaps are what "
            "comparisons are spent on.",
        ),
    ]
    if found.davidson is not None and some:
        parts += [
            element("h3", "Tie-factor sizes tried for F"),
            _table(ties.davidson_headings(found.davidson), ties.davidson_cells(found.davidson)),
        ]
        if "held-out" in drawn:
            parts.append(
                figure(
                    drawn["held-out"],
                    "Mean negative log-likelihood of the comparisons held out, by objective.",
                )
            )
        parts += [paragraph(f"{trouble}.", class_="note") for trouble in found.davidson.troubles]
    return parts


def _likeness(found: Comparison) -> list[Html]:
    """How alike every two treatments are; nothing for a single one."""
    if not found.likenesses:
        only = "Some of these models never met on some objective, so only the fitted treatment can be used."
        return [paragraph(only, class_="missing")]
    return [
        element("h3", "How alike the treatments are"),
        _table(ties.LIKENESS_HEADINGS, ties.likeness_cells(found), texts=(3, 4)),
        paragraph(
            "Jaccard: models on both frontiers by models on either. ρ_min: the smallest rank correlation of "
            "Borda scores over the objectives. Enter, leave: from the first to the second.",
            class_="note",
        ),
    ]


def _table(headings: tuple[str, ...], cells: ties.Cells, texts: tuple[int, ...] = ()) -> Html:
    rows = [
        [cell if at == 0 or at in texts else Number(cell) for at, cell in enumerate(row)] for row in cells
    ]
    return table(headings, rows)


def page(sources: Sequence[str], detected: str, found: Comparison, drawn: Mapping[str, Picture]) -> str:
    """A page of its own."""
    title = f"Ties: {', '.join(sources)}"
    heading = element("h1", f"{', '.join(sources)} · {size(found.targets[0])}")
    body = section("ties", "Ties, treated in three ways", *sections(found, drawn))
    return document(title, heading, paragraph(f"{detected[0].upper()}{detected[1:]}."), body, style=WIDE)
