"""The three stages: how large, how heavy, which names. Each is exhaustive, in integers, within a budget."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product
from weakref import WeakKeyDictionary

from solvers.clique.budget import Budget, Spent
from solvers.clique.graph import Graph, graph_of, members
from solvers.clique.heaviest import Heaviest, Part, doubled
from solvers.clique.largest import cliques, colours, greedy
from solvers.maximum_clique import MaximumClique, Rank, better

LISTED = 2000
"""Up to this many maximum cliques are listed and compared; more are bounded instead."""
LISTING_NODES = 30_000

Vertices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the search established.

    Attributes:
        vertices: the best clique found, as vertices of the problem in increasing order.
        size_bound: no clique is larger.
        weight_bound: no clique of that size is heavier; None if not established.
        complete: True if no clique is preferred to this one.
        stopped: what ended the search early, in words; empty if it is complete.
        nodes: branch-and-bound nodes.
    """

    vertices: Vertices
    size_bound: int
    weight_bound: int | None
    complete: bool
    stopped: str
    nodes: int


class _Search:
    """The state of one search: the best clique so far, and what is proven about it."""

    def __init__(self, problem: MaximumClique, budget: Budget) -> None:
        self.problem = problem
        self.budget = budget
        self.graph: Graph = graph_of(problem)
        self.tied = len(problem.edge_weights) <= 1
        self.inside = [greedy(self.graph, part) for part in self.graph.parts]
        self.ceiling = [len(colours(self.graph, part)) for part in self.graph.parts]
        self.best: Vertices = ()
        self.rank: Rank = problem.rank(problem.of(()))
        self.weight_bound: int | None = None

    def offer(self, vertices: Vertices) -> None:
        original = tuple(sorted(self.graph.vertices[v] for v in vertices))
        rank = self.problem.rank(self.problem.of(original))
        if better(rank, self.rank):
            self.best, self.rank = original, rank

    def run(self) -> None:
        self.offer(tuple(v for chosen in self.inside for v in chosen))
        for k, part in enumerate(self.graph.parts):
            while len(self.inside[k]) < self.ceiling[k]:
                larger = next(cliques(self.graph, part, len(self.inside[k]) + 1, self.budget), None)
                if larger is None:
                    self.ceiling[k] = len(self.inside[k])
                else:
                    self.inside[k] = larger
                    self.offer(tuple(v for chosen in self.inside for v in chosen))
        listed = self._list()
        if listed is not None and math.prod(map(len, listed)) <= LISTED:
            for choice in product(*listed):
                self.offer(tuple(v for chosen in choice for v in chosen))
        elif self.tied:
            self._first_of_equals(listed)
        else:
            self._heaviest_then_first()
        self.weight_bound = self.rank[1]

    def _list(self) -> list[list[Vertices]] | None:
        """All maximum cliques of every part; None if they are too many, or take too long to list."""
        listing = Budget(LISTING_NODES)
        found = []
        for part, chosen in zip(self.graph.parts, self.inside, strict=True):
            try:
                every = list(islice(cliques(self.graph, part, len(chosen), listing), LISTED + 1))
            except Spent:
                return None
            self.budget.spend()
            if len(every) > LISTED:
                return None
            found.append(every)
        return found

    def _first_of_equals(self, listed: list[list[Vertices]] | None) -> None:
        """All cliques of a size weigh the same: parts are independent, and each takes its first by name.

        Between equally large lists the one that holds the smallest name not common to both comes first,
        so the union of firsts is the first of all unions.
        """
        chosen: list[int] = []
        rank = self.graph.rank
        for k, (part, own) in enumerate(zip(self.graph.parts, self.inside, strict=True)):
            if listed is not None:
                chosen.extend(min(listed[k], key=lambda c: sorted(rank[v] for v in c)))
                continue

            def another(fixed: Vertices, parts: tuple[Part, ...]) -> Vertices | None:
                ((left, need),) = parts
                rest = next(cliques(self.graph, left, need, self.budget), None)
                return None if rest is None else (*fixed, *rest)

            chosen.extend(self._first(((part, len(own)),), own, another))
        self.offer(tuple(chosen))

    def _heaviest_then_first(self) -> None:
        search = Heaviest(
            self.graph, doubled(self.graph, self.problem.weights, self.problem.adjacency), self.budget
        )
        parts = tuple((part, len(own)) for part, own in zip(self.graph.parts, self.inside, strict=True))
        place = {vertex: v for v, vertex in enumerate(self.graph.vertices)}
        heaviest = tuple(place[vertex] for vertex in self.best)
        found = search.search(parts, 2 * self.rank[1])
        if found is not None:
            heaviest = found[1]
            self.offer(heaviest)
        weight = self.weight_bound = self.rank[1]

        def another(fixed: Vertices, left: tuple[Part, ...]) -> Vertices | None:
            found = search.search(left, 2 * weight - 1, fixed, any_will_do=True)
            return None if found is None else found[1]

        self.offer(self._first(parts, heaviest, another))

    def _first(
        self,
        parts: tuple[Part, ...],
        witness: Vertices,
        another: Callable[[Vertices, tuple[Part, ...]], Vertices | None],
    ) -> Vertices:
        """The first clique by name among those that ``another`` accepts; ``witness`` is one of them.

        Vertices are settled in the order of their names: taken if some acceptable clique has them besides
        those taken before, dropped otherwise.
        """
        near, rank = self.graph.near, self.graph.rank
        fixed: Vertices = ()
        everything = 0
        for part, _ in parts:
            everything |= part
        for v in sorted(members(everything), key=rank.__getitem__):
            home = next((k for k, (part, need) in enumerate(parts) if need and part >> v & 1), None)
            if home is None:
                continue
            part, need = parts[home]
            if v not in witness:
                self.budget.spend()
                smaller = (*parts[:home], (part & near[v], need - 1), *parts[home + 1 :])
                found = another((*fixed, v), smaller)
                if found is None:
                    parts = (*parts[:home], (part & ~(1 << v), need), *parts[home + 1 :])
                    continue
                witness = found
            fixed = (*fixed, v)
            parts = (*parts[:home], (part & near[v], need - 1), *parts[home + 1 :])
        return fixed


_known: WeakKeyDictionary[MaximumClique, Finding] = WeakKeyDictionary()


def search(
    problem: MaximumClique,
    nodes: int | None = None,
    deadline: float | None = None,
    remembered: bool = True,
) -> Finding:
    """Search until complete or until a limit; a complete finding is remembered with the problem.

    Args:
        nodes: branch-and-bound nodes allowed; None for no limit.
        deadline: value of ``time.perf_counter`` at which to stop; None for no limit.
        remembered: take the finding of a complete search done before for this very problem object.
    """
    found = _known.get(problem) if remembered else None
    if found is not None:
        return found
    budget = Budget(nodes, deadline)
    state = _Search(problem, budget)
    stopped = ""
    try:
        state.run()
    except Spent as limit:
        stopped = str(limit)
    finding = Finding(
        vertices=state.best,
        size_bound=sum(state.ceiling),
        weight_bound=state.weight_bound,
        complete=not stopped,
        stopped=stopped,
        nodes=budget.nodes,
    )
    if finding.complete:
        _known[problem] = finding
    return finding
