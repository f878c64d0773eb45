"""The command that runs methods on comparisons redrawn from a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pareto.commands import log_options as options
from pareto.commands.log_reading import Reading, reads_logs
from pareto.commands.options import Cap, Delta, Jobs, Margin, Seed, check_new
from pareto.commands.retaining import retained
from pareto.commands.simulating import Picture, Trials, methods_table
from solvers.terminal import AsJson, bars_by_name, emit, grid, progress
from solvers.workers import Processes, Workers
from solvers.workers.options import EngineName, Scheduler, chosen_workers

if TYPE_CHECKING:
    from pareto.targets import Target

DEFAULT = ("vb-ege", "focal-borda", "bt-mle", "borda-plugin", "interval")
"""The paper's four methods, and the one of ours that needs nothing but Borda scores."""
MOST = 10**12
"""Runs are cut here where a gap of the log is 0, so that no method need stop."""


@reads_logs("cluster")
def resample(
    logs: options.Logs = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help=f"One of {', '.join(DEFAULT)}; repeat it to compare several.",
            show_default="all of them",
        ),
    ] = None,
    trials: Trials = 100,
    delta: Delta = 0.05,
    seed: Seed = 0,
    ties: options.Ties = "decisive",
    max_comparisons: Cap = None,
    margin: Margin = 0.0,
    jobs: Jobs = None,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    output: Picture = None,
    *,
    reading: Reading,
    as_json: AsJson = False,
) -> None:
    """What would methods have needed? Runs on comparisons redrawn from a log, with replacement.

    Every run looks for the frontier of the log itself, so answers can be counted as right or wrong.
    """
    from pareto.plots import check_format
    from pareto.targets import target
    from pareto.task import check_delta

    check_new(output)
    check_format(output)
    check_delta(delta)
    workers = chosen_workers(jobs, engine, scheduler, usual=1)
    methods = list(dict.fromkeys(method)) if method else list(DEFAULT)
    sources, battles = reading.read(logs)
    aim = target(retained(battles, quiet=as_json), ties)
    record = resampled(
        aim,
        methods,
        trials,
        seed,
        delta,
        max_comparisons=max_comparisons,
        margin=margin,
        workers=workers,
        quiet=as_json,
        picture=output,
        title=", ".join(sources),
    )
    record = {"logs": list(sources), **record}
    emit(record, as_json, lambda: resampling_lines(record))
    if not record["finished"]:
        raise typer.Exit(130)


def resampled(
    aim: Target,
    methods: Sequence[str],
    trials: int,
    seed: int,
    delta: float,
    *,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    workers: Workers = Processes(1),  # noqa: B008 - frozen
    quiet: bool = False,
    picture: Path | None = None,
    title: str = "",
) -> dict[str, Any]:
    """Run the methods and say what came out, for --json; progress is shown unless `quiet`."""
    from pareto.log_report.records import target_record
    from pareto.log_runs import check_methods, run_log
    from pareto.runs import sha256
    from pareto.task import check_margin

    check_methods(methods, aim)
    check_margin(margin)
    cap = MOST if max_comparisons is None and not aim.recoverable else max_comparisons
    with progress(quiet) as bars:
        found, finished = run_log(
            methods,
            aim,
            trials,
            seed,
            delta,
            max_comparisons=cap,
            margin=margin,
            workers=workers,
            advance=bars_by_name(bars, methods, trials),
        )
    if picture is not None and found:
        from pareto.plots import comparisons_picture

        comparisons_picture([one.runs for one in found], f"{title}, {aim.name}, δ = {delta:g}", picture)
    return {
        "target": target_record(aim),
        "trials": trials,
        "delta": delta,
        "seed": seed,
        "finished": finished,
        "max_comparisons": cap,
        "methods": [one.record() for one in found],
        "sha256": sha256([one.runs for one in found]),
        "guarantees": guarantees(methods, aim, delta),
        "picture": None if picture is None or not found else str(picture),
    }


def guarantees(methods: Sequence[str], aim: Target, delta: float) -> dict[str, str]:
    """What each method promises about this log, in words."""
    from pareto.logged_source import promise

    return {name: promise(name, aim, delta) for name in methods}


def resampling_lines(record: dict[str, Any]) -> list[Any]:
    """Costs, how often the frontier of the log was recovered, and what is promised."""
    aim, methods = record["target"], record["methods"]
    size = f"{len(aim['models'])} models, ties {aim['ties']} ({aim['letter']})"
    lines: list[Any] = [
        f"Frontier of this log: {', '.join(aim['frontier'])} (minimum gap {aim['minimum_gap']:.4g})",
    ]
    if methods:
        title = f"{size}, δ = {record['delta']:g}, {record['trials']} trials, comparisons redrawn"
        lines += [methods_table(title, methods), recovery_table(methods)]
    if not record["finished"]:
        lines.append("stopped by Ctrl-C; what was finished until then is above")
    if record["max_comparisons"] is not None:
        lines.append(f"Runs were cut at {record['max_comparisons']:,} comparisons")
    if methods:
        lines.append(f"results sha256 {record['sha256']}")
    return [*lines, *_said(record["guarantees"])]


def recovery_table(methods: Sequence[dict[str, Any]]) -> Any:
    """How often each method stopped with the frontier of the log, and in which phase."""
    from rich.text import Text

    rows = []
    for one in methods:
        mean = f"{one['mean']:,.0f}" if one["mean"] < 1e9 else f"{one['mean']:.3e}".replace("e+", "e")
        recovered = f"{one['recovered']} of {one['trials']}"
        rows.append([one["method"], recovered, Text(mean, justify="right"), _phases(one)])
    return grid(
        "Frontier of the log recovered",
        ("method", "recovered", "mean comparisons", "last phase: runs"),
        rows,
    )


def _phases(one: dict[str, Any]) -> str:
    """``7: 6, 8: 94``; rounds, of which there are many, as a range."""
    phases = {int(phase): runs for phase, runs in one["final_phases"].items()}
    if len(phases) <= 6:
        return ", ".join(f"{phase}: {runs}" for phase, runs in phases.items())
    return f"rounds {min(phases)} to {max(phases)}"


def _said(promises: dict[str, str]) -> list[str]:
    """Each sentence once, for all methods that it fits."""
    said: dict[str, list[str]] = {}
    for name, text in promises.items():
        said.setdefault(text.replace(name, "{}", 1), []).append(name)
    return [text.replace("{}", _together(names), 1) for text, names in said.items()]


def _together(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"each of {', '.join(names[:-1])} and {names[-1]}"
