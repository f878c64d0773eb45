"""Claims in line, and what error each may make, so that all claims together err with probability at most δ.

There are K² claims: that j dominates i, for every i and j, which contradicts "i is on the frontier", and
that i is on the frontier, which contradicts "i is dominated". Let H be these 2K statements; K of them are
true. They stand in line in an order fixed in advance. δ enters at the head: every open claim keeps half of
what comes its way and passes on half, and what is left at the end is dealt out in the same proportions, so
that all of it is kept somewhere. A part `1 − walk` of δ is not sent along but spread in fixed proportions
over the open claims. A claim closes when it has been made, and so do the other claims that contradict the
same statement, of which nothing is left to say. With fewer claims open, no open claim gets less.

*Proof.* Let α_h(R) be what the claims against h ∈ H get when the claims against R ⊂ H have been made. α_h
grows with R, and Σ α_h(R) = δ over h not in R. If a true statement is ever contradicted, consider the first
one, h: up to then R has false statements only, so h was contradicted at a level of at most α_h(F), F being
all false ones. A statement is contradicted at level α with probability at most α if it is true (next
paragraph). The sum of α_h(F) over true h is δ. (This is a sequentially rejective graphical test; Bretz et
al. 2009, Goeman and Solari 2010.) ∎

*Levels.* Let a_ij be the level of the claim that j dominates i, Σ_j a_ij = α. It is made if on every
objective j leads by so much that chance would do so with probability at most a_ij if j were no better. If i
is on the frontier, each j is no better on some objective, which depends on j only, so j does it with
probability at most a_ij, and some j with probability at most α: no factor for the number of objectives.
Model i is said to be on the frontier if against every j not yet said to be dominated some test of "j is
better than i on every objective" is significant, level α divided over tests. If i is dominated, then by
some j on the frontier, fixed once and for all, and since up to then only false statements were
contradicted, j is among them: at most α, and no factor for the number of rivals.

The guarantee is for what is said of the models. That the very j named dominates i is shown at the level
spent on it: for each i by itself, not for all together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pareto.certainty.tails import Index
from pareto.links import Reals
from pareto.result import Mask

WALK = 0.9
"""Part of δ sent along the line where outside comparisons give an order."""
KEPT = 0.5
"""Part of what comes its way that an open claim keeps. It and `WALK` were set by how many models may be
expected to be decided in logs drawn by outside comparisons; see `tests/benchmarks/pareto_certainty.py`."""
FRONTIER_SHARE = 0.25
"""Part of the rest for claims that a model is on the frontier."""


@dataclass(frozen=True, eq=False)
class Line:
    """Claims (n,) in the order of the line.

    Attributes:
        model: whom the claim is about.
        witness: who dominates it, −1 if it is said to be on the frontier.
        spread: positive numbers in proportion to which the rest of δ is spread.
        walk: part of δ sent along.
    """

    model: Index
    witness: Index
    spread: Reals
    walk: float

    @property
    def dominated(self) -> Mask:
        """(n,) True for claims that a model is dominated."""
        return self.witness >= 0

    def log_levels(self, delta: float, waiting: Mask) -> Reals:
        """(n,) log level of every open claim, `waiting` (n,); −∞ for the others."""
        found = np.full(len(self.model), -np.inf)
        count = int(waiting.sum())
        if not count:
            return found
        rest = (1 - self.walk) * self.spread[waiting] / self.spread[waiting].sum()
        with np.errstate(divide="ignore"):
            found[waiting] = np.log(rest)
            if self.walk:
                whole = -math.expm1(count * math.log1p(-KEPT))
                along = math.log(self.walk * KEPT / whole) + np.arange(count) * math.log1p(-KEPT)
                found[waiting] = np.logaddexp(along, found[waiting])
        return found + math.log(delta)


def line(dominated: Reals, frontier: Reals, informed: bool) -> Line:
    """The line in the order of prospects: dominated (K, K), row by column, and frontier (K,), highest first.

    informed: False if prospects mean nothing, and all of δ is spread.
    """
    models = len(frontier)
    first, second = np.nonzero(~np.eye(models, dtype=np.bool_))
    prospect = np.concatenate([dominated[first, second], frontier])
    model = np.concatenate([first, np.arange(models)])
    witness = np.concatenate([second, np.full(models, -1)])
    rejections = (1 - FRONTIER_SHARE) / max(len(first), 1)
    spread = np.concatenate([np.full(len(first), rejections), np.full(models, FRONTIER_SHARE / models)])
    order = np.argsort(-prospect, kind="stable")
    return Line(model[order], witness[order], spread[order], WALK if informed else 0.0)
