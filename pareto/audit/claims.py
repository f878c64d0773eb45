"""Who is decided when: the claims of a journal in order, whatever method made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pareto.audit.journal import UNPROMISING, Terms
from pareto.audit.recount import Round
from pareto.audit.report import Lie


@dataclass(frozen=True)
class Claims:
    """The claims of one round.

    dropped: model → who dominates it, −1 where not named. live: not dropped so far, this round's claims
    included. undecided: before them.
    """

    round: Round
    kept: tuple[int, ...]
    dropped: dict[int, int]
    live: frozenset[int]
    undecided: frozenset[int]


def claims(rounds: Sequence[Round], terms: Terms) -> list[Claims]:
    """The claims, each about a model of the session that was undecided; `Lie` otherwise."""
    everybody = frozenset(range(len(terms.models)))
    undecided, live = everybody, everybody
    found = []
    for one in rounds:
        body = one.event.body
        kept, dropped = tuple(body["kept"]), {}
        for row in body["dropped"]:
            if not (
                isinstance(row, list) and len(row) == 2 and row[1] in everybody | {-1} and row[0] != row[1]
            ):
                raise Lie(f"{one.where}: dropped {row!r} is not a model and its rival")
            dropped[row[0]] = row[1]
        named = [*kept, *dropped]
        if len(named) < len(kept) + len(body["dropped"]) or len(set(named)) < len(named):
            raise Lie(f"{one.where}: decides a model twice")
        if not set(named) <= undecided:
            raise Lie(f"{one.where}: decides models that were decided before, or are none: {named}")
        live -= set(dropped)
        found.append(Claims(one, kept, dropped, live, undecided))
        undecided -= set(named)
        _check_status(one, undecided, terms)
    return found


def _check_status(one: Round, undecided: frozenset[int], terms: Terms) -> None:
    status, wanted = one.event.body["status"], one.event.body["wanted"]
    if not undecided:
        true = "stopped" if terms.method in UNPROMISING else "certified"
    else:
        true = "open" if wanted else "capped"
    if status != true or (true in ("certified", "stopped") and wanted):
        raise Lie(f"{one.where}: says {status!r} with {len(undecided)} undecided models; that is {true!r}")
    if true == "capped" and terms.cap is None:
        raise Lie(f"{one.where}: capped, but no cap was set")
