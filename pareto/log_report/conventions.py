"""Strict dominance beside the weak convention that most other software uses, on one target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.frontier import dominates, frontier
from pareto.result import Mask
from pareto.targets import Target

WHY = (
    "strict dominance asks for a rival that is better on every objective, so a tie on one protects a model; "
    "the weak convention asks for one that is at least as good everywhere and better somewhere, so a tie "
    "does not protect"
)


@dataclass(frozen=True, eq=False)
class Weak:
    """The weak frontier (K,), and for each model that only the strict one keeps a rival that removes it.

    tied: objectives on which the two are equal.
    """

    frontier: Mask
    lost: tuple[Lost, ...]


@dataclass(frozen=True)
class Lost:
    """A model that the weak convention drops, and why; positions, and names of the objectives."""

    model: int
    rival: int
    tied: tuple[str, ...]


def weak_frontier(found: Target) -> Weak:
    """The weak frontier of a target; ties are those of the target, exact where its scores are."""
    places = found.rank
    kept = frontier(places, weak=True)
    rivals = dominates(places, weak=True)
    lost = []
    for model in np.flatnonzero(found.frontier & ~kept).tolist():
        # one that is kept itself: a chain of dominators ends with it
        rival = int(np.flatnonzero(rivals[:, model] & kept)[0])
        tied = np.flatnonzero(places[rival] == places[model]).tolist()
        lost.append(Lost(model, rival, tuple(found.objectives[r] for r in tied)))
    return Weak(kept, tuple(lost))
