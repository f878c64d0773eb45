"""Text that all readers of CSV take alike is told from text that they do not."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import csv_quotes
from solvers.csv_quotes import read_alike


def alike(tmp_path, text, separator=","):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    return read_alike(path, separator)


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2\n", '"a","b"\r\n"1","2"', '\ufeff"a",b\n"x ""y"" z",""\n', 'a,b\n"1\n2",","\n', '"""a"\n', ""],
)
def test_quotes_where_they_belong(tmp_path, text):
    assert alike(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"1"x,2\n',
        'a,b\n1"x",2\n',
        'a\n"1\n',
        'a,b\n1, "2"\n',
        "a,b\n1\r2,3\n",
        "a\r1\r",
        'a;b\n"1";2\n',
        "a,b\n1,2,",
    ],
)
def test_quotes_and_ends_that_are_read_in_two_ways(tmp_path, text):
    assert not alike(tmp_path, text)


@given(text=st.text('"a,\n\r', max_size=14), block=st.sampled_from([1, 2, 3, 1 << 24]))
def test_what_is_read_alike_is_what_a_strict_reader_takes(tmp_path_factory, text, block):
    path = tmp_path_factory.getbasetemp() / "alike.csv"
    path.write_bytes(f"h,i\n{text}".encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_quotes, "BLOCK", block)
        found = read_alike(path, ",")
        even = read_alike(path, ",", 2)
    if not found:
        assert not even
        return
    lines = list(csv.reader(io.StringIO(f"h,i\n{text}", newline=""), strict=True))
    lengths = {max(1, len(line)) for line in lines}
    assert even or lengths != {2}
    assert not even or min(lengths) < 2 or max(lengths) == 2
    records = [row for row in lines if row]
    if all(len(row) == 2 for row in records) and len(records) > 1:
        frame = pl.read_csv(path, infer_schema=False).fill_null("")
        assert [list(row) for row in frame.rows() if any(row)] == [row for row in records[1:] if any(row)]
    elif any(len(row) > 2 for row in records):
        with pytest.raises(pl.exceptions.ComputeError):
            pl.read_csv(path, infer_schema=False)
