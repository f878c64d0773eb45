"""Problem files: every layout gives back what went in, and every fault is located."""

import csv
import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csc_array

from solvers import (
    CoveringProgram,
    LinearProgram,
    SolverError,
    checker,
    problem_files,
    read_problem,
    write_problem,
)
from solvers.files import ENDINGS, read_problems
from solvers.files.layouts import LAYOUTS
from solvers.instances import FOLDER, bundled
from solvers.maximum_clique import MaximumClique
from solvers.ordered_bradley_terry import OrderedBradleyTerry
from tests.solvers.instances import seeded, small_programs

COVERING = CoveringProgram(np.array([[4, 12, 4, 0], [8, 12, 0, 0]], dtype=np.int32), [13, 15])
LINEAR = LinearProgram(
    [0.1, -2.0, 1 / 3],
    [[1.0, 0.0, 2.5], [0.0, -1e-5, 7.0]],
    row_lower=[-np.inf, 1.0],
    row_upper=[4.0, np.inf],
    lower=[-np.inf, 0.0, -1.5],
    upper=[np.inf, 1.0, 2.0],
    integrality=[False, True, False],
    maximise=True,
)
CLIQUE = MaximumClique(
    [[False, True, False], [True, False, True], [False, True, False]],
    [[0, 3, 0], [3, 0, 1], [0, 1, 0]],
    ("ä", "b:1", "c"),
)
FIT = OrderedBradleyTerry(np.array([[0.0, 2.5], [1.0, 0.0]]), ((1, 0),), box=1.5, ridge=0.25)
ONE_OF_EACH = {"covering": COVERING, "linear": LINEAR, "clique": CLIQUE, "ordered-bradley-terry": FIT}


def plain(value):
    return value.toarray() if hasattr(value, "toarray") else value


def same(one, other):
    assert type(one) is type(other)
    for name in one.__dataclass_fields__:
        np.testing.assert_array_equal(plain(getattr(one, name)), plain(getattr(other, name)), err_msg=name)


def test_every_problem_type_has_a_layout_and_a_case_here():
    assert set(ONE_OF_EACH) == set(LAYOUTS)


@pytest.mark.parametrize("ending", [".json", ".npz"])
@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_json_and_npz_give_back_every_type(tmp_path, kind, ending):
    path = tmp_path / f"problem{ending}"
    write_problem(path, ONE_OF_EACH[kind])
    same(read_problem(path), ONE_OF_EACH[kind])


@pytest.mark.parametrize("ending", [".json", ".npz", ".csv", ".cover"])
@given(program=small_programs())
@seeded
def test_any_covering_program_survives(tmp_path_factory, ending, program):
    path = tmp_path_factory.mktemp("covering") / f"problem{ending}"
    write_problem(path, program)
    found = read_problem(path)
    assert found.gains.shape == program.gains.shape
    same(found, program)


@pytest.mark.parametrize("ending", [".json", ".npz"])
@pytest.mark.parametrize(
    "program",
    [
        LinearProgram([1.0]),
        LinearProgram([]),
        LinearProgram([1.0, 2.0], csc_array([[0.0, 3.0], [0.5, 0.0]]), row_upper=[1.0, 2.0]),
        LinearProgram([1.0, 2.0], csc_array((2, 2)), row_upper=[1.0, 2.0]),
    ],
)
def test_sparse_and_empty_matrices(tmp_path, program, ending):
    path = tmp_path / f"problem{ending}"
    write_problem(path, program)
    same(read_problem(path), program)


def test_npz_keeps_int32_and_equal_problems_give_equal_files(tmp_path):
    for name in ("a.npz", "b.npz"):
        write_problem(tmp_path / name, COVERING)
    assert read_problem(tmp_path / "a.npz").gains.dtype == np.int32
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_several_sections_are_read_together(tmp_path):
    path = tmp_path / "two.cover"
    problem_files.write_binary(path, [COVERING, COVERING])
    assert len(read_problems(path)) == 2
    with pytest.raises(SolverError, match="holds 2 problems"):
        read_problem(path)
    renamed = tmp_path / "two.bin"
    renamed.write_bytes(path.read_bytes())
    assert len(read_problems(renamed)) == 2


def test_mps_keeps_linear_programs(tmp_path):
    path = tmp_path / "linear.mps"
    write_problem(path, LINEAR)
    same(read_problem(path), LINEAR)


def test_mps_of_a_covering_program_is_its_integer_program(tmp_path):
    path = tmp_path / "cover.mps"
    write_problem(path, COVERING)
    program = read_problem(path)
    assert program.integrality.all()
    assert not program.maximise
    np.testing.assert_array_equal(program.matrix.toarray(), COVERING.gains)
    np.testing.assert_array_equal(program.row_lower, COVERING.demands)
    np.testing.assert_array_equal(program.upper, 1)


MPS = """NAME T
ROWS
 N COST
 L LIM
COLUMNS
    X COST 1.0 LIM 1.0
    Y COST 2.0 LIM {entry}
RHS
    RHS LIM 4.0 COST -7
BOUNDS
 UP BND X {bound}
ENDATA
"""


def test_mps_constants_become_a_fixed_column_and_huge_bounds_none(tmp_path):
    path = tmp_path / "constant.mps"
    path.write_text(MPS.format(entry="3.0", bound="1e30"))
    program = read_problem(path)
    assert program.costs.tolist() == [1.0, 2.0, 7.0]
    assert (program.lower[2], program.upper[2]) == (1.0, 1.0)
    assert program.upper[0] == np.inf
    assert program.objective([1, 1, 1]) == 10


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("1e16", r"matrix\[0, 1\] = 1e\+16 is too large"),
        ("nan", r"matrix\[0, 1\] = nan is not a finite"),
        ("1e-20", "would change the model"),
        ("abc", "line 7: 'abc' is not a number"),
        ("1.0D5", "line 7: '1.0D5'"),
    ],
)
def test_mps_numbers_that_solvers_misread_are_named(tmp_path, entry, message, capfd):
    path = tmp_path / "huge.mps"
    path.write_text(MPS.format(entry=entry, bound="1"))
    with pytest.raises(SolverError, match=message) as caught:
        read_problem(path)
    assert str(path) in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_mps_refuses_what_it_cannot_hold(tmp_path):
    path = tmp_path / "x.mps"
    big = CoveringProgram([[1, 2]], [10**15])
    for problem, message in ((CLIQUE, "not a MaximumClique"), (big, "double precision")):
        with pytest.raises(SolverError, match=message):
            write_problem(path, problem)
        assert not path.exists()


GOOD = {"format": "certified-choice problem", "version": 1}
COVER = {**GOOD, "type": "covering", "gains": [[1, 2], [3, 4]], "demands": [1, 1]}
LP = {**GOOD, "type": "linear", "costs": [1, 2], "matrix": [[1, 1]], "row_lower": [1]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "a JSON object is expected"),
        ({}, "format: 'nothing' found"),
        ({"format": "certified-choice covering proof"}, "problem' expected"),
        ({**GOOD, "version": 2}, "version: 2"),
        ({**GOOD, "type": "sudoku"}, "type: 'sudoku' found; covering, linear"),
        ({**COVER, "gain": 1}, "unknown 'gain'"),
        ({**GOOD, "type": "covering", "gains": [[1]]}, "demands missing"),
        ({**COVER, "gains": [[1, 2], [3, 4.5]]}, r"gains\[1, 1\] = 4.5: an integer"),
        ({**COVER, "gains": [[1, 2], [3, 4.0]]}, r"gains\[1, 1\] = 4.0: an integer"),
        ({**COVER, "gains": [[1, 2], [3, True]]}, r"gains\[1, 1\] = true"),
        ({**COVER, "gains": [[1, 2], [3, None]]}, r"gains\[1, 1\] = null"),
        ({**COVER, "gains": [[1, 2], [3, 2**70]]}, r"gains\[1, 1\] = 1180591620717411303424: beyond 64"),
        ({**COVER, "gains": [[1, 2], [3]]}, r"gains\[1\]: 1 entries, 2 in the row before"),
        ({**COVER, "gains": [[1, 2], 3]}, r"gains\[1\]: a list is expected, 3 found"),
        ({**COVER, "gains": [[1, -2], [3, 4]]}, r"gains\[0, 1\] = -2 is negative"),
        ({**COVER, "demands": [1]}, "both count"),
        ({**LP, "costs": [1, 1e15]}, r"costs\[1\] = 1000000000000000.0 is too large"),
        ({**LP, "costs": [1, "2"]}, r'costs\[1\] = "2": a number'),
        ({**LP, "costs": [1, 2**53 + 1]}, r"costs\[1\] = 9007199254740993: double precision"),
        ({**LP, "costs": [1, None]}, r"costs\[1\] = null: a number is expected\."),
        ({**LP, "row_lower": ["x"]}, "null for no bound"),
        ({**LP, "upper": [1, 1e20]}, r"upper\[1\] = 1e\+20 would be read as infinite"),
        ({**LP, "maximise": 1}, "true or false"),
        ({**LP, "integrality": [2, 0]}, r"integrality\[0\] = 2"),
        ({**LP, "matrix": {"shape": [1, 2]}}, '"shape" and "entries"'),
        ({**LP, "matrix": {"shape": [1, 2], "entries": [[0, 2, 1]]}}, r"entries\[0\]: \(0, 2\) lies outside"),
        ({**LP, "matrix": {"shape": [1, 2], "entries": [[0, 1, 1]] * 2}}, r"entries\[1\]: .* already"),
        (
            {**LP, "matrix": {"shape": [1, 2], "entries": [[0, 1, 1e15]]}},
            r"matrix\[0, 1\] = 1000000000000000.0",
        ),
        ({**LP, "matrix": {"shape": [1, 2], "entries": [[0, 1]]}}, r"entries\[0\] = \[0, 1\]"),
    ],
)
def test_faults_in_json_are_located(tmp_path, document, message):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SolverError, match=message) as caught:
        read_problem(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1, column 2: not JSON"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": -Infinity}', "-Infinity is not a number"),
        ('{"a": 1e999}', "1e999 is beyond"),
        ('{"a": 1, "a": 2}', "'a' appears twice"),
        ("[" * 100_000, "nested too deeply|not JSON"),
    ],
)
def test_text_that_is_not_strict_json(tmp_path, text, message):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(SolverError, match=message):
        read_problem(path)


def arrays(**changes):
    usual = {**GOOD, "type": "covering", "gains": np.array([[1, 2]]), "demands": np.array([1])}
    return {name: value for name, value in {**usual, **changes}.items() if value is not None}


SPARSE = {
    "type": "linear",
    "gains": None,
    "demands": None,
    "costs": np.ones(2),
    "matrix_shape": np.array([1, 2]),
    "matrix_row": np.array([0]),
    "matrix_column": np.array([1]),
    "matrix_value": np.array([1.0]),
}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (arrays(gains=np.array([[1.0, 2.0]])), "gains: dtype float64, integers expected"),
        (arrays(gains=np.array([1, 2])), "gains: 1 dimensions, 2 expected"),
        (arrays(gains=np.array([[1, -2]])), r"gains\[0, 1\] = -2 is negative"),
        (arrays(gains=np.array([[1, None]])), "not a numpy archive of plain arrays"),
        (arrays(demands=None), "demands missing"),
        (arrays(more=np.array(1)), "unknown 'more'"),
        (arrays(**{**SPARSE, "matrix_row": None}), "matrix_row missing"),
        (arrays(**{**SPARSE, "matrix_row": np.array([1])}), r"entry 0 at \(1, 1\) lies outside"),
        (arrays(**{**SPARSE, "matrix_value": np.array([np.nan])}), r"matrix\[0, 1\] = nan"),
        (arrays(**{**SPARSE, "costs": np.array([1, 2**60])}), r"costs\[1\] = 1152921504606846976"),
    ],
)
def test_faults_in_npz_are_located(tmp_path, content, message):
    path = tmp_path / "bad.npz"
    np.savez(path, **content)
    with pytest.raises(SolverError, match=message) as caught:
        read_problem(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("ending", ENDINGS)
def test_absent_and_garbled_files(tmp_path, ending):
    path = tmp_path / f"bad{ending}"
    with pytest.raises(SolverError, match="no such file"):
        read_problem(path)
    path.write_bytes(b"\x80\x00garbage\xff\n\x01")
    with pytest.raises(SolverError) as caught:
        read_problem(path)
    assert str(path) in str(caught.value)


def test_endings_and_folders(tmp_path):
    with pytest.raises(SolverError, match=r"ending '.xlsx'; .json"):
        read_problem(tmp_path / "a.xlsx")
    with pytest.raises(SolverError, match=r"ending '.lp'"):
        write_problem(tmp_path / "a.lp", LINEAR)
    with pytest.raises(SolverError, match="holds covering programs only, not a LinearProgram"):
        write_problem(tmp_path / "a.csv", LINEAR)
    with pytest.raises(SolverError, match="does not exist; create it"):
        write_problem(tmp_path / "no" / "a.json", LINEAR)


def test_bundled_problems_are_small_documented_and_readable():
    sources = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    for path in bundled().values():
        assert path.name in sources
        read_problem(path)
    assert sum(path.stat().st_size for path in bundled().values()) < 1_000_000
    magic = read_problem(bundled()["magic-tree-8"])
    assert (magic.m, magic.n) == (7, 5706)


@pytest.mark.parametrize("name", ["z.NPZ", "z.JSON", "z.CSV", "z.COVER"])
def test_the_file_has_the_name_that_was_asked_for(tmp_path, name):
    write_problem(tmp_path / name, COVERING)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    same(read_problem(tmp_path / name), read_problem(tmp_path / name))
    assert read_problem(tmp_path / name).m == COVERING.m


@pytest.mark.parametrize("text", ["", "\n", "end\n", "minimize\nend\n"])
def test_lp_files_without_columns_are_refused(tmp_path, text):
    path = tmp_path / "empty.lp"
    path.write_text(text)
    with pytest.raises(SolverError, match="no columns"):
        read_problem(path)
    with pytest.raises(SolverError, match="without columns"):
        write_problem(tmp_path / "empty.mps", LinearProgram([]))
    assert [path.name for path in tmp_path.iterdir()] == ["empty.lp"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header is missing"),
        ("\n\n", "header is missing"),
        ("row,a\ndemand, 1\n", "line 2: ' 1' is not an integer"),
        ("row,a\ndemand,1\n0,1_0\n", "line 3: '1_0' is not an integer"),
        ("row,a\ndemand,+1\n", r"line 2: '\+1'"),
        ("row,a\ndemand,\u0661\n", "line 2: .* is not an integer"),
        ("row,a\ndemand," + "1" * 200_000, "line 2: field larger than field limit"),
        ("row,a\ndemand," + "1" * 10_000, "line 2: "),
    ],
)
def test_csv_files_hold_plain_integers(tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    limit = csv.field_size_limit(131_072)  # the usual one, whatever other readers of this process need
    try:
        with pytest.raises(SolverError, match=message):
            read_problem(path)
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize(
    "header",
    [
        "[" * 100_000,
        "[]",
        '{"dtype": [], "sections": []}',
        '{"dtype": "int64", "sections": [{"constraints": 1.0, "columns": 0}]}',
        '{"dtype": "int64", "sections": [{"constraints": true, "columns": 0}]}',
        '{"dtype": "int64", "sections": [{"constraints": "1", "columns": 0}]}',
        '{"dtype": "int64", "sections": [{"constraints": -1, "columns": 0}]}',
        '{"dtype": "int64", "sections": [{"constraints": 1000000000000, "columns": 0}]}',
        '{"dtype": "int64", "sections": [{"constraints": 1, "columns": 1000000000000}]}',
    ],
)
def test_headers_of_binary_files(tmp_path, header):
    path = tmp_path / "bad.cover"
    path.write_bytes(checker.MAGIC + header.encode() + b"\n" + bytes(8))
    with pytest.raises(SolverError, match=r"unreadable header|ends early"):
        read_problem(path)


@pytest.mark.parametrize("ending", [".npz", ".mps.gz"])
def test_damaged_archives_at_every_place(tmp_path, ending):
    path = tmp_path / f"bad{ending}"
    if ending == ".npz":
        write_problem(path, LINEAR)
        whole = path.read_bytes()
    else:
        whole = gzip.compress(MPS.format(entry="3.0", bound="1").encode(), mtime=0)
    for at in range(0, len(whole), 3):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 9]) + whole[at + 1 :]):
            path.write_bytes(data)
            try:
                read_problem(path)
            except SolverError as error:
                assert str(path) in str(error)  # noqa: PT017


def test_what_zip_says_of_a_damaged_archive_is_cut(tmp_path):
    path = tmp_path / "bad.npz"
    write_problem(path, LINEAR)
    data = bytearray(path.read_bytes())
    data[26:28] = (4000).to_bytes(2, "little")  # the length of the first name, as it stands before the data
    path.write_bytes(data + bytes(5000))
    with pytest.raises(SolverError, match="not a numpy archive") as caught:
        read_problem(path)
    assert len(str(caught.value)) < 1000


def test_names_that_no_text_can_hold_are_refused(tmp_path):
    document = {**GOOD, "type": "clique", "adjacency": [[False]], "names": ["\ud800"]}
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(SolverError, match=r"names\[0\] = '\\ud800': no text"):
        read_problem(tmp_path / "bad.json")


def test_the_integer_without_an_opposite_is_refused_by_every_layout(tmp_path):
    (tmp_path / "bad.csv").write_text(f"row,a\ndemand,{-(2**63)}\n0,1\n")
    (tmp_path / "bad.json").write_text(
        json.dumps({**GOOD, "type": "covering", "gains": [[1]], "demands": [-(2**63)]})
    )
    np.savez(tmp_path / "bad.npz", **arrays(demands=np.array([-(2**63)])))
    for path in tmp_path.iterdir():
        with pytest.raises(SolverError, match="demands"):
            read_problem(path)


def test_demands_beyond_64_bits(tmp_path):
    path = tmp_path / "bad.csv"
    for text in (f"row,a\ndemand,{2**70}\n0,1\n", f"row,a\ndemand,1\n0,{2**70}\n"):
        path.write_text(text)
        with pytest.raises(SolverError, match="an integer lies beyond 64 bits"):
            read_problem(path)
