"""The claims of `commit`, re-derived: those of `duel`, at thresholds that hang on the pledges.

Every model is claimed in one round, on the side to which it stands pledged. Batch b has a share β_b, together
at most 1, and an allowance m_b, both on record with its pledges; f_b of its pledges were withdrawn up to the
claim. A game whose ticket, or whose pair (i, j), is the q-th since the pledge must have reached
1/(δ β_b φ(f_b + 1) ρ(q)) at the end of some round, with φ(k) = 0.9/m_b up to the allowance, beyond it the
smaller of this and 0.1/((k − m_b)(k − m_b + 1)), and ρ(1) = 0.85, ρ(q) = 0.15/(q(q − 1)).

An event records what was done between two rounds, in this order: pledges withdrawn, pledges made, claims,
bets. So its claims may rest on its own pledges (the last model may be pledged to be kept when all others have
passed to be dropped), but not on its own bets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

from pareto.audit.claims import Claims
from pareto.audit.duels import Duels, Game
from pareto.audit.journal import Terms
from pareto.audit.report import Lie

WHOLE = 1 << 40
PLANNED, FIRST = Fraction(9, 10), Fraction(17, 20)


@dataclass
class _Batch:
    """share: of `WHOLE`."""

    share: int
    allowance: int
    withdrawn: int = 0

    @property
    def level(self) -> Fraction:
        """β φ(f + 1)."""
        place = self.withdrawn + 1
        part = PLANNED / self.allowance
        if place > self.allowance:
            beyond = place - self.allowance
            part = min(part, (1 - PLANNED) / (beyond * (beyond + 1)))
        return part * Fraction(self.share, WHOLE)


@dataclass(frozen=True)
class _Pledge:
    keep: bool
    batch: _Batch


def check_commits(found: Sequence[Claims], terms: Terms) -> str:
    """Every claim borne out by pledges and bets made before the outcomes; says what was found."""
    work = _Commits(terms, found)
    said = work.check(found)
    return f"{said}; {work.batches} batches of pledges, {work.withdrawn} withdrawn"


@contextmanager
def _pledging(one: Claims) -> Iterator[None]:
    """Whatever goes wrong inside is a lie of this round."""
    try:
        yield
    except (ValueError, TypeError, LookupError) as error:
        raise Lie(f"{one.round.where}: its pledges are not pledges that commit makes ({error})") from None


class _Commits(Duels):
    def __init__(self, terms: Terms, found: Sequence[Claims]) -> None:
        super().__init__(terms, found)
        self.pledges: dict[int, _Pledge] = {}
        self.spent = self.batches = self.withdrawn = 0

    def settle(self, one: Claims) -> None:
        """Pledges withdrawn, then new ones: a round's claims are judged after them."""
        staked = one.round.event.body["staked"]
        with _pledging(one):
            for i in staked["withdrawn"]:
                self.pledges.pop(i).batch.withdrawn += 1
                self.withdrawn += 1
                self.witnesses.pop(i, None)
                for pair in [pair for pair in self.protectors if pair[0] == i]:
                    del self.protectors[pair]
            if staked["pledged"]:
                self._pledge(*staked["pledged"])

    def stake(self, one: Claims) -> None:
        staked = one.round.event.body["staked"]
        with _pledging(one):
            for i, keep in (
                *((row[0], False) for row in staked["rejections"]),
                *((row[0], True) for row in staked["acceptances"]),
            ):
                if self.pledges[i].keep != keep:
                    raise ValueError(f"a bet on the other side of model {i}")
        super().stake(one)

    def _pledge(self, share: int, allowance: int, kept: list[int], dropped: list[int]) -> None:
        if type(share) is not int or type(allowance) is not int or share < 1 or allowance < 1:
            raise ValueError(f"share {share!r}, allowance {allowance!r}")
        self.spent += share
        if self.spent > WHOLE:
            raise ValueError(f"shares add up to {self.spent} of {WHOLE}")
        batch = _Batch(share, allowance)
        self.batches += 1
        for i in (*kept, *dropped):
            if i in self.pledges or type(i) is not int or not 0 <= i < len(self.terms.models):
                raise ValueError(f"pledge of {i!r}")
            self.pledges[i] = _Pledge(i in kept, batch)

    def judge(self, one: Claims) -> None:
        if one.kept or one.dropped:
            if one.undecided - set(one.kept) - set(one.dropped):
                raise Lie(f"{one.round.where}: decides some models; commit decides all at once")
            for i in (*one.kept, *one.dropped):
                if i not in self.pledges or self.pledges[i].keep != (i in one.kept):
                    side = "kept" if i in one.kept else "dropped"
                    raise Lie(f"{one.round.where}: {self.terms.models[i]} is {side}, but was not pledged so")
        super().judge(one)

    def level(self, game: Game, accept: bool) -> Fraction:
        pledge = self.pledges[game.winner if accept else game.loser]
        ticket = FIRST if game.number == 1 else (1 - FIRST) / (game.number * (game.number - 1))
        return self.terms.delta * pledge.batch.level * ticket
