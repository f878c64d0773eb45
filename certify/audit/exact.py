"""The auditor's arithmetic: weights, pairwise bounds and the stopping test in Python integers.

Slow on purpose and written from the definitions alone (certificate paper, sections 2–3): it is the
yardstick for the fast code, so it shares nothing with it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations

_LONGEST = 1000  # decimal places and powers of ten beyond this only waste time


@dataclass(frozen=True)
class AuditPool:
    """What the candidates say: K names, the classes a label may take, and for every candidate n codes
    into `classes` and n float64 confidences. `ids` is None where the files had none. `rounded` marks the
    candidates whose confidences were computed here through logarithms, which round differently elsewhere.
    `row_weights`: those of weighted error, as frozen, None for other objectives.
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    ids: tuple[str, ...] | None
    predictions: tuple[Sequence[int], ...]
    confidences: tuple[array[float], ...]
    rounded: tuple[bool, ...] = ()
    row_weights: Sequence[int] | None = None

    @property
    def n(self) -> int:
        return len(self.confidences[0])

    @property
    def row_names(self) -> tuple[str, ...]:
        """Ids, or positions where the files had none."""
        return self.ids or tuple(map(str, range(self.n)))


@dataclass(frozen=True)
class Rule:
    """The stopping test: L_jk ≥ 0 (> 0 for j < k) at tolerance 0, else L_jk ≥ −⌊scale·τ⌋."""

    tolerance: Fraction
    slack: int

    @classmethod
    def of(cls, tolerance: Fraction, n: int) -> Rule:
        """For AUGRC on n rows, whose scale is 2n²."""
        return cls.at_scale(tolerance, 2 * n * n)

    @classmethod
    def at_scale(cls, tolerance: Fraction, scale: int) -> Rule:
        return cls(tolerance, scale * tolerance.numerator // tolerance.denominator)

    def level(self, j: int, k: int) -> int:
        """What L_jk must reach before k counts as no worse than j."""
        if self.tolerance == 0:
            return 1 if j < k else 0
        return -self.slack


def exact_number(text: object) -> Fraction | None:
    """A finite number ≥ 0 as the decimal or fraction that was written; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        if "/" not in text and abs(Decimal(text).adjusted()) > _LONGEST:
            return None
        value = Fraction(text) if "/" in text else Fraction(Decimal(text))
    except (ValueError, OverflowError, ZeroDivisionError, InvalidOperation):
        return None
    return value if value >= 0 else None


def rank_weights(confidences: Sequence[float]) -> tuple[list[int], int]:
    """Weights w = 2n − s − e, largest confidence first, and the number of blocks of equal confidences."""
    n = len(confidences)
    order = sorted(range(n), key=confidences.__getitem__, reverse=True)
    weights = [0] * n
    blocks = start = 0
    while start < n:
        level = confidences[order[start]]
        end = start + 1
        while end < n and confidences[order[end]] == level:
            end += 1
        for row in order[start:end]:
            weights[row] = 2 * n - start - end
        start = end
        blocks += 1
    return weights, blocks


class Bounds:
    """Every L_jk, kept exact while labels are read: `lower[j][k]` is the minimum of r_j − r_k over all
    labellings of the unread rows. `pairs` lists all (j, k) with j < k.

    weights and codes: one sequence of n integers a candidate. A label is a class code in
    range(classes). scale: what a difference is divided by, 2n² where not given. One label costs O(K²).
    """

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        codes: Sequence[Sequence[int]],
        classes: int,
        scale: int | None = None,
    ) -> None:
        self._weights = list(zip(*weights, strict=True))
        self._codes = list(zip(*codes, strict=True))
        self._classes = classes
        self.pairs = list(combinations(range(len(weights)), 2))
        self.n = len(self._weights)
        self.scale = 2 * self.n * self.n if scale is None else scale
        self.lower = [[0] * len(weights) for _ in weights]
        for row in range(self.n):
            for (j, k), least, most in zip(self.pairs, *self.extremes(row), strict=True):
                self.lower[j][k] += least
                self.lower[k][j] -= most

    def copy(self) -> Bounds:
        """Bounds that can go their own way from here."""
        twin = copy(self)
        twin.lower = [list(row) for row in self.lower]
        return twin

    def losses(self, row: int, label: int) -> list[int]:
        """Each candidate's integer loss on the row if its label is `label`."""
        return [
            weight if code != label else 0
            for weight, code in zip(self._weights[row], self._codes[row], strict=True)
        ]

    def differences(self, losses: Sequence[int]) -> list[int]:
        """loss_j − loss_k for every pair, in the order of `pairs`."""
        return [losses[j] - losses[k] for j, k in self.pairs]

    def extremes(self, row: int) -> tuple[list[int], list[int]]:
        """Minimum and maximum of loss_j − loss_k over all classes, for every pair.

        All classes that nobody predicts cost the same, so one of them stands for the rest.
        """
        labels = set(self._codes[row])
        if len(labels) < self._classes:
            labels.add(next(code for code in range(self._classes) if code not in labels))
        values = [self.differences(self.losses(row, label)) for label in labels]
        return list(map(min, *values)), list(map(max, *values))

    def read(self, row: int, label: int) -> None:
        """The label of an unread row becomes known."""
        lower, values = self.lower, self.differences(self.losses(row, label))
        for (j, k), value, least, most in zip(self.pairs, values, *self.extremes(row), strict=True):
            lower[j][k] += value - least
            lower[k][j] += most - value

    def change(self, row: int, old: int, new: int) -> None:
        """The label of a read row turns out to be another one."""
        before = self.differences(self.losses(row, old))
        after = self.differences(self.losses(row, new))
        for (j, k), gone, come in zip(self.pairs, before, after, strict=True):
            self.lower[j][k] += come - gone
            self.lower[k][j] -= come - gone

    def demand(self, rule: Rule, j: int, k: int) -> int:
        """What labels must still add to L_jk for k to pass against j."""
        return max(0, rule.level(j, k) - self.lower[j][k])

    def at_most(self, row: int, j: int, k: int, gain: int) -> int:
        """The most that a label which adds `gain` to L_jk may truly add; weights are whole here."""
        return gain

    def excess(self, k: int) -> int:
        """Worst-case excess risk of k, in units of 1/scale."""
        return max(0, max(-self.lower[j][k] for j in range(len(self.lower)) if j != k))

    def certified(self, rule: Rule) -> list[int]:
        """The candidates that pass the test against every rival (Theorem 1)."""
        everyone = range(len(self.lower))
        return [k for k in everyone if all(self._passes(rule, j, k) for j in everyone)]

    def _passes(self, rule: Rule, j: int, k: int) -> bool:
        return j == k or self.lower[j][k] >= rule.level(j, k)

    def verdict(self, rule: Rule) -> tuple[bool, int, Fraction]:
        """Whether somebody is certified, who is returned, and by how much that may be wrong at worst.

        Smallest excess first, then smallest index, among the certified or else among all.
        """
        certified = self.certified(rule)
        winner = min(certified or range(len(self.lower)), key=lambda k: (self.excess(k), k))
        return bool(certified), winner, Fraction(self.excess(winner), self.scale)


def total_losses(bounds: Bounds, labels: Iterable[int]) -> list[int]:
    """Full-pool risks r_j of a completely labelled pool, in units of 1/scale."""
    totals = [0] * len(bounds.lower)
    for row, label in enumerate(labels):
        for k, loss in enumerate(bounds.losses(row, label)):
            totals[k] += loss
    return totals
