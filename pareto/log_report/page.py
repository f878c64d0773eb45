"""The page of a log: one HTML file that says it all and loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pareto.log_report import certain, tie_sections, wording
from pareto.log_report.findings import Findings
from pareto.log_report.wording import WIDE
from pareto.treatments import Comparison
from solvers.pages.canvas import Picture
from solvers.pages.document import document, figure, section
from solvers.pages.markup import Html, element, paragraph

_WORDS = (
    (
        "strictly dominated",
        "some rival is better on every objective. A tie on one objective protects a model; most other "
        "software lets a tie not protect (pareto frontier --weak shows both).",
    ),
    ("frontier", "the models that nobody strictly dominates."),
    (
        "Borda score",
        "points a comparison against an opponent drawn uniformly from the other retained models.",
    ),
    (
        "gap",
        "how far a model's scores are from a change of its place: to be kept, or to be dominated "
        "(classification gap of the paper's Definition 2.2).",
    ),
    ("record", "one comparison on one objective; a comparison with several objectives is several records."),
    (
        "certain",
        "said of the population that the votes come from, right for all models together with the "
        "probability named, under the assumptions named.",
    ),
)


def page(found: Findings, compared: Comparison, drawn: Mapping[str, Picture], command: str) -> str:
    """The page as text; `command` is the command line that makes it, for people."""
    target = found.target
    source = ", ".join(found.sources)
    body = [
        element("h1", f"{source} · {wording.size(target)}"),
        wording.verdict(found),
        section("rows", "What became of the rows", *_rows(found)),
        section("retained", "Which models can be compared", wording.retention(found)),
        section("certainty", "What is certain", *certain.certainty(found)),
        section("next", "What to compare next", *certain.following(found)),
        section("profiles", "Borda profiles", *_profiles(found, drawn)),
        section("projections", "Fewer objectives", *_projections(drawn)),
        section("ties", "Ties, treated in three ways", *tie_sections.sections(compared, drawn)),
        section("correlations", "How alike the objectives are", *_correlations(drawn)),
        section("check", "How to check it", *_check(found, command)),
        section("words", "Words", _words(_WORDS)),
    ]
    return document(f"Frontier: {', '.join(target.kept)} – {source}", *body, style=WIDE)


def _rows(found: Findings) -> list[Html]:
    return [
        paragraph(f"{found.battles.detected[0].upper()}{found.battles.detected[1:]}."),
        paragraph(
            "A row is counted by the first step it falls to: self-battles, rows without an outcome, ties and "
            "both-bad votes, rows without an objective, records of models that are not retained."
        ),
        wording.preprocessing(found),
    ]


def _profiles(found: Findings, drawn: Mapping[str, Picture]) -> list[Html]:
    return [
        figure(
            drawn["profiles"],
            "Points a comparison against an average opponent, by objective. In colour: the frontier of this "
            "log.",
        ),
        wording.scores(found),
        wording.reasons(found.target, found.order),
        wording.weak(found),
    ]


def _projections(drawn: Mapping[str, Picture]) -> list[Html]:
    if "projections" not in drawn:
        return [paragraph("There is one objective only; its best model is the frontier.", class_="missing")]
    parts = [
        paragraph(
            "With fewer objectives a rival has less to be better on, so whoever is on the frontier of some "
            "objectives is on that of all, and not the other way round."
        ),
        figure(
            drawn["projections"],
            "Filled: also on the frontier of the two objectives alone; the line is the edge of what that "
            "frontier dominates.",
        ),
    ]
    if "spaces" in drawn:
        parts.append(
            figure(
                drawn["spaces"],
                "The three objectives that keep most of the frontier and, where it differs, the three that "
                "keep least. Filled: on the frontier of the three alone.",
            )
        )
    return parts


def _correlations(drawn: Mapping[str, Picture]) -> list[Html]:
    if "correlations" not in drawn:
        return [paragraph("There is one objective only.", class_="missing")]
    return [
        figure(
            drawn["correlations"],
            "Over the retained models. Objectives that agree make the frontier small; those that do not make "
            "it large.",
        )
    ]


def _check(found: Findings, command: str) -> list[Html]:
    target = found.target
    exact = (
        "Scores and ties between them are sums of whole numbers over whole numbers; who equals or dominates "
        "whom in the log is decided without rounding."
        if target.exact
        else "Scores are fitted; those that differ by less than 1e-9 count as equal."
    )
    proven = (
        "That no set of models is preferred to the retained one is established exactly, whichever solver "
        "found it."
        if found.log.retention.proven
        else "That no set of models is preferred to the retained one is not proven."
    )
    return [
        paragraph("This page was made by"),
        element("pre", command),
        paragraph("Everything on it, and the evidence for each claim, as one JSON document:"),
        element("pre", f"{command} --json"),
        paragraph(f"{exact} {proven}"),
        paragraph(
            "What is certain rests on bounds of tail probabilities in floating point, on the safe side; each "
            "test, its bound and its level are in the JSON document."
        ),
    ]


def _words(meanings: Sequence[tuple[str, str]]) -> Html:
    return element("dl", *(element("div", element("dt", w), element("dd", m)) for w, m in meanings))
