"""Comparisons counted by pair, outcome and the set of objectives they count for.

Where a comparison counts for several objectives, pair counts say how many records there are but not how many
comparisons are behind them; a tally says both, and is as small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.pair_counts import PairCounts
from pareto.records import BAD, SECOND_WINS, TIED, Codes

MOST_CELLS = 20_000_000
"""Objectives × models × models that counts are made for; three int64 arrays of them take half a GB."""


@dataclass(frozen=True, eq=False)
class Tally:
    """`count[n]` comparisons of `first[n]` with `second[n]` ended as `outcome[n]` (see `Records`) and count
    for the objectives `label_sets[label_set[n]]`, at least one.

    first, second, label_set (n,) int32, outcome (n,) int8, count (n,) int64, label_sets (S, d) bool. The same
    combination may occur more than once; no model meets itself.
    """

    models: tuple[str, ...]
    objectives: tuple[str, ...]
    first: Codes
    second: Codes
    outcome: npt.NDArray[np.int8]
    label_set: Codes
    count: Counts
    label_sets: npt.NDArray[np.bool_]

    def on(self, objectives: Sequence[str]) -> Tally:
        """Only these objectives, in this order, and the comparisons that count for one of them."""
        chosen = self.label_sets[:, places(objectives, self.objectives)]
        some: npt.NDArray[np.bool_] = np.asarray(chosen.any(axis=1))
        kept = some[self.label_set]
        return Tally(
            self.models,
            tuple(objectives),
            self.first[kept],
            self.second[kept],
            self.outcome[kept],
            self.label_set[kept],
            self.count[kept],
            chosen,
        )

    def comparisons(self, models: Sequence[str] | None = None) -> tuple[int, int]:
        """Decisive comparisons, and ties with both-bad votes; only among `models` where they are given."""
        among = np.ones(len(self.models), dtype=bool)
        if models is not None:
            among[:] = False
            among[[self.models.index(model) for model in models]] = True
        kept = among[self.first] & among[self.second]
        decisive = self.outcome <= SECOND_WINS
        return int(self.count[kept & decisive].sum()), int(self.count[kept & ~decisive].sum())

    def records(self) -> tuple[int, int]:
        """Pair–objective records: decisive ones, and ties with both-bad votes."""
        each = self.count * self.label_sets.sum(axis=1)[self.label_set]
        decisive = self.outcome <= SECOND_WINS
        return int(each[decisive].sum()), int(each[~decisive].sum())

    def counts(self) -> PairCounts:
        """Wins, ties and both-bad votes of every pair on every objective."""
        shape = (len(self.objectives), len(self.models), len(self.models))
        if np.prod(shape, dtype=np.float64) > MOST_CELLS:
            raise BattleError(
                f"{shape[1]} models on {shape[0]} objectives; counts of at most {MOST_CELLS:,} pairs and "
                "objectives are made: check that these columns hold names of models and of objectives"
            )
        wins, ties, both_bad = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        won = self.outcome == SECOND_WINS
        winner, loser = np.where(won, self.second, self.first), np.where(won, self.first, self.second)
        labels = self.label_sets[self.label_set]
        for r in range(shape[0]):
            decisive = labels[:, r] & (self.outcome <= SECOND_WINS)
            np.add.at(wins[r], (winner[decisive], loser[decisive]), self.count[decisive])
            for outcome, array in ((TIED, ties), (BAD, both_bad)):
                at = labels[:, r] & (self.outcome == outcome)
                np.add.at(array[r], (self.first[at], self.second[at]), self.count[at])
                np.add.at(array[r], (self.second[at], self.first[at]), self.count[at])
        return PairCounts(self.models, self.objectives, wins, ties, both_bad)


def listed(names: Sequence[str]) -> str:
    """Names with commas between them; those that have one are in double quotes."""
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def places(wanted: Sequence[str], names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Where the wanted objectives are among `names`; refuses unknown ones, repetitions and none at all."""
    if isinstance(wanted, str):
        raise BattleError(f"objectives is the text {wanted!r}; give a list of names")
    at = {name: place for place, name in enumerate(names)}
    unknown = [name for name in wanted if name not in at]
    if unknown or not wanted or len(set(wanted)) < len(wanted):
        wrong = f"no objective {unknown[0]!r}" if unknown else f"objectives {', '.join(wanted) or 'none'}"
        raise BattleError(f"{wrong}; choose among {listed(names) or 'none'}, each once")
    return np.array([at[name] for name in wanted], dtype=np.int64)
