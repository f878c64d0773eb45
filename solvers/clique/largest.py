"""Cliques of a demanded size: branch and bound with greedy colourings as bounds.

A clique takes at most one vertex of every colour, so p vertices that need fewer than k colours hold no
clique of size k; and a clique of size k must use a vertex outside any k − 1 of the colours, which is all
that has to be branched on (Tomita & Seki 2003; bit-parallel form: San Segundo et al. 2011). Before a vertex
is branched on, an exchange tries to squeeze it into the first k − 1 colours (Tomita et al. 2010).
"""

from collections.abc import Iterator

from solvers.clique.budget import Budget
from solvers.clique.graph import Graph, members


def colours(graph: Graph, among: int) -> list[int]:
    """Greedy colour classes, as bit sets, that partition the vertices ``among``."""
    apart = graph.apart
    classes = []
    while among:
        left, chosen = among, 0
        while left:
            low = left & -left
            chosen |= low
            left &= apart[low.bit_length() - 1]
        classes.append(chosen)
        among &= ~chosen
    return classes


def _squeezed(graph: Graph, classes: list[int], v: int) -> bool:
    """Make room for v in one of the classes by moving one vertex to another class, if that works."""
    near = graph.near
    for k, one in enumerate(classes):
        met = one & near[v]
        if met & (met - 1):
            continue
        if not met:
            classes[k] |= 1 << v
            return True
        w = met.bit_length() - 1
        for other in range(len(classes)):
            if other != k and not classes[other] & near[w]:
                classes[other] |= met
                classes[k] = one & ~met | 1 << v
                return True
    return False


def branching(graph: Graph, among: int, size: int) -> list[int]:
    """Vertices one of which every clique of ``size`` vertices ``among`` these contains.

    Empty if there is no such clique. The others can be coloured with size − 1 colours.
    """
    apart = graph.apart
    classes: list[int] = []
    while among and len(classes) < size - 1:
        left, chosen = among, 0
        while left:
            low = left & -left
            chosen |= low
            left &= apart[low.bit_length() - 1]
        classes.append(chosen)
        among &= ~chosen
    if not among:
        return []
    return [v for v in members(among) if not _squeezed(graph, classes, v)]


def cliques(graph: Graph, among: int, size: int, budget: Budget) -> Iterator[tuple[int, ...]]:
    """All cliques of exactly ``size`` vertices ``among`` these, each once.

    Raises:
        Spent: when the budget is.
    """
    if size <= 0:
        if size == 0:
            yield ()
        return
    near = graph.near
    chosen: list[int] = []
    stack = [(among, branching(graph, among, size))]
    while stack:
        left, options = stack[-1]
        if not options:
            stack.pop()
            if chosen:
                chosen.pop()
            continue
        v = options.pop()
        stack[-1] = (left & ~(1 << v), options)
        budget.spend()
        if len(chosen) + 1 == size:
            yield (*chosen, v)
            continue
        inside = left & near[v]
        need = size - len(chosen) - 1
        if inside.bit_count() < need:
            continue
        further = branching(graph, inside, need)
        if further:
            chosen.append(v)
            stack.append((inside, further))


def greedy(graph: Graph, among: int) -> tuple[int, ...]:
    """A maximal clique: from every vertex on, always the candidate with most candidates around it."""
    best: tuple[int, ...] = ()
    for start in list(members(among))[:10]:
        chosen, left = [start], among & graph.near[start]
        while left:
            v = max(members(left), key=lambda u: (graph.near[u] & left).bit_count())
            chosen.append(v)
            left &= graph.near[v]
        if len(chosen) > len(best):
            best = tuple(chosen)
    return best
