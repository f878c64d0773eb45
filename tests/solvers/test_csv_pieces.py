"""Pieces of CSV files hold whole records, and together everything."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import csv_pieces
from solvers.csv_pieces import UnclearError, pieces, text_frames

CELLS = st.text(st.sampled_from('ab,"\n;é '), max_size=6)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=12), st.integers(1, 30))
def test_pieces_are_whole_records(tmp_path_factory, rows, size):
    path = tmp_path_factory.mktemp("pieces") / "x.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([["a", "b"], *rows])
    found = list(pieces(path, size))
    assert b"".join(found) == path.read_bytes()
    parsed = [
        row for piece in found for row in csv.reader(io.StringIO(piece.decode(), newline=""), strict=True)
    ]
    assert parsed == [["a", "b"], *rows]


@given(st.lists(st.tuples(CELLS, CELLS.filter(bool)), min_size=1, max_size=12))
def test_frames_are_what_polars_reads_at_once(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("pieces") / "x.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, quoting=csv.QUOTE_MINIMAL).writerows([["a", "b"], *rows])
    whole = pl.read_csv(path, infer_schema=False)
    whole.columns = ["0", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_pieces, "PIECE", 9)
        found = pl.concat(list(text_frames(path, ",", ("a", "b"))))
        assert found.equals(whole)
        assert pl.concat(list(text_frames(path, ",", ("a", "b"), [1]))).equals(whole.select("1"))


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3\n",
        "a,b\n1,2\n3,\n",
        "a,c\n1,2\n",
        'a,b\n1,2"x"\n',
        "a,b\n1,2\n\n3,4\n",
        "a,b\n1,2\n1,2,3\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_left_to_others(tmp_path, monkeypatch, text):
    path = tmp_path / "x.csv"
    path.write_text(text, encoding="utf-8")
    for size in (1, 1 << 20):
        monkeypatch.setattr(csv_pieces, "PIECE", size)
        with pytest.raises(UnclearError):
            list(text_frames(path, ",", ("a", "b")))


def test_a_mark_of_the_encoding_inside_a_file_is_text(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_text("a,b\nx,1\n\ufeff,2\n", encoding="utf-8")
    monkeypatch.setattr(csv_pieces, "PIECE", 4)
    with pytest.raises(UnclearError):
        list(text_frames(path, ",", ("a", "b")))
