"""How back ends are found: the folder, entry points, and what is said when a library is missing."""

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
        found = [SimpleNamespace(load=lambda o=o: o, value="theirs:BACKEND") for o in objects]
        monkeypatch.setattr(backends, "entry_points", lambda group: found)
        backends.registered.cache_clear()

    yield install
    backends.registered.cache_clear()


def test_every_file_of_the_folder_is_registered():
    assert list(backends.registered()) == ["highs", "sifting", "sorting"]
    for name, backend in backends.registered().items():
        assert backend.name == name
        assert backend.problems
        assert not backend.requires or backend.install


def test_a_third_party_back_end_is_used_and_checked(plug_in):
    plug_in(Backend("theirs", (CoveringProgram,), everything))
    assert available(PROGRAM)[-1] == "theirs"
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
    assert available(LinearProgram([1.0])) == ["highs"]
    with pytest.raises(SolverError, match="no_such_module missing; pip install it"):
        solve(LinearProgram([1.0]), backend="absent")
