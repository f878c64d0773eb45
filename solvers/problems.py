"""The vocabulary: problems as frozen dataclasses over numpy arrays. No solver is named here.

Shapes are constraints × columns, (m, n). Every problem states its objective and offers ``check(x)``, the
largest violation at x in exact arithmetic.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.arrays import KEPT_BYTES, exact_reals, read_only
from solvers.disk_tables import DiskTable
from solvers.errors import SolverError

INT64_MAX = 2**63 - 1
LARGEST_COEFFICIENT = 1e15
"""Coefficients and costs from this size on are dropped or misread by floating-point solvers."""
INFINITE_BOUND = 1e20
"""Finite bounds from this size on are read as infinite by floating-point solvers."""
BLOCK = 1 << 15
"""Columns handled at a time, so that temporaries of all constraints stay in cache."""


def blocks(n: int, size: int = BLOCK) -> Iterator[slice]:
    """Slices that cover range(n)."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _integers(values: object, name: str, ndim: int) -> npt.NDArray[Any]:
    """C-contiguous int32 or int64 array; int32 stays int32."""
    if isinstance(values, np.ndarray):
        array = values
    else:
        try:
            array = np.asarray(values)
        except (ValueError, OverflowError) as error:
            raise SolverError(f"{name}: cannot be read as an array of integers ({error}).") from error
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)  # an empty list has no integers to give it a type
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        exact = np.asarray(values, dtype=object)  # mixed sizes of integers beyond int64 turn into floats
        array = exact if all(isinstance(v, int) for v in exact.ravel()) else array
    if array.dtype.kind == "O":
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in array.ravel()):
            raise SolverError(f"{name}: entries must be integers; convert exact values before building.")
        if any(abs(v) > INT64_MAX for v in array.ravel()):
            raise SolverError(
                f"{name}: an integer lies beyond 64 bits (|value| ≤ {INT64_MAX} is accepted); "
                "divide the constraint by a common factor."
            )
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise SolverError(
            f"{name}: dtype {array.dtype} is not an integer type; integers up to 64 bits are accepted, "
            "so that nothing is rounded. Convert explicitly, e.g. with .astype(numpy.int64)."
        )
    if array.dtype == np.uint64 and array.size and int(array.max()) > INT64_MAX:
        raise SolverError(f"{name}: an unsigned integer lies beyond {INT64_MAX}, the largest accepted.")
    if array.ndim != ndim:
        raise SolverError(f"{name}: {array.ndim} dimensions, {ndim} expected (constraints × columns).")
    if array.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
        array = array.astype(np.int64)
    return array if isinstance(array, DiskTable) else np.ascontiguousarray(array)


@dataclass(frozen=True, eq=False)
class CoveringProgram:
    """min Σ x_i over x ∈ {0, 1}ⁿ with gains @ x ≥ demands.

    What is given is copied, so that nothing proven changes with the caller's arrays. Only int32 and int64
    gains of 64 MB or more are looked at where they are: leave those alone as long as the problem is in use.
    Gains on disk (`solvers.disk_tables`) stay there.

    Args:
        gains: nonnegative integers (m, n), one row per constraint; int32 stays int32.
        demands: integers (m,); a demand of zero or less is met already.

    Raises:
        SolverError: for wrong shapes, non-integer types, integers beyond 64 bits or negative gains.

    >>> from solvers import CoveringProgram
    >>> program = CoveringProgram([[4, 12, 4, 0], [8, 12, 0, 0]], [13, 15])
    >>> program.check([0, 1, 1, 0]), program.check([1, 1, 0, 0])  # what is missing
    (3, 0)
    """

    gains: npt.NDArray[Any]
    demands: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        demands = _integers(self.demands, "demands", 1).astype(np.int64, copy=False)
        if demands.size and int(demands.min()) < -INT64_MAX:
            raise SolverError(f"demands: an integer lies below {-INT64_MAX}, the smallest accepted.")
        gains = self.gains
        if demands.size == 0 and np.ndim(gains) < 2:
            gains = np.zeros((0, np.size(gains)), dtype=np.int64)
        gains = _integers(gains, "gains", 2)
        if len(gains) != len(demands):
            raise SolverError(
                f"gains has {len(gains)} rows and demands {len(demands)} entries; both count the "
                "constraints, so gains must be (m, n) and demands (m,)."
            )
        negative = [j for j, row in enumerate(gains) if row.size and row.min() < 0]
        if negative:
            row, column = negative[0], int(np.argmax(gains[negative[0]] < 0))
            raise SolverError(
                f"gains[{row}, {column}] = {int(gains[row, column])} is negative; gains must be ≥ 0. "
                "Complement the column (x → 1 − x) and move the constant into the demand."
            )
        object.__setattr__(self, "gains", read_only(gains, KEPT_BYTES))
        object.__setattr__(self, "demands", read_only(demands))

    @property
    def m(self) -> int:
        """Number of constraints."""
        return int(self.gains.shape[0])

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.gains.shape[1])

    @cached_property
    def largest(self) -> tuple[int, ...]:
        """Largest gain of each constraint."""
        return tuple(int(row.max()) if row.size else 0 for row in self.gains)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """Gain of each constraint when every column is taken."""
        return self.covered(np.ones(self.n, dtype=np.bool_))

    def covered(self, x: npt.NDArray[np.bool_]) -> tuple[int, ...]:
        """gains @ x in exact integers, for a bool mask x (n,)."""
        sums = [0] * self.m
        small = all(size < 1 << 38 for size in self.largest)
        for part in blocks(self.n):
            if small:  # sums over a block stay below 2^53: float64 adds such integers exactly
                block = self.gains[:, part].astype(np.float64) @ x[part].astype(np.float64)
                sums = [total + int(more) for total, more in zip(sums, block.tolist(), strict=True)]
                continue
            for j in range(self.m):
                taken = np.multiply(self.gains[j, part], x[part], dtype=np.int64)
                sums[j] += (int((taken >> 32).sum()) << 32) + int((taken & 0xFFFFFFFF).sum())
        return tuple(sums)

    def check(self, x: npt.ArrayLike) -> int:
        """Largest shortfall max_j (D_j − (gains @ x)_j), at least 0; 0 means that x is feasible.

        Raises:
            SolverError: if x is not a 0/1 vector of length n.
        """
        covered = self.covered(self.mask(x))
        return max([0, *(int(d) - c for d, c in zip(self.demands, covered, strict=True))])

    def mask(self, x: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """x as a bool mask; anything but exact zeros and ones is refused."""
        array = np.asarray(x)
        if array.shape != (self.n,):
            raise SolverError(f"x has shape {array.shape}; ({self.n},) expected, one entry per column.")
        mask = array.astype(np.bool_)
        if array.dtype != np.bool_ and not np.array_equal(mask, array):
            column = int(np.flatnonzero(mask != array)[0])
            raise SolverError(f"x[{column}] = {array[column]!r} is neither 0 nor 1.")
        return mask


def _reals(values: object, name: str, size: int, default: float | None = None) -> npt.NDArray[np.float64]:
    if values is None and default is not None:
        return read_only(np.full(size, default))
    array = exact_reals(values, name)
    if array.ndim == 0 and default is not None:
        array = np.full(size, float(array))
    if array.shape != (size,):
        raise SolverError(f"{name}: shape {array.shape}, ({size},) expected.")
    return read_only(np.ascontiguousarray(array))


def _sparse(matrix: Any) -> Any:
    """A copy of a scipy sparse matrix by columns, float64, that cannot be written to."""
    given = matrix.tocsc()
    exact_reals(given.data, "matrix.data")
    kept = given.astype(np.float64)
    kept = given.copy() if kept is given else kept
    kept.sum_duplicates()
    for part in (kept.data, kept.indices, kept.indptr):
        part.flags.writeable = False
    return kept


def _refuse(
    bad: npt.NDArray[np.bool_], values: npt.NDArray[Any], name: str, why: str, sparse: Any = None
) -> None:
    """Name the first bad value; its place in the matrix if the values are those of a ``sparse`` one."""
    if bad.any():
        at = place = tuple(int(i) for i in np.argwhere(bad)[0])
        if sparse is not None:
            column = int(np.searchsorted(sparse.indptr, at[0], side="right")) - 1
            place = (int(sparse.indices[at]), column)
        raise SolverError(f"{name}[{', '.join(map(str, place))}] = {values[at]} {why}")


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """min (or max) costs · x with row_lower ≤ matrix @ x ≤ row_upper and lower ≤ x ≤ upper.

    Args:
        costs: (n,).
        matrix: dense (m, n), a scipy sparse matrix, or None for no rows.
        row_lower, row_upper: (m,); −inf / inf by default.
        lower, upper: (n,) or one number for all; 0 and inf by default.
        integrality: bool (n,), True where x must be integer; all continuous by default.
        maximise: True for max.

    Arrays are copied. Numbers of other types are accepted if some float64 equals them.

    Raises:
        SolverError: for integers, fractions and decimals that float64 would round, for NaN anywhere,
            infinite costs or coefficients, costs or coefficients from 1e15 on, finite bounds from 1e20 on,
            and wrong shapes: solvers drop or misread these silently.

    >>> from solvers import LinearProgram, solve
    >>> solution = solve(LinearProgram([3, 2], [[1, 1], [1, 3]], row_upper=[4, 6], maximise=True))
    >>> float(solution.objective), solution.x.tolist()
    (12.0, [4.0, 0.0])
    """

    costs: npt.NDArray[np.float64]
    matrix: Any = None
    row_lower: npt.NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    row_upper: npt.NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    lower: npt.NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    upper: npt.NDArray[np.float64] = field(default=None)  # type: ignore[arg-type]
    integrality: npt.NDArray[np.bool_] = field(default=None)  # type: ignore[arg-type]
    maximise: bool = False

    def __post_init__(self) -> None:
        costs = read_only(np.ascontiguousarray(exact_reals(self.costs, "costs")))
        if costs.ndim != 1:
            raise SolverError(f"costs: {costs.ndim} dimensions, 1 expected.")
        n = len(costs)
        matrix = self.matrix
        if matrix is None:
            matrix = read_only(np.zeros((0, n)))
        elif hasattr(matrix, "tocsc"):
            matrix = _sparse(matrix)
        else:
            matrix = read_only(exact_reals(matrix, "matrix"))
        if matrix.ndim != 2 or matrix.shape[1] != n:
            raise SolverError(f"matrix: shape {matrix.shape}, (m, {n}) expected to match the costs.")
        m = int(matrix.shape[0])
        set_field = object.__setattr__
        set_field(self, "costs", costs)
        set_field(self, "matrix", matrix)
        set_field(self, "row_lower", _reals(self.row_lower, "row_lower", m, -np.inf))
        set_field(self, "row_upper", _reals(self.row_upper, "row_upper", m, np.inf))
        set_field(self, "lower", _reals(self.lower, "lower", n, 0.0))
        set_field(self, "upper", _reals(self.upper, "upper", n, np.inf))
        integrality = np.zeros(n, np.bool_) if self.integrality is None else np.asarray(self.integrality)
        if integrality.ndim == 0:
            integrality = np.full(n, bool(integrality))
        if integrality.shape != (n,):
            raise SolverError(f"integrality: shape {integrality.shape}, ({n},) expected.")
        if not np.isin(integrality, (0, 1)).all():
            raise SolverError("integrality: True / 1 (integer) or False / 0 (continuous) expected.")
        set_field(self, "integrality", read_only(integrality.astype(np.bool_)))
        self._validate()

    def _validate(self) -> None:
        sparse = self.matrix if hasattr(self.matrix, "tocsc") else None
        values = self.matrix if sparse is None else sparse.data
        for name, array, matrix in (("costs", self.costs, None), ("matrix", values, sparse)):
            why = "is not a finite number; replace it before solving."
            _refuse(~np.isfinite(array), array, name, why, matrix)
            why = f"is too large; |value| < {LARGEST_COEFFICIENT:g} is accepted. Rescale the row or column."
            _refuse(np.abs(array) >= LARGEST_COEFFICIENT, array, name, why, matrix)
        for name, array in (
            ("row_lower", self.row_lower),
            ("row_upper", self.row_upper),
            ("lower", self.lower),
            ("upper", self.upper),
        ):
            _refuse(np.isnan(array), array, name, "is not a number; use inf for no bound.")
            _refuse(
                np.isfinite(array) & (np.abs(array) >= INFINITE_BOUND),
                array,
                name,
                f"would be read as infinite; finite bounds below {INFINITE_BOUND:g} are accepted, "
                "use inf if no bound is meant.",
            )
            sign = 1.0 if name.endswith("lower") else -1.0
            _refuse(array == sign * np.inf, array, name, "leaves no value; is the sign wrong?")

    @property
    def m(self) -> int:
        """Number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])

    def box(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Column bounds, rounded inwards where x is an integer."""
        return (
            np.where(self.integrality, np.ceil(self.lower), self.lower),
            np.where(self.integrality, np.floor(self.upper), self.upper),
        )

    def columns(
        self,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Nonzeros column by column: starts (n + 1,), row indices, values."""
        if hasattr(self.matrix, "tocsc"):
            sparse = self.matrix
            return sparse.indptr.astype(np.int32), sparse.indices.astype(np.int32), sparse.data
        column, row = np.nonzero(self.matrix.T)
        starts = np.zeros(self.n + 1, dtype=np.int32)
        np.cumsum(np.bincount(column, minlength=self.n), out=starts[1:])
        return starts, row.astype(np.int32), self.matrix.T[column, row]

    def activity(self, x: list[Fraction]) -> list[Fraction]:
        """matrix @ x in rationals; floats are exact dyadic rationals."""
        rows = [Fraction(0)] * self.m
        starts, index, value = self.columns()
        for j in range(self.n):
            if x[j]:
                for k in range(int(starts[j]), int(starts[j + 1])):
                    rows[int(index[k])] += Fraction(float(value[k])) * x[j]
        return rows

    def check(self, x: npt.ArrayLike) -> Fraction:
        """Largest violation of rows, bounds and integrality at x, exactly; 0 means feasible.

        Raises:
            SolverError: if x has the wrong length or an entry that is not finite.
        """
        point = self.point(x)
        worst = Fraction(0)
        sides = (
            (point, self.lower, self.upper),
            (self.activity(point), self.row_lower, self.row_upper),
        )
        for values, lows, highs in sides:
            for value, low, high in zip(values, lows.tolist(), highs.tolist(), strict=True):
                if low != -np.inf:
                    worst = max(worst, Fraction(low) - value)
                if high != np.inf:
                    worst = max(worst, value - Fraction(high))
        for j in np.flatnonzero(self.integrality):
            worst = max(worst, abs(point[j] - round(point[j])))
        return worst

    def point(self, x: npt.ArrayLike) -> list[Fraction]:
        """x as rationals."""
        array = np.asarray(x)
        if array.shape != (self.n,):
            raise SolverError(f"x has shape {array.shape}; ({self.n},) expected, one entry per column.")
        try:
            return [Fraction(v) for v in array.tolist()]
        except (ValueError, OverflowError, TypeError) as error:
            raise SolverError(f"x: an entry is not a finite number ({error}).") from error

    def objective(self, x: npt.ArrayLike) -> Fraction:
        """costs · x in rationals."""
        terms = zip(self.costs.tolist(), self.point(x), strict=True)
        return sum((Fraction(c) * v for c, v in terms), Fraction(0))
