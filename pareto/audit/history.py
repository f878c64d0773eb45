"""Tallies as they were at the end of every round."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Tally = tuple[int, Fraction]
"""Comparisons, and points in them."""


class History(Generic[Key]):
    """Running tallies by key; only rounds in which one changed are kept."""

    def __init__(self) -> None:
        self._rounds: dict[Key, list[int]] = {}
        self._tallies: dict[Key, list[Tally]] = {}

    def add(self, key: Key, number: int, count: int, points: Fraction) -> None:
        """Add to a tally in round `number`; rounds come in order."""
        rounds = self._rounds.setdefault(key, [])
        tallies = self._tallies.setdefault(key, [])
        before = tallies[-1] if tallies else (0, Fraction(0))
        now = (before[0] + count, before[1] + points)
        if rounds and rounds[-1] == number:
            tallies[-1] = now
        else:
            rounds.append(number)
            tallies.append(now)

    def at(self, key: Key, number: int) -> Tally:
        """The tally at the end of round `number`."""
        place = bisect_right(self._rounds.get(key, []), number)
        return self._tallies[key][place - 1] if place else (0, Fraction(0))

    def backwards(self, key: Key, after: int, upto: int) -> Iterator[tuple[int, Tally]]:
        """Rounds in (after, upto] in which the tally changed, the last one first."""
        rounds = self._rounds.get(key, [])
        for place in range(bisect_right(rounds, upto) - 1, -1, -1):
            if rounds[place] <= after:
                return
            yield rounds[place], self._tallies[key][place]
