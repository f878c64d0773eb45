"""What a log says, counted: wins, ties and both-bad votes of every pair of models on every objective.

Each of these arrays is objectives × models × models, (d, K, K). `wins[r, i, j]` counts votes for i against j;
ties and both-bad votes have no direction, so `ties[r]` and `both_bad[r]` are symmetric and hold a vote twice,
at (i, j) and at (j, i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.scores import as_table
from pareto.task import check_names

NAMES = ("wins", "ties", "both_bad")
LARGEST = 1 << 58
"""Of all counts together: sums, and sums of halves of wins, are whole numbers in 64 bits."""


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts (d, K, K), int64, with names.

    Attributes:
        models, objectives: names, in the order of the arrays.
        wins: votes for the row model against the column model.
        ties, both_bad: symmetric, each vote at (i, j) and at (j, i).

    Raises `BattleError` for other shapes, counts that are no whole numbers ≥ 0, self-battles, and ties or
    both-bad votes that are not symmetric.

    >>> import pareto
    >>> counts = pareto.PairCounts.decisive(["a", "b"], ["code"], [[[0, 3], [1, 0]]])
    >>> counts.decided.tolist(), counts.records.tolist()
    ([[[0, 4], [4, 0]]], [4])
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    wins: Counts
    ties: Counts
    both_bad: Counts

    def __post_init__(self) -> None:
        check_names(self.models, "model", 0)
        check_names(self.objectives, "objective", 0)
        shape = (len(self.objectives), len(self.models), len(self.models))
        for name in NAMES:
            object.__setattr__(self, name, _checked(getattr(self, name), name, shape))
        for name in NAMES[1:]:
            given = getattr(self, name)
            if not np.array_equal(given, given.swapaxes(1, 2)):
                raise BattleError(
                    f"{name} of i with j and of j with i differ; enter each vote at both places"
                )

    @classmethod
    def decisive(cls, models: Sequence[str], objectives: Sequence[str], wins: npt.ArrayLike) -> PairCounts:
        """A log without ties: `wins` (d, K, K)."""
        given = as_table(wins, "wins")
        none = np.zeros(given.shape, dtype=np.int64)
        return cls(tuple(models), tuple(objectives), given, none, none)

    @property
    def decided(self) -> Counts:
        """(d, K, K) symmetric: comparisons of each pair that one of the two won."""
        return self.wins + self.wins.swapaxes(1, 2)

    @property
    def undecided(self) -> Counts:
        """(d, K, K) symmetric: ties and both-bad votes of each pair."""
        return self.ties + self.both_bad

    @property
    def met(self) -> Counts:
        """(d, K, K) symmetric: all comparisons of each pair."""
        return self.decided + self.undecided

    @property
    def records(self) -> Counts:
        """(d,): comparisons on each objective, a vote that counts for several objectives in each of them."""
        return np.asarray(self.met.sum(axis=(1, 2)) // 2, dtype=np.int64)

    def of_models(self, models: Sequence[str]) -> PairCounts:
        """Only comparisons among these models, in this order."""
        where = _positions(models, self.models, "model")
        return PairCounts(
            tuple(models),
            self.objectives,
            *(getattr(self, name)[:, where[:, None], where] for name in NAMES),
        )

    def on(self, objectives: Sequence[str]) -> PairCounts:
        """Only these objectives, in this order."""
        where = _positions(objectives, self.objectives, "objective")
        return PairCounts(self.models, tuple(objectives), *(getattr(self, name)[where] for name in NAMES))

    def __add__(self, other: PairCounts) -> PairCounts:
        """Counts of both logs together; models and objectives of either, sorted models, objectives as met."""
        models = tuple(sorted({*self.models, *other.models}))
        objectives = tuple(dict.fromkeys((*self.objectives, *other.objectives)))
        parts = [one._spread(models, objectives) for one in (self, other)]
        return PairCounts(models, objectives, *(a + b for a, b in zip(*parts, strict=True)))

    def _spread(self, models: tuple[str, ...], objectives: tuple[str, ...]) -> list[Counts]:
        """The three arrays with room for more names."""
        row = _positions(self.models, models, "model")
        layer = _positions(self.objectives, objectives, "objective")
        spread = []
        for name in NAMES:
            room = np.zeros((len(objectives), len(models), len(models)), dtype=np.int64)
            room[np.ix_(layer, row, row)] = getattr(self, name)
            spread.append(room)
        return spread


def _positions(wanted: Sequence[str], names: Sequence[str], what: str) -> Counts:
    place = {name: index for index, name in enumerate(names)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise BattleError(f"no {what} {missing[0]!r} in the log; it has {', '.join(names) or 'none'}")
    return np.array([place[name] for name in wanted], dtype=np.int64)


def _checked(given: npt.ArrayLike, name: str, shape: tuple[int, int, int]) -> Counts:
    array = as_table(given, name)
    if array.shape != shape:
        raise BattleError(f"{name} of shape {array.shape}; {shape} (objectives, models, models) is accepted")
    if array.dtype.kind not in "biuf":
        raise BattleError(f"{name} are {array.dtype}; whole numbers ≥ 0 are accepted")
    wrong = ~((array >= 0) & (array <= LARGEST) & (array == np.floor(array)))
    if wrong.any():
        r, i, j = (int(index) for index in np.argwhere(wrong)[0])
        raise BattleError(
            f"{name}[{r}, {i}, {j}] is {array[r, i, j]}; whole numbers ≥ 0 are accepted, at most "
            f"{LARGEST:,} together"
        )
    if array.sum(dtype=np.float64) > LARGEST:
        raise BattleError(f"{name} sum to more than {LARGEST:,}; counts of at most so many are accepted")
    counts = array.astype(np.int64)
    if np.einsum("rii->ri", counts).any():
        r, model = (int(index) for index in np.argwhere(np.einsum("rii->ri", counts))[0])
        raise BattleError(
            f"model {model} has {name} against itself on objective {r}; leave self-battles out and count them"
        )
    return counts
