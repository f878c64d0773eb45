"""The command that checks a journal."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from pareto.commands.options import JournalFile
from solvers.terminal import AsJson, emit


def audit(
    journal: JournalFile,
    head: Annotated[
        str | None,
        typer.Option(
            "--head", help="The chain head as you noted it elsewhere; must match.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recount a journal and re-derive every decision, with none of the code that wrote it.

    Without --head a journal that was rewritten as a whole passes. Exit code 1 if anything in it does not
    hold.
    """
    from pareto import report as reporting
    from pareto.audit import audit as check

    found = check(journal, head)
    record = {
        "journal": found.journal,
        "ok": found.ok,
        "head": found.head,
        "checks": [asdict(one) for one in found.checks],
    }
    rows = [[one.name, "ok" if one.ok else "FAILED", one.detail] for one in found.checks]
    verdict = "everything holds" if found.ok else "this journal does not hold"
    emit(
        record,
        as_json,
        lambda: [
            reporting.grid(f"Audit of {journal}", ["check", "", "found"], rows, right=9),
            f"{verdict}; head {found.head}",
        ],
    )
    if not found.ok:
        raise typer.Exit(1)
