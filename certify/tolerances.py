"""What every tolerance would have cost along one path of labels (paper, sections 5 and 6.5, Figures 7, 8).

Worst-case excesses only fall while labels are read, so one pass over the path answers for all tolerances:
when each would have stopped and with whom, and which is the smallest that a budget certifies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certify.bounds import EXACT, Requirement
from certify.errors import PoolError
from certify.paths import BoundPath, Counts, checked_rows
from certify.policies import Order
from certify.pool import Pool
from certify.risks import Codes
from certify.tolerance import Exact, exact_tolerance


@dataclass(frozen=True)
class Stop:
    """labels: how many were read when the test fired at this tolerance, None if it never did on the path.

    candidate: the one returned then, or at the end of the path.
    """

    tolerance: Fraction
    labels: int | None
    candidate: int


@dataclass(frozen=True)
class Smallest:
    """The least tolerance that is certified; with `open_end` every larger one is, but not itself."""

    tolerance: Fraction
    open_end: bool


@dataclass(frozen=True, eq=False)
class Tolerances:
    """Worst-case excesses along a path of N labels.

    excess: the smallest of any candidate after 0, 1, …, N labels, in units of 1/scale; (N + 1,), never
    rising. candidate: the first that has it; (N + 1,). exact: labels after which the exact test, tie rule
    included, fires; None if it does not.
    """

    excess: Counts
    candidate: Counts
    exact: int | None
    scale: int

    def stop(self, tolerance: Exact) -> Stop:
        """When and with whom a run with this tolerance would have stopped; O(log N)."""
        wanted = exact_tolerance(tolerance)
        if wanted == 0:
            labels = self.exact
        else:
            slack = Requirement.of(wanted, self.scale).slack
            first = int(np.searchsorted(-self.excess, -slack))
            labels = first if first < len(self.excess) else None
        return Stop(wanted, labels, int(self.candidate[-1 if labels is None else labels]))

    def grid(self, tolerances: Iterable[Exact]) -> list[Stop]:
        """`stop` of each."""
        return [self.stop(tolerance) for tolerance in tolerances]

    def smallest(self, budget: int) -> Smallest:
        """The least tolerance certified within `budget` labels, exactly.

        Labels beyond the end of the path are not read. Raises `PoolError` for a negative budget.
        """
        if budget < 0:
            raise PoolError(f"budget {budget} is negative; give a number of labels ≥ 0")
        if self.exact is not None and self.exact <= budget:
            return Smallest(Fraction(0), False)
        excess = int(self.excess[min(budget, len(self.excess) - 1)])
        return Smallest(Fraction(excess, self.scale), excess == 0)

    def smallest_of(self, budget: int, tolerances: Iterable[Exact]) -> Fraction | None:
        """The least of `tolerances` certified within `budget` labels, None if none is (Figure 8)."""
        stops = self.grid(tolerances)
        return min((s.tolerance for s in stops if s.labels is not None and s.labels <= budget), default=None)

    def steps(self) -> list[tuple[int, Smallest]]:
        """The map from budget to `smallest`: each number of labels at which it falls, and what to."""
        falls = [0, *(np.flatnonzero(np.diff(self.excess)) + 1).tolist()]
        if self.exact is not None:
            falls = [labels for labels in falls if labels < self.exact] + [self.exact]
        return [(labels, self.smallest(labels)) for labels in falls]


def tolerances_along(pool: Pool, codes: Codes, rows: Sequence[int] | Order) -> Tolerances:
    """All tolerances when `rows`, (N,), are read in this order, such as `Replay.rows` of an exact run.

    codes: (n,) class codes, known on these rows. O(K² (n + N)) time, O(N) memory. Raises `PoolError` for
    rows without a label, unknown or given twice.
    """
    order = checked_rows(pool, codes, rows)
    path = BoundPath.of(pool.risks, codes, order)
    levels = EXACT.levels(pool.candidates)
    least = np.full(len(order) + 1, np.iinfo(np.int64).max)
    candidate = np.zeros(len(order) + 1, dtype=np.int64)
    exact = len(order) + 1
    for k in range(pool.candidates):
        worst = np.zeros(len(order) + 1, dtype=np.int64)
        settled = 0
        for j in range(pool.candidates):
            if j != k:
                lower = path.lower(j, k)
                np.maximum(worst, -lower, out=worst)
                settled = max(settled, int(np.searchsorted(lower, levels[j, k])))
        candidate[worst < least] = k
        np.minimum(least, worst, out=least)
        exact = min(exact, settled)
    return Tolerances(least, candidate, exact if exact <= len(order) else None, pool.risks.scale)
