"""An allocation that needs no sharing: direct comparisons of single pairs that exclude every alternative.

A dominated model is met by one dominator on every objective, so long that even a tie on one of them has
information 1; a frontier model by every other one, on the objective where it leads by most. Its total is
an upper bound on T*, and often a good beginning.
"""

from __future__ import annotations

import numpy as np

from pareto.glr.log_ratios import bernoulli_divergence
from pareto.links import Reals
from pareto.scores import Mask


def direct_needs(theta: Reals, kept: Mask) -> Reals:
    """Comparisons of each cell (d, K, K), symmetric; inf where a frontier model leads a rival nowhere."""
    columns = theta.T
    lead = columns[:, :, None] - columns[:, None, :]
    with np.errstate(divide="ignore"):
        need = np.where(lead > 0, 1 / bernoulli_divergence(lead, -lead), np.inf)  # to exclude a tie
    wanted = np.zeros_like(need)
    frontier, others = np.flatnonzero(kept), np.flatnonzero(~kept)
    if len(others):
        dominator = frontier[need[:, frontier][:, :, others].sum(axis=0).argmin(axis=0)]
        wanted[:, dominator, others] = need[:, dominator, others]
    first, second = (frontier[index] for index in np.nonzero(~np.eye(len(frontier), dtype=np.bool_)))
    objective = need[:, first, second].argmin(axis=0)
    wanted[objective, first, second] = need[objective, first, second]
    return np.asarray(np.maximum(wanted, wanted.swapaxes(1, 2)))
