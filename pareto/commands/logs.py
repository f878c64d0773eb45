"""The command that says which models of a log are worth keeping: frontier."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pareto.commands import log_options as options
from pareto.commands.log_reading import Reading, reads_logs
from pareto.commands.options import Delta, Seed, check_new
from pareto.commands.retaining import retained
from solvers.csv_writing import CsvWriter
from solvers.new_paths import new_file, new_folder
from solvers.terminal import AsJson, emit

if TYPE_CHECKING:
    from pareto.log_report.findings import Findings
    from solvers.pages.canvas import Picture

Page = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write everything as one HTML page.", show_default=False),
]
Pictures = Annotated[
    Path | None,
    typer.Option(
        "--pictures", help="Write every picture into this new folder (.png, .svg).", show_default=False
    ),
]


@reads_logs()
def frontier(
    logs: options.Logs = None,
    *,
    reading: Reading,
    rule: options.Rule = "clique",
    ties: options.Ties = "decisive",
    delta: Delta = 0.05,
    seed: Seed = 0,
    weak: Annotated[
        bool,
        typer.Option("--weak", help="Also the frontier by the weak convention, and why it differs."),
    ] = False,
    shown: Annotated[
        int, typer.Option("-n", "--next-shown", min=0, help="How many next comparisons to list.")
    ] = 5,
    next_file: Annotated[
        Path | None,
        typer.Option("--next", help="Write all next comparisons as a CSV file.", show_default=False),
    ] = None,
    output: Page = None,
    pictures: Pictures = None,
    as_json: AsJson = False,
) -> None:
    """Which models of a log are worth keeping: its frontier, and what of it is certain at confidence 1 − δ.

    A log of battles (model_a, model_b, winner, objectives) in a known layout or in columns you name. What was
    dropped is counted; what would decide the undecided is listed.
    """
    from pareto.log_report.findings import find
    from pareto.log_report.records import frontier_record
    from pareto.task import check_delta

    check_new(output, pictures, next_file)
    check_delta(delta)
    sources, battles = reading.read(logs)
    log = retained(battles, rule, quiet=as_json)
    found = find(sources, battles, log, ties=ties, delta=delta, cluster=reading.cluster, weak=weak)
    record = frontier_record(found)
    if next_file is not None:
        _write_next(next_file, found)
        record["next_file"] = str(next_file)
    if output is not None or pictures is not None:
        given = [*(logs or ()), *reading.arguments(), "--rule", rule, "--ties", ties, "--delta", f"{delta:g}"]
        given += ["--seed", str(seed), *(["--weak"] if weak else [])]
        command = shlex.join(["pareto", "frontier", *given])
        record |= _drawn(found, command, seed, output, pictures)
    emit(record, as_json, lambda: _shown(found, record, shown))


def _drawn(
    found: Findings, command: str, seed: int, output: Path | None, folder: Path | None
) -> dict[str, Any]:
    from pareto.log_report.drawings import pictures
    from pareto.log_report.page import page
    from pareto.targets import TREATMENTS
    from pareto.treatments import compare_treatments

    # the other treatments have nothing to go by where two models never met
    fitted_only = found.log.retention.rule != "clique"
    compared = compare_treatments(found.log, ("davidson",) if fitted_only else tuple(TREATMENTS), seed=seed)
    drawn = pictures(found, compared)
    text = None if output is None else page(found, compared, drawn, command)
    return write_drawings(drawn, text, output, folder)


def _shown(found: Findings, record: dict[str, Any], most: int) -> list[Any]:
    lines = frontier_lines(found, most)
    if record.get("next_file"):
        lines.append(f"all next comparisons in {record['next_file']}")
    return lines + drawn_lines(record)


def frontier_lines(found: Findings, most: int) -> list[Any]:
    """Everything for a terminal, with `most` next comparisons."""
    from pareto.log_report import tables

    done, target = found.log.preprocessing, found.target
    title = f"{len(target.models)} models, Borda scores, ties {target.name}"
    return [
        f"{', '.join(found.sources)}: {found.battles.detected}",
        *([] if done is None else [tables.preprocessing_table(done), *done.notices]),
        *tables.undecided_lines(found),
        *tables.retention_lines(found),
        tables.models_table(found, title),
        tables.legend(found),
        *tables.frontier_lines(target),
        *([] if found.weak is None else tables.weak_lines(found.weak, target)),
        *tables.certainty_lines(found),
        *tables.next_lines(found, most),
    ]


def drawn_lines(record: dict[str, Any]) -> list[str]:
    """Where page and pictures are."""
    lines = [f"page {record['page']}"] if record.get("page") else []
    if record.get("pictures"):
        lines.append(f"pictures {', '.join(record['pictures'])}")
    return lines


def write_drawings(
    drawn: Mapping[str, Picture], text: str | None, output: Path | None, folder: Path | None
) -> dict[str, Any]:
    """Write a page and pictures where they are wanted; what was written, for the record."""
    files: list[str] = []
    if folder is not None:
        with new_folder(folder):
            for picture in drawn.values():
                for ending in (".png", ".svg"):
                    picture.write(folder / f"{picture.name}{ending}")
                    files.append(str(folder / f"{picture.name}{ending}"))
    if output is not None and text is not None:
        with new_file(output) as file:
            file.write(text)
    return {
        "page": None if output is None else str(output),
        "pictures": files,
        "alternative_texts": {picture.name: picture.alt for picture in drawn.values()},
    }


def _write_next(path: Path, found: Findings) -> None:
    from pareto.log_report.tables import next_cells

    with new_file(path, newline="") as file:
        writer = CsvWriter(file)
        writer.row(["model_a", "model_b", "objective", "comparisons"])
        wanted = found.certainty.next
        for more, _, first, second, objective, _ in next_cells(found, len(wanted.more)):
            writer.row([first, second, objective, more])
