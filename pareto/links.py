"""Links: how likely a lead in latent scores makes a win.

A link is strictly increasing with link(0) = ½ and link(−x) = 1 − link(x), so the better model is the
likelier winner.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtr

from pareto.errors import BattleError

Reals = npt.NDArray[np.float64]
Link = Callable[[Reals], Reals]


def logistic(lead: Reals) -> Reals:
    """Bradley–Terry: 1 / (1 + exp(−lead))."""
    return np.asarray(expit(lead), dtype=np.float64)


def probit(lead: Reals) -> Reals:
    """Thurstone: the normal distribution function."""
    return np.asarray(ndtr(lead), dtype=np.float64)


def win_probabilities(theta: Reals, link: Link = logistic) -> Reals:
    """P(i beats j) on each objective: (..., K, K, d) from latent scores (..., K, d); ½ on the diagonal."""
    lead = theta[..., :, None, :] - theta[..., None, :, :]
    return link(lead)


def check_link(link: Link) -> None:
    """Refuse a function that is plainly no link, by its values on a few points."""
    grid = np.linspace(-3.0, 3.0, 25)
    values = np.asarray(link(grid), dtype=np.float64)
    if values.shape != grid.shape:
        raise BattleError(f"the link turned shape {grid.shape} into {values.shape}; it must work elementwise")
    symmetric = np.allclose(values + values[::-1], 1.0, rtol=0, atol=1e-12)
    if not ((np.diff(values) > 0).all() and symmetric and values[0] >= 0 and values[-1] <= 1):
        raise BattleError(
            "the link is not strictly increasing with link(−x) = 1 − link(x) in [0, 1]; the logistic "
            "function and the normal distribution function are examples that are accepted"
        )
