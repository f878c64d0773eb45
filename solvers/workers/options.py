"""The options of every command that hands pieces of work to several workers."""

from __future__ import annotations

from typing import Annotated

import typer

from solvers.errors import SolverError
from solvers.workers import Processes, Workers

ENGINES = ("local", "dask")

EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Where the work is done: local, in processes of this machine, or dask, on the workers of a Dask "
        "cluster (extra dask). Results are the same to the last digit on the same kind of processor with the "
        "same versions installed; a Dask worker with others is refused.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Of the Dask cluster, for example tcp://10.0.0.5:8786; start its workers with --nthreads 1.",
        show_default=False,
    ),
]


def chosen_workers(jobs: int | None, engine: str, scheduler: str | None, usual: int | None = None) -> Workers:
    """What `--jobs`, `--engine` and `--scheduler` ask for; `usual` jobs where nothing does.

    Raises:
        SolverError: where they do not fit together.
    """
    if engine not in ENGINES:
        raise SolverError(f"engine {engine!r}; {' or '.join(ENGINES)} is accepted")
    if engine == "local":
        if scheduler is not None:
            raise SolverError("--scheduler is an address of a Dask cluster; give --engine dask with it")
        return Processes(usual if jobs is None else jobs)
    if scheduler is None:
        raise SolverError(
            "--engine dask works on a cluster that is running; give --scheduler the address that its dask "
            "scheduler prints, for example tcp://10.0.0.5:8786"
        )
    if jobs is not None:
        raise SolverError("--jobs is for this machine; a Dask cluster does as many pieces as it has workers")
    from solvers.workers.dask_cluster import DaskCluster

    return DaskCluster(scheduler)
