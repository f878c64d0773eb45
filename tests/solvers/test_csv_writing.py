"""What is written as CSV comes back, whatever the cells hold."""

from __future__ import annotations

import csv
from io import StringIO

from hypothesis import example, given
from hypothesis import strategies as st

from solvers.csv_writing import CsvWriter

CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5))
@example([("a\rb", "c")])
@example([("\r\n", "\n")])
@example([("", '"')])
def test_cells_come_back(rows):
    file = StringIO(newline="")
    CsvWriter(file).rows(rows)
    text = file.getvalue()
    assert [tuple(row) for row in csv.reader(StringIO(text, newline=""))] == rows
    if not any(letter in cell for row in rows for cell in row for letter in '\r\n",'):
        assert text == "".join(f"{first},{second}\n" for first, second in rows)


def test_none_is_blank():
    file = StringIO(newline="")
    CsvWriter(file).row(["a", None, 3])
    assert file.getvalue() == "a,,3\n"
