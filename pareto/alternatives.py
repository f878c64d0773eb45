"""What another frontier would need: alternatives to a frontier, as data (paper, appendix 10).

Let P be the strict frontier of the scores. Scores whose frontier is another one meet all constraints of at
least one alternative:

* `Drop(p, q)`, p and q in P: q is at least as good as p on every objective, so p leaves.
* `Add(c, rivals, objectives)`, c outside P, rivals all of P: c is at least as good as rival k on objective
  `objectives[k]`, so nobody in P dominates c. There are d^|P| for each c.

For if p leaves, a chain of models, each strictly dominating the one before, ends in one that nobody
dominates: either it is in P, which is a drop, or it is outside P and not dominated, which is an add; and if
only models join, that is an add. Scores at which a constraint holds with equality may still have frontier P:
alternatives are closed sets.

The constraints of one alternative on one objective have the shape of a star: one model, `top`, is at least as
good as each of some others. All alternatives are polytopes of scores, one an objective, in the language of
`solvers.OrderedBradleyTerry`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError
from pareto.scores import Mask
from solvers import OrderedBradleyTerry

Order = tuple[tuple[int, int], ...]
"""Pairs (better, worse): θ_better ≥ θ_worse."""


@dataclass(frozen=True, slots=True)
class Drop:
    """`model`, on the frontier, leaves it: `rival`, also there, is at least as good on every objective."""

    model: int
    rival: int

    @property
    def top(self) -> int:
        """The model that is at least as good as others, on every objective."""
        return self.rival

    def constraints(self, objective: int) -> Order:
        """Pairs (better, worse) demanded on this objective: the same one on all of them."""
        return ((self.rival, self.model),)


@dataclass(frozen=True, slots=True)
class Add:
    """`model` joins the frontier: it is at least as good as `rivals[k]` on objective `objectives[k]`.

    rivals: the whole frontier; objectives: the paper's g, an entry for each of them.
    """

    model: int
    rivals: tuple[int, ...]
    objectives: tuple[int, ...]

    @property
    def top(self) -> int:
        """The model that is at least as good as others, each on its objective."""
        return self.model

    def constraints(self, objective: int) -> Order:
        """Pairs (better, worse) demanded on this objective; there may be none."""
        return tuple(
            (self.model, rival)
            for rival, at in zip(self.rivals, self.objectives, strict=True)
            if at == objective
        )


Alternative = Drop | Add


def drops(frontier: Mask) -> Iterator[Drop]:
    """All |P|(|P| − 1) drops, by model, then by rival. frontier: (K,) bool."""
    kept = np.flatnonzero(frontier).tolist()
    return (Drop(p, q) for p in kept for q in kept if p != q)


def adds(frontier: Mask, objectives: int, model: int | None = None) -> Iterator[Add]:
    """All adds of `model`, or of every model outside the frontier: d^|P| each, the last rival's g fastest."""
    kept = tuple(np.flatnonzero(frontier).tolist())
    others = np.flatnonzero(~np.asarray(frontier)).tolist() if model is None else [model]
    return (Add(c, kept, g) for c in others for g in product(range(objectives), repeat=len(kept)))


def alternatives(frontier: Mask, objectives: int) -> Iterator[Alternative]:
    """Every alternative, drops first; `how_many` says how long this is."""
    yield from drops(frontier)
    yield from adds(frontier, objectives)


def how_many(frontier: Mask, objectives: int) -> int:
    """|P|(|P| − 1) + (K − |P|)·d^|P|."""
    kept = int(np.count_nonzero(frontier))
    return kept * (kept - 1) + (len(frontier) - kept) * int(objectives**kept)


def problem(
    alternative: Alternative, objective: int, wins: npt.ArrayLike, box: float = 2.0
) -> OrderedBradleyTerry:
    """The best fit on one objective that the alternative allows, as a problem for `solvers.solve`.

    wins: (d, K, K), row over column. Its optimum minus that of `free_problem`, summed over objectives, is
    minus the generalised log-likelihood ratio against this alternative.
    """
    return OrderedBradleyTerry(_objective(wins, objective), alternative.constraints(objective), box)


def free_problem(objective: int, wins: npt.ArrayLike, box: float = 2.0) -> OrderedBradleyTerry:
    """The best fit on one objective, within the box only. wins: (d, K, K)."""
    return OrderedBradleyTerry(_objective(wins, objective), (), box)


def _objective(wins: npt.ArrayLike, objective: int) -> npt.NDArray[np.float64]:
    given = np.asarray(wins)
    if given.ndim != 3 or not 0 <= objective < len(given):
        raise BattleError(
            f"wins of shape {given.shape}, objective {objective}; wins (objectives, models, models), row "
            "over column, and an objective among them are accepted"
        )
    return np.asarray(given[objective], dtype=np.float64)
