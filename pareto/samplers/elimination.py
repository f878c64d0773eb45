"""Accept and drop models by their empirical gaps (paper, Algorithm 1), for many trials at once.

All models of a trial have equally many draws, so points may stand for means: leads and threshold are in
points then, and whole points are compared without rounding.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pareto.gaps import highest, lowest
from pareto.scores import Mask, Scores

Index = npt.NDArray[np.int64]


class Elimination:
    """The inner loop of a phase on leads m(i, j), (T, K, K), among the active models (T, K).

    While two models or more are active and the largest gap exceeds `threshold`: take a model of largest
    gap, a dominated one if any ties; accept it if nobody dominates it; drop it. A model left alone is
    accepted. Each trial goes its own way; a step is taken in all of them together, and only gaps that a
    drop can change are computed anew.

    Attributes, all (T, K), after `run`: active; accepted, in this phase; rival, who dominated the dropped
    model or came closest to it, −1 where there was none.
    """

    def __init__(self, lead: Scores, active: Mask, threshold: float) -> None:
        self._none = lowest(lead.dtype)
        self._zero = lead.dtype.type(0)
        self._lead = np.where(active[:, None, :], lead, self._none)  # columns of dropped models are void
        diagonal = np.einsum("tii->ti", self._lead)
        diagonal[...] = self._none
        self.active = active.copy()
        self.accepted = np.zeros_like(active)
        self.rival: Index = np.full(active.shape, -1, dtype=np.int64)
        self._threshold = threshold
        self._witness = self._lead.argmax(axis=2)
        self._star = np.take_along_axis(self._lead, self._witness[:, :, None], axis=2)[:, :, 0]
        self._kept = active & (self._star <= 0)
        self._gap = np.where(active, self._star, self._none)
        self._closest = np.full(active.shape, -1, dtype=np.int64)
        self._protect(np.arange(len(active)))

    def run(self) -> None:
        """Drop models until no gap is large enough."""
        trials = np.flatnonzero(self.active.sum(axis=1) >= 2)
        while len(trials):
            gap = self._gap[trials]
            top = gap.max(axis=1)
            # whole leads against a real threshold: 64-bit counts below 2^53 convert exactly
            enough = top > self._threshold
            if not enough.all():
                trials, gap, top = trials[enough], gap[enough], top[enough]
            best = gap == top[:, None]
            dominated = best & ~self._kept[trials]
            choice = np.where(dominated.any(axis=1), dominated.argmax(axis=1), best.argmax(axis=1))
            self._drop(trials, choice)
            left = self.active[trials].sum(axis=1)
            alone = trials[left == 1]
            self.accepted[alone] |= self.active[alone]
            self.active[alone] = False
            trials = trials[left >= 2]

    def _drop(self, trials: Index, choice: Index) -> None:
        """Take one model out of each of these trials, and renew what depended on it."""
        self.accepted[trials, choice] = self._kept[trials, choice]
        self.rival[trials, choice] = self._witness[trials, choice]
        self.active[trials, choice] = False
        self._kept[trials, choice] = False
        self._gap[trials, choice] = self._none
        self._lead[trials, :, choice] = self._none
        active = self.active[trials]
        stale_where, stale = np.nonzero((self._witness[trials] == choice[:, None]) & active)
        where = trials[stale_where]
        rows = self._lead[where, stale]
        witness = rows.argmax(axis=1)
        star = rows[np.arange(len(rows)), witness]
        self._witness[where, stale] = witness
        self._star[where, stale] = star
        self._kept[where, stale] = star <= 0
        self._gap[where, stale] = star
        # protection changes where a rival's Δ* did, or where the dropped model set it
        moved = np.zeros(len(trials), dtype=np.bool_)
        moved[stale_where] = True
        moved |= ((self._closest[trials] == choice[:, None]) & self._kept[trials]).any(axis=1)
        self._protect(trials[moved])

    def _protect(self, trials: Index) -> None:
        """The gaps δ* of the models nobody dominates, in these trials."""
        where, model = np.nonzero(self._kept[trials])
        where = trials[where]
        lead = self._lead[where, model]  # m(i, j) of the kept i
        back = self._lead[where, :, model]  # m(j, i)
        spared = np.maximum(-back, self._zero) + np.maximum(self._star[where], self._zero)
        terms = np.minimum(-lead, spared)
        terms[~self.active[where]] = highest(lead.dtype)
        terms[np.arange(len(model)), model] = highest(lead.dtype)
        closest = terms.argmin(axis=1)
        self._closest[where, model] = closest
        self._gap[where, model] = terms[np.arange(len(model)), closest]
