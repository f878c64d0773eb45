"""Rows of several files matched by id."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.classes import shorten
from certify.errors import PoolError
from certify.reading.columns import Column, check_unique
from certify.reading.tables import quoted

Positions = npt.NDArray[np.int64]
_MANY = 1_000_000
"""From so many ids on, memory counts for more than time when they are looked up."""


def comparable(first: pl.Series, second: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Both series of ids as one type: unchanged when alike, as 64-bit integers, or else as text.

    Text too for decimals and other integers of 128 bits, by which older releases of polars cannot join.
    """
    joins = first.dtype != pl.Int128 and not isinstance(first.dtype, pl.Decimal)
    if first.dtype == second.dtype and joins:
        return first, second
    wide = {pl.UInt64, pl.Int128, pl.String}
    if first.dtype.is_integer() and second.dtype.is_integer() and not {first.dtype, second.dtype} & wide:
        return first.cast(pl.Int64), second.cast(pl.Int64)
    return first.cast(pl.String), second.cast(pl.String)


def positions(wanted: pl.Series, known: pl.Series) -> pl.Series:
    """Row of `known` (distinct ids) for every id of `wanted`, null where there is none; UInt32."""
    wanted, known = comparable(wanted, known)
    found = _by_hashes(wanted, known) if len(known) >= _MANY else None
    return _joined(wanted, known) if found is None else found


def _joined(wanted: pl.Series, known: pl.Series) -> pl.Series:
    places = pl.DataFrame({"id": known}).with_row_index("position")
    found = pl.DataFrame({"id": wanted}).join(places, on="id", how="left", maintain_order="left")
    return found["position"]


def _by_hashes(wanted: pl.Series, known: pl.Series) -> pl.Series | None:
    """`positions` in a third of the memory of a join, and slower; None where two known ids share a hash."""
    if wanted.equals(known):
        return pl.Series("position", np.arange(len(known), dtype=np.uint32))
    order, hashes = _by_hash(known)
    if (hashes[1:] == hashes[:-1]).any():
        return None
    at = np.searchsorted(hashes, wanted.hash().to_numpy())
    del hashes
    rows = order[np.minimum(at, len(known) - 1, out=at)]
    places = pl.Series("position", rows.astype(np.uint32))
    same = (known.gather(rows) == wanted).fill_null(False)
    if same.all():
        return places
    return pl.DataFrame([places, same.alias("same")]).select(pl.when("same").then("position")).to_series()


@dataclass(frozen=True, eq=False)
class PoolIds:
    """The distinct ids of the first file, which set the pool's order, sorted by hash once for all files.

    order: rows by increasing hash, (n,). hashes: in that order, (n,) uint64.
    """

    column: Column
    order: Positions
    hashes: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, column: Column) -> PoolIds:
        """Raises `PoolError` with the rows when an id occurs twice."""
        order, hashes = _by_hash(column.values)
        if (hashes[1:] == hashes[:-1]).any():  # equal ids have equal hashes; different ones nearly never
            check_unique(column)
        return cls(column, order, hashes)

    def rows_of(self, column: Column) -> Positions | None:
        """Rows of a further file in the pool's order, (n,); None when they already are in it.

        Raises `PoolError` listing missing, extra or repeated ids of the file.
        """
        first, second = comparable(self.column.values, column.values)
        if first.equals(second):
            return None
        if len(second) == len(first):
            rows = self._paired(second) if first is self.column.values else None
            if rows is not None:
                return rows
            # as many rows as distinct ids of the pool: if every one is found once, nothing is left over
            found = positions(first, second)
            if len(found) == len(first) and not found.null_count():
                return found.to_numpy().astype(np.int64)
        check_unique(column)
        missing = first.filter(positions(first, second).is_null())
        extra = second.filter(positions(second, first).is_null())
        problems = [
            f"{verb} {len(ids)} id{'s' if len(ids) > 1 else ''}: {shorten(quoted(str(name)) for name in ids)}"
            for verb, ids in (("lacks", missing), ("has in excess", extra))
            if len(ids)
        ]
        raise PoolError(
            f"{column.file.path} {' and '.join(problems)} (compared with {self.column.file.path}); "
            "all candidates must cover the same rows, so add or remove these"
        )

    def _paired(self, ids: pl.Series) -> Positions | None:
        """`rows_of` by pairing equal hashes in sorted order, several times faster than a join of texts.

        The pairing is only believed when it puts the very same ids side by side; else None.
        """
        order, hashes = _by_hash(ids)
        if not np.array_equal(hashes, self.hashes):
            return None
        rows = np.empty_like(order)
        rows[self.order] = order
        return rows if ids.gather(rows).equals(self.column.values) else None


def _by_hash(ids: pl.Series) -> tuple[Positions, npt.NDArray[np.uint64]]:
    hashes = ids.hash().to_numpy()
    order = np.argsort(hashes)
    return order, hashes[order]
