"""One back end on one problem, in a process of its own: ``python -m solvers.measure PICKLE BACKEND LIMIT``.

:mod:`solvers.compare` starts it and writes the pickle. Libraries are loaded and warmed up on a tiny problem
before the problem arrives, so that seconds and memory are those of the solve. Standard output carries the
line ``ready`` and one JSON object; whatever else writes there is sent to nowhere.
"""

import contextlib
import json
import os
import pickle
import sys
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from solvers.backends import registered
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram, LinearProgram
from solvers.solve import refusal, solve

TINY = (
    CoveringProgram(np.array([[2, 1, 1], [1, 1, 2]]), np.array([3, 3])),
    LinearProgram(np.ones(2), np.ones((1, 2)), np.ones(1)),
    MaximumClique(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.bool_)),
    OrderedBradleyTerry(np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [1.0, 1.0, 0.0]]), ((1, 0),)),
)
"""Solved once before the clock starts."""


def peak_memory() -> int:
    """Largest resident size of this process so far, in bytes.

    Linux keeps it for each program; ``ru_maxrss`` there starts at the size of the process that started us.
    """
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    return _in_bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _in_bytes(size: int) -> int:
    return size if sys.platform == "darwin" else size * 1024


def children_peak() -> int:
    """Largest resident size of any finished child process, in bytes (a back end may run a program)."""
    try:
        import resource
    except ImportError:
        return 0
    return _in_bytes(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def exact_text(value: int | float | Fraction | None) -> str | None:
    """An exact value as text that ``Fraction`` reads."""
    if value is None:
        return None
    return str(Fraction(value))


def warm_up(problem_type: type, backend: str) -> None:
    """Import what the back end needs and let it solve something tiny."""
    chosen = registered()[backend]
    for module in chosen.requires:
        import_module(module)
    for problem in TINY:
        if type(problem) is problem_type and not refusal(chosen, problem):
            with contextlib.suppress(Exception):
                solve(problem, backend, time_limit=10.0)


def main(path: str, backend: str, limit: str) -> None:
    """Load, warm up, report ready, solve, report."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with open(path, "rb") as file:
        kinds = pickle.load(file)  # the classes alone: reading them imports their libraries
        warm_up(kinds[0], backend)
        before, children_before = peak_memory(), children_peak()
        problem = pickle.load(file)
    channel.write("ready\n")
    channel.flush()
    solution = solve(problem, backend, None if limit == "none" else float(limit))
    peak, children = peak_memory(), children_peak()
    exact, rank = False, None
    if solution.x is not None:
        exact = not problem.check(solution.x)
        rank = problem.rank(solution.x) if exact and isinstance(problem, MaximumClique) else None
    claimed = solution.claimed
    result: dict[str, Any] = {
        "status": solution.status.value,
        "claimed_status": claimed.status.value,
        "claimed_objective": None if claimed.objective is None else float(claimed.objective),
        "claimed_bound": None if claimed.bound is None else float(claimed.bound),
        "objective": exact_text(solution.objective),
        "bound": exact_text(solution.bound),
        "exactly_feasible": exact,
        "rank": rank,
        "proven": solution.proven,
        "seconds": solution.seconds,
        # a child starts as a copy of us, so only one that outgrew us shows
        "memory": peak - before + (children if children > max(peak, children_before) else 0),
        "reason": solution.reason,
    }
    json.dump(result, channel)
    channel.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
