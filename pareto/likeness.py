"""How alike two targets of a log are: their frontiers, and their orders of the models (paper, Table 14).

ρ_min(X, Y) is, the paper's own definition being illegible to us, the smallest over objectives of the Spearman
rank correlations of the two targets' Borda scores: frontiers depend on orders within an objective only. Equal
scores share the mean of their ranks. Pearson correlations are recorded beside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pareto.errors import BattleError
from pareto.exact_order import chained
from pareto.finite import finite
from pareto.links import Reals
from pareto.outcome_counts import Record
from pareto.targets import FITTED, Target


@dataclass(frozen=True)
class Likeness:
    """How alike two treatments are (Table 14).

    Attributes:
        letters: of the two, the first the one to compare with.
        jaccard: common frontier models over those of either.
        spearman, pearson: correlations of the Borda scores by objective; NaN where scores are all equal.
        entered, left: names on the second frontier only, on the first only.
        largest_change: of a Borda score.
    """

    letters: tuple[str, str]
    jaccard: float
    spearman: tuple[float, ...]
    pearson: tuple[float, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    largest_change: float

    @property
    def rho_min(self) -> float:
        """Smallest Spearman correlation; NaN if one is undefined. See the module."""
        return float(np.min(self.spearman))

    def record(self) -> Record:
        """For JSON."""
        return {
            "letters": list(self.letters),
            "jaccard": self.jaccard,
            "rho_min": finite(self.rho_min),
            "spearman": [finite(one) for one in self.spearman],
            "pearson": [finite(one) for one in self.pearson],
            "entered": list(self.entered),
            "left": list(self.left),
            "largest_change": self.largest_change,
        }


def likeness(one: Target, other: Target) -> Likeness:
    """Of two targets of the same models and objectives."""
    if one.models != other.models or one.objectives != other.objectives:
        raise BattleError("targets of different models or objectives; compare treatments of one log")
    first, second = set(one.kept), set(other.kept)
    columns = range(len(one.objectives))
    return Likeness(
        letters=(one.letter, other.letter),
        jaccard=len(first & second) / len(first | second),
        spearman=tuple(_correlation(_ranks(one, r), _ranks(other, r)) for r in columns),
        pearson=tuple(_correlation(one.borda[:, r], other.borda[:, r]) for r in columns),
        entered=tuple(name for name in other.kept if name not in first),
        left=tuple(name for name in one.kept if name not in second),
        largest_change=float(np.abs(one.borda - other.borda).max()),
    )


def _ranks(of: Target, objective: int) -> Reals:
    from scipy.stats import rankdata

    groups = chained(of.borda[:, objective], 0.0 if of.exact else FITTED)
    return np.asarray(rankdata(groups), dtype=np.float64)


def _correlation(first: Reals, second: Reals) -> float:
    """Pearson's; NaN if either is constant."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    one, other = first - first.mean(), second - second.mean()
    return float(np.clip(one @ other / math.sqrt((one @ one) * (other @ other)), -1.0, 1.0))
