"""A step to a better allocation, by a model of how information saturates.

Information about two models flows as current does: more of one link in a chain gains less and less. For small
differences of scores, information F against an alternative is the largest of expressions, one for each flow,
in which the shares w_e enter as resistances 1/w_e. With the flow held as it is at w,

    1 / F(w') ≈ Σ_e c_e / w'_e,   c_e = w_e² κ_e / F(w)²,

which has the right value and slope at w and is too cautious elsewhere. So the w' with the least sum such that
Σ_e c_ξe / w'_e ≤ 1 for every alternative ξ, scaled to a sum of 1, should be no worse than w, as in the
multiplicative algorithms of optimal design. With multipliers α it is w'_e = sqrt(Σ_ξ α_ξ c_ξe), and α
maximises 2 Σ_e w'_e − Σ_ξ α_ξ. Nothing proven rests on it.
"""

from __future__ import annotations

import numpy as np

from pareto.limit.responses import Rows
from pareto.links import Reals

ITERATIONS = 100
FAINT = 1e-12
"""The smallest multiplier."""


def reweighted(mass: Reals, values: Reals, information: Rows, start: Reals) -> tuple[Reals, Reals]:
    """The step: shares (classes,), and multipliers α (n,) from `start` (n,).

    mass: (classes,) shares now. values (n,), information (n, classes): responses of n alternatives to them.
    """
    from scipy.optimize import minimize  # slow imports
    from scipy.sparse import diags_array

    scale = values.min()
    parts = (diags_array(scale / (values * values)) @ information @ diags_array(mass * mass)).tocsr()
    columns = parts.T.tocsr()

    def loss(multipliers: Reals) -> tuple[float, Reals]:
        root = np.sqrt(np.maximum(columns @ multipliers, 1e-300))
        return float(multipliers.sum() - 2 * root.sum()), 1 - parts @ (1 / root)

    found = minimize(
        loss,
        np.maximum(start, FAINT),
        jac=True,
        method="L-BFGS-B",
        bounds=[(FAINT, None)] * len(start),
        options={"maxiter": ITERATIONS, "maxcor": 30, "ftol": 1e-10, "gtol": 1e-6},
    )
    multipliers = np.asarray(found.x)
    moved = np.sqrt(columns @ multipliers)
    return moved / moved.sum(), multipliers
