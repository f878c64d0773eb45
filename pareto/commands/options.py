"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pareto.errors import BattleError
from pareto.samplers import METHODS
from pareto.samplers import method as find_method
from solvers.terminal import new_files

PREFERRED = ("vb-ege", "interval", "duel", "commit")
"""What commands compare when no method is named: the paper's, and those that go further."""

JournalFile = Annotated[
    Path,
    typer.Argument(
        metavar="JOURNAL",
        help="Journal of the session, one file that pareto start makes.",
        show_default=False,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        help=f"One of {', '.join(METHODS)}. interval claims what vb-ege claims, from fewer comparisons; duel "
        "and commit from fewer still, with --ordered; bt-mle and track-and-stop claim nothing.",
    ),
]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help=f"One of {', '.join(METHODS)}; repeat it to compare several.",
        show_default=f"{', '.join(name for name in PREFERRED if name in METHODS)}",
    ),
]
Delta = Annotated[float, typer.Option("--delta", "-d", help="Acceptable probability of a wrong frontier.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything that chance decides.")]
Cap = Annotated[
    int | None,
    typer.Option("--max-comparisons", min=0, help="Stop, undecided, before so many.", show_default=False),
]
Margin = Annotated[
    float,
    typer.Option(
        "--margin",
        help="Count a model as dominated only by more than this on every objective, in the units the method "
        "decides in.",
    ),
]
Asker = Annotated[
    str | None,
    typer.Option(
        "--asker",
        help="Who answers: queries are kept for this name. By default your login.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes to use here.", show_default="1")
]


def chosen_methods(names: Sequence[str] | None) -> list[str]:
    """The methods to compare, each known and named once."""
    chosen = list(names) if names else [name for name in PREFERRED if name in METHODS]
    for name in chosen:
        find_method(name)
    return list(dict.fromkeys(chosen))


def name_list(text: str, what: str) -> list[str]:
    """Names separated by commas, or one a line in the file of that name."""
    path = Path(text)
    if "," not in text and path.is_file():
        try:
            names = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
        except UnicodeDecodeError:
            raise BattleError(f"{path} is not text in UTF-8; give one {what} name a line") from None
    else:
        names = [part.strip() for part in text.split(",")]
    found = [name for name in names if name]
    if not found:
        raise BattleError(f"no {what} in {text!r}; give names with commas, or a file with one a line")
    return found


def user() -> str:
    """Who is at the terminal."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "annotator"


def check_new(*paths: Path | None) -> None:
    """Raise `BattleError` unless every path is another, free, and in a folder where it can be created."""
    new_files(BattleError, *paths)
