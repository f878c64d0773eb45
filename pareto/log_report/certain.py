"""What the log is enough to say about the population, and what to compare next, as parts of a page."""

from __future__ import annotations

import math

from pareto.log_report.findings import Findings
from pareto.log_report.tables import NEXT_HEADINGS, certain_text, next_cells, next_sentence
from pareto.log_report.wording import card, names
from solvers.pages.markup import Html, Number, element, joined, paragraph, table

CELLS_SHOWN = 12
PLANS_SHOWN = 40


def certainty(found: Findings) -> list[Html]:
    """Status of every model, and what it rests on."""
    certain, tallies = found.certainty, found.tallies
    cards = [
        card(f"{tallies['frontier']}", "certainly on the frontier"),
        card(f"{tallies['dominated']}", "certainly dominated"),
        card(f"{tallies['undecided']}", "undecided"),
    ]
    parts = [
        paragraph(
            "The log is a sample. Of each model one of three things is said about the population that its "
            f"votes come from; all of it together is right with probability at least {1 - found.delta:g}."
        ),
        element("div", *cards, class_="cards"),
    ]
    for state in ("frontier", "undecided"):
        kept = certain.having(state)
        if kept:
            what = {"frontier": "On the frontier", "undecided": "Undecided"}[state]
            parts.append(paragraph(f"{what}: ", names(kept), "."))
    decided = [i for i in found.order if certain.evidence[i] is not None]
    if decided:
        rows = [(certain.models[i], *_claim(found, i)) for i in decided]
        columns = ("model", "certainly", "smallest lead", "chance of such a lead", "allowed")
        parts += [
            table(columns, rows),
            paragraph(
                "Smallest lead: of the dominating model, in Borda score, on the objective where it is least. "
                "Chance: an upper bound, were the claim false, for the least clear of the leads it rests on. "
                "Allowed: the error that the claim may make.",
                class_="note",
            ),
        ]
    parts.append(paragraph(element("b", "Assumes. "), certain.assumptions))
    return parts


def _claim(found: Findings, model: int) -> tuple[object, ...]:
    """What is claimed, the smallest lead behind it, and the chances claimed and allowed."""
    certain, evidence = found.certainty, found.certainty.evidence[model]
    assert evidence is not None
    if certain.witness[model] >= 0:
        lead = min(test.lead for test in evidence.tests) / (len(certain.models) - 1)
        claim, shown = certain_text(found, model), f"{lead:.3f}"
    else:
        where = sorted({int(r) for r in certain.protection[model] if r >= 0})
        on = ", ".join(certain.objectives[r] for r in where)
        claim, shown = f"frontier, protected by {on}" if on else "frontier", "–"
    return claim, Number(shown), Number(chance(evidence.log_p)), Number(chance(evidence.log_level))


def chance(log: float) -> str:
    """A probability from its natural logarithm, two digits."""
    if log == float("-inf"):
        return "0"
    return f"{math.exp(log):.2g}" if log > -700 else f"1e{math.floor(log / math.log(10))}"


def following(found: Findings) -> list[Html]:
    """Cells to compare next, and what each undecided model lacks."""
    if not found.tallies["undecided"]:
        return [paragraph("Every model is decided; no more comparisons are needed.", class_="missing")]
    wanted, target = found.certainty.next, found.target
    parts = [paragraph(f"{next_sentence(found)}.")]
    if len(wanted.more):
        more = len(wanted.more) - CELLS_SHOWN
        parts.append(table(NEXT_HEADINGS, next_cells(found, CELLS_SHOWN)))
        if more > 0:
            parts.append(paragraph(f"{more:,} more cells with pareto frontier --next FILE.", class_="note"))
    plans = sorted(wanted.plans, key=lambda plan: (plan.more is None, plan.more or 0, plan.model))
    rows = [
        (
            target.models[plan.model],
            plan.looks,
            plan.more if plan.more is not None else plan.reason,
            joined([target.models[rival] for rival in plan.rivals[:3]], ", ")
            + (f" and {len(plan.rivals) - 3} more" if len(plan.rivals) > 3 else ""),
        )
        for plan in plans[:PLANS_SHOWN]
    ]
    inner = table(("undecided model", "looks", "comparisons it takes", "against"), rows)
    parts.append(element("details", element("summary", "What each undecided model takes by itself"), inner))
    return parts
