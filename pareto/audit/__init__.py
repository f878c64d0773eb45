"""Check a journal with none of the code that wrote it.

From the file alone: the hash chain; every event against the rules of a session; the outcomes that count,
recounted; opponents drawn anew from the seed; every decision re-derived with exact numbers or enclosures of
logarithms. Nothing is imported from the samplers, the session or the journal.

What cannot be seen in a file: whether people said what it says, and whether the chain was rewritten as a
whole (compare `head` with one noted elsewhere).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path

from pareto.audit.claims import Claims, claims
from pareto.audit.commits import check_commits
from pareto.audit.duels import check_duels
from pareto.audit.intervals import check_intervals
from pareto.audit.journal import Event, JournalFile, Terms, checked_chain, checked_terms, read_journal
from pareto.audit.opponents import check_opponents
from pareto.audit.phases import check_phases
from pareto.audit.recount import Counted, recount
from pareto.audit.report import AuditReport, Check, Lie, Stopped, Trail

Rule = Callable[[Sequence[Claims], Terms], str]
_RULES: dict[str, Rule] = {
    "vb-ege": check_phases,
    "focal-borda": check_phases,
    "borda-plugin": check_phases,
    "interval": check_intervals,
    "duel": check_duels,
    "commit": check_commits,
}
_UNIFORM = ("vb-ege", "focal-borda", "interval")
"""Methods whose argument needs uniformly drawn opponents."""


def audit(journal: str | PathLike[str], head: str | None = None) -> AuditReport:
    """Check a journal; `head` is compared with its last hash where given.

    Raises `BattleError` if the file is no journal; everything else is a failed check in the report.
    """
    path = Path(journal)
    file = read_journal(path)
    trail = Trail([])
    last = file.rows[-1][4] if file.rows else ""
    with suppress(Stopped):
        _run(trail, *_read(trail, file, head))
    return AuditReport(str(path), tuple(trail.checks), last)


def _read(trail: Trail, file: JournalFile, head: str | None) -> tuple[list[Event], Terms]:
    with trail.check("terms") as stage:
        terms = checked_terms(file.header)
        stage.detail = (
            f"{terms.method}, δ = {float(terms.delta):g}, {len(terms.models)} models, "
            f"{len(terms.objectives)} objectives"
        )
    with trail.check("hash chain") as stage:
        events = checked_chain(file)
        stage.detail = f"{len(events):,} events"
        if head is not None and (not events or events[-1].hash != head):
            raise Lie(f"its head is {events[-1].hash if events else 'missing'}, not the given {head}")
    return events, terms


def _run(trail: Trail, events: list[Event], terms: Terms) -> None:
    with trail.check("recount") as stage:
        counted = recount(events, terms)
        stage.detail = _counts(counted)
    with trail.check("claims") as stage:
        found = claims(counted.rounds, terms)
        stage.detail = f"{len(found) - 1} judged rounds, now {found[-1].round.event.body['status']}"
    if terms.method in _UNIFORM:
        with trail.check("opponents") as stage:
            stage.detail = check_opponents(found, terms)
    with trail.check("decisions") as stage:
        rule = _RULES.get(terms.method)
        stage.detail = (
            f"not re-derived: {terms.method} carries no guarantee, its decisions rest on a fit"
            if rule is None
            else rule(found, terms)
        )


def _counts(counted: Counted) -> str:
    return (
        f"{counted.comparisons:,} comparisons used in {len(counted.rounds) - 1} judged rounds; "
        f"{counted.queries:,} queries, {counted.answers:,} answers, {counted.unused:,} late and unused, "
        f"{counted.unknown:,} “cannot tell”, {counted.corrections:,} changed"
    )


__all__ = ["AuditReport", "Check", "audit"]
