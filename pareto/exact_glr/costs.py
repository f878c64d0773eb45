"""What it costs to force orders, objective by objective, remembered: the language of the search.

Whatever the costs are – divergences, or likelihoods within a box – an alternative costs the sum over
objectives of what its star of constraints costs there, and more constraints never cost less.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pareto.exact_glr.divergence import Divergence
from pareto.exact_glr.forced import Forced, forced
from pareto.links import Reals


class Costs(Protocol):
    """Costs of forcing orders at scores theta (K, d)."""

    @property
    def theta(self) -> Reals:
        """(K, d) the scores at which nothing is forced and nothing paid."""
        ...

    @property
    def least(self) -> Reals:
        """(d, K, K) proven: [r, a, b], forcing a ≥ b on objective r costs no less; 0 says nothing."""
        ...

    def forced(self, objective: int, top: int, below: tuple[int, ...]) -> Forced:
        """The cheapest scores on one objective with `top` at least as good as everybody in `below`."""
        ...


class DivergenceCosts:
    """Divergences from theta (K, d) under weights (d, K, K), symmetric; see `divergence`."""

    def __init__(self, theta: Reals, weights: Reals) -> None:
        self.theta = theta
        self.objectives = [Divergence(theta[:, r], weights[r]) for r in range(theta.shape[1])]
        self.least = np.stack([one.single_orders[0] for one in self.objectives])
        self._known: dict[tuple[int, int, tuple[int, ...]], Forced] = {}

    def forced(self, objective: int, top: int, below: tuple[int, ...]) -> Forced:
        key = (objective, top, below)
        if key not in self._known:
            self._known[key] = forced(self.objectives[objective], top, below)
        return self._known[key]
