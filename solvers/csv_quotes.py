"""Whether CSV text can be read in one way only, as far as quotes, line ends and the end of the file go.

Fast readers turn quoting on and off with every quote they meet, so that after ``"a"b,`` they take what
follows for text, rows and all; and they keep a carriage return inside a field that other readers end a line
at. Strict readers refuse the one and split at the other. And they drop a blank field too many where the file
ends behind the separator, and every field too many where not all columns are asked for. Text without any of
these is read alike by all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from solvers.disk_tables import let_go
from solvers.problems import blocks

BLOCK = 1 << 24
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What `str.strip` takes away; polars leaves four of these characters alone unless it is told."""
QUOTE, RETURN, NEWLINE = b'"\r\n'
MARK = b"\xef\xbb\xbf"


def read_alike(path: Path, separator: str, width: int | None = None) -> bool:
    """True if every quote of the file begins a field, ends one, or is one of two within; if no carriage
    return stands without a newline; and if the file does not end with a separator. With a width also only if
    there are as many separators as rows of so many fields have: then no row is too long unless another is too
    short. O(file), a block at a time."""
    size = path.stat().st_size
    if not size:
        return True
    text = np.memmap(path, dtype=np.uint8, mode="r")
    if text[-1] == ord(separator):
        return False
    outside = np.zeros(256, dtype=bool)
    outside[[QUOTE, RETURN, NEWLINE, ord(separator)]] = True
    start = len(MARK) if text[: len(MARK)].tobytes() == MARK else 0
    quotes = separators = rows = 0
    for block in blocks(size, BLOCK):
        part: npt.NDArray[np.uint8] = text[block]
        returns = np.flatnonzero(part == RETURN) + block.start
        if (text[np.minimum(returns + 1, size - 1)] != NEWLINE).any():
            return False
        found = np.flatnonzero(part == QUOTE) + block.start
        opening, closing = found[quotes % 2 :: 2], found[1 - quotes % 2 :: 2]
        before = outside[text[np.maximum(opening - 1, 0)]] | (opening == start)
        after = outside[text[np.minimum(closing + 1, size - 1)]] | (closing == size - 1)
        if not (before.all() and after.all()):
            return False
        if width is not None:
            within = _within(part, found - block.start, quotes)
            separators += int(np.count_nonzero((part == ord(separator)) & ~within))
            rows += int(np.count_nonzero((part == NEWLINE) & ~within))
        quotes += len(found)
        let_go(text)  # or all of the file would be resident in the end
    rows += int(text[-1] != NEWLINE)
    return quotes % 2 == 0 and (width is None or separators == rows * (width - 1))


def _within(part: npt.NDArray[np.uint8], quotes: npt.NDArray[np.intp], before: int) -> npt.NDArray[np.bool_]:
    """Which bytes stand between quotes; before: how many quotes precede the part."""
    if not len(quotes):
        return np.full(1, before % 2 == 1)
    turns = np.zeros(len(part), dtype=np.uint8)
    turns[quotes] = 1
    turns[0] += before % 2
    return np.asarray(np.add.accumulate(turns, dtype=np.uint8) % 2 == 1)
