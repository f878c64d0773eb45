"""The feasible set {Σθ = 0, |θ| ≤ box, θ_a ≥ θ_b}: models tied by cycles, exact repair of points."""

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np
import numpy.typing as npt

from solvers.ordered_bradley_terry import OrderedBradleyTerry

Reals = npt.NDArray[np.float64]
DIGITS = 50
"""Repaired points are multiples of the box's size times 2^−DIGITS: their sums and differences are exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Models that the order makes equal, merged.

    Attributes:
        of: group of every model, (K,); groups are numbered so that a ≥ b has of[a] < of[b].
        sizes: models in every group.
        pairs: distinct order constraints between groups, (r, 2).
        source: for every order constraint of the problem its row in ``pairs``, or −1 within a group.
    """

    of: npt.NDArray[np.intp]
    sizes: Reals
    pairs: npt.NDArray[np.intp]
    source: npt.NDArray[np.intp]


def _strong_components(size: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Strongly connected components of a ≥ b (Kosaraju, without recursion)."""
    below: list[list[int]] = [[] for _ in range(size)]
    above: list[list[int]] = [[] for _ in range(size)]
    for a, b in pairs:
        below[a].append(b)
        above[b].append(a)
    finished: list[int] = []
    seen = [False] * size
    for start in range(size):
        if seen[start]:
            continue
        seen[start] = True
        stack = [(start, iter(below[start]))]
        while stack:
            v, rest = stack[-1]
            w = next((w for w in rest if not seen[w]), None)
            if w is None:
                finished.append(v)
                stack.pop()
            else:
                seen[w] = True
                stack.append((w, iter(below[w])))
    components: list[list[int]] = []
    placed = [False] * size
    for v in reversed(finished):
        if placed[v]:
            continue
        placed[v] = True
        component, frontier = [], [v]
        while frontier:
            w = frontier.pop()
            component.append(w)
            for z in above[w]:
                if not placed[z]:
                    placed[z] = True
                    frontier.append(z)
        components.append(sorted(component))
    return components


def _from_top(size: int, pairs: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Positions (size,) that put a above b for every pair.

    Raises:
        CycleError: if the pairs contradict each other.
    """
    sorter = TopologicalSorter[int](dict.fromkeys(range(size), ()))
    for a, b in pairs.tolist():
        sorter.add(b, a)
    place = np.empty(size, dtype=np.intp)
    place[list(sorter.static_order())] = np.arange(size)
    return place


def groups_of(problem: OrderedBradleyTerry) -> Groups:
    """Merge the models on cycles of the order and number the groups from top to bottom."""
    if not problem.order:
        none = np.zeros((0, 2), dtype=np.intp)
        return Groups(np.arange(problem.n), np.ones(problem.n), none, np.zeros(0, dtype=np.intp))
    try:
        of = _from_top(problem.n, problem.pairs)
    except CycleError:
        components = _strong_components(problem.n, problem.order)
        first = np.empty(problem.n, dtype=np.intp)
        for k, component in enumerate(components):
            first[component] = k
        ends = first[problem.pairs]
        of = _from_top(len(components), ends[ends[:, 0] != ends[:, 1]])[first]
    ends = of[problem.pairs]
    proper = ends[:, 0] != ends[:, 1]
    source = np.full(problem.m, -1, dtype=np.intp)
    pairs = np.zeros((0, 2), dtype=np.intp)
    if proper.any():
        pairs, inverse = np.unique(ends[proper], axis=0, return_inverse=True)
        source[proper] = inverse.ravel()
    return Groups(of, np.bincount(of).astype(np.float64), pairs, source)


def centred(values: Reals, sizes: Reals, box: float) -> Reals:
    """clip(values − t, −box, box) with the shift t for which the weighted sum is zero, nearly."""
    low, high = float(values.min()) - box, float(values.max()) + box
    shift = float(sizes @ values) / float(sizes.sum())
    for _ in range(200):
        point: Reals = np.clip(values - shift, -box, box)
        total = float(sizes @ point)
        if abs(total) <= 1e-16 * box * float(sizes.sum()) or not low < high:
            break
        low, high = (shift, high) if total > 0 else (low, shift)
        free = float(sizes[np.abs(point) < box].sum())
        step = shift + total / free if free else (low + high) / 2
        shift = step if low < step < high else (low + high) / 2
    return point


def repaired(problem: OrderedBradleyTerry, groups: Groups, x: Reals) -> Reals:
    """A point near x (K,) that satisfies the constraints exactly, as exact floats.

    Models tied by a cycle get their mean; nobody exceeds those above; the sum is brought to zero within the
    box; then everything is rounded to a grid, which keeps the order, and the grid units left over in the sum
    are taken from the lowest (or given to the highest) groups. Only if merged groups cannot make up the last
    few units does a sum of a few 2^−50 remain; ``problem.check`` tells.
    """
    value = np.bincount(groups.of, weights=x) / groups.sizes
    if len(groups.pairs):
        by_upper = groups.pairs[np.argsort(groups.pairs[:, 0], kind="stable")]
        for a, b in by_upper.tolist():  # groups are numbered from the top
            if value[b] > value[a]:
                value[b] = value[a]
    value = centred(value, groups.sizes, problem.box)
    unit = 2.0 ** (np.frexp(problem.box)[1] - DIGITS)
    limit = int(problem.box // unit)
    ticks = [max(-limit, min(limit, int(v))) for v in np.rint(value / unit).tolist()]
    sizes = [int(s) for s in groups.sizes]
    left = sum(s * t for s, t in zip(sizes, ticks, strict=True))
    sign = 1 if left > 0 else -1
    order = sorted(range(len(ticks)), key=lambda g: (sign * ticks[g], -sign * g))
    moved = True
    while left and moved:
        moved = False
        for g in order:
            if sizes[g] <= abs(left) and sign * ticks[g] > -limit:
                ticks[g] -= sign
                left -= sign * sizes[g]
                moved = True
            elif left and sizes[g] > abs(left):
                break  # going on would break the order
        order.sort(key=lambda g: (sign * ticks[g], -sign * g))
    point: Reals = np.array(ticks, dtype=np.float64)[groups.of] * unit
    return point
