"""The specialised back ends and HiGHS on covering programs, against brute force and against each other.

Every other back end meets covering programs in the conformance suite.
"""

import numpy as np
import pytest
from hypothesis import given

from solvers import CoveringProgram, SolverError, Status, available, solve
from tests.solvers.instances import brute_force, random_panel, seeded, small_programs

COVERING = ["highs", "sifting", "sorting"]


def takes(name, program):
    return name in available(program)


@pytest.mark.parametrize("backend", COVERING)
@seeded
@given(program=small_programs())
def test_small_programs_against_brute_force(backend, program):
    if not takes(backend, program):
        with pytest.raises(SolverError, match="cannot take"):
            solve(program, backend=backend)
        return
    best = brute_force(program)
    solution = solve(program, backend=backend)
    if best is None:
        assert (solution.status, solution.proven, solution.x) == (Status.INFEASIBLE, True, None)
        assert "asks for" in solution.reason
        return
    assert solution.x is not None
    assert program.check(solution.x) == 0
    assert solution.objective == int(solution.x.sum())
    assert solution.bound <= best <= solution.objective
    assert solution.proven == (solution.bound == solution.objective)
    assert solution.status is (Status.OPTIMAL if solution.proven else Status.FEASIBLE)
    assert type(solution.objective) is int
    assert type(solution.bound) is int
    assert (solution.duals >= 0).all()
    if backend == "highs":
        assert solution.objective == best


@seeded
@given(program=small_programs())
def test_the_search_finds_the_optimum_of_small_programs(program):
    best = brute_force(program)
    if best is not None:
        assert solve(program).objective == best


@pytest.mark.parametrize("backend", COVERING)
def test_worked_example_with_one_constraint(backend):
    solution = solve(CoveringProgram([[2, 2, 4, 0]], [7]), backend=backend)
    assert (solution.objective, solution.bound, solution.proven) == (3, 3, True)
    assert solution.x.tolist() == [True, True, True, False]


@pytest.mark.parametrize("backend", [name for name in COVERING if name != "sorting"])
def test_worked_example_with_two_constraints(backend):
    solution = solve(CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]), backend=backend)
    assert (solution.objective, solution.bound, solution.proven) == (2, 2, True)
    assert np.flatnonzero(solution.x).tolist() == [0, 1]
    dual = solution.multipliers
    assert 8 * dual.numerator == 11 * dual.q  # z = 11/8


@pytest.mark.parametrize("backend", COVERING)
def test_nothing_demanded_needs_nothing(backend):
    for program in (
        CoveringProgram(np.zeros((0, 3), dtype=int), []),
        CoveringProgram([[1, 2]], [0]),
        CoveringProgram([[1, 2], [0, 0]], [-5, 0]),
        CoveringProgram(np.zeros((1, 0), dtype=int), [0]),
    ):
        solution = solve(program, backend=backend)
        assert (solution.objective, solution.bound, solution.proven) == (0, 0, True)
        assert solution.x.shape == (program.n,)


@pytest.mark.parametrize("backend", COVERING)
def test_equal_columns_are_taken_in_order(backend):
    program = CoveringProgram([[5, 1, 5, 5, 1, 5]], [10])
    assert np.flatnonzero(solve(program, backend=backend).x).tolist() == [0, 2]


@pytest.mark.parametrize("backend", COVERING)
def test_equal_inputs_give_equal_witnesses(backend):
    program = random_panel(400, 2 if backend == "sorting" else 3, 5)
    narrow = CoveringProgram(program.gains.astype(np.int32), program.demands)
    first, second = solve(program, backend=backend), solve(narrow, backend=backend)
    np.testing.assert_array_equal(first.x, second.x)
    assert first.multipliers == second.multipliers


def test_many_ties_are_solved_at_the_root():
    rng = np.random.default_rng(1)
    kinds = np.array([[3, 0, 2, 0], [1, 4, 2, 0]])
    program = CoveringProgram(kinds[:, rng.integers(0, 4, size=30_000)], [20_001, 17_003])
    solution = solve(program)
    assert solution.proven
    for kind in kinds.T:  # within a class the first rows are taken
        members = np.flatnonzero((program.gains == kind[:, None]).all(axis=0))
        taken = solution.x[members]
        assert taken.tolist() == sorted(taken.tolist(), reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_random_panels_of_four_candidates_close(seed):
    solution = solve(random_panel(20_000, 4, seed))
    assert solution.proven


def test_one_constraint_with_huge_numbers():
    for big in (10**9, 10**12, 10**13):
        program = CoveringProgram([[big, 1, 1]], [big + 1])
        solution = solve(program)
        assert (solution.objective, solution.proven) == (2, True)
        assert np.flatnonzero(solution.x).tolist() == [0, 1]
        checked = solve(program, backend="highs")
        assert (checked.objective, checked.proven) == (2, True)


def test_highs_refuses_integers_it_cannot_hold():
    program = CoveringProgram([[10**15, 1], [1, 1]], [10**15 + 1, 1])
    assert "highs" not in available(program)
    with pytest.raises(SolverError, match=r"size 1000000000000001.*below 1e\+15"):
        solve(program, backend="highs")
    assert solve(program).objective == 2


def test_sums_beyond_64_bits():
    rng = np.random.default_rng(0)
    gains = rng.integers(2**61, 2**63 - 1, size=(2, 2000))
    program = CoveringProgram(gains, np.full(2, 2**63 - 1))
    solution = solve(program)
    assert program.check(solution.x) == 0
    assert solution.objective == 2
    tight = CoveringProgram(gains[:, :4] // 4, [int((row // 4).sum()) for row in gains[:, :4]])
    assert solve(tight).objective == 4


def test_sorting_sums_beyond_64_bits():
    program = CoveringProgram(np.full((1, 10), 2**62), np.array([2**62 + 1]))
    assert solve(program).objective == 2


def test_more_effort_never_hurts():
    program = random_panel(500, 8, 3)
    few, many = solve(program, effort=0), solve(program, effort=3)
    assert many.objective <= few.objective
    assert few.bound == many.bound
    with pytest.raises(SolverError, match="effort"):
        solve(program, effort=-1)


def test_huge_gains_keep_their_precision():
    rng = np.random.default_rng(2)
    gains = rng.integers(0, 2**57, size=(3, 200))
    demands = np.array([min(int(row.sum(dtype=object)) // 3, 2**62) for row in gains.astype(object)])
    solution = solve(CoveringProgram(gains, demands.astype(np.int64)))
    assert solution.objective - solution.bound <= 1


def test_a_time_limit_still_returns_a_checked_bracket():
    program = random_panel(5_000, 8, 3)
    solution = solve(program, time_limit=1e-6)
    assert program.check(solution.x) == 0
    assert solution.bound <= solution.objective
    assert solution.proven or "time limit" in solution.reason
    assert solve(program, time_limit=0).status is Status.NO_SOLUTION
    assert solve(CoveringProgram([[1, 2]], [0]), time_limit=0).proven


def test_proofs_of_more_columns_than_a_sample_holds():
    solution = solve(random_panel(60_000, 5, 1))  # priced on samples of samples
    assert solution.objective - solution.bound <= 1
