"""The demonstration with a known truth: one synthetic arena, every method, live."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pareto.commands.options import chosen_methods
from solvers.terminal import console, emit, progress

if TYPE_CHECKING:
    from rich.progress import Progress

    from pareto.result import Result
    from pareto.samplers import Sampler

OBJECTIVES = ("code", "math", "writing", "style")
BENCHMARK = "arena-4-small"


def synthetic_demo(method: Sequence[str] | None, delta: float, seed: int, as_json: bool) -> None:
    """32 models, four objectives, and votes that are drawn at random.

    Every method looks for the models that nobody beats on all four; the truth is known here, so the answers
    can be checked.
    """
    from pareto import report
    from pareto.frontier import frontier
    from pareto.identify import identify
    from pareto.instances import benchmark
    from pareto.sources import BradleyTerrySource
    from pareto.task import check_delta, numbered

    check_delta(delta)
    methods = chosen_methods(method)
    theta = benchmark(BENCHMARK).theta(seed)
    true = frontier(theta)
    # frontier models first would give the answer away
    order = np.random.default_rng((seed, 1)).permutation(len(theta))
    theta, true = theta[order], true[order]
    models = numbered("model", len(theta))
    out = console()
    if not as_json:
        out.print(
            f"{len(models)} models, {len(OBJECTIVES)} objectives, simulated votes, δ = {delta:g}: which "
            "models does nobody beat on everything?"
        )
    runs: list[dict[str, Any]] = []
    results: list[Result] = []
    with progress(as_json) as bars:
        for name in methods:
            source = BradleyTerrySource(theta, seed, models=models, objectives=OBJECTIVES)
            begin = time.perf_counter()
            result = identify(source, name, delta, seed, progress=_Live(bars, name, len(models)))
            results.append(result)
            runs.append(
                {
                    "method": name,
                    "comparisons": result.comparisons,
                    "status": str(result.status),
                    "frontier": list(result.kept),
                    "right": bool((result.frontier == true).all()),
                    "seconds": time.perf_counter() - begin,
                }
            )
    best = min(
        (result for result in results if result.stopped),
        key=lambda one: one.comparisons,
        default=results[0],
    )
    record: dict[str, Any] = {
        "benchmark": BENCHMARK,
        "seed": seed,
        "delta": delta,
        "runs": runs,
        "answer": report.result_record(best),
    }
    emit(
        record,
        as_json,
        lambda: [
            report.models_table(record["answer"], f"{best.method}, with {best.scale} scores as estimated"),
            report.LEGEND,
            _comparison(runs),
            *_closing(runs),
        ],
    )


class _Live:
    """A bar for a running method: how many models are decided, comparisons, radius."""

    def __init__(self, bars: Progress, name: str, models: int) -> None:
        self._bars, self._name = bars, name
        self._task = bars.add_task(name, total=models)

    def __call__(self, sampler: Sampler) -> None:
        from pareto.samplers.phased import PhasedSampler

        if self._bars.disable and not sampler.done:
            return
        decided = len(sampler.task.models) - len(sampler.result.undecided)
        radius = ""
        if isinstance(sampler, PhasedSampler) and sampler.closed is not None:
            radius = f", radius {sampler.closed.radius:.4f}"
        text = f"{self._name}: {sampler.comparisons:,} comparisons{radius}, models decided"
        self._bars.update(self._task, completed=decided, description=text)


def _comparison(runs: Sequence[dict[str, Any]]) -> Any:
    from pareto import report

    rows = [
        [
            run["method"],
            f"{run['comparisons']:,}",
            f"{runs[0]['comparisons'] / run['comparisons']:.1f}×",
            "yes" if run["right"] else "no",
            run["status"],
            f"{run['seconds']:.1f} s",
        ]
        for run in runs
    ]
    return report.grid("Methods", ["method", "comparisons", "fewer", "right", "status", "time"], rows)


def _closing(runs: Sequence[dict[str, Any]]) -> list[str]:
    best = min(runs, key=lambda run: run["comparisons"])
    if len(runs) < 2 or best is runs[0]:
        return []
    times = runs[0]["comparisons"] / best["comparisons"]
    return [
        f"{best['method']} needed {times:.0f} times fewer comparisons than {runs[0]['method']}. "
        "With your own models: pareto plan, then pareto start."
    ]
