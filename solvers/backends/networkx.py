"""Maximum cliques over networkx graphs: the maximum cliques are listed, the maximal ones are not.

networkx splits the graph at the components of its complement (all edges run between those) and sheds
vertices of too small a core number. The listing keeps its own stack, because recursion ends at a thousand
vertices, and abandons a branch as soon as a greedy colouring shows that it holds no clique of the best size
so far.
"""

import math
import time
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer, Backend
from solvers.maximum_clique import MaximumClique, Rank, better
from solvers.solution import Status

OPTIONS = {"most": "stop when there are more maximum cliques than this to compare (default 100000)"}


class _Stopped(Exception):
    """A limit was reached; says which."""


def _branches(near: dict[int, set[int]], left: Iterable[int], need: int, deadline: float) -> list[int]:
    """Vertices that greedy colouring, in the order given, leaves outside its first ``need`` − 1 colours."""
    waiting = list(left)
    for _ in range(need - 1):
        if not waiting:
            break
        if time.perf_counter() > deadline:  # one colouring of a large graph takes seconds
            raise _Stopped("time limit")
        colour: set[int] = set()
        later = []
        for v in waiting:
            if near[v].isdisjoint(colour):
                colour.add(v)
            else:
                later.append(v)
        waiting = later
    return waiting


def _greedy(near: dict[int, set[int]], order: list[int]) -> list[int]:
    """A maximal clique, taking vertices as they come."""
    clique: list[int] = []
    left = set(order)
    for v in order:
        if v in left:
            clique.append(v)
            left &= near[v]
    return clique


def _listed(
    near: dict[int, set[int]], order: list[int], best: int, most: int, deadline: float
) -> Iterator[list[int]]:
    """Cliques of at least ``best`` vertices and growing size; of the largest size all, each once."""
    chosen: list[int] = []
    stack = [(set(order), _branches(near, order, best, deadline))]
    count = 0
    while stack:
        left, options = stack[-1]
        if not options:
            stack.pop()
            if chosen:
                chosen.pop()
            continue
        v = options.pop()
        left.discard(v)
        if time.perf_counter() > deadline:
            raise _Stopped("time limit")
        size = len(chosen) + 1
        inside = left & near[v]
        if not inside:
            if size >= best:
                count = 1 if size > best else count + 1
                best = size
                if count > most:
                    raise _Stopped(f"more than {most} maximum cliques")
                yield [*chosen, v]
        elif size + len(inside) >= best:
            further = _branches(near, [w for w in order if w in inside], max(1, best - size), deadline)
            if further:
                chosen.append(v)
                stack.append((inside, further))


def _graph(near: npt.NDArray[np.bool_], vertices: list[int], deadline: float) -> Any:
    """The networkx graph of some vertices; building one of a million edges takes seconds."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(vertices)
    names = np.array(vertices)
    for k, v in enumerate(vertices):
        if time.perf_counter() > deadline:
            raise _Stopped("time limit")
        graph.add_edges_from((v, w) for w in names[k + 1 :][near[v, names[k + 1 :]]].tolist())
    return graph


def _quick(near: npt.NDArray[np.bool_], vertices: list[int]) -> list[int]:
    """A maximal clique among some vertices, those of many neighbours first."""
    left = np.array(vertices)
    left = left[np.argsort(-near[np.ix_(left, left)].sum(axis=1), kind="stable")]
    clique = []
    while left.size:
        clique.append(int(left[0]))
        left = left[near[left[0], left]]
    return clique


def _maximum(graph: Any, most: int, deadline: float) -> tuple[list[list[int]], str]:
    """All maximum cliques of a graph, or one clique and what stopped the listing."""
    import networkx

    core = networkx.core_number(graph)
    order = sorted(graph, key=lambda v: (-core[v], -graph.degree(v), v))
    near = {v: set(graph[v]) for v in order}
    start = _greedy(near, order)
    order = [v for v in order if core[v] >= len(start) - 1]
    found: list[list[int]] = []
    try:
        for clique in _listed(near, order, len(start), most, deadline):
            if found and len(clique) > len(found[0]):
                found = []
            found.append(clique)
    except _Stopped as limit:
        return [max([start, *found], key=len)], str(limit)
    return found, ""


def solve(problem: MaximumClique, time_limit: float | None, *, most: int = 100_000) -> Answer:
    """The preferred one of all maximum cliques; FEASIBLE with the reason if a limit is reached."""
    import networkx

    deadline = math.inf if time_limit is None else time.perf_counter() + time_limit
    near = problem.adjacency
    everything = list(range(problem.n))
    parts: list[list[list[int]]] = []
    stopped = ""
    try:
        complement = _graph(~near, everything, deadline)
        components = sorted(map(sorted, networkx.connected_components(complement)))
    except _Stopped as reached:
        return _preferred(problem, [[_quick(near, everything)]], most, str(reached), deadline)
    for vertices in components:
        if len(vertices) == 1:  # adjacent to all others
            parts.append([vertices])
            continue
        try:
            part, limit = _maximum(_graph(near, vertices, deadline), most, deadline)
        except _Stopped as reached:
            part, limit = [_quick(near, vertices)], str(reached)
        parts.append(part)
        stopped = stopped or limit
    return _preferred(problem, parts, most, stopped, deadline)


def _preferred(
    problem: MaximumClique, parts: list[list[list[int]]], most: int, stopped: str, deadline: float
) -> Answer:
    position = {vertex: k for k, vertex in enumerate(problem.by_name)}
    first = [min(part, key=lambda clique: sorted(position[v] for v in clique)) for part in parts]
    chosen = [v for clique in first for v in clique]
    if not stopped and len(problem.edge_weights) > 1:
        best: Rank | None = None
        if math.prod(map(len, parts)) > most:
            stopped = f"more than {most} maximum cliques"
        for k, choice in enumerate(product(*parts) if not stopped else ()):
            if k % 256 == 0 and time.perf_counter() > deadline:
                stopped = "time limit"
                break
            members = [v for clique in choice for v in clique]
            rank = problem.rank(problem.of(members))
            if best is None or better(rank, best):
                best, chosen = rank, members
    size = float(len(chosen))
    status = Status.FEASIBLE if stopped else Status.OPTIMAL
    return Answer(status, problem.of(chosen), size, None if stopped else size, reason=stopped)


BACKEND = Backend(
    name="networkx",
    problems=(MaximumClique,),
    solve=solve,
    options=OPTIONS,
    requires=("networkx",),
    install="pip install networkx",
    quiet=True,
    limits="up to 100000 maximum cliques of unequal weights",
)
