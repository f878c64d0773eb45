"""The command that repeats the paper's evidence: reproduce."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from pareto.experiments.catalogue import CATALOGUE
from solvers.studies.catalogue import Catalogue
from solvers.studies.command import Jobs, Name, Only, Output, Seeds, reproduce_command
from solvers.studies.study import SEEDS, Study
from solvers.terminal import AsJson
from solvers.workers.options import EngineName, Scheduler


@dataclass(frozen=True)
class _WithData(Catalogue):
    """The catalogue with the paper's files for the study that uses them."""

    data: Path = Path()

    def load(self, name: str) -> Study:
        if name != "arena":
            return super().load(name)
        from pareto.experiments.arena import study

        return study(self.data)


def reproduce(
    name: Name = None,
    output: Output = Path("evidence"),
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="The paper's own data sets, for the study arena: a folder with arena-140k, search-arena and "
            "vision-arena inside (any of them), each with its Parquet files.",
            show_default="parts that come with the package",
        ),
    ] = None,
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
    catalogue: Catalogue = CATALOGUE
    if data is not None:
        catalogue = _WithData(
            **{one.name: getattr(CATALOGUE, one.name) for one in fields(CATALOGUE)}, data=data
        )
    reproduce_command(catalogue)(name, output, jobs, engine, scheduler, seeds, only, as_json)
