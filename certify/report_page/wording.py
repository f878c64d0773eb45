"""How the page says it: the verdict, what it is worth, what was fixed and who did what."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from certify.budget import IMPOSSIBLE
from certify.report import gap_text, share
from certify.report_page.findings import Findings, tolerance_text
from certify.worth import SCOPE, SCOPE_WITH_TOTALS
from solvers.pages.markup import Html, Number, element, facts, joined, paragraph, table

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHECKED_FIRST = 20
_KINDS = {
    "binary": "two classes",
    "shared": "one prediction that all candidates share",
    "categorical": "several classes, predictions differ",
}


def objective_name(found: Findings) -> str:
    """The objective as people write it."""
    return found.pool.objective.unit


def name(found: Findings, candidate: int) -> Html:
    return element("b", found.pool.names[candidate])


def difference_text(value: int, scale: int) -> str:
    """A risk difference for reading, four digits."""
    return f"{value / scale:#.4g}".replace("-", "\N{MINUS SIGN}")


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 label``, ``2 labels``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def verdict(found: Findings) -> Html:
    """The answer, large, and the four numbers that belong to it."""
    answer, n = found.verdict, found.pool.n
    objective, winner = objective_name(found), name(found, answer.winner)
    rivals = found.pool.candidates
    within = f"{gap_text(answer.gap)} {objective}"
    if answer.certified:
        state = "CERTIFIED"
        if found.requirement.tie_rule:
            says = joined([winner, f" is the best of {rivals} candidates."])
            why = "No label that is still unread can change that."
        else:
            says = joined([winner, f" is within {tolerance_text(found.settings.tolerance)} of the best."])
            why = (
                f"Whatever the unread labels are, none of the {rivals} candidates is better by more than "
                f"{within}."
            )
        if not found.askable and n == answer.labels_read:
            why = "Every label of the pool is read."
    else:
        state = "NOT CERTIFIED"
        says = joined(
            [
                winner,
                " leads, but is not certain" if found.askable else " leads, and no row is left to ask for",
                ".",
            ]
        )
        why = (
            f"Whatever the unread labels are, no other candidate is better by more than {within}."
            if answer.gap
            else "Whatever the unread labels are, no other candidate is better; one of them may still be as "
            "good, and would then win the tie by standing earlier in the list."
        )
    needed, hint = _needed(found)
    cards = [
        (f"{answer.labels_read:,}", f"labels read, of {n:,} ({100 * answer.labels_read / n:.1f} %)"),
        (needed, hint),
        (gap_text(answer.gap), f"worst case: so much {objective} behind the best"),
    ]
    worth = answer.worth
    if worth is not None:
        cards.append(
            ("none", "wrong labels could overturn it")
            if worth.labels is None
            else (
                f"{'' if worth.exact else '≥ '}{worth.labels:,}",
                f"wrong {_labels(worth.labels)} would be needed to overturn it",
            )
        )
    box = element(
        "div",
        paragraph(state, class_="state"),
        paragraph(says, class_="says"),
        paragraph(why),
        class_="verdict certified" if answer.certified else "verdict",
    )
    return joined([box, element("div", *(_card(*card) for card in cards), class_="cards")])


def _labels(count: int) -> str:
    return "label" if count == 1 else "labels"


def _card(value: str, meaning: str) -> Html:
    return element("div", element("b", value), element("span", meaning), class_="card")


def _needed(found: Findings) -> tuple[str, str]:
    at_least = found.verdict.at_least
    if found.verdict.certified:
        return "0", "more labels needed"
    if not found.askable:
        return "–", "no row is left to ask for: each is read or was skipped"
    if at_least is None:
        return "–", "no labels of the rows left can settle it; skipped rows keep it open"
    return f"≥ {at_least:,}", f"more {_labels(at_least)} needed, whatever they say"


def worth(found: Findings) -> Html:
    """What the verdict is worth."""
    answer = found.verdict
    scope = paragraph(f"Scope: {SCOPE_WITH_TOTALS if answer.totals_known else SCOPE}.")
    if answer.worth is None:
        return joined(
            [
                scope,
                paragraph(
                    "How many wrong labels would overturn the choice is said once it is certified.",
                    class_="missing",
                ),
            ]
        )
    if answer.worth.labels is None or answer.worth.rival is None:
        return joined([scope, paragraph("No wrong label can overturn it: it was certain before the first.")])
    count, rival = answer.worth.labels, answer.worth.rival
    if not answer.worth.exact:
        sentence = f"At least {plural(count, 'label')} would have to be wrong for the choice to fall"
    elif count == 1:
        sentence = "If one label is wrong, the choice may fall"
    else:
        sentence = (
            f"At least {count:,} of the {answer.labels_read:,} labels would have to be wrong for the choice "
            "to fall"
        )
    return joined(
        [
            scope,
            paragraph(sentence, ", in favour of ", name(found, rival), "."),
            element("details", element("summary", "Which labels to look at again first"), _suspects(found)),
        ]
    )


def _suspects(found: Findings) -> Html:
    """The labels whose loss takes a rival furthest, and how far."""
    answer, pool, risks = found.verdict, found.pool, found.pool.risks
    assert answer.worth is not None
    winner = answer.winner
    first = answer.worth.suspects[:_CHECKED_FIRST]
    predictions = risks.predictions[0 if risks.shared else winner]
    columns = ["row", "label", f"prediction of {pool.names[winner]}"]
    rows: list[list[object]] = [
        [pool.ids[row], pool.classes[found.codes[row]], pool.classes[predictions[row]]]
        for row in first.tolist()
    ]
    if not answer.totals_known:  # else what a rival lacks is not in these bounds
        rivals = [j for j in range(pool.candidates) if j != winner]
        lacks = (found.lower - found.requirement.levels(pool.candidates) - risks.radius)[rivals, winner] + 1
        gains = np.stack([risks.gain(j, winner, found.codes[first], first) for j in rivals])
        shares = gains / np.maximum(lacks, 1)[:, None]
        columns += ["would help", "so far towards overturning"]
        for at, row in enumerate(rows):
            most = float(shares[:, at].max())
            helped = pool.names[rivals[int(shares[:, at].argmax())]]
            row += [helped, Number("alone" if most >= 1 else f"{100 * most:.1f} %")]
    more = len(answer.worth.suspects) - len(rows)
    return table(columns, rows, f"The first {len(rows)}; {more:,} more follow with less." if more else None)


def settings(found: Findings) -> Html:
    """What was fixed before the first label."""
    pool, fixed = found.pool, found.settings
    candidates = element("ol", *(element("li", candidate) for candidate in pool.names))
    header = found.history.header
    exact = fixed.tolerance == 0
    totals = _listed(f"{label} {count:,}" for label, count in (fixed.totals or {}).items())
    rows: list[tuple[object, object]] = [
        ("pool", f"{pool.n:,} rows, {_KINDS[pool.kind]}"),
        ("candidates, in tie order", candidates),
        ("classes", _listed(pool.classes)),
        ("objective", f"{pool.objective.name}: the least {objective_name(found)} wins"),
        ("tolerance", "0: the exact winner" if exact else tolerance_text(fixed.tolerance)),
        *([("class totals", totals)] if fixed.totals else []),
        ("policy", f"{fixed.policy} (seed {fixed.seed})"),
        ("files", _listed(header.get("sources", []))),
        ("started", header.get("created", "–")),
        ("skipped rows", f"{fixed.skipped:,}"),
        ("events", f"{found.history.events:,}"),
        ("head of the hash chain", element("code", fixed.head)),
    ]
    return facts(rows)


def _listed(texts: Iterable[object], most: int = 30) -> str:
    listed = [str(text) for text in texts]
    extra = len(listed) - most
    return (", ".join(listed[:most]) + (f" and {extra:,} more" if extra > 0 else "")) or "–"


def work(found: Findings) -> Html:
    """Who labelled how much."""
    history = found.history
    rows = [(part.asker, part.labels, part.corrections, part.skips) for part in history.work]
    if history.owned:
        rows.insert(0, ("(there at the start)", history.owned, 0, 0))
    if not rows:
        return paragraph("Nobody has labelled anything yet.", class_="missing")
    return table(("who", "labels", "corrections", "skips"), rows)


def rivals(found: Findings) -> Html:
    """Where every rival stands against the leader."""
    risks, leader = found.pool.risks, found.leader
    rows = []
    order = sorted(
        (j for j in range(found.pool.candidates) if j != leader),
        key=lambda j: (found.course.settled[j] >= 0, -int(found.course.settled[j]), j),
    )
    for j in order:
        missing, settled = int(found.missing[j, leader]), int(found.course.settled[j])
        if settled >= 0:
            stands = f"after {settled:,}"
        elif found.certified_after is not None:  # by class totals, or by weights finer than the bounds here
            stands = f"by {found.certified_after:,}"
        elif found.verdict.totals_known:
            stands = "not yet"
        else:
            stands = "not by the rows left" if missing == IMPOSSIBLE else f"≥ {missing:,} more"
        rows.append(
            (
                found.pool.names[j],
                Number(difference_text(int(found.before[j, leader]), risks.scale)),
                Number(difference_text(int(found.lower[j, leader]), risks.scale)),
                stands,
            )
        )
    shown = rows[:30]
    note = f"The {len(shown)} of {len(rows)} rivals that took longest." if len(rows) > len(shown) else None
    return table(("rival", "least lead at the start", "least lead now", "settled"), shown, note)


def steps(found: Findings) -> Html:
    """What looser tolerances would have cost."""
    rows = []
    for step in found.steps:
        here = step.tolerance == found.settings.tolerance
        after = found.certified_after if here else step.after
        label = tolerance_text(step.tolerance)
        rows.append(
            (
                element("b", f"{label} (this session)") if here else label,
                step.bound,
                Number("not yet") if after is None else after,
            )
        )
    return table(("tolerance", "impossible below", "certified after"), rows)


def check(found: Findings, journal: str) -> Html:
    """How a stranger checks it."""
    command = f"certify audit POOL-FILES {shlex.quote(journal)} --head {found.settings.head}"
    return joined(
        [
            paragraph(
                "Every bound, the verdict and the hash chain can be re-derived in plain integers by code "
                "that shares nothing with the one that made them. Give the candidates' files in tie order:"
            ),
            element("pre", command),
            paragraph(
                "Keep the head somewhere else: a journal that was rewritten from its first event on differs "
                "from the true one in nothing but its head.",
                class_="note",
            ),
        ]
    )


def contributions(found: Findings, most: int = 15) -> Html:
    """The rows of the certificate that give most."""
    anatomy, pool = found.anatomy, found.pool
    assert anatomy is not None
    winner = anatomy.certificate.winner
    read_at = {int(row): at for at, row in enumerate(found.history.rows.tolist(), 1)}
    wanted = np.flatnonzero(anatomy.demand > 0)
    tight = wanted[np.argsort(anatomy.covered[wanted] / anatomy.demand[wanted], kind="stable")][:3]
    predictions = pool.risks.predictions[0 if pool.risks.shared else winner]
    rows = []
    for at, row in enumerate(anatomy.rows[:most].tolist()):
        rows.append(
            (
                pool.ids[row],
                pool.classes[predictions[row]],
                "wrong" if anatomy.wrong[at] else "right",
                int(anatomy.ranks[at]),
                *(
                    Number(f"{100 * int(anatomy.gains[r, at]) / int(anatomy.demand[r]):.2f} %")
                    for r in tight.tolist()
                ),
                read_at.get(row),
            )
        )
    return table(
        (
            "row",
            f"prediction of {pool.names[winner]}",
            "which is",
            "rank",
            *(f"of the demand of {pool.names[anatomy.rivals[r]]}" for r in tight.tolist()),
            "read as number",
        ),
        rows,
        f"The {len(rows)} of {anatomy.certificate.size:,} rows that give most.",
    )


def runs(found: Findings) -> Html:
    """Labels read by each policy and by this session."""
    assert found.comparison is not None
    assert found.anatomy is not None
    minimum, n = found.anatomy.certificate.size, found.pool.n
    answer = found.verdict
    rows: list[tuple[object, ...]] = [
        (
            element("b", f"this session ({found.settings.policy})"),
            answer.labels_read,
            Number(f"{100 * answer.labels_read / n:.1f} %"),
            answer.labels_read - minimum if answer.certified else None,
            found.pool.names[answer.winner] if answer.certified else "open",
        )
    ]
    for policy, run in sorted(found.comparison.runs, key=lambda item: item[1].labels_read):
        rows.append(
            (
                policy,
                run.labels_read,
                Number(f"{100 * run.labels_read / n:.1f} %"),
                run.labels_read - minimum,
                found.pool.names[run.winner],
            )
        )
    return table(("policy", "labels read", "of the pool", "beyond the minimum", "answer"), rows)


def size_text(found: Findings) -> str:
    """The minimum certificate in words."""
    anatomy = found.anatomy
    assert anatomy is not None
    certificate, n = anatomy.certificate, found.pool.n
    if certificate.proven:
        return f"exactly {share(certificate.size, n)}"
    return f"between {certificate.lower_bound:,} and {share(certificate.size, n)}"
