"""The stopping test, the answer and its gap, exactly, for whole and for rounded weights.

With whole weights (every objective but AURC) `certify.bounds` decides on the integers L_jk. With rounded ones
the integer L_jk is a filter: a true one lies less than `Risks.radius` away, which settles nearly every
comparison; the others are settled by the true L_jk as a sum of harmonic numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from certify import bounds
from certify.bounds import PairMatrix, Requirement
from certify.harmonic import Blocks, HarmonicSum
from certify.risks import UNLABELLED, Codes, Risks

Labels = Callable[[], Codes]
"""The labels read, (n,); called only when the filter cannot tell."""


def certified(
    risks: Risks, lower: PairMatrix, requirement: Requirement, labels: Labels, recall: Recall | None = None
) -> list[int]:
    """The candidates that pass the test against every rival (Theorem 1), ascending.

    lower: the integer L_jk after `labels`, (K, K). recall: what was found exactly before, for the same
    requirement.
    """
    if risks.blocks is None:
        return [int(k) for k in np.flatnonzero(bounds.satisfied(lower, requirement).all(axis=0))]
    levels = requirement.levels(len(lower))
    possible = (lower + risks.radius >= levels).all(axis=0)
    if not possible.any():
        return []
    sure = lower - risks.radius >= levels
    exact, recall = ExactBounds(risks, labels), recall or Recall()
    return [
        int(k)
        for k in np.flatnonzero(possible)
        if all(recall.reaches(exact, int(j), int(k), requirement) for j in np.flatnonzero(~sure[:, k]))
    ]


def answer(
    risks: Risks, lower: PairMatrix, requirement: Requirement, labels: Labels
) -> tuple[int, bool, Fraction]:
    """The candidate to return now, whether it is certified, and its worst-case excess.

    Smallest excess first, then smallest index, among the certified or else among all (paper, section 5). The
    excess is exact; with rounded weights it is 0 exactly when the true one is, and otherwise the true one
    rounded up by at most 2⁻²⁵.
    """
    if risks.blocks is None:
        winner, sure = bounds.best(lower, requirement)
        return winner, sure, bounds.gap(lower, winner, risks.scale)
    passing = certified(risks, lower, requirement, labels)
    if passing and requirement.tie_rule:
        return passing[0], True, Fraction(0)  # the one exact winner
    exact = ExactBounds(risks, labels)
    least = np.maximum(-lower - risks.radius, 0).max(axis=0)
    most = np.maximum(-lower + risks.radius, 0).max(axis=0)
    among = np.array(passing or range(len(lower)))
    close = [int(k) for k in among[least[among] <= most[among].min()]]
    winner = close[0]
    if len(close) > 1:
        excess = exact.excess(winner, lower)
        for k in close[1:]:
            other = exact.excess(k, lower)
            if other.plus(excess, -1).sign() < 0:
                winner, excess = k, other
    none = not most[winner] or (not least[winner] and exact.excess(winner, lower).sign() == 0)
    return winner, bool(passing), Fraction(0 if none else int(most[winner]), risks.scale)


@dataclass(frozen=True, eq=False)
class ExactBounds:
    """The true L_jk after some labels, each worked out when asked for, in O(n log n)."""

    risks: Risks
    labels: Labels
    _known: dict[tuple[int, int], HarmonicSum] = field(default_factory=dict)

    @property
    def blocks(self) -> Blocks:
        assert self.risks.blocks is not None  # whole weights are not asked here
        return self.risks.blocks

    def lower(self, j: int, k: int) -> HarmonicSum:
        """n · L_jk, n times the smallest difference of the two AURC that the labels leave possible."""
        if (j, k) not in self._known:
            counts = _counts(self.risks, self.blocks, j, k, self.labels())
            self._known[j, k] = self.blocks.total(counts, (j, k))
        return self._known[j, k]

    def reaches(self, j: int, k: int, requirement: Requirement) -> bool:
        """Whether k is at least as good as j under every completion, tolerance and tie rule included."""
        room = HarmonicSum.of(self.blocks.n, requirement.tolerance * self.blocks.n)
        sign = room.plus(self.lower(j, k)).sign()
        return sign > 0 if requirement.tie_rule and j < k else sign >= 0

    def excess(self, k: int, lower: PairMatrix) -> HarmonicSum:
        """n times the worst-case excess of k; `lower` are the integer bounds, which spare most rivals."""
        worst = HarmonicSum.of(self.blocks.n, Fraction(0))
        radius = self.risks.radius[:, k]
        floor = int(np.maximum(-lower[:, k] - radius, 0).max())
        for j in range(len(lower)):
            if j != k and -lower[j, k] + radius[j] >= floor and worst.plus(self.lower(j, k)).sign() < 0:
                worst = HarmonicSum.of(self.blocks.n, Fraction(0)).plus(self.lower(j, k), -1)
        return worst


@dataclass(frozen=True, eq=False)
class Recall:
    """What the exact test said of a pair after which labels, so that a tie is not worked out at every one.

    A true L_jk never falls while labels are added, and stays where none of them can add to it.
    """

    _found: dict[tuple[int, int], tuple[bool, Codes]] = field(default_factory=dict)

    def reaches(self, exact: ExactBounds, j: int, k: int, requirement: Requirement) -> bool:
        """`ExactBounds.reaches`."""
        labels = exact.labels()
        if (j, k) in self._found:
            before, known = self._found[j, k]
            rows = np.flatnonzero(labels != known)
            if (known[rows] == UNLABELLED).all() and (
                before or not exact.risks.most_gain(j, k, labels[rows], rows).any()
            ):
                return before
        found = exact.reaches(j, k, requirement)
        self._found[j, k] = found, labels.copy()
        return found


def _counts(risks: Risks, blocks: Blocks, j: int, k: int, labels: Codes) -> npt.NDArray[np.int8]:
    """How often L_jk contains the true weight of each row: that of j, that of k; (2, n)."""
    first, second = (risks.predictions[c % len(risks.predictions)] for c in (j, k))
    read = labels != UNLABELLED
    agree = first == second
    smaller = _sign_of_difference(risks, blocks, j, k, ~read & agree) < 0
    counts = np.zeros((2, blocks.n), dtype=np.int8)
    counts[0] = np.where(read, first != labels, agree & smaller)
    counts[1] = -np.where(read, second != labels, ~agree | smaller).astype(np.int8)
    return counts


def _sign_of_difference(
    risks: Risks, blocks: Blocks, j: int, k: int, rows: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int8]:
    """Sign of w_j − w_k on each row, where `rows` says so."""
    signs: npt.NDArray[np.int8] = np.sign(risks.weights[j] - risks.weights[k]).astype(np.int8)
    alike = np.flatnonzero(rows & (signs == 0) & ~blocks.same(j, k))
    if len(alike):
        found: dict[tuple[int, ...], int] = {}
        for row in alike:
            key = tuple(int(at[c, row]) for at in (blocks.starts, blocks.ends) for c in (j, k))
            if key not in found:
                found[key] = _weight(blocks, j, int(row)).plus(_weight(blocks, k, int(row)), -1).sign()
            signs[row] = found[key]
    return signs


def _weight(blocks: Blocks, k: int, row: int) -> HarmonicSum:
    """n times the true weight of a row."""
    one = np.ones(1, dtype=np.int64)
    at = (k, slice(row, row + 1))
    return HarmonicSum(
        blocks.n, Fraction(0), blocks.starts[at].astype(np.int64), blocks.ends[at].astype(np.int64), one
    )
