"""The auditor's weights: what an objective makes of the confidences, from its definition, in integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm

from certify.audit.exact import AuditPool, Bounds, Rule, exact_number, rank_weights
from certify.audit.harmonic import UNIT, Block, HarmonicBounds, floor_weights
from certify.audit.report import Lie

_LARGEST = (1 << 30) - 1
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Weighting:
    """weights: n integers a candidate, in units of 1/scale. blocks: for AURC, the blocks [s, e) of the rows,
    of whose true weights the integers are the floors. detail: how they came about, in words."""

    weights: Sequence[Sequence[int]]
    scale: int
    detail: str
    blocks: Sequence[Sequence[Block]] | None = None

    def rule(self, tolerance: Fraction) -> Rule:
        return Rule.at_scale(tolerance, self.scale)

    def bounds(self, pool: AuditPool) -> Bounds:
        """Bounds with nothing read."""
        if self.blocks is not None:
            return HarmonicBounds(self.weights, pool.predictions, len(pool.classes), self.blocks)
        return Bounds(self.weights, pool.predictions, len(pool.classes), self.scale)


def is_objective(text: object) -> bool:
    """Whether a header or a proof may name this objective."""
    if not isinstance(text, str):
        return False
    name, _, column = text.partition(":")
    return (
        text in ("augrc", "aurc", "accuracy", "weighted-error")
        or (name == "weighted-error" and bool(column))
        or _coverage(text) is not None
    )


def weights_column(objective: str) -> str | None:
    """The column of row weights that the objective names, "" for weights from elsewhere, None without any."""
    name, _, column = objective.partition(":")
    return column if name == "weighted-error" else None


def weigh(objective: str, pool: AuditPool, progress: Progress) -> Weighting:
    """The weights of an objective that `is_objective` accepts; `Lie` where they do not fit together."""
    n, count = pool.n, len(pool.names)
    if weights_column(objective) is not None:
        given = pool.row_weights
        if given is None or len(given) != n or min(given) < 0 or not 0 < max(given) <= _LARGEST:
            raise Lie(f"the row weights of {objective!r} are missing, or not {n} whole numbers, some above 0")
        return Weighting(
            [given] * count, sum(given), f"the row weights for every candidate, sum {sum(given)}"
        )
    if objective == "accuracy":
        return Weighting([[1] * n] * count, n, "1 for every row and candidate")
    coverage = _coverage(objective)
    if coverage is not None:
        return _selective(pool, ceil(coverage * n))
    if objective == "aurc":
        blocks = []
        for k, values in enumerate(pool.confidences):
            progress("weights", k, count)
            blocks.append(_blocks(values))
        weights = [floor_weights(own, n) for own in blocks]
        detail = f"⌊2²⁶·n·w⌋ from the confidences; blocks of equals: {[len(set(own)) for own in blocks]}"
        return Weighting(weights, n * UNIT, detail, blocks)
    ranked, sizes = [], []
    for k, values in enumerate(pool.confidences):
        progress("weights", k, count)
        found, number = rank_weights(values)
        if sum(found) != n * n:
            raise Lie(f"the weights of {pool.names[k]} do not sum to n²")
        ranked.append(found)
        sizes.append(number)
    detail = f"2n − s − e from the confidences, each sum n² = {n**2}; blocks of equals: {sizes}"
    return Weighting(ranked, 2 * n * n, detail)


def lowest_terms(values: Sequence[Fraction]) -> list[int]:
    """Whole numbers in the proportion of `values` ≥ 0, without a common factor."""
    common = lcm(*(value.denominator for value in values))
    whole = [int(value * common) for value in values]
    shared = gcd(*whole) or 1
    return [value // shared for value in whole]


def _coverage(text: str) -> Fraction | None:
    name, at, value = text.partition("@")
    number = exact_number(value) if name == "selective-error" and at else None
    return number if number is not None and 0 < number <= 1 else None


def _blocks(confidences: Sequence[float]) -> list[Block]:
    """[s, e) of every row: how many rows are more confident, and how many at least as confident."""
    order = sorted(range(len(confidences)), key=confidences.__getitem__, reverse=True)
    blocks = [(0, 0)] * len(order)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and confidences[order[end]] == confidences[order[start]]:
            end += 1
        for row in order[start:end]:
            blocks[row] = (start, end)
        start = end
    return blocks


def _selective(pool: AuditPool, m: int) -> Weighting:
    """1 for rows among the first m, and for those of a block that m cuts the share of it that is."""
    shares = [
        [Fraction(min(max(m - s, 0), e - s), e - s) for s, e in _blocks(values)]
        for values in pool.confidences
    ]
    common = lcm(*(share.denominator for row in shares for share in row))
    if common > _LARGEST:
        raise Lie(f"weights with the common denominator {common} are beyond what a session can have")
    weights = [[int(share * common) for share in row] for row in shares]
    for name, row in zip(pool.names, weights, strict=True):
        if sum(row) != m * common:
            raise Lie(f"the weights of {name} do not sum to one")
    return Weighting(weights, m * common, f"{m} rows accepted, each of weight {common}, or its share of that")
