"""Simulated runs of several methods on the same instances, and what they cost in summary."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, Benchmark, symmetric
from pareto.links import Reals
from pareto.result import Mask
from pareto.run_parts import Advance, Done, Part, ignored, run_parts
from pareto.task import check_margin
from pareto.trials import simulate
from solvers.workers import Processes, Workers

LOW, HIGH = 0.05, 0.95
"""Quantiles in summaries."""


@dataclass(frozen=True, eq=False)
class Runs:
    """T runs of one method: arrays (T,). wrong: a stopped run's frontier is not the true one.

    seconds: processor time of all of them.
    """

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
    workers: Workers = Processes(1),  # noqa: B008 - frozen
    advance: Advance = ignored,
) -> list[Runs]:
    """Every method on all instances theta (T, K, d); the same whoever works.

    advance: called with a method and how many of its trials were just finished.
    """
    check_margin(margin)

    def part(method: str, block: range) -> Part:
        return partial(
            simulate,
            method,
            theta[block.start : block.stop],
            block,
            seed,
            delta=delta,
            max_comparisons=max_comparisons,
            margin=margin,
        )

    found, whole = run_parts(methods, len(theta), part, workers, advance)
    if not whole:
        raise KeyboardInterrupt
    true = np.stack([frontier(one) for one in theta])
    return [_judged(done, true) for done in found]


def _judged(done: Done, true: Mask) -> Runs:
    found = done.trials
    wrong = found.stopped & (found.frontier != true).any(axis=1)
    return Runs(done.method, found.comparisons, found.stopped, wrong, done.seconds)


def sha256(found: Sequence[Runs]) -> str:
    """Digest of what every trial of every method came to, without the seconds it took."""
    digest = hashlib.sha256()
    for runs in found:
        digest.update(f"{runs.method},{len(runs.comparisons)}\n".encode())
        rows = zip(runs.comparisons.tolist(), runs.stopped.tolist(), runs.wrong.tolist(), strict=True)
        for comparisons, stopped, wrong in rows:
            digest.update(f"{comparisons},{stopped:d},{wrong:d}\n".encode())
    return digest.hexdigest()


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


def median_cut(runs: Runs) -> bool:
    """Whether the median of the comparisons is only known from below, because runs were cut.

    A run that was cut would have made as many comparisons or more. The median is known where it is the same
    for the smallest and for the largest that these can be.
    """
    least = np.sort(runs.comparisons)
    most = np.sort(runs.comparisons[runs.stopped])  # those that were cut may come after these
    middle = slice((len(least) - 1) // 2, len(least) // 2 + 1)
    return not np.array_equal(least[middle], most[middle])
