"""A study as data: what it works out piece by piece, what it says beside the paper, what it draws.

`solvers.studies.engine` runs one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

Cell = str | int | float | None
Row = Mapping[str, Cell]
"""One line of a study's results: a value, or None, for each of its columns; a missing column is None."""
Columns = Mapping[str, type[str] | type[int] | type[float]]

SEEDS = 10
"""How often whatever is drawn at random is repeated, as in the paper."""


@dataclass(frozen=True)
class Line:
    """One figure of ours beside the paper's.

    quantity: what is measured. ours, paper: the figures as text, "" where there is none. note: what a reader
    must know to compare them, for example where splits differ. part: heading of the table that the line
    belongs to. holds: whether a claim about our figure is true, None where nothing is claimed.
    """

    quantity: str
    ours: str
    paper: str = ""
    note: str = ""
    part: str = ""
    holds: bool | None = None


@dataclass(frozen=True)
class Picture:
    """A picture file (.png or .svg) and what it shows, in a sentence or two."""

    path: Path
    caption: str


@dataclass(frozen=True)
class Study:
    """One study.

    name: on the command line, and of its result file. title: a short line for people.
    columns: name and type of every result column.
    keys: the pieces of work, given how many seeds are wanted; a piece that repeats something with another
        seed says so in its key, so that asking for more seeds later only adds work. Processes take them in
        this order, so neighbours should share whatever `work` caches.
    work: the rows of one piece, at least one; a module-level function of the key alone, seeds included.
    compare, pictures: from all rows wanted, with a `key` column first. They must cope with part of the keys
        (`--only`), and claim nothing then that takes all of them. `pictures` writes into the folder given.
    seconds: rough processor time of everything.
    results: name of the result file where it is another study's, whose keys and work this one shares.
    """

    name: str
    title: str
    columns: Columns
    keys: Callable[[int], Sequence[str]]
    work: Callable[[str], list[Row]]
    compare: Callable[[pl.DataFrame], list[Line]]
    pictures: Callable[[pl.DataFrame, Path], list[Picture]]
    seconds: int
    results: str | None = None

    @property
    def file(self) -> str:
        """Name of the result file, without its ending."""
        return self.results or self.name


def seed_of(key: str) -> int:
    """A seed for the random generator that depends on the text alone, whatever ran before."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")


def no_pictures(_table: pl.DataFrame, _folder: Path) -> list[Picture]:
    """For studies whose figures are a few numbers."""
    return []
