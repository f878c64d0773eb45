"""Ordered Bradley–Terry fits by an interior-point method made for them."""

import time

import numpy as np

from solvers.backends.base import Answer, Backend
from solvers.bradley_terry.newton import PRECISION, fit
from solvers.bradley_terry.polytope import groups_of
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from solvers.solution import Status


def solve(problem: OrderedBradleyTerry, time_limit: float | None) -> Answer:
    """Maximise in a few Newton steps; FEASIBLE with the reason if time runs out."""
    deadline = float("inf") if time_limit is None else time.perf_counter() + time_limit
    groups = groups_of(problem)
    if len(groups.sizes) == 1 or not problem.wins.any():
        return Answer(Status.OPTIMAL, np.zeros(problem.n), duals=np.zeros(problem.m))
    found = fit(problem, groups, deadline)
    done = found.stopped in ("", PRECISION)
    return Answer(
        Status.OPTIMAL if done else Status.FEASIBLE, found.theta, duals=-found.prices, reason=found.stopped
    )


BACKEND = Backend(
    name="ordered-newton",
    problems=(OrderedBradleyTerry,),
    solve=solve,
    quiet=True,
    limits="dense: memory and time grow as K² and K³",
)
