"""Bradley–Terry fits against evalica, from the same pair counts and from the same battles; bootstrap refits.

    python tests/benchmarks/pareto_bradley_terry.py        (needs `pip install evalica`)

CPU seconds, best of a few runs, one thread. evalica runs with its default tolerance of 1e-6, and again as
tightly as it takes to come as close to the optimum as the fit here.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable

import evalica
import numpy as np
from scipy.special import expit

from pareto.bradley_terry import bootstrap, count_wins, fit

REPEATS = 40
TIGHT, LIMIT = 1e-13, 100_000


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Least CPU seconds of a few runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def battles(models: int, objectives: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Winners, losers and objectives (count,) of random pairs under Bradley–Terry."""
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(models, objectives))
    first = rng.integers(models, size=count)
    second = (first + rng.integers(1, models, size=count)) % models
    objective = rng.integers(objectives, size=count)
    wins = rng.random(count) < expit(theta[first, objective] - theta[second, objective])
    return np.where(wins, first, second), np.where(wins, second, first), objective


Battles = tuple[list[int], list[int], list[evalica.Winner]]


def as_results(square: np.ndarray) -> tuple[Battles, list[float]]:
    """Pair counts as evalica takes them: one weighted result for each ordered pair."""
    winner, loser = np.nonzero(square)
    weights = square[winner, loser].astype(float).tolist()
    return (winner.tolist(), loser.tolist(), [evalica.Winner.X] * len(winner)), weights


def peer_counts(results: list[tuple[Battles, list[float]]], tolerance: float, limit: int) -> list[np.ndarray]:
    """evalica on every objective's pair counts."""
    scores = []
    for battles_, weights in results:
        found = evalica.bradley_terry(*battles_, weights=weights, tolerance=tolerance, limit=limit)
        logs = np.log(found.scores.sort_index().to_numpy())
        scores.append(logs - logs.mean())
    return scores


def peer_battles(parts: list[Battles]) -> None:
    """evalica on every objective's battles."""
    for winner, loser, results in parts:
        evalica.bradley_terry(winner, loser, results)


def compare(models: int, objectives: int, count: int) -> None:
    """Print one size."""
    winner, loser, objective = battles(models, objectives, count)
    wins = count_wins(winner, loser, objective, models, objectives)
    parts = []
    for r in range(objectives):
        chosen = objective == r
        results = [evalica.Winner.X] * int(chosen.sum())
        parts.append((winner[chosen].tolist(), loser[chosen].tolist(), results))
    counted = [as_results(square) for square in wins]
    found = fit(wins)
    exact = fit(wins, ridge=0.0).theta
    peers = peer_counts(counted, TIGHT, LIMIT), peer_counts(counted, 1e-6, 100)
    off = [max(float(np.abs(a - b).max()) for a, b in zip(p, exact, strict=True)) for p in peers]
    ours, default = best(lambda: fit(wins)), best(lambda: peer_counts(counted, 1e-6, 100))
    tight = best(lambda: peer_counts(counted, TIGHT, LIMIT))
    print(f"K={models}, {objectives} objectives, {count:,} battles")
    print(f"  fit from counts: {ours * 1e3:.1f} ms, converged {bool(found.converged.all())}")
    print(f"  evalica, default: {default * 1e3:.1f} ms ({default / ours:.0f}×), off by {off[1]:.1e}")
    print(f"  evalica, tight: {tight * 1e3:.1f} ms ({tight / ours:.0f}×), off by {off[0]:.1e}")
    raw = best(lambda: fit(count_wins(winner, loser, objective, models, objectives)))
    peer = best(lambda: peer_battles(parts), 3)
    print(f"  from battles: {raw * 1e3:.1f} ms, evalica {peer * 1e3:.1f} ms ({peer / raw:.0f}×)")


def main() -> None:
    """Both sizes, then the bootstrap."""
    compare(35, 5, 100_000)
    compare(200, 1, 2_000_000)
    wins = count_wins(*battles(35, 5, 100_000), 35, 5)
    for part in (wins[:1], wins):
        seconds = best(lambda part=part: bootstrap(part, 500), 3)
        print(f"500 bootstrap refits, K=35, {len(part)} objectives: {seconds:.2f} s")


if __name__ == "__main__":
    main()
