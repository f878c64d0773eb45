"""Maximum cliques. The tie rules leave one answer each: derived by hand, or by trying all vertex sets."""

from itertools import combinations
from typing import Any

import numpy as np

from solvers import MaximumClique, Status

from .case import Case, Expected


def preferred(problem: MaximumClique) -> Expected:
    """The preferred clique by trying all vertex sets, largest first."""
    for size in range(problem.n, -1, -1):
        ranked = []
        for chosen in combinations(range(problem.n), size):
            if all(problem.adjacency[a, b] for a, b in combinations(chosen, 2)):
                weight = sum(int(problem.weights[a, b]) for a, b in combinations(chosen, 2))
                ranked.append((-weight, tuple(sorted(problem.names[v] for v in chosen)), chosen))
        if ranked:
            members = min(ranked)[2]
            x = tuple(float(v in members) for v in range(problem.n))
            return Expected(Status.OPTIMAL, size, x=x)
    raise AssertionError("the empty set is a clique")


def graph(
    n: int, missing: Any = (), weights: Any = None, names: tuple[str, ...] | None = None
) -> MaximumClique:
    """All edges but the missing ones; weights by pair, 0 elsewhere."""
    adjacency = ~np.eye(n, dtype=bool)
    square = np.zeros((n, n), dtype=np.int64)
    for a, b in missing:
        adjacency[a, b] = adjacency[b, a] = False
    for (a, b), weight in (weights or {}).items():
        square[a, b] = square[b, a] = weight
    return MaximumClique(adjacency, square, names)  # type: ignore[arg-type]


def parts(count: int, size: int) -> MaximumClique:
    """Edges between different parts only: size ** count maximum cliques of equal weight."""
    part = np.arange(count * size) // size
    return MaximumClique(part[:, None] != part[None, :])  # type: ignore[call-arg]


def _case(name: str, problem: MaximumClique, expected: Expected | None = None) -> Case:
    return Case(f"clique: {name}", lambda: problem, expected or preferred(problem), proof=True)


def _random() -> list[Case]:
    rng = np.random.default_rng(11)
    found = []
    for k in range(8):
        n = int(rng.integers(5, 10))
        edges = np.triu(rng.random((n, n)) < 0.7, 1)
        weights = np.triu(rng.integers(0, 1 + k % 4, (n, n)), 1)
        names = tuple(f"m{v}" for v in rng.permutation(n))
        problem = MaximumClique(edges | edges.T, weights + weights.T, names)
        found.append(_case(f"random {k}, {n} vertices", problem))
    return found


def _firsts(count: int, size: int) -> Expected:
    return Expected(Status.OPTIMAL, count, x=tuple(float(v % size == 0) for v in range(count * size)))


CLIQUES = [
    _case("no vertices", graph(0)),
    _case("one vertex", graph(1)),
    _case("no edges, the first name wins", graph(3, combinations(range(3), 2), names=("b", "a", "c"))),
    _case("size before weight", graph(4, [(0, 3), (1, 3)], {(2, 3): 99})),
    _case("weight before names", graph(4, [(0, 1), (2, 3)], {(1, 3): 1})),
    _case("names decide", graph(4, [(0, 1), (2, 3)], names=("d", "c", "b", "a"))),
    _case("names compare as text", graph(2, [(0, 1)], names=("m9", "m10"))),
    _case("weights of missing edges play no role", graph(3, [(0, 1)], {(0, 1): 50, (1, 2): 1})),
    _case("a five-cycle", graph(5, [(0, 2), (2, 4), (4, 1), (1, 3), (3, 0)], {(2, 3): 1})),
    _case("1100 vertices, all adjacent", graph(1100), Expected(Status.OPTIMAL, 1100, x=(1.0,) * 1100)),
    _case("20 pairs", parts(20, 2), _firsts(20, 2)),
    _case("5 parts of 20", parts(5, 20), _firsts(5, 20)),
    *_random(),
    Case("limit: no seconds for a clique", lambda: parts(3, 2), _firsts(3, 2), limit=0, stops=True),
]
