"""The independent parts of all Borda differences on one objective, put so that they add up by model.

A comparison that depends on no other counts for 1/n in a difference, with n comparisons in its cell, and for
2/n in the difference of its own two models. Comparisons of one cluster that concern either model of a
difference are one part together, of unknown law, which counts for up to their sum. A sum over parts is then
one number for each of the two models, corrected for the parts that concern both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pareto.certainty.sample import Sample, Votes
from pareto.certainty.tails import Index, bundle, single
from pareto.comparisons import Counts
from pareto.links import Reals

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class Bundles:
    """Clusters of several comparisons.

    Attributes:
        model, range: (b,) those that concern one model, and what they count for.
        pair, joint, sign: (m,) what to add (+1) or take away (−1) for models i and j, at i·K + j and j·K + i.
    """

    model: Index
    range: Reals
    pair: Index
    joint: Reals
    sign: Reals

    def sums(self, rate: float, first: Index, second: Index, models: int) -> Reals:
        """(m,): Σ g(rate·a, 0) over the bundles that concern `first` or `second` (m,)."""
        each = np.bincount(self.model, bundle(rate * self.range), models)
        both = np.bincount(self.pair, self.sign * bundle(rate * self.joint), models * models)
        return np.asarray(each[first] + each[second] + both[first * models + second], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Units:
    """Attributes:

    sizes: (U,) the different numbers of comparisons in a cell.
    place: (K, K) position of each cell's number in `sizes`; any if the cell is empty.
    alone: (K, U) single parts of every model, by the size of their cells.
    direct: (K, K) single parts that are a comparison of the two models.
    shared: (K·K, U) single parts of either model, i·K + j, that are not so in the difference of both.
    bundles: the other parts, None if there are none.
    halves: True if a comparison may give half a point.
    """

    sizes: Reals
    place: Index
    alone: Reals
    direct: Reals
    shared: csr_matrix
    bundles: Bundles | None
    halves: bool
    _known: dict[float, tuple[Reals, Reals]] = field(default_factory=dict)

    def plain(self, rate: float, first: Index, second: Index) -> Reals:
        """(m,): Σ g(rate·a, 0) over the parts of the differences of `first` and `second` (m,)."""
        found = self._added(bundle(rate / self.sizes), bundle(2 * rate / self.sizes), first, second)
        return found + self._bundled(rate, first, second)

    def damped(self, rate: float, first: Index, second: Index) -> Reals:
        """(m, cells): Σ g(rate·a, y) over single parts and g(rate·a, 0) over bundles."""
        if rate not in self._known:
            once = single(rate / self.sizes, self.halves)
            self._known[rate] = once, single(2 * rate / self.sizes, self.halves)
        return self._added(*self._known[rate], first, second) + self._bundled(rate, first, second)[:, None]

    def _added(self, once: Reals, twice: Reals, first: Index, second: Index) -> Reals:
        each = self.alone @ once
        found = each[first] + each[second] - self.shared[first * len(each) + second] @ once
        number = self.direct[first, second].reshape(-1, *(1,) * (once.ndim - 1))
        return np.asarray(found + number * twice[self.place[first, second]], dtype=np.float64)

    def _bundled(self, rate: float, first: Index, second: Index) -> Reals:
        if self.bundles is None:
            return np.zeros(len(first))
        return self.bundles.sums(rate, first, second, len(self.alone))


def units(sample: Sample, objective: int) -> Units:
    """The parts of the differences on one objective."""
    total = sample.total[objective]
    sizes, place = _sizes(total)
    if sample.votes is None:
        return _independent(total, sizes, place, sample.halves)
    return _clustered(sample.votes, objective, total, sizes, place, sample.halves)


def _sizes(total: Counts) -> tuple[Reals, Index]:
    sizes = np.unique(total[total > 0])
    if not len(sizes):
        sizes = np.ones(1, dtype=np.int64)
    place = np.minimum(np.searchsorted(sizes, total), len(sizes) - 1)
    return sizes.astype(np.float64), np.asarray(place, dtype=np.int64)


def _independent(total: Counts, sizes: Reals, place: Index, halves: bool) -> Units:
    alone = np.zeros((len(total), len(sizes)))
    np.add.at(alone, (np.arange(len(total))[:, None], place), total)
    pair = np.flatnonzero(total)
    shared = _sparse(pair, place.ravel()[pair], (2.0 * total.ravel()[pair]), len(total), len(sizes))
    return Units(sizes, place, alone, total.astype(np.float64), shared, None, halves)


def _clustered(
    votes: Votes, objective: int, total: Counts, sizes: Reals, place: Index, halves: bool
) -> Units:
    here = votes.objective == objective
    size = len(total)
    one, other = votes.first[here], votes.second[here]
    model, rival = np.concatenate([one, other]), np.concatenate([other, one])
    key = np.tile(votes.cluster[here], 2) * size + model
    # a group: all comparisons of one cluster that concern one model
    keys, at, group = np.unique(key, return_index=True, return_inverse=True)
    lone = np.bincount(group, minlength=len(keys)) == 1
    worth = np.bincount(group, 1 / total[model, rival], len(keys))
    model, rival = model[at], rival[at]
    slot = place[model, rival]
    alone = np.zeros((size, len(sizes)))
    np.add.at(alone, (model[lone], slot[lone]), 1)

    left, right = _within(keys // size)
    same = lone[left] & lone[right] & (rival[left] == model[right])
    direct = np.zeros((size, size))
    np.add.at(direct, (model[left[same]], model[right[same]]), 1)

    pair = model[left] * size + model[right]
    ends = np.concatenate([left, right])  # of either model what was counted for it alone
    pairs = np.tile(pair, 2)
    undo = lone[ends]
    joint = ~same
    again = ~undo
    bundles = Bundles(
        model=model[~lone],
        range=worth[~lone],
        pair=_both(np.concatenate([pair[joint], pairs[again]]), size),
        joint=np.tile(np.concatenate([(worth[left] + worth[right])[joint], worth[ends[again]]]), 2),
        sign=np.tile(np.concatenate([np.ones(int(joint.sum())), -np.ones(int(again.sum()))]), 2),
    )
    number = np.ones(2 * int(undo.sum()))
    shared = _sparse(_both(pairs[undo], size), np.tile(slot[ends[undo]], 2), number, size, len(sizes))
    return Units(sizes, place, alone, direct + direct.T, shared, bundles, halves)


def _within(cluster: Index) -> tuple[Index, Index]:
    """All pairs of positions, the earlier first, at which sorted `cluster` (n,) has the same entry."""
    end = np.searchsorted(cluster, cluster, side="right")
    later = end - np.arange(len(cluster)) - 1
    left = np.repeat(np.arange(len(cluster)), later)
    start = np.repeat(np.cumsum(later) - later, later)
    return left, left + 1 + np.arange(len(left)) - start


def _both(pair: Index, size: int) -> Index:
    """Pairs i·K + j, followed by the same as j·K + i."""
    return np.concatenate([pair, pair % size * size + pair // size])


def _sparse(
    pair: Index, slot: Index, number: npt.NDArray[np.floating[Any]], size: int, width: int
) -> csr_matrix:
    from scipy.sparse import csr_matrix

    return csr_matrix((number, (pair, slot)), shape=(size * size, width))
