"""The journal of a comparison session; see `solvers.journal`."""

from __future__ import annotations

from pareto.errors import BattleError
from solvers import journal


class Journal(journal.Journal):
    """A journal whose events are those of `events`; its header holds all that decisions depend on."""

    program = journal.Program(
        "pareto", 1, False, BattleError, "outcome", "restore a copy of the journal, or start a new one"
    )
