"""The traps of the HiGHS library, each in a form that used to fail."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, SolverError, Status, solve

A = np.random.default_rng(0).integers(0, 100, (3, 20))
KNAPSACK = LinearProgram(
    np.zeros(20), A, row_lower=A.sum(1) // 2, row_upper=A.sum(1) // 2, upper=1, integrality=True
)


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_standard_output_holds_nothing_but_what_the_caller_prints():
    code = """
import json
from solvers import CoveringProgram, LinearProgram, solve
a = solve(CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]), backend="highs")
b = solve(LinearProgram([2], [[1]], row_lower=[3]))
print(json.dumps({"size": a.objective, "value": float(b.objective)}))
"""
    assert json.loads(run(code).stdout) == {"size": 2, "value": 6.0}


def test_importing_and_asking_loads_no_native_solver():
    code = """
import sys
import solvers
assert solvers.available(solvers.CoveringProgram([[1, 2]], [2]))[:3] == ["sorting", "sifting", "highs"]
assert solvers.available(solvers.LinearProgram([1.0]))[0] == "highs"
native = {"highspy", "scipy", "pulp", "cvxpy", "clarabel", "scs", "osqp", "networkx"}
assert not native & set(sys.modules), native & set(sys.modules)
"""
    run(code)


def test_two_thread_counts_in_one_process():
    code = """
import numpy as np, highspy
from solvers import LinearProgram, Status, solve
program = LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1], integrality=True)
values = [solve(program).objective, solve(program, threads=1).objective, solve(program, threads=2).objective]
foreign = highspy.Highs()
foreign.setOptionValue("output_flag", False)
foreign.setOptionValue("threads", 2)
foreign.addVar(0.0, 1.0)
foreign.run()
values += [solve(program).objective, solve(program, threads=1).objective]
assert values == [5] * 5, values
"""
    run(code)


def test_time_limit_zero_claims_nothing():
    solution = solve(KNAPSACK, time_limit=0)
    assert (solution.status, solution.x, solution.objective) == (Status.NO_SOLUTION, None, None)
    assert "time limit" in solution.reason


def test_a_stopped_search_names_its_limit():
    rng = np.random.default_rng(3)
    program = LinearProgram(
        -rng.integers(1, 100, 60).astype(float),
        rng.integers(0, 100, (10, 60)),
        row_upper=np.full(10, 700.0),
        upper=1,
        integrality=True,
    )
    solution = solve(program, mip_max_improving_sols=1, presolve="off")
    assert solution.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert "limit" in solution.reason
    large = LinearProgram(
        rng.random(400), rng.random((300, 400)), row_lower=np.full(300, 50.0), row_upper=np.full(300, 60.0)
    )
    stopped = solve(large, simplex_iteration_limit=1, presolve="off", solver="simplex")
    assert stopped.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert "iteration limit" in stopped.reason


def test_a_wrong_option_value_is_an_error():
    with pytest.raises(SolverError, match="HiGHS refuses option presolve"):
        solve(KNAPSACK, presolve="sometimes")
    with pytest.raises(SolverError, match="has no option sifting"):
        solve(KNAPSACK, sifting=True)


def test_an_optimum_at_thirds_is_optimal_but_proven_only_if_exact():
    program = LinearProgram([1, 1], [[3, 1], [1, 3]], row_lower=[1, 1])
    solution = solve(program)
    assert solution.status is Status.OPTIMAL
    assert solution.bound == Fraction(1, 2)
    thirds = solve(LinearProgram([1], [[3]], row_lower=[1]))
    assert thirds.status is Status.OPTIMAL
    assert thirds.bound == Fraction(1, 3)
    assert not thirds.proven  # 1/3 is not a float


def test_unbounded_and_infeasible_are_told_apart():
    assert solve(LinearProgram([-1], integrality=True)).status is Status.UNBOUNDED
    assert solve(LinearProgram([-1])).status is Status.UNBOUNDED
    infeasible = solve(LinearProgram([1, 1], [[1, 1], [1, 1]], row_lower=[3, -np.inf], row_upper=[9, 2]))
    assert (infeasible.status, infeasible.proven) == (Status.INFEASIBLE, True)
    crossed = solve(LinearProgram([1], lower=2, upper=1))
    assert (crossed.status, crossed.proven) == (Status.INFEASIBLE, True)
    between = solve(LinearProgram([1], lower=0.5, upper=0.9, integrality=True))
    assert (between.status, between.proven) == (Status.INFEASIBLE, True)
    parity = LinearProgram([0], [[2]], row_lower=[1], row_upper=[1], upper=5, integrality=True)
    assert solve(parity).status is Status.INFEASIBLE


def test_integer_programs_are_rounded_and_proven_when_the_bound_meets():
    program = LinearProgram([1, 1], [[2, 2]], row_lower=[3], upper=[1, 1], integrality=True)
    solution = solve(program)
    assert (solution.objective, solution.bound, solution.proven) == (2, 2, True)
    inwards = solve(LinearProgram([1.5], lower=0.5, upper=3, integrality=True))
    assert (inwards.objective, inwards.bound, inwards.proven) == (Fraction(3, 2), Fraction(3, 2), True)
    for big in (1e9, 1e12, 1e13):
        program = LinearProgram([1, 1, 1], [[big, 1, 1]], row_lower=[big + 1], upper=1, integrality=True)
        solution = solve(program)
        assert solution.objective == 2 or solution.status is Status.ERROR


def test_the_gap_is_zero():
    rng = np.random.default_rng(4)
    program = CoveringProgram(rng.integers(0, 60, (3, 900)), np.array([9_000, 9_000, 9_000]))
    exact, checked = solve(program), solve(program, backend="highs", time_limit=20)
    assert checked.bound == exact.bound
    assert exact.objective <= checked.objective


def test_tiny_entries_are_refused_by_name():
    with pytest.raises(SolverError, match="below 1e-09"):
        solve(LinearProgram([1], [[1e-10]], row_lower=[1e-10]), backend="highs")


def test_unknown_back_ends_and_problems():
    with pytest.raises(SolverError, match=r'known: "auto", .*highs, .*sifting, sorting'):
        solve(KNAPSACK, backend="hal")
    with pytest.raises(SolverError, match="it takes CoveringProgram, not LinearProgram"):
        solve(KNAPSACK, backend="sifting")
    with pytest.raises(SolverError, match="is not a problem"):
        solve([1, 2])
    with pytest.raises(SolverError, match="time_limit"):
        solve(KNAPSACK, time_limit=-1)
