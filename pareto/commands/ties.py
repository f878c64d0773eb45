"""The command that treats the ties of a log in three ways: compare-ties."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pareto.commands import log_options as options
from pareto.commands.log_reading import Reading, comma_separated, reads_logs
from pareto.commands.logs import Page, Pictures, drawn_lines, write_drawings
from pareto.commands.options import Seed, check_new
from pareto.commands.retaining import retained
from pareto.errors import BattleError
from solvers.terminal import AsJson, emit


@reads_logs("cluster")
def compare_ties(
    logs: options.Logs = None,
    *,
    reading: Reading,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes", help="Tie-factor sizes to try for F, with commas.", show_default="by how many models"
        ),
    ] = None,
    seed: Seed = 0,
    output: Page = None,
    pictures: Pictures = None,
    as_json: AsJson = False,
) -> None:
    """What ties and both-bad votes change: the frontier of a log under three treatments, side by side.

    D leaves them out, H counts half a win for both, F fits a Davidson model. All retain the same models.
    """
    from pareto.log_report.ties import tie_pictures, tie_tables
    from pareto.treatments import compare_treatments

    check_new(output, pictures)
    tried = None if sizes is None else _whole(sizes)
    sources, battles = reading.read(logs)
    log = retained(battles, quiet=as_json)
    compared = compare_treatments(log, sizes=tried, seed=seed)
    record: dict[str, Any] = {
        "logs": list(sources),
        "layout": battles.schema,
        "detected": battles.detected,
        "preprocessing": None if log.preprocessing is None else log.preprocessing.record(),
        **compared.record(),
    }
    if output is not None or pictures is not None:
        from pareto.log_report.tie_sections import page

        drawn = {picture.name: picture for picture in tie_pictures(compared)}
        text = None if output is None else page(sources, battles.detected, compared, drawn)
        record |= write_drawings(drawn, text, output, pictures)

    def shown() -> list[Any]:
        return [
            f"{', '.join(sources)}: {battles.detected}",
            log.retention.explanation[0],
            *tie_tables(compared),
            *drawn_lines(record),
        ]

    emit(record, as_json, shown)


def _whole(text: str) -> list[int]:
    parts = comma_separated(text)
    if not parts or not all(part.isdecimal() for part in parts):
        raise BattleError(f"--sizes {text!r}; whole numbers ≥ 0 with commas are accepted, for example 0,1,5")
    return [int(part) for part in parts]
