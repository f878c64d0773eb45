"""The claims of `duel`, re-derived: capital of recorded bets on recounted outcomes, in enclosures.

A game against "the mean is at most p₀" spreads capital 1 as shares over bets λ_k, multiples of 2^−40; with s
points in n outcomes since it began, its capital is Σ_k (share_k/2^16) (1 + (1−p₀)/p₀ λ_k)^s (1 − λ_k)^(n−s).
A model may be dropped when the d games of its q-th witness have each reached K q(q+1)/δ at the end of some
round, and kept when against every model not dropped some game, the q-th of the pair, has reached K q(q+1)/δ.
Bets count from the end of the round whose event recorded them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pareto.audit.claims import Claims
from pareto.audit.history import History, Tally
from pareto.audit.journal import Terms
from pareto.audit.logarithms import log, log_sum_exp_reaches
from pareto.audit.report import Lie

STAKES, WINDOW, SHARES = 60, 12, 1 << 16
Directed = tuple[int, int, int]
"""(i, j, r): i against j, points of i."""


@dataclass(frozen=True)
class Game:
    """That `winner` beats `loser` on `objective`, from the end of round `begun` on."""

    winner: int
    loser: int
    objective: int
    start: int
    shares: tuple[int, ...]
    begun: int
    number: int


@lru_cache(maxsize=1)
def bets() -> tuple[Fraction, ...]:
    """λ_k: 0.94 · 2^(−k/2), rounded to multiples of 2^−40."""
    found = []
    for k in range(STAKES):
        # round(√x) with x = 0.94² 2^(80 − k)
        square = Fraction(8836, 10000) * Fraction(2) ** (80 - k)
        whole = math.isqrt(4 * square.numerator // square.denominator)
        found.append(Fraction((whole + 1) // 2, 1 << 40))
    return tuple(found)


def check_duels(found: Sequence[Claims], terms: Terms) -> str:
    """Every claim borne out by bets made before the outcomes; says what was found."""
    return Duels(terms, found).check(found)


class Duels:
    """Games as recorded, and which of them were won when."""

    def __init__(self, terms: Terms, found: Sequence[Claims]) -> None:
        self.terms = terms
        self.tallies: History[Directed] = History()
        for one in found:
            for (i, j, r), points in one.round.points.items():
                count = one.round.wanted[i, j, r]
                self.tallies.add((i, j, r), one.round.number, count, points)
                self.tallies.add((j, i, r), one.round.number, count, count - points)
        self.witnesses: dict[int, list[tuple[int, list[Game]]]] = {}
        self.protectors: dict[tuple[int, int], list[Game]] = {}
        self.games = self.kept = self.dropped = self.won = 0
        self._seen: dict[tuple[Game, Fraction], int] = {}

    def check(self, found: Sequence[Claims]) -> str:
        """Judge and take in round by round; says what was found."""
        for one in found:
            self.settle(one)
            self.judge(one)
            self.stake(one)
        claimed = f"{self.kept} models kept and {self.dropped} dropped"
        return f"{self.games:,} games, {claimed} by {self.won:,} won games"

    def settle(self, one: Claims) -> None:
        """Take in what this round's event records and its claims may rest on already: here nothing."""

    def stake(self, one: Claims) -> None:
        """Take in the bets that this round's event records, all made after its claims."""
        staked = one.round.event.body["staked"]
        models, objectives = self.terms.shape
        try:
            for i, j, each in staked["rejections"]:
                if not (0 <= i < models and 0 <= j < models and i != j and len(each) == objectives):
                    raise ValueError(f"rejection of {i} through {j}")
                tried = self.witnesses.setdefault(i, [])
                number = len(tried) + 1
                games = [
                    self._game(one, j, i, r, start, shares, number) for r, (start, shares) in enumerate(each)
                ]
                tried.append((j, games))
            for i, j, r, start, shares in staked["acceptances"]:
                if not (0 <= i < models and 0 <= j < models and i != j and 0 <= r < objectives):
                    raise ValueError(f"acceptance of {i} against {j} on {r}")
                pair = self.protectors.setdefault((i, j), [])
                pair.append(self._game(one, i, j, r, start, shares, len(pair) + 1))
        except (ValueError, TypeError, LookupError) as error:
            raise Lie(
                f"{one.round.where}: its bets are not bets that {self.terms.method} makes ({error})"
            ) from None

    def _game(
        self, one: Claims, winner: int, loser: int, r: int, start: int, shares: Sequence[int], number: int
    ) -> Game:
        if not 0 <= start <= STAKES - WINDOW or len(shares) != WINDOW:
            raise ValueError(f"a window that starts at {start}")
        if min(shares) < 0 or sum(shares) > SHARES or not all(type(share) is int for share in shares):
            raise ValueError(f"shares {shares} of {SHARES}")
        self.games += 1
        return Game(winner, loser, r, start, tuple(shares), one.round.number, number)

    def judge(self, one: Claims) -> None:
        names, upto = self.terms.models, one.round.number
        for i, witness in one.dropped.items():
            tickets = [games for j, games in self.witnesses.get(i, ()) if j == witness]
            if not any(all(self._won(game, upto, False) for game in games) for games in reversed(tickets)):
                raise Lie(
                    f"{one.round.where}: {names[i]} is dropped, but {self._lost(witness, tickets, upto)} "
                    "do not bear that out"
                )
            self.dropped += 1
        for i in one.kept:
            for j in sorted(one.live - {i}):
                if not any(self._won(game, upto, True) for game in reversed(self.protectors.get((i, j), []))):
                    raise Lie(
                        f"{one.round.where}: {names[i]} is kept, but no game that it beats {names[j]} on "
                        "some objective has reached its threshold"
                    )
            self.kept += 1

    def _lost(self, witness: int, tickets: Sequence[Sequence[Game]], upto: int) -> str:
        if witness < 0 or not tickets:
            return "bets that some model is better everywhere"
        short = [
            self.terms.objectives[game.objective] for game in tickets[-1] if not self._won(game, upto, False)
        ]
        return f"the games that {self.terms.models[witness]} is better on {', '.join(short)}"

    def level(self, game: Game, accept: bool) -> Fraction:
        """The inverse of the capital at which a game is won."""
        return self.terms.delta / (len(self.terms.models) * game.number * (game.number + 1))

    def _won(self, game: Game, upto: int, accept: bool) -> bool:
        """True if the game had certainly reached its threshold at the end of some round up to `upto`."""
        goal = self.level(game, accept)
        when = self._seen.get((game, goal))
        if when is not None and when <= upto:
            return True
        margin = -self.terms.margin if accept else self.terms.margin
        null = Fraction(1, 2) + margin
        key = (game.winner, game.loser, game.objective)
        begun = self.tallies.at(key, game.begun)
        for number, tally in self.tallies.backwards(key, game.begun, upto):
            since = (tally[0] - begun[0], tally[1] - begun[1])
            if _plausible(game, since, null, goal) and _certain(game, since, null, goal):
                self._seen[game, goal] = number
                self.won += 1
                return True
        return False


def _plausible(game: Game, since: Tally, null: Fraction, level: Fraction) -> bool:
    """A glance in floating point, to spare hopeless cases the exact work; it settles nothing."""
    won, lost = _glances(null)
    points = float(since[1])
    parts = [
        math.log(share / SHARES) + points * won[game.start + k] + (since[0] - points) * lost[game.start + k]
        for k, share in enumerate(game.shares)
        if share
    ]
    top = max(parts)
    return top + math.log(sum(math.exp(part - top) for part in parts)) > -math.log(level) - 1e-3


def _certain(game: Game, since: Tally, null: Fraction, level: Fraction) -> bool:
    """Capital ≥ 1/level, in enclosures."""
    count, points = since
    odds = (1 - null) / null
    parts = []
    for k, share in enumerate(game.shares):
        if share:
            bet = bets()[game.start + k]
            win, loss = log(1 + odds * bet), log(1 - bet)
            parts.append(log(Fraction(share, SHARES)) + win.times(points) + loss.times(count - points))
    return log_sum_exp_reaches(parts, log(1 / level))


@lru_cache(maxsize=4)
def _glances(null: Fraction) -> tuple[tuple[float, ...], tuple[float, ...]]:
    odds = float((1 - null) / null)
    return (
        tuple(math.log1p(odds * float(bet)) for bet in bets()),
        tuple(math.log1p(-float(bet)) for bet in bets()),
    )
