"""Rows paired by id: quickly by hash, and exactly whatever the hashes are."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import PoolError
from certify.reading import matching
from certify.reading.columns import Column
from certify.reading.matching import PoolIds, positions
from certify.reading.tables import TableFile


def column(values, name="b.parquet"):
    return Column(TableFile(Path(name), ("id",), None, ("id",)), "id", pl.Series("id", values))


def colliding(ids):
    """A sort by hash in which all hashes are equal."""
    return np.arange(len(ids)), np.zeros(len(ids), dtype=np.uint64)


@pytest.fixture(params=[False, True], ids=["hashes", "collisions"])
def _hashing(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(matching, "_by_hash", colliding)


IDS = st.lists(st.one_of(st.text(max_size=3), st.text(min_size=13, max_size=20)), min_size=1, unique=True)


@settings(derandomize=True, deadline=None)
@given(IDS, st.randoms(use_true_random=False), st.booleans())
def test_any_order_is_undone(ids, random, collide):
    shuffled = random.sample(ids, len(ids))
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(matching, "_by_hash", colliding)
        rows = PoolIds.of(column(ids)).rows_of(column(shuffled))
    found = shuffled if rows is None else [shuffled[row] for row in rows]
    assert found == ids
    assert (rows is None) == (shuffled == ids)


@pytest.mark.usefixtures("_hashing")
def test_ids_that_do_not_match_are_never_paired():
    pool = PoolIds.of(column(["a", "b", "c"], "a.parquet"))
    with pytest.raises(
        PoolError, match=r"b\.parquet lacks 1 id: 'c' and has in excess 1 id: 'd' .*a\.parquet"
    ):
        pool.rows_of(column(["d", "b", "a"]))
    with pytest.raises(
        PoolError, match=r"b\.parquet, column 'id': 1 id occurs more than once: 'b' \(rows 1, 3\)"
    ):
        pool.rows_of(column(["b", "a", "b"]))
    with pytest.raises(PoolError, match=r"lacks 1 id: 'c' \(compared"):
        pool.rows_of(column(["b", "a"]))
    with pytest.raises(PoolError, match=r"'a' \(rows 1, 2\)"):
        PoolIds.of(column(["a", "a"]))


def test_positions_are_null_for_unknown_ids():
    assert positions(pl.Series(["b", "x", "b"]), pl.Series(["a", "b"])).to_list() == [1, None, 1]
    assert positions(pl.Series(["2"]), pl.Series([1, 2])).to_list() == [1]
    assert positions(pl.Series([2], dtype=pl.Int8), pl.Series([2**40, 2])).to_list() == [1]
    wide = pl.Series([2**70, -3], dtype=pl.Int128)
    assert positions(wide, wide.reverse()).to_list() == [1, 0]
    exact = pl.Series([Decimal("1.50"), Decimal("-2")], dtype=pl.Decimal(20, 2))
    assert positions(exact, exact.reverse()).to_list() == [1, 0]


@given(
    st.lists(st.integers(0, 30), unique=True, min_size=1),
    st.lists(st.integers(0, 40)),
    st.sampled_from([pl.Int64, pl.String, pl.UInt8, pl.Int128]),
)
def test_many_ids_are_found_as_few_are(known, wanted, kind):
    first, second = pl.Series("id", known).cast(kind), pl.Series("id", wanted, dtype=pl.Int64).cast(kind)
    for looked_up in (second, first):
        expected = matching.positions(looked_up, first)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matching, "_MANY", 0)
            patch.setattr(matching, "_joined", None)
            found = matching.positions(looked_up, first)
        assert found.equals(expected)
        assert found.dtype == expected.dtype == pl.UInt32


def test_many_ids_that_share_a_hash_are_joined(monkeypatch):
    monkeypatch.setattr(matching, "_MANY", 0)
    monkeypatch.setattr(matching, "_by_hash", colliding)
    known, wanted = pl.Series("id", ["a", "b", "c"]), pl.Series("id", ["c", "x", "a"])
    assert matching.positions(wanted, known).to_list() == [2, None, 0]
