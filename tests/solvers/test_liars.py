"""Back ends that lie: nothing they claim gets past the exact layer."""

import os

import numpy as np
import pytest

from solvers import (
    CoveringProgram,
    LinearProgram,
    MaximumClique,
    OrderedBradleyTerry,
    SolverError,
    Status,
    solve,
)
from solvers.backends import registered
from solvers.backends.base import Answer, Backend
from solvers.tree import ColumnSplit, RowSplit, Step, Tree

COVER = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])
LINEAR = LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1])  # optimum 5 at (2, 1), dual 2


@pytest.fixture
def lie(monkeypatch):
    """Solve a problem with a back end that gives a fixed answer."""

    def run(problem, answer=None, function=None):
        liar = Backend(
            "liar",
            (CoveringProgram, LinearProgram, MaximumClique, OrderedBradleyTerry),
            function or (lambda p, t: answer),
        )
        monkeypatch.setitem(registered(), "liar", liar)
        return solve(problem, backend="liar")

    return run


def test_a_wrong_optimum_is_not_optimal(lie):
    solution = lie(COVER, Answer(Status.OPTIMAL, np.array([1.0, 1, 1, 0]), 2.0, 2.0, np.array([0, 0.125])))
    assert (solution.status, solution.objective, solution.bound) == (Status.FEASIBLE, 3, 2)
    assert not solution.proven
    assert solution.claimed.objective == 2.0
    assert solution.claimed.status is Status.OPTIMAL
    assert "claimed" in solution.reason


def test_zeros_at_a_limit_are_no_solution(lie):
    solution = lie(COVER, Answer(Status.FEASIBLE, np.zeros(4), 0.0))
    assert solution.status is Status.ERROR
    assert solution.x is None
    assert "15 short" in solution.reason


def test_inflated_bounds_are_recomputed(lie):
    for duals in (np.array([5.0, 5.0]), np.array([-1.0, np.nan]), np.zeros(7), None):
        solution = lie(COVER, Answer(Status.OPTIMAL, np.array([1, 1, 1, 0]), 3.0, 3.0, duals))
        assert solution.bound <= 2
        assert not solution.proven
    solution = lie(COVER, Answer(Status.OPTIMAL, np.ones(4), 4.0, 4.0, multipliers=([10**30, -1], 3)))
    assert solution.bound <= 2


def test_near_integers_are_rounded_and_then_counted(lie):
    x = np.array([0.9999999, 1.0000001, 1e-9, -1e-9])
    solution = lie(COVER, Answer(Status.OPTIMAL, x, 1.9999999, 2.0, np.array([0, 0.125])))
    assert (solution.status, solution.objective, solution.proven) == (Status.OPTIMAL, 2, True)
    solution = lie(COVER, Answer(Status.OPTIMAL, np.array([0.7, 1, 0.3, 0]), 2.0, 2.0))
    assert solution.status is Status.ERROR
    almost = CoveringProgram([[10**9, 10**9]], [2 * 10**9 - 1])
    solution = lie(almost, Answer(Status.OPTIMAL, np.array([1.0, 1e-6]), 1.0, 1.0))
    assert solution.status is Status.ERROR


@pytest.mark.parametrize(
    "answer",
    [
        Answer(Status.INFEASIBLE),
        Answer(Status.UNBOUNDED),
        Answer(Status.OPTIMAL),
        Answer(Status.INFEASIBLE, np.ones(4)),
        Answer(Status.OPTIMAL, np.ones(3)),
        Answer(Status.OPTIMAL, np.full(4, np.nan)),
        Answer(Status.OPTIMAL, np.full(4, 2)),
    ],
)
def test_impossible_outcomes_of_a_covering_program(lie, answer):
    solution = lie(COVER, answer)
    assert (solution.status, solution.x, solution.proven) == (Status.ERROR, None, False)
    assert "refuted" in solution.reason


def test_an_infeasible_program_cannot_be_solved(lie):
    impossible = CoveringProgram([[1, 1]], [3])
    solution = lie(impossible, Answer(Status.OPTIMAL, np.ones(2), 2.0, 2.0))
    assert (solution.status, solution.proven, solution.x) == (Status.INFEASIBLE, True, None)


def test_flipped_duals_of_a_linear_program(lie):
    x = np.array([2.0, 1.0])
    good = lie(LINEAR, Answer(Status.OPTIMAL, x, 5.0, 5.0, np.array([2.0])))
    assert (good.status, good.proven, good.bound) == (Status.OPTIMAL, True, 5)
    bad = lie(LINEAR, Answer(Status.OPTIMAL, x, 5.0, 5.0, np.array([-2.0])))
    assert (bad.status, bad.proven) == (Status.FEASIBLE, False)
    assert "prove" in bad.reason


def test_lies_about_a_linear_program(lie):
    outside = lie(LINEAR, Answer(Status.OPTIMAL, np.array([1.0, 1.0]), 3.0, 3.0, np.array([2.0])))
    assert (outside.status, outside.x) == (Status.ERROR, None)
    worse = lie(LINEAR, Answer(Status.OPTIMAL, np.array([3.0, 0.0]), 6.0, 6.0, np.array([2.0])))
    assert (worse.status, worse.bound, worse.proven) == (Status.FEASIBLE, 5, False)
    nothing = lie(LINEAR, Answer(Status.OPTIMAL))
    assert nothing.status is Status.ERROR
    ray = lie(LINEAR, Answer(Status.INFEASIBLE, ray=np.array([1.0])))
    assert not ray.proven
    not_finite = lie(LINEAR, Answer(Status.OPTIMAL, np.array([np.nan, 1.0]), 5.0))
    assert not_finite.status is Status.ERROR


def test_a_back_end_that_fails_says_so(lie):
    solution = lie(COVER, Answer(Status.ERROR, reason="licence expired"))
    assert (solution.status, solution.reason) == (Status.ERROR, "licence expired")


def test_noise_on_file_descriptor_1_is_kept_out(lie, capfd):
    def noisy(problem, time_limit):
        os.write(1, b"Welcome to NoisySolver 7\n")
        print("and good morning")
        return Answer(Status.OPTIMAL, np.array([1, 1, 0, 0]), 2.0, 2.0, np.array([0, 0.125]))

    assert lie(COVER, function=noisy).proven
    assert capfd.readouterr().out == ""


ONE = LinearProgram([1], [[1]], row_lower=[2000001], integrality=True)
HALVES = LinearProgram([0.5, 0], [[2, 0]], row_lower=[1], lower=[0, 1e6], integrality=True)
MIXED = LinearProgram([1, 0], [[1, 1e-3]], row_lower=[3], upper=[9, 1], integrality=[True, False])


@pytest.mark.parametrize(
    ("program", "x", "duals", "reason"),
    [
        (ONE, [2000000.0], [1.0], "constraint 0 by 1"),
        (ONE, [2000000.5], [1.0], "column 0 is integer and off by 0.5"),
        (HALVES, [0.5, 1e6], [0.25], "column 0 is integer"),
        (HALVES, [1, 1e6 + 0.25], [0.25], "column 1 is integer"),
        (
            LinearProgram([1], upper=10**6, integrality=True, maximise=True),
            [10**6 + 1],
            [],
            "a bound of column 0",
        ),
        (MIXED, [2, 1], [1], "constraint 0 by 0.999"),
    ],
)
def test_points_beside_an_integer_program_are_refuted(lie, program, x, duals, reason):
    solution = lie(program, Answer(Status.OPTIMAL, np.array(x), None, None, np.array(duals)))
    assert (solution.status, solution.x) == (Status.ERROR, None)
    assert reason in solution.reason


@pytest.mark.parametrize(
    ("program", "x", "duals"),
    [
        (ONE, [2000002.0], [1.0]),
        (HALVES, [2, 1e6], [0.25]),
        (LinearProgram([0.5], lower=10**8, integrality=True), [10**8 + 1], []),
        (
            LinearProgram([1, 0], [[1, 1]], row_lower=[2000001], integrality=[True, False], upper=[3e6, 0]),
            [2000002, 0],
            [1.0],
        ),
    ],
)
def test_the_last_unit_of_an_integer_objective_decides(lie, program, x, duals):
    solution = lie(program, Answer(Status.OPTIMAL, np.array(x), None, None, np.array(duals)))
    assert solution.status is Status.FEASIBLE
    assert "optimality is claimed" in solution.reason


def test_the_right_integer_points_are_optimal(lie):
    assert lie(ONE, Answer(Status.OPTIMAL, np.array([2000001.0]), duals=np.array([1.0]))).proven
    half = lie(HALVES, Answer(Status.OPTIMAL, np.array([1, 1e6]), duals=np.array([0.25])))
    assert (half.proven, half.bound) == (True, 0.5)


def test_no_point_better_than_the_bound_of_an_integer_program_is_optimal(lie):
    program = LinearProgram([1, 1], [[1, 1]], row_lower=[2.5], upper=[9, 0.5], integrality=[True, False])
    for off, wanted in ((0.0, Status.OPTIMAL), (1e-7, Status.FEASIBLE)):
        solution = lie(program, Answer(Status.OPTIMAL, np.array([2, 0.5 - off]), duals=np.array([1.0])))
        assert solution.status is wanted
    assert "missed by 1e-07" in solution.reason


def test_no_tolerance_grows_with_numbers_elsewhere(lie):
    program = LinearProgram([1, 0, 0], [[1, 0, 0], [0, 1, -1]], row_lower=[1, 1])
    for x, row in (([0.9, 1e300, 0], 0), ([0.9, 1e7, 0], 0), ([1, 1e300, 1e300], 1), ([1, 5e9, 5e9], 1)):
        solution = lie(program, Answer(Status.OPTIMAL, np.array(x), duals=np.array([1.0, 0.0])))
        assert solution.status is Status.ERROR
        assert f"constraint {row} by {1 if row else 0.1}" in solution.reason
    within = lie(program, Answer(Status.OPTIMAL, np.array([1, 1e4, 9999.0005]), duals=np.array([1.0, 0.0])))
    assert (within.status, within.proven) == (Status.OPTIMAL, False)
    assert "missed by 0.0005" in within.reason


def test_unbounded_is_refuted_by_a_bound(lie):
    for program, answer in (
        (LinearProgram([1]), Answer(Status.UNBOUNDED)),
        (LinearProgram([-1], upper=4), Answer(Status.UNBOUNDED)),
        (
            LinearProgram([1, 1], [[1, 1]], row_lower=[3], lower=-np.inf),
            Answer(Status.UNBOUNDED, duals=np.ones(1)),
        ),
    ):
        solution = lie(program, answer)
        assert solution.status is Status.ERROR
        assert "no point is better than" in solution.reason
        assert solution.bound is not None
    assert lie(LinearProgram([-1]), Answer(Status.UNBOUNDED)).status is Status.UNBOUNDED


def test_points_that_come_with_no_claim_to_them_are_checked(lie):
    x = np.array([2.0, 1.0])
    solution = lie(LINEAR, Answer(Status.INFEASIBLE, x))
    assert (solution.status, solution.bound) == (Status.ERROR, 0)
    assert "satisfies every constraint" in solution.reason
    assert lie(LINEAR, Answer(Status.NO_SOLUTION, x)).status is Status.FEASIBLE
    assert lie(LINEAR, Answer(Status.NO_SOLUTION, -x)).status is Status.NO_SOLUTION
    assert lie(LINEAR, Answer(Status.NO_SOLUTION, duals=np.array([2.0]))).bound == 5
    assert lie(LINEAR, Answer(Status.INFEASIBLE, [[1], 2])).status is Status.INFEASIBLE


GOOD = np.array([1, 1, 0, 0])


@pytest.mark.parametrize(
    "multipliers",
    [
        ([np.inf, 1], 8), ([0, 1], np.inf), ([0, 1.5], 8), (["a", "b"], 8), ([0, None], 8), ([0, 1], True),
        ([10**5000, 0], 1), ([0, 1], 10**50000), (None, 8), 7, ((0, 1), 8, 9), ([[0], 1], 8),
    ],
)  # fmt: skip
def test_multipliers_that_are_no_integers_prove_nothing(lie, multipliers):
    solution = lie(COVER, Answer(Status.OPTIMAL, GOOD, multipliers=multipliers))
    assert solution.status is Status.FEASIBLE
    assert solution.bound <= 2


@pytest.mark.parametrize(
    "tree",
    [
        Tree(1, ("junk",)), Tree(1, None), Tree(None, ()), Tree(1.25, (Step((), 1, 0),)), Tree(True, ()),
        "tree", Tree(1, (Step(None, 1, 0),)), Tree(1, (Step((), 1, 0, "split"),)), Tree(np.inf, ()),
        Tree(1, (Step((), 1, 0, ColumnSplit(0.5)),)), Tree(1, (Step((), 1, 0, RowSplit(None, 0, 0, 0)),)),
        Tree(10**400, ()),
    ],
)  # fmt: skip
def test_trees_that_are_none_prove_nothing(lie, tree):
    solution = lie(COVER, Answer(Status.OPTIMAL, GOOD, tree=tree))
    assert solution.status is Status.FEASIBLE
    assert (solution.bound, solution.tree) == (0, None)


def test_a_tree_with_a_fraction_for_its_target_forges_no_bound(lie):
    program = CoveringProgram([[2, 2, 4, 0]], [7])
    tree = Tree(2.25, (Step((1,), 2, 5),))  # two columns leave one half missing
    solution = lie(program, Answer(Status.OPTIMAL, np.array([1, 1, 1, 0]), multipliers=([1], 4), tree=tree))
    assert (solution.status, solution.bound) == (Status.FEASIBLE, 2)


PROBLEMS = [
    COVER,
    LINEAR,
    ONE,
    MaximumClique([[0, 1], [1, 0]]),
    OrderedBradleyTerry([[0, 1], [1, 0]]),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize(
    "answer",
    [
        Answer(Status.OPTIMAL, [[1], [2, 3]]),
        Answer(Status.OPTIMAL, ["a", "b"]),
        Answer(Status.OPTIMAL, [10**400, 1]),
        Answer(Status.OPTIMAL, "point"),
        Answer(Status.OPTIMAL, {1: 2}),
        Answer("optimal"),
        None,
        "optimal",
    ],
)
def test_answers_that_cannot_be_read_are_refuted(lie, problem, answer):
    solution = lie(problem, answer)
    assert (solution.status, solution.x, solution.proven) == (Status.ERROR, None, False)
    assert solution.reason


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
def test_a_back_end_that_crashes_is_an_error_with_a_reason(lie, problem):
    def crash(problem, time_limit):
        raise RuntimeError("pivot lost")

    solution = lie(problem, function=crash)
    assert solution.status is Status.ERROR
    assert "RuntimeError: pivot lost" in solution.reason


@pytest.mark.parametrize("error", [SolverError("no"), KeyboardInterrupt()])
def test_refusals_and_interrupts_reach_the_caller(lie, error):
    def stop(problem, time_limit):
        raise error

    with pytest.raises(type(error)):
        lie(COVER, function=stop)


def test_duals_that_cannot_be_read_are_none(lie):
    solution = lie(LINEAR, Answer(Status.OPTIMAL, np.array([2.0, 1.0]), duals=[[1], [2, 3]]))
    assert solution.status is Status.FEASIBLE
    assert lie(LINEAR, Answer(Status.INFEASIBLE, ray=[[1], [2, 3]])).proven is False


def test_a_back_end_cannot_rewrite_the_problem(lie):
    def rewrite(problem, time_limit):
        problem.demands[:] = 0
        return Answer(Status.OPTIMAL, np.zeros(4), multipliers=([0, 0], 1))

    solution = lie(CoveringProgram(np.array([[4, 12, 4, 0]]), np.array([13])), function=rewrite)
    assert solution.status is Status.ERROR
    assert "read-only" in solution.reason


def test_a_second_solve_sees_the_same_problem():
    gains = np.array([[1, 2, 3]])
    program = CoveringProgram(gains, [5])
    first = solve(program)
    gains[:] = 0
    assert solve(program).objective == first.objective == 2
