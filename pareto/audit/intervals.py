"""The claims of `interval`, re-derived: recounted draws in the evidence of its tests, against enclosures.

Draws count from the end of the pilot, whose event records weights m and ranks q. With n draws of mean b̂ of
each arm and a = 2n²/(n+m), the evidence that model j leads model i on r by more than the margin ε is

    log E = a_i a_j/(a_i+a_j) (b̂_j − b̂_i − ε)² − ½ log((1 + n_i/m)(1 + n_j/m)),   counted if b̂_j − b̂_i > ε,

and that it leads by less than ε the same, counted if b̂_j − b̂_i < ε. A model may be dropped when for one
witness j all d tests have reached K q(q+1)/δ, q the rank of the witness, and kept when against every model
not dropped some test that it leads has reached K q(q+1)/δ, q the rank of the objective.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import merge

from pareto.audit.claims import Claims
from pareto.audit.history import History, Tally
from pareto.audit.journal import Terms
from pareto.audit.logarithms import log
from pareto.audit.report import Lie

Arm = tuple[int, int]
"""(model, objective)."""


def check_intervals(found: Sequence[Claims], terms: Terms) -> str:
    """Every claim borne out by tests that were fixed at the end of the pilot; says what was found."""
    begins = [one for one in found if one.round.event.body["staked"]]
    claiming = [one for one in found if one.kept or one.dropped]
    if not begins:
        if claiming:
            raise Lie(f"{claiming[0].round.where}: makes claims before the pilot has ended")
        return "the pilot has not ended; no claims"
    if len(begins) > 1:
        raise Lie(f"{begins[1].round.where}: fixes weights and ranks a second time")
    tests = _Tests(terms, begins[0], found)
    for one in claiming:
        tests.judge(one)
    return (
        f"{tests.kept} models kept and {tests.dropped} dropped by {tests.passed:,} tests; the pilot took "
        f"{begins[0].round.event.body['comparisons']:,} comparisons"
    )


class _Tests:
    def __init__(self, terms: Terms, begin: Claims, found: Sequence[Claims]) -> None:
        self.terms, self.begun = terms, begin.round.number
        self.kept = self.dropped = self.passed = 0
        staked = begin.round.event.body["staked"]
        try:
            self.weights = staked["weights"]
            self.witness_ranks, self.objective_ranks = staked["witness_ranks"], staked["objective_ranks"]
            self._check_staked()
        except (TypeError, ValueError, LookupError) as error:
            raise Lie(
                f"{begin.round.where}: weights and ranks are not what interval fixes ({error})"
            ) from None
        self.draws: History[Arm] = History()
        for one in found:
            if one.round.number > self.begun:
                self._add(one)
        self._seen: dict[tuple[int, int, int, bool], int] = {}

    def _add(self, one: Claims) -> None:
        sums: dict[Arm, Tally] = {}
        for (i, j, r), points in one.round.points.items():
            count, total = sums.get((i, r), (0, Fraction(0)))
            sums[i, r] = (count + one.round.wanted[i, j, r], total + points)
        for arm, (count, points) in sums.items():
            self.draws.add(arm, one.round.number, count, points)

    def _check_staked(self) -> None:
        models, objectives = self.terms.shape
        pairs = [(i, j) for i in range(models) for j in range(models)]
        for r in range(objectives):
            for i, j in pairs:
                weight = self.weights[r][i][j]
                if type(weight) is not int or (i != j and weight < 1):
                    raise ValueError(f"weight {weight}")
        for i in range(models):
            if sorted(self.witness_ranks[i]) != list(range(1, models + 1)):
                raise ValueError(f"witness ranks {self.witness_ranks[i]}")
        for i, j in pairs:
            ranks = [self.objective_ranks[r][i][j] for r in range(objectives)]
            if sorted(ranks) != list(range(1, objectives + 1)):
                raise ValueError(f"objective ranks {ranks}")

    def judge(self, one: Claims) -> None:
        names, upto = self.terms.models, one.round.number
        objectives = range(len(self.terms.objectives))
        for i, j in one.dropped.items():
            short = [r for r in objectives if j < 0 or not self._shown(i, j, r, upto, False)]
            if short:
                who = names[j] if j >= 0 else "nobody"
                raise Lie(
                    f"{one.round.where}: {names[i]} is dropped, but that {who} is better on "
                    f"{self.terms.objectives[short[0]]} was not shown"
                )
            self.dropped += 1
        for i in one.kept:
            for j in sorted(one.live - {i}):
                if not any(self._shown(i, j, r, upto, True) for r in objectives):
                    raise Lie(
                        f"{one.round.where}: {names[i]} is kept, but that it is better than {names[j]} on "
                        "some objective was not shown"
                    )
            self.kept += 1

    def _shown(self, i: int, j: int, r: int, upto: int, ahead: bool) -> bool:
        """True if the test, of i ahead of j or of j ahead of i, had certainly passed by the end of `upto`."""
        when = self._seen.get((i, j, r, ahead))
        if when is not None and when <= upto:
            return True
        rank = self.objective_ranks[r][i][j] if ahead else self.witness_ranks[i][j]
        level = self.terms.delta / (len(self.terms.models) * rank * (rank + 1))
        weight = self.weights[r][i][j]
        for number in self._moments(i, j, r, upto):
            one, two = self.draws.at((i, r), number), self.draws.at((j, r), number)
            if _reached(one, two, weight, self.terms.margin, level, ahead):
                self._seen[i, j, r, ahead] = number
                self.passed += 1
                return True
        return False

    def _moments(self, i: int, j: int, r: int, upto: int) -> Iterator[int]:
        """Rounds after which the test stood anew, the last one first."""
        changes = [
            (number for number, _ in self.draws.backwards((model, r), self.begun, upto)) for model in (i, j)
        ]
        last = None
        for number in merge(*changes, reverse=True):
            if number != last:
                yield number
            last = number


def _reached(one: Tally, two: Tally, weight: int, margin: Fraction, level: Fraction, ahead: bool) -> bool:
    """E ≥ 1/level: 2 × quadratic part ≥ log of the rest, squared."""
    if not (one[0] and two[0]):
        return False
    lead = two[1] / two[0] - one[1] / one[0] - margin
    if lead == 0 or (lead < 0) != ahead:
        return False
    sharp, other = (Fraction(2 * count * count, count + weight) for count in (one[0], two[0]))
    evidence = 2 * sharp * other / (sharp + other) * lead**2
    if float(evidence) < 1:  # a threshold is at least 2, squared and in a logarithm above 1.3
        return False
    paid = (1 + Fraction(one[0], weight)) * (1 + Fraction(two[0], weight)) / level**2
    return log(paid).surely_below(evidence)
