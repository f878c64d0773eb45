"""How the page says it: tables and sentences about a log, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pareto.log_report.conventions import WHY
from pareto.log_report.findings import Findings
from pareto.log_report.tables import certain_text, gap_text, hardness_text, nearest, undecided_lines
from pareto.targets import Target
from solvers.pages.markup import Html, Number, element, joined, paragraph, table

REMOVED_SHOWN = 60
NAMED = 4
"""Models named in the headline; more are named below it."""
WIDE = """
main { max-width: 960px; }
@media (min-width: 641px) { td:first-child:not(.number) { min-width: 12rem; } }
"""
"""Room for names and a column an objective."""


def names(models: Iterable[str]) -> Html:
    """Model names, bold, with commas."""
    return joined([element("b", model) for model in models], ", ")


def size(target: Target) -> str:
    """How many models and objectives."""
    objectives = len(target.objectives)
    return f"{len(target.models)} models · {objectives} objective{'' if objectives == 1 else 's'}"


def card(value: str, meaning: str) -> Html:
    """A large figure and what it is."""
    return element("div", element("b", value), element("span", meaning), class_="card")


def verdict(found: Findings) -> Html:
    """The frontier of the log, large, and how much of it is certain."""
    target, tallies = found.target, found.tallies
    models, confidence = len(target.models), f"{100 * (1 - found.delta):g} %"
    undecided = tallies["undecided"]
    certain = models - undecided
    state = (
        f"ALL {models} MODELS DECIDED AT {confidence}"
        if not undecided
        else f"{certain} OF {models} MODELS DECIDED AT {confidence}"
    )
    kept = len(target.kept)
    who = names(target.kept)
    many = kept > NAMED
    says = [
        f"{kept} models" if many else who,
        " is" if kept == 1 else " are",
        " on the frontier of this log.",
    ]
    why = (
        "Every other model is beaten by one of them, against an average opponent, on "
        + ("every objective" if len(target.objectives) > 1 else "the one objective there is")
        if kept < models
        else "Nobody beats anybody on every objective"
    )
    box = element(
        "div",
        paragraph(state, class_="state"),
        paragraph(joined(says), class_="says"),
        *([paragraph(who, ".")] if many else []),
        paragraph(
            f"{why}. That is a fact about the log. Of the population its votes come from it says: "
            + (
                f"certainly on the frontier {tallies['frontier']}, certainly dominated "
                f"{tallies['dominated']}, undecided {undecided}."
                if certain
                else "nothing certain yet, about any model."
            )
        ),
        class_="verdict" if undecided else "verdict certified",
    )
    records = found.log.preprocessing.retained_records if found.log.preprocessing is not None else None
    cards = [
        card(f"{models}", f"models of {found.log.retention.models} can be compared on every objective"),
        card("–" if records is None else f"{records:,}", "decisive records among them"),
        card(gap_text(target.minimum_gap), f"smallest gap, of {target.models[found.hardest]}"),
        card(hardness_text(target.hardness), "Σ gap⁻², what the cost of resampling grows with"),
    ]
    return joined([box, element("div", *cards, class_="cards")])


def preprocessing(found: Findings) -> Html:
    """The rows, step by step."""
    done = found.log.preprocessing
    if done is None:
        return paragraph("The log is given as counts; no row was dropped.", class_="missing")
    rows = [
        (what, Number(f"{count:,}".replace("-", "\N{MINUS SIGN}")), remark)
        for what, count, remark in done.table()
    ]
    parts = [table(("", "rows", ""), rows)]
    parts += [paragraph(f"{sentence}.", class_="note") for sentence in undecided_lines(found)]
    parts += [paragraph(notice, class_="note") for notice in done.notices]
    return joined(parts)


def retention(found: Findings) -> Html:
    """Who was kept, who was not, and what would keep more."""
    kept = found.log.retention
    parts: list[object] = [element("ul", *(element("li", sentence) for sentence in kept.explanation))]
    if kept.removed:
        close = nearest(found, 5)
        if close:
            parts.append(paragraph("Closest to being kept: ", close, "."))
        rows = [
            (one.model, one.cells if not one.absent else None, one.reason.removeprefix(f"{one.model}: "))
            for one in sorted(kept.removed, key=lambda one: (bool(one.absent), one.cells, one.model))
        ]
        more = len(rows) - REMOVED_SHOWN
        note = f"The first {REMOVED_SHOWN}; {more} more are in the output of --json." if more > 0 else None
        parts.append(
            element(
                "details",
                element("summary", f"The {len(rows)} models left out, and why"),
                table(("model", "comparisons short", "why"), rows[:REMOVED_SHOWN], note),
            )
        )
    proof = (
        "That no other set is preferred is proven exactly"
        if kept.proven
        else f"That no other set is preferred is not proven; none is larger than {kept.bound}"
    )
    by = f" (found by {kept.backend})" if kept.backend else ""
    parts.append(paragraph(f"{proof}{by}.", class_="note"))
    return joined(parts)


def scores(found: Findings) -> Html:
    """Every model: certainty, scores and gap."""
    target = found.target
    rows = [
        (
            element("b", f"★ {target.models[i]}") if target.frontier[i] else target.models[i],
            certain_text(found, i),
            *(Number(f"{value:.3f}") for value in target.borda[i]),
            Number(gap_text(float(target.gaps[i]))),
            int(found.comparisons[i]),
        )
        for i in found.order
    ]
    columns = ("model", "certain", *target.objectives, "gap", "comparisons")
    return table(columns, rows, "★ on the frontier of this log")


def reasons(target: Target, order: Sequence[int]) -> Html:
    """A sentence about each model."""
    said = element("ul", *(element("li", target.reasons[i]) for i in order))
    return element("details", element("summary", "Each model: by whom dominated, or protected by what"), said)


def weak(found: Findings) -> Html:
    """Both conventions."""
    if found.weak is None:
        return Html("")
    target = found.target
    kept = [name for name, stays in zip(target.models, found.weak.frontier.tolist(), strict=True) if stays]
    lost = [
        element(
            "li",
            element("b", target.models[one.model]),
            f" is kept by strict dominance only: {target.models[one.rival]} equals it on "
            f"{', '.join(one.tied)} and is better on everything else",
        )
        for one in found.weak.lost
    ]
    return joined(
        [
            element("h3", "By the weak convention"),
            paragraph("The weak frontier: ", names(kept), "."),
            element("ul", *lost) if lost else paragraph("Both conventions keep the same models here."),
            paragraph(f"{WHY[0].upper()}{WHY[1:]}.", class_="note"),
        ]
    )
