"""Selective error: the error rate among the most confident rows, up to a fixed coverage."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.objectives.base import LARGEST_WEIGHT
from certify.risks import Codes, Risks
from certify.tolerance import Exact, decimal_text, exact_number
from solvers.disk_tables import like


@dataclass(frozen=True)
class SelectiveError:
    """Errors among the m = ⌈coverage · n⌉ most confident rows, each of weight 1/m; 0 < coverage ≤ 1.

    Where m falls inside a block of equal confidences [s, e), s < m < e, nothing says which of its rows are
    accepted: each of them gets (m − s)/(e − s) of a weight, the average over all ways to fill up. Rows below
    weigh nothing. So no weight depends on the order of rows, and each candidate's sum to one.
    """

    coverage: Exact

    def __post_init__(self) -> None:
        accepted = "an exact decimal such as 0.8, or a fraction such as 4/5"
        exact = exact_number(self.coverage, "coverage", accepted)
        if not 0 < exact <= 1:
            raise PoolError(f"coverage {self.coverage} is not above 0 and at most 1; give for example 0.8")
        object.__setattr__(self, "coverage", exact)

    @property
    def unit(self) -> str:
        return f"selective error at coverage {decimal_text(Fraction(self.coverage))}"

    @cached_property
    def name(self) -> str:
        return f"selective-error@{decimal_text(Fraction(self.coverage))}"

    def accepted(self, n: int) -> int:
        """m, how many of n rows are accepted."""
        return ceil(Fraction(self.coverage) * n)

    def risks(self, confidences: npt.NDArray[np.float64], predictions: Codes) -> Risks:
        m = self.accepted(confidences.shape[1])
        cuts = [_cut(confidence, m) for confidence in confidences]
        whole = lcm(*(cut.share.denominator for cut in cuts))
        if whole > LARGEST_WEIGHT:
            raise PoolError(
                f"{self.name}: the {m} accepted rows end inside blocks of equal confidences, whose shares "
                f"have the common denominator {whole}; up to {LARGEST_WEIGHT} is supported. Choose a "
                "coverage that cuts fewer candidates inside a block, or leave candidates out"
            )
        rows = (_weights(confidence, cut, whole) for confidence, cut in zip(confidences, cuts, strict=True))
        return Risks(like(confidences, rows, np.int32), predictions, m * whole)


@dataclass(frozen=True)
class _Cut:
    """The confidence of the last row accepted, and the share of its block that is."""

    confidence: float
    share: Fraction


def _weights(confidence: npt.NDArray[np.float64], cut: _Cut, whole: int) -> npt.NDArray[np.int32]:
    weights = np.zeros(len(confidence), dtype=np.int32)
    weights[confidence > cut.confidence] = whole
    weights[confidence == cut.confidence] = int(whole * cut.share)
    return weights


def _cut(confidence: npt.NDArray[np.float64], m: int) -> _Cut:
    at = len(confidence) - m
    last = float(np.partition(confidence, at)[at])
    above = int(np.count_nonzero(confidence > last))
    return _Cut(last, Fraction(m - above, int(np.count_nonzero(confidence == last))))
