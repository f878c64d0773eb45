"""The information limit: how few comparisons any method can need, and which (beyond the paper).

On an instance θ whose frontier is P, a δ-correct method needs T*·kl(1 − δ, δ) comparisons or more on average,
kl the divergence of two coins, with

    1 / T* = max over allocations w of the least Σ_ijr w_ijr kl(p_ijr(θ), p_ijr(λ)) over alternatives λ,

all scores with another frontier (Garivier & Kaufmann 2016). It holds for every method that is right with
probability 1 − δ on all Bradley–Terry instances, and says nothing of methods that promise nothing.
Comparisons of two models inform about others that have met either, so an optimal allocation is not one of
direct comparisons alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.alternatives import Alternative
from pareto.bounds import bernoulli_kl
from pareto.errors import BattleError
from pareto.exact_glr import Wanted
from pareto.exact_glr.checks import as_moved, as_number, as_pairs, as_whole
from pareto.frontier import frontier
from pareto.limit.cells import Cells
from pareto.limit.direct import direct_needs
from pareto.limit.search import HABITS, Habits, Search
from pareto.links import Reals
from pareto.task import check_delta

__all__ = ["Limit", "information_limit", "optimal_allocation"]

TOLERANCE = 0.01
STEPS = 80
WIDEST = 20.0
"""Largest range of scores on an objective: beyond it comparisons are certain, all but one in 10^9."""
CLOSEST = 1e-60
"""Smallest difference of scores that are not equal."""
EVEN, ROUGHLY_EVEN = 0.4, 0.1
"""Share of the first allocation that is spread evenly, and of one for few steps; the rest is direct."""
ROUGH = Habits(wanted=Wanted(reach=3.0, spread=0.2, most=3, nodes=50))


@dataclass(frozen=True, eq=False)
class Limit:
    """T* between two proven bounds.

    Attributes:
        low, high: T* is at least `low` (a mixture of alternatives) and at most `high` (`weights` reach it).
            Both are inf if equal scores leave the frontier without a distance from another one.
        weights: (d, K, K) symmetric: shares of all comparisons, summing to 1 over pairs i < j.
        hardest: the alternatives that prove `low`, with their shares, largest first. Where symmetry makes
            others equal, one stands for all.
        steps: allocations that were looked at.
        seconds: time it took.
    """

    low: float
    high: float
    weights: Reals
    hardest: tuple[tuple[Alternative, float], ...]
    steps: int
    seconds: float

    @property
    def gap(self) -> float:
        """By which share the bounds differ; 0 where both are inf."""
        return self.high / self.low - 1 if np.isfinite(self.low) else 0.0

    def comparisons(self, delta: float) -> tuple[float, float]:
        """Bounds on T*·kl(1 − δ, δ), for δ < ½."""
        check_delta(delta)
        if delta >= 0.5:
            raise BattleError(f"delta is {delta}; below 0.5 is accepted: beyond it guessing may be enough")
        factor = bernoulli_kl(1 - delta, delta)
        return self.low * factor, self.high * factor


def information_limit(
    theta: npt.ArrayLike,
    *,
    direct: bool = False,
    tolerance: float = TOLERANCE,
    steps: int = STEPS,
    seconds: float | None = None,
    advance: Callable[[float, float], None] = lambda low, high: None,
) -> Limit:
    """Bounds on T* for latent scores theta (K, d), natural-log odds, and an allocation.

    direct: only pairs with a frontier model may be compared, as in methods that count direct comparisons.
    Stops when the bounds differ by at most the share `tolerance`, after `steps` allocations, or with the one
    at which `seconds` have passed (its linear program is cut short). advance: called with both bounds on T*
    after every step. Raises `BattleError` for scores too far apart or too close together, a `tolerance` or
    `seconds` below 0, and `steps` below 1.
    """
    began = time.perf_counter()
    latent = _checked(theta)
    as_number(tolerance, "tolerance", 0)
    as_whole(steps, "steps", 1)
    if seconds is not None:
        as_number(seconds, "seconds", 0)
    search = _begun(latent, direct)
    if search is None:
        spread = np.ones((latent.shape[1], *[len(latent)] * 2)) - np.eye(len(latent))
        return Limit(np.inf, np.inf, 2 * spread / spread.sum(), (), 0, time.perf_counter() - began)
    if seconds is not None:
        search.ends = began + seconds
    while True:
        search.step()
        low, high = 1 / search.bound, 1 / search.reached if search.reached else np.inf
        advance(low, high)
        late = seconds is not None and time.perf_counter() - began >= seconds
        if search.gap <= tolerance or search.steps >= steps or late:
            break
    shares: dict[Alternative, float] = {}
    for alternative, share in search.mixture:
        shares[alternative] = shares.get(alternative, 0.0) + share
    hardest = tuple(sorted(shares.items(), key=lambda pair: -pair[1]))
    weights = search.cells.weights(search.mass)
    return Limit(low, high, weights, hardest, search.steps, time.perf_counter() - began)


def optimal_allocation(theta: npt.ArrayLike, steps: int = 4, start: Reals | None = None) -> Reals:
    """Shares (d, K, K), symmetric, near the optimal ones after a few steps, for scores that are estimates.

    start: (d, K, K) shares that may be close, those of earlier estimates for example; symmetric, in any unit.
    Where equal scores leave no optimum, all cells get the same. Raises `BattleError` for scores as
    `information_limit` does, `steps` below 0, and shares of another shape, below 0 or all 0.
    """
    latent = _checked(theta)
    as_whole(steps, "steps", 0)
    if start is not None:
        models, objectives = latent.shape
        start = as_pairs(start, "start", (objectives, models, models))
        total = float(start[:, ~np.eye(models, dtype=np.bool_)].sum())
        if not 0 < total < np.inf:
            raise BattleError(
                f"start sums to {total:g} over pairs; shares are accepted, some above 0, or None for no start"
            )
    search = _begun(latent, False, start, ROUGHLY_EVEN, ROUGH)
    if search is None:
        spread = np.ones((latent.shape[1], *[len(latent)] * 2)) - np.eye(len(latent))
        return np.asarray(2 * spread / spread.sum())
    for _ in range(steps):
        search.step()
    return search.cells.weights(search.mass)


def _begun(
    theta: Reals, direct: bool, start: Reals | None = None, even: float = EVEN, habits: Habits = HABITS
) -> Search | None:
    """A search at its first allocation; None where some alternative has no distance."""
    kept = frontier(theta)
    needs = direct_needs(theta, kept)
    if not np.isfinite(needs).all():
        return None
    cells = Cells.of(theta, kept if direct else None)
    mass = cells.total(needs if start is None else start)
    mass = (1 - even) * mass / mass.sum() + even * cells.even
    return Search(theta, cells, mass, 2 / float(needs.sum()), habits)


def _checked(theta: npt.ArrayLike) -> Reals:
    latent = as_moved(theta)
    ordered = np.diff(np.sort(latent, axis=0), axis=0)
    closest = float(ordered[ordered > 0].min(initial=np.inf))
    if closest < CLOSEST:
        raise BattleError(
            f"scores that differ by {closest:.3g}; {CLOSEST:g} at least is accepted, or make them equal: "
            "information goes with the square, which is lost in rounding"
        )
    widest = float(np.ptp(latent, axis=0).max())
    if widest > WIDEST:
        raise BattleError(
            f"scores of an objective range over {widest:.6g}; up to {WIDEST:g} is accepted, as latent scores "
            "are natural-log odds: divide Elo ratings by 174 (400 / ln 10)"
        )
    return latent
