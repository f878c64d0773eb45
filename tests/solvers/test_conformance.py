"""Every registered back end through the conformance suite, and the suite through back ends that lie."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solvers import LinearProgram, Solution, Status
from solvers.backends import registered
from solvers.backends.base import Answer, Backend
from solvers.solution import Claim
from tests.solvers.conformance import (
    CASES,
    EXCLUSIONS,
    Case,
    Expected,
    check_backend,
    check_case,
    falsehood,
    shortcoming,
)

BACKENDS = sorted(registered())
NAMES = {case.name for case in CASES}


def cases(*starts):
    return [case for case in CASES if case.name.startswith(starts)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_case_passes_or_is_refused_with_a_reason(backend):
    results = check_backend(backend)
    assert [result.case for result in results] == [case.name for case in CASES]
    for result in results:
        assert result.outcome in ("pass", "refused", "excluded"), result
        assert result.outcome == "pass" or len(result.reason) > 10, result


def test_nothing_is_excluded_that_does_not_exist():
    assert len(NAMES) == len(CASES)
    for (backend, case), reason in EXCLUSIONS.items():
        assert backend in BACKENDS
        assert case in NAMES
        assert reason


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_installed_back_end_does_some_job(backend):
    if not registered()[backend].is_available():
        assert all("not available" in r.reason for r in check_backend(backend, cases("linear: min")))
        return
    taken = registered()[backend].problems
    assert any(isinstance(case.build(), taken) for case in CASES)


def test_the_suite_needs_no_test_library_and_no_package_named_tests(tmp_path):
    folder = Path(__file__).parent
    code = """
import sys
from conformance import CASES, check_backend
assert "pytest" not in sys.modules and "tests" not in sys.modules
results = check_backend("sorting", [case for case in CASES if case.name.startswith("covering: one row")])
assert [result.outcome for result in results] == ["pass"], results
"""
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}
    )


COVER = next(case for case in CASES if case.name == "covering: two rows")
LINEAR = Case(
    "linear: to lie about",
    lambda: LinearProgram([2, 1], [[1, 1]], row_lower=[3], upper=[10, 1]),
    Expected(Status.OPTIMAL, 5, (2.0,), (2.0, 1.0)),
)
NEAR = np.array([0.9999999, 1.0000001, 1e-9, -1e-9])
LIES = {
    "a wrong optimum": (
        COVER,
        Answer(Status.OPTIMAL, np.array([1, 1, 1, 0]), 2.0, 2.0, np.array([0, 0.125])),
    ),
    "zeros at a limit": (COVER, Answer(Status.FEASIBLE, np.zeros(4), 0.0, reason="time limit")),
    "optimal zeros": (COVER, Answer(Status.OPTIMAL, np.zeros(4), 0.0)),
    "not a number": (COVER, Answer(Status.OPTIMAL, np.full(4, np.nan), 2.0)),
    "infeasible, though it is not": (COVER, Answer(Status.INFEASIBLE)),
    "an inflated bound": (
        COVER,
        Answer(Status.OPTIMAL, np.array([1, 1, 1, 0]), 3.0, 3.0, np.array([9.0, 9.0])),
    ),
    "flipped duals": (LINEAR, Answer(Status.OPTIMAL, np.array([2.0, 1.0]), 5.0, 5.0, np.array([-2.0]))),
    "an infeasible point": (LINEAR, Answer(Status.OPTIMAL, np.array([1.0, 1.0]), 3.0, 3.0, np.array([2.0]))),
    "a worse point": (LINEAR, Answer(Status.OPTIMAL, np.array([3.0, 0.0]), 6.0, 6.0, np.array([2.0]))),
    "no point": (LINEAR, Answer(Status.OPTIMAL, None, 5.0)),
    "a point of infinities": (
        LINEAR,
        Answer(Status.OPTIMAL, np.array([np.inf, 1.0]), 5.0, 5.0, np.array([2.0])),
    ),
    "gave up": (LINEAR, Answer(Status.ERROR, reason="licence expired")),
}


@pytest.fixture
def liar(monkeypatch):
    def install(solve, **rest):
        types = (COVER.build().__class__, LinearProgram)
        monkeypatch.setitem(registered(), "liar", Backend("liar", types, solve, **rest))

    return install


@pytest.mark.parametrize("lie", LIES)
def test_the_exact_layer_lets_no_lie_pass_and_the_suite_fails_the_liar(liar, lie):
    case, answer = LIES[lie]
    liar(lambda problem, time_limit: answer)
    result = check_case("liar", case)
    assert result.outcome == "fail"
    assert not result.reason.startswith("false"), result


@pytest.mark.parametrize("lie", LIES)
def test_the_suite_would_see_the_lies_without_the_exact_layer(lie):
    case, answer = LIES[lie]
    problem = case.build()
    believed = Solution(
        answer.status,
        answer.x,
        answer.objective,
        answer.bound,
        answer.duals,
        answer.status is Status.OPTIMAL,
        "liar",
        0.0,
        Claim(answer.status),
    )
    try:
        seen = falsehood(case, problem, believed) or shortcoming(case, problem, believed)
    except ValueError:  # the problem's own check refuses such a point
        seen = "refused"
    assert seen


def test_optimal_after_a_limit_is_seen(liar):
    case = next(case for case in CASES if case.name == "limit: one second")
    liar(lambda problem, time_limit: Answer(Status.OPTIMAL, np.zeros(problem.n), 0.0, 0.0))
    assert check_case("liar", case).outcome == "fail"
    liar(lambda problem, time_limit: Answer(Status.NO_SOLUTION))
    assert "not named" in check_case("liar", case).reason
    liar(lambda problem, time_limit: Answer(Status.NO_SOLUTION, reason="time limit"))
    assert check_case("liar", case).outcome == "pass"
    slow = replace(case, limit=-100.0)
    assert "time limit of" in shortcoming(slow, case.build(), _stopped())


def _stopped():
    return Solution(Status.NO_SOLUTION, None, None, None, None, False, "liar", 0.0, Claim(Status.NO_SOLUTION))


def test_near_integers_pass_once_counted(liar):
    liar(lambda problem, time_limit: Answer(Status.OPTIMAL, NEAR, 1.9999999, 2.0, np.array([0, 0.125])))
    assert check_case("liar", COVER).outcome == "pass"


def _noisy(problem, time_limit):
    os.write(1, b"NoisySolver 7 (academic use only)\n")
    return Answer(Status.OPTIMAL, np.array([1, 1, 0, 0]), 2.0, 2.0, np.array([0, 0.125]))


def test_noise_is_kept_off_standard_output_or_seen(liar):
    liar(_noisy)
    assert check_case("liar", COVER).outcome == "pass"
    liar(_noisy, quiet=True)
    assert "standard output got" in check_case("liar", COVER).reason


def test_a_refusal_needs_to_come_before_the_question(liar):
    liar(lambda problem, time_limit: Answer(Status.ERROR), refuses=lambda problem: "it is Monday, come back.")
    assert check_case("liar", COVER).outcome == "refused"
