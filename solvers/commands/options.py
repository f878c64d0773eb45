"""Options that several commands share, and how every command prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from solvers.errors import SolverError

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", "-t", min=0.0, help="Seconds for each back end.")
]
ENDINGS = ".json, .npz, .csv, .cover, .mps, .lp"


def emit(record: dict[str, Any], as_json: bool, render: Callable[[], Iterable[Any]]) -> None:
    """One JSON document, or what people read."""
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
        return
    from rich.console import Console

    out = Console(highlight=False)
    for part in render():
        out.print(part)


def new_file(path: Path, what: str) -> Path:
    """`path`, if nothing is there yet and its folder exists."""
    if path.exists():
        raise SolverError(
            f"{path} exists already; {what} never overwrites a file – name another, or remove it."
        )
    if not path.parent.is_dir():
        raise SolverError(f"Folder {path.parent} does not exist; create it before writing {path.name}.")
    return path
