"""The journal of a labelling session; see `solvers.journal`."""

from __future__ import annotations

from certify.errors import PoolError
from solvers import journal


class Journal(journal.Journal):
    """A journal whose arrays are the frozen pool and whose events are those of `certify.events`."""

    program = journal.Program(
        "certify",
        1,
        True,
        PoolError,
        "label",
        "restore a copy of the journal, or start a new one with the labels as owned labels",
    )
