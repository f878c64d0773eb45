"""Pairwise bounds on unknown full-pool risks and the exact stopping test (paper, section 3, Theorem 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from certify.risks import Codes, Risks, blocks

PairMatrix = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Requirement:
    """What L_jk must reach before k counts as no worse than j.

    `slack` is ⌊scale·τ⌋. Only τ = 0 keeps the tie rule (the smaller index wins a tie); a positive τ that
    rounds down to slack 0 does not. `tolerance` is τ itself, for weights that are no whole numbers.
    """

    slack: int
    tie_rule: bool
    tolerance: Fraction = Fraction(0)

    @classmethod
    def of(cls, tolerance: Fraction, scale: int) -> Requirement:
        # no difference of risks exceeds the scale, and thresholds stay 64-bit integers
        return cls(min(int(tolerance * scale), scale), tolerance == 0, tolerance)

    def levels(self, candidates: int) -> PairMatrix:
        """(K, K) thresholds on L, read-only: 1[j < k] under the tie rule, else −slack; 0 on the diagonal."""
        return _levels(self, candidates)


@lru_cache(maxsize=64)  # asked for at every label
def _levels(requirement: Requirement, candidates: int) -> PairMatrix:
    shape = (candidates, candidates)
    levels = np.triu(np.ones(shape, dtype=np.int64), 1)
    if not requirement.tie_rule:
        levels = np.where(np.eye(candidates, dtype=bool), 0, np.full(shape, -requirement.slack))
    levels.flags.writeable = False
    return levels


EXACT = Requirement(slack=0, tie_rule=True)


def initial_lower(risks: Risks) -> PairMatrix:
    """L_jk with no label read: the exact minimum of r_j − r_k over all labellings; (K, K), O(K²n).

    Row by row the minimum is (w_j − w_k − span)/2, so only the weights' and the spans' sums are needed.
    H_jk, the maximum, is −L_kj.
    """
    candidates, n = risks.shape
    sums = np.zeros(candidates, dtype=np.int64)
    spans = np.zeros((candidates, candidates), dtype=np.int64)
    for block in blocks(n):
        sums += risks.weights[:, block].sum(axis=1, dtype=np.int64)
        for j, k in risks.pairs():
            spans[j, k] += int(risks.span(j, k, block).sum(dtype=np.int64))
    spans += spans.T
    return (sums[:, None] - sums[None, :] - spans) // 2


def row_gains(risks: Risks, row: int, label: int) -> PairMatrix:
    """What reading `label` on `row` adds to every L_jk: (K, K) with zero diagonal; O(K²).

    Independent losses would add ℓ_j + (w_k − ℓ_k); the loss that an agreeing pair has in common was known to
    cancel (paper, Proposition 1).
    """
    weights = risks.weights[:, row].astype(np.int64)
    predictions = risks.predictions[:, row]
    losses = weights * (predictions != label)
    gains: PairMatrix = losses[:, None] + (weights - losses)
    gains -= np.minimum(weights[:, None], weights) * (predictions[:, None] == predictions)
    return gains


def added(risks: Risks, codes: Codes) -> PairMatrix:
    """What reading every labelled row of `codes` ((n,), −1 where unread) adds to each L_jk; O(K²n)."""
    candidates, n = risks.shape
    sums = np.zeros((candidates, candidates), dtype=np.int64)
    for block in blocks(n):
        for j in range(candidates):
            for k in range(candidates):
                if j != k:
                    sums[j, k] += int(risks.gain(j, k, codes[block], block).sum(dtype=np.int64))
    return sums


def lower_after(risks: Risks, codes: Codes) -> PairMatrix:
    """L_jk after reading every labelled row of `codes`; O(K²n)."""
    return initial_lower(risks) + added(risks, codes)


def satisfied(lower: PairMatrix, requirement: Requirement) -> npt.NDArray[np.bool_]:
    """[j, k]: k is at least as good as j (within the tolerance) under every completion; diagonal True."""
    return np.asarray(lower >= requirement.levels(len(lower)))


def excesses(lower: PairMatrix) -> PairMatrix:
    """Each candidate's exact worst-case excess risk, max(0, max_j −L_jk), in units of 1/scale; (K,)."""
    worst: PairMatrix = np.maximum(-lower, 0).max(axis=0)
    return worst


def gap(lower: PairMatrix, candidate: int, scale: int) -> Fraction:
    """The candidate's exact worst-case excess δ as a difference of the objective."""
    return Fraction(int(excesses(lower)[candidate]), scale)


def best(lower: PairMatrix, requirement: Requirement) -> tuple[int, bool]:
    """The candidate to return now and whether it is certified.

    Among the certified, or among all when none is, the smallest excess δ_k, then the smallest index
    (paper, section 5).
    """
    delta = excesses(lower)
    certified = satisfied(lower, requirement).all(axis=0)
    pool = np.flatnonzero(certified) if certified.any() else np.arange(len(lower))
    return int(pool[np.argmin(delta[pool])]), bool(certified.any())


def eliminated(lower: PairMatrix) -> npt.NDArray[np.bool_]:
    """Candidates that some rival beats under every completion, tie rule included; (K,)."""
    beaten = satisfied(lower, EXACT)
    np.fill_diagonal(beaten, False)
    return np.asarray(beaten.any(axis=1), dtype=np.bool_)
