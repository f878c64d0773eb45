"""The heaviest clique of a demanded make-up, without listing the cliques one by one.

``parts`` says how many vertices a clique must take from each of several vertex sets between which all edges
exist. A node is bounded through colour classes: a clique takes at most one vertex v of a class, and v brings
the weight to what is chosen already plus half of the weight to the rest, for which every other class gives
at most its best neighbour of v. Doubled, so that all of it stays in integers. If a part needs as many
vertices as it has classes, every class gives one, and vertices whose own bound is too small are dropped.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.clique.budget import Budget
from solvers.clique.graph import Graph, members
from solvers.clique.largest import branching, colours

Part = tuple[int, int]
"""(bit set of vertices, how many of them to take)."""
ROOM = 1 << 60


@dataclass(slots=True, eq=False)
class _Node:
    """A partial clique: vertices, doubled weight, parts left, doubled weight of every vertex to it."""

    chosen: tuple[int, ...]
    weight: int
    parts: tuple[Part, ...]
    pull: npt.NDArray[Any]
    options: list[int]


def doubled(
    graph: Graph, weights: npt.NDArray[np.int64], adjacency: npt.NDArray[np.bool_]
) -> npt.NDArray[Any]:
    """Twice the edge weights in the graph's numbering, 0 where there is no edge.

    Python integers take the place of int64 where sums might overflow.
    """
    order = np.array(graph.vertices, dtype=np.intp)
    square = np.ix_(order, order)
    edges = np.where(adjacency[square], weights[square], 0)
    largest = int(edges.max()) if edges.size else 0
    if 4 * largest * max(1, len(order)) ** 2 >= ROOM:
        edges = edges.astype(object)
    return 2 * edges


class Heaviest:
    """Searches for heaviest cliques in one graph.

    Args:
        graph: the graph.
        weights: doubled edge weights (K, K) of the graph's vertices, see :func:`doubled`.
        budget: what all searches together may spend.
    """

    def __init__(self, graph: Graph, weights: npt.NDArray[Any], budget: Budget) -> None:
        self.graph = graph
        self.weights = weights
        self.budget = budget
        self._classes: dict[int, list[int]] = {}

    def _coloured(self, part: int) -> list[int]:
        """Colour classes of a part; those that later nodes meet again are kept."""
        if part not in self._classes:
            if len(self._classes) > 4096:
                self._classes.clear()
            self._classes[part] = colours(self.graph, part)
        return self._classes[part]

    def _bound(self, node: _Node, above: int) -> tuple[tuple[Part, ...], dict[int, int]] | None:
        """Upper bound (doubled) and the parts without vertices that cannot exceed ``above``; None if dead."""
        vertices: list[int] = []
        starts: list[int] = []
        sizes: list[int] = []
        for part, need in node.parts:
            classes = self._coloured(part)
            if len(classes) < need:
                return None
            sizes.append(len(classes))
            for one in classes:
                starts.append(len(vertices))
                vertices.extend(members(one))
        if not vertices:
            return node.parts, {}
        own = np.array(vertices, dtype=np.intp)
        to_class = np.maximum.reduceat(self.weights[np.ix_(own, own)], starts, axis=1)
        value = 2 * node.pull[own]
        first = row = 0
        for (_, need), size in zip(node.parts, sizes, strict=True):
            block = to_class[:, first : first + size]
            last = starts[first + size] if first + size < len(starts) else len(vertices)
            extra = block.sum(axis=1)
            if need < size:
                ranked = np.sort(block, axis=1)
                extra = ranked[:, size - need :].sum(axis=1)
                extra[row:last] = ranked[row:last, size - need + 1 :].sum(axis=1)  # itself is one of them
            value = value + extra
            first, row = first + size, last
        best = np.maximum.reduceat(value, starts)
        total, first = 0, 0
        for (_, need), size in zip(node.parts, sizes, strict=True):
            block = best[first : first + size]
            total += int(block.sum() if need == size else np.sort(block)[size - need :].sum())
            first += size
        bound = 2 * node.weight + total
        if bound <= 2 * above:
            return None
        kept = self._kept(node.parts, sizes, starts, vertices, value, best, bound - 2 * above)
        return kept, dict(zip(vertices, value.tolist(), strict=True))

    @staticmethod
    def _kept(
        parts: tuple[Part, ...],
        sizes: list[int],
        starts: list[int],
        vertices: list[int],
        value: npt.NDArray[Any],
        best: npt.NDArray[Any],
        room: int,
    ) -> tuple[Part, ...]:
        kept = []
        first = 0
        for (part, need), size in zip(parts, sizes, strict=True):
            if need == size:
                for k in range(first, first + size):
                    last = starts[k + 1] if k + 1 < len(starts) else len(vertices)
                    for at in np.flatnonzero(best[k] - value[starts[k] : last] >= room):
                        part &= ~(1 << vertices[starts[k] + int(at)])
            kept.append((part, need))
            first += size
        return tuple(kept)

    def _options(self, node: _Node, value: dict[int, int]) -> None:
        """Choose the part to branch in, and the vertices to branch on, least promising first.

        Of the classes that must give a vertex, the one is taken whose choice matters most.
        """
        where, smallest = 0, (0, 0)
        chosen: list[int] = []
        for k, (part, need) in enumerate(node.parts):
            classes = self._coloured(part)
            lists = (
                [list(members(one)) for one in classes]
                if len(classes) == need
                else [branching(self.graph, part, need)]
            )
            for options in lists:
                ranked = sorted(value[v] for v in options)
                gap = ranked[-1] - ranked[-2] if len(ranked) > 1 else 0
                key = (len(options), -gap)
                if not chosen or key < smallest:
                    where, chosen, smallest = k, options, key
        node.options = sorted(chosen, key=value.__getitem__)
        node.parts = (node.parts[where], *node.parts[:where], *node.parts[where + 1 :])

    def _child(self, node: _Node, v: int) -> _Node:
        (part, need), *rest = node.parts
        inside = part & self.graph.near[v]
        parts = ((inside, need - 1), *rest) if need > 1 else tuple(rest)
        return _Node(
            (*node.chosen, v), node.weight + int(node.pull[v]), parts, node.pull + self.weights[v], []
        )

    def search(
        self, parts: tuple[Part, ...], above: int, chosen: tuple[int, ...] = (), any_will_do: bool = False
    ) -> tuple[int, tuple[int, ...]] | None:
        """The heaviest clique that extends ``chosen`` by vertices of ``parts``, if heavier than ``above``.

        Args:
            parts: what to take from where; all vertices adjacent to all of ``chosen``.
            above: doubled weight to exceed.
            any_will_do: stop at the first clique heavier than that.

        Returns:
            (doubled weight, vertices), or None.

        Raises:
            Spent: when the budget is.
        """
        pull = self.weights[list(chosen)].sum(axis=0) if chosen else 0 * self.weights[:1].sum(axis=0)
        start = sum(int(self.weights[a, b]) for k, a in enumerate(chosen) for b in chosen[:k])
        found = None
        root = _Node(chosen, start, tuple(p for p in parts if p[1] > 0), pull, [])
        stack: list[_Node] = []
        opened: _Node | None = root
        while True:
            if opened is not None:
                self.budget.spend()
                if not opened.parts:
                    if opened.weight > above:
                        above, found = opened.weight, (opened.weight, opened.chosen)
                        if any_will_do:
                            return found
                else:
                    bounded = self._bound(opened, above)
                    if bounded is not None:
                        opened.parts = bounded[0]
                        self._options(opened, bounded[1])
                        stack.append(opened)
            opened = None
            while stack and not stack[-1].options:
                stack.pop()
            if not stack:
                return found
            node = stack[-1]
            v = node.options.pop()
            opened = self._child(node, v)
            (part, need), *rest = node.parts
            node.parts = ((part & ~(1 << v), need), *rest)
