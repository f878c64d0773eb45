"""Every objective in fractions from its definition, and its answers by enumeration of completions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from certify import Pool
from certify.objectives import SelectiveError, WeightedError
from tests.certify.reference import small_pools

OBJECTIVES = ("augrc", "aurc", "accuracy", "selective-error@0.5", "weighted-error")


def true_weights(pool: Pool) -> list[list[Fraction]]:
    """The weight of every candidate and row, as a share of the objective."""
    objective, n = pool.objective, pool.n
    if isinstance(objective, WeightedError):
        total = sum(map(int, objective.weights))
        return [[Fraction(int(w), total) for w in objective.weights]] * pool.candidates
    found = []
    for confidence in pool.confidences.tolist():
        row = []
        for own in confidence:
            s, e = sum(c > own for c in confidence), sum(c >= own for c in confidence)
            if objective.name == "augrc":
                row.append(Fraction(2 * n - s - e, 2 * n * n))
            elif objective.name == "accuracy":
                row.append(Fraction(1, n))
            elif objective.name == "aurc":
                places = [Fraction(1, i) for p in range(s, e) for i in range(p + 1, n + 1)]
                row.append(sum(places, Fraction(0)) / ((e - s) * n))
            else:
                assert isinstance(objective, SelectiveError)
                m = objective.accepted(n)
                row.append(Fraction(min(max(m - s, 0), e - s), (e - s) * m))
        found.append(row)
    return found


class Enumeration:
    """Risks under every completion; `verdict` and `certificate_size` from these alone."""

    def __init__(self, pool: Pool) -> None:
        self.n, self.candidates = pool.n, pool.candidates
        weights = true_weights(pool)
        predictions = [pool.predictions[k % len(pool.predictions)] for k in range(self.candidates)]
        self.labels = list(product(range(len(pool.classes)), repeat=self.n))
        self.risks = [
            [
                sum(
                    (w for w, p, y in zip(weights[k], predictions[k], labels, strict=True) if p != y),
                    Fraction(0),
                )
                for k in range(self.candidates)
            ]
            for labels in self.labels
        ]

    def verdict(self, known: dict[int, int], tolerance: Fraction) -> tuple[bool, int, Fraction]:
        """Whether somebody is certified, who is returned, and the exact excess."""
        left = [
            risks
            for labels, risks in zip(self.labels, self.risks, strict=True)
            if all(labels[row] == y for row, y in known.items())
        ]
        everyone = range(self.candidates)
        excess = [max(risks[k] - min(risks) for risks in left) for k in everyone]
        if tolerance:
            sure = [k for k in everyone if excess[k] <= tolerance]
        else:
            winners = {min(everyone, key=lambda k: (risks[k], k)) for risks in left}
            sure = list(winners) if len(winners) == 1 else []
        best = min(sure or everyone, key=lambda k: (excess[k], k))
        return bool(sure), best, excess[best]

    def certificate_size(self, labels: np.ndarray, tolerance: Fraction) -> int:
        for size in range(self.n + 1):
            for rows in combinations(range(self.n), size):
                if self.verdict({row: int(labels[row]) for row in rows}, tolerance)[0]:
                    return size
        raise AssertionError("reading every row settles every choice")


@st.composite
def objective_pools(draw, max_rows: int = 5, max_candidates: int = 3, only=OBJECTIVES, exclude=()):
    pool = draw(small_pools(max_rows=max_rows, max_candidates=max_candidates))
    name = draw(st.sampled_from([name for name in only if name not in exclude]))
    if name == "weighted-error":
        shares = st.fractions(0, 3, max_denominator=4)
        weights = draw(st.lists(shares, min_size=pool.n, max_size=pool.n).filter(any))
        return pool.with_objective(WeightedError.of(weights))
    if name.startswith("selective"):
        return pool.with_objective(SelectiveError(draw(st.fractions(Fraction(1, 9), 1, max_denominator=9))))
    return pool.with_objective(name)
