"""MPS texts that HiGHS misreads, or reads for ever, are refused with the line; others are read right."""

from __future__ import annotations

import re

import pytest

from solvers import SolverError, read_problem
from tests.fuzz.fuzz_solvers import plain
from tests.fuzz.mps_by_hand import by_hand

TEXT = """NAME T
OBJSENSE
    MAX
ROWS
 N COST
 N SPARE
 L LIM
 E EQ
COLUMNS
    M 'MARKER' 'INTORG'
    X COST 1 LIM 1
    X SPARE 2
    Z EQ 1
    M 'MARKER' 'INTEND'
    Y COST 2 LIM 3
RHS
    S LIM 4 COST -7
    EQ 4
RANGES
    R EQ -2 LIM 3
BOUNDS
 UP B X 4
 UP Y 3
 FR B Z 0
ENDATA
"""
"""Every section, sets with and without a name, a value behind a bound that needs none."""


@pytest.mark.parametrize("ending", [".mps", ".MPS"])
def test_every_section_is_read(tmp_path, ending):
    path = tmp_path / f"all{ending}"
    path.write_text(TEXT)
    assert plain(read_problem(path)) == plain(by_hand(TEXT))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("COLUMNS\n", "COLUMNS\n,\n", "line 10: ',': a column and one or two rows"),  # was read for ever
        ("    X COST", ",,,,\n    X COST", "line 11: ',,,,'"),
        ("    Y COST 2 LIM 3", "    my Y COST 2 LIM 3", "line 15: .*must not hold blanks"),
        ("    Y COST 2 LIM 3", "    Y COST 2 LIM", "line 15: .*each with a number"),
        (" E EQ", " E E Q", "line 8: 'E E Q'"),
        (" E EQ", " EX EQ", "line 8: 'EX EQ': N, G, E or L"),
        (" E EQ", " L LIM", "line 8: row 'LIM' is there already"),
        ("LIM 3\nRHS", "LIN 3\nRHS", "line 15: row 'LIN' is not in ROWS"),
        ("LIM 3\nRHS", "LIM 3_0\nRHS", "line 15: '3_0' is not a number"),
        ("LIM 3\nRHS", "LIM ٣\nRHS", "line 15: '٣' is not a number"),
        ("LIM 3\nRHS", "COST 3\nRHS", "line 15: a second entry in row 'COST'"),
        ("    Y COST", "    X COST", "line 15: column 'X' comes again after others"),
        ("    Y COST", "    NAME COST", "line 15: section NAME comes after COLUMNS"),
        ("    EQ 4", "    S SPARE 4", "line 18: row 'SPARE' has no bound"),  # was taken for a constant
        ("    R EQ", "    R COST", "line 20: row 'COST' has no bound"),
        ("    EQ 4", "    LIM EQ 4", "line 18: a set has the name of row 'LIM'"),
        (" UP Y 3", " UP B W 3", "line 23: column 'W' is not in COLUMNS"),  # was a new column
        (" UP Y 3", " UP X Y 3", "line 23: a set has the name of column 'X'"),
        (" UP Y 3", " UX B Y 3", "line 23: bound 'UX'"),
        (" UP Y 3", " UP B Y", "line 23: column 'B' is not in COLUMNS"),
        ("    MAX", "    MOST", "line 3: OBJSENSE 'MOST': MIN or MAX is expected"),
        ("OBJSENSE\n    MAX", "OBJSENSE MAXIMAL", "line 2: OBJSENSE 'MAXIMAL'"),  # was minimised
        ("NAME T", "\ufeffNAME T", r"line 1: '\\ufeffNAME' begins no section"),
        ("RANGES", "RHS", "line 19: section RHS comes after RHS"),
        ("RHS\n", "ENDATA\nRHS\n", "line 17: something follows after ENDATA"),
        ("BOUNDS\n", "QUADOBJ\n", "line 21: .*'QUADOBJ'"),
        ("BOUNDS\n", "QSECTION COST\n", "line 21: section QSECTION is not read"),
        ("ROWS\n", "BOUNDS\n", "line 4: section BOUNDS comes before ROWS"),
        ("ENDATA\n", "", "ENDATA is missing"),
    ],
)
def test_other_texts_are_refused(tmp_path, old, new, message):
    path = tmp_path / "bad.mps"
    assert old in TEXT
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SolverError, match=re.escape(f"{path}: ") + message):
        read_problem(path)


def test_blanks_are_those_of_the_reader(tmp_path):
    path = tmp_path / "blank.mps"
    text = TEXT.replace(" UP Y 3", "\tUP\fY\v3\r").replace("X ", "X\u00a0\x1c ")
    path.write_bytes(text.encode())
    assert plain(read_problem(path)) == plain(by_hand(text))
