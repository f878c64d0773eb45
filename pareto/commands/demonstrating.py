"""The demonstration: the whole job on a real log that comes with the package."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pareto.commands.logs import frontier_lines
from pareto.commands.options import Delta, Seed
from pareto.commands.resampling import DEFAULT, resampled, resampling_lines
from pareto.commands.simulating import Trials
from solvers.terminal import AsJson, console, emit

LOG = "bundled:arena140k-decisive"
OBJECTIVES = "code,instruction_following,general"
"""With all five objectives there are ten models left and one of them wins everything; with these, fifteen."""
SHOWN = 3


def demo(
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic", help="Instead: simulated votes on 32 models, methods against the known truth."
        ),
    ] = False,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", help="Methods to run; repeat it for several.", show_default="those that fit"
        ),
    ] = None,
    trials: Trials = 100,
    delta: Delta = 0.05,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """The whole job on 22,577 real battles of Arena-140K that come with the package.

    Which models are on the frontier, which of that is certain, what to compare next, and what each method
    would have needed to find out, on comparisons redrawn from the log. Takes some seconds; writes nothing.
    """
    if synthetic:
        from pareto.commands.synthetic import synthetic_demo

        synthetic_demo(method, delta, seed, as_json)
        return
    from pareto.commands.log_reading import Reading
    from pareto.log_report.findings import find
    from pareto.log_report.records import frontier_record
    from pareto.task import check_delta

    check_delta(delta)
    sources, battles = Reading(objectives=OBJECTIVES).read([LOG])
    found = find(sources, battles, battles.retain(), delta=delta)
    if not as_json:  # shown before the runs, which take a moment
        emit({}, False, lambda: frontier_lines(found, SHOWN))
        console().print("\nWhat would methods have needed, on comparisons redrawn from this log?\n")
    runs = resampled(found.target, list(method or DEFAULT), trials, seed, delta, quiet=as_json)
    record: dict[str, Any] = {"frontier": frontier_record(found), "resampling": runs}
    emit(record, as_json, lambda: [*resampling_lines(runs), *_closing(runs)])
    if not runs["finished"]:
        raise typer.Exit(130)


def _closing(runs: dict[str, Any]) -> list[str]:
    """The saving, and how to go on."""
    lines = []
    medians = {one["method"]: one["median"] for one in runs["methods"]}
    best = min(medians, key=lambda name: medians[name], default=None)
    if best is not None and medians.get("vb-ege", 0) > medians[best]:
        lines.append(
            f"{best} needed {medians['vb-ege'] / medians[best]:.0f} times fewer comparisons than vb-ege for "
            "the same frontier."
        )
    return [
        *lines,
        "With a log of your own: pareto frontier LOG -o page.html. With votes to come: pareto plan, then "
        "pareto start.",
    ]
