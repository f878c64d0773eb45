"""Covering programs with at most one constraint, solved by sorting the gains.

The shortest prefix of the gains in decreasing order is optimal. With k its length and Q its smallest gain,
the multiplier 1 / Q proves it: the first k − 1 gains fall short of the demand, so the bound exceeds k − 1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.backends.base import Answer, Backend, Problem
from solvers.exact import shortfall
from solvers.problems import CoveringProgram
from solvers.solution import Status


def prefix(values: npt.NDArray[Any], demand: int) -> int:
    """Length of the shortest prefix of ``values`` (n,) whose sum reaches ``demand`` > 0, exactly."""
    if values.size and int(values.max()) * values.size >= 1 << 62:
        total = 0
        for k, value in enumerate(values.tolist()):
            total += value
            if total >= demand:
                return k + 1
    return int(np.searchsorted(np.cumsum(values, dtype=np.int64), demand)) + 1


def solve(problem: CoveringProgram, time_limit: float | None) -> Answer:
    """Optimal in O(n log n); among equal gains the smallest columns are taken."""
    if shortfall(problem) is not None:
        return Answer(Status.INFEASIBLE)
    x = np.zeros(problem.n, dtype=np.bool_)
    open_rows = [j for j in range(problem.m) if problem.demands[j] > 0]
    if not open_rows:
        return Answer(Status.OPTIMAL, x, 0.0, 0.0, np.zeros(problem.m))
    gains = problem.gains[open_rows[0]]
    ranked = np.sort(gains)[::-1]
    size = prefix(ranked, int(problem.demands[open_rows[0]]))
    smallest = ranked[size - 1]
    x[gains > smallest] = True
    x[np.flatnonzero(gains == smallest)[: size - int(x.sum())]] = True
    duals = np.zeros(problem.m)
    duals[open_rows[0]] = 1.0 / float(smallest)
    p = [int(j == open_rows[0]) for j in range(problem.m)]
    return Answer(Status.OPTIMAL, x, float(size), float(size), duals, multipliers=(p, int(smallest)))


def _refuses(problem: Problem) -> str:
    rows = int((problem.demands > 0).sum()) if isinstance(problem, CoveringProgram) else 0
    return f"{rows} constraints with a positive demand; sorting takes at most one." if rows > 1 else ""


BACKEND = Backend(
    name="sorting",
    problems=(CoveringProgram,),
    solve=solve,
    quiet=True,
    refuses=_refuses,
    limits="at most one constraint with a positive demand",
)
