"""Maximum cliques by our own branch and bound: bit sets, colour bounds, exact weights."""

import time

from solvers.backends.base import Answer, Backend
from solvers.clique.search import search
from solvers.maximum_clique import MaximumClique
from solvers.solution import Status


def solve(problem: MaximumClique, time_limit: float | None) -> Answer:
    """The preferred clique; FEASIBLE with the reason if time runs out."""
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    found = search(problem, deadline=deadline)
    return Answer(
        Status.OPTIMAL if found.complete else Status.FEASIBLE,
        problem.of(found.vertices),
        float(len(found.vertices)),
        float(found.size_bound),
        reason=found.stopped,
    )


BACKEND = Backend(
    name="clique",
    problems=(MaximumClique,),
    solve=solve,
    quiet=True,
    limits="exact; very many maximum cliques of unequal weights take exponential time",
)
