"""Graphs as bit sets: one Python integer a vertex, in an order that makes greedy colourings sharp.

The vertices are renumbered so that the densest part of the graph comes first (the reverse of repeatedly
taking away a vertex of least degree). Vertices in different connected components of the complement are
always adjacent, so a maximum clique is a maximum clique of every such component: they are searched apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solvers.maximum_clique import MaximumClique


def members(mask: int) -> Iterator[int]:
    """The elements of a bit set, in increasing order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A graph in bit sets over renumbered vertices.

    Attributes:
        vertices: original vertex of every new number.
        near: for every vertex the bit set of its neighbours.
        apart: for every vertex the bit set of the vertices it is not adjacent to, without itself.
        parts: bit sets of the connected components of the complement.
        rank: for every vertex its position in the order of names.
    """

    vertices: tuple[int, ...]
    near: tuple[int, ...]
    apart: tuple[int, ...]
    parts: tuple[int, ...]
    rank: tuple[int, ...]


def _degeneracy(adjacency: npt.NDArray[np.bool_]) -> list[int]:
    """Vertices by repeated removal of one of least degree, last removed first."""
    degree = adjacency.sum(axis=1).astype(np.int64)
    removed = []
    for _ in range(len(adjacency)):
        v = int(np.argmin(degree))
        removed.append(v)
        degree -= adjacency[v]
        degree[v] = len(adjacency) * 2
    return removed[::-1]


def _bits(row: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _components(apart: tuple[int, ...]) -> list[int]:
    left = (1 << len(apart)) - 1
    found = []
    while left:
        part = frontier = left & -left
        while frontier:
            reached = 0
            for v in members(frontier):
                reached |= apart[v]
            frontier = reached & ~part
            part |= reached
        found.append(part)
        left &= ~part
    return found


def graph_of(problem: MaximumClique) -> Graph:
    """The problem's graph in bit sets."""
    order = _degeneracy(problem.adjacency)
    adjacency = problem.adjacency[np.ix_(order, order)]
    near = tuple(_bits(row) for row in adjacency)
    everything = (1 << len(order)) - 1
    apart = tuple(everything & ~row & ~(1 << v) for v, row in enumerate(near))
    position = {vertex: k for k, vertex in enumerate(problem.by_name)}
    return Graph(
        vertices=tuple(order),
        near=near,
        apart=apart,
        parts=tuple(_components(apart)),
        rank=tuple(position[vertex] for vertex in order),
    )
