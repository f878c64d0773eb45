"""The independent parts of all Borda differences on one objective, put so that they add up by model.

A comparison that depends on no other counts for 1/n in a difference, with n comparisons in its cell, and for
2/n in the difference of its own two models. Comparisons of one cluster that concern either model of a
difference are one part together, of unknown law, which counts for up to their sum. A sum over parts is then
one number for each of the two models, corrected for the parts that concern both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pareto.certainty.nodes import Nodes, terms_of
from pareto.certainty.sample import Sample, Votes
from pareto.certainty.tails import Index, bundle, single
from pareto.comparisons import Counts
from pareto.links import Reals
from pareto.result import Mask

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BLOCK = 1 << 17
"""Pairs of models in clusters that are worked on at a time."""
REMEMBERED = 1 << 19
"""Numbers that an objective remembers: all of g for a few dozen sizes of cells, as simulations ask for them
again and again."""

ROWS = 64
"""Sizes of cells for which g is worked out at a time."""


@dataclass(frozen=True, eq=False)
class Bundles:
    """Clusters of several comparisons, by what they count for: weights of `pareto.certainty.nodes`.

    Attributes:
        nodes: (N,) ranges.
        alone: (K, N) of bundles that concern one model.
        shared: (K·K, N) what to add for models i < j, at i·K + j.
        terms: how many numbers a sum is made of, for its rounding.
    """

    nodes: Reals
    alone: csr_matrix
    shared: csr_matrix
    terms: int

    def sums(self, rate: float, first: Index, second: Index, pair: Index) -> Reals:
        """(m,): Σ g(rate·a, 0) over the bundles that concern `first` or `second` (m,), which are `pair`."""
        once = bundle(rate * self.nodes)
        each = self.alone @ once
        return np.asarray(each[first] + each[second] + (self.shared @ once)[pair], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Units:
    """Attributes:

    sizes: (U,) the different numbers of comparisons in a cell.
    place: (K, K) position of each cell's number in `sizes`; any if the cell is empty.
    alone: (K, U) single parts of every model, by the size of their cells.
    direct: (K, K) single parts that are a comparison of the two models.
    shared: (K·K, U) single parts of either model, at i·K + j for i < j, that are not so in the difference of
        both.
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

    @property
    def terms(self) -> int:
        """How many numbers a sum over parts is made of, for its rounding."""
        # singles are added for either model, corrected for pairs and joined
        own = 4 * (len(self.sizes) + 1)
        return own if self.bundles is None else own + self.bundles.terms

    def plain(self, rate: float, first: Index, second: Index) -> Reals:
        """(m,): Σ g(rate·a, 0) over the parts of the differences of `first` and `second` (m,)."""
        found = self._added(bundle(rate / self.sizes), bundle(2 * rate / self.sizes), first, second)
        return found + self._bundled(rate, first, second)

    def damped(self, rate: float, first: Index, second: Index) -> Reals:
        """(m, cells): Σ g(rate·a, y) over single parts and g(rate·a, 0) over bundles."""
        return self._added(*self._tables(rate), first, second) + self._bundled(rate, first, second)[:, None]

    def _tables(self, rate: float) -> tuple[Reals, Reals]:
        """(U, cells): g for a part that counts once, and for one that counts twice."""
        known = self._known.get(rate)
        if known is not None:
            return known
        # what is worked on at a time stays in the processor's cache
        parts = [self.sizes[low : low + ROWS] for low in range(0, len(self.sizes), ROWS)]
        once, twice = (
            np.concatenate([single(each * rate / part, self.halves) for part in parts]) for each in (1, 2)
        )
        if (len(self._known) + 1) * (once.size + twice.size) <= REMEMBERED:
            self._known[rate] = once, twice
        return once, twice

    def _added(self, once: Reals, twice: Reals, first: Index, second: Index) -> Reals:
        each = self.alone @ once
        found = each[first] + each[second] - self.shared[_pair(first, second, len(each))] @ once
        number = self.direct[first, second].reshape(-1, *(1,) * (once.ndim - 1))
        return np.asarray(found + number * twice[self.place[first, second]], dtype=np.float64)

    def _bundled(self, rate: float, first: Index, second: Index) -> Reals:
        if self.bundles is None:
            return np.zeros(len(first))
        return self.bundles.sums(rate, first, second, _pair(first, second, len(self.alone)))


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
    pair = np.flatnonzero(np.triu(total))
    number = 2.0 * total.ravel()[pair].astype(np.float64)
    shared = _sparse(pair, place.ravel()[pair], number, len(total), len(sizes))
    return Units(sizes, place, alone, total.astype(np.float64), shared, None, halves)


def _clustered(
    votes: Votes, objective: int, total: Counts, sizes: Reals, place: Index, halves: bool
) -> Units:
    from scipy.sparse import csr_matrix

    size, width = len(total), len(sizes)
    groups = _groups(votes, objective, total)
    lone = groups.lone
    slot = place[groups.model, groups.rival]
    alone = _table(groups.model[lone] * width + slot[lone], size, width)
    worth = groups.worth
    nodes = Nodes.between(worth.min(), 2 * worth.max()) if len(worth) else Nodes(0, 0)
    many = ~lone
    bundles = nodes.weights(groups.model[many], worth[many], np.ones(int(many.sum())), size)

    direct = np.zeros((size, size))
    joined = csr_matrix((size * size, len(nodes.ranges)))
    shared = csr_matrix((size * size, width))
    for left, right in _within(groups.cluster):
        pair = groups.model[left] * size + groups.model[right]
        same = lone[left] & lone[right] & (groups.rival[left] == groups.model[right])
        direct += _table(pair[same], size, size)
        # of either model what was counted for it alone is taken away
        ends, pairs = np.concatenate([left, right]), np.tile(pair, 2)
        undo = lone[ends]
        shared = shared + _sparse(pairs[undo], slot[ends[undo]], np.ones(int(undo.sum())), size, width)
        joint = ~same
        ranges = np.concatenate([(worth[left] + worth[right])[joint], worth[ends[~undo]]])
        sign = np.where(np.arange(len(ranges)) < int(joint.sum()), 1.0, -1.0)
        joined = joined + nodes.weights(
            np.concatenate([pair[joint], pairs[~undo]]), ranges, sign, size * size
        )
    # of every group alone, with another, and taken away again
    found = Bundles(nodes.ranges, bundles, joined, terms_of(4 * len(worth)))
    return Units(sizes, place, alone, direct + direct.T, shared, found, halves)


@dataclass(frozen=True, eq=False)
class _Groups:
    """All comparisons of one cluster that concern one model, (g,), by cluster and then by model.

    rival: of one of the comparisons. worth: what they count for together. lone: True if it is one only.
    """

    cluster: Index
    model: Index
    rival: Index
    worth: Reals
    lone: Mask


def _groups(votes: Votes, objective: int, total: Counts) -> _Groups:
    size = len(total)
    here = np.flatnonzero(votes.objective == objective)
    one, other = votes.first[here], votes.second[here]
    model, rival = np.concatenate([one, other]), np.concatenate([other, one])
    key = np.tile(votes.cluster[here].astype(np.int64) * size, 2) + model
    order = np.argsort(key, kind="stable")
    key = key[order]
    start = np.flatnonzero(np.diff(key, prepend=-1))
    each = (1 / np.maximum(total, 1))[model, rival][order]
    return _Groups(
        cluster=key[start] // size,
        model=key[start] % size,
        rival=rival[order[start]].astype(np.int64),
        worth=np.add.reduceat(each, start) if len(start) else each,
        lone=np.diff(start, append=len(key)) == 1,
    )


def _within(cluster: Index) -> Iterator[tuple[Index, Index]]:
    """All pairs of positions, the earlier first, at which sorted `cluster` (n,) has the same entry.

    In blocks of about `BLOCK`, so that memory does not grow with their number.
    """
    later = np.searchsorted(cluster, cluster, side="right") - np.arange(len(cluster)) - 1
    before = np.concatenate([[0], np.cumsum(later)])
    for low in range(0, int(before[-1]), BLOCK):
        begin, end = np.searchsorted(before, [low, low + BLOCK])
        end = min(int(end), len(cluster))
        number = later[begin:end]
        left = np.repeat(np.arange(begin, end), number)
        yield left, left + 1 + np.arange(len(left)) - np.repeat(before[begin:end] - before[begin], number)


def _pair(first: Index, second: Index, size: int) -> Index:
    """i·K + j for i < j."""
    return np.minimum(first, second) * size + np.maximum(first, second)


def _table(cell: Index, rows: int, width: int) -> Reals:
    """(rows, width): how often each cell occurs."""
    return np.bincount(cell, minlength=rows * width).reshape(rows, width).astype(np.float64)


def _sparse(pair: Index, slot: Index, number: Reals, size: int, width: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    return csr_matrix((number, (pair, slot)), shape=(size * size, width))
