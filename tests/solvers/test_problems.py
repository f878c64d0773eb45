from fractions import Fraction

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, SolverError

scipy_sparse = pytest.importorskip("scipy.sparse")


def test_int32_gains_are_kept_without_copying():
    gains = np.arange(6, dtype=np.int32).reshape(2, 3)
    program = CoveringProgram(gains, [1, 2])
    assert program.gains is gains
    assert program.demands.dtype == np.int64
    assert (program.m, program.n) == (2, 3)


@pytest.mark.parametrize(
    ("gains", "demands", "message"),
    [
        ([[1.0, 2.0]], [1], "not an integer type"),
        ([[1, 2]], [1.5], "not an integer type"),
        ([[True, False]], [1], "not an integer type"),
        ([[2**63, 1]], [1], "beyond"),
        ([[2**70, 1]], [1], "beyond 64 bits"),
        ([[1, -2]], [1], r"gains\[0, 1\] = -2 is negative"),
        ([[1, 2]], [1, 2], "both count"),
        ([1, 2], [1], "dimensions"),
        ([[1, 2], [3]], [1, 2], "cannot be read"),
        ([["a", "b"]], [1], "not an integer type"),
    ],
)
def test_covering_programs_refuse(gains, demands, message):
    with pytest.raises(SolverError, match=message):
        CoveringProgram(gains, demands)


def test_covering_check_is_the_exact_largest_shortfall():
    program = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])
    assert program.check([1, 1, 0, 0]) == 0
    assert program.check([1, 0, 0, 1]) == 9
    assert type(program.check(np.zeros(4))) is int
    for x in ([0.5, 1, 1, 1], [2, 0, 0, 0], [1, 1], [np.nan, 0, 0, 0]):
        with pytest.raises(SolverError):
            program.check(x)


def test_covered_does_not_overflow():
    big = 2**62
    program = CoveringProgram(np.full((1, 40), big), np.array([0]))
    assert program.covered(np.ones(40, dtype=bool)) == (40 * big,)
    assert program.totals == (40 * big,)


@pytest.mark.parametrize(
    "change",
    [
        {"costs": [np.nan, 1]},
        {"costs": [np.inf, 1]},
        {"costs": [1e15, 1]},
        {"matrix": [[1, np.nan]]},
        {"matrix": [[1, 1e15]]},
        {"matrix": scipy_sparse.csr_array(np.array([[1, 1e15]]))},
        {"row_upper": [1e20]},
        {"row_lower": [-1e21]},
        {"row_lower": [np.nan]},
        {"upper": [1e20, 1]},
        {"lower": [np.inf, 0]},
        {"upper": -np.inf},
        {"row_lower": [1, 2]},
        {"matrix": [[1, 2, 3]]},
        {"integrality": [0.5, 1]},
    ],
)
def test_linear_programs_refuse(change):
    LinearProgram(costs=[1, 1], matrix=[[1, 1]], row_lower=[1])
    with pytest.raises(SolverError):
        LinearProgram(**{"costs": [1, 1], "matrix": [[1, 1]], "row_lower": [1], **change})


def test_linear_check_is_exact():
    program = LinearProgram([1, 1], [[3, 1]], row_lower=[1], upper=[1, 1], integrality=[False, True])
    third = 1 / 3
    assert program.check([third, 0]) == 1 - 3 * Fraction(third) > 0  # a float comparison would miss it
    assert program.check([0.5, 0]) == 0
    assert program.check([0.5, 0.25]) == Fraction(1, 4)
    assert program.check([2, 0]) == 1
    with pytest.raises(SolverError):
        program.check([np.inf, 0])


def test_dense_and_sparse_matrices_agree():
    dense = np.array([[1.0, 0, 2], [0, 3, 0]])
    a = LinearProgram([1, 1, 1], dense)
    b = LinearProgram([1, 1, 1], scipy_sparse.csr_array(dense))
    for left, right in zip(a.columns(), b.columns(), strict=True):
        np.testing.assert_array_equal(left, right)
    assert a.activity(a.point([1, 2, 3])) == b.activity(b.point([1, 2, 3])) == [7, 6]
