"""The `pareto` command."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, no_args_is_help=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pareto {version('certified-choice')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def pareto(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Which models are worth keeping when quality has several sides. Its commands are still to come."""


def main() -> None:
    """Run the command line."""
    app()
