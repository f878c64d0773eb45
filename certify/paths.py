"""Pairwise bounds along a path: what L_jk was after 0, 1, …, N labels read in a given order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, initial_lower
from certify.errors import PoolError
from certify.policies import Order, Seen, make_policy
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes, Risks

Counts = npt.NDArray[np.int64]


def whole_order(pool: Pool, policy: str, seed: int = 0) -> Order:
    """All rows in the order of a policy that settles it before the first label, (n,).

    Raises `PoolError` for a policy whose order depends on labels: take `Replay.rows` of a run instead.
    """
    unread = np.full(pool.n, UNLABELLED, dtype=np.int16)
    nothing = Seen(initial_lower(pool.risks), unread, np.empty(0, dtype=np.int64))
    stretch = make_policy(policy, pool, seed).stretch(nothing, np.ones(pool.n, dtype=bool), pool.n)
    if stretch.until_elimination or stretch.labels is not None:
        raise PoolError(
            f"the order of policy {policy!r} depends on labels; run it with `replay` and take the rows"
        )
    return stretch.rows


def checked_rows(pool: Pool, codes: Codes, rows: Sequence[int] | Order) -> Order:
    """`rows` as positions, (N,). Raises `PoolError` unless each is a labelled row of the pool, named once.

    Refuses pools whose weights are rounded (AURC): what is read off running sums would not be exact for them.
    """
    if pool.risks.blocks is not None:
        raise PoolError(
            f"the weights of objective {pool.objective.name!r} are no whole numbers, and bounds along a path "
            "would be rounded; take another objective, or `replay` with each tolerance"
        )
    order = np.asarray(rows, dtype=np.int64).reshape(-1)
    if len(codes) != pool.n:
        raise PoolError(f"{len(codes)} label codes for {pool.n} rows; give one a row, −1 where unknown")
    outside = order[(order < 0) | (order >= pool.n)]
    if len(outside):
        raise PoolError(f"row {outside[0]} is not in the pool; rows run from 0 to {pool.n - 1}")
    seen, times = np.unique(order, return_counts=True)
    if (times > 1).any():
        raise PoolError(f"row {seen[times > 1][0]} is on the path twice; a label is read once")
    unknown = order[codes[order] == UNLABELLED]
    if len(unknown):
        raise PoolError(f"row {unknown[0]} ({pool.ids[unknown[0]]}) has no label; leave it out of the path")
    return order


@dataclass(frozen=True, eq=False)
class BoundPath:
    """L_jk while `labels` are read on `rows`, both (N,). start: L before the first of them, (K, K)."""

    risks: Risks
    start: PairMatrix
    rows: Order
    labels: Codes

    @classmethod
    def of(cls, risks: Risks, codes: Codes, rows: Order) -> BoundPath:
        """From no label on; codes: (n,)."""
        return cls(risks, initial_lower(risks), rows, codes[rows])

    def lower(self, j: int, k: int) -> Counts:
        """L_jk after 0, 1, …, N labels, never falling; (N + 1,), O(N)."""
        return running(int(self.start[j, k]), self.risks.gain(j, k, self.labels, self.rows))


def running(start: int, steps: npt.NDArray[np.integer]) -> Counts:
    """start, start + steps[0], …; one longer than `steps`."""
    sums = np.empty(len(steps) + 1, dtype=np.int64)
    sums[0] = start
    np.cumsum(steps, dtype=np.int64, out=sums[1:])
    sums[1:] += start
    return sums
