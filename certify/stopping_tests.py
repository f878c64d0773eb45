"""Three exact stopping tests on the same labels: separate, centred and shared (paper, sections 3 and 6.4).

All compare a lower bound on r_j − r_k with the same levels. *shared* is Theorem 1: one unknown label a row,
common to both risks. *separate* subtracts an interval of each risk alone, as if each candidate had labels of
its own. *centred* does the same after taking from every candidate a common function of the label: half the
sum of the smallest and the largest loss that any of them has under it, t_i of the paper for binary and
shared pools. Bounds are counted in half units of the risks, which keeps the centres whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from certify.bounds import Requirement
from certify.errors import PoolError
from certify.paths import BoundPath, Counts, checked_rows, running
from certify.policies import Order
from certify.policies.orders import distinct
from certify.pool import Pool
from certify.risks import Codes, Risks, blocks
from certify.tolerance import Exact, exact_tolerance

Test = Literal["separate", "centred", "shared"]
TESTS: tuple[Test, ...] = ("separate", "centred", "shared")

Along = Callable[[int, int], Counts]
"""A test's bound on r_j − r_k after 0, 1, …, N labels, (N + 1,), in half units."""


@dataclass(frozen=True)
class Stops:
    """Labels after which each test first fires; None for one that does not on the path."""

    separate: int | None
    centred: int | None
    shared: int | None


def first_stops(pool: Pool, codes: Codes, rows: Sequence[int] | Order, tolerance: Exact = "0") -> Stops:
    """Where each test first certifies a candidate when `rows`, (N,), are read in this order.

    codes: (n,) class codes, known on these rows. Exact duplicates among the candidates are merged first.
    O(K² (n + N)). Raises `PoolError` for rows without a label, unknown or given twice.
    """
    order = checked_rows(pool, codes, rows)
    risks = _subset(pool.risks, distinct(pool.risks))
    levels = Requirement.of(exact_tolerance(tolerance), 2 * risks.scale).levels(risks.shape[0])
    return Stops(
        **{test: _first(_along(test, risks, pool, codes, order), levels, len(order)) for test in TESTS}
    )


def margins(pool: Pool, codes: Codes, rows: Sequence[int] | Order, candidate: int, test: Test) -> Counts:
    """The smallest bound on r_j − r_candidate over its rivals j after 0, 1, …, N labels; (N + 1,).

    In units of 1/(2·scale): positive means that the test certifies the candidate, zero that it does so up
    to the tie rule (Figure 10). Raises `PoolError` for a duplicate of an earlier candidate.
    """
    order = checked_rows(pool, codes, rows)
    kept = distinct(pool.risks)
    if not kept[candidate]:
        raise PoolError(
            f"candidate {pool.names[candidate]!r} is an exact duplicate of an earlier one, with which it is "
            "merged; name that one"
        )
    risks = _subset(pool.risks, kept)
    k = int(kept[:candidate].sum())
    along = _along(test, risks, pool, codes, order)
    smallest: Counts = np.full(len(order) + 1, 2 * risks.scale)  # no difference of risks is larger
    for j in range(risks.shape[0]):
        if j != k:
            np.minimum(smallest, along(j, k), out=smallest)
    return smallest


def _first(along: Along, levels: Counts, labels: int) -> int | None:
    """Labels after which some candidate first meets its level against every rival."""
    candidates = len(levels)
    reached = np.zeros(levels.shape, dtype=np.int64)
    for j in range(candidates):
        for k in range(candidates):
            if j != k:
                reached[j, k] = np.searchsorted(along(j, k), levels[j, k])
    first = int(reached.max(axis=0).min())
    return first if first <= labels else None


def _along(test: Test, risks: Risks, pool: Pool, codes: Codes, rows: Order) -> Along:
    if test == "shared":
        path = BoundPath.of(risks, codes, rows)
        return lambda j, k: 2 * path.lower(j, k)
    ends = _separate_ends if test == "separate" else _centred_ends
    classes = len(pool.classes)
    lows, highs = np.zeros((2, risks.shape[0]), dtype=np.int64)
    for block in blocks(pool.n):
        low, high, _ = ends(_columns(risks, np.arange(pool.n)[block]), codes[block], classes)
        lows += low.sum(axis=1)
        highs += high.sum(axis=1)
    low, high, value = ends(_columns(risks, rows), codes[rows], classes)
    # reading a row lifts the lower end of every candidate's interval and takes down the upper end
    least = [running(int(start), steps) for start, steps in zip(lows, value - low, strict=True)]
    most = [running(int(start), steps) for start, steps in zip(highs, value - high, strict=True)]
    return lambda j, k: least[j] - most[k]


Ends = tuple[Counts, Counts, Counts]
"""Row by row the smallest, the largest and the realised value of each candidate's term; all (K, m)."""


def _separate_ends(risks: Risks, labels: Codes, classes: int) -> Ends:
    most = 2 * risks.weights.astype(np.int64)
    return np.zeros_like(most), most, most * (risks.predictions != labels)


def _centred_ends(risks: Risks, labels: Codes, classes: int) -> Ends:
    weights = risks.weights.astype(np.int64)

    def centred(label: npt.NDArray[np.int16] | int) -> Counts:
        losses = weights * (risks.predictions != label)
        terms: Counts = 2 * losses - (losses.min(axis=0) + losses.max(axis=0))
        return terms

    first, *others = (centred(predicted) for predicted in risks.predictions)
    low, high = first.copy(), first.copy()
    for terms in others:
        np.minimum(low, terms, out=low)
        np.maximum(high, terms, out=high)
    # a label that nobody predicts, where the predictions do not use up the classes
    ranked = np.sort(risks.predictions, axis=0)
    spare = 1 + (ranked[1:] != ranked[:-1]).sum(axis=0) < classes
    nobody = centred(-1)
    np.minimum(low, nobody, out=low, where=spare)
    np.maximum(high, nobody, out=high, where=spare)
    return low, high, centred(labels)


def _subset(risks: Risks, kept: npt.NDArray[np.bool_]) -> Risks:
    predictions = risks.predictions if risks.shared else risks.predictions[kept]
    return Risks(risks.weights[kept], predictions, risks.scale)


def _columns(risks: Risks, rows: Order) -> Risks:
    return Risks(risks.weights[:, rows], risks.predictions[:, rows], risks.scale)
