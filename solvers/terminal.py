"""What the three commands share at a terminal: one frame, one way to print, progress, new files.

Nothing here knows what a command computes; heavy imports wait until something is printed.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

_FILE_WIDTH = 200
"""Columns that tables may take in a file or a pipe."""

_COMMANDS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}
"""Control characters other than tabs and line ends."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def application(name: str, text: str) -> typer.Typer:
    """The frame of a command: its help text and `--version`."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=text)

    def show_version(wanted: bool) -> None:
        if wanted:
            try:
                number = version("certified-choice")
            except PackageNotFoundError:
                number = "not installed"
            typer.echo(f"{name} (certified-choice {number})")
            raise typer.Exit

    # typer reads annotations from the module, where the local callback of a string one is not found
    def frame(
        shown: bool = typer.Option(
            False, "--version", callback=show_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        pass

    app.callback()(frame)
    return app


def add_commands(app: typer.Typer, examples: Mapping[Callable[..., None], str]) -> None:
    """Commands by their functions' names; their help is the docstring, and below it an example."""
    for command, example in examples.items():
        # a terminal breaks lines elsewhere than a docstring does
        paragraphs = [" ".join(part.split()) for part in cleandoc(command.__doc__ or "").split("\n\n")]
        name = command.__name__.removesuffix("_").replace("_", "-")
        app.command(name, help="\n\n".join(paragraphs), epilog=f"Example: {example}")(command)


def run(app: typer.Typer, name: str, *errors: type[Exception]) -> None:
    """Run the command line; `errors`, and files that cannot be used, end with a message and code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name the terminal cannot spell must not end the work
            stream.reconfigure(errors="replace")
    try:
        app()
    except errors as error:
        typer.echo(f"{name}: {printable(str(error))}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        reader_gone()
    except OSError as error:
        typer.echo(f"{name}: {error}; check the path, its permissions and the space left", err=True)
        sys.exit(2)


def reader_gone() -> NoReturn:
    """Stop as a killed pipeline does: 1 would be a negative answer."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(141)


def console() -> Console:
    """Where people read; text is printed as it is, without markup."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            reader_gone()

    found = Output(highlight=False, emoji=False, markup=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        found.width = _FILE_WIDTH
    return found


def printable(text: str) -> str:
    """The text, with the characters that command a terminal written out: a name must not."""
    return text.translate(_COMMANDS)


def emit(record: dict[str, Any], as_json: bool, render: Callable[[], Iterable[Any]]) -> None:
    """One JSON document, or what people read."""
    if as_json:
        try:
            typer.echo(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False))
        except BrokenPipeError:
            reader_gone()
        return
    from rich.table import Table

    out = console()
    for rendered in render():
        part = printable(rendered) if isinstance(rendered, str) else rendered
        # a file or pipe gets sentences in one line each, a terminal wrapped between words; a table that
        # does not fit is wrapped by the terminal rather than cut
        out.print(part, soft_wrap=not (out.is_terminal or isinstance(part, Table)), crop=False)


def facts(title: str, rows: Iterable[tuple[str, object]]) -> Table:
    """A two-column table of named facts. Values are shown as they are."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(title=Text(title, style="bold"), title_justify="left", show_header=False, box=box.SIMPLE)
    drawn.add_column(style="dim", no_wrap=True)
    drawn.add_column(overflow="fold")  # a long path is shown whole
    for name, value in rows:
        drawn.add_row(name, Text(printable(str(value))))
    return drawn


def grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table with a header; numbers to the right."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    listed = [list(row) for row in rows]
    for at, column in enumerate(columns):
        numeric = all(isinstance(row[at], int | float) for row in listed)
        table.add_column(Text(printable(column)), justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        table.add_row(
            *(
                cell
                if isinstance(cell, Text)
                else Text(f"{cell:,}" if isinstance(cell, int) else printable(str(cell)))
                for cell in row
            )
        )
    return table


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


def bars_by_name(bars: Progress, names: Iterable[str], total: int) -> Callable[[str, int], None]:
    """A bar for each name; what is returned takes a name and by how much its bar advances."""
    tasks = {name: bars.add_task(name, total=total) for name in names}
    return lambda name, count: bars.advance(tasks[name], count)


def new_files(error: type[Exception], *paths: Path | None) -> None:
    """Raise `error` unless every path is another, free, and can be created: tried before the work."""
    given = [path for path in paths if path is not None]
    for at, path in enumerate(given):
        if path in given[:at]:
            raise error(f"{path} is to hold two results; name a file for each")
        if path.exists() or path.is_symlink():
            raise error(f"{path} exists already and is never overwritten; name another file, or remove it")
        if not path.parent.is_dir():
            raise error(f"folder {path.parent} does not exist; create it before writing {path.name}")
        try:
            path.open("xb").close()
            path.unlink()
        except OSError as reason:
            raise error(f"{path}: cannot be written ({reason.strerror}); name another file") from reason
