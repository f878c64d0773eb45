"""Options that several commands share, and how every command prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from certify.classes import Labels, parse_label_map
from certify.errors import PoolError
from certify.objectives import FORMS, check_objective
from certify.policies import POLICIES
from solvers.terminal import new_files

if TYPE_CHECKING:
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
    Path,
    typer.Argument(
        metavar="JOURNAL",
        help="Journal of the session, one file that certify start makes.",
        show_default=False,
    ),
]
Tolerance = Annotated[
    str,
    typer.Option(
        "--tolerance",
        "-t",
        help="Accept a candidate that is no further than this from the best, in units of the objective; an "
        "exact decimal.",
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
    str,
    typer.Option(
        "--objective",
        help=f"What the best candidate has least of: {', '.join(FORMS)}. COVERAGE is an exact decimal, such "
        "as 0.8; COLUMN, of the pool files, holds a weight for every row.",
    ),
]
Totals = Annotated[
    str | None,
    typer.Option(
        "--totals",
        help="How many rows of the pool have each class, if you know: a=10,b=90, or a file (class, total).",
        show_default=False,
    ),
]
LabelMap = Annotated[
    str | None,
    typer.Option(
        "--label-map", help="Classes that the labels file spells otherwise: cat=0,dog=1 reads cat as class 0."
    ),
]
MEMORY_VARIABLE = "CERTIFY_MEMORY_LIMIT"
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        envvar=MEMORY_VARIABLE,
        help="For pools larger than memory: stay below this much, such as 500MB, with tables in temporary "
        "files (in TMPDIR). Results are the same.",
        show_default=False,
    ),
]
PolicyName = Annotated[str, typer.Option("--policy", "-p", help=f"Query order: {', '.join(POLICIES)}.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of policies that chance enters.")]
Asker = Annotated[
    str | None,
    typer.Option(
        "--asker", help="Who is labelling: rows asked for are kept for this name. By default your login."
    ),
]


def split(text: str | None) -> list[str] | None:
    """Comma-separated values, None where the option was not given."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def load_pool(
    files: Sequence[Path],
    classes: str | None,
    scores: str | None,
    objective: str,
    memory_limit: str | None = None,
) -> Pool:
    """The pool of the command line, with its objective; its notices go to the error stream."""
    from certify.reading.files import read_pool

    check_objective(objective)
    # under a limit no column is kept to be shown, but row weights are needed
    needed = None if memory_limit is None else [objective.partition(":")[2].strip()]
    pool = read_pool(
        files, classes=split(classes), scores=split(scores), display=needed, memory_limit=memory_limit
    )
    notify(pool.notices)
    return pool.with_objective(objective)


def notify_exceeded(memory_limit: str | None, before: int) -> None:
    """A notice, after the work, if it took more memory than the limit. before: the most that was resident
    when the pool had been read, of which its own notices speak."""
    from solvers.memory_limit import exceeded, parse_bytes, peak_resident

    size = None if memory_limit is None else parse_bytes(memory_limit)
    if size is not None:
        notify(exceeded(size, before, peak_resident()))


def known_totals(text: str | None) -> dict[str, int] | None:
    """The class totals of the command line, spelled out or from a file; None where none were given."""
    if text is None:
        return None
    if "=" in text and not _is_there(Path(text)):
        from certify.totals import parse_totals

        return parse_totals(text)
    from certify.reading.totals import read_totals

    return read_totals(text)


def _is_there(path: Path) -> bool:
    """Whether there is such a file; the totals of many classes are too long for the name of one."""
    try:
        return path.exists()
    except OSError:
        return False


def refuse_totals(text: str | None) -> None:
    """Raise `PoolError` when class totals are given to a command that cannot use them."""
    if text is not None:
        from certify.totals import NO_GAINS

        raise PoolError(f"--totals: {NO_GAINS}")


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


def check_new(*paths: Path | None) -> None:
    """Raise `PoolError` unless every path is another, free, and in a folder where it can be created."""
    new_files(PoolError, *paths)
