"""Simulated runs of several methods on the same instances, and what they cost in summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context
from typing import Any

import numpy as np

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, Benchmark, symmetric
from pareto.links import Reals
from pareto.result import Mask
from pareto.task import check_margin
from pareto.trials import simulate

PART = 25
"""Trials that are run together, between two signs of progress."""
LOW, HIGH = 0.05, 0.95
"""Quantiles in summaries."""


@dataclass(frozen=True, eq=False)
class Runs:
    """T runs of one method: arrays (T,). wrong: a stopped run's frontier is not the true one."""

    method: str
    comparisons: Counts
    stopped: Mask
    wrong: Mask
    seconds: float


def instances(name: str) -> Benchmark:
    """A benchmark by name; `symmetric:K,d,gap` is the paper's hard instance (8)."""
    kind, colon, text = name.partition(":")
    if kind == "symmetric":
        try:
            models, objectives, gap = text.split(",")
            theta = symmetric(int(models), int(objectives), float(gap))
        except ValueError as error:
            raise BattleError(
                f"instance {name!r}: {error}; write symmetric:K,d,gap, for example symmetric:64,10,1"
            ) from None
        return Benchmark(name, len(theta), theta.shape[1], 1, lambda rng: theta, instances=1)
    if colon or name not in BENCHMARKS:
        raise BattleError(
            f"no benchmark {name!r}; accepted are {', '.join(BENCHMARKS)} and symmetric:K,d,gap"
        )
    return BENCHMARKS[name]


def thetas(chosen: Benchmark, trials: int, seed: int) -> Reals:
    """Latent scores (T, K, d), an instance a trial, beginning anew when there are more trials."""
    drawn = [chosen.theta(seed, instance) for instance in range(min(trials, chosen.instances))]
    return np.stack([drawn[trial % len(drawn)] for trial in range(trials)])


def run_all(
    methods: Sequence[str],
    theta: Reals,
    seed: int,
    delta: float,
    *,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    jobs: int = 1,
    advance: Callable[[str, int], None] = lambda method, trials: None,
) -> list[Runs]:
    """Every method on all instances theta (T, K, d); the same for any number of jobs.

    advance: called with a method and how many of its trials were just finished.
    """
    check_margin(margin)
    true = np.stack([frontier(one) for one in theta])
    parts = [range(begin, min(begin + PART, len(theta))) for begin in range(0, len(theta), PART)]
    found = []
    for method in methods:
        begin = time.perf_counter()
        work = (
            repeat(method),
            [theta[part.start : part.stop] for part in parts],
            parts,
            *map(repeat, (seed, delta, max_comparisons, margin)),
        )
        done: list[tuple[Counts, Mask, Mask]] = []
        if jobs == 1:
            results = map(_part, *work)
            for result in results:
                done.append(result)
                advance(method, len(result[0]))
        else:
            with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
                for result in pool.map(_part, *work):
                    done.append(result)
                    advance(method, len(result[0]))
        comparisons, stopped, kept = (np.concatenate(column) for column in zip(*done, strict=True))
        wrong = stopped & (kept != true).any(axis=1)
        found.append(Runs(method, comparisons, stopped, wrong, time.perf_counter() - begin))
    return found


def _part(
    method: str,
    theta: Reals,
    trials: range,
    seed: int,
    delta: float,
    max_comparisons: int | None,
    margin: float,
) -> tuple[Counts, Mask, Mask]:
    result = simulate(
        method, theta, trials, seed, delta=delta, max_comparisons=max_comparisons, margin=margin
    )
    return result.comparisons, result.stopped, result.frontier


def summary(runs: Runs) -> dict[str, Any]:
    """Median, mean and quantiles of the comparisons; how many runs erred and were cut."""
    low, middle, high = (int(value) for value in np.quantile(runs.comparisons, (LOW, 0.5, HIGH)))
    return {
        "method": runs.method,
        "trials": len(runs.comparisons),
        "median": middle,
        "mean": sum(runs.comparisons.tolist()) / len(runs.comparisons),
        "low": low,
        "high": high,
        "wrong": int(runs.wrong.sum()),
        "not_decided": int((~runs.stopped).sum()),
        "seconds": runs.seconds,
    }
