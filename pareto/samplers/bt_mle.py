"""BT-MLE: uniform sampling, Bradley–Terry fits, certification by the gaps of the fit (paper, 4.1 and 8.2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pareto.bradley_terry import RIDGE, fit
from pareto.result import Reals
from pareto.samplers.base import Guarantee
from pareto.samplers.uniform import PairSampler
from pareto.scores import Scores

FALLBACK_RIDGE = 1e-4
LARGEST_SCORE = 20.0
"""A fit beyond this is one that only the ridge keeps finite."""


class BtMle(PairSampler):
    """A baseline: it compares latent gaps with a radius that is one of means."""

    name: ClassVar[str] = "bt-mle"
    scale = "latent"
    guarantee: ClassVar[Guarantee] = Guarantee(
        claim="None: a baseline. The radius of means is applied to fitted scores.",
        assumptions="Bradley–Terry.",
        source="frontier paper, section 4.1 and appendix 8.2; that unordered pairs are each brought to n_m, "
        "and the fallback ridge, are the authors' earlier published settings",
        certified=False,
        fractions=True,
        needs_order=False,
    )

    def _estimate(self) -> Reals:
        return fitted_scores(self._wins)


def fitted_scores(wins: Scores) -> Reals:
    """Scores (..., K, d) of wins (..., d, K, K): nearly unpenalised, or penalised where that fails."""
    found = fit(wins, RIDGE)
    theta = found.theta.copy()
    failed = ~found.converged | (np.abs(theta).max(axis=-1) > LARGEST_SCORE) | ~_connected(wins)
    if failed.any():
        theta[failed] = fit(wins[failed], FALLBACK_RIDGE).theta
    return np.moveaxis(theta, -1, -2)


def _connected(wins: Scores) -> np.typing.NDArray[np.bool_]:
    """Uniform sampling leaves no pair out once a phase is complete; told otherwise, look."""
    met = wins + wins.swapaxes(-1, -2)
    models = wins.shape[-1]
    return np.asarray(((met > 0) | np.eye(models, dtype=np.bool_)).all(axis=(-1, -2)))
