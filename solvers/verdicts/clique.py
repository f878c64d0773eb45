"""Maximum cliques: edges counted in integers, and optimality believed only after a search of our own.

A clique is proven optimal when an exhaustive branch and bound over Python integers, run here, ends with
none that is preferred: larger, or as large and heavier, or as large and heavy and earlier by name. Its
result is remembered with the problem object, so that the "clique" back end's search counts once. Nothing a
back end says shortens the search. If it does not finish within ``PROOF_NODES``, the answer stays FEASIBLE.
``objective`` and ``bound`` count members; ``problem.rank`` tells the rest.
"""

from solvers.backends.base import Answer
from solvers.clique.graph import graph_of
from solvers.clique.largest import colours
from solvers.clique.search import search
from solvers.errors import SolverError
from solvers.maximum_clique import MaximumClique, better
from solvers.solution import Status
from solvers.verdicts.facts import POINTLESS, Facts, near_integers, refuted

PROOF_NODES = 30_000
"""Branch-and-bound nodes spent on checking a claim; one costs up to a millisecond at 100 vertices."""
BOUND_NODES = 500
"""Nodes spent on a bound for a clique that nobody claims to be optimal."""


def judge_clique(problem: MaximumClique, answer: Answer) -> Facts:
    """What integers make of the answer."""
    finding = None
    if answer.x is not None and answer.status is Status.OPTIMAL:
        finding = search(problem, nodes=PROOF_NODES)
    elif answer.x is not None and answer.status is Status.FEASIBLE:
        finding = search(problem, nodes=BOUND_NODES, remembered=False)
    bound = _colour_bound(problem) if finding is None else finding.size_bound
    if answer.x is None and answer.status in (Status.NO_SOLUTION, Status.ERROR):
        return Facts(answer.status, bound=bound, reason=answer.reason)
    if answer.x is None or answer.status in POINTLESS:
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, "every graph has a maximum clique"))
    try:
        x = problem.mask(near_integers(answer.x))
        missing = problem.check(x)
    except (SolverError, TypeError, ValueError) as error:
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, str(error)))
    if missing:
        why = f"{missing} pairs of its members are not adjacent"
        return Facts(Status.ERROR, bound=bound, reason=refuted(answer, why))
    size = int(x.sum())
    facts = Facts(Status.FEASIBLE, x, size, bound, reason=answer.reason)
    if finding is None:
        return facts
    rank, best = problem.rank(x), problem.rank(problem.of(finding.vertices))
    if finding.complete and rank == best:
        return Facts(Status.OPTIMAL, x, size, bound, proven=True)
    if answer.status is Status.FEASIBLE:
        return facts
    if better(best, rank):
        why = f"a clique of {best[0]} members and weight {best[1]} is preferred to {rank[0]} and {rank[1]}"
        if best[:2] == rank[:2]:
            why = "a clique as large and as heavy comes first by name"
    else:
        why = f"the search that would prove it was stopped: {finding.stopped}"
    return Facts(Status.FEASIBLE, x, size, bound, reason=f"optimality is claimed; {why}")


def _colour_bound(problem: MaximumClique) -> int:
    graph = graph_of(problem)
    return sum(len(colours(graph, part)) for part in graph.parts)
