"""The same problem through every back end, and what is made of back ends that lie, crash or hang."""

import sys
from fractions import Fraction
from textwrap import dedent

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, SolverError, Status, backends, compare, read_problem
from solvers.compare import Outcome, Row, judged
from solvers.instances import bundled
from solvers.plots import seconds
from solvers.random_problems import random_clique, random_covering, random_fit, random_linear
from tests.solvers.instances import random_panel

COVERING = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])


def by_name(rows):
    return {row.backend: row for row in rows}


@pytest.mark.parametrize("name", ["transport", "knapsack"])
def test_every_back_end_agrees_on_the_bundled_programs(name):
    problem = read_problem(bundled()[name])
    rows = compare(problem, time_limit=20)
    assert {row.backend for row in rows} == set(backends.registered())
    for row in rows:
        assert row.outcome is not Outcome.FAILED, row
        assert row.agrees is not False, row
        assert (row.outcome is Outcome.REFUSED) == (row.seconds is None)
        assert row.outcome is not Outcome.REFUSED or row.reason


def test_a_covering_problem_is_measured():
    rows = by_name(compare(random_covering(400, 3, 1), ["sifting", "highs", "sorting"], time_limit=20))
    assert list(rows) == ["sifting", "highs", "sorting"]
    assert rows["sorting"].outcome is Outcome.REFUSED
    assert "2 constraints" in rows["sorting"].reason
    ours = rows["sifting"]
    assert ours.lower <= ours.upper
    assert ours.agrees
    assert 0 < ours.seconds < 20
    assert 0 <= ours.memory < 200e6
    assert rows["highs"].version.startswith("highspy ")


def test_memory_is_that_of_the_back_end_alone():
    ballast = np.ones(30_000_000)  # a large parent must not show in the child
    (row,) = compare(COVERING, ["sifting"])
    assert row.memory < 50e6 < ballast.nbytes


LIARS = """
    import os, signal, sys, time
    import numpy as np
    from solvers import CoveringProgram
    from solvers.backends.base import Answer, Backend
    from solvers.solution import Status

    def wrong(problem, time_limit):
        return Answer(Status.OPTIMAL, np.ones(problem.n), float(problem.n))

    def infeasible(problem, time_limit):
        return Answer(Status.INFEASIBLE)

    def hang(problem, time_limit):
        if problem.n > 3:
            time.sleep(600)
        return Answer(Status.NO_SOLUTION)

    def crash(problem, time_limit):
        if problem.n > 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        return Answer(Status.NO_SOLUTION)

    def fail(problem, time_limit):
        raise RuntimeError("licence expired")

    def noisy(problem, time_limit):
        os.write(1, b"ready\\n{}\\n")
        print("banner")
        return Answer(Status.OPTIMAL, np.ones(problem.n), float(problem.n))

    BACKENDS = tuple(
        Backend(f"x-{f.__name__}", (CoveringProgram,), f, quiet=True)
        for f in (wrong, infeasible, hang, crash, fail, noisy)
    )
"""


@pytest.fixture
def liars(tmp_path, monkeypatch):
    """A third party's distribution, visible here and in the processes that are started."""
    (tmp_path / "liars.py").write_text(dedent(LIARS))
    info = tmp_path / "liars-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: liars\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[certified_choice.solvers]\nliars = liars:BACKENDS\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    backends.registered.cache_clear()
    yield
    backends.registered.cache_clear()
    sys.modules.pop("liars", None)


@pytest.mark.usefixtures("liars")
def test_lies_crashes_and_hangs_are_rows_of_the_table(monkeypatch):
    monkeypatch.setattr(sys.modules["solvers.compare"], "grace", lambda limit: 1.0)
    names = ["sifting", "x-wrong", "x-infeasible", "x-hang", "x-crash", "x-fail", "x-noisy"]
    rows = by_name(compare(COVERING, names, time_limit=1.0))
    assert rows["sifting"].outcome is Outcome.PROVEN
    assert rows["sifting"].agrees
    for name in ("x-wrong", "x-noisy"):
        assert rows[name].agrees is False
        assert rows[name].status is Status.FEASIBLE
        assert "claims the optimum 4, proven is at most 2" in rows[name].reason
    assert rows["x-infeasible"].agrees is False
    assert rows["x-infeasible"].outcome is Outcome.REFUTED
    assert (rows["x-hang"].outcome, rows["x-hang"].agrees) == (Outcome.FAILED, None)
    assert "did not stop at the limit of 1 s" in rows["x-hang"].reason
    assert "SIGSEGV" in rows["x-crash"].reason
    assert "licence expired" in rows["x-fail"].reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None,), "NoneType is not a problem"),
        ((COVERING, ["magic"]), "Unknown back end 'magic'; known"),
        ((COVERING, None, -1.0), "time_limit"),
        ((COVERING, None, float("nan")), "time_limit"),
        ((COVERING, None, float("inf")), "time_limit"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(SolverError, match=message):
        compare(*arguments)


def claim(value, status=Status.OPTIMAL, tolerance=1e-6, **facts):
    return Row("one", "", Outcome.CLAIMED, status, status, value, tolerance=tolerance, **facts)


@pytest.mark.parametrize("maximise", [False, True])
def test_claims_are_held_against_proven_bounds_and_known_points(maximise):
    sign = -1 if maximise else 1
    side = "upper" if maximise else "lower"
    proven = Row(
        "two", "", Outcome.PROVEN, Status.OPTIMAL, lower=Fraction(sign * 7), upper=Fraction(sign * 7)
    )
    for value, agrees in ((7.0, True), (7 + 1e-7, True), (7.1, False), (6.9, False)):
        assert judged([claim(sign * value), proven], maximise)[0].agrees is agrees
    rough = claim(sign * 7.05, tolerance=1e-2)
    assert judged([rough, proven], maximise)[0].agrees
    point = Row("three", "", Outcome.CLAIMED, objective=Fraction(sign * 5), tolerance=1e-6)
    assert judged([claim(sign * 7.0), point], maximise)[0].agrees is False
    bound = Row("four", "", Outcome.OPEN, **{side: Fraction(sign * 6)})
    assert judged([claim(None, Status.INFEASIBLE), point], maximise)[0].agrees is False
    assert judged([claim(None, Status.UNBOUNDED), point, bound], maximise)[0].agrees is False
    assert judged([claim(None, Status.UNBOUNDED), point], maximise)[0].agrees is True
    assert judged([claim(None, Status.NO_SOLUTION), proven], maximise)[0].agrees is None
    nothing = Row("five", "", Outcome.PROVEN, Status.INFEASIBLE)
    assert judged([claim(sign * 7.0), nothing], maximise)[0].agrees is False


def test_ties_between_cliques_are_decided_by_the_rules_of_the_problem():
    ranks = {"a": (2, 5, ("x", "y")), "b": (2, 5, ("x", "z")), "c": (2, 4, ("a", "b"))}
    rows = judged([claim(2.0, rank=rank) for rank in ranks.values()], True)
    assert [row.agrees for row in rows] == [True, False, False]
    assert "comes first by name" in rows[1].reason
    assert "at weight 4, one of 5 is known" in rows[2].reason


@pytest.mark.parametrize("name", ["arena-clique", "arena-fit"])
def test_cliques_and_fits(name):
    rows = [row for row in compare(read_problem(bundled()[name]), time_limit=20) if row.seconds is not None]
    assert rows
    assert all(row.agrees for row in rows), rows
    assert (rows[0].rank is not None) == (name == "arena-clique")


def test_random_problems_are_the_model_they_say():
    for seed in range(3):
        one, other = random_covering(200, 4, seed), random_panel(200, 4, seed)
        np.testing.assert_array_equal(one.gains, other.gains)
        np.testing.assert_array_equal(one.demands, other.demands)
        assert one.gains.dtype == np.int32
    program = random_linear(5, 8, 1, integer=True)
    assert (program.m, program.n, program.maximise) == (5, 8, True)
    assert program.integrality.all()
    assert program.check(np.zeros(8)) == 0
    graph = random_clique(20, 0.4, 2)
    assert 0.2 < graph.adjacency.mean() < 0.6
    assert not graph.weights[~graph.adjacency].any()
    fit = random_fit(5, 3, games=10)
    assert ((fit.wins + fit.wins.T)[~np.eye(5, dtype=bool)] == 10).all()
    for bad in (lambda: random_covering(0, 3), lambda: random_linear(0, 1), lambda: random_clique(0)):
        with pytest.raises(SolverError):
            bad()


def test_pictures(tmp_path):
    rows = (
        claim(7.0, seconds=0.5, agrees=False),
        Row("two", "", Outcome.REFUSED, reason="too large"),
        Row("three", "", Outcome.PROVEN, seconds=0.001),
    )
    for name in ("a.png", "a.svg", "a.PDF"):
        seconds([("one problem: $x_{", rows), ("another", rows[1:2])], tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    size = (tmp_path / "a.png").stat().st_size
    for name, message in (("a.png", "exists already"), ("a", "ending ''"), ("a.json", "ending '.json'")):
        with pytest.raises(SolverError, match=message):
            seconds([("another", rows[1:2])], tmp_path / name)
    assert (tmp_path / "a.png").stat().st_size == size
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PDF", "a.png", "a.svg"]


def test_limits_longer_than_a_timer_can_wait():
    (row,) = compare(COVERING, ["sifting"], time_limit=1e12)
    assert row.outcome is Outcome.PROVEN


def test_sparse_programs_travel_to_the_process():
    program = random_linear(4, 6, 0)
    (row,) = compare(program, ["highs"])
    assert row.agrees
    assert isinstance(LinearProgram([1.0], program.matrix[:, [0]]).n, int)
