"""Commands that run back ends: list, solve, compare."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from solvers.commands.options import ENDINGS, TimeLimit
from solvers.errors import SolverError
from solvers.terminal import AsJson, emit, new_files

if TYPE_CHECKING:
    from solvers.backends.base import Problem


class Kind(StrEnum):
    """Problems that can be made from a seed."""

    covering = "covering"
    lp = "lp"
    mip = "mip"
    clique = "clique"
    fit = "fit"


def list_(as_json: AsJson = False) -> None:
    """Back ends: version, problem types, limits, and how to get those that are missing.

    Nothing native is imported for it.
    """
    from solvers import report
    from solvers.backends import registered
    from solvers.instances import bundled

    records = [report.backend_record(backend) for backend in registered().values()]
    names = list(bundled())
    emit(
        {"back_ends": records, "bundled_problems": names},
        as_json,
        lambda: [*report.list_parts(records), f"Bundled problems: {', '.join(names)}"],
    )


def solve(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help=f"Problem file ({ENDINGS}) or name of a bundled problem.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the proof here (covering programs).", show_default=False),
    ] = None,
    backend: Annotated[
        str, typer.Option("--backend", "-b", help="Who solves it; see `solvers list`.")
    ] = "auto",
    time_limit: TimeLimit = None,
    as_json: AsJson = False,
) -> None:
    """Solve one problem and check the answer exactly; -o writes a proof that strangers can check.

    Exit code 1 when there is no point to show: infeasible, unbounded, or none found in time.
    """
    from solvers import CoveringProgram, proof, read_problem, report
    from solvers import solve as run

    if output is not None:
        new_files(SolverError, output)
    problem = read_problem(_place(file))
    if output is not None and not isinstance(problem, CoveringProgram):
        raise SolverError(
            f"{file}: a {type(problem).__name__} has no proof file, only covering programs do; leave -o away."
        )
    solution = run(problem, backend, time_limit)
    record = report.solution_record(problem, file.name, solution)
    if output is not None and isinstance(problem, CoveringProgram):
        proof.write(output, proof.build([proof.Section(file.stem, problem, solution)]))
        record["proof"] = str(output)
    emit(record, as_json, lambda: [report.solution_table(record, record.get("proof"))])
    if solution.x is None:
        raise typer.Exit(1)


def compare(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE…",
            help=f"Problem files ({ENDINGS}) or names of bundled problems.",
            show_default=False,
        ),
    ] = None,
    random: Annotated[
        Kind | None, typer.Option("--random", "-r", help="Make a problem instead.", show_default=False)
    ] = None,
    rows: Annotated[
        int,
        typer.Option(
            "--rows", min=1, help="Rows of the pool (covering), constraints (lp, mip), or vertices (clique)."
        ),
    ] = 1000,
    candidates: Annotated[
        int,
        typer.Option(
            "--candidates", "-k", min=1, help="Candidates (covering), columns (lp, mip), models (fit)."
        ),
    ] = 4,
    density: Annotated[
        float, typer.Option("--density", min=0.0, max=1.0, help="Share of pairs that are edges (clique).")
    ] = 0.5,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random problem.")] = 0,
    backend: Annotated[
        list[str] | None,
        typer.Option("--backend", "-b", help="Ask this back end; repeat for more. All by default."),
    ] = None,
    time_limit: TimeLimit = 60.0,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Also draw the seconds (.png, .svg, .pdf).", show_default=False),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", help=f"Also write the random problem ({ENDINGS}).", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The same problem through every back end: what each claims, what is proven, seconds, memory, agreement.

    Each runs in a process of its own. Exit code 1 when one claims something that is refuted.
    """
    from solvers import plots, report
    from solvers.compare import compare as run
    from solvers.files import read_problems, write_problem

    if bool(files) == (random is not None):
        raise SolverError("Give problem files or --random covering|lp|mip|clique|fit, one of the two.")
    if save is not None and random is None:
        raise SolverError("--save writes the problem that --random makes; there is none.")
    if picture is not None:
        plots.check_ending(picture)
    new_files(SolverError, picture, save)
    problems: list[tuple[str, Problem]] = []
    if random is not None:
        problems.append((f"{random.value}, seed {seed}", _random(random, rows, candidates, density, seed)))
    for file in files or []:
        found = read_problems(_place(file))
        problems += [
            (file.name if len(found) == 1 else f"{file.name}, section {k}", problem)
            for k, problem in enumerate(found)
        ]
    if save is not None:
        write_problem(save, problems[0][1])
    compared = [(source, problem, run(problem, backend or None, time_limit)) for source, problem in problems]
    records = [report.comparison_record(problem, source, rows) for source, problem, rows in compared]
    document: dict[str, object] = {"time_limit": time_limit, "comparisons": records}
    if picture is not None:
        plots.seconds(
            [
                (report.problem_line(record["problem"]), rows)
                for record, (_, _, rows) in zip(records, compared, strict=True)
            ],
            picture,
        )
        document["picture"] = str(picture)
    emit(
        document,
        as_json,
        lambda: [
            *(part for record in records for part in report.comparison_parts(record)),
            *([f"picture {picture}"] if picture else []),
        ],
    )
    if any(record["disagreeing"] for record in records):
        raise typer.Exit(1)


def _random(kind: Kind, rows: int, candidates: int, density: float, seed: int) -> Problem:
    from solvers.random_problems import random_clique, random_covering, random_fit, random_linear

    match kind:
        case Kind.covering:
            return random_covering(rows, candidates, seed)
        case Kind.clique:
            return random_clique(rows, density, seed)
        case Kind.fit:
            return random_fit(candidates, seed)
    return random_linear(rows, candidates, seed, integer=kind is Kind.mip)


def _place(file: Path) -> Path:
    """The file, or the bundled problem of that name if there is no such file."""
    from solvers.instances import bundled

    return file if file.exists() else bundled().get(str(file), file)
