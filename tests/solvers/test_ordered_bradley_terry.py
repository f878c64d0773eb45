"""Ordered Bradley–Terry fits: agreement with independent optimisers, and certificates that always hold."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import OrderedBradleyTerry, SolverError, Status, available, solve
from solvers.backends import registered
from solvers.backends.base import Answer, Backend
from solvers.bradley_terry.enclosure import decay, gradient, log1p_small, surplus
from solvers.bradley_terry.polytope import groups_of, repaired
from solvers.ordered_bradley_terry import SMALLEST_BOX
from solvers.verdicts.bradley_terry import allowance
from tests.solvers.instances import seeded

BACKENDS = [name for name, b in registered().items() if OrderedBradleyTerry in b.problems]
LOG2 = Fraction(Decimal(2).ln())


def played(models, seed, games=60, density=1.0):
    """Wins of a random Bradley–Terry tournament, (K, K)."""
    rng = np.random.default_rng(seed)
    strength = 0.8 * rng.normal(size=models)
    met = np.triu(rng.poisson(games, (models, models)) * (rng.random((models, models)) < density), 1)
    won = rng.binomial(met, 1 / (1 + np.exp(strength[None, :] - strength[:, None])))
    return (won + (met - won).T).astype(float)


def upside_down(wins, pairs, seed=0):
    """Order constraints that mostly contradict the results."""
    rng = np.random.default_rng(seed)
    rank = np.argsort((wins - wins.T).sum(axis=1))
    ends = np.sort(rng.integers(0, len(wins), (pairs, 2)), axis=1)
    return [(int(rank[a]), int(rank[b])) for a, b in ends if a != b]


def exact_value(problem, x):
    """The objective with 50 digits, by the standard library's decimal logarithms."""
    with localcontext() as context:
        context.prec = 60 + int(np.ptp(x))  # 1 + exp(−600) needs 260 digits
        point = [Decimal(float(v)) for v in x]
        total = -Decimal(problem.ridge) / 2 * sum(v * v for v in point)
        for i, j in np.argwhere(problem.wins):
            probability = 1 / (1 + (point[j] - point[i]).exp())
            total += Decimal(float(problem.wins[i, j])) * probability.ln()
        return Fraction(total)


def feasible_points(problem, count, seed=0):
    """Random feasible points, exactly feasible."""
    rng = np.random.default_rng(seed)
    groups = groups_of(problem)
    for k in range(count):
        x = rng.normal(size=problem.n) * problem.box * (0.2 if k % 2 else 3)
        yield repaired(problem, groups, x)


@st.composite
def problems(draw):
    """Up to 6 models; zero counts, certain winners, cycles in the order, any box and ridge."""
    n = draw(st.integers(1, 6))
    counts = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 7, 1000]), min_size=n * n, max_size=n * n))
    wins = np.array(counts, dtype=float).reshape(n, n)
    np.fill_diagonal(wins, 0)
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    order = draw(st.lists(pair, max_size=7)) if n > 1 else []
    box = draw(st.sampled_from([0.1, 1.0, 2.0, 7.3]))
    return OrderedBradleyTerry(wins, order, box, draw(st.sampled_from([0.0, 0.0, 0.5, 30.0])))


@seeded
@given(problem=problems())
def test_the_fit_is_feasible_and_nobody_beats_its_bound(problem):
    solution = solve(problem)
    assert solution.backend == "ordered-newton"
    assert solution.status is Status.OPTIMAL
    assert problem.check(solution.x) <= Fraction(1, 10**14)
    low, high = problem.enclosure(solution.x)
    assert solution.objective == low <= exact_value(problem, solution.x) <= high <= solution.bound
    assert solution.bound - solution.objective <= allowance(problem) / 100
    assert (solution.duals <= 0).all()  # a stricter order can only lower the maximum
    for x in feasible_points(problem, 6):
        assert exact_value(problem, x) <= solution.bound


@seeded
@given(problem=problems(), seed=st.integers(0, 10**6))
def test_any_multipliers_give_a_true_certificate(problem, seed):
    rng = np.random.default_rng(seed)
    groups = groups_of(problem)
    x = next(feasible_points(problem, 1, seed))
    value, error = gradient(problem.wins, problem.ridge, x)
    merged = np.empty(len(groups.sizes))
    merged[groups.of] = x
    total = np.bincount(groups.of, weights=value)
    slack = np.bincount(groups.of, weights=error) + 1e-12 * np.bincount(groups.of, weights=np.abs(value))
    prices = rng.exponential(size=len(groups.pairs)) * rng.choice([0.0, 1.0, 50.0])
    bound = surplus(total, slack, merged, groups.sizes, problem.box, groups.pairs, prices)
    for s in feasible_points(problem, 6, seed + 1):
        gain = sum(
            Fraction(float(g)) * (Fraction(float(a)) - Fraction(float(b)))
            for g, a, b in zip(value, s, x, strict=True)
        )
        assert gain <= bound
        assert exact_value(problem, s) - exact_value(problem, x) <= bound


@pytest.mark.parametrize("seed", range(6))
def test_the_optimality_conditions_hold(seed):
    wins = played(9, seed)
    problem = OrderedBradleyTerry(wins, upside_down(wins, 6, seed), box=0.4 + 0.3 * seed, ridge=seed % 2)
    solution = solve(problem)
    x, duals = solution.x, solution.duals
    value, _ = gradient(problem.wins, problem.ridge, x)
    for (a, b), dual in zip(problem.order, duals, strict=True):
        value[a] -= dual
        value[b] += dual
        assert -dual * (x[a] - x[b]) <= 1e-7 * wins.sum()
    inside = np.abs(x) < problem.box - 1e-7
    level = np.median(value[inside])
    scale = 1e-8 * wins.sum()
    assert np.allclose(value[inside], level, atol=scale)
    assert (value[x > problem.box - 1e-7] >= level - scale).all()
    assert (value[x < -problem.box + 1e-7] <= level + scale).all()


@pytest.mark.parametrize("seed", range(8))
def test_agreement_with_sequential_quadratic_programming(seed):
    optimize = pytest.importorskip("scipy.optimize")
    wins = played(6, seed, games=20, density=0.8)
    problem = OrderedBradleyTerry(wins, upside_down(wins, 4, seed), box=1.0 + seed % 3, ridge=0.5)
    pairs = problem.pairs

    def loss(x):
        value, _ = gradient(problem.wins, problem.ridge, x)
        d = x[:, None] - x[None, :]
        return (wins * np.logaddexp(0, -d)).sum() + problem.ridge / 2 * x @ x, -value

    constraints = [{"type": "eq", "fun": lambda x: x.sum(), "jac": lambda x: np.ones_like(x)}]
    if len(pairs):
        constraints.append({"type": "ineq", "fun": lambda x: x[pairs[:, 0]] - x[pairs[:, 1]]})
    found = optimize.minimize(
        loss,
        np.zeros(6),
        jac=True,
        method="SLSQP",
        bounds=[(-problem.box, problem.box)] * 6,
        constraints=constraints,
        options={"ftol": 1e-14, "maxiter": 500},
    )
    solution = solve(problem)
    assert float(solution.objective) == pytest.approx(-found.fun, rel=1e-6)
    np.testing.assert_allclose(solution.x, found.x, atol=2e-5)
    assert -found.fun <= float(solution.bound) + 1e-6


@pytest.mark.parametrize("backend", [name for name in BACKENDS if name != "ordered-newton"])
@pytest.mark.parametrize("seed", range(4))
def test_cone_solvers_agree(backend, seed):
    wins = played(7, seed, games=30)
    problem = OrderedBradleyTerry(wins, upside_down(wins, 5, seed), box=1.5, ridge=seed % 2)
    own, other = solve(problem), solve(problem, backend)
    assert other.status is Status.OPTIMAL
    assert not other.proven
    assert problem.check(other.x) == 0
    assert float(other.objective) == pytest.approx(float(own.objective), rel=1e-6)
    assert other.objective <= own.bound
    assert own.objective <= other.bound
    assert float(other.bound) == pytest.approx(float(own.bound), rel=1e-5)
    np.testing.assert_allclose(other.x, own.x, atol=1e-3)


def test_two_models_in_closed_form():
    solution = solve(OrderedBradleyTerry([[0, 30], [10, 0]]))
    np.testing.assert_allclose(solution.x, [np.log(3) / 2, -np.log(3) / 2], atol=1e-9)
    tied = solve(OrderedBradleyTerry([[0, 30], [10, 0]], [(1, 0)]))
    np.testing.assert_allclose(tied.x, [0, 0], atol=1e-12)
    np.testing.assert_allclose(tied.duals, [-10.0], rtol=1e-6)  # 30 σ(0) − 10 σ(0): d maximum / d margin
    assert abs(tied.bound + 40 * LOG2) < Fraction(1, 10**10)


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_the_smallest_box_is_solved(ridge):
    wins = np.array([[0, 5.0, 1], [1, 0, 3], [2, 2, 0]])
    solution = solve(OrderedBradleyTerry(wins, [(1, 0)], box=SMALLEST_BOX, ridge=ridge))
    assert solution.status is Status.OPTIMAL
    assert np.abs(solution.x).max() <= SMALLEST_BOX


def test_separation_is_held_by_the_box():
    wins = np.triu(np.ones((6, 6)), 1)
    for box in (0.5, 2.0, 20.0, 300.0):
        solution = solve(OrderedBradleyTerry(wins, box=box))
        assert solution.status is Status.OPTIMAL
        assert solution.x[0] > solution.x[-1]
        assert np.abs(solution.x).max() <= box
    assert solve(OrderedBradleyTerry(wins, box=2.0)).x[0] == pytest.approx(2.0, abs=1e-6)


def test_components_that_never_met_get_the_point_of_least_norm():
    wins = np.zeros((5, 5))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 3, 1, 5, 5
    solution = solve(OrderedBradleyTerry(wins))
    half = np.log(3) / 2
    np.testing.assert_allclose(solution.x, [half, -half, 0, 0, 0], atol=1e-6)
    assert solution.status is Status.OPTIMAL
    tied = solve(OrderedBradleyTerry(wins, [(3, 0)]))  # 3 and 2 rise, 0 and 1 fall, until 3 meets 0
    assert tied.x[3] == pytest.approx(tied.x[0], abs=1e-4)
    assert tied.x[0] - tied.x[1] == pytest.approx(2 * half, abs=1e-6)


def test_no_results_and_a_single_model_are_exact():
    for problem in (
        OrderedBradleyTerry([[0]]),
        OrderedBradleyTerry([[0]], ridge=2),
        OrderedBradleyTerry(np.zeros((3, 3)), [(0, 1), (1, 2)]),
        OrderedBradleyTerry(np.zeros((3, 3)), ridge=1),
    ):
        solution = solve(problem)
        assert (solution.status, solution.proven) == (Status.OPTIMAL, True)
        assert solution.objective == solution.bound == 0
        assert not solution.x.any()


def test_contradicting_orders_mean_equality():
    wins = played(6, 1)
    problem = OrderedBradleyTerry(wins, [(0, 1), (1, 2), (2, 0), (4, 5)])
    solution = solve(problem)
    assert solution.x[0] == solution.x[1] == solution.x[2]
    assert problem.check(solution.x) <= Fraction(1, 10**14)
    assert solution.bound - solution.objective < allowance(problem) / 1000
    ring = OrderedBradleyTerry(wins, [(k, (k + 1) % 6) for k in range(6)])
    assert not solve(ring).x.any()
    for backend in available(problem):
        other = solve(problem, backend)
        assert float(other.objective) == pytest.approx(float(solution.objective), rel=1e-6)


@pytest.mark.parametrize("scale", [1e-12, 1e6, 1e16])
def test_counts_of_any_size_give_the_same_fit(scale):
    wins = played(8, 2)
    order = upside_down(wins, 4)
    plain, scaled = solve(OrderedBradleyTerry(wins, order)), solve(OrderedBradleyTerry(wins * scale, order))
    np.testing.assert_allclose(plain.x, scaled.x, atol=1e-8)
    width = (scaled.bound - scaled.objective) / Fraction(float((wins * scale).sum()))
    assert width < Fraction(1, 10**12)


def test_one_upset_among_1e18_results():
    wins = np.triu(np.full((5, 5), 1e18), 1)
    wins[4, 0] = 1
    for order in ([], [(4, 0)], [(3, 1), (2, 0)]):
        problem = OrderedBradleyTerry(wins, order, box=2.0)
        solution = solve(problem)
        assert solution.status is Status.OPTIMAL
        assert solution.objective <= exact_value(problem, solution.x) <= solution.bound


@pytest.mark.parametrize("models", [35, 200])
def test_many_models(models):
    wins = played(models, 0)
    problem = OrderedBradleyTerry(wins, upside_down(wins, models // 2))
    solution = solve(problem, "ordered-newton")
    assert solution.status is Status.OPTIMAL
    assert problem.check(solution.x) == 0
    assert solution.bound - solution.objective < allowance(problem) / 10**5
    assert solution.seconds < (0.5 if models == 35 else 5)  # 4 to 7 and 35 to 60 ms of processor time
    if models == 200:
        with pytest.raises(SolverError, match="as exponential cones at most"):
            solve(problem, "cvxpy-clarabel")


def test_limits_are_named():
    problem = OrderedBradleyTerry(played(30, 0))
    nothing = solve(problem, time_limit=0)
    assert (nothing.status, nothing.x) == (Status.NO_SOLUTION, None)
    short = solve(problem, time_limit=1e-9)
    assert (short.status, short.reason) == (Status.FEASIBLE, "time limit")
    assert short.objective <= solve(problem).objective <= short.bound


@seeded
@given(st.lists(st.floats(-300, 300), min_size=2, max_size=6), st.integers(0, 10**6))
def test_enclosures_and_gradients_hold_to_the_last_digit(point, seed):
    rng = np.random.default_rng(seed)
    n = len(point)
    wins = rng.integers(0, 3, (n, n)) * 10.0 ** rng.integers(-10, 19, (n, n))
    np.fill_diagonal(wins, 0)
    problem = OrderedBradleyTerry(wins, ridge=float(rng.integers(0, 2)), box=300.0)
    x = np.array(point)
    low, high = problem.enclosure(x)
    exact = exact_value(problem, x)
    assert low <= exact <= high
    spread = Fraction(float(wins.sum())) * Fraction(1, 2**42)  # differences were rounded, up and down
    assert high - low <= (abs(exact) + spread) * Fraction(1, 10**13) + spread + Fraction(1, 10**240)
    value, error = gradient(problem.wins, problem.ridge, x)
    with localcontext() as context:
        context.prec = 60 + int(np.ptp(x))
        for k in range(n):
            true = -Decimal(problem.ridge) * Decimal(point[k])
            for j in range(n):
                upset = 1 / (1 + (Decimal(point[k]) - Decimal(point[j])).exp())
                true += Decimal(float(wins[k, j])) * upset - Decimal(float(wins[j, k])) * (1 - upset)
            assert abs(Fraction(float(value[k])) - Fraction(true)) <= Fraction(float(error[k]))


def test_exponentials_and_logarithms_are_as_accurate_as_stated():
    x = np.concatenate((np.linspace(0, 600, 997), [0.0, 5e-324, 1e-300, 1e-17, np.log(2) / 2, 599.999]))
    unit = Fraction(1, 2**53)
    with localcontext() as context:
        context.prec = 60
        for value, y in zip(x, decay(x), strict=True):
            true = Fraction((-Decimal(float(value))).exp())
            assert abs(Fraction(float(y)) - true) <= 8 * unit * true
        small = np.concatenate((np.linspace(0, 1, 997), 2.0 ** -np.arange(1.0, 1000)))
        for value, logarithm in zip(small, log1p_small(small), strict=True):
            with localcontext() as wide:
                wide.prec = 400
                true = Fraction((1 + Decimal(float(value))).ln())
            assert abs(Fraction(float(logarithm)) - true) <= 18 * unit * true


@seeded
@given(problem=problems(), seed=st.integers(0, 10**6))
def test_repair_is_exact_and_moves_little(problem, seed):
    rng = np.random.default_rng(seed)
    groups = groups_of(problem)
    start = next(feasible_points(problem, 1, seed))
    bent = np.clip(start + 1e-7 * rng.normal(size=problem.n), -problem.box - 1e-7, problem.box + 1e-7)
    x = repaired(problem, groups, bent)
    single = (groups.sizes == 1).any()
    assert problem.check(x) <= (0 if single and not problem.order else Fraction(1, 10**12))
    assert np.abs(x - start).max() < 1e-5
    for a, b in problem.order:
        assert x[a] >= x[b]
    np.testing.assert_array_equal(repaired(problem, groups, x), x)


@pytest.fixture
def lie(monkeypatch):
    """Solve a problem with a back end that gives a fixed answer."""

    def run(problem, answer):
        liar = Backend("liar", (OrderedBradleyTerry,), lambda p, t: answer)
        monkeypatch.setitem(registered(), "liar", liar)
        return solve(problem, "liar")

    return run


PROBLEM = OrderedBradleyTerry([[0, 30, 5], [10, 0, 4], [6, 9, 0]], [(2, 0)])


def test_a_wrong_optimum_is_only_feasible(lie):
    truth = solve(PROBLEM)
    wrong = lie(PROBLEM, Answer(Status.OPTIMAL, np.zeros(3), 0.0, 0.0))
    assert (wrong.status, wrong.proven) == (Status.FEASIBLE, False)
    assert "may be better" in wrong.reason
    assert wrong.objective < truth.objective <= wrong.bound
    for duals in (None, -truth.duals, np.array([np.nan]), np.ones(5), np.array([-1e300])):
        right = lie(PROBLEM, Answer(Status.OPTIMAL, truth.x, 5.0, 5.0, duals))
        assert right.status is Status.OPTIMAL
        assert truth.objective <= right.bound
        assert right.objective == truth.objective


@pytest.mark.parametrize(
    "answer",
    [
        Answer(Status.OPTIMAL, np.array([1.0, 0.0, -1.0])),
        Answer(Status.OPTIMAL, np.array([-1.0, -1.0, 0.0])),
        Answer(Status.OPTIMAL, np.array([-3.0, 0.0, 3.0])),
        Answer(Status.OPTIMAL, np.array([np.nan, 0.0, 0.0])),
        Answer(Status.OPTIMAL, np.array([1e300, 0.0, -1e300])),
        Answer(Status.OPTIMAL, np.zeros(4)),
        Answer(Status.OPTIMAL),
        Answer(Status.INFEASIBLE),
        Answer(Status.UNBOUNDED),
    ],
)
def test_impossible_answers_are_refuted(lie, answer):
    solution = lie(PROBLEM, answer)
    assert (solution.status, solution.x, solution.proven) == (Status.ERROR, None, False)
    assert "refuted" in solution.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1]],), "shape"),
        ((np.zeros((0, 0)),), "shape"),
        (([[0, -1], [1, 0]],), r"wins\[0, 1\] = -1.0"),
        (([[0, np.nan], [1, 0]],), r"wins\[0, 1\] = nan"),
        (([[0, np.inf], [1, 0]],), r"wins\[0, 1\] = inf"),
        (([[0, 1e70], [1, 0]],), "rescale"),
        (([[1, 1], [1, 0]],), "does not meet itself"),
        (([["a", 1], [1, 0]],), "numbers"),
        (([[0, 1], [1, 0]], [(0, 0)]), "two different indices"),
        (([[0, 1], [1, 0]], [(0, 2)]), "from 0 to 1"),
        (([[0, 1], [1, 0]], [(0, 0.5)]), "from 0 to 1"),
        (([[0, 1], [1, 0]], [0]), "a pair"),
        (([[0, 1], [1, 0]], [], 0.0), "box"),
        (([[0, 1], [1, 0]], [], 5e-324), "box"),
        (([[0, 1], [1, 0]], [], 1e-320), "box"),
        (([[0, 1], [1, 0]], [], 9e-10), "box"),
        (([[0, 1], [1, 0]], [], 301.0), "box"),
        (([[0, 1], [1, 0]], [], float("inf")), "box"),
        (([[0, 1], [1, 0]], [], 1.0, -1.0), "ridge"),
        (([[0, 1], [1, 0]], [], 1.0, "x"), "ridge"),
    ],
)
def test_bad_problems_are_refused(arguments, message):
    with pytest.raises(SolverError, match=message):
        OrderedBradleyTerry(*arguments)


def test_check_is_exact():
    problem = OrderedBradleyTerry([[0, 1], [1, 0]], [(0, 1)], box=0.1)
    assert problem.check([0.1, -0.1]) == 0
    assert problem.check([0.1, 0.0]) == Fraction(0.1)
    assert problem.check([-0.05, 0.05]) == 2 * Fraction(0.05)
    assert problem.check([0.3, -0.3]) == Fraction(0.3) - Fraction(0.1)
    with pytest.raises(SolverError):
        problem.check([0.0])
