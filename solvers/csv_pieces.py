"""Large CSV files in pieces, so that no more than a piece of one is in memory.

Readers that map a whole file make all of it resident.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from solvers.csv_quotes import MARK, read_alike

if TYPE_CHECKING:
    import polars as pl

PIECE = 1 << 23
"""Bytes of a piece, unless a record is longer."""


class UnclearError(ValueError):
    """Only a reading record by record can tell what the file says."""


def pieces(path: Path, size: int | None = None) -> Iterator[bytes]:
    """The bytes of a file in order, each piece the whole of some records; for files that are `read_alike`."""
    size = size or PIECE
    left = b""
    with path.open("rb") as stream:
        while block := stream.read(size):
            left += block
            cut = _end_of_records(left)
            if cut:
                yield left[:cut]
                left = left[cut:]
    if left:
        yield left


def _end_of_records(block: bytes) -> int:
    """Where the last whole record ends, 0 if none does: after a newline with an even number of quotes before
    it."""
    end = len(block)
    quotes = block.count(b'"')
    while (at := block.rfind(b"\n", 0, end)) >= 0:
        quotes -= block.count(b'"', at, end)
        if quotes % 2 == 0:
            return at + 1
        end = at
    return 0


def text_frames(
    path: Path, separator: str, header: Sequence[str], columns: Sequence[int] | None = None
) -> Iterator[pl.DataFrame]:
    """Rows as text, null where blank, columns (all, or those at these positions) named by position.

    Raises `UnclearError`, maybe after some rows, for files that polars refuses or could have read in two
    ways: a short row looks like blanks in its last columns to it.
    """
    import polars as pl

    if not read_alike(path, separator):
        raise UnclearError
    names = [str(position) for position in range(len(header))]
    chosen = names if columns is None else [str(position) for position in columns]
    first = True
    for piece in pieces(path):
        if piece[:1] in (b"\r", b"\n"):  # a blank line, which may mean a blank cell
            raise UnclearError
        if not first and piece.startswith(MARK):  # text, but at the beginning it would be taken off
            raise UnclearError
        try:
            frame = pl.read_csv(piece, separator=separator, has_header=first, infer_schema=False)
        except (pl.exceptions.PolarsError, OSError):
            raise UnclearError from None
        if first and [name.strip() for name in frame.columns] != list(header):
            raise UnclearError
        first = False
        if frame.width != len(names) or (frame.height and frame.to_series(-1).null_count()):
            raise UnclearError
        frame.columns = names
        yield frame.select(chosen)
