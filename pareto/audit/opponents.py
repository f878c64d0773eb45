"""Were opponents drawn as the seed draws them? Methods on Borda scores rest on uniform opponents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pareto.audit.claims import Claims
from pareto.audit.journal import Terms
from pareto.audit.report import Lie


def check_opponents(found: Sequence[Claims], terms: Terms) -> str:
    """Draw the opponents of every round anew from the frozen seed, and compare."""
    models, objectives = terms.shape
    chances = np.full(models - 1, 1.0 / (models - 1))
    compared = 0
    for one in found:
        wanted = np.zeros((models, models, objectives), dtype=np.int64)
        for i, j, r, count in one.round.event.body["wanted"]:
            wanted[i, j, r] = count
        arms = wanted.sum(axis=1)
        focal = np.flatnonzero(arms.any(axis=1))
        if not len(focal):
            continue
        rng = np.random.default_rng((terms.seed, one.round.number + 1))
        drawn = np.zeros_like(wanted)
        for i in focal.tolist():
            rivals = np.delete(np.arange(models), i)
            counts = arms[i, :1] if terms.joint else arms[i]
            drawn[i, rivals, :] = rng.multinomial(counts, chances).T
        if not np.array_equal(drawn, wanted):
            raise Lie(
                f"{one.round.where}: opponents of the next round are not those that seed {terms.seed} draws "
                f"(with numpy {np.__version__}); they must be uniform and chosen before any outcome"
            )
        compared += int(arms.sum())
    return f"{compared:,} opponents as seed {terms.seed} draws them"
