"""What goes wrong with solvers in practice, each row through every back end that is installed.

The last digits of big numbers, the duals of one convention and the cover of 20,000 columns are cases of the
conformance suite.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from solvers import LinearProgram, SolverError, Status, available, solve
from solvers.backends import registered

LP = LinearProgram([2], [[1]], row_lower=[3])
A = np.random.default_rng(0).integers(0, 100, (3, 20))
HALF = A.sum(1) // 2
SPLIT = LinearProgram(np.zeros(20), A, row_lower=HALF, row_upper=HALF, upper=1, integrality=True)
CONTINUOUS = available(LP)
INTEGER = available(SPLIT)


def large():
    """A linear program of 400 variables; every entry can be written with few digits."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 100, (300, 400))  # about a second of simplex
    return LinearProgram(
        rng.integers(1, 100, 400), rows, row_lower=np.full(300, 5000.0), row_upper=np.full(300, 6000.0)
    )


def knapsacks():
    rng = np.random.default_rng(3)
    return LinearProgram(
        rng.integers(1, 100, 60).astype(float),
        rng.integers(0, 100, (10, 60)),
        row_upper=np.full(10, 700.0),
        upper=1,
        integrality=True,
        maximise=True,
    )


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("backend", INTEGER)
def test_no_time_no_claim(backend):
    solution = solve(SPLIT, backend=backend, time_limit=0)
    assert (solution.status, solution.x, solution.objective) == (Status.NO_SOLUTION, None, None)
    assert "time limit" in solution.reason


@pytest.mark.parametrize("backend", CONTINUOUS)
def test_a_time_limit_on_a_linear_program_is_obeyed_and_named(backend):
    solve(LP, backend=backend)  # imports take longer than the limit
    solution = solve(large(), backend=backend, time_limit=0.02)
    assert solution.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert "time limit" in solution.reason
    assert not solution.proven
    assert solution.seconds < 8


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        ("highs", {"mip_max_improving_sols": 1, "presolve": "off"}),
        ("pulp-highs", {"mip_max_improving_sols": 1, "presolve": "off"}),
        ("cvxpy-highs", {"mip_max_improving_sols": 1, "presolve": "off"}),
        ("highs", {"mip_max_nodes": 0, "presolve": "off"}),
        ("pulp-highs", {"mip_max_nodes": 0, "presolve": "off"}),
        ("cvxpy-highs", {"mip_max_nodes": 0, "presolve": "off"}),
        ("scipy", {"node_limit": 0, "presolve": False}),
        ("pulp-cbc", {"maxNodes": 1, "cuts": False, "presolve": False}),
    ],
)
def test_other_limits_are_named(backend, options):
    if backend not in INTEGER:
        pytest.fail(f"{backend} is not available")
    solution = solve(knapsacks(), backend=backend, **options)
    if solution.proven:
        pytest.fail("the limit did not stop the search")
    assert solution.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert "limit" in solution.reason
    assert solution.status is Status.NO_SOLUTION or knapsacks().check(solution.x) == 0


@pytest.mark.parametrize(
    ("backend", "options"),
    [
        ("highs", {"simplex_iteration_limit": 1, "presolve": "off", "solver": "simplex"}),
        ("pulp-highs", {"simplex_iteration_limit": 1, "presolve": "off"}),
        ("cvxpy-highs", {"simplex_iteration_limit": 1, "presolve": "off"}),
        ("scipy", {"maxiter": 1, "presolve": False}),
        ("cvxpy-clarabel", {"max_iter": 2}),
        ("cvxpy-scs", {"max_iters": 2}),
    ],
)
def test_iteration_limits_are_named(backend, options):
    solution = solve(large(), backend=backend, **options)
    assert solution.status in (Status.FEASIBLE, Status.NO_SOLUTION)
    assert "limit" in solution.reason


@pytest.mark.parametrize("backend", CONTINUOUS)
def test_standard_output_is_machine_readable(backend):
    code = f"""
import json
from solvers import LinearProgram, solve
s = solve(LinearProgram([2], [[1]], row_lower=[3]), backend={backend!r})
print(json.dumps({{"status": s.status.value, "value": float(s.objective)}}))
"""
    said = json.loads(run(code))
    assert said["status"] == "optimal"
    assert abs(said["value"] - 6) < 1e-5


THREADS = """
import warnings
warnings.simplefilter("ignore")
import numpy as np
from solvers import LinearProgram, Status, solve
program = LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1], integrality=True)
names = ["highs", "pulp-highs", "cvxpy-highs"]

def theirs_pulp(threads):
    import pulp
    problem = pulp.LpProblem("theirs", pulp.LpMinimize)
    x = problem.add_variable("x", 3)
    problem.setObjective(2 * x)
    problem.solve(pulp.HiGHS(msg=False, threads=threads))
    return x.varValue

def theirs_cvxpy(threads):
    import cvxpy
    x = cvxpy.Variable()
    cvxpy.Problem(cvxpy.Minimize(2 * x), [x >= 3]).solve(solver="HIGHS", threads=threads)
    return float(x.value)

def ours(**options):
    return [solve(program, backend=name, **options).objective for name in names]
"""


@pytest.mark.parametrize("first", ["theirs_pulp(1)", "theirs_cvxpy(1)", "ours()", "ours(threads=1)"])
def test_thread_counts_of_one_process_do_not_meet(first):
    code = f"""{THREADS}
{first}
assert ours() == [5, 5, 5], ours()
assert ours(threads=1) == [5, 5, 5]
assert ours(threads=2) == [5, 5, 5]
assert ours() == [5, 5, 5]
assert ours(threads=2) == [5, 5, 5]
assert theirs_cvxpy(1) == 3.0  # ours left no thread count behind
assert ours() == [5, 5, 5]
"""
    run(code)


@pytest.mark.parametrize("backend", sorted(registered()))
def test_unknown_options_never_reach_the_library(backend):
    problem = LP if LinearProgram in registered()[backend].problems else None
    if problem is None or backend not in CONTINUOUS:
        assert "no_such_option" not in registered()[backend].options
        return
    with pytest.raises(SolverError, match="has no option no_such_option; it has: "):
        solve(problem, backend=backend, no_such_option=1)


def test_option_values_are_checked_where_the_library_drops_them():
    for backend in ("highs", "pulp-highs"):
        with pytest.raises(SolverError, match="HiGHS refuses option presolve"):
            solve(LP, backend=backend, presolve="sometimes")
    wrong = solve(LP, backend="cvxpy-highs", presolve="sometimes")
    assert wrong.status is Status.ERROR
    assert "refused" in wrong.reason


@pytest.mark.parametrize("backend", INTEGER)
def test_unbounded_integers(backend):
    wanted = (Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)
    assert solve(LinearProgram([-1], integrality=True), backend=backend).status in wanted
    row = LinearProgram([-1, 0], [[1, -1]], row_upper=[2], integrality=True)
    assert solve(row, backend=backend).status in wanted


@pytest.mark.parametrize(
    "bad",
    [
        {"costs": [np.nan, 1]},
        {"costs": [np.inf, 1]},
        {"matrix": [[1, 1e15]]},
        {"upper": [1e20, 1]},
    ],
)
def test_what_floating_point_would_drop_never_becomes_a_problem(bad):
    with pytest.raises(SolverError):
        LinearProgram(**{"costs": [1, 1], "matrix": [[1, 1]], "row_lower": [1], **bad})


@pytest.mark.parametrize("big", [10**12, 10**13])
def test_numbers_too_long_for_a_text_file_are_refused_by_name_and_number(big):
    program = LinearProgram([1, 1, 1], [[big, 1, 1]], [big + 1], upper=1, integrality=True)
    if "pulp-cbc" in CONTINUOUS:
        with pytest.raises(SolverError, match=rf"row bound {float(big + 1)!r}: pulp-cbc .* 12 significant"):
            solve(program, backend="pulp-cbc")
        with pytest.raises(SolverError, match=r"matrix entry 0\.333"):
            solve(LinearProgram([1], [[1 / 3]], [1]), backend="pulp-cbc")
        with pytest.raises(SolverError, match="integer column bound 123456789"):
            solve(LinearProgram([1], lower=123456789, integrality=True), backend="pulp-cbc")
    assert "pulp-cbc" not in available(program)


@pytest.mark.parametrize("backend", ["highs", "pulp-highs", "cvxpy-highs", "scipy", "cvxpy-scipy"])
def test_entries_that_would_vanish_are_refused(backend):
    with pytest.raises(SolverError, match="below 1e-09"):
        solve(LinearProgram([1], [[1e-10]], row_lower=[1e-10]), backend=backend)


@pytest.mark.parametrize("backend", [name for name in CONTINUOUS if name.startswith("pulp")])
def test_no_files_are_left_behind(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert solve(LP, backend=backend).proven
    solve(SPLIT, backend=backend, time_limit=0.3)
    assert os.listdir(tmp_path) == []


def test_importing_costs_no_solver_library():
    code = """
import sys
import solvers
from solvers.backends import registered
registered()
for name in registered():
    registered()[name].is_available()
solvers.available(solvers.LinearProgram([1.0], [[1.0]]))
solvers.available(solvers.CoveringProgram([[1, 2]], [2]))
native = {"highspy", "scipy", "pulp", "cvxpy", "clarabel", "scs", "osqp"}
assert not native & set(sys.modules), native & set(sys.modules)
"""
    run(code)
