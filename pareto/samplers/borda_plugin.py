"""Borda plug-in: uniform sampling of pairs, Borda scores from smoothed win rates (paper, 4.1 and 8.2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.result import Reals
from pareto.samplers.base import Guarantee
from pareto.samplers.uniform import PairSampler
from pareto.scores import Scores


class BordaPlugin(PairSampler):
    """A baseline that watches d·K(K − 1)/2 cells instead of d·K arms."""

    name: ClassVar[str] = "borda-plugin"
    scale = "borda"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="The strict frontier is exact with probability at least 1 − δ.",
        assumptions="As for vb-ege. With probability 1 − δ all cells' means lie within r_m of the truth in "
        "all phases. Smoothing moves a mean by less than 1/(2 n_m), which is below r_m, so that gaps above "
        "4 r_m are classified rightly.",
        source="frontier paper, section 4.1 and appendix 8.2; Lemma B.6 over cells for the claim",
        certified=True,
        fractions=True,
        needs_order=False,
    )

    def _estimate(self) -> Reals:
        return smoothed_borda(self._wins)


def smoothed_borda(wins: Scores) -> Reals:
    """(..., K, d) from wins (..., d, K, K): p̃ = (W + ½)/(N + 1), averaged over the opponents."""
    met = wins + np.swapaxes(wins, -1, -2)
    rates = (wins + 0.5) / (met + 1)
    models = wins.shape[-1]
    total = rates.sum(axis=-1) - 0.5  # a model with itself: W = N = 0
    return np.moveaxis(total / (models - 1), -1, -2)
