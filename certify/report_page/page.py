"""One HTML file that says it all and loads nothing."""

from __future__ import annotations

from collections.abc import Mapping

from certify.report_page import wording
from certify.report_page.findings import Findings
from certify.report_page.wording import name, objective_name, plural, size_text
from solvers.pages.canvas import Picture
from solvers.pages.document import document, figure, section
from solvers.pages.markup import Html, element, joined, paragraph

_TOTALS = (
    "Not shown for a session with known class totals: they tie the rows together, so that a row has no gain "
    "of its own, from which this is worked out."
)


def page(found: Findings, drawn: Mapping[str, Picture], journal: str) -> str:
    """The page as text; `journal` is the file's name, for people."""
    pool, objective = found.pool, objective_name(found)
    winner = pool.names[found.leader]
    title = f"{'Certified' if found.verdict.certified else 'Open'}: {winner} – {journal}"
    body = [
        element("h1", f"{journal} · {pool.n:,} rows · {pool.candidates} candidates"),
        wording.verdict(found),
        section("worth", "What it is worth", wording.worth(found)),
        section("bounds", "How the choice was narrowed down", *_bounds(found, drawn)),
        section("budgets", "Budgets and tolerances", *_budgets(found, drawn)),
        section("certificate", "The fewest labels that would have been enough", *_certificate(found, drawn)),
        section("policies", "Other ways to choose the rows", *_policies(found, drawn)),
        section("settings", "What was fixed, and who labelled", wording.settings(found), wording.work(found)),
        section("check", "How to check it", wording.check(found, journal)),
        section("words", "Words", *_words(objective)),
    ]
    return document(title, *body)


def _bounds(found: Findings, drawn: Mapping[str, Picture]) -> list[Html]:
    leader, corrections = name(found, found.leader), found.history.corrections
    parts = [
        paragraph(
            "Each unread label may turn out either way, so the lead of ",
            leader,
            " over a rival is known only between limits. A line is the lower limit; labels can only raise it."
            " Once every line is at the level, the choice is certain.",
        )
    ]
    if not found.verdict.labels_read:
        parts.append(paragraph("No label is read yet, so every line is a point.", class_="missing"))
    parts.append(
        figure(
            drawn["bounds"],
            joined(["Least possible lead of ", found.pool.names[found.leader], " over each rival."]),
        )
    )
    notes = []
    if found.history.owned:
        notes.append(
            f"The first {plural(found.history.owned, 'label')} were there at the start (dotted line), in the "
            "order of the pool."
        )
    if found.verdict.totals_known:
        notes.append(
            "The known class totals are not in the lines: with them the choice may be certain before every "
            "line is at the level."
        )
    if corrections:
        notes.append(
            f"{plural(corrections, 'label was', 'labels were')} corrected later; the lines use the labels as "
            "they stand now, at the place where the row was first labelled."
        )
    parts += [paragraph(note, class_="note") for note in notes]
    parts.append(wording.rivals(found))
    return parts


def _budgets(found: Findings, drawn: Mapping[str, Picture]) -> list[Html]:
    if found.verdict.totals_known:
        return [paragraph(_TOTALS, class_="missing")]
    read, n = found.verdict.labels_read, found.pool.n
    parts = [
        paragraph(
            "Whoever accepts a candidate within a tolerance of the best needs fewer labels. Orange is known "
            "before the first label: no policy can do it, whatever the labels say. Blue is certified by the "
            "labels of this session, in the order in which they were read."
        ),
        figure(drawn["budget-map"], f"The dashed line is where the session is now, {read:,} of {n:,}."),
        wording.steps(found),
    ]
    if read < n:
        parts.append(
            paragraph(
                "To the right of the dashed line no label is read; the dotted edge is what holds whatever "
                "these say.",
                class_="note",
            )
        )
    return parts


def _certificate(found: Findings, drawn: Mapping[str, Picture]) -> list[Html]:
    if found.verdict.totals_known:
        return [paragraph(_TOTALS, class_="missing")]
    if found.anatomy is None:
        return [
            paragraph(_why_no_certificate(found), class_="missing"),
            paragraph(
                "What the labels read cover so far of what each rival demands before ",
                name(found, found.leader),
                " is certain:",
            ),
            figure(drawn["coverage"], "Labels read so far; at 100 % a rival is settled."),
        ]
    anatomy = found.anatomy
    winner = name(found, anatomy.certificate.winner)
    parts = []
    if not found.unknown:
        parts.append(
            paragraph(
                "Knowing all labels, ",
                element("b", size_text(found)),
                " would have been enough to certify ",
                winner,
                ": the minimum certificate. No way to choose the rows can do with fewer.",
            )
        )
        if found.verdict.certified:
            beyond = found.verdict.labels_read - anatomy.certificate.size
            parts.append(
                paragraph(
                    f"This session read {plural(beyond, 'label')} beyond it: the price of not knowing the "
                    "labels in advance."
                )
            )
        if found.waste is not None and found.verdict.labels_read:
            parts.append(
                figure(
                    drawn["beyond"],
                    "A label brings the end nearer when one fewer of the rest would then be enough.",
                )
            )
    else:
        known = found.pool.n - found.unknown
        parts.append(
            paragraph(
                f"Of the {plural(known, 'label')} known, ",
                element("b", size_text(found)),
                " would have been enough to certify ",
                winner,
                ".",
            )
        )
        parts.append(
            paragraph(
                f"{plural(found.unknown, 'row has', 'rows have')} no known label and could have made it "
                "fewer. The minimum over all rows, and the labels read beyond it, can be told only when "
                "every label is known (certify report --labels FILE).",
                class_="missing",
            )
        )
    parts += [
        element("h3", "What it is made of"),
        paragraph(
            "A rival is settled once the rows read give ",
            winner,
            " as much lead as the rival could have had at the start: its demand.",
        ),
        figure(drawn["coverage"], "What the certificate's rows give each rival's demand."),
        figure(
            drawn["ranks"],
            joined(
                [
                    "Rows in the certificate by how confident ",
                    found.pool.names[anatomy.certificate.winner],
                    " is of them.",
                ]
            ),
        ),
        wording.contributions(found),
    ]
    if found.unknown == 0 or found.verdict.certified:
        parts.append(
            paragraph(
                "Often several sets of rows are equally small; this is one of them. "
                "certify certificate writes its proof.",
                class_="note",
            )
        )
    return parts


def _why_no_certificate(found: Findings) -> str:
    if found.labels_given:
        return (
            f"The labels known together certify nobody: {plural(found.unknown, 'row has', 'rows have')} none."
            " There is no certificate to show."
        )
    return (
        "The choice is not certain yet, so there is no certificate to show. With known labels of the other "
        "rows (certify report --labels FILE) this page also tells how few would be enough."
    )


def _policies(found: Findings, drawn: Mapping[str, Picture]) -> list[Html]:
    if found.verdict.totals_known:
        return [paragraph(_TOTALS, class_="missing")]
    if found.comparison is None:
        return [
            paragraph(
                "How many labels other policies would have read can be told only when the label of every row "
                f"is known; {plural(found.unknown, 'is', 'are')} missing. Give them with "
                "certify report --labels FILE: nothing of it is recorded.",
                class_="missing",
            )
        ]
    left_out = found.comparison.left_out
    parts = [
        paragraph(
            "Each policy run on the known labels, from none, with this session's tolerance and seed, until "
            "the choice is certain."
        ),
        figure(
            drawn["policies"],
            f"Shares of the pool; dashed: the minimum certificate. The session used {found.settings.policy}.",
        ),
        wording.runs(found),
    ]
    if found.history.owned:
        parts.append(
            paragraph(
                f"This session had {plural(found.history.owned, 'label')} at the start, which count as read; "
                "the others had none.",
                class_="note",
            )
        )
    if left_out:
        parts.append(
            paragraph(f"Not run: {', '.join(left_out)} (certify report --policies all).", class_="note")
        )
    return parts


def _words(objective: str) -> list[Html]:
    meanings = [
        (
            "AUGRC",
            "area under the generalised risk–coverage curve: the average, over how many rows a model is "
            "allowed to answer, of the share of all rows that it gets wrong. Mistakes made with confidence "
            "cost most; smaller is better.",
        ),
        ("certified", "true under every way in which the unread labels could turn out."),
        ("candidate", "one of the models, or confidence scores, compared."),
        (
            "tolerance",
            f"how much worse than the best, in {objective}, a candidate may be and still be accepted.",
        ),
        ("demand", "the lead a rival could have at the start, which labels must take away."),
    ]
    wanted = [(word, meaning) for word, meaning in meanings if word != "AUGRC" or objective == "AUGRC"]
    return [element("dl", *(element("div", element("dt", w), element("dd", m)) for w, m in wanted))]
