"""Tables on disk answer as arrays do, and let go of what they looked at."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CoveringProgram, proof, solve
from solvers.disk_tables import DiskTable, TableWriter, like, stacked
from solvers.errors import SolverError
from solvers.memory_limit import parse_bytes, peak_resident, resident

KINDS = (np.int16, np.int32, np.float64)


def on_disk(array: np.ndarray) -> DiskTable:
    return stacked(iter(array), array.dtype)


@st.composite
def tables_and_keys(draw):
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 40))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    array = random.integers(0, 100, (m, n)).astype(draw(st.sampled_from(KINDS)))
    row = draw(st.one_of(st.integers(-m, m - 1), st.just(slice(None)), st.slices(m)))
    wide = [st.integers(-n, n - 1), st.slices(n), st.lists(st.integers(0, n - 1), min_size=1).map(np.array)]
    column = draw(st.one_of(*wide, st.just(random.random(n) < 0.5)))
    chosen = np.array(draw(st.lists(st.integers(0, m - 1), min_size=1)))
    return array, draw(st.sampled_from([row, (row, column), chosen, random.random(m) < 2]))


@given(tables_and_keys(), st.booleans())
def test_parts_are_those_of_an_array(case, whole_reads):
    array, key = case
    table = on_disk(array)
    if not whole_reads:  # as where the system has no preadv
        with pytest.MonkeyPatch.context() as patch:
            patch.delattr(os, "preadv")
            np.testing.assert_array_equal(np.asarray(table[key]), array[key])
    found, expected = table[key], array[key]
    np.testing.assert_array_equal(np.asarray(found), expected)
    assert found.dtype == expected.dtype
    if isinstance(key, tuple) and isinstance(key[1], np.ndarray) and expected.ndim == 2:  # floats sum alike
        assert found.flags.f_contiguous == expected.flags.f_contiguous
    [np.testing.assert_array_equal(*rows) for rows in zip(table, array, strict=True)]
    assert all(type(row) is np.ndarray for row in table)


def test_parts_outlive_the_table():
    array = np.arange(400_000, dtype=np.int32).reshape(4, -1)
    table = on_disk(array)
    row, whole = table[2], table.view(np.ndarray)
    del table
    np.testing.assert_array_equal(row, array[2])
    np.testing.assert_array_equal(whole, array)


@pytest.mark.skipif(not resident(), reason="the system does not tell")
def test_only_what_is_asked_for_is_resident():
    writer = TableWriter(np.int64)
    for row in range(64):
        writer.add(np.full(1 << 17, row))
    table = writer.table()
    before = resident()
    places = np.arange(0, 1 << 17, 1 << 12)
    parts = [lambda: table[:, 5 : 1 << 12], lambda: table[:, places], lambda: table[:, 77], lambda: table[9]]
    for part in parts:
        assert set(part().ravel().tolist()) <= set(range(64))
        assert resident() - before < 8 << 20  # of 64 MB
    assert sum(int(row.sum()) for row in table) == sum(range(64)) << 17
    assert resident() - before < 8 << 20
    assert peak_resident() >= before


def test_nobody_can_write_to_it_and_copies_are_plain():
    table = on_disk(np.ones((2, 3), dtype=np.int32))
    with pytest.raises(ValueError, match="read-only"):
        table[0][0] = 2
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 2
    assert type(table.astype(np.float64)) is np.ndarray
    assert pickle.loads(pickle.dumps(table)).tolist() == table.tolist()


def test_a_full_disk_is_a_clear_error():
    resource = pytest.importorskip("resource")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    writer = TableWriter(np.float64)
    writer.add(np.zeros(1000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, former[1]))
    try:
        with pytest.raises(SolverError, match=r"cannot grow.*TMPDIR"):
            writer.add(np.zeros(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)


def test_like_keeps_rows_where_the_others_are():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert type(like(array, iter(array), np.int32)) is np.ndarray
    other = like(on_disk(array), iter(array[:1]), np.int32, 1)
    assert isinstance(other, DiskTable)
    assert (other.dtype, other.tolist()) == (np.int32, [[0, 1, 2]])
    assert like(on_disk(array), iter(()), np.int32, 0).shape[0] == 0


@given(st.integers(0, 400), st.integers(1, 4), st.sampled_from([6, 40, 3000]))
def test_covering_programs_on_disk_have_the_same_proof(seed, m, n):
    random = np.random.default_rng(seed)
    gains = random.integers(0, random.choice([3, 1000]), (m, n)).astype(np.int32)
    demands = (gains.sum(axis=1) * random.uniform(-0.1, 0.7, m)).astype(np.int64)
    programs = [CoveringProgram(gains, demands), CoveringProgram(on_disk(gains), demands)]
    assert isinstance(programs[1].gains, DiskTable)
    options = {"nodes": 40} if (demands > 0).sum() > 1 else {}
    here, there = (solve(program, **options) for program in programs)
    np.testing.assert_array_equal(here.x, there.x)
    first, second = (
        proof.build([proof.Section("x", program, found)])
        for program, found in zip(programs, (here, there), strict=True)
    )
    assert first == second


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("1.5 GiB", 3 << 29), ("1000", 1000), (7, 7), ("2kb", 2000), ("1 MiB", 1 << 20)],
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "0", "1e9", "5 parsecs", "nan", 0, -3, True, "1..5MB"])
def test_no_sizes(text):
    assert parse_bytes(text) is None
