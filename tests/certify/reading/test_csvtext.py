"""CSV text: two ways of reading that agree, and defects named by line."""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import PoolError
from certify.reading.csvtext import open_csv


def read(path):
    dialect = open_csv(path)
    return dialect.header, [list(row) for row in dialect.read().rows()]


def write(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "id,a\nx,1\ny,2\n",
        "id,a\r\nx,1\r\ny,2\r\n",
        "id,a\rx,1\ry,2\r",
        "id,a\nx,1\ny,2",
        "\ufeffid,a\nx,1\ny,2\n",
        '\ufeff"id","a"\r\n"x","1"\r\n"y","2"\r\n',
        " id , a \nx,1\ny,2\n",
        "id\ta\nx\t1\ny\t2\n",
        "id;a\nx;1\ny;2\n",
        "\n\nid,a\nx,1\n\ny,2\n\n\n",
        "id,a\nx,1\n   \ny,2\n",
    ],
)
def test_spellings_of_one_table(tmp_path, text):
    header, rows = read(write(tmp_path, text))
    assert header == ("id", "a")
    assert rows == [["x", "1"], ["y", "2"]]


def test_quoted_fields_may_hold_separators_quotes_and_line_breaks(tmp_path):
    path = write(tmp_path, 'id,text\nx,"a, ""b""\nc"\ny,"d"\n')
    assert read(path) == (("id", "text"), [["x", 'a, "b"\nc'], ["y", "d"]])
    assert [open_csv(path).line(row) for row in (0, 1)] == [2, 4]


def test_a_header_with_quoted_line_breaks(tmp_path):
    assert read(write(tmp_path, 'id,"a\nb"\nx,1\n')) == (("id", "a\nb"), [["x", "1"]])


def test_the_separator_that_splits_the_header_most(tmp_path):
    assert read(write(tmp_path, 'id;"in %, of all";a\nx;1,5;2\n'))[0] == ("id", "in %, of all", "a")
    assert read(write(tmp_path, "a\tb,c\n1\t2\n", "t.tsv")) == (("a", "b,c"), [["1", "2"]])


def test_blank_cells_last_and_first(tmp_path):
    assert read(write(tmp_path, "a,b\n1,\n,2\n,\n"))[1] == [["1", ""], ["", "2"], ["", ""]]


def test_blank_lines_of_one_column_are_blank_cells(tmp_path):
    assert read(write(tmp_path, 'label\n1\n\n""\n0\n'))[1] == [["1"], [""], [""], ["0"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,c\n1,2,3\n\n4,5\n", ("line 4", "2 fields where the header has 3", "a, b, c")),
        ("a,b\n1,2\n3,4,5\n", ("line 3", "3 fields where the header has 2")),
        ("a,b\n1,2\n3,4,", ("line 3", "3 fields where the header has 2")),
        ('a,b\n1,2\n3,"4\n5,6\n', ("line 3", "quotes")),
        ('a,b\n1,"2"x\n', ("line 2", "quotes")),
        (b"", ("is empty", "header")),
        (b"\xef\xbb\xbf\n", ("is empty",)),
        (b"a,b\n1,\xe9\n", ("not UTF-8", "0xe9")),
        ("a,b\n1,2\n".encode("utf-16"), ("UTF-16", "save it as CSV in UTF-8")),
        (b"PAR1....", ("Parquet", ".parquet")),
        (b"PK\x03\x04....", ("zip",)),
        (b"\x1f\x8b....", ("gzip",)),
        (b"a\0b,c\n", ("not text",)),
    ],
)
def test_defects_are_named_with_line_and_remedy(tmp_path, text, words):
    path = write(tmp_path, text)
    with pytest.raises(PoolError) as caught:
        read(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_stray_quotes_are_text_inside_a_field(tmp_path):
    assert read(write(tmp_path, 'a,b,c\n1,5" disk,x\n2,6" disk,y\n'))[1] == [
        ["1", '5" disk', "x"],
        ["2", '6" disk', "y"],
    ]


CELL = st.text(st.sampled_from('ab1 ,;"\n.é?'), max_size=5)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_written_tables_come_back(tmp_path_factory, rows, end):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("p", "q", "r"), *rows])
    dialect = open_csv(path)
    assert dialect.read().rows() == rows
    quick = dialect._quick()
    assert quick is None or quick.rows() == dialect._careful().rows()


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.sampled_from([*'ab1 ,"\n', "\r\n"]), max_size=30).map("".join))
def test_both_readings_agree_on_any_text(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(b"p,q\n" + text.encode() + b"\n")
    dialect = open_csv(path)
    quick = dialect._quick()
    if quick is not None:
        careful = dialect._careful().rows()
        stripped = [tuple(cell.strip() for cell in row) for row in careful]
        assert [tuple(cell.strip() for cell in row) for row in quick.rows()] == stripped


def test_a_quote_inside_a_field_swallows_no_rows(tmp_path):
    path = write(tmp_path, 'id,a\n"x","1"y"\n"z","2"\n"w","3"\n')
    with pytest.raises(PoolError, match="line 2"):
        read(path)


def test_a_return_within_a_line_ends_it(tmp_path):
    with pytest.raises(PoolError, match="line 2"):
        read(write(tmp_path, "id,a\nx\ry,1\n"))
