"""Options that several commands share, and how every command prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from solvers.errors import SolverError

if TYPE_CHECKING:
    from rich.console import Console


def _finite(seconds: float | None) -> float | None:
    if seconds is not None and not isfinite(seconds):
        raise SolverError(f"--time-limit {seconds}: a finite number of seconds is expected.")
    return seconds


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", "-t", min=0.0, callback=_finite, help="Seconds for each back end."),
]
ENDINGS = ".json, .npz, .csv, .cover, .mps, .lp"


def _reader_gone() -> NoReturn:
    """Stop as a killed pipeline does: 1 would be a negative answer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(141)


def _console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            _reader_gone()

    return Output(highlight=False, emoji=False, markup=False)


def emit(record: dict[str, Any], as_json: bool, render: Callable[[], Iterable[Any]]) -> None:
    """One JSON document, or what people read; strings are printed as they are, without markup."""
    if as_json:
        try:
            typer.echo(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False))
        except BrokenPipeError:
            _reader_gone()
        return
    from rich.table import Table

    out = _console()
    for part in render():  # a file or pipe gets sentences in one line each, a terminal wrapped between words
        out.print(part, soft_wrap=not (out.is_terminal or isinstance(part, Table)))


def new_file(path: Path, what: str) -> Path:
    """`path`, if nothing is there yet and it can be created: tried now, before the work it is to hold.

    Raises:
        SolverError: otherwise.
    """
    if path.exists() or path.is_symlink():
        raise SolverError(
            f"{path} exists already; {what} never overwrites a file – name another, or remove it."
        )
    if not path.parent.is_dir():
        raise SolverError(f"Folder {path.parent} does not exist; create it before writing {path.name}.")
    try:
        path.open("xb").close()
        path.unlink()
    except OSError as error:
        raise SolverError(f"{path}: cannot be written ({error.strerror}); name another file.") from error
    return path
