"""What a certified choice is worth: how many of its labels would have to be wrong to overturn it.

A choice of k is *overturned* when so many labels change that k is no longer certified. By Theorem 1 that is
the same as: some completion of the unread rows then makes a rival better (by more than the tolerance, where
there is one; at tolerance 0 a tie that the rule gives to the rival counts). So its worth is the distance, in
labels read, to the nearest labelling of the whole pool under which k is the wrong choice. It does not ask for
a rival to be certified instead: with unread rows that may take more wrong labels.

A label that turns out to be another one takes back from L_jk at most what reading it gave, and some class
takes back all of it, because the gain of a row is measured from the label that is worst for k. Hence a rival
needs as many wrong labels as there are largest gains in the sum that reaches below its level.

Known class totals let unread rows make up for a changed label, one row for each: then the sum may also hold
as many of the largest spans of unread rows, and the count is only a lower bound, because an exchange need
not exist. With rounded weights (AURC) it is one too.

All this is about the pool. How the choice would fare on other rows of the population is not in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement
from certify.budget import descending_sums
from certify.risks import UNLABELLED, Codes, Risks

SCOPE = "it holds for this pool, not for the population its rows come from"
SCOPE_WITH_TOTALS = f"given the class totals, {SCOPE}"
_NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Worth:
    """labels: no fewer labels read would have to be wrong, None when no number of them would do.

    rival: who would profit first. exact: whether so many suffice; then rows: where they are, (labels,), the
    weightiest first, else none. suspects: every row whose label could help a rival on its way, in the order
    in which to look at labels again: by the largest share of a rival's shortfall that the label alone holds
    back, so any row that could overturn the choice all by itself comes first.
    """

    labels: int | None
    rival: int | None
    exact: bool
    rows: npt.NDArray[np.int64]
    suspects: npt.NDArray[np.int64]


def worth(
    risks: Risks,
    codes: Codes,
    lower: PairMatrix,
    requirement: Requirement,
    winner: int,
    totals_known: bool = False,
) -> Worth:
    """The worth of a certified `winner`.

    codes: (n,) labels read, −1 where unread. lower: L after them, (K, K), under the totals where these are
    known. Of rivals that need equally few wrong labels the first is named. Exact integers but for the order
    of suspects, O(K n log n).
    """
    read = codes != UNLABELLED
    rows, unread = np.flatnonzero(read), np.flatnonzero(~read)
    labels = codes[rows]
    # a rival profits when L_jk falls below its level
    shortfalls = lower[:, winner] - requirement.levels(len(lower))[:, winner] + 1
    shortfalls = np.maximum(shortfalls - risks.radius[:, winner], 1)
    shares = np.zeros(len(rows))
    fewest: int | None = None
    rival: int | None = None
    overturning = _NOBODY
    for j in range(len(lower)):
        if j == winner:
            continue
        gains = risks.most_gain(j, winner, labels, rows)
        sums = descending_sums(gains)
        if totals_known:
            exchanged = np.zeros(len(rows), dtype=np.int32)
            spans = np.sort(risks.most_span(j, winner, unread))[::-1][: len(rows)]
            exchanged[: len(spans)] = spans
            sums += np.cumsum(exchanged, dtype=np.int64)
        at = int(np.searchsorted(sums, shortfalls[j]))
        if at == len(sums):
            continue  # not even with every label wrong
        np.maximum(shares, gains / shortfalls[j], out=shares)
        if fewest is None or at + 1 < fewest:
            fewest, rival = at + 1, j
            overturning = rows[np.argsort(-gains, kind="stable")[:fewest]]
    exact = not totals_known and not risks.radius.any()
    order = np.argsort(-shares, kind="stable")
    suspects = rows[order[: np.count_nonzero(shares)]]
    return Worth(fewest, rival, exact, overturning if exact else _NOBODY, suspects)
