"""The strict frontier of 100,000 models on 5 objectives against paretoset's (weak) one.

    python tests/benchmarks/pareto_frontier.py        (needs `pip install paretoset`, numba for its fast path)

CPU seconds, best of a few runs, after a warm-up. On continuous scores both conventions keep the same models.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from paretoset import paretoset

from pareto import frontier

MODELS, OBJECTIVES, REPEATS = 100_000, 5, 7


def best(work: Callable[[], object]) -> float:
    """Least CPU seconds of a few runs."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def scores(kind: str) -> np.ndarray:
    """(MODELS, OBJECTIVES) of one kind."""
    rng = np.random.default_rng(0)
    if kind == "uniform":
        return rng.random((MODELS, OBJECTIVES))
    noise = rng.normal(size=(MODELS, OBJECTIVES))
    return noise if kind == "normal" else noise + 2 * rng.normal(size=(MODELS, 1))


def compare(kind: str) -> None:
    """Print one kind of scores."""
    given, sense = scores(kind), ["max"] * OBJECTIVES
    kept, peer = frontier(given), paretoset(given, sense=sense, distinct=False)
    ours = best(lambda: frontier(given))
    theirs = best(lambda: paretoset(given, sense=sense, distinct=False))
    print(
        f"{kind}: {int(kept.sum())} kept (paretoset {int(peer.sum())}), "
        f"{ours * 1e3:.1f} ms, paretoset {theirs * 1e3:.1f} ms"
    )


def main() -> None:
    """One line a kind of scores."""
    for kind in ("uniform", "normal", "correlated"):
        compare(kind)


if __name__ == "__main__":
    main()
