"""The command that computes the information limit."""

from __future__ import annotations

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from pareto.commands.options import Delta, Jobs, Seed, check_new, chosen_methods
from pareto.commands.simulating import no_guarantee
from pareto.errors import BattleError
from pareto.samplers import METHODS
from solvers.terminal import AsJson, bars_by_name, emit, progress
from solvers.workers.options import EngineName, Scheduler, chosen_workers

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.table import Table

    from pareto.limit import Limit
    from pareto.links import Reals
    from pareto.scorefile import ScoreTable

MOST = 10**12
"""Simulated runs are cut here: with ties a method need not stop."""


def limit(
    instance: Annotated[
        str,
        typer.Argument(
            metavar="SCORES|BENCHMARK",
            help="CSV of latent scores: model names in the first column, a column an objective. Or a family "
            "of instances, as for simulate: its first one with this seed.",
            show_default=False,
        ),
    ],
    scale: Annotated[
        str,
        typer.Option("--scale", help="Of a file. latent: Bradley–Terry scores. borda: win rates."),
    ] = "latent",
    delta: Delta = 0.05,
    seed: Seed = 0,
    direct: Annotated[
        bool, typer.Option("--direct", help="Compare only pairs with a frontier model; nothing is shared.")
    ] = False,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, help="Go on until the bounds differ by this share.")
    ] = 0.01,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0, help="Or until this much time has passed.")
    ] = 120.0,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"One of {', '.join(METHODS)}; repeat it to compare several.",
            show_default="all",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", "-n", min=0, help="Simulated runs of every method; 0 for none.")
    ] = 5,
    jobs: Jobs = None,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Draw the allocation, as .png, .svg or .pdf.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How few comparisons can suffice, whatever the method? Proven bounds, and what methods pay beyond.

    For methods that are right with probability 1 − δ on every Bradley–Terry instance. Also which comparisons
    reach the limit, and the alternatives that are hardest to exclude.
    """
    from pareto.limit import information_limit
    from pareto.limit.report import hardest_lines, limit_lines, limit_record, pairs_table
    from pareto.plots import check_format

    check_new(output)
    check_format(output)
    if not 0 < delta < 0.5:
        raise BattleError(f"delta is {delta}; between 0 and 0.5 is accepted")
    methods = chosen_methods(method or METHODS) if trials else []
    workers = chosen_workers(jobs, engine, scheduler, usual=1)
    table = _table(instance, scale, seed)
    with progress(as_json) as bars:
        found = information_limit(
            table.scores,
            direct=direct,
            tolerance=tolerance,
            seconds=seconds,
            steps=10**6,
            advance=_Shown(bars, tolerance),
        )
        record = {"instance": instance, "seed": seed, "direct": direct, **limit_record(found, table, delta)}
        record["max_comparisons"] = MOST
        record["methods"] = _paid(methods, table.scores, trials, seed, delta, workers, bars, found)
    if output is not None:
        _draw(found, table, f"{instance}, optimal allocation", output)

    def shown() -> list[Any]:
        size = f"{record['models']} models, {record['objectives']} objectives"
        lines: list[Any] = [f"{instance}: {size}, {len(record['frontier'])} on the frontier, δ = {delta:g}"]
        lines += limit_lines(record, direct)
        if record["comparisons_at_least"] is not None:
            lines += [pairs_table(record), *hardest_lines(record)]
        if methods:
            lines += [_methods_table(record["methods"], trials), *_cut(record["methods"])]
            lines += no_guarantee(methods)
        return lines

    emit(record, as_json, shown)


def _table(instance: str, scale: str, seed: int) -> ScoreTable:
    """Latent scores with names, from a file or a family of instances."""
    from pareto.runs import instances
    from pareto.scorefile import ScoreTable, latent_scores, read_scores
    from pareto.task import numbered

    if scale not in ("latent", "borda"):
        raise BattleError(f"scale {scale!r}; latent or borda is accepted")
    path = Path(instance)
    if path.is_file() or path.suffix.lower() == ".csv":
        table = read_scores(path)
        scores = table.scores if scale == "latent" else latent_scores(table)
        return ScoreTable(table.models, table.objectives, scores)
    if scale != "latent":
        raise BattleError(f"--scale {scale} is for files; {instance!r} is none")
    theta = instances(instance).theta(seed)
    models, objectives = theta.shape
    return ScoreTable(numbered("model", models), numbered("objective", objectives), theta)


class _Shown:
    """How far apart the bounds are."""

    def __init__(self, bars: Progress, tolerance: float) -> None:
        self._bars, self._tolerance, self._steps = bars, tolerance, 0
        self._task: TaskID = bars.add_task("bounds", total=None)

    def __call__(self, low: float, high: float) -> None:
        self._steps += 1
        gap = high / low - 1
        done = gap <= self._tolerance
        self._bars.update(
            self._task,
            description=f"allocations, bounds {gap:.2%} apart",
            completed=self._steps,
            total=self._steps if done else None,
        )


def _paid(
    methods: list[str],
    theta: Reals,
    trials: int,
    seed: int,
    delta: float,
    workers: Any,
    bars: Progress,
    found: Limit,
) -> list[dict[str, Any]]:
    """What methods need on this instance, and how many times the limit that is.

    median_cut: the median is of runs that were cut, so both are only known from below.
    """
    from pareto.runs import median_cut, run_all, summary

    if not methods:
        return []
    runs = run_all(
        methods,
        np.repeat(theta[None], trials, axis=0),
        seed,
        delta,
        max_comparisons=MOST,
        workers=workers,
        advance=bars_by_name(bars, methods, trials),
    )
    low, high = found.comparisons(delta)
    records = []
    for one in runs:
        record, cut = summary(one), median_cut(one)
        times = (record["median"] / high, record["median"] / low) if np.isfinite(low) else (None, None)
        record["median_cut"] = cut
        record["times_limit_at_least"], record["times_limit_at_most"] = times[0], None if cut else times[1]
        records.append(record)
    return records


def _methods_table(records: list[dict[str, Any]], trials: int) -> Table:
    from pareto import report

    some_open = any(one["not_decided"] for one in records)
    rows = [
        [
            one["method"],
            f"≥ {one['median']:,}" if one["median_cut"] else f"{one['median']:,}",
            _times(one["times_limit_at_least"], one["times_limit_at_most"], one["median_cut"]),
            str(one["wrong"]),
            *([str(one["not_decided"])] if some_open else []),
        ]
        for one in records
    ]
    headings = ["method", "median", "median ÷ limit", "wrong", *(["open"] if some_open else [])]
    return report.grid(f"What methods pay, {trials} trials", headings, rows)


def _cut(records: list[dict[str, Any]]) -> list[str]:
    """What runs that were cut mean for the table."""
    if not any(one["not_decided"] for one in records):
        return []
    said = (
        f"Open runs were cut undecided at {MOST:,} comparisons, or before a step that would have gone beyond."
    )
    if any(one["median_cut"] for one in records):
        said += " Where the median run was, ≥ says what it had paid by then; what it needs is not known."
    return [said]


def _times(low: float | None, high: float | None, cut: bool) -> str:
    """A range only where its ends look different; of a run that was cut only the lower end, rounded down."""
    if low is not None and cut:
        return f"≥ {_shown_times(low, ROUND_FLOOR)}"
    if low is None or high is None:
        return "–"
    ends = [_shown_times(value, ROUND_HALF_EVEN) for value in (low, high)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _shown_times(value: float, rounding: str) -> str:
    """Three digits, or all before the point."""
    exact = Decimal(value)
    if value >= 1000:
        return f"{exact.quantize(Decimal(1), rounding):,}"
    return f"{float(Context(prec=3, rounding=rounding).plus(exact)):.3g}"


def _draw(found: Limit, table: ScoreTable, title: str, path: Path) -> None:
    from pareto.frontier import frontier
    from pareto.limit.picture import allocation_picture

    allocation_picture(found.weights, frontier(table.scores), table.models, table.objectives, title, path)
