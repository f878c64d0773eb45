"""Maximum cliques: every back end against brute force, adversarial graphs, and claims that are not true."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import MaximumClique, SolverError, Status, available, solve
from solvers.backends import registered
from solvers.backends.base import Answer, Backend
from solvers.clique import search as search_module
from solvers.clique.search import search
from solvers.maximum_clique import better
from tests.solvers.instances import seeded

BACKENDS = [name for name, b in registered().items() if MaximumClique in b.problems]


def brute_force(problem):
    """The rank of the preferred clique, by trying all vertex sets."""
    for size in range(problem.n, -1, -1):
        best = None
        for vertices in itertools.combinations(range(problem.n), size):
            if all(problem.adjacency[a, b] for a, b in itertools.combinations(vertices, 2)):
                weight = sum(int(problem.weights[a, b]) for a, b in itertools.combinations(vertices, 2))
                rank = size, weight, tuple(sorted(problem.names[v] for v in vertices))
                if best is None or better(rank, best):
                    best = rank
        if best:
            return best
    raise AssertionError


def symmetric(values):
    upper = np.triu(values, 1)
    return upper | upper.T if upper.dtype == bool else upper + upper.T


def random_graph(n, density, seed):
    return symmetric(np.random.default_rng(seed).random((n, n)) < density)


def random_weights(n, largest, seed=0):
    return symmetric(np.random.default_rng(seed).integers(0, largest + 1, (n, n)))


def turan(parts, size):
    """All edges between different parts, none within."""
    part = np.arange(parts * size) // size
    return part[:, None] != part[None, :]


def pentagons(count):
    """Five-cycles with all edges between them: 5 ** count maximum cliques, and colourings are too large."""
    ring = np.roll(np.eye(5, dtype=bool), 1, axis=1)
    return turan(count, 5) | np.kron(np.eye(count, dtype=bool), ring | ring.T)


@st.composite
def problems(draw):
    """Up to 9 vertices, few distinct weights, names in an order of their own: ties in every stage."""
    n = draw(st.integers(0, 9))
    bits = st.lists(st.booleans(), min_size=n * n, max_size=n * n)
    missing = np.array(draw(bits), dtype=bool).reshape(n, n)
    if draw(st.booleans()):
        missing &= np.array(draw(bits), dtype=bool).reshape(n, n)
    weights = st.lists(st.integers(0, draw(st.integers(0, 3))), min_size=n * n, max_size=n * n)
    names = draw(st.permutations(["b", "a", "B", "é", "a10", "a2", "", "z", "aa"]))[:n]
    adjacency = symmetric(~missing)
    return MaximumClique(adjacency, symmetric(np.array(draw(weights), dtype=int).reshape(n, n)), tuple(names))


@pytest.mark.parametrize("backend", BACKENDS)
@seeded
@given(problem=problems())
def test_every_back_end_finds_the_preferred_clique(backend, problem):
    best = brute_force(problem)
    solution = solve(problem, backend)
    assert problem.rank(solution.x) == best
    assert (solution.status, solution.proven) == (Status.OPTIMAL, True)
    assert (solution.objective, solution.bound) == (best[0], best[0])
    assert solution.x.dtype == np.bool_
    assert problem.check(solution.x) == 0


@seeded
@given(problem=problems())
def test_bounding_instead_of_listing(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "LISTED", 0)
        found = search(problem)
    assert found.complete
    assert problem.rank(problem.of(found.vertices)) == brute_force(problem)
    assert (found.size_bound, found.weight_bound) == brute_force(problem)[:2]


@seeded
@given(problem=problems(), nodes=st.integers(0, 12))
def test_a_search_that_was_stopped_claims_nothing_false(problem, nodes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "LISTED", 0)
        found = search(problem, nodes=nodes, remembered=False)
    best = brute_force(problem)
    members = problem.of(found.vertices)
    assert problem.check(members) == 0
    assert found.size_bound >= best[0]
    if found.weight_bound is not None:
        assert (found.size_bound, found.weight_bound) == best[:2]
    assert not better(problem.rank(members), best)
    assert not found.complete or problem.rank(members) == best


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_complete_graph_of_1100_vertices(backend):
    problem = MaximumClique(turan(1100, 1), random_weights(1100, 9))
    solution = solve(problem, backend)
    assert (solution.objective, solution.bound, solution.proven) == (1100, 1100, True)
    assert solution.x.all()
    assert solution.seconds < 20


def test_deep_graphs_need_no_recursion():
    for adjacency in (turan(600, 2), turan(1, 1200) & False):
        solution = solve(MaximumClique(adjacency))
        assert solution.proven
    almost = turan(1100, 1)
    almost[0, 1] = almost[1, 0] = False
    solution = solve(MaximumClique(almost), "networkx")
    assert (solution.objective, solution.proven) == (1099, True)


@pytest.mark.parametrize("weights", [None, 60])
@pytest.mark.parametrize("seed", range(3))
def test_dense_graphs_of_100_vertices(seed, weights):
    square = None if weights is None else random_weights(100, weights, seed)
    problem = MaximumClique(random_graph(100, 0.8, seed), square)
    solution = solve(problem, "clique")
    assert solution.proven
    assert solution.seconds < 10  # 0.06 to 0.2 s of processor time
    listed = solve(problem, "networkx")
    np.testing.assert_array_equal(listed.x, solution.x)


@pytest.mark.parametrize(
    ("adjacency", "size"),
    [(turan(20, 2), 20), (turan(5, 20), 5), (turan(10, 10), 10), (turan(40, 2), 40), (pentagons(15), 30)],
)
def test_exponentially_many_equal_cliques(adjacency, size):
    names = tuple(f"v{k:03d}" for k in np.random.default_rng(1).permutation(len(adjacency)))
    found = {}
    for weights in (None, 7 * adjacency.astype(int)):
        problem = MaximumClique(adjacency, weights, names)
        for backend in ("clique", "networkx"):
            began = time.perf_counter()
            solution = solve(problem, backend)
            assert time.perf_counter() - began < 10
            assert (solution.objective, solution.proven) == (size, True)
            found[backend, weights is None] = problem.rank(solution.x)[2]
    assert len(set(found.values())) == 1


def test_the_first_of_a_turan_graph_is_the_least_name_of_every_part():
    names = tuple(f"v{k:03d}" for k in np.random.default_rng(2).permutation(60))
    problem = MaximumClique(turan(12, 5), None, names)
    expected = sorted(min(names[k : k + 5]) for k in range(0, 60, 5))
    assert problem.rank(solve(problem).x)[2] == tuple(expected)


@pytest.mark.parametrize("largest", [1, 1000])
def test_many_cliques_of_unequal_weight_are_bounded(largest):
    problem = MaximumClique(turan(11, 2), random_weights(22, largest))
    solution = solve(problem, "clique")
    assert solution.proven
    best = max(
        (problem.rank(problem.of(2 * np.arange(11) + np.array(choice))) for choice in bits(11)),
        key=lambda rank: (rank[1], [-ord(c) for c in "".join(rank[2])]),
    )
    assert problem.rank(solution.x) == best
    rings = MaximumClique(pentagons(5), random_weights(25, largest))
    np.testing.assert_array_equal(solve(rings, "clique").x, solve(rings, "networkx").x)


def bits(count):
    return itertools.product((0, 1), repeat=count)


def test_weights_at_the_edge_of_64_bits():
    big = 2**62
    weights = symmetric(np.full((6, 6), big))
    weights[0, 2] = weights[2, 0] = big + 1
    problem = MaximumClique(turan(3, 2), weights)
    for backend in ("clique", "networkx"):
        solution = solve(problem, backend)
        assert solution.proven
        assert problem.rank(solution.x) == brute_force(problem)
    assert problem.weight(solution.x) == 3 * big + 1
    assert "highs" not in available(problem)
    with pytest.raises(SolverError, match=r"add up to .*below 1e\+09"):
        solve(problem, "highs")
    scaled = MaximumClique(turan(8, 2), random_weights(16, 10) * (2**50))
    small = MaximumClique(turan(8, 2), random_weights(16, 10))
    np.testing.assert_array_equal(solve(scaled).x, solve(small).x)


def test_sizes_that_integer_programs_cannot_take_are_refused():
    with pytest.raises(SolverError, match="edges of unequal weights need a product each"):
        solve(MaximumClique(random_graph(100, 0.8, 0), random_weights(100, 5)), "highs")
    with pytest.raises(SolverError, match="200 vertices miss an edge"):
        solve(MaximumClique(random_graph(200, 0.5, 0)), "highs")


def test_limits_are_named_and_leave_a_checked_clique():
    problem = MaximumClique(turan(40, 2), random_weights(80, 1000))
    for backend, options in (("clique", {}), ("networkx", {"most": 50})):
        solution = solve(problem, backend, time_limit=0.3, **options)
        assert solution.status is Status.FEASIBLE
        assert (solution.objective, solution.bound, solution.proven) == (40, 40, False)
        assert "limit" in solution.reason or "more than 50" in solution.reason
    nothing = solve(problem, time_limit=0)
    assert (nothing.status, nothing.x) == (Status.NO_SOLUTION, None)


@pytest.mark.parametrize(("size", "density"), [(1000, 0.5), (1500, 0.9)])
def test_networkx_obeys_a_time_limit_on_large_graphs(size, density):
    problem = MaximumClique(random_graph(size, density, 0))
    began = time.process_time()
    answer = registered()["networkx"].solve(problem, 0.2)
    assert time.process_time() - began < 3
    assert (answer.status, answer.reason) == (Status.FEASIBLE, "time limit")
    assert problem.check(answer.x) == 0


def test_the_order_of_vertices_does_not_matter():
    adjacency, weights = random_graph(25, 0.7, 3), random_weights(25, 2)
    names = np.array([f"m{k:02d}" for k in range(25)])
    expected = solve(MaximumClique(adjacency, weights, tuple(names)))
    for seed in range(4):
        p = np.random.default_rng(seed).permutation(25)
        problem = MaximumClique(adjacency[np.ix_(p, p)], weights[np.ix_(p, p)], tuple(names[p]))
        for backend in available(problem):
            assert sorted(names[p][solve(problem, backend).x]) == sorted(names[expected.x])


GRAPH = MaximumClique(turan(3, 2), None, ("f", "e", "d", "c", "b", "a"))


@pytest.fixture
def lie(monkeypatch):
    """Solve a problem with a back end that gives a fixed answer."""

    def run(problem, answer):
        monkeypatch.setitem(registered(), "liar", Backend("liar", (MaximumClique,), lambda p, t: answer))
        return solve(problem, "liar")

    return run


def test_claims_are_checked_in_integers(lie):
    honest = lie(GRAPH, Answer(Status.OPTIMAL, np.array([0, 0.9999999, 1e-9, 1, 0, 1]), 3.0, 3.0))
    assert (honest.status, honest.proven, honest.objective) == (Status.OPTIMAL, True, 3)
    later = lie(GRAPH, Answer(Status.OPTIMAL, np.array([1, 0, 1, 0, 1, 0]), 3.0, 3.0))
    assert (later.status, later.proven, later.bound) == (Status.FEASIBLE, False, 3)
    assert "first by name" in later.reason
    smaller = lie(GRAPH, Answer(Status.OPTIMAL, np.array([1, 0, 1, 0, 0, 0]), 9.0, 2.0))
    assert (smaller.status, smaller.objective, smaller.bound) == (Status.FEASIBLE, 2, 3)
    assert "preferred" in smaller.reason
    heavy = MaximumClique(turan(3, 2), random_weights(6, 5))
    best = solve(heavy).x
    wrong = lie(heavy, Answer(Status.OPTIMAL, ~best, 3.0, 3.0))
    assert wrong.status is Status.FEASIBLE


@pytest.mark.parametrize(
    "answer",
    [
        Answer(Status.OPTIMAL, np.ones(6), 6.0, 6.0),
        Answer(Status.OPTIMAL, np.full(6, 0.5)),
        Answer(Status.OPTIMAL, np.full(6, np.nan)),
        Answer(Status.OPTIMAL, np.ones(5)),
        Answer(Status.OPTIMAL),
        Answer(Status.INFEASIBLE),
        Answer(Status.UNBOUNDED),
        Answer(Status.INFEASIBLE, np.zeros(6)),
    ],
)
def test_impossible_answers_are_refuted(lie, answer):
    solution = lie(GRAPH, answer)
    assert (solution.status, solution.x, solution.proven) == (Status.ERROR, None, False)
    assert "refuted" in solution.reason
    assert solution.bound == 3


def test_a_claim_that_cannot_be_proven_here_stays_feasible(lie, monkeypatch):
    monkeypatch.setattr("solvers.verdicts.clique.PROOF_NODES", 3)
    problem = MaximumClique(turan(14, 2), random_weights(28, 9))
    best = solve(problem, "clique").x
    again = MaximumClique(problem.adjacency, problem.weights)
    solution = lie(again, Answer(Status.OPTIMAL, best, 14.0, 14.0))
    assert (solution.status, solution.proven) == (Status.FEASIBLE, False)
    assert "node limit" in solution.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1], [0, 0]],), r"adjacency\[0, 1\] = 1 and adjacency\[1, 0\] = 0 differ|differ; edges"),
        (([[True]],), "its own neighbour"),
        (([[0, 2], [2, 0]],), "booleans"),
        (([[0.0, 1.0], [1.0, 0.0]],), "booleans"),
        (([[0, 1]],), "shape"),
        ((turan(2, 1), [[0, -1], [-1, 0]]), "negative"),
        ((turan(2, 1), [[0, 1], [2, 0]]), "differ"),
        ((turan(2, 1), [[0.5, 1], [1, 0]]), "integer of 64 bits"),
        ((turan(2, 1), [[0, 2**63], [2**63, 0]]), "integer of 64 bits"),
        ((turan(2, 1), [[3, 1], [1, 0]]), "no edge to itself"),
        ((turan(2, 1), [[0]]), "to match the adjacency"),
        ((turan(2, 1), None, ("a",)), "1 names for 2 vertices"),
        ((turan(2, 1), None, ("a", "a")), "more than once"),
        ((turan(2, 1), None, ("a", 1)), "strings"),
        ((turan(2, 1), None, "ab"), "strings"),
    ],
)
def test_bad_graphs_are_refused(arguments, message):
    with pytest.raises(SolverError, match=message):
        MaximumClique(*arguments)


def test_check_counts_missing_edges():
    assert GRAPH.check(np.ones(6)) == 3
    assert GRAPH.check([0, 1, 0, 1, 0, 1]) == 0
    assert type(GRAPH.check(np.zeros(6))) is int
    assert GRAPH.rank([0, 1, 0, 1, 0, 1]) == (3, 0, ("a", "c", "e"))
    for members in ([0.5] * 6, [1] * 5, [2] * 6):
        with pytest.raises(SolverError):
            GRAPH.check(members)
    assert solve(MaximumClique(np.zeros((0, 0), dtype=bool))).objective == 0
    assert MaximumClique(np.zeros((11, 11), dtype=bool)).names[:2] == ("00", "01")
