"""The maximum clique problem with two tie rules, exact in integers. No solver is named here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.arrays import read_only
from solvers.errors import SolverError
from solvers.problems import INT64_MAX

Rank = tuple[int, int, tuple[str, ...]]
"""(number of members, total edge weight, sorted names): what decides between two cliques."""


def _first(wrong: npt.NDArray[np.bool_]) -> tuple[int, int]:
    row, column = np.argwhere(wrong)[0]
    return int(row), int(column)


def _square(values: object, name: str, size: int | None = None) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise SolverError(f"{name}: cannot be read as a square array ({error}).") from error
    if array.size == 0:
        array = array.reshape(0, 0)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise SolverError(f"{name}: shape {array.shape}; (K, K) expected, one row and column per vertex.")
    if size is not None and len(array) != size:
        raise SolverError(f"{name}: shape {array.shape}; ({size}, {size}) expected to match the adjacency.")
    return array


def _symmetric(array: npt.NDArray[Any], name: str) -> None:
    wrong = array != array.T
    if wrong.any():
        i, j = _first(wrong)
        raise SolverError(
            f"{name}[{i}, {j}] = {array[i, j]} and {name}[{j}, {i}] = {array[j, i]} differ; edges have no "
            "direction, so the matrix must be symmetric."
        )


def _adjacency(values: object) -> npt.NDArray[np.bool_]:
    array = _square(values, "adjacency")
    if array.size == 0:
        array = array.astype(np.bool_)
    if array.dtype.kind != "b" and not (array.dtype.kind in "iu" and np.isin(array, (0, 1)).all()):
        raise SolverError(f"adjacency: dtype {array.dtype}; booleans (or integers 0 and 1) are expected.")
    array = np.ascontiguousarray(array.astype(np.bool_))
    _symmetric(array, "adjacency")
    if array.diagonal().any():
        i = int(np.flatnonzero(array.diagonal())[0])
        raise SolverError(
            f"adjacency[{i}, {i}] is True; no vertex is its own neighbour. Clear the diagonal first."
        )
    return array


def _weights(values: object, size: int) -> npt.NDArray[np.int64]:
    if values is None:
        return np.zeros((size, size), dtype=np.int64)
    array = _square(values, "weights", size)
    if array.size == 0:
        return np.zeros((0, 0), dtype=np.int64)
    if array.dtype.kind == "O" and all(type(v) is int and abs(v) <= INT64_MAX for v in array.ravel()):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu" or (array.dtype == np.uint64 and int(array.max()) > INT64_MAX):
        raise SolverError(
            f"weights: dtype {array.dtype} or an entry is not an integer of 64 bits; integers are accepted, "
            "so that nothing is rounded."
        )
    array = np.ascontiguousarray(array.astype(np.int64))
    if (array < 0).any():
        i, j = _first(array < 0)
        raise SolverError(f"weights[{i}, {j}] = {array[i, j]} is negative; weights must be ≥ 0.")
    _symmetric(array, "weights")
    if array.diagonal().any():
        i = int(np.flatnonzero(array.diagonal())[0])
        raise SolverError(f"weights[{i}, {i}] = {array[i, i]}: a vertex has no edge to itself; set it to 0.")
    return array


@dataclass(frozen=True, eq=False)
class MaximumClique:
    """The largest clique; among those the heaviest; among those the first by name.

    "Heaviest" sums the weights of all edges within the clique. "First by name" compares the sorted lists of
    member names as Python compares tuples of strings.

    Args:
        adjacency: bool (K, K), symmetric, False on the diagonal.
        weights: nonnegative integers (K, K), symmetric, 0 on the diagonal; weights of pairs that are not
            adjacent play no role. None for no weights.
        names: K distinct strings; None for "0", "1", … padded to equal length, so that they sort by number.

    Raises:
        SolverError: for wrong shapes or types, asymmetry, a nonzero diagonal, negative weights or weights
            beyond 64 bits, and names that are not distinct strings.

    >>> import numpy as np
    >>> from solvers import MaximumClique, solve
    >>> met = np.array([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]], dtype=bool)
    >>> solution = solve(MaximumClique(met, names=("ann", "bob", "eve", "tom")))
    >>> solution.x.tolist(), solution.proven
    ([True, True, True, False], True)
    """

    adjacency: npt.NDArray[np.bool_]
    weights: npt.NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]
    names: tuple[str, ...] = field(default=None)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        adjacency = _adjacency(self.adjacency)
        size = len(adjacency)
        names: Sequence[str] | None = self.names
        if names is None:
            names = [str(k).zfill(len(str(max(size - 1, 0)))) for k in range(size)]
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise SolverError("names: a sequence of strings is expected, one per vertex.")
        if len(names) != size:
            raise SolverError(f"names: {len(names)} names for {size} vertices.")
        if len(set(names)) < size:
            twice = sorted(name for name in set(names) if list(names).count(name) > 1)
            raise SolverError(f"names: {twice[0]!r} appears more than once; names must be distinct.")
        object.__setattr__(self, "adjacency", read_only(adjacency))
        object.__setattr__(self, "weights", read_only(_weights(self.weights, size)))
        object.__setattr__(self, "names", tuple(str(name) for name in names))

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.adjacency)

    @cached_property
    def by_name(self) -> tuple[int, ...]:
        """Vertices in the order of their names."""
        return tuple(sorted(range(self.n), key=self.names.__getitem__))

    @cached_property
    def edge_weights(self) -> frozenset[int]:
        """The distinct weights of the edges; at most one of them means that all cliques of a size tie."""
        return frozenset(np.unique(self.weights[self.adjacency]).tolist())

    def mask(self, members: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """A 0/1 vector (K,) as a bool mask; anything but exact zeros and ones is refused."""
        array = np.asarray(members)
        if array.shape != (self.n,):
            raise SolverError(f"members has shape {array.shape}; ({self.n},) expected, one entry per vertex.")
        mask = array.astype(np.bool_)
        if array.dtype != np.bool_ and not np.array_equal(mask, array):
            vertex = int(np.flatnonzero(mask != array)[0])
            raise SolverError(f"members[{vertex}] = {array[vertex]!r} is neither 0 nor 1.")
        return mask

    def of(self, vertices: Iterable[int]) -> npt.NDArray[np.bool_]:
        """The bool mask (K,) of some vertices."""
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[list(vertices)] = True
        return mask

    def check(self, members: npt.ArrayLike) -> int:
        """Number of pairs of members that are not adjacent; 0 means that the members form a clique.

        Raises:
            SolverError: if members is not a 0/1 vector of length K.
        """
        chosen = np.flatnonzero(self.mask(members))
        within = int(np.count_nonzero(self.adjacency[np.ix_(chosen, chosen)])) // 2
        return len(chosen) * (len(chosen) - 1) // 2 - within

    def weight(self, members: npt.ArrayLike) -> int:
        """Total weight of the edges within, exactly."""
        chosen = np.flatnonzero(self.mask(members))
        within = np.where(self.adjacency[np.ix_(chosen, chosen)], self.weights[np.ix_(chosen, chosen)], 0)
        if within.size and int(within.max()) * within.size >= 1 << 62:
            return int(within.astype(object).sum()) // 2
        return int(within.sum()) // 2

    def rank(self, members: npt.ArrayLike) -> Rank:
        """(size, weight, sorted names) of a clique."""
        mask = self.mask(members)
        names = tuple(sorted(self.names[k] for k in np.flatnonzero(mask)))
        return len(names), self.weight(mask), names


def better(one: Rank, other: Rank) -> bool:
    """True if the first clique is preferred to the second."""
    return (-one[0], -one[1], one[2]) < (-other[0], -other[1], other[2])
