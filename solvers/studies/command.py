"""The command that repeats a paper's evidence: reproduce."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from solvers.entry import INTERRUPTED, Ended
from solvers.errors import SolverError
from solvers.studies.catalogue import Catalogue
from solvers.studies.study import SEEDS
from solvers.terminal import AsJson, emit, grid, progress
from solvers.workers.options import EngineName, Scheduler, chosen_workers

if TYPE_CHECKING:
    from rich.console import RenderableType

    from solvers.studies.engine import Outcome
    from solvers.workers import Workers

ALL = "all"

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A study, or all of them; without it, a list.", show_default=False),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Results and pictures; resumed if there.")
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Processes here; all cores by default.", show_default=False),
]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Repetitions of whatever is drawn at random.")]
Only = Annotated[
    str | None,
    typer.Option("--only", metavar="PREFIX", help="Only pieces whose name starts so.", show_default=False),
]


def reproduce_command(catalogue: Catalogue) -> Callable[..., None]:
    """The command `reproduce` for a package's studies."""

    def reproduce(
        name: Name = None,
        output: Output = Path("evidence"),
        jobs: Jobs = None,
        engine: EngineName = "local",
        scheduler: Scheduler = None,
        seeds: Seeds = SEEDS,
        only: Only = None,
        as_json: AsJson = False,
    ) -> None:
        """The paper's tables and figures, our figure beside the paper's.

        Stopped at any moment, the same command goes on after the last finished piece, on this machine or
        another. The digest of the results (sha256) is the same whoever did the work. Exit code 1 when a claim
        of ours does not hold.
        """
        if name is None:
            _list(catalogue, as_json)
        else:
            workers = chosen_workers(jobs, engine, scheduler)
            _reproduce(catalogue, name, output, workers, seeds, only, as_json)

    return reproduce


def _reproduce(
    catalogue: Catalogue,
    name: str,
    output: Path,
    workers: Workers,
    seeds: int,
    only: str | None,
    as_json: bool,
) -> None:
    from solvers.studies.engine import run

    if output.exists() and not output.is_dir():
        raise SolverError(f"{output} is a file; name a folder for results and pictures")
    if name == ALL and only is not None:
        raise SolverError("pieces are named differently in every study; give --only with one study, not all")
    outcomes: list[Outcome] = []
    for study in map(catalogue.load, catalogue.names if name == ALL else [name]):
        try:
            with _shown(study.name, as_json) as shown:
                outcome = run(study, output, workers=workers, seeds=seeds, only=only, progress=shown)
        except (KeyboardInterrupt, Ended) as stopped:
            with suppress(OSError):  # the terminal may be what ended it
                typer.echo(
                    f"stopped in {study.name}; what is finished is in {output / study.file}.csv, and the "
                    "same command goes on from there",
                    err=True,
                )
            if isinstance(stopped, Ended):
                raise
            raise typer.Exit(INTERRUPTED) from None
        outcomes.append(outcome)
        if not as_json:
            emit({}, False, lambda outcome=outcome: _parts(outcome))  # type: ignore[misc]
    page = None
    if name == ALL:
        from solvers.studies.page import write_page

        page = output / "index.html"
        write_page(page, catalogue, outcomes)
    record = {
        "studies": [_record(outcome) for outcome in outcomes],
        "page": None if page is None else str(page),
    }
    emit(record, as_json, lambda: [f"everything on one page: {page}"] if page else [])
    if any(line.holds is False for outcome in outcomes for line in outcome.lines):
        raise typer.Exit(1)


def _list(catalogue: Catalogue, as_json: bool) -> None:
    studies = [catalogue.load(name) for name in catalogue.names]
    record = {
        "studies": [
            {"name": study.name, "title": study.title, "processor_seconds": study.seconds}
            for study in studies
        ]
    }

    def parts() -> Iterator[RenderableType]:
        rows = [
            (study.name, f"with {study.results}" if study.results else duration(study.seconds), study.title)
            for study in studies
        ]
        total = sum(study.seconds for study in studies if study.results is None)
        rows.append((ALL, duration(total), "everything, and one page with every table and picture"))
        yield grid("Studies", ("name", "processor time", "what it shows"), rows)
        yield f"{catalogue.command} reproduce NAME runs one, {catalogue.command} reproduce all the lot"

    emit(record, as_json, parts)


def duration(seconds: float) -> str:
    """``40 s``, ``12 min``."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _parts(outcome: Outcome) -> Iterator[RenderableType]:
    from rich.text import Text

    study = outcome.study
    yield Text(f"{study.name}: {study.title}", "bold")
    if outcome.pieces < outcome.of:
        yield f"{outcome.pieces} of {outcome.of} pieces; the paper's figures are for all of them"
    for part, lines in groupby(outcome.lines, key=lambda line: line.part):
        rows = [
            (
                line.quantity,
                Text(line.ours, "bold red" if line.holds is False else ""),
                line.paper,
                line.note + (" – does NOT hold" if line.holds is False else ""),
            )
            for line in lines
        ]
        yield grid(part, ("", "ours", "paper", "note"), rows)
    files = [outcome.results, *(picture.path for picture in outcome.pictures)]
    yield f"{duration(outcome.seconds)} of processor time; in {', '.join(map(str, files))}"
    yield f"results sha256 {outcome.sha256}"


def _record(outcome: Outcome) -> dict[str, Any]:
    return {
        "name": outcome.study.name,
        "title": outcome.study.title,
        "pieces": outcome.pieces,
        "of": outcome.of,
        "processor_seconds": round(outcome.seconds, 1),
        "results": str(outcome.results),
        "sha256": outcome.sha256,
        "lines": [
            {
                "part": line.part,
                "quantity": line.quantity,
                "ours": line.ours,
                "paper": line.paper,
                "note": line.note,
                "holds": line.holds,
            }
            for line in outcome.lines
        ],
        "pictures": [{"path": str(picture.path), "caption": picture.caption} for picture in outcome.pictures],
    }


@contextmanager
def _shown(name: str, hidden: bool) -> Iterator[Callable[[int, int], None]]:
    with progress(hidden or not sys.stderr.isatty()) as bars:
        task = bars.add_task(name, total=None)
        yield lambda done, of: bars.update(task, completed=done, total=of)
