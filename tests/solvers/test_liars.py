"""Back ends that lie: nothing they claim gets past the exact layer."""

import os

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, Status, solve
from solvers.backends import registered
from solvers.backends.base import Answer, Backend

COVER = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])
LINEAR = LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1])  # optimum 5 at (2, 1), dual 2


@pytest.fixture
def lie(monkeypatch):
    """Solve a problem with a back end that gives a fixed answer."""

    def run(problem, answer=None, function=None):
        liar = Backend("liar", (CoveringProgram, LinearProgram), function or (lambda p, t: answer))
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
