"""Single records of a log, for estimates that must know which votes one session or voter cast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]
FIRST_WINS, SECOND_WINS, TIED, BAD = range(4)
"""Outcomes of a record."""


@dataclass(frozen=True, eq=False)
class Records:
    """Pair–objective records (n,), in the order of the log; a multi-label comparison has one for each
    objective, next to each other.

    Attributes:
        cluster: int32, 0 to `clusters` − 1: as they first occur, then those without a name.
        first, second: int32 positions in the log's models.
        objective: int32 positions in the log's objectives.
        outcome: int8, `FIRST_WINS`, `SECOND_WINS`, `TIED` or `BAD`.
        clusters: how many sessions or voters the log has; some may be without a record here.
        by: the column the clusters are from.
    """

    cluster: Codes
    first: Codes
    second: Codes
    objective: Codes
    outcome: npt.NDArray[np.int8]
    clusters: int
    by: str

    def __len__(self) -> int:
        return len(self.cluster)

    def moved(self, models: Codes, objectives: Codes) -> Records:
        """Positions replaced by `models[position]` (K,) and `objectives[position]` (d,); −1 drops records."""
        first, second = models[self.first], models[self.second]
        objective = objectives[self.objective]
        kept = (first >= 0) & (second >= 0) & (objective >= 0)
        return Records(
            self.cluster[kept],
            first[kept],
            second[kept],
            objective[kept],
            self.outcome[kept],
            self.clusters,
            self.by,
        )
