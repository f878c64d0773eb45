"""How the comparisons of a log ended, objective by objective (paper, Table 12)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pareto.finite import finite
from pareto.pair_counts import PairCounts

Record = dict[str, object]


@dataclass(frozen=True)
class OutcomeCounts:
    """Records of retained models on one objective, or on all together, before ties are merged (Table 12).

    A comparison that counts for several objectives is a record of each.
    """

    objective: str
    decisive: int
    ties: int
    both_bad: int

    @property
    def records(self) -> int:
        """All of them."""
        return self.decisive + self.ties + self.both_bad

    @property
    def undecided_share(self) -> float:
        """Fraction that nobody won; NaN without records."""
        return (self.ties + self.both_bad) / self.records if self.records else math.nan

    def record(self) -> Record:
        """For JSON."""
        return {**vars(self), "records": self.records, "undecided_share": finite(self.undecided_share)}


def count_outcomes(counts: PairCounts) -> tuple[tuple[OutcomeCounts, ...], OutcomeCounts]:
    """Outcomes on each objective, and on all of them."""
    wins = counts.wins.sum(axis=(1, 2))
    ties, bad = (array.sum(axis=(1, 2)) // 2 for array in (counts.ties, counts.both_bad))
    rows = zip(counts.objectives, wins.tolist(), ties.tolist(), bad.tolist(), strict=True)
    each = tuple(OutcomeCounts(*row) for row in rows)
    return each, OutcomeCounts("all objectives", int(wins.sum()), int(ties.sum()), int(bad.sum()))
