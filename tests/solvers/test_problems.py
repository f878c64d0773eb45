from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from solvers import CoveringProgram, LinearProgram, MaximumClique, OrderedBradleyTerry, SolverError

scipy_sparse = pytest.importorskip("scipy.sparse")


def test_int32_gains_stay_int32_and_are_copied_only_if_they_can_change():
    gains = np.arange(6, dtype=np.int32).reshape(2, 3)
    program = CoveringProgram(gains, [1, 2])
    assert program.gains.dtype == np.int32
    assert not np.shares_memory(program.gains, gains)
    assert CoveringProgram(program.gains, [1, 2]).gains is program.gains
    assert program.demands.dtype == np.int64
    assert (program.m, program.n) == (2, 3)


def test_large_gains_are_looked_at_where_they_are():
    gains = np.zeros((2, 1 << 23), dtype=np.int32)
    program = CoveringProgram(gains, [0, 0])
    assert np.shares_memory(program.gains, gains)
    assert not program.gains.flags.writeable
    assert gains.flags.writeable


def test_what_the_caller_writes_later_changes_no_problem():
    gains, demands = np.array([[2, 2, 4]]), np.array([7])
    cover = CoveringProgram(gains, demands)
    assert cover.totals == (8,)
    shown = gains[:]
    shown.flags.writeable = False
    seen = CoveringProgram(shown, demands)
    gains[:] = demands[:] = 9
    assert (cover.gains.tolist(), cover.demands.tolist()) == ([[2, 2, 4]], [7])
    assert seen.gains.tolist() == [[2, 2, 4]]
    given = {name: np.array([1.0, 1.0]) for name in ("costs", "lower", "upper")}
    given |= {"matrix": np.array([[1.0, 1.0]]), "row_lower": np.array([1.0]), "row_upper": np.array([1.0])}
    given["integrality"] = np.array([True, True])
    linear = LinearProgram(**given)
    for array in given.values():
        array[...] = 0
    assert all(np.all(getattr(linear, name) == 1) for name in given)
    beats = np.array([[0, 1.0], [1, 0]])
    fit = OrderedBradleyTerry(beats)
    edges, weights = np.array([[False, True], [True, False]]), np.array([[0, 1], [1, 0]])
    clique = MaximumClique(edges, weights)
    beats[:] = edges[:] = weights[:] = 0
    assert fit.wins.any()
    assert clique.adjacency.any()
    assert clique.weights.any()


@pytest.mark.parametrize(
    ("problem", "names"),
    [
        (CoveringProgram([[1, 2]], [2]), ("gains", "demands")),
        (
            LinearProgram([1, 1], [[1, 1]], 1),
            ("costs", "matrix", "row_lower", "row_upper", "lower", "upper", "integrality"),
        ),
        (MaximumClique([[0, 1], [1, 0]]), ("adjacency", "weights")),
        (OrderedBradleyTerry([[0, 1], [1, 0]]), ("wins",)),
    ],
)
def test_problems_cannot_be_written_to(problem, names):
    for name in names:
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, name)[...] = 0


def test_sparse_matrices_are_copied_and_cannot_be_written_to():
    given = scipy_sparse.csc_array(np.array([[1.0, 2.0]]))
    program = LinearProgram([1, 1], given, row_lower=[1])
    given.data[:] = 7
    assert program.matrix.data.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        program.matrix.data[:] = 0


LOST = 2**53 + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"upper": [1, LOST]}, r"upper\[1\] = 9007199254740993"),
        ({"upper": [0.5, LOST]}, r"upper\[1\] = 9007199254740993"),
        ({"upper": LOST}, "upper = 9007199254740993"),
        ({"upper": np.array([1, LOST])}, r"upper\[1\]"),
        ({"upper": np.array([1, LOST], dtype=np.uint64)}, r"upper\[1\]"),
        ({"upper": [np.int64(LOST), 1.5]}, r"upper\[0\]"),
        ({"row_lower": [LOST]}, r"row_lower\[0\]"),
        ({"row_upper": [Fraction(LOST)]}, r"row_upper\[0\]"),
        ({"lower": [Decimal(LOST), 0]}, r"lower\[0\]"),
        ({"upper": [Fraction(1, 3), 1]}, r"upper\[0\] = 1/3"),
        ({"costs": [LOST, 1]}, r"costs\[0\]"),
        ({"matrix": [[1, LOST]]}, r"matrix\[0, 1\]"),
        ({"matrix": scipy_sparse.csr_array(np.array([[1, LOST]]))}, "matrix"),
        ({"upper": [10**400, 1]}, r"upper\[0\]"),
        ({"upper": [None, 1]}, r"upper\[0\]"),
        ({"upper": ["a", 1]}, "upper"),
        ({"matrix": [[1, 2], [3]]}, "matrix"),
    ],
)
def test_numbers_that_float64_would_round_are_refused(change, message):
    with pytest.raises(SolverError, match=message):
        LinearProgram(**{"costs": [1, 1], "matrix": [[1, 1]], "row_lower": [1], **change})


def test_numbers_that_float64_holds_are_accepted_in_any_type():
    upper = [2**60, Fraction(1, 4), Decimal("0.5"), np.float32(0.1), 10**16, np.inf]
    program = LinearProgram(np.ones(6), upper=upper)
    assert program.upper.tolist() == [2.0**60, 0.25, 0.5, float(np.float32(0.1)), 1e16, np.inf]
    assert LinearProgram([1], upper=np.array([2**62])).upper.tolist() == [2.0**62]


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
