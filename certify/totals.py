"""Known class totals of a pool: what the stopping test may conclude from them.

Who knows how many rows of the pool have each class knows more than any label tells. Of the completions of the
unread rows only those remain in which every class gets what is left of its total, so each L_jk becomes the
least of r_j − r_k over these: a selection for two classes, a transportation problem for more
(`certify.transport`). It is exact, and never below the bound without totals, so nobody is certified later.

Only the stopping test uses totals. They tie rows together: what a row adds to a bound depends on the others
read, so there is no gain of a row any more, and with it go the covering program of minimum certificates and
the prelabel bound. Figure 1 with totals 0 or 2 needs no label at all.

What remains of additivity: let a label be read that the best completion did not have. Some unread row has
that label there; exchange the two, and the sum rises by at most both rows' spans. Hence

- a bound below its level stays there until spans of rows read, each with the largest span of all, have
  added up to the difference: it need not be worked out again before (`Watch`);
- m further labels raise a bound by at most the 2m largest spans (`fewest_labels_with_totals`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Integral

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement, best, gap, satisfied
from certify.budget import IMPOSSIBLE, fewest_labels, pair_requirements
from certify.classes import class_text, shorten
from certify.errors import PoolError
from certify.pool import Pool
from certify.risks import UNLABELLED, Codes, Risks
from certify.transport import Ints, RowCosts, cheapest

MOST_CLASSES = 2000
"""More classes with a total would make a single bound take hours."""
_ACCEPTED = "accepted: a whole number ≥ 0 for every class, together the number of rows, such as a=10,b=90"
NO_GAINS = (
    "class totals tie the rows together: what a label adds to a bound then depends on the other labels, so "
    "a row has no gain of its own, from which minimum certificates and the bound before labelling are made. "
    "Leave the totals out here; they serve the stopping test (certify start, certify choose)"
)

Given = Mapping[str, int] | str
"""Totals as users give them: by class, or as the text ``a=10,b=90``."""


@dataclass(frozen=True, eq=False)
class Totals:
    """How many rows of the pool have each class: counts (C,), in the order of the classes, summing to n."""

    classes: tuple[str, ...]
    counts: Ints

    @classmethod
    def of(cls, pool: Pool, given: Given) -> Totals:
        """Checked against the pool. A class that is left out has no row, if the others account for all.

        Raises `PoolError` for classes the pool does not have, for what is no count, and for a wrong sum.
        """
        if pool.risks.blocks is not None:
            raise PoolError(
                "class totals need weights that are whole numbers, and those of AURC are not; take another "
                "objective, or leave the totals out"
            )
        named = parse_totals(given) if isinstance(given, str) else _named(given)
        unknown = [name for name in named if name not in pool.classes]
        if unknown:
            raise PoolError(
                f"totals name {shorten(map(repr, unknown))}, no class of the pool; classes: "
                f"{shorten(pool.classes, 10)} (a class that nobody predicts is declared with --classes)"
            )
        if sum(named.values()) != pool.n:
            missing = [name for name in pool.classes if name not in named]
            left_out = f", nothing is said about {shorten(missing)}" if missing else ""
            raise PoolError(
                f"totals sum to {sum(named.values())}, and the pool has {pool.n} rows{left_out}; {_ACCEPTED}"
            )
        counts = np.array([named.get(name, 0) for name in pool.classes], dtype=np.int64)
        if np.count_nonzero(counts) > MOST_CLASSES:
            raise PoolError(
                f"{np.count_nonzero(counts)} classes have rows; totals are for at most {MOST_CLASSES}"
            )
        return cls(pool.classes, counts)

    def record(self) -> dict[str, int]:
        """By class, every class named."""
        return {name: int(count) for name, count in zip(self.classes, self.counts, strict=True)}

    def room(self, codes: Codes) -> Ints:
        """How many unread rows have each class, given the labels read; (C,).

        Raises `PoolError` where more rows of a class were read than there are.
        """
        room = self.counts - np.bincount(codes[codes != UNLABELLED], minlength=len(self.counts))
        if (room < 0).any():
            code = int(np.argmin(room))
            raise PoolError(
                too_many(self.classes[code], int(self.counts[code] - room[code]), self.counts[code])
            )
        return room


def too_many(name: str, read: int, total: int) -> str:
    """What to say when labels contradict a total."""
    return (
        f"{read} labels are {name!r}, but the totals say that {total} of the rows are; correct a wrong label "
        "first, or, if the totals are wrong, start again without them, with these labels as owned labels"
    )


def parse_totals(text: str) -> dict[str, int]:
    """``"a=10,b=90"`` to {"a": 10, "b": 90}."""
    pairs: list[tuple[object, object]] = []
    for item in text.split(","):
        name, equals, count = item.rpartition("=")
        if not equals:
            raise PoolError(f"totals {text!r}: {item!r} is not CLASS=COUNT; {_ACCEPTED}")
        pairs.append((name, count.strip()))
    return _named_pairs(pairs)


def _named(given: Mapping[str, int]) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise PoolError(f"totals {given!r} do not name classes; {_ACCEPTED}")
    return _named_pairs(list(given.items()))


def _named_pairs(pairs: list[tuple[object, object]]) -> dict[str, int]:
    named: dict[str, int] = {}
    for name, count in pairs:
        text = class_text(name)
        if text is None:
            raise PoolError(f"totals name {name!r}, which means 'not labelled'; {_ACCEPTED}")
        if text in named:
            raise PoolError(f"totals name class {text!r} twice; keep one of them")
        if isinstance(count, str) and count.isascii() and count.isdigit():
            number = int(count[:30])
        elif isinstance(count, Integral) and not isinstance(count, bool):
            number = int(count)
        else:
            raise PoolError(f"total {count!r} of class {text!r} is no count; {_ACCEPTED}")
        if not 0 <= number <= 10**18:
            raise PoolError(f"total {number} of class {text!r} is no count of rows; {_ACCEPTED}")
        named[text] = number
    return named


def pair_lower(risks: Risks, codes: Codes, room: Ints, j: int, k: int) -> int:
    """L_jk under the totals: least r_j − r_k over completions in which class v gets room[v] unread rows."""
    count = len(risks.predictions)
    first, second = risks.predictions[j % count], risks.predictions[k % count]
    weight_j, weight_k = risks.weights[j], risks.weights[k]
    read = codes != UNLABELLED
    known = int(weight_j[read & (first != codes)].sum(dtype=np.int64))
    known -= int(weight_k[read & (second != codes)].sum(dtype=np.int64))
    unread = ~read
    first, second = first[unread].astype(np.int64), second[unread].astype(np.int64)
    w_j, w_k = weight_j[unread].astype(np.int64), weight_k[unread].astype(np.int64)
    agree = first == second
    costs = RowCosts(first, second, np.where(agree, 0, -w_k), np.where(agree, 0, w_j), w_j - w_k)
    return known + cheapest(costs, room)


def lower_with_totals(risks: Risks, codes: Codes, totals: Totals) -> PairMatrix:
    """Every L_jk under the totals, (K, K): K(K − 1) selections or transportation problems."""
    room = totals.room(codes)
    candidates = risks.shape[0]
    lower = np.zeros((candidates, candidates), dtype=np.int64)
    for j in range(candidates):
        for k in range(candidates):
            if j != k:
                lower[j, k] = pair_lower(risks, codes, room, j, k)
    return lower


def fewest_labels_with_totals(
    risks: Risks, lower: PairMatrix, requirement: Requirement, unread: Ints, readable: int
) -> int:
    """No fewer further labels can certify anybody; `IMPOSSIBLE` where `readable` labels are too few.

    lower: L under the totals, (K, K). unread: positions of all rows without a label. O(K² n log n).
    """
    fewest = fewest_labels(pair_requirements(risks, lower, requirement, unread))
    if fewest == IMPOSSIBLE or (fewest + 1) // 2 > readable:
        return IMPOSSIBLE
    return (fewest + 1) // 2


@dataclass
class Watch:
    """Who is certified under the totals while labels come in, with few bounds worked out.

    For every candidate one rival is remembered whose bound is known to be below its level, and by how much
    at least; for every pair, whether the level was reached, which further labels cannot undo. Corrections
    can: after one everything is forgotten.
    """

    risks: Risks
    totals: Totals
    requirement: Requirement
    room: Ints = field(init=False)
    _reached: npt.NDArray[np.bool_] = field(init=False)
    _blocker: Ints = field(init=False)
    _below: Ints = field(init=False)
    _largest: PairMatrix = field(init=False)
    solved: int = field(init=False, default=0)
    """How many bounds were worked out so far."""

    def __post_init__(self) -> None:
        candidates = self.risks.shape[0]
        self.room = self.totals.counts.copy()
        self._largest = np.zeros((candidates, candidates), dtype=np.int64)
        for j, k in self.risks.pairs():
            self._largest[j, k] = self._largest[k, j] = int(self.risks.span(j, k).max())
        self._forget()

    def read(self, row: int, code: int) -> None:
        """A first label. Raises ValueError, changing nothing, when the class has no row left."""
        self._take(code)
        for k in np.flatnonzero(self._below > 0):
            j = int(self._blocker[k])
            self._below[k] -= int(self.risks.span(j, int(k), slice(row, row + 1))[0]) + self._largest[j, k]

    def correct(self, old: int, code: int) -> None:
        """Another label for a row. Raises ValueError, changing nothing, when the class has no row left."""
        self._take(code)
        self.room[old] += 1
        self._forget()

    def certified(self, codes: Codes, lower: PairMatrix) -> list[int]:
        """Candidates that pass the test against every rival, ascending; `lower`: L without totals, (K, K)."""
        levels = self.requirement.levels(len(lower))
        self._reached |= satisfied(lower, self.requirement)
        return [
            k for k in range(len(lower)) if self._below[k] <= 0 and not self._blocked(k, codes, lower, levels)
        ]

    def _blocked(self, k: int, codes: Codes, lower: PairMatrix, levels: PairMatrix) -> bool:
        """Whether some rival is still in the way of k; remembers which, and by how much."""
        rivals = np.flatnonzero(~self._reached[:, k])
        # the last one first, then by what is missing without totals
        for j in sorted(rivals.tolist(), key=lambda j: (j != self._blocker[k], lower[j, k] - levels[j, k])):
            bound = pair_lower(self.risks, codes, self.room, j, k)
            self.solved += 1
            below = int(levels[j, k]) - bound
            if below > 0:
                self._blocker[k], self._below[k] = j, below
                return True
            self._reached[j, k] = True
        return False

    def answer(self, codes: Codes) -> tuple[int, Fraction]:
        """The candidate to return now and its worst-case excess; works out every bound."""
        lower = lower_with_totals(self.risks, codes, self.totals)
        winner, _ = best(lower, self.requirement)
        return winner, gap(lower, winner, self.risks.scale)

    def _take(self, code: int) -> None:
        if self.room[code] == 0:
            total = int(self.totals.counts[code])
            raise ValueError(too_many(self.totals.classes[code], total + 1, total))
        self.room[code] -= 1

    def _forget(self) -> None:
        candidates = self.risks.shape[0]
        self._reached = np.eye(candidates, dtype=bool)
        self._blocker = np.full(candidates, -1, dtype=np.int64)
        self._below = np.zeros(candidates, dtype=np.int64)
