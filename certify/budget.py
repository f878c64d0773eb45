"""Labels that any policy must still read: the prelabel bound and its live form (paper, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from certify.bounds import EXACT, PairMatrix, Requirement, initial_lower
from certify.pool import Pool
from certify.risks import Risks
from certify.tolerance import Exact, exact_tolerance

IMPOSSIBLE = int(np.iinfo(np.int64).max)
"""m_jk where no set of labels can ever make k beat j (a lower-index duplicate, say)."""


def descending_sums(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Sums of the 1, 2, … largest values."""
    return np.cumsum(np.sort(values)[::-1], dtype=np.int64)


def pair_requirements(
    risks: Risks, lower: PairMatrix, requirement: Requirement, unread: npt.NDArray[np.int64] | None = None
) -> PairMatrix:
    """m_jk: fewest further labels that could make k satisfy the test against j; (K, K), diagonal 0.

    The m largest spans of `unread` rows (all rows where None) must sum to the deficit
    max(0, level_jk − L_jk); `IMPOSSIBLE` where all of them do not. With rounded weights spans are taken too
    large and deficits too small, so that no requirement exceeds the true one. O(K² n log n).
    """
    candidates = len(lower)
    deficits = np.maximum(requirement.levels(candidates) - lower - risks.radius, 0)
    fewest = np.zeros((candidates, candidates), dtype=np.int64)
    for j, k in risks.pairs():
        if not deficits[j, k] and not deficits[k, j]:
            continue
        spans = risks.most_span(j, k) if unread is None else risks.most_span(j, k, unread)
        sums = descending_sums(spans)
        for a, b in ((j, k), (k, j)):
            if deficits[a, b]:
                at = int(np.searchsorted(sums, deficits[a, b]))
                fewest[a, b] = at + 1 if at < len(sums) else IMPOSSIBLE
    return fewest


def fewest_labels(requirements: PairMatrix) -> int:
    """min_k max_j m_jk: fewer labels than this certify nobody, whatever they say."""
    return int(requirements.max(axis=0).min())


def prelabel_bound(pool: Pool, tolerance: Exact = "0") -> int:
    """C̲: every budget below it is impossible, whatever the labels (Theorem 3). From 0 to n.

    `tolerance` is a difference of the pool's objective, read as an exact decimal. O(K² n log n), without
    labels.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> certify.prelabel_bound(pool), certify.prelabel_bound(pool, "0.02")  # of 106
    (24, 19)
    """
    requirement = Requirement.of(exact_tolerance(tolerance), pool.risks.scale)
    return fewest_labels(pair_requirements(pool.risks, initial_lower(pool.risks), requirement))


@dataclass(frozen=True)
class Plan:
    """What is known before the first label.

    tolerance: τ, exact. bound: C̲ at the tolerance. requirements: m_jk, (K, K). without: C̲ after dropping
    each candidate (None for a pool of two). budget: the number of labels asked about, if any. possible: False
    when the budget is below the bound. smallest_tolerance: the least τ the budget does not rule out;
    `open_end` marks that every τ above it will do but not τ itself.
    """

    tolerance: Fraction
    bound: int
    requirements: PairMatrix
    without: tuple[int, ...] | None
    budget: int | None
    smallest_tolerance: Fraction | None
    open_end: bool

    @property
    def possible(self) -> bool | None:
        """Whether the bound leaves the budget open; None without a budget."""
        return None if self.budget is None else self.budget >= self.bound


def plan(pool: Pool, tolerance: Exact = "0", budget: int | None = None) -> Plan:
    """Bound, budget verdict, smallest tolerance left open and the effect of dropping each candidate.

    tolerance: a difference of the pool's objective, an exact decimal. budget: labels that could be bought.
    No label is looked at. Raises `PoolError` for a negative budget or tolerance.

    >>> import certify
    >>> from certify.bundled import IONOSPHERE
    >>> found = certify.plan(certify.read_pool(IONOSPHERE), budget=20)
    >>> found.bound, found.possible, str(found.smallest_tolerance)
    (24, False, '81/5618')
    """
    exact = exact_tolerance(tolerance)
    risks = pool.risks
    lower = initial_lower(risks)
    requirements = pair_requirements(risks, lower, Requirement.of(exact, risks.scale))
    candidates = len(lower)
    without = None
    if candidates > 2:
        kept = [np.delete(np.arange(candidates), k) for k in range(candidates)]
        without = tuple(fewest_labels(requirements[np.ix_(rest, rest)]) for rest in kept)
    bound = fewest_labels(requirements)
    smallest, open_end = None, False
    if budget is not None:
        strict = bound if exact == 0 else fewest_labels(pair_requirements(risks, lower, EXACT))
        smallest, open_end = (
            (Fraction(0), False) if strict <= budget else _smallest_tolerance(risks, lower, budget)
        )
    return Plan(exact, bound, requirements, without, budget, smallest, open_end)


def _smallest_tolerance(risks: Risks, lower: PairMatrix, budget: int) -> tuple[Fraction, bool]:
    """Least τ that `budget` labels, too few for τ = 0, do not rule out; whether only values above it do."""
    candidates, n = risks.shape
    reach = np.zeros((candidates, candidates), dtype=np.int64)
    for j, k in risks.pairs():
        spans = risks.most_span(j, k)
        if 0 < budget < n:
            spans = np.partition(spans, n - budget)[n - budget :]
        reach[j, k] = reach[k, j] = 0 if budget <= 0 else int(spans.sum(dtype=np.int64))
    slack = int(np.maximum(-lower - risks.radius - reach, 0).max(axis=0).min())
    return Fraction(slack, risks.scale), slack == 0
