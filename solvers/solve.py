"""``solve`` and ``available``: choose a back end, run it, check what it says."""

import contextlib
import time
from typing import Any

from solvers.backends import GROUP, registered
from solvers.backends.base import Answer, Backend, Problem
from solvers.errors import SolverError
from solvers.problems import CoveringProgram
from solvers.quiet import silenced
from solvers.solution import Solution, Status
from solvers.verdict import judge

PREFERRED = ("sorting", "sifting", "clique", "ordered-newton", "highs")
"""Order in which ``backend="auto"`` tries; any other back end comes after these, by name."""


def refusal(backend: Backend, problem: Problem) -> str:
    """Why the back end cannot take the problem; empty if it can. Imports no native library."""
    if not isinstance(problem, backend.problems):
        names = ", ".join(t.__name__ for t in backend.problems)
        return f"it takes {names}, not {type(problem).__name__}."
    lacks = backend.lacks()
    if lacks:
        return f"it is not available: {lacks} missing; {backend.install}."
    return backend.refuses(problem)


def available(problem: Problem) -> list[str]:
    """Names of the installed back ends that take the problem, best first; imports no native library.

    >>> from solvers import CoveringProgram, available
    >>> available(CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]))[0]
    'sifting'
    """
    names = [name for name, backend in registered().items() if not refusal(backend, problem)]
    rank = {name: k for k, name in enumerate(PREFERRED)}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def _choose(problem: Problem, backend: str) -> Backend:
    table = registered()
    if backend == "auto":
        names = available(problem)
        if not names:
            reasons = "; ".join(f"{name}: {refusal(b, problem)}" for name, b in table.items())
            raise SolverError(f"No back end takes this {type(problem).__name__}. {reasons}")
        return table[names[0]]
    if backend not in table:
        raise SolverError(
            f'Unknown back end {backend!r}; known: "auto", {", ".join(table)}. A package that brings another '
            f"must be installed in this environment and declare it as an entry point of {GROUP!r}."
        )
    why = refusal(table[backend], problem)
    if why:
        others = ", ".join(available(problem)) or "none"
        raise SolverError(
            f"Back end {backend!r} cannot take this problem: {why} Back ends that can: {others}."
        )
    return table[backend]


def solve(
    problem: Problem, backend: str = "auto", time_limit: float | None = None, **options: Any
) -> Solution:
    """Solve a problem and check the answer exactly.

    Args:
        problem: a :class:`~solvers.problems.CoveringProgram`, :class:`~solvers.problems.LinearProgram`,
            :class:`~solvers.maximum_clique.MaximumClique` or
            :class:`~solvers.ordered_bradley_terry.OrderedBradleyTerry`.
        backend: a name from :func:`available`, or "auto".
        time_limit: seconds; 0 returns at once without a solution. None for no limit.
        options: passed to the back end, which must know every one of them.

    Raises:
        SolverError: unknown back end or option, a back end that cannot take the problem, a bad time limit.

    >>> from solvers import CoveringProgram, solve
    >>> solution = solve(CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15]))
    >>> solution.objective, solution.bound, solution.proven, solution.x.tolist()
    (2, 2, True, [True, True, False, False])
    """
    if not isinstance(problem, Problem):
        raise SolverError(
            f"{type(problem).__name__} is not a problem; build a CoveringProgram, LinearProgram, "
            "MaximumClique or OrderedBradleyTerry."
        )
    if time_limit is not None and not time_limit >= 0:
        raise SolverError(f"time_limit = {time_limit!r}: seconds ≥ 0 or None expected.")
    chosen = _choose(problem, backend)
    unknown = sorted(set(options) - set(chosen.options))
    if unknown:
        known = ", ".join(f"{name} ({text})" for name, text in chosen.options.items()) or "none"
        raise SolverError(f"Back end {chosen.name!r} has no option {', '.join(unknown)}; it has: {known}.")
    began = time.perf_counter()
    if time_limit == 0 and not _settled(problem):
        answer = Answer(Status.NO_SOLUTION, reason="time limit of 0 seconds")
    else:
        answer = _asked(chosen, problem, time_limit, options)
    return judge(problem, answer, chosen.name, began)


def _asked(backend: Backend, problem: Problem, time_limit: float | None, options: dict[str, Any]) -> Answer:
    """What the back end says, or that it failed. A SolverError is its refusal and meant for the caller."""
    try:
        with contextlib.nullcontext() if backend.quiet else silenced():
            answer = backend.solve(problem, time_limit, **options)
    except SolverError:
        raise
    except Exception as error:
        return Answer(Status.ERROR, reason=f"the back end failed ({type(error).__name__}: {error})")
    if not isinstance(answer, Answer) or not isinstance(answer.status, Status):
        return Answer(Status.ERROR, reason="the back end returned no Answer with a Status")
    return answer


def _settled(problem: Problem) -> bool:
    """True for covering programs that ask for nothing."""
    return isinstance(problem, CoveringProgram) and not (problem.demands > 0).any()
