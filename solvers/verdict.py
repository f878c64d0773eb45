"""The exact layer every answer passes through: claims in, checked solutions out.

Whatever a back end returns, the objective is recomputed from x, feasibility is checked in integers or
rationals, the bound is recomputed from the duals, and the status is the one those facts support.
"""

import time

from solvers.backends.base import Answer, Problem
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.problems import CoveringProgram
from solvers.solution import Claim, Solution, Status
from solvers.verdicts.bradley_terry import judge_bradley_terry
from solvers.verdicts.clique import judge_clique
from solvers.verdicts.covering import judge_covering
from solvers.verdicts.facts import Facts
from solvers.verdicts.linear import judge_linear


def _facts(problem: Problem, answer: Answer) -> Facts:
    if isinstance(problem, CoveringProgram):
        return judge_covering(problem, answer)
    if isinstance(problem, MaximumClique):
        return judge_clique(problem, answer)
    if isinstance(problem, OrderedBradleyTerry):
        return judge_bradley_terry(problem, answer)
    return judge_linear(problem, answer)


def judge(problem: Problem, answer: Answer, backend: str, began: float) -> Solution:
    """The Solution that exact checks leave of an answer; ``began`` is the perf_counter at the start."""
    try:
        facts = _facts(problem, answer)
    except Exception as error:  # whatever a back end returned: it is refused, and never stops the caller
        why = f"what the back end returned cannot be read ({type(error).__name__}: {error})"
        facts = Facts(Status.ERROR, reason=why)
    return Solution(
        status=facts.status,
        x=facts.x,
        objective=facts.objective,
        bound=facts.bound,
        duals=facts.duals,
        proven=facts.proven,
        backend=backend,
        seconds=time.perf_counter() - began,
        claimed=Claim(answer.status, answer.objective, answer.bound),
        reason=facts.reason,
        multipliers=facts.multipliers,
        tree=facts.tree,
    )
