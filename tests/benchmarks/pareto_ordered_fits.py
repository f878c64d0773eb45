"""Constrained fits of a Track-and-Stop check, all at once, against the back ends of `solvers` one at a time.

    python tests/benchmarks/pareto_ordered_fits.py

CPU seconds, best of a few runs, one thread. Each row is one alternative on all objectives of an Arena-like
instance; what both found is compared per comparison.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from pareto.experiments.settings import TASKS
from pareto.frontier import frontier
from pareto.glr.ordered_fits import fit_ordered
from pareto.glr.screening import fisher_scores, screen
from solvers import OrderedBradleyTerry, solve
from solvers.backends import ordered_newton

REPEATS = 5
GAMES = 1000


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least CPU seconds of a few runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def compare(name: str) -> None:
    """Print one benchmark."""
    theta = TASKS[name].draw(0)
    models, objectives = theta.shape
    rng = np.random.default_rng(0)
    columns = theta.T
    upper = np.triu(rng.binomial(GAMES, expit(columns[:, :, None] - columns[:, None, :])), 1)
    rest = np.triu(np.full((models, models), GAMES), 1) - upper
    wins = (upper + rest.swapaxes(1, 2)).astype(np.float64)
    free = fit_ordered(
        wins, np.zeros(objectives, dtype=np.int64), np.zeros((objectives, models), dtype=bool), 2.0
    )
    scores = free.theta.T
    score = fisher_scores(scores, wins + wins.swapaxes(1, 2))
    chosen = screen(score[None], frontier(scores)[None])
    alternative, top = chosen.alternative(), np.repeat(chosen.top, objectives)
    stated = [OrderedBradleyTerry(wins[r], alternative.constraints(r)) for r in range(objectives)]

    def batched(start: np.ndarray | None = None) -> np.ndarray:
        return fit_ordered(wins, top, chosen.below[0], 2.0, start).theta

    def singly() -> list[np.ndarray]:
        return [np.asarray(ordered_newton.solve(one, None).x) for one in stated]

    def checked(backend: str) -> None:
        for one in stated:
            solve(one, backend)

    apart = max(
        abs(float(one.enclosure(a)[0] - one.enclosure(b)[0])) / one.wins.sum()
        for one, a, b in zip(stated, batched(), singly(), strict=True)
    )
    ours, warm = best(batched), best(lambda: batched(free.theta))
    peers = {
        "ordered-newton": best(singly),
        "ordered-newton, certified": best(lambda: checked("ordered-newton"), 1),
        "cvxpy-clarabel, certified": best(lambda: checked("cvxpy-clarabel"), 1),
    }
    print(f"{name}: {models} models, {objectives} objectives, {type(alternative).__name__}")
    print(f"  all at once {ours:8.4f} s   from the free fit {warm:8.4f} s   likelihoods within {apart:.1e}")
    for peer, seconds in peers.items():
        print(f"  {peer:26} {seconds:8.4f} s   {seconds / ours:6.1f} ×")


if __name__ == "__main__":
    for setting in ("arena-4-small", "convex-2d", "arena-10"):
        compare(setting)
