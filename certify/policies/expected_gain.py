"""`expected-gain`: read the row whose label is expected to close most of what is still open.

Once every label is known, the winner k beats rival j by a margin M_j, and rows may stay unread as long as
their gains against j add up to no more than M_j (`covering_duals`). Before that neither k, nor M, nor the
gains are known, but the candidates' scores and the labels bought so far say a lot about them (`label_model`).
So the policy imagines a few dozen complete outcomes of the comparison. In each, the winner and its margins
are as drawn, gains are as expected, and the covering dual prices a row by what reading it is worth. Rows are
read by their mean price. Three things make this work:

- Averaging over outcomes hedges between winners: a row that serves whoever wins goes before one that is
  worth a lot for a single candidate. A price above what a certain read needs counts no more.
- A gain larger than the margin that is left forces the row to be read whatever its size, so gains are cut
  to M_j + 1. In close races and exact ties rows then go by the chance of any gain, not by its size.
- Gains are expected, not drawn: whoever knew the drawn labels could skip what nobody can skip in advance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from certify.bounds import EXACT, PairMatrix, added
from certify.policies.covering_duals import prices
from certify.policies.label_model import LabelModel, Reals
from certify.policies.orders import distinct
from certify.policies.outlook import Outlook
from certify.policies.seen import Cursor, Mask, Order, Seen, Stretch
from certify.pool import Pool
from certify.risks import Risks

EARLY = 0.4
"""Share of the rows that are read with few looks back: hardly any pool is settled sooner."""
STEPS = (25, 100)
"""In how many parts the pool is read, early and later; the order is worked out anew after each."""
OUTCOMES = (60, 20)
"""Imagined outcomes, in small pools and in large ones (a million rows)."""
SOFTNESS = 0.2
CERTAIN = 1.2
"""Worth in one outcome beyond which more is not better; 1 is the price of a label."""
_COLUMNS = 512  # rows that prices are worked out on
_FITTED = 20_000  # labels that the model is fitted to
_DRAWN = 4_000_000  # labels drawn each time, at most, where that leaves enough outcomes
_BLOCK = 1 << 12


@dataclass
class ExpectedGain:
    """Rows in decreasing mean worth over imagined outcomes, worked out anew every few labels.

    The order is a function of the pool, the seed and the labels up to the last of certain counts alone, so
    a resumed session reads the same rows. Working it out takes O(S K n) and a part that depends on S and K
    only. The exact winner is aimed at whatever the tolerance.
    """

    pool: Pool
    seed: int
    name: str = field(init=False, default="expected-gain")
    _outcomes: int = field(init=False)
    _kept: Order = field(init=False)
    _model: LabelModel = field(init=False)
    _uniforms: Reals = field(init=False)
    _key: tuple[int, int] | None = field(init=False, default=None)
    _cursor: Cursor = field(init=False)

    def __post_init__(self) -> None:
        self._outcomes = max(OUTCOMES[1], min(OUTCOMES[0], _DRAWN // self.pool.n))
        self._kept = np.flatnonzero(distinct(self.pool.risks))
        self._model = LabelModel.of(self.pool)
        # raw bits, because numpy keeps their stream for ever
        self._uniforms = np.random.PCG64(self.seed).random_raw(self.pool.n) / 2.0**64

    def stretch(self, seen: Seen, readable: Mask, m: int) -> Stretch:
        last, following = moments(self.pool.n, len(seen.told))
        key = (last, seen.corrections)
        if self._key != key:
            self._key, self._cursor = key, Cursor(self._order(seen, last))
        return Stretch(self._cursor.rest(readable), following - len(seen.told), False)

    def _order(self, seen: Seen, known: int) -> Order:
        """Every row that is not among the first `known` told, best first."""
        told, later = seen.told[:known], seen.told[known:]
        unread = np.ones(self.pool.n, dtype=bool)
        unread[told] = False
        rows = np.flatnonzero(unread)
        if not len(rows):
            return rows
        lower = seen.lower
        if len(later):
            lower = lower - added(_part(self.pool.risks, later), seen.labels[later])
        risks = _part(self.pool.risks, told).totals(seen.labels[told])[self._kept]
        fitted = told[:: 1 + len(told) // _FITTED]
        opinion = self._model.fit(fitted, seen.labels[fitted])
        return rows[np.argsort(-self._worth(opinion, rows, risks, lower), kind="stable")]

    def _worth(self, opinion: Reals, rows: Order, risks: npt.NDArray[np.int64], lower: PairMatrix) -> Reals:
        """Worth of each of `rows`, summed over imagined outcomes; (rows,).

        risks: of the labels read, one a candidate kept. lower: L with them, (K, K).
        """
        views = [self._view(opinion, rows[at : at + _BLOCK]) for at in range(0, len(rows), _BLOCK)]
        # One uniform number a row, turned by part of a circle from outcome to outcome: rows are independent
        # in every outcome, and over the outcomes every row keeps to its chances.
        turns = np.arange(self._outcomes)[:, None] / self._outcomes
        totals = np.tile(risks.astype(np.float64), (self._outcomes, 1))
        for at, view in zip(range(0, len(rows), _BLOCK), views, strict=True):
            totals += view.imagined((self._uniforms[rows[at : at + _BLOCK]] + turns) % 1)
        winners = totals.argmin(axis=1)
        levels = EXACT.levels(len(lower))[np.ix_(self._kept, self._kept)]
        margins = totals - totals.min(axis=1, keepdims=True) - levels[:, winners].T
        most = np.maximum(margins, 0) + 1
        sample = views[0]
        if len(rows) > _COLUMNS:
            sample = self._view(opinion, rows[np.linspace(0, len(rows) - 1, _COLUMNS).astype(np.int64)])
        behind = (lower[np.ix_(self._kept, self._kept)] < levels)[:, winners].T  # (S, J), not beaten for sure
        gains = sample.gains(winners, most) * behind[:, :, None]
        room = np.maximum(margins, 0.5) * (gains.shape[2] / len(rows))
        price = prices(gains, room, SOFTNESS)[:, None, :]
        return np.concatenate(
            [
                np.minimum(np.matmul(price, view.gains(winners, most))[:, 0], CERTAIN).sum(axis=0)
                for view in views
            ]
        )

    def _view(self, opinion: Reals, rows: Order) -> Outlook:
        return Outlook.of(self._model, opinion, self.pool.risks, self._kept, rows)


def moments(n: int, told: int) -> tuple[int, int]:
    """The counts of labels at which the order was last, and will next be, worked out; last ≤ told < next."""
    coarse, fine = (-(-n // parts) for parts in STEPS)
    early = int(EARLY * n) // coarse * coarse
    step, start = (coarse, 0) if told < early else (fine, early)
    last = start + (told - start) // step * step
    return last, last + step


def _part(risks: Risks, rows: Order) -> Risks:
    return Risks(risks.weights[:, rows], risks.predictions[:, rows], risks.scale)
