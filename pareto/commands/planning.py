"""What a session will cost, before anybody votes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from pareto.commands.options import Cap, Delta, Jobs, Margin, Methods, Seed, check_new, chosen_methods
from pareto.commands.simulating import Picture, Trials, methods_table, no_guarantee
from pareto.errors import BattleError
from solvers.terminal import AsJson, bars_by_name, emit, progress
from solvers.workers.options import EngineName, Scheduler, chosen_workers

MOST = 10**12
"""Simulated runs are cut here: with ties a method need not stop."""


def plan(
    scores: Annotated[
        Path,
        typer.Argument(
            metavar="SCORES",
            help="CSV of assumed or pilot scores: model names in the first column, a column an objective.",
            show_default=False,
        ),
    ],
    scale: Annotated[
        str,
        typer.Option(
            "--scale", help="latent: Bradley–Terry scores. borda: win rates against an average opponent."
        ),
    ] = "latent",
    method: Methods = None,
    trials: Trials = 20,
    delta: Delta = 0.05,
    seed: Seed = 0,
    max_comparisons: Cap = None,
    margin: Margin = 0.0,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            min=0,
            help="How many comparisons you could buy.",
            show_default=False,
        ),
    ] = None,
    jobs: Jobs = None,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    output: Picture = None,
    as_json: AsJson = False,
) -> None:
    """What will it cost? Bounds from assumed scores, and simulated runs of each method on them.

    Bounds: what VB-EGE needs at most, with probability 1 − δ, and what any method needs at least on the worst
    instance with gaps like these. The runs are a forecast, as good as the scores are. Exit code 1 when no
    method decides within --budget in half of its runs.
    """
    from pareto import report
    from pareto.planning import bounds_lines, bounds_record
    from pareto.runs import run_all, sha256, summary
    from pareto.scorefile import latent_scores, read_scores
    from pareto.task import check_delta

    check_new(output)
    check_delta(delta)
    if scale not in ("latent", "borda"):
        raise BattleError(f"scale {scale!r}; latent or borda is accepted")
    methods = chosen_methods(method)
    workers = chosen_workers(jobs, engine, scheduler, usual=1)
    table = read_scores(scores)
    theta = table.scores if scale == "latent" else latent_scores(table)
    record: dict[str, Any] = bounds_record(table, theta, delta)
    cap = MOST if max_comparisons is None else max_comparisons
    with progress(as_json) as bars:
        found = run_all(
            methods,
            np.repeat(theta[None], trials, axis=0),
            seed,
            delta,
            max_comparisons=cap,
            margin=margin,
            workers=workers,
            advance=bars_by_name(bars, methods, trials),
        )
    if output is not None:
        from pareto.plots import comparisons_picture

        comparisons_picture(found, f"{scores.name}, δ = {delta:g}", output)
    record["methods"] = [summary(runs) for runs in found]
    record["sha256"] = sha256(found)
    enough = True
    if budget is not None:
        within = {runs.method: float((runs.stopped & (runs.comparisons <= budget)).mean()) for runs in found}
        enough = max(within.values()) >= 0.5
        record["budget"] = {"comparisons": budget, "decided_within": within, "enough": enough}

    def shown() -> list[Any]:
        lines = [
            report.models_table(record["standing"], "If these scores were the truth"),
            report.LEGEND,
            *bounds_lines(record),
            methods_table(f"Simulated runs, δ = {delta:g}, {trials} trials, comparisons", record["methods"]),
            *no_guarantee(methods),
        ]
        if budget is not None:
            best = max(within, key=lambda name: within[name])
            verdict = "enough" if enough else "not enough"
            lines.append(
                f"{budget:,} comparisons are {verdict}: {best} decides within them in "
                f"{within[best]:.0%} of its runs"
            )
        return lines

    emit(record, as_json, shown)
    if not enough:
        raise typer.Exit(1)
