"""Which alternative is closest, judged by Fisher information: a quadratic stand-in (paper, appendix 10).

Where comparisons N have fitted scores θ̂, demanding θ_a ≥ θ_b on one objective although θ̂_a < θ̂_b costs
about

    h_ab = ((θ̂_b − θ̂_a)⁺)² / (2 (e_a − e_b)ᵀ I† (e_a − e_b)),   I = Σ_{i<j} N_ij p̂_ij (1 − p̂_ij)
                                                                       (e_i − e_j)(e_i − e_j)ᵀ,

in log-likelihood. A drop (p, q) is scored Σ_r h_qp,r. For an add of c, every rival p gets the objective
g(p) with the smallest h_cp,r, and the score is the largest of these smallest values: what meets one
constraint may meet others on the way, so they are not added up. That is a heuristic: the scores are neither
bounds of the likelihood ratio nor always in its order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.alternatives import Add, Alternative, Drop
from pareto.comparisons import Counts
from pareto.links import Reals, logistic
from pareto.pair_graph import PairGraph
from pareto.scores import Mask


def fisher_information(theta: Reals, counts: npt.ArrayLike) -> Reals:
    """I (..., d, K, K) of comparisons `counts` (..., d, K, K), symmetric, at scores `theta` (..., K, d)."""
    columns = np.moveaxis(theta, -1, -2)
    chance = logistic(columns[..., :, None] - columns[..., None, :])
    information: Reals = -(np.asarray(counts, dtype=np.float64) * chance * np.swapaxes(chance, -1, -2))
    diagonal = np.einsum("...ii->...i", information)
    diagonal[...] = 0.0
    diagonal[...] = -information.sum(axis=-1)
    return information


def resistances(information: Reals) -> Reals:
    """(e_a − e_b)ᵀ I† (e_a − e_b) (..., K, K) for weighted Laplacians I; inf where nothing links a and b."""
    models = information.shape[-1]
    flat = information.reshape(-1, models, models)
    level = np.einsum("nii->n", flat) / models
    # shifts have no curvature, and giving them some changes no difference of two scores
    level = np.where(level > 0, level, 1.0)[:, None, None]
    apart = ((flat == 0) & ~np.eye(models, dtype=np.bool_)).any(axis=(1, 2))
    group = np.zeros((len(flat), models), dtype=np.int64)
    for index in np.flatnonzero(apart).tolist():
        group[index] = PairGraph.of(np.maximum(-flat[index], 0.0)).group
    same = group[:, :, None] == group[:, None, :]
    inverse = np.linalg.inv(flat / level + same / models)
    own = np.einsum("nii->ni", inverse)
    found = (own[:, :, None] + own[:, None, :] - 2 * inverse) / level
    found = np.where(same, np.maximum(found, 0.0), np.inf)
    return np.asarray(found.reshape(information.shape), dtype=np.float64)


def fisher_scores(theta: Reals, counts: npt.ArrayLike) -> Reals:
    """h (..., d, K, K), [r, a, b] for demanding θ_a,r ≥ θ_b,r; 0 where the scores already meet it.

    theta: (..., K, d). counts: (..., d, K, K) comparisons of each pair, symmetric.
    """
    columns = np.moveaxis(theta, -1, -2)
    lead = np.maximum(columns[..., None, :] - columns[..., :, None], 0.0)
    twice = 2 * resistances(fisher_information(theta, counts))
    score: Reals = lead * lead / np.where(lead > 0, twice, 1.0)
    return score


@dataclass(frozen=True, eq=False)
class Screened:
    """The alternative with the smallest score in each of T cases; drops before adds where scores are equal.

    Attributes:
        score: (T,) its score; inf where the frontier has no alternative (a single model).
        dropped: (T,) the model that leaves, −1 for an add.
        top: (T,) who is at least as good as others: the rival of a drop, the model that an add lets in.
        below: (T, d, K) whom `top` is at least as good as, on each objective.
    """

    score: Reals
    dropped: Counts
    top: Counts
    below: Mask

    def alternative(self, case: int = 0) -> Alternative:
        """The alternative of one case as data."""
        top = int(self.top[case])
        if self.dropped[case] >= 0:
            return Drop(int(self.dropped[case]), top)
        objective, rival = np.nonzero(self.below[case])
        order = np.argsort(rival, kind="stable")
        return Add(top, tuple(rival[order].tolist()), tuple(objective[order].tolist()))


def screen(scores: Reals, frontier: Mask) -> Screened:
    """The closest alternative of each case by its score. scores: h (T, d, K, K). frontier: (T, K)."""
    cases, objectives, models, _ = scores.shape
    kept, each = np.asarray(frontier, dtype=np.bool_), np.arange(cases)
    drop = np.swapaxes(scores.sum(axis=1), 1, 2)  # [p, q]: q at least as good as p
    both = kept[:, :, None] & kept[:, None, :] & ~np.eye(models, dtype=np.bool_)
    drop = np.where(both, drop, np.inf).reshape(cases, -1)
    easiest = scores.argmin(axis=1)
    add = np.where(kept[:, None, :], scores.min(axis=1), -np.inf).max(axis=2)
    add = np.where(kept, np.inf, add)
    best_drop, best_add = drop.argmin(axis=1), add.argmin(axis=1)
    dropping = drop[each, best_drop] <= add[each, best_add]
    model, rival = np.divmod(best_drop, models)
    top = np.where(dropping, rival, best_add)
    below = np.zeros((cases, objectives, models), dtype=np.bool_)
    below[each[dropping], :, model[dropping]] = True
    case, p = np.nonzero(kept & ~dropping[:, None])
    below[case, easiest[case, top[case], p], p] = True
    return Screened(
        score=np.where(dropping, drop[each, best_drop], add[each, best_add]),
        dropped=np.where(dropping, model, -1),
        top=top,
        below=below,
    )
