"""`commit`: pledges every model to a side after a short pilot, and then proves all pledges together.

What it decides and why that is right with probability 1 − δ is argued in `commit_pledges`; whom it pledges
when, and what it asks next, is `commit_choice`. Everything else is as in `duel`.
"""

from __future__ import annotations

from typing import ClassVar

from pareto.samplers.base import Guarantee
from pareto.samplers.commit_choice import CommitRace
from pareto.samplers.duel import Duel
from pareto.samplers.duel_choice import DuelRace


class Commit(Duel):
    """Commits to a frontier and spends the whole error budget on proving that one."""

    name: ClassVar[str] = "commit"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier, claimed as a whole when it stops, is exact with probability at least "
        "1 − δ; nothing is claimed about any model before.",
        assumptions=Duel.guarantee.assumptions,
        source="beyond the paper: one bearer of the whole budget among wrong pledges, see commit_pledges",
        certified=True,
        fractions=True,
        needs_order=True,
    )
    race_type: ClassVar[type[DuelRace]] = CommitRace
