"""The ``solvers`` command."""

from __future__ import annotations

import io
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from solvers.commands.asking import compare, list_, solve
from solvers.commands.checking import check
from solvers.errors import SolverError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Exact optimisation: say what, choose who, believe nobody.\n\n"
    "Who can solve what: list. One problem, one checked answer: solve. One problem, every back end: compare. "
    "Somebody's proof: check.\n\n"
    "Exit codes: 0 done, 1 a negative answer (no solution, a refuted claim, a rejected proof), "
    "2 unusable input.",
)
app.command("list")(list_)
for command in (solve, compare, check):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        try:
            number = version("certified-choice")
        except PackageNotFoundError:
            number = "not installed"
        typer.echo(f"solvers (certified-choice {number})")
        raise typer.Exit


@app.callback()
def _solvers(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name the terminal cannot spell must not end the work
            stream.reconfigure(errors="replace")
    try:
        app()
    except SolverError as error:
        typer.echo(f"solvers: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        typer.echo(f"solvers: {error}; check the path, its permissions and the space left", err=True)
        sys.exit(2)
