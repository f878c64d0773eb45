"""Tables on disk answer as arrays do, and let go of what they looked at."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CoveringProgram, proof, solve
from solvers.disk_tables import DiskTable, TableWriter, like, stacked, writer_like
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
    chosen = draw(st.lists(st.integers(-m, m - 1)))
    masks = random.random(m) < 0.5, random.random((m, n)) < 0.5
    odd = (
        ...,
        None,
        (row, ...),
        (..., column),
        (None, 0),
        (0, None),
        ([0], [n - 1]),
        True,
        (row, [[0, n - 1]]),
    )
    forms = [
        row,
        (row, column),
        (row,),
        (),
        chosen,
        np.array(chosen, dtype=np.intp),
        *masks,
        *odd,
        [[0, m - 1]],
    ]
    return array, draw(st.sampled_from(forms))


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
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if (
        isinstance(key, tuple) and len(key) > 1 and isinstance(key[1], np.ndarray) and expected.ndim == 2
    ):  # floats sum alike
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


def test_rows_of_other_lengths_are_refused():
    writer = TableWriter(np.int32)
    writer.add(np.zeros(3))
    for row, shape in ((np.zeros(5), r"\(5,\)"), (np.zeros(()), r"\(\)"), (np.zeros((1, 3)), r"\(1, 3\)")):
        with pytest.raises(
            SolverError, match=rf"row 1 of a table has shape {shape}; give rows of shape \(3,\)"
        ):
            writer.add(row)
    assert writer.table().tolist() == [[0, 0, 0]]
    with pytest.raises(SolverError, match="one dimension"):
        TableWriter(np.int32).add(np.zeros((2, 2)))
    with pytest.raises(SolverError, match="row 0 of a table has shape"):
        TableWriter(np.int32, 2).add(np.zeros(1))


def test_tables_of_no_rows_keep_their_width():
    array = np.ones((2, 3), dtype=np.int16)
    table = on_disk(array)
    assert table[[]].shape == table[np.zeros(2, dtype=bool)].shape == (0, 3)
    assert table[[]][[]].shape == (0, 3)
    assert like(table, iter(()), np.int32, 0).shape == (0, 3)
    assert TableWriter(np.int16).table().shape == (0, 0)


def test_arrays_in_memory_hold_what_was_added():
    array = np.arange(6, dtype=np.int16).reshape(2, 3)
    writer = writer_like(array, np.int32)
    for row in (np.zeros(1), np.zeros(()), np.zeros(4)):  # which numpy would spread, or refuse
        with pytest.raises(SolverError, match="row 0 of a table has shape"):
            writer.add(row)
    writer.add(array[1])
    assert writer.table().tolist() == [[3, 4, 5]]
    writer.add(array[0])
    assert writer.table().tolist() == [[3, 4, 5], [0, 1, 2]]
    with pytest.raises(SolverError, match="a table of 2 rows is full"):
        writer.add(array[0])


@pytest.mark.skipif(not hasattr(os, "preadv"), reason="rows are read through a mapping")
def test_a_file_that_was_cut_off_is_an_error():
    table = on_disk(np.ones((4, 5000)))
    os.truncate(table._file.fileno(), 100_000)
    assert table[1].sum() == 5000
    with pytest.raises(SolverError, match=r"ends after 100000 of 160000 bytes.*start again"):
        table[2]


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
    [
        ("500MB", 500_000_000),
        ("1.5 GiB", 3 << 29),
        ("1000", 1000),
        (7, 7),
        ("2kb", 2000),
        ("1 MiB", 1 << 20),
        (5e8, 500_000_000),
        (1.5, 1),
        (np.int64(5), 5),
        (np.float32(4096), 4096),
    ],
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


NO_SIZES = (0.5, -2.0, float("nan"), float("inf"), np.bool_(True), None, b"5MB", [5], 5j, Path("5MB"))


@pytest.mark.parametrize(
    "text", ["", "MB", "-1", "0", "1e9", "5 parsecs", "nan", 0, -3, True, "1..5MB", *NO_SIZES]
)
def test_no_sizes(text):
    assert parse_bytes(text) is None
