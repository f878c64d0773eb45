"""Which models of a log stay, by rule (paper, appendix 9).

`clique`: as many models as possible of which every two have a decisive comparison on every objective. Of
equally many, those with most decisive comparisons among themselves; of those, the first by name. It is
stated as a `solvers.MaximumClique`, whose answers are checked exactly whichever back end gives them.

`connected`: as many models as possible that decisive comparisons link, however indirectly, on every
objective. Enough for a fit, not for win rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.result import Mask
from solvers import MaximumClique, SolverError, solve

RULES = ("clique", "connected")


@dataclass(frozen=True)
class Choice:
    """A set of models.

    Attributes:
        models: sorted names.
        proven: True if it was established exactly that no set is preferred to it.
        bound: no set is larger than this.
        backend: which solver found it; empty if none was needed.
    """

    models: tuple[str, ...]
    proven: bool
    bound: int
    backend: str

    def __len__(self) -> int:
        return len(self.models)

    @property
    def size(self) -> str:
        """Its size in words, with what is not proven said."""
        return f"{len(self)}" if self.proven or len(self) == self.bound else f"at least {len(self)}"


def candidates(decided: Counts) -> Mask:
    """(K,): models with a decisive comparison on every objective, from decided comparisons (d, K, K)."""
    return np.asarray((decided.sum(axis=2) > 0).all(axis=0))


def adjacency(decided: Counts, needed: int | None = None) -> Mask:
    """(K, K): pairs with a comparison in `decided` (d, K, K) on `needed` objectives, None for all."""
    met = (decided > 0).sum(axis=0) >= (len(decided) if needed is None else needed)
    return np.asarray(met & ~np.eye(decided.shape[1], dtype=np.bool_))


def clique_problem(decided: Counts, names: Sequence[str], needed: int | None = None) -> MaximumClique:
    """The problem to be solved, of the candidates; with `needed`, pairs need so many objectives only."""
    who = np.flatnonzero(candidates(decided)) if needed is None else np.arange(len(names))
    edges = adjacency(decided, needed)[np.ix_(who, who)]
    weights = np.where(edges, decided.sum(axis=0)[np.ix_(who, who)], 0)
    return MaximumClique(edges, weights, tuple(names[i] for i in who.tolist()))


def clique(
    decided: Counts,
    names: Sequence[str],
    *,
    needed: int | None = None,
    backend: str = "auto",
    time_limit: float | None = None,
) -> Choice:
    """The preferred clique; arguments as of `clique_problem` and `solvers.solve`."""
    problem = clique_problem(decided, names, needed)
    try:
        found = solve(problem, backend, time_limit)
    except SolverError as error:
        raise BattleError(f"retention: {error}") from error
    if found.x is None:
        raise BattleError(
            f"retention: back end {found.backend!r} gave no set of models "
            f"({found.reason or found.status.value}); take another back end or a longer time limit"
        )
    names_kept = sorted(problem.names[i] for i in np.flatnonzero(found.x).tolist())
    bound = len(names_kept) if found.proven else int(found.bound or problem.n)
    return Choice(tuple(names_kept), found.proven, bound, found.backend)


def connected(decided: Counts, names: Sequence[str]) -> Choice:
    """The preferred set that is connected on every objective.

    Two such sets with a common model have a connected union, so the largest ones are found by splitting:
    a set that falls apart on some objective is replaced by its pieces, until none does.
    """
    pieces, whole = [np.arange(len(names))], []
    while pieces:
        part = pieces.pop()
        for met in decided:
            count, label = connected_components(met[np.ix_(part, part)] > 0, directed=False)
            if count > 1:
                pieces.extend(part[label == number] for number in range(count))
                break
        else:
            whole.append(part)
    total = decided.sum(axis=0)
    ranked = sorted(
        (-len(part), -int(total[np.ix_(part, part)].sum()), sorted(names[i] for i in part.tolist()))
        for part in whole
    )
    best = tuple(ranked[0][2]) if ranked else ()
    return Choice(best, True, len(best), "")
