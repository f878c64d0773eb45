"""The same problem through every back end: what each claims, what is proven of it, and at what price.

Every back end runs in a process of its own (:mod:`solvers.measure`), so that its peak memory is its own, a
crash is a row of the table, and one that ignores the time limit is ended. Nothing is decided by a claim: the
proven brackets of all back ends together are what claims are held against.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from math import inf
from pathlib import Path
from typing import Any

from solvers.backends import registered
from solvers.backends.base import Backend, Problem
from solvers.errors import SolverError
from solvers.maximum_clique import MaximumClique, Rank, better
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram
from solvers.solution import Status
from solvers.solve import refusal

START_LIMIT = 180.0
"""Seconds a process may take to import its libraries and read the problem."""
INTEGER = 1e-9
"""Relative error of an integer optimum that a back end reports as a float."""
CONTINUOUS = 1e-6
"""Relative error a continuous optimum may have: what floating-point simplex and interior points reach."""


class Outcome(Enum):
    """What became of one back end."""

    PROVEN = "proven"
    """Its answer was established in exact arithmetic."""
    CLAIMED = "only claims"
    """It says that it is finished; that much could not be proven."""
    REFUTED = "refuted"
    """It says that it is finished, and exact arithmetic refutes what it returned."""
    OPEN = "open"
    """It stopped short and says so; the bracket is what is proven."""
    REFUSED = "cannot take it"
    """The problem is not for it, or it is not installed."""
    FAILED = "failed"
    """An error, a crash, or ended because it did not stop."""


@dataclass(frozen=True, slots=True)
class Row:
    """One back end on one problem.

    Attributes:
        backend, version: its name, and the version of the library behind it ("" for our own).
        outcome: see :class:`Outcome`.
        status: outcome of the solve after exact checks; None if there was none.
        claimed_status, claimed_objective, claimed_bound: what it says itself.
        objective: exact objective of its point; None without a point that passed the checks.
        lower, upper: proven bracket of the optimum; None where nothing is proven, so also where its point
            misses a constraint by a rounding error.
        rank: of its clique: size, weight and names, the tie rules included; None for other problems.
        seconds: wall-clock time of solve and checks, imports excluded.
        memory: peak resident bytes above the imports.
        tolerance: relative error a claimed optimum of it may have here.
        agrees: whether what it claims fits everything proven, by itself and by the others; None if it
            claims nothing that could be held against it.
        reason: why it cannot take the problem, stopped short, failed, or disagrees.
    """

    backend: str
    version: str
    outcome: Outcome
    status: Status | None = None
    claimed_status: Status | None = None
    claimed_objective: float | None = None
    claimed_bound: float | None = None
    objective: Fraction | None = None
    lower: Fraction | None = None
    upper: Fraction | None = None
    rank: Rank | None = None
    seconds: float | None = None
    memory: int | None = None
    tolerance: float = 0.0
    agrees: bool | None = None
    reason: str = ""


def compare(
    problem: Problem, backends: Sequence[str] | None = None, time_limit: float | None = 60.0
) -> tuple[Row, ...]:
    """Give a problem to every back end, one after another.

    Args:
        problem: any problem of the package.
        backends: names to ask; all registered ones by default.
        time_limit: seconds for each; one that does not stop by itself is ended some seconds later. None for
            no limit.

    Raises:
        SolverError: for something that is not a problem, an unknown back end or a bad time limit.

    >>> from solvers import CoveringProgram, compare
    >>> rows = compare(CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]), ["sifting", "highs"])
    >>> [(row.backend, row.outcome.value, int(row.upper), row.agrees) for row in rows]
    [('sifting', 'proven', 2, True), ('highs', 'proven', 2, True)]
    """
    if not isinstance(problem, Problem):
        raise SolverError(f"{type(problem).__name__} is not a problem; see the classes of solvers.problems.")
    if time_limit is not None and not 0 <= time_limit < inf:
        raise SolverError(f"time_limit = {time_limit!r}: seconds ≥ 0, or None for no limit, expected.")
    table = registered()
    names = list(table) if backends is None else list(dict.fromkeys(backends))
    unknown = [name for name in names if name not in table]
    if unknown:
        raise SolverError(f"Unknown back end {unknown[0]!r}; known: {', '.join(table)}.")
    with tempfile.TemporaryDirectory(prefix="solvers-") as folder:
        path = Path(folder) / "problem.pickle"
        refusals = {name: refusal(table[name], problem) for name in names}
        if not all(refusals.values()):
            with path.open("wb") as file:
                parts = [type(getattr(problem, name)) for name in problem.__dataclass_fields__]
                pickle.dump((type(problem), *parts), file, protocol=5)
                pickle.dump(replace(problem), file, protocol=5)  # a fresh copy: nothing cached goes along
        rows = [
            Row(name, library_version(table[name]), Outcome.REFUSED, reason=why)
            if why
            else _measured(table[name], path, time_limit, problem)
            for name, why in refusals.items()
        ]
    return judged(rows, maximises(problem))


def maximises(problem: Problem) -> bool:
    """Whether larger objectives are better."""
    return isinstance(problem, MaximumClique | OrderedBradleyTerry) or bool(
        getattr(problem, "maximise", False)
    )


def tolerance_of(problem: Problem, backend: Backend) -> float:
    """Relative error a claimed optimum may have: for problems in integers that of printing them."""
    whole = isinstance(problem, CoveringProgram | MaximumClique)
    return max(backend.tolerance, INTEGER if whole else CONTINUOUS)


def library_version(backend: Backend) -> str:
    """Libraries behind a back end with their installed versions, without importing any; "" without any."""
    return " + ".join(
        filter(None, map(_version, dict.fromkeys(m.partition(".")[0] for m in backend.requires)))
    )


def _version(module: str) -> str:
    try:
        return f"{module} {version(module)}"
    except PackageNotFoundError:
        return ""


def _measured(backend: Backend, path: Path, time_limit: float | None, problem: Problem) -> Row:
    row = Row(
        backend.name, library_version(backend), Outcome.FAILED, tolerance=tolerance_of(problem, backend)
    )
    result, why = _run(path, backend.name, time_limit)
    if result is None:
        return replace(row, reason=why)
    status, claimed = Status(result["status"]), Status(result["claimed_status"])
    bound, objective = (None if v is None else Fraction(v) for v in (result["bound"], result["objective"]))
    point = objective if result["exactly_feasible"] else None
    lower, upper = (point, bound) if maximises(problem) else (bound, point)
    finished = claimed in (
        Status.OPTIMAL,
        Status.INFEASIBLE,
        Status.UNBOUNDED,
        Status.INFEASIBLE_OR_UNBOUNDED,
    )
    if result["proven"]:
        outcome = Outcome.PROVEN
    elif status is Status.ERROR and not finished:
        outcome = Outcome.FAILED
    elif status is Status.ERROR and not backend.tolerance:
        outcome = Outcome.REFUTED
    else:
        outcome = Outcome.CLAIMED if finished else Outcome.OPEN
    return replace(
        row,
        outcome=outcome,
        status=status,
        claimed_status=claimed,
        claimed_objective=result["claimed_objective"],
        claimed_bound=result["claimed_bound"],
        objective=objective,
        lower=lower,
        upper=upper,
        rank=None if result["rank"] is None else _rank(*result["rank"]),
        seconds=result["seconds"],
        memory=result["memory"],
        reason=result["reason"],
    )


def _rank(size: int, weight: int, names: Sequence[str]) -> Rank:
    return size, weight, tuple(names)


def _run(path: Path, backend: str, limit: float | None) -> tuple[dict[str, Any] | None, str]:
    """The result of one process, or why there is none."""
    root = str(Path(__file__).resolve().parents[1])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "solvers.measure",
                str(path),
                backend,
                "none" if limit is None else str(limit),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # so that programs it starts can be ended with it
        )
        assert process.stdout is not None
        try:
            with process.stdout, _ended_after(process, START_LIMIT) as late:
                ready = process.stdout.readline() == b"ready\n"
                if ready:
                    late.cancel()
                    with _ended_after(process, None if limit is None else limit + grace(limit)) as late:
                        text = process.stdout.read()
            process.wait()
        finally:
            _end(process)
        ended = late.finished.is_set() and late.fired
        if ended and ready:
            return None, f"did not stop at the limit of {limit:g} s and was ended"
        if ended:
            return None, f"was not ready after {START_LIMIT:g} s and was ended"
        if ready and process.returncode == 0:
            return dict(json.loads(text)), ""
        errors.seek(0)
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        return None, _exit_text(process.returncode) + (f": {lines[-1]}" if lines else "")


def grace(limit: float) -> float:
    """Seconds beyond its limit that a back end gets to stop and have its answer checked."""
    return 5.0 + limit / 2


class _Timer(threading.Timer):
    """A timer that remembers whether it went off."""

    fired = False

    def run(self) -> None:
        self.finished.wait(self.interval)
        if not self.finished.is_set():
            self.fired = True
            self.function(*self.args, **self.kwargs)
        self.finished.set()


@contextmanager
def _ended_after(process: "subprocess.Popen[bytes]", seconds: float | None) -> Iterator[_Timer]:
    longest = threading.TIMEOUT_MAX if seconds is None else min(seconds, threading.TIMEOUT_MAX)
    timer = _Timer(longest, _end, [process])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process we started, with everything it started itself."""
    if process.poll() is not None:
        return
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _exit_text(code: int) -> str:
    if code < 0:
        try:
            return f"crashed with {signal.Signals(-code).name}"
        except ValueError:
            return f"crashed with signal {-code}"
    return f"ended with exit code {code}"


@dataclass(frozen=True, slots=True)
class _Known:
    """What all back ends together established: exact bounds, and points up to rounding errors."""

    lower: Fraction | None
    upper: Fraction | None
    points: tuple[tuple[float, float], ...]  # (objective, relative error)
    infeasible: bool
    maximise: bool
    rank: Rank | None = None


def judged(rows: Sequence[Row], maximise: bool) -> tuple[Row, ...]:
    """The rows with ``agrees`` filled in: every claim against everything that is known."""
    known = _Known(
        lower=max((row.lower for row in rows if row.lower is not None), default=None),
        upper=min((row.upper for row in rows if row.upper is not None), default=None),
        points=tuple((float(row.objective), row.tolerance) for row in rows if row.objective is not None),
        infeasible=any(row.outcome is Outcome.PROVEN and row.status is Status.INFEASIBLE for row in rows),
        maximise=maximise,
        rank=_preferred([row.rank for row in rows if row.rank is not None]),
    )
    return tuple(_held_against(row, known) for row in rows)


def _preferred(ranks: Sequence[Rank]) -> Rank | None:
    best = None
    for rank in ranks:
        if best is None or better(rank, best):
            best = rank
    return best


def _held_against(row: Row, known: _Known) -> Row:
    claim = row.claimed_status
    if claim is None or claim in (Status.NO_SOLUTION, Status.ERROR):
        return row
    wrong = _contradiction(row, claim, known)
    if not wrong and claim is Status.FEASIBLE:
        return row
    return replace(row, agrees=not wrong, reason="; ".join(filter(None, [row.reason, wrong])))


def _contradiction(row: Row, claim: Status, known: _Known) -> str:
    """What a claim contradicts, in words; empty if it fits everything known."""
    if claim is Status.INFEASIBLE:
        return "it claims infeasible, a feasible point is known" if known.points else ""
    if claim in (Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED):
        bounded = (known.upper if known.maximise else known.lower) is not None
        return f"it claims {claim.value}, an optimum exists" if bounded and known.points else ""
    if known.infeasible:
        return f"it claims {claim.value}, no feasible point exists"
    value = row.claimed_objective
    if value is None and row.objective is not None:  # it means the point it returned
        value = float(row.objective)
    if claim is not Status.OPTIMAL or value is None:
        return ""
    room = row.tolerance * (1 + abs(value))
    if known.lower is not None and value < float(known.lower) - room:
        return f"it claims the optimum {value:.12g}, proven is at least {float(known.lower):.12g}"
    if known.upper is not None and value > float(known.upper) + room:
        return f"it claims the optimum {value:.12g}, proven is at most {float(known.upper):.12g}"
    sign = -1 if known.maximise else 1
    for point, error in known.points:
        if sign * (value - point) > room + error * (1 + abs(point)):
            return f"it claims the optimum {value:.12g}, a point of {point:.12g} is known"
    if row.rank is not None and known.rank is not None and better(known.rank, row.rank):
        if known.rank[:2] == row.rank[:2]:
            return "it claims the preferred clique, one as large and heavy comes first by name"
        return f"it claims the preferred clique at weight {row.rank[1]:,}, one of {known.rank[1]:,} is known"
    return ""
