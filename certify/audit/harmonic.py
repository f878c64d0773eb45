"""The auditor's AURC: weights rounded down to integers, and the true bounds where these cannot tell.

Of n rows ordered by confidence, the one at zero-based position p is wrong in the first i accepted for every
i > p, so n times its weight in AURC is 1/(p+1) + … + 1/n. Rows of equal confidence at positions [s, e) share
the average. Every number here is whole + Σ factor_t·H_t with rational factors, H_t = 1 + 1/2 + … + 1/t.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from certify.audit.exact import Bounds, Rule

UNIT = 1 << 26
"""Integer weights count n times the weight in 1/2²⁶, rounded down."""
_CLOSE = 1 << 256
Block = tuple[int, int]


@dataclass(frozen=True)
class Number:
    """whole + Σ factors[t] · H_t."""

    whole: Fraction
    factors: Mapping[int, Fraction]

    @classmethod
    def of(cls, parts: Iterable[tuple[int, Block]], n: int, whole: Fraction = Fraction(0)) -> Number:
        """whole + Σ count · (n · weight of the block) over (count, block)."""
        factors: defaultdict[int, Fraction] = defaultdict(Fraction)
        for count, (start, end) in parts:
            share = Fraction(count, end - start)
            whole += count
            factors[n] += count
            factors[end] -= end * share
            factors[start] += start * share
        return cls(whole, {t: factor for t, factor in factors.items() if factor and t})

    def minus(self, other: Number) -> Number:
        factors = dict(self.factors)
        for t, factor in other.factors.items():
            factors[t] = factors.get(t, Fraction(0)) - factor
        return Number(self.whole - other.whole, {t: factor for t, factor in factors.items() if factor})

    def floor(self, times: int) -> int:
        """⌊times · number⌋, exactly."""
        common = lcm(self.whole.denominator, *(factor.denominator for factor in self.factors.values()))
        whole = int(self.whole * common)
        factors = {t: int(factor * common) for t, factor in self.factors.items()}
        value = whole * _CLOSE + sum(factor * _nearly(t) for t, factor in factors.items())
        error = sum(abs(factor) * t for t, factor in factors.items())
        least, most = (times * (value + off) // (_CLOSE * common) for off in (-error, error))
        if least == most:
            return least
        unit = _common_multiple(max(factors))
        return times * _times(unit, whole, factors) // (unit * common)

    def sign(self) -> int:
        """−1, 0 or 1, exactly."""
        below, above = self.floor(1), -Number(Fraction(0), {}).minus(self).floor(1)
        return -1 if below < 0 else 1 if above > 0 else 0


_TABLE = [0]


def _nearly(t: int) -> int:
    """H_t in 1/2²⁵⁶, less than t of them short."""
    while len(_TABLE) <= t:
        _TABLE.append(_TABLE[-1] + _CLOSE // len(_TABLE))
    return _TABLE[t]


def _times(unit: int, whole: int, factors: Mapping[int, int]) -> int:
    """unit · (whole + Σ factors[t] · H_t), for a unit that every 1, 2, … up to the largest t divides."""
    value, harmonic, last = whole * unit, 0, 0
    for t in sorted(factors):
        for i in range(last + 1, t + 1):
            harmonic += unit // i
        last = t
        value += factors[t] * harmonic
    return value


def _common_multiple(n: int) -> int:
    """The least common multiple of 1, …, n: every prime as often as it divides one of them."""
    found, prime = 1, [True] * (n + 1)
    for p in range(2, n + 1):
        if prime[p]:
            prime[p * p :: p] = [False] * len(range(p * p, n + 1, p))
            power = p
            while power * p <= n:
                power *= p
            found *= power
    return found


def floor_weights(blocks: Sequence[Block], n: int) -> list[int]:
    """⌊2²⁶ · n · weight⌋ of every row, from its block."""
    found = {block: Number.of([(1, block)], n).floor(UNIT) for block in set(blocks)}
    return [found[block] for block in blocks]


class HarmonicBounds(Bounds):
    """`Bounds` for AURC. `lower` holds those of the rounded weights; no true one is `radius` away from them.

    On a row a bound contains one weight or a difference of two, and nothing where a pair has the same block
    and prediction, so rounding moves it by less than one for every other row.
    """

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        codes: Sequence[Sequence[int]],
        classes: int,
        blocks: Sequence[Sequence[Block]],
    ) -> None:
        n = len(codes[0])
        super().__init__(weights, codes, classes, n * UNIT)
        self._blocks = [list(row) for row in zip(*blocks, strict=True)]
        self._labels: dict[int, int] = {}
        self.radius = [[0] * len(weights) for _ in weights]
        for row in range(n):
            for j, k in self.pairs:
                if not self._same(row, j, k):
                    self.radius[j][k] += 1
                    self.radius[k][j] += 1

    def copy(self) -> HarmonicBounds:
        twin = super().copy()
        assert isinstance(twin, HarmonicBounds)
        twin._labels = dict(self._labels)
        return twin

    def read(self, row: int, label: int) -> None:
        super().read(row, label)
        self._labels[row] = label

    def change(self, row: int, old: int, new: int) -> None:
        super().change(row, old, new)
        self._labels[row] = new

    def true_lower(self, j: int, k: int) -> Number:
        """n · L_jk for the true weights."""
        parts: Counter[Block] = Counter()
        for row in range(self.n):
            for loss, block in self._contained(row, j, k):
                parts[block] += loss
        return Number.of(((count, block) for block, count in parts.items() if count), self.n)

    def demand(self, rule: Rule, j: int, k: int) -> int:
        return max(0, rule.level(j, k) - self.lower[j][k] - self.radius[j][k])

    def at_most(self, row: int, j: int, k: int, gain: int) -> int:
        weights = self._weights[row]
        alike = self._codes[row][j] == self._codes[row][k]
        hidden = alike and weights[j] == weights[k] and not self._same(row, j, k)
        return gain + 2 if gain or hidden else 0

    def verdict(self, rule: Rule) -> tuple[bool, int, Fraction]:
        """As for whole weights; the gap is 0 exactly where the true one is, else rounded up."""
        certified = self.certified(rule)
        among = certified or range(len(self.lower))
        ceiling = {k: self._excess(k, 1) for k in among}
        close = [k for k in among if self._excess(k, -1) <= min(ceiling.values())]
        winner = close[0]
        if len(close) > 1:
            truly = {k: self._true_excess(k) for k in close}
            for k in close[1:]:
                if truly[k].minus(truly[winner]).sign() < 0:
                    winner = k
        gap = ceiling[winner]
        if gap and not self._excess(winner, -1) and self._true_excess(winner).sign() == 0:
            gap = 0
        return bool(certified), winner, Fraction(gap, self.scale)

    def _same(self, row: int, j: int, k: int) -> bool:
        blocks, codes = self._blocks[row], self._codes[row]
        return bool(blocks[j] == blocks[k] and codes[j] == codes[k])

    def _passes(self, rule: Rule, j: int, k: int) -> bool:
        if j == k or self.lower[j][k] - self.radius[j][k] >= rule.level(j, k):
            return True
        if self.lower[j][k] + self.radius[j][k] < rule.level(j, k):
            return False
        sign = self.true_lower(j, k).minus(Number(-rule.tolerance * self.n, {})).sign()
        return sign > 0 if rule.tolerance == 0 and j < k else sign >= 0

    def _excess(self, k: int, side: int) -> int:
        """The excess of k, rounded up (side 1) or down (−1)."""
        rivals = (j for j in range(len(self.lower)) if j != k)
        return max(0, max(-self.lower[j][k] + side * self.radius[j][k] for j in rivals))

    def _true_excess(self, k: int) -> Number:
        """n · the excess of k for the true weights."""
        worst = zero = Number(Fraction(0), {})
        least = self._excess(k, -1)
        for j in range(len(self.lower)):
            if j != k and -self.lower[j][k] + self.radius[j][k] >= least:
                loss = zero.minus(self.true_lower(j, k))
                if loss.minus(worst).sign() > 0:
                    worst = loss
        return worst

    def _contained(self, row: int, j: int, k: int) -> list[tuple[int, Block]]:
        """What the row puts into L_jk: weights, by their blocks, added (1) or taken off (−1)."""
        blocks, codes = self._blocks[row], self._codes[row]
        one, other = (1, blocks[j]), (-1, blocks[k])
        if row in self._labels:
            wrong = (codes[j] != self._labels[row], codes[k] != self._labels[row])
            return [part for part, counts in zip((one, other), wrong, strict=True) if counts]
        if codes[j] != codes[k]:
            return [other]
        return [one, other] if self._less(row, j, k) else []

    def _less(self, row: int, j: int, k: int) -> bool:
        """Whether the true weight of j is the smaller one."""
        weights, blocks = self._weights[row], self._blocks[row]
        if weights[j] != weights[k] or blocks[j] == blocks[k]:
            return bool(weights[j] < weights[k])
        return Number.of([(1, blocks[j]), (-1, blocks[k])], self.n).sign() < 0
