"""The `certify` command."""

from __future__ import annotations

import io
import sys
from importlib.metadata import version
from typing import Annotated

import typer

from certify.commands.labelling import ask, label, start, status, tell
from certify.commands.pools import certificate, choose, plan
from certify.commands.proofs import audit, demo
from certify.errors import PoolError
from solvers import SolverError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which of my classifiers is best, and how few labels settle it – exactly.\n\n"
    "Before labelling: plan. While labelling: start, then label (or ask and tell), status. "
    "With labels at hand: choose, certificate. To check somebody's claim: audit. To see it all: demo.\n\n"
    "Exit codes: 0 done, 1 a negative answer (impossible budget, open choice, failed audit), "
    "2 unusable input.",
)
for command in (demo, plan, start, label, ask, tell, status, choose, certificate, audit):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"certify {version('certified-choice')}")
        raise typer.Exit


@app.callback()
def _certify(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, io.TextIOWrapper
        ):  # a name that the terminal cannot spell must not end the work
            stream.reconfigure(errors="replace")
    try:
        app()
    except (PoolError, SolverError) as error:
        typer.echo(f"certify: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has gone; nothing is left to say
        sys.exit(141)
    except OSError as error:
        typer.echo(f"certify: {error}; check the path, its permissions and the space left", err=True)
        sys.exit(2)
