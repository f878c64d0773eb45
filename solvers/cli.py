"""The ``solvers`` command."""

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, help="Exact optimisation: say what, choose who, believe nobody.")


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            number = version("certified-choice")
        except PackageNotFoundError:
            number = "not installed"
        typer.echo(f"solvers (certified-choice {number})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Entry point of the console command."""
    app()
