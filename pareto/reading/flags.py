"""True/false columns, packed into one number a row while a file is scanned.

Accepted: true/false values; 1 and 0; as text true/false, yes/no, 1/0, 1.0/0.0 in any case. A blank or null
cell is a missing flag: it counts as false and is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from solvers.csv_quotes import BLANKS

FALSE, TRUE, MISSING, UNREADABLE = range(4)
YES, NO = ("true", "1", "yes", "1.0"), ("false", "0", "no", "0.0")
ACCEPTED = "true or false (also 1 and 0, yes and no); a blank cell counts as false and is counted as missing"
Bits = npt.NDArray[np.unsignedinteger]


def is_flag(kind: Any) -> bool:
    """Whether a column of this type can hold flags."""
    return bool(
        kind.is_numeric() or isinstance(kind, pl.Boolean | pl.String | pl.Categorical | pl.Enum | pl.Null)
    )


def state(column: pl.Expr, kind: Any) -> pl.Expr:
    """`FALSE`, `TRUE`, `MISSING` or `UNREADABLE`, UInt8."""
    if isinstance(kind, pl.Boolean):
        return column.cast(pl.UInt8).fill_null(MISSING)
    if isinstance(kind, pl.Null):
        return pl.lit(MISSING, pl.UInt8)
    if kind.is_numeric():
        yes, no, blank = column == 1, column == 0, column.is_null()
        if kind.is_float():
            blank |= column.is_nan()
    else:
        text = column.cast(pl.String).str.strip_chars(BLANKS).str.to_lowercase()
        yes, no, blank = text.is_in(YES), text.is_in(NO), text.is_null() | (text == "")
    known = pl.when(yes).then(TRUE).when(no).then(FALSE).when(blank).then(MISSING)
    return known.otherwise(UNREADABLE).cast(pl.UInt8)


def packed(states: Sequence[pl.Expr], first_only: bool) -> pl.Expr:
    """All states of a row in one number, two bits each.

    first_only: only the first true flag matters, so those after it are made false: fewer combinations.
    """
    room = (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    kind = next(kind for size, kind in enumerate(room) if len(states) <= 4 * 2**size)
    total = states[0].cast(kind)
    decided = states[0] == TRUE
    for place, one in enumerate(states[1:], 1):
        true = one == TRUE
        kept = one * ~(decided & true) if first_only else one
        total = total + kept.cast(kind) * 4**place
        decided |= true
    return total


def unpacked(bits: Bits, flags: int) -> npt.NDArray[np.uint8]:
    """(n, flags) states of packed ones (n,), unsigned."""
    bits = bits.astype(np.uint64)
    shifts = 2 * np.arange(flags, dtype=np.uint64)
    return ((bits[:, None] >> shifts) & np.uint64(3)).astype(np.uint8)
