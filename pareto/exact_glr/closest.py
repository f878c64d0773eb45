"""The closest of all alternatives to a frontier: exact, with a proven bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pareto.alternatives import Add, Alternative, Drop, drops
from pareto.exact_glr.assignments import CHEAPEST, Sets, Wanted, cheapest_assignments
from pareto.exact_glr.costs import Costs
from pareto.scores import Mask

ADDED = 1 - 2.0**-44
"""What is left of a sum over objectives when its additions have rounded up: far fewer than 256 of them."""


@dataclass(frozen=True)
class Near:
    """found: values and alternatives, cheapest first. lower: proven: no alternative at all costs less."""

    found: tuple[tuple[float, Alternative], ...]
    lower: float


def near(costs: Costs, frontier: Mask, wanted: Wanted = CHEAPEST, among: Mask | None = None) -> Near:
    """The closest alternative, and others if wanted. Two models or more have one.

    Of one model's adds only those that `wanted` asks for beside its cheapest. among: (K,) only adds of these
    models, and drops of two of them, where symmetry makes all others cost what one of those does.
    """
    rivals = tuple(np.flatnonzero(frontier).tolist())
    found: list[tuple[float, Alternative]] = []
    best = lower = np.inf
    for bound, candidate in sorted(_candidates(costs, frontier, among), key=lambda pair: pair[0]):
        limit = wanted.reach * best
        if bound > limit:
            lower = min(lower, bound)
            break
        if isinstance(candidate, Drop):
            proven, value = ratio_against(costs, candidate)
            found.append((value, candidate))
        else:
            placed = cheapest_assignments(costs, candidate, rivals, limit, wanted)
            proven = placed.lower
            found += [(cost, _add(costs, candidate, sets, rivals)) for cost, sets in placed.found]
            value = placed.found[0][0]
        lower, best = min(lower, proven), min(best, value)
        if best < wanted.enough:
            lower = min(lower, bound)
            break
    found.sort(key=lambda pair: pair[0])
    return Near(tuple(pair for pair in found if pair[0] <= wanted.reach * best), ADDED * lower)


def ratio_against(costs: Costs, alternative: Alternative) -> tuple[float, float]:
    """What one alternative costs: a proven lower bound, and an attained value."""
    parts = [
        costs.forced(r, alternative.top, forced_below(alternative, r)) for r in range(costs.theta.shape[1])
    ]
    return ADDED * sum(one.lower for one in parts), sum(one.value for one in parts)


def forced_below(alternative: Alternative, objective: int) -> tuple[int, ...]:
    """Whom an alternative puts below its top on one objective, in rising order."""
    return tuple(sorted(worse for _, worse in alternative.constraints(objective)))


def _candidates(costs: Costs, frontier: Mask, among: Mask | None) -> Iterator[tuple[float, Drop | int]]:
    """Drops, and models for adds, each with a bound on what it costs."""
    some = np.ones(len(frontier), dtype=np.bool_) if among is None else among
    together = costs.least.sum(axis=0)
    for drop in drops(frontier & some):
        yield float(together[drop.rival, drop.model]), drop
    rivals, others = np.flatnonzero(frontier), np.flatnonzero(~frontier & some)
    alone = costs.least.min(axis=0)[np.ix_(others, rivals)].max(axis=1)
    yield from zip(alone.tolist(), others.tolist(), strict=True)


def _add(costs: Costs, model: int, sets: Sets, rivals: tuple[int, ...]) -> Add:
    """With a place for those who are matched anyway: the objective where they are furthest behind."""
    moves = np.stack([costs.forced(r, model, below).moves for r, below in enumerate(sets)], axis=1)
    scores = (costs.theta + moves)[[model, *rivals]]
    place = (scores[0] - scores[1:]).argmax(axis=1)
    for r, below in enumerate(sets):
        place[np.isin(rivals, below)] = r
    return Add(model, rivals, tuple(place.tolist()))
