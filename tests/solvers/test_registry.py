"""How back ends are found: the folder, entry points, and what is said when a library is missing."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, SolverError, Status, available, backends, solve
from solvers.backends.base import Answer, Backend

PROGRAM = CoveringProgram([[1, 2]], [2])


def everything(problem, time_limit):
    return Answer(Status.OPTIMAL, np.ones(problem.n), float(problem.n))


@pytest.fixture
def plug_in(monkeypatch):
    """Install objects under the entry-point group, and forget them afterwards."""

    def install(*objects):
        found = [
            SimpleNamespace(load=lambda o=o: o, value="theirs:BACKEND", name="theirs", dist=None)
            for o in objects
        ]
        monkeypatch.setattr(backends, "entry_points", lambda group: found)
        backends.registered.cache_clear()

    yield install
    backends.registered.cache_clear()


def test_every_file_of_the_folder_is_registered():
    ours = {"highs", "pulp-cbc", "pulp-highs", "cvxpy-clarabel", "cvxpy-highs", "cvxpy-scs", "scipy"}
    assert {*ours, "sifting", "sorting"} <= set(backends.registered())
    assert list(backends.registered()) == sorted(backends.registered())
    for name, backend in backends.registered().items():
        assert backend.name == name
        assert backend.problems
        assert not backend.requires or backend.install


def test_a_third_party_back_end_is_used_and_checked(plug_in):
    plug_in(Backend("theirs", (CoveringProgram,), everything))
    assert available(PROGRAM)[0] == "sorting"
    assert "theirs" in available(PROGRAM)
    solution = solve(PROGRAM, backend="theirs")
    assert (solution.backend, solution.objective, solution.status) == ("theirs", 2, Status.FEASIBLE)


def test_clashing_and_foreign_entry_points_are_errors(plug_in):
    plug_in(Backend("highs", (CoveringProgram,), everything))
    with pytest.raises(SolverError, match="Two back ends are named 'highs'"):
        available(PROGRAM)
    plug_in("not a back end")
    with pytest.raises(SolverError, match="is not a"):
        available(PROGRAM)


def test_a_missing_library_is_named_with_its_remedy(plug_in):
    plug_in(
        Backend(
            "absent", (LinearProgram,), everything, requires=("no_such_module",), install="pip install it"
        )
    )
    assert "absent" not in available(LinearProgram([1.0]))
    with pytest.raises(SolverError, match="no_such_module missing; pip install it"):
        solve(LinearProgram([1.0]), backend="absent")


def test_a_missing_executable_is_named_with_its_remedy(monkeypatch):
    from solvers.backends import pulp as ours

    monkeypatch.setattr(ours, "_bundled_cbc", lambda: None)
    monkeypatch.setattr(ours.shutil, "which", lambda *arguments, **named: None)
    assert "pulp-cbc" not in available(PROGRAM)
    with pytest.raises(SolverError, match=r"not available: a cbc executable missing; pip install .*PATH"):
        solve(PROGRAM, backend="pulp-cbc")
    assert solve(PROGRAM, backend="highs").proven


def test_several_back_ends_of_one_entry_point(plug_in):
    plug_in((Backend("one", (LinearProgram,), everything), Backend("two", (LinearProgram,), everything)))
    assert {"one", "two"} <= set(available(LinearProgram([1.0])))
    plug_in(())
    with pytest.raises(SolverError, match="is not a"):
        available(PROGRAM)


FAKE = """
from solvers import CoveringProgram, Status
from solvers.backends.base import Answer, Backend
import numpy as np

def solve(problem, time_limit):
    return Answer(Status.OPTIMAL, np.ones(problem.n), float(problem.n))

BACKEND = Backend("everything", (CoveringProgram,), solve)
"""


def test_a_distribution_on_the_path_brings_its_back_end(tmp_path):
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[certified_choice.solvers]\neverything = their_module:BACKEND\nbroken = no_such_module:BACKEND\n"
    )
    (tmp_path / "their_module.py").write_text(FAKE)
    code = """
import solvers
program = solvers.CoveringProgram([[1, 2]], [2])
assert "everything" in solvers.available(program)
solution = solvers.solve(program, backend="everything")
assert (solution.objective, solution.bound, solution.status.value) == (2, 0, "feasible"), solution
assert "broken" not in solvers.available(program)
try:
    solvers.solve(program, backend="broken")
except solvers.SolverError as error:
    assert "no_such_module" in str(error) and "reinstall or upgrade theirs" in str(error), error
else:
    raise AssertionError
try:
    solvers.solve(program, backend="nobody")
except solvers.SolverError as error:
    assert "entry point of 'certified_choice.solvers'" in str(error), error
"""
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})
