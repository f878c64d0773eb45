"""PuLP: CBC through its files and HiGHS through its Python interface.

Other programs that PuLP starts hand back no row duals (GLPK is one), so no optimum of a linear program could
be proven from their answers; they are left out.

CBC is handed text files of 13 digits and works with tolerances that swallow the thirteenth, so numbers of
more than 12 significant digits are refused. PuLP calls a search that stopped at a limit "Optimal", and has
no word for some outcomes of HiGHS; HiGHS is therefore asked itself.
"""

import shutil
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer, Backend, Problem
from solvers.highs_model import outcome
from solvers.mixed import TIME_LIMIT, at_limit, presolves, solve_by, too_large, too_small, unit_gap
from solvers.problems import CoveringProgram, LinearProgram
from solvers.quiet_highs import fresh_threads, new_highs
from solvers.solution import Status

DIGITS = 12
"""Significant digits that survive both the text file and the tolerances of its reader."""
REPORTED = 1e8
"""CBC reports 8 digits of a solution: integers from this size on come back rounded."""


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """A program in PuLP's objects; ``sides`` holds for each row its one or two constraints."""

    problem: Any
    columns: list[Any]
    sides: list[list[Any]]

    def x(self, lower: npt.NDArray[np.float64], upper: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The point (n,); a column PuLP left out takes the value nearest to zero."""
        idle = np.clip(0.0, lower, upper)
        values = [column.varValue for column in self.columns]
        return np.array([i if v is None else float(v) for v, i in zip(values, idle, strict=True)])

    def duals(self, sign: float) -> npt.NDArray[np.float64] | None:
        """Row duals (m,): the sum over a row's constraints; None if PuLP has none."""
        prices = [[constraint.pi for constraint in side] for side in self.sides]
        if any(price is None for side in prices for price in side):
            return None
        return np.array([sign * sum(side) for side in prices])


def _model(program: LinearProgram) -> _Model:
    import pulp

    problem = pulp.LpProblem("program", pulp.LpMaximize if program.maximise else pulp.LpMinimize)
    lower, upper = program.box()
    kinds = [pulp.LpInteger if whole else pulp.LpContinuous for whole in program.integrality]

    def finite(value: float) -> float | None:
        return value if np.isfinite(value) else None

    columns = [
        problem.add_variable(f"x{j}", finite(low), finite(high), kind)
        for j, (low, high, kind) in enumerate(zip(lower.tolist(), upper.tolist(), kinds, strict=True))
    ]
    problem.setObjective(pulp.LpAffineExpression(zip(columns, program.costs.tolist(), strict=True)))
    entries: list[list[tuple[Any, float]]] = [[] for _ in range(program.m)]
    starts, index, value = program.columns()
    for j, column in enumerate(columns):
        for k in range(int(starts[j]), int(starts[j + 1])):
            if value[k]:
                entries[int(index[k])].append((column, float(value[k])))
    sides: list[list[Any]] = []
    bounds = zip(program.row_lower.tolist(), program.row_upper.tolist(), strict=True)
    for i, (low, high) in enumerate(bounds):
        wanted = [(pulp.LpConstraintGE, low, "l"), (pulp.LpConstraintLE, high, "u")]
        if low == high:
            wanted = [(pulp.LpConstraintEQ, low, "e")]
        side = []
        for sense, bound, letter in wanted:
            if np.isfinite(bound) and entries[i]:  # an empty row holds, or was turned away before
                left = pulp.LpAffineExpression(entries[i])
                constraint = pulp.LpConstraint(left, sense, f"r{i}{letter}", bound)
                problem.addConstraint(constraint)
                side.append(constraint)
        sides.append(side)
    return _Model(problem, columns, sides)


def _read_status(problem: Any) -> tuple[Status, bool]:
    """What PuLP says, and whether a limit stopped the search."""
    import pulp

    status = {
        pulp.LpStatusOptimal: Status.OPTIMAL,
        pulp.LpStatusInfeasible: Status.INFEASIBLE,
        pulp.LpStatusUnbounded: Status.UNBOUNDED,
        pulp.LpStatusNotSolved: Status.NO_SOLUTION,
    }.get(problem.status, Status.ERROR)
    stopped = status is Status.NO_SOLUTION or problem.sol_status == pulp.LpSolutionIntegerFeasible
    return status, stopped


def _by_files(make: Callable[..., Any]) -> Callable[..., Answer]:
    """A run through the solvers PuLP starts as other programs or drives by its own status words."""

    def run(program: LinearProgram, seconds: float | None, options: dict[str, Any]) -> Answer:
        import pulp

        began = time.perf_counter()
        model = _model(program)
        if seconds is not None:  # building the model counts
            seconds = max(0.01, seconds - (time.perf_counter() - began))
        with tempfile.TemporaryDirectory(prefix="certified-choice-") as directory:
            try:
                solver = make(timeLimit=seconds, gapRel=0.0, msg=False, **options)
                solver.tmpDir = directory  # whatever happens, nothing stays behind
                model.problem.solve(solver)
            except (pulp.PulpError, OSError, ValueError, TypeError, KeyError) as error:
                if seconds is not None and time.perf_counter() - began >= seconds:
                    return Answer(Status.NO_SOLUTION, reason=TIME_LIMIT)
                return Answer(Status.ERROR, reason=f"PuLP: {type(error).__name__}: {error}")
        status, stopped = _read_status(model.problem)
        x = model.x(*program.box())
        if stopped:
            timed_out = seconds is not None and not set(options) & {"maxNodes"}
            return at_limit(program, x, TIME_LIMIT if timed_out else "time or node limit")
        if status is not Status.OPTIMAL:
            return Answer(status, reason="PuLP status 'Undefined'" if status is Status.ERROR else "")
        value = float(program.costs @ x)
        whole = program.integrality.any()
        return Answer(Status.OPTIMAL, x, value, value, None if whole else model.duals(1.0))

    return run


def _highs_run(program: LinearProgram, seconds: float | None, options: dict[str, Any]) -> Answer:
    import pulp

    new_highs(**options)  # PuLP would drop an option HiGHS does not take without a word
    began = time.perf_counter()
    model = _model(program)
    if seconds is not None:
        seconds = max(1e-3, seconds - (time.perf_counter() - began))
    if not presolves(program):
        options = {"presolve": "off", **options}
    gap = unit_gap(program)
    solver = pulp.HiGHS(msg=False, gapRel=0.0, gapAbs=gap, timeLimit=seconds, **options)
    try:
        model.problem.solve(solver)
    except KeyError:  # an outcome PuLP has no word for, such as a solution limit; the values are in place
        pass
    except pulp.PulpError as error:
        return Answer(Status.ERROR, reason=f"PuLP: {error}")
    highs = model.problem.solverModel
    status, reason = outcome(highs)
    x = model.x(*program.box())
    if status in (Status.FEASIBLE, Status.NO_SOLUTION):
        return at_limit(program, x if status is Status.FEASIBLE else None, reason)
    if status is not Status.OPTIMAL:
        return Answer(status, reason=reason)
    value = float(program.costs @ x)
    sign = -1.0 if program.maximise else 1.0  # PuLP hands HiGHS the negated costs
    whole = bool(program.integrality.any())
    bound = sign * highs.getInfo().mip_dual_bound if whole else value
    return Answer(Status.OPTIMAL, x, value, bound, None if whole else model.duals(sign))


def _bundled_cbc() -> Path | None:
    """The CBC that comes with PuLP 3, looked for without importing PuLP."""
    spec = find_spec("pulp")
    places = list(spec.submodule_search_locations or []) if spec else []
    system = {"linux": "linux", "darwin": "osx", "win32": "win"}.get(sys.platform, sys.platform)
    machine = sysconfig.get_platform().rsplit("-", 1)[-1].lower()
    folder = "arm64" if machine in ("aarch64", "arm64") and system == "linux" else "i64"
    for place in places:
        path = Path(place) / "solverdir" / "cbc" / system / folder / ("cbc.exe" if system == "win" else "cbc")
        if path.is_file():
            return path
    return None


def _program(name: str) -> str | None:
    """Path of an executable on PATH or beside this Python."""
    return shutil.which(name) or shutil.which(name, path=sysconfig.get_path("scripts"))


def cbc_path() -> str | None:
    """The CBC to run: the one on PATH, else the one bundled with PuLP; None if there is neither."""
    bundled = _bundled_cbc()
    return _program("cbc") or (str(bundled) if bundled else None)


def _make_cbc(**settings: Any) -> Any:
    import pulp

    bundled = pulp.PULP_CBC_CMD.pulp_cbc_path  # importing PuLP has made it executable
    path = cbc_path()
    return pulp.COIN_CMD(path=path or bundled, gapAbs=0.0, **settings)


def _significant(values: npt.NDArray[np.float64]) -> float | None:
    """The first finite value that more than 12 significant digits are needed for; None if there is none."""
    finite = np.unique(values[np.isfinite(values)])
    plain = (np.abs(finite) < 10.0**DIGITS) & (finite == np.rint(finite))
    for value in finite[~plain].tolist():
        if float(f"{value:.{DIGITS - 1}e}") != value:
            return float(value)
    return None


def refuses_digits(problem: Problem, name: str) -> str:
    """Why a text file cannot carry the problem; empty if it can."""
    if isinstance(problem, CoveringProgram):
        why = too_large(problem, name)
        if why:
            return why
        data = {"demand": problem.demands.astype(np.float64)}
        if max([0, *problem.largest]) >= 10**DIGITS:
            data["gain"] = problem.gains.astype(np.float64).ravel()
    elif isinstance(problem, LinearProgram):
        data = {
            "cost": problem.costs,
            "matrix entry": problem.columns()[2],
            "row bound": np.concatenate([problem.row_lower, problem.row_upper]),
            "column bound": np.concatenate([problem.lower, problem.upper]),
        }
    else:
        return ""
    for what, values in data.items():
        value = _significant(values)
        if value is not None:
            return (
                f"{what} {value!r}: {name} is handed text files and takes numbers of at most {DIGITS} "
                "significant digits."
            )
    return ""


def _refuses_cbc(problem: Problem) -> str:
    why = refuses_digits(problem, "pulp-cbc")
    if why or not isinstance(problem, LinearProgram):
        return why
    sides = np.concatenate([problem.lower[problem.integrality], problem.upper[problem.integrality]])
    large = sides[np.isfinite(sides) & (np.abs(sides) >= REPORTED)]
    if large.size:
        return f"integer column bound {large[0]:.12g}: pulp-cbc reports integers below {REPORTED:g} exactly."
    return ""


def _refuses_highs(problem: Problem) -> str:
    if isinstance(problem, CoveringProgram):
        return too_large(problem, "pulp-highs")
    return too_small(problem) if isinstance(problem, LinearProgram) else ""


def _backend(
    name: str,
    run: Callable[[LinearProgram, float | None, dict[str, Any]], Answer],
    *,
    options: dict[str, str],
    install: str,
    requires: Sequence[str] = (),
    missing: Callable[[], str],
    refuses: Callable[[Any], str],
    limits: str,
) -> Backend:
    def solve(problem: Problem, time_limit: float | None, **given: Any) -> Answer:
        with fresh_threads(name == "pulp-highs" and "threads" in given):
            return solve_by(lambda program, seconds: run(program, seconds, given), problem, time_limit)

    return Backend(
        name=name,
        problems=(CoveringProgram, LinearProgram),
        solve=solve,
        options=options,
        requires=("pulp", *requires),
        install=install,
        refuses=refuses,
        limits=limits,
        missing=missing,
    )


BACKENDS = (
    _backend(
        "pulp-cbc",
        _by_files(_make_cbc),
        options={
            "threads": "number of threads",
            "presolve": "True or False",
            "cuts": "True or False",
            "strong": "number of columns strong branching looks at",
            "maxNodes": "stop after this many branch-and-bound nodes",
        },
        install=(
            "pip install 'pulp>=3.3,<4' brings one for most platforms, or put a cbc executable on PATH "
            "(pip install cbcbox, apt install coinor-cbc, brew install cbc)"
        ),
        missing=lambda: "" if cbc_path() else "a cbc executable",
        refuses=_refuses_cbc,
        limits=f"at most {DIGITS} significant digits; integer column bounds below {REPORTED:g}",
    ),
    _backend(
        "pulp-highs",
        _highs_run,
        options={
            "threads": "number of threads; resets the thread scheduler that the whole process shares",
            "presolve": '"on", "off" or "choose"',
            "random_seed": "integer seed",
            "mip_max_improving_sols": "stop after this many improving solutions",
            "mip_max_nodes": "stop after this many branch-and-bound nodes",
            "simplex_iteration_limit": "stop after this many simplex iterations",
        },
        install="pip install pulp highspy",
        requires=("highspy",),
        missing=lambda: "",
        refuses=_refuses_highs,
        limits="|integers| below 1e15; matrix entries from 1e-9",
    ),
)
