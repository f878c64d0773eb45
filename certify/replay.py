"""Policies run on known labels: where the exact test first fires, by array operations instead of a loop.

L_jk never falls while labels are read, so along a fixed order each pair meets its level at one place, found
in the running sum of its gains. A `Session` told the same labels one by one stops at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from certify.bounds import (
    EXACT,
    PairMatrix,
    Requirement,
    added,
    eliminated,
    initial_lower,
    row_gains,
)
from certify.deciding import ExactBounds, Recall, answer, certified
from certify.policies import Mask, Order, Seen, make_policy
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes, Risks
from certify.tolerance import Exact, exact_tolerance

_NEVER = int(np.iinfo(np.int64).max)
_FEW = 8  # rows that are read faster one by one than by running sums over every pair


@dataclass(frozen=True, eq=False)
class Replay:
    """A policy's run on known labels.

    rows: the labelled rows read, in order, (N,). certified, winner, gap: the verdict after them, as of
    `certify.Verdict`. lower: L_jk after them, (K, K), in units of 1 / `pool.risks.scale`.
    """

    rows: Order
    certified: bool
    winner: int
    gap: Fraction
    lower: PairMatrix

    @property
    def labels_read(self) -> int:
        """How many rows were read."""
        return len(self.rows)


def replay(
    pool: Pool,
    codes: Codes,
    policy: str,
    tolerance: Exact = "0",
    budget: int | None = None,
    seed: int = 0,
    *,
    every_row: bool = False,
) -> Replay:
    """Read rows in the policy's order until the test fires, the budget is spent or no label is left.

    codes: (n,) class codes, −1 for rows that nobody can label (asked for, then skipped). `budget` counts
    labels. every_row: read also rows whose label moves no bound, as a session with class totals does.
    O(K²n + n log n) for an order that never changes; at most K − 1 times that when eliminations change it,
    O(K²) a label beside the policy's own work when every label does.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> run = certify.replay(pool, certify.read_labels(IONOSPHERE_LABELS, pool).codes, "static-range")
    >>> run.certified, pool.names[run.winner]
    (True, 'bayes')
    """
    risks = pool.risks
    requirement = Requirement.of(exact_tolerance(tolerance), risks.scale)
    chooser = make_policy(policy, pool, seed)
    lower = initial_lower(risks)
    finalists = certified(risks, lower + added(risks, codes), requirement, lambda: codes)
    limit = len(codes) if budget is None else budget
    readable = np.ones(len(codes), dtype=bool) if every_row else risks.matters.copy()
    known = np.full(len(codes), UNLABELLED, dtype=np.int16)
    told: Order = np.empty(len(codes), dtype=np.int64)
    recall = Recall()
    count, settled = 0, bool(certified(risks, lower, requirement, lambda: known, recall))
    while count < limit and not settled:
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
            if len(chunk) < _FEW:
                part, lower, fired = _one_by_one(
                    risks, codes, known, chunk, lower, requirement, racing, recall
                )
            else:
                part, lower, fired = _at_once(
                    risks, codes, known, chunk, lower, requirement, finalists, racing
                )
            told[count : count + len(part)] = part
            known[part] = codes[part]
            count, taken = count + len(part), taken + len(part)
            if fired:
                settled = bool(certified(risks, lower, requirement, lambda: known, recall))
                break
        # rows that nobody can label were asked for, in vain, up to the last label read
        passed = (
            len(order)
            if taken == np.count_nonzero(labelled)
            else int(np.flatnonzero(labelled)[taken - 1]) + 1
        )
        readable[order[:passed]] = False
    winner, sure, gap = answer(risks, lower, requirement, lambda: known)
    return Replay(told[:count].copy(), sure, winner, gap, lower)


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


def _one_by_one(
    risks: Risks,
    codes: Codes,
    known: Codes,
    rows: Order,
    lower: PairMatrix,
    requirement: Requirement,
    racing: Mask | None,
    recall: Recall,
) -> tuple[Order, PairMatrix, bool]:
    """The rows read until the test fires or one of `racing` drops out, L after them, and whether that was."""
    for count, row in enumerate(rows, start=1):
        lower = lower + row_gains(risks, row, codes[row])
        dropped = racing is not None and (eliminated(lower) & racing).any()
        labels = partial(_read_too, known, rows[:count], codes)
        if dropped or certified(risks, lower, requirement, labels, recall):
            return rows[:count], lower, True
    return rows, lower, False


def _at_once(
    risks: Risks,
    codes: Codes,
    known: Codes,
    rows: Order,
    lower: PairMatrix,
    requirement: Requirement,
    finalists: list[int],
    racing: Mask | None,
) -> tuple[Order, PairMatrix, bool]:
    """The same as `_one_by_one` for many rows."""
    fired = _fires_after(risks, codes, known, rows, lower, requirement, finalists, racing)
    part = rows[:fired]
    return part, lower + _added(risks, codes, part), fired != _NEVER


def _fires_after(
    risks: Risks,
    codes: Codes,
    known: Codes,
    rows: Order,
    lower: PairMatrix,
    requirement: Requirement,
    finalists: list[int],
    racing: npt.NDArray[np.bool_] | None,
) -> int:
    """After how many of `rows` the test first fires or, where `racing` is given, one of these drops out.

    known: (n,) the labels read before them, which led to `lower`.
    """
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

    def truly_reached(j: int, k: int, level: int) -> int:
        """`reached` for the true bound: what rounding leaves open is settled exactly."""
        radius = int(risks.radius[j, k])
        early, late = reached(j, k, level - radius), reached(j, k, level + radius)
        late = len(rows) + 1 if late == _NEVER else late
        while early < late:
            middle = (early + late) // 2
            exact = ExactBounds(risks, partial(_read_too, known, rows[:middle], codes))
            if exact.reaches(j, k, requirement):
                late = middle
            else:
                early = middle + 1
        return early if early <= len(rows) else _NEVER

    levels = requirement.levels(candidates)
    meets = reached if risks.blocks is None else truly_reached
    fired = min(
        (max(meets(j, k, int(levels[j, k])) for j in range(candidates) if j != k) for k in finalists),
        default=_NEVER,
    )
    if racing is not None:
        strict = EXACT.levels(candidates)
        alive = [int(k) for k in np.flatnonzero(racing)]
        dropped = (reached(j, k, int(strict[j, k])) for j in alive for k in alive if j != k)
        fired = min(fired, min(dropped, default=_NEVER))
    return fired


def _read_too(known: Codes, rows: Order, codes: Codes) -> Codes:
    """`known` with the labels of `rows`."""
    labels = known.copy()
    labels[rows] = codes[rows]
    return labels
