"""Frames one after another as Parquet files, for tables of which all at once would not fit into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.errors import first_line

if TYPE_CHECKING:
    import polars as pl


def write_parts(frames: Iterable[pl.DataFrame], folder: Path) -> tuple[Path, ...]:
    """A file for each frame, in order, in a folder that has none yet."""
    targets = []
    for number, frame in enumerate(frames):
        targets.append(folder / f"{number}.parquet")
        frame.write_parquet(targets[-1], compression="lz4")
    return tuple(targets)


@contextmanager
def copying(path: Path, folder: Path, refuse: type[ValueError]) -> Iterator[None]:
    """Raises `refuse` where copying a file to the folder fails."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise refuse(
            f"{path} cannot be copied to {folder} ({first_line(error)}); make room there, or set TMPDIR to a "
            "folder with more"
        ) from None
