"""VB-EGE's engine against the least that numpy needs for the same work.

The yardstick draws the same binomials, in the same calls, and computes the gaps of all trials once a
phase. CPU seconds, best of a few runs. `python tests/benchmarks/pareto_engine.py [TRIALS]`
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from pareto import borda, gaps, simulate
from pareto.instances import symmetric
from pareto.samplers.schedule import phase

MODELS, OBJECTIVES, GAP, DELTA = 64, 10, 1.0, 0.05
REPEATS = 3
BLOCK = 64


def yardstick(trials: int, last: int) -> None:
    """Draw every arm of every trial up to phase `last`; the gaps once a phase, in blocks that fit a cache."""
    chances = borda(symmetric(MODELS, OBJECTIVES, GAP))
    rngs = [np.random.default_rng((0, trial)) for trial in range(trials)]
    points = np.zeros((trials, MODELS, OBJECTIVES), dtype=np.int64)
    before = 0
    for number in range(1, last + 1):
        at = phase(number, MODELS * OBJECTIVES, DELTA)
        for trial, rng in enumerate(rngs):
            points[trial] += rng.binomial(at.draws - before, chances)
        before = at.draws
        for begin in range(0, trials, BLOCK):
            gaps(points[begin : begin + BLOCK])


def best(work: Callable[[], object]) -> float:
    """Least CPU seconds of a few runs."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main() -> None:
    """Print both times and their ratio."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    theta = symmetric(MODELS, OBJECTIVES, GAP)
    outcome = simulate("vb-ege", theta, trials)
    last = int(outcome.phases.max())
    least, ours = best(lambda: yardstick(trials, last)), best(lambda: simulate("vb-ege", theta, trials))
    print(
        f"{trials} trials, K={MODELS}, d={OBJECTIVES}, gap {GAP}: totals {set(outcome.comparisons.tolist())}"
    )
    print(
        f"draws and gaps alone {least:.2f} s, engine {ours:.2f} s, ratio {ours / least:.2f} (goal at most 5)"
    )


if __name__ == "__main__":
    main()
