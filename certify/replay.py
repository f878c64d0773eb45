"""Policies run on known labels: where the exact test first fires, by array operations instead of a loop.

L_jk never falls while labels are read, so along a fixed order each pair meets its level at one place, found
in the running sum of its gains. A `Session` told the same labels one by one stops at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from certify.bounds import (
    EXACT,
    PairMatrix,
    Requirement,
    added,
    best,
    eliminated,
    gap,
    initial_lower,
    satisfied,
)
from certify.policies import Order, Seen, make_policy
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes, Risks
from certify.tolerance import Exact, exact_tolerance

_NEVER = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class Replay:
    """rows: the labelled rows read, in order, (N,). certified, winner, gap: the verdict after them."""

    rows: Order
    certified: bool
    winner: int
    gap: Fraction
    lower: PairMatrix

    @property
    def labels_read(self) -> int:
        return len(self.rows)


def replay(
    pool: Pool,
    codes: Codes,
    policy: str,
    tolerance: Exact = "0",
    budget: int | None = None,
    seed: int = 0,
) -> Replay:
    """Read rows in the policy's order until the test fires, the budget is spent or no label is left.

    codes: (n,) class codes, −1 for rows that nobody can label (asked for, then skipped). `budget` counts
    labels. O(K²n + n log n) for an order that never changes; at most K − 1 times that when eliminations
    change it, O(K²) a label beside the policy's own work when every label does.
    """
    risks = pool.risks
    requirement = Requirement.of(exact_tolerance(tolerance), risks.scale)
    chooser = make_policy(policy, pool, seed)
    lower = initial_lower(risks)
    finalists = _finalists(risks, codes, lower, requirement)
    limit = len(codes) if budget is None else budget
    readable = np.ones(len(codes), dtype=bool)
    known = np.full(len(codes), UNLABELLED, dtype=np.int16)
    told: Order = np.empty(len(codes), dtype=np.int64)
    count = 0
    while count < limit and not satisfied(lower, requirement).all(axis=0).any():
        stretch = chooser.stretch(Seen(lower, known, told[:count]), readable, 1)
        order = stretch.rows[readable[stretch.rows]]
        if not len(order):
            break
        labelled = codes[order] != UNLABELLED
        rows = order[labelled][: limit - count]
        if stretch.labels is not None:
            rows = rows[: stretch.labels]
        taken = 0
        for chunk in _chunks(rows, stretch.until_elimination):
            racing = ~eliminated(lower) if stretch.until_elimination else None
            fired = _fires_after(risks, codes, chunk, lower, requirement, finalists, racing)
            part = chunk[:fired]
            lower = lower + _added(risks, codes, part)
            told[count : count + len(part)] = part
            known[part] = codes[part]
            count, taken = count + len(part), taken + len(part)
            if fired != _NEVER:
                break
        # rows that nobody can label were asked for, in vain, up to the last label read
        passed = len(order) if taken == labelled.sum() else int(np.flatnonzero(labelled)[taken - 1]) + 1
        readable[order[:passed]] = False
    winner, certified = best(lower, requirement)
    return Replay(told[:count].copy(), certified, winner, gap(lower, winner, risks.scale), lower)


def _finalists(risks: Risks, codes: Codes, lower: PairMatrix, requirement: Requirement) -> list[int]:
    """Candidates certified once every label is read: nobody else can be certified earlier."""
    final = lower + added(risks, codes)
    return [int(k) for k in np.flatnonzero(satisfied(final, requirement).all(axis=0))]


def _added(risks: Risks, codes: Codes, rows: Order) -> PairMatrix:
    """What reading `rows` adds to every L_jk; (K, K)."""
    n = len(codes)
    if 8 * len(rows) > n:  # passing over all rows beats gathering many
        read = np.full(n, UNLABELLED, dtype=np.int16)
        read[rows] = codes[rows]
        return added(risks, read)
    taken = Risks(risks.weights[:, rows], risks.predictions[:, rows], risks.scale)
    return added(taken, codes[rows])


def _chunks(rows: Order, adaptive: bool) -> Iterator[Order]:
    """All rows at once for a fixed order; growing pieces for one that an elimination will replace."""
    size, start = (1024 if adaptive else len(rows)), 0
    while start < len(rows):
        yield rows[start : start + size]
        start, size = start + size, 2 * size


def _fires_after(
    risks: Risks,
    codes: Codes,
    rows: Order,
    lower: PairMatrix,
    requirement: Requirement,
    finalists: list[int],
    racing: npt.NDArray[np.bool_] | None,
) -> int:
    """After how many of `rows` the test first fires or, where `racing` is given, one of these drops out."""
    candidates = len(lower)
    labels = codes[rows]
    sums: dict[tuple[int, int], npt.NDArray[np.int64]] = {}

    def reached(j: int, k: int, level: int) -> int:
        missing = level - int(lower[j, k])
        if missing <= 0:
            return 0
        if (j, k) not in sums:
            sums[j, k] = np.cumsum(risks.gain(j, k, labels, rows), dtype=np.int64)
        at = int(np.searchsorted(sums[j, k], missing))
        return at + 1 if at < len(rows) else _NEVER

    levels = requirement.levels(candidates)
    fired = min(
        (max(reached(j, k, int(levels[j, k])) for j in range(candidates) if j != k) for k in finalists),
        default=_NEVER,
    )
    if racing is not None:
        exact = EXACT.levels(candidates)
        alive = [int(k) for k in np.flatnonzero(racing)]
        dropped = (reached(j, k, int(exact[j, k])) for j in alive for k in alive if j != k)
        fired = min(fired, min(dropped, default=_NEVER))
    return fired
