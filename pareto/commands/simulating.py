"""The command that simulates methods on the paper's instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pareto.commands.options import Cap, Delta, Jobs, Margin, Methods, Seed, check_new, chosen_methods
from solvers.terminal import AsJson, bars_by_name, emit, progress
from solvers.workers.options import EngineName, Scheduler, chosen_workers

if TYPE_CHECKING:
    from rich.table import Table

Trials = Annotated[int, typer.Option("--trials", "-n", min=1, help="Simulated runs of every method.")]
Picture = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Draw the comparisons needed, as .png or .svg.", show_default=False),
]


def simulate(
    benchmark: Annotated[
        str,
        typer.Argument(
            metavar="BENCHMARK",
            help="convex-2d, convex-3d, arena-4-small, arena-4-medium, arena-10, witness-4, witness-10, "
            "two-group-10, or symmetric:K,d,gap.",
            show_default=False,
        ),
    ],
    method: Methods = None,
    trials: Trials = 100,
    delta: Delta = 0.05,
    seed: Seed = 0,
    max_comparisons: Cap = None,
    margin: Margin = 0.0,
    jobs: Jobs = None,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    output: Picture = None,
    as_json: AsJson = False,
) -> None:
    """How many comparisons methods need on a family of synthetic instances, and how often they err.

    The truth is known here: an answer is wrong if it is not the strict frontier of the instance. "fewer" is
    the ratio of medians to the first method. The same seed gives the same runs, whoever does the work.
    """
    from pareto.runs import instances, run_all, sha256, summary, thetas
    from pareto.task import check_delta

    check_new(output)
    check_delta(delta)
    methods = chosen_methods(method)
    workers = chosen_workers(jobs, engine, scheduler, usual=1)
    chosen = instances(benchmark)
    theta = thetas(chosen, trials, seed)
    with progress(as_json) as bars:
        found = run_all(
            methods,
            theta,
            seed,
            delta,
            max_comparisons=max_comparisons,
            margin=margin,
            workers=workers,
            advance=bars_by_name(bars, methods, trials),
        )
    if output is not None:
        from pareto.plots import comparisons_picture

        comparisons_picture(found, f"{benchmark}, δ = {delta:g}", output)
    record: dict[str, Any] = {
        "benchmark": benchmark,
        "models": int(theta.shape[1]),
        "objectives": int(theta.shape[2]),
        "instances": min(trials, chosen.instances),
        "trials": trials,
        "delta": delta,
        "seed": seed,
        "methods": [summary(runs) for runs in found],
        "sha256": sha256(found),
    }
    size = f"{theta.shape[1]} models, {theta.shape[2]} objectives"
    title = f"{benchmark}: {size}, δ = {delta:g}, {trials} trials, comparisons"
    emit(
        record,
        as_json,
        lambda: [
            methods_table(title, record["methods"]),
            *no_guarantee(methods),
            f"results sha256 {record['sha256']}",
        ],
    )


def methods_table(title: str, records: Sequence[dict[str, Any]]) -> Table:
    """Methods side by side: medians, quantiles, and how many times fewer than the first method's median."""
    from pareto import report

    some_open = any(one["not_decided"] for one in records)
    rows = [
        [
            one["method"],
            *(_short(one[name]) for name in ("median", "low", "high")),
            _times(records[0]["median"] / one["median"]) if one["median"] else "–",
            str(one["wrong"]),
            f"{one['seconds']:.1f} s",
            *([str(one["not_decided"])] if some_open else []),
        ]
        for one in records
    ]
    headings = ["method", "median", "5 %", "95 %", "fewer", "wrong", "time", *(["open"] if some_open else [])]
    return report.grid(title, headings, rows)


def no_guarantee(methods: Sequence[str]) -> list[str]:
    """A line that names the methods that promise nothing, if there are any."""
    from pareto.samplers import method as find_method

    names = [name for name in methods if not find_method(name).guarantee.certified]
    verb = "carries" if len(names) == 1 else "carry"
    return [f"{' and '.join(names)} {verb} no guarantee"] if names else []


def _times(ratio: float) -> str:
    """One decimal, two digits below one."""
    return f"{ratio:.1f}×" if ratio >= 0.95 else f"{ratio:.2g}×"


def _short(count: int) -> str:
    """All digits below a thousand million, four significant ones from there on."""
    return f"{count:,}" if count < 10**9 else f"{count:.3e}".replace("e+", "e")
