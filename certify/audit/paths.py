"""Every prefix of a query path re-derived in whole numbers: bounds, the first stop, the winner.

The same definitions as in `certify.audit.exact`, laid out for paths of thousands of labels: one array
operation moves a pair of candidates along the whole path. Nothing of the engine is used; weights come from
the confidences, a row's extremes from trying the labels it may have.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.audit.exact import Rule, rank_weights
from certify.audit.report import Lie

Whole = npt.NDArray[Any]
"""Whole numbers that cannot overflow: int64 where the pool is small enough for it, Python integers else."""


def whole_type(n: int) -> type[np.int64] | type[object]:
    """int64 when every sum over a pool of n rows, at most 2n² in size, stays far below its limit."""
    return np.int64 if 2 * n * n < 1 << 62 else object


@dataclass(frozen=True, eq=False)
class PathClaim:
    """What is claimed of one path; N labels were read.

    rows: (N,) positions in the order read. labels: (N,) class codes. certified, winner, gap: the verdict
    after the last of them, with no stop before it. tolerance: τ. lower: (N + 1, K, K), the L_jk claimed
    before the first label and after each; None to claim none.
    """

    rows: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int16]
    certified: bool
    winner: int
    gap: Fraction
    tolerance: Fraction = Fraction(0)
    lower: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class PathPool:
    """A pool as the auditor needs it for paths.

    weights: (K, n). predictions: (K, n) codes in range(classes). pairs: all (j, k) with j < k. least, most:
    (pairs, n), the extremes of loss_j − loss_k over the labels that a row may have.
    """

    weights: Whole
    predictions: npt.NDArray[np.int64]
    classes: int
    pairs: tuple[tuple[int, int], ...]
    least: Whole
    most: Whole

    @classmethod
    def of(
        cls, confidences: npt.NDArray[np.float64], predictions: npt.NDArray[np.integer[Any]], classes: int
    ) -> PathPool:
        """confidences: (K, n). predictions: (K, n) class codes, or (1, n) when all predict alike."""
        candidates, n = confidences.shape
        whole = whole_type(n)
        weights = np.array([rank_weights(values)[0] for values in confidences.tolist()], dtype=whole)
        if any(int(row.sum()) != n * n for row in weights):
            raise Lie("the weights of a candidate do not sum to n²")
        codes = np.broadcast_to(predictions, (candidates, n)).astype(np.int64)
        pairs = tuple(combinations(range(candidates), 2))
        least = np.zeros((len(pairs), n), dtype=whole)
        most = np.zeros((len(pairs), n), dtype=whole)
        for at, label in enumerate(possible_labels(codes, classes)):
            losses = _losses(weights, codes, label)
            for pair, (j, k) in enumerate(pairs):
                value = losses[j] - losses[k]
                least[pair] = value if at == 0 else np.minimum(least[pair], value)
                most[pair] = value if at == 0 else np.maximum(most[pair], value)
        return cls(weights, codes, classes, pairs, least, most)

    @property
    def n(self) -> int:
        return int(self.predictions.shape[1])


def possible_labels(predictions: npt.NDArray[np.int64], classes: int) -> list[npt.NDArray[np.int64]]:
    """Labels that cover everything a row's label can do to the losses, each (n,).

    All classes where there are few; otherwise what each candidate predicts, and one class that none does.
    """
    candidates, n = predictions.shape
    if classes <= candidates + 1:
        return [np.full(n, code) for code in range(classes)]
    free = np.full(n, candidates)  # K candidates leave one of the codes 0 … K free
    for code in reversed(range(candidates)):
        free[(predictions != code).all(axis=0)] = code
    return [*predictions, free]


def check_path(pool: PathPool, claim: PathClaim, truth: npt.NDArray[np.integer[Any]] | None = None) -> int:
    """Check every prefix of a path, from no label to the last; returns how many there are, N + 1.

    At each the bounds must be as claimed. Nobody may be certifiable before the end, and at the end the
    verdict must be the one claimed. truth: (n,) labels of the whole pool; those told must agree, and a
    candidate certified without tolerance must be the winner under them. Raises `Lie`. O(K²N).
    """
    _check_reading(pool, claim, truth)
    rule = Rule.of(claim.tolerance, pool.n)
    candidates, prefixes = len(pool.weights), len(claim.rows) + 1
    passes = np.ones((candidates, prefixes), dtype=bool)
    excess = np.zeros((candidates, prefixes), dtype=pool.weights.dtype)
    losses = _losses(pool.weights[:, claim.rows], pool.predictions[:, claim.rows], claim.labels)
    for pair, (j, k) in enumerate(pool.pairs):
        value = losses[j] - losses[k]
        least, most = pool.least[pair], pool.most[pair]
        for a, b, lower in (
            (j, k, _moved(least.sum(), value - least[claim.rows])),
            (k, j, _moved(-most.sum(), most[claim.rows] - value)),
        ):
            if claim.lower is not None:
                _check_bound(claim.lower[:, a, b], lower, a, b)
            passes[b] &= lower >= rule.level(a, b)
            np.maximum(excess[b], -lower, out=excess[b])
    _check_verdict(pool, claim, passes, excess)
    if truth is not None and claim.certified and not claim.tolerance:
        totals = [int(row.sum()) for row in _losses(pool.weights, pool.predictions, truth)]
        if claim.winner != totals.index(min(totals)):
            raise Lie(
                f"candidate {claim.winner} is certified; all labels make it {totals.index(min(totals))}"
            )
    return prefixes


def _losses(weights: Whole, predictions: npt.NDArray[np.int64], labels: npt.NDArray[Any]) -> Whole:
    return np.where(predictions != labels, weights, 0)


def _moved(start: Any, gains: Whole) -> Whole:
    """A bound at every prefix, from what it is at the start and what each label adds."""
    steps = np.empty(len(gains) + 1, dtype=gains.dtype)
    steps[0] = start
    steps[1:] = gains
    return np.cumsum(steps, dtype=gains.dtype)


def _check_reading(pool: PathPool, claim: PathClaim, truth: npt.NDArray[np.integer[Any]] | None) -> None:
    rows, labels = claim.rows, claim.labels
    if rows.shape != labels.shape or rows.ndim != 1:
        raise Lie(f"{labels.shape} labels for {rows.shape} rows; one label a row read")
    if len(rows) and not (rows.min() >= 0 and rows.max() < pool.n):
        raise Lie(f"a row outside the pool of {pool.n} is read")
    if len(np.unique(rows)) != len(rows):
        raise Lie("a row is read twice")
    if len(rows) and not (labels.min() >= 0 and labels.max() < pool.classes):
        raise Lie(f"a label outside the {pool.classes} classes is told")
    if truth is not None and (wrong := np.flatnonzero(truth[rows] != labels)).size:
        at = int(wrong[0])
        raise Lie(f"label {at + 1}: row {rows[at]} is told {labels[at]}, its label is {truth[rows[at]]}")


def _check_bound(claimed: npt.NDArray[np.int64], lower: Whole, j: int, k: int) -> None:
    if len(claimed) != len(lower):
        raise Lie(f"{len(claimed)} bounds for {len(lower)} prefixes; one a prefix")
    wrong = np.flatnonzero(claimed != lower)
    if wrong.size:
        at = int(wrong[0])
        raise Lie(f"after {at} labels L({j}, {k}) is claimed to be {claimed[at]}; re-derived {lower[at]}")


def _check_verdict(pool: PathPool, claim: PathClaim, passes: npt.NDArray[np.bool_], excess: Whole) -> None:
    settled = np.flatnonzero(passes.any(axis=0))
    last = len(claim.rows)
    if settled.size and settled[0] < last:
        first = int(settled[0])
        raise Lie(
            f"candidate {int(passes[:, first].argmax())} was certifiable after {first} of {last} labels"
        )
    if bool(settled.size) != claim.certified:
        raise Lie(
            f"claimed certified: {claim.certified} after {last} labels; the test says {bool(settled.size)}"
        )
    among = np.flatnonzero(passes[:, last]) if settled.size else np.arange(len(passes))
    winner = min(map(int, among), key=lambda k: (int(excess[k, last]), k))
    if claim.winner != winner:
        raise Lie(f"candidate {claim.winner} is returned after {last} labels; the test returns {winner}")
    gap = Fraction(int(excess[winner, last]), 2 * pool.n * pool.n)
    if claim.gap != gap:
        raise Lie(f"gap {claim.gap} is claimed after {last} labels; re-derived {gap}")
