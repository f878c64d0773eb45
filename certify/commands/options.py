"""Options that several commands share, and how every command prints."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from certify.classes import Labels, parse_label_map
from certify.errors import PoolError
from certify.objectives import OBJECTIVES, check_objective
from certify.policies import POLICIES

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from certify.pool import Pool

PoolFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="POOL…",
        help="One CSV or Parquet file per candidate (id, prediction, confidence; or id and p_CLASS columns), "
        "one wide file, or an .npz of probabilities. The order is the tie rule: the earlier wins a tie.",
        show_default=False,
    ),
]
JournalFile = Annotated[
    Path, typer.Argument(metavar="JOURNAL", help="Journal file of the session.", show_default=False)
]
Tolerance = Annotated[
    str,
    typer.Option(
        "--tolerance", "-t", help="Accept a candidate within this AUGRC of the best; an exact decimal."
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes", help="All classes a label may have, comma-separated, if predictions miss some."
    ),
]
Scores = Annotated[
    str | None,
    typer.Option(
        "--scores",
        help="Confidence scores to compare on one .npz or p_CLASS file: msp,neg-entropy,margin.",
    ),
]
Objective = Annotated[
    str, typer.Option("--objective", help=f"What the best candidate has least of: {', '.join(OBJECTIVES)}.")
]
LabelMap = Annotated[
    str | None, typer.Option("--label-map", help="How labels are spelled, e.g. cat=0,dog=1.")
]
PolicyName = Annotated[str, typer.Option("--policy", "-p", help=f"Query order: {', '.join(POLICIES)}.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the random policy.")]
Asker = Annotated[
    str | None, typer.Option("--asker", help="Who is labelling; rows asked for are leased to this name.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def split(text: str | None) -> list[str] | None:
    """Comma-separated values, None where the option was not given."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def load_pool(files: Sequence[Path], classes: str | None, scores: str | None, objective: str) -> Pool:
    """The pool of the command line, for an accepted objective; its notices go to the error stream."""
    from certify.reading.files import read_pool

    check_objective(objective)
    pool = read_pool(files, classes=split(classes), scores=split(scores))
    notify(pool.notices)
    return pool


def mapping(label_map: str | None) -> dict[str, str] | None:
    """The label map of the command line, None where none was given."""
    return None if label_map is None else parse_label_map(label_map)


def load_labels(path: Path, pool: Pool, label_map: str | None = None) -> Labels:
    """The labels of a file for the rows of `pool`; notices go to the error stream."""
    from certify.reading.labels import read_labels

    known = read_labels(path, pool, label_map=mapping(label_map))
    notify(known.notices)
    return known


def notify(notices: Iterable[str]) -> None:
    """Notices for people, kept off the output that scripts read."""
    for notice in notices:
        typer.echo(f"note: {notice}", err=True)


def console() -> Console:
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """The reader has gone: stop as a killed pipeline does, not with the code of a negative answer."""
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(141)

    return Output(highlight=False)


def emit(record: dict[str, Any], as_json: bool, render: Callable[[], Iterable[RenderableType]]) -> None:
    """One JSON document, or what people read."""
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
        return
    out = console()
    for part in render():
        text = isinstance(part, str)
        out.print(part, soft_wrap=text, markup=not text)


def progress(hidden: bool = False) -> Progress:
    """Progress bars on the error stream, shown on terminals only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=hidden,
    )


def check_new(*paths: Path | None) -> None:
    """Raise `PoolError` unless every path is another, not taken yet, and in a folder that exists."""
    given = [path for path in paths if path is not None]
    for at, path in enumerate(given):
        if path in given[:at]:
            raise PoolError(f"{path} is to hold two results; name a file for each")
        if path.exists() or path.is_symlink():
            raise PoolError(
                f"{path} exists already and is never overwritten; name another file, or remove it"
            )
        if not path.parent.is_dir():
            raise PoolError(f"folder {path.parent} does not exist; create it before writing {path.name}")
