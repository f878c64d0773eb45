"""A log as a source: comparisons redrawn from its cells, with replacement (paper, appendix 9).

A query for (i, j, r) returns one of the log's comparisons of i with j on r, any of them with the same
probability; opponents are drawn by the method. So what a method finds is the frontier of this log. The log is
taken as given, and nothing follows for the population it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pareto.comparisons import Counts, Outcomes, Queries
from pareto.errors import BattleError
from pareto.laws import CellLaw
from pareto.pair_counts import PairCounts
from pareto.samplers import method as method_of
from pareto.targets import Target, target

if TYPE_CHECKING:
    from pareto.retention import Log

LARGEST = 1 << 52
"""Halves of so many points are exact in floating point."""


class LoggedSource:
    """Independent outcomes from the cells of a log.

    Attributes:
        target: what the log says; its frontier is the right answer.
        ordered: False, under every treatment of ties: majorities in a log may be cyclic or disagree with its
            Borda scores. `disorder` says so, with an example.
        joint: False.

    >>> import pareto
    >>> battles = pareto.read_battles(pareto.bundled_log("arena140k-decisive"))
    >>> source = pareto.LoggedSource(battles.retain(["code", "general"]), seed=0)
    >>> result = pareto.identify(source, method="interval", max_comparisons=2000)
    >>> str(result.status), result.comparisons, len(result.models), len(result.undecided)
    ('capped', 2000, 35, 35)
    """

    ordered = False
    joint = False

    def __init__(self, log: Log | PairCounts | Target, seed: int = 0, ties: str = "decisive") -> None:
        """ties: decisive (win or loss, binomial), half (win, half, loss: trinomial), davidson (binomial).

        A target brings its own treatment of ties. Raises `BattleError` as `pareto.targets.target` does.
        """
        self.target = log if isinstance(log, Target) else target(log, ties)
        self.models, self.objectives = self.target.models, self.target.objectives
        self._law = law_of(self.target)
        self._rng = np.random.default_rng(seed)

    @property
    def disorder(self) -> str:
        """Why methods that rely on majorities refuse this source."""
        return disorder(self.target)

    def answer(self, queries: Queries) -> Outcomes:
        """Every row of `queries` in one draw each; points are fractions, with halves, under half credit."""
        if self._law.halves is not None and len(queries) and int(queries.count.max()) > LARGEST:
            raise BattleError(
                f"{queries.count.max()} comparisons of one pair at once; up to 2^52 are accepted"
            )
        nobody = np.zeros_like(queries.first)  # one instance
        chances = self._law.cells(nobody, queries.first, queries.second, queries.objective)
        points: Counts = chances.drawn(self._rng, queries.count)
        return Outcomes.of(queries, points if chances.unit == 1 else points / chances.unit)


def law_of(target: Target) -> CellLaw:
    """The law of single comparisons under a target's treatment of ties."""
    return CellLaw(target.probabilities, target.tie_share if target.letter == "H" else None)


def disorder(target: Target) -> str:
    """That the majorities of a log need not be in order, and where they are not, the plainest example."""
    said = "majorities in a log may be cyclic or disagree with its Borda scores"
    lead = target.borda[:, None, :] - target.borda[None, :, :]
    against = np.where(lead < 0, target.probabilities - 0.5, 0.0)
    i, j, r = (int(index) for index in np.unravel_index(int(against.argmax()), against.shape))
    if against[i, j, r] <= 0:
        return said
    return (
        f"{said}; in this one {target.models[i]!r} gets {target.probabilities[i, j, r]:.2f} points a "
        f"comparison from {target.models[j]!r} on {target.objectives[r]!r}, but has the lower Borda score, "
        f"{target.borda[i, r]:.3f} against {target.borda[j, r]:.3f}"
    )


def promise(name: str, target: Target, delta: float) -> str:
    """What a method promises on a log, in sentences."""
    guarantee = method_of(name).guarantee
    if guarantee.needs_order:
        return f"{name} refuses a log: {disorder(target)}."
    if not guarantee.certified:
        claim = guarantee.claim.removeprefix("None: ")
        return f"{name} promises nothing about the frontier of this log: {claim}"
    stop = "" if target.recoverable else " It need not stop, because a classification gap of this log is 0."
    return (
        f"With probability at least {1 - delta:g} over the resampling, {name} recovers the empirical "
        f"frontier of this log, ties treated as {target.name} ({target.letter}), when it stops. The log is "
        f"taken as given: nothing is said about the population it came from.{stop}"
    )
