"""How much a session still needs, if its present estimates were the truth.

An estimate, not a promise: Bradley–Terry scores are fitted to what is known, and complete runs of the method
are simulated on them. Early on, estimates are shrunk towards equality, and so the forecast is rather high.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.bradley_terry import fit
from pareto.errors import BattleError
from pareto.trials import simulate

if TYPE_CHECKING:
    from pareto.session.session import Session

SHRINKAGE = 1.0
"""Ridge of the fit: as strong as a normal prior with standard deviation 1."""
MOST = 10**12
"""A simulated run is cut here: estimates that tie would need for ever."""


def forecast_record(session: Session, runs: int, seed: int) -> dict[str, Any]:
    """Further comparisons in simulated runs: median, 10 % and 90 % quantiles, and how many were cut.

    A quantile is None where it lies among runs that were cut.
    """
    votes = np.ascontiguousarray(np.moveaxis(session.state.votes, 2, 0))
    if not votes.any():
        raise BattleError("a forecast needs outcomes; before the first ones, use pareto plan")
    theta = np.ascontiguousarray(fit(votes, SHRINKAGE).theta.T)
    task = session.setup.task
    cap = MOST if task.max_comparisons is None else task.max_comparisons
    found = simulate(
        session.setup.method,
        theta,
        runs,
        seed,
        delta=task.delta,
        max_comparisons=cap,
        margin=task.margin,
    )
    scale = len(task.objectives) if task.joint else 1
    total = found.comparisons / scale
    left = np.maximum(total - session.comparisons, session.state.outstanding)
    left = np.where(found.stopped, left, np.inf)  # a cut run says no more than that it takes longer
    low, middle, high = np.quantile(left, (0.1, 0.5, 0.9), method="inverted_cdf").tolist()
    return {
        "runs": runs,
        "median": _whole(middle),
        "low": _whole(low),
        "high": _whole(high),
        "cut": int((~found.stopped).sum()),
        "cut_at": cap,
    }


def forecast_line(record: dict[str, Any]) -> str:
    """The forecast in a sentence."""
    runs, cut = record["runs"], record["cut"]
    undecided = f"{cut} of {runs} simulated runs did not decide within {record['cut_at']:,} comparisons"
    if record["median"] is None:
        return (
            f"If present estimates were the truth: no number can be given. {undecided}; models that "
            "tie are never told apart"
        )
    high = "more than can be said" if record["high"] is None else f"{record['high']:,}"
    return (
        f"If present estimates were the truth: about {record['median']:,} more comparisons "
        f"({record['low']:,} to {high} in 80 % of {runs} simulated runs)" + (f"; {undecided}" if cut else "")
    )


def _whole(value: float) -> int | None:
    return int(value) if math.isfinite(value) else None
