"""Covering programs by sifting: dual prices, an exact bound, and a witness that meets it where possible.

The bound is the linear relaxation's value rounded up, proven by integer multipliers. The witness comes from
rounding the relaxation up (at most as many columns too large as there are constraints: Kuboyama 2026, How
Many Labels Does Model Choice Need?, Theorem 2) and then searching the core for a cover of the bound's size.
When bound and witness do not meet, which leaves one unit as a rule, a tree either finds a smaller cover or
proves that there is none; if it does not come to an end, the bracket is returned as it is.
"""

import time
from functools import partial

import numpy as np

from solvers.backends import sorting
from solvers.backends.base import Answer, Backend
from solvers.covering.closing import settled
from solvers.covering.prices import relax
from solvers.covering.small import integer_optimum
from solvers.covering.witness import improved, rounded, sought
from solvers.errors import SolverError
from solvers.exact import best_multipliers, shortfall
from solvers.problems import CoveringProgram
from solvers.solution import Multipliers, Status

NODES = 8000
OPTIONS = {
    "effort": "how long to search for a witness (default 1, about 40 ms at most); more may close the bracket",
    "closing": '"tree" (default): prove the last unit with a tree where needed; "none": leave it open',
    "nodes": f"how many subproblems the trees for one size may have (default {NODES}, a minute or so)",
}

STEPS = 560
"""Swap evaluations for every size and core tried at effort 1, shared among the constraints they cost."""
SEEKING = 200_000_000
"""Pairs of columns × constraints evaluated in every wide core, for a size that no short tree rules out."""


def solve(
    problem: CoveringProgram,
    time_limit: float | None,
    *,
    effort: int = 1,
    closing: str = "tree",
    nodes: int = NODES,
) -> Answer:
    """Bracket the optimum; OPTIMAL when the bracket closes, FEASIBLE with the reason otherwise."""
    for name, value in (("effort", effort), ("nodes", nodes)):
        if not (isinstance(value, int) and value >= 0):
            raise SolverError(f"{name} = {value!r}: an integer ≥ 0 expected.")
    if closing not in ("tree", "none"):
        raise SolverError(f'closing = {closing!r}: "tree" or "none" expected.')
    deadline = float("inf") if time_limit is None else time.perf_counter() + time_limit
    open_rows = np.flatnonzero(problem.demands > 0)
    if shortfall(problem) is not None:
        return Answer(Status.INFEASIBLE)
    if len(open_rows) <= 1:
        return sorting.solve(problem, time_limit)
    reduced = problem
    if len(open_rows) < problem.m:  # rows that are met already only cost time
        reduced = CoveringProgram(problem.gains[open_rows], problem.demands[open_rows])
    slack = [float(t - d) for t, d in zip(reduced.totals, reduced.demands.tolist(), strict=True)]
    relaxation = relax(reduced.gains, np.array(slack))
    dual = best_multipliers(reduced, relaxation.prices)
    x = rounded(reduced, relaxation)
    lower = dual.bound
    small = None
    if int(x.sum()) > lower and effort > 0:
        other = small = integer_optimum(reduced)  # None beyond small programs
        if other is None:
            other = improved(reduced, relaxation, x, lower, effort * STEPS // reduced.m, deadline)
        x = other if other.sum() < x.sum() else x
    p = [0] * problem.m
    for j, value in zip(open_rows, dual.p, strict=True):
        p[j] = value
    tree = None
    if int(x.sum()) > lower and closing == "tree":
        whole = Multipliers(tuple(p), dual.q, dual.numerator)  # rows that are met have multiplier 0
        work = 0 if small is not None else effort * SEEKING
        seek = partial(sought, reduced, relaxation, work=work, deadline=deadline)
        x, tree = settled(problem, whole, x, nodes, deadline, seek)
        lower = lower if tree is None else tree.target + 1
    size = int(x.sum())
    duals = np.zeros(problem.m)
    duals[open_rows] = relaxation.prices
    closed = size == lower
    late = time.perf_counter() > deadline
    return Answer(
        status=Status.OPTIMAL if closed else Status.FEASIBLE,
        x=x,
        objective=float(size),
        bound=float(lower),
        duals=duals,
        multipliers=(p, dual.q),
        tree=tree,
        reason="" if closed else ("time limit" if late else f"search limit (effort {effort}, {nodes} nodes)"),
    )


BACKEND = Backend(
    name="sifting",
    problems=(CoveringProgram,),
    solve=solve,
    options=OPTIONS,
    requires=("highspy",),
    install="pip install highspy",
    quiet=True,
)
