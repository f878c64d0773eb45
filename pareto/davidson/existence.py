"""Whether a Davidson likelihood has a maximum, and which outcomes stand in its way.

The likelihood is concave, so it lacks a maximum exactly when along some direction it never falls and
somewhere rises: when, with x the change of the half lead of i on j and h that of their tie weight, every
outcome a pair has had changes by no less than any other outcome of that pair,

    i won, lost and tied:  x = h = 0        both won, no tie:  x = 0 ≥ h        only ties:  h ≥ |x|
    i won and tied:        x = h ≥ 0        only i won:        x ≥ 0, x ≥ h

and not all changes are 0. This is a cone in (θ, V), and a linear program finds its largest sum of slacks,
each cut at 1: 0, or at least 1. It is small, for models that beat each other, however indirectly by such
mutual pairs, share one change, and pairs with all three outcomes leave the tie weights few directions,
mostly none.

Where all changes are 0 for observed pairs only, the maximum is not unique: pairs that never met have open tie
weights, or groups of models never met at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.sparse.csgraph import connected_components

from pareto.davidson.factored_weights import RANK, Index
from pareto.davidson.tie_spaces import TieSpace
from pareto.links import Reals
from pareto.pair_graph import SHOWN, PairGraph
from pareto.result import Mask

NO_TIE, NO_LOSS, ONLY_TIES = range(3)
"""What never happened to a pair."""
SAID = ("{0} and {1} never tied", "{1} never beat {0}", "{0} and {1} only tied")
NOBODY, NOTHING = np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)
RISE = 0.5
"""A slack of the linear program is 0 or, at some scale, 1."""


@dataclass(frozen=True, eq=False)
class Maximum:
    """What is known about the maximum of one objective's likelihood.

    Attributes:
        runaways: (pairs, 2) pairs with an outcome that never happened and becomes impossible on the way up.
        never: (pairs,) for each of them what that is: `NO_TIE`, `NO_LOSS` (of the first to the second) or
            `ONLY_TIES`.
        groups: (K,) models linked by comparisons, however indirectly, share a number.
        tied, decided: True if there is any tie, any win.
        open_weights: independent directions of tie weights that no comparison informs.
        doubt: why the linear program gave no answer, if it gave none; then no maximum is claimed.
    """

    runaways: Index
    never: Index
    groups: Index
    tied: bool
    decided: bool
    open_weights: int
    doubt: str

    @property
    def exists(self) -> bool:
        """True if the likelihood attains its supremum."""
        return not len(self.runaways) and not self.doubt

    @property
    def unique(self) -> bool:
        """True if it does so at one θ, up to a common shift, and at one choice of tie weights."""
        return self.exists and bool((self.groups == self.groups[0]).all()) and not self.open_weights

    def trouble(self, models: Sequence[str], objective: str) -> str:
        """What stands in the way of a unique maximum, by name; empty if nothing."""
        parts = []
        if not self.tied and not self.decided:
            return f"objective {objective!r}: no comparison"
        if not self.tied:
            parts.append("no ties, so tie weights run to −∞")
        if not self.decided:
            parts.append("nothing but ties, so tie weights run to +∞")
        told = NO_TIE if not self.tied else ONLY_TIES if not self.decided else -1
        rest = self.never != told
        if rest.any():
            parts.append(f"the likelihood rises for ever, for {self._listed(models, rest)}")
        if self.doubt:
            parts.append(f"whether the likelihood has a maximum was not decided ({self.doubt})")
        count = len(np.unique(self.groups))
        if count > 1:
            parts.append(f"{count} groups of models never met")
        if self.open_weights:
            parts.append(f"pairs that never met leave {self.open_weights} directions of tie weights open")
        return f"objective {objective!r}: " + "; ".join(parts) if parts else ""

    def _listed(self, models: Sequence[str], which: Mask) -> str:
        pairs, never = self.runaways[which], self.never[which]
        shown = zip(pairs[:SHOWN].tolist(), never[:SHOWN].tolist(), strict=True)
        texts = [SAID[kind].format(models[i], models[j]) for (i, j), kind in shown]
        more = len(pairs) - SHOWN
        return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def find_maximum(wins: Reals, ties: Reals, space: TieSpace) -> Maximum:
    """Decide for one objective: wins (K, K), ties (K, K) symmetric."""
    observed = (wins + wins.T + ties) > 0
    runaways, never, doubt = _runaways(wins, ties, space)
    return Maximum(
        runaways=runaways,
        never=never,
        groups=PairGraph.of(observed.astype(np.float64)).group,
        tied=bool(ties.any()),
        decided=bool(wins.any()),
        open_weights=_unseen(space, observed).shape[1],
        doubt=doubt,
    )


def _unseen(space: TieSpace, pairs: Mask) -> Reals:
    """(r, q) a basis of the coordinates that change no tie weight of these pairs (K, K)."""
    upper, pivots, rank, _ = dpstrf(space.curvature(pairs.astype(np.float64)).T, tol=RANK)
    order = pivots - 1
    basis = np.zeros((space.dimensions, space.dimensions - rank))
    basis[order[rank:], np.arange(basis.shape[1])] = 1.0
    if rank and basis.size:
        basis[order[:rank]] = -solve_triangular(upper[:rank, :rank], upper[:rank, rank:])
    return basis


def _runaways(wins: Reals, ties: Reals, space: TieSpace) -> tuple[Index, Index, str]:
    """Pairs (n, 2) whose changes can be strictly favourable, what then never happens (n,), and any doubt."""
    mutual = (wins > 0) & (wins.T > 0)
    parts, part = connected_components(mutual, directed=False)
    free = _unseen(space, mutual & (ties > 0))  # what pairs with all outcomes leave free
    if parts == 1 and not free.shape[1]:
        return NOBODY, NOTHING, ""
    return _program(wins, ties, np.eye(parts)[part], free, space)


def _program(
    wins: Reals, ties: Reals, parts: Reals, free: Reals, space: TieSpace
) -> tuple[Index, Index, str]:
    """`_runaways` in scores of parts (K, parts), which share one, and directions `free` (r, q)."""
    from scipy.optimize import linprog

    first, second = (index.astype(np.int64) for index in np.nonzero(np.triu(wins + wins.T + ties)))
    swapped = wins[first, second] < wins[second, first]
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    won, lost = wins[first, second] > 0, wins[second, first] > 0
    tied = ties[first, second] > 0
    only = won & ~lost
    weight = np.hstack((np.zeros((len(first), parts.shape[1])), space.rows(first, second) @ free))
    lead = np.hstack(((parts[first] - parts[second]) / 2, np.zeros((len(first), free.shape[1]))))
    rises = (
        (-weight, lost & ~tied, NO_TIE),
        (lead, only, NO_LOSS),
        (lead - weight, only & ~tied, NO_TIE),
        (weight - lead, ~won, ONLY_TIES),
        (weight + lead, ~won, ONLY_TIES),
    )
    pair = np.concatenate([np.flatnonzero(chosen) for _, chosen, _ in rises])
    kind = np.concatenate([np.full(np.count_nonzero(chosen), never) for _, chosen, never in rises])
    slack = np.vstack([rows[chosen] for rows, chosen, _ in rises])
    still = (lead - weight)[only & tied]
    width, count = slack.shape[1], len(pair)
    program: Any = linprog  # its stubs do not know what `repeat` returns
    found = program(
        np.repeat((0.0, -1.0), (width, count)),
        A_ub=np.hstack((-slack, np.eye(count))),
        b_ub=np.zeros(count),
        A_eq=np.hstack((still, np.zeros((len(still), count)))),
        b_eq=np.zeros(len(still)),
        bounds=np.repeat(((-np.inf, np.inf), (0.0, 1.0)), (width, count), axis=0),
        method="highs",
    )
    if found.status != 0:
        return NOBODY, NOTHING, str(found.message)
    rising = found.x[width:] > RISE
    told = np.unique(np.stack((kind, first[pair], second[pair]))[:, rising], axis=1)
    return np.ascontiguousarray(told[1:].T), told[0], ""
