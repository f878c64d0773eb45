"""What the candidates say about unread labels, recalibrated by the labels bought so far.

Each row has a few *outcomes*. Two classes: the classes. A shared prediction: 1 when it is right, else 0.
Differing predictions of many classes: 1, 2, … for the distinct predicted classes, in candidate order, and 0
for any other. In all three a candidate is right when the outcome is the one it expects, its *slot*.

The odds of an outcome against outcome 0 are log-linear in the candidates' signed log-odds and in their vote
share. A Gaussian prior says what to expect before any label: scores that are a little overconfident, and
candidates that repeat each other, so that their mean counts and not their sum. With few labels the fit stays
near that, with many it becomes an ordinary (conditional) logistic regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from certify.pool import Pool
from certify.risks import Codes

Reals = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int16]

CLIP = 0.02
"""Scores are taken for probabilities between this and one minus this only."""
DOUBT = 0.002
"""Probability that every outcome keeps whatever the fit says."""
_STEPS = 12


@dataclass(frozen=True, eq=False)
class LabelModel:
    """Opinions of the candidates on every row.

    slots: (K, n) outcome that each candidate expects. strengths: (K, n) float32 log-odds that it is right,
    by its own score. alternatives: A, outcomes besides 0. closed: (n,) rows whose outcome cannot be 0, None
    when there are none.
    """

    pool: Pool
    slots: Slots
    strengths: npt.NDArray[np.float32]
    alternatives: int
    closed: npt.NDArray[np.bool_] | None

    @classmethod
    def of(cls, pool: Pool) -> LabelModel:
        slots = _slots(pool)
        highest = slots.max(axis=0)
        closed = None
        if pool.kind == "categorical" and bool((highest == len(pool.classes)).any()):
            closed = highest == len(pool.classes)
        return cls(pool, slots, strengths(pool), max(1, int(highest.max())), closed)

    @cached_property
    def prior(self) -> tuple[Reals, Reals]:
        """Mean (d,) and precision (d, d) of the coefficients: intercept, K candidates, vote share; d = K + 2.

        The candidates' mean log-odds counts .7 ± .5, differences between candidates 0 ± 1/√K each.
        """
        candidates = len(self.slots)
        together = np.full((candidates, candidates), 1 / candidates)
        covariance = 0.25 / candidates * together + (np.eye(candidates) - together) / candidates
        precision = np.diag(np.full(candidates + 2, 4.0))
        precision[1:-1, 1:-1] = np.linalg.inv(covariance)
        mean = np.r_[0.0, np.full(candidates, 0.7 / candidates), 0.0]
        return mean, precision

    def outcomes(self, rows: Rows, codes: Codes) -> Rows:
        """Outcome of the label `codes` (aligned with rows) on each of `rows`."""
        if self.pool.kind == "binary":
            return codes.astype(np.int64)
        right = self.pool.predictions[:, rows] == codes
        slots = self.slots[: len(right), rows]
        outcomes: Rows = np.where(right, slots, 0).max(axis=0).astype(np.int64)
        return outcomes

    def fit(self, rows: Rows, codes: Codes) -> Reals:
        """Coefficients of largest posterior density given labels `codes` on `rows`; (d,). Newton steps."""
        mean, precision = self.prior
        if not len(rows):
            return mean
        features = self._features(rows)
        flat = features.reshape(-1, features.shape[2])
        happened = self.outcomes(rows, codes)[:, None] == np.arange(1, self.alternatives + 1)
        at = mean
        for _ in range(_STEPS):
            chances = self._softmax(features @ at, rows)[:, 1:]
            slope = flat.T @ (chances - happened).ravel() + precision @ (at - mean)
            average = np.einsum("ra,rad->rd", chances, features)
            curvature = (flat * chances.reshape(-1, 1)).T @ flat - average.T @ average + precision
            step = np.linalg.solve(curvature, slope)
            # a step that changes any log-odds by more than a few would overshoot
            step /= max(1.0, float(np.abs(features @ step).max()) / 4)
            at = at - step
            if np.abs(step).max() < 1e-4:
                break
        return at

    def chances(self, coefficients: Reals, rows: Rows) -> Reals:
        """Probability of each outcome on `rows`; (A + 1, rows)."""
        fitted = self._softmax(self._features(rows) @ coefficients, rows).T
        mixed: Reals = fitted * (1 - DOUBT * len(fitted)) + DOUBT
        return mixed

    def _features(self, rows: Rows) -> Reals:
        """(rows, A, d)"""
        slots, strengths = self.slots[:, rows], self.strengths[:, rows]
        features = np.ones((len(rows), self.alternatives, len(slots) + 2))
        for a in range(self.alternatives):
            expected = slots == a + 1
            features[:, a, 1:-1] = np.where(expected, strengths, -strengths).T
            features[:, a, -1] = 2 * expected.mean(axis=0) - 1
        return features

    def _softmax(self, scores: Reals, rows: Rows) -> Reals:
        """Scores of the alternatives (rows, A) to probabilities of all outcomes (rows, A + 1)."""
        full = np.concatenate([np.zeros((len(rows), 1)), scores], axis=1)
        if self.closed is not None:
            full[self.closed[rows], 0] = -np.inf
        if self.alternatives > 1:
            absent = np.arange(self.alternatives + 1) > self.slots[:, rows].max(axis=0)[:, None]
            full[absent] = -np.inf
        full -= full.max(axis=1, keepdims=True)
        np.exp(full, out=full)
        full /= full.sum(axis=1, keepdims=True)
        return full


def strengths(pool: Pool) -> npt.NDArray[np.float32]:
    """Log-odds that each candidate is right, as its own score has it; (K, n).

    Scores that can be probabilities of the predicted class are taken at their word. For others only their
    order speaks: the share q of rows trusted less becomes a probability between one half and one.
    """
    from scipy.special import logit  # slow to load, and most commands need no model

    found = np.empty(pool.confidences.shape, dtype=np.float32)
    least = 1 / len(pool.classes) if pool.kind != "shared" else 0.0
    for k, scores in enumerate(pool.confidences):
        if least <= scores.min() and scores.max() <= 1 and pool.kind != "shared":
            chances = scores
        else:
            _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
            middle = (np.cumsum(count) - count / 2) / len(scores)
            chances = (1 + middle[place.ravel()]) / 2
        found[k] = logit(np.clip(chances, CLIP, 1 - CLIP))
    return found


def _slots(pool: Pool) -> Slots:
    candidates, n = pool.confidences.shape
    if pool.kind == "shared":
        return np.ones((candidates, n), dtype=np.int16)
    predictions = np.broadcast_to(pool.predictions, (candidates, n))
    if pool.kind == "binary":
        return predictions.astype(np.int16)
    slots = np.zeros((candidates, n), dtype=np.int16)
    used = np.zeros(n, dtype=np.int16)
    for k in range(candidates):
        for j in range(k):
            np.copyto(slots[k], slots[j], where=predictions[j] == predictions[k])
        fresh = slots[k] == 0
        used += fresh
        slots[k][fresh] = used[fresh]
    return slots
