"""Three treatments of ties side by side (paper, appendix 9.4, Tables 12 to 15a).

D drops ties and both-bad votes, H counts each as half a win for both, F takes half-credit probabilities from
fitted Davidson models. All three use the same models, objectives and uniform opponents, so that what differs
is the treatment alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pareto.errors import BattleError
from pareto.finite import finite
from pareto.likeness import Likeness, likeness
from pareto.outcome_counts import OutcomeCounts, Record, count_outcomes
from pareto.pair_counts import PairCounts
from pareto.targets import TREATMENTS, Target, fitted_target, target, treatment

if TYPE_CHECKING:
    from pareto.davidson import DavidsonModels
    from pareto.retention import Log


@dataclass(frozen=True)
class Variance:
    """Variance of a comparison with a uniform opponent, over all models and objectives.

    A win, half a win and a loss give b(1 − b) − u/4, where u is the probability of half a win: less than the
    b(1 − b) of a comparison that is either won or lost with the same mean.

    Attributes:
        mean, smallest, largest: of b(1 − b) − u/4.
        two_outcomes: mean of b(1 − b).
        half_wins: mean of u.
    """

    mean: float
    smallest: float
    largest: float
    two_outcomes: float
    half_wins: float

    def record(self) -> Record:
        """For JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Targets of one log under several treatments.

    Attributes:
        targets: in the order asked for.
        outcomes: by objective.
        total: over all objectives.
        likenesses: of every two targets, the earlier one first.
        variances: of each target.
        davidson: the fitted models behind F; None without F.
    """

    targets: tuple[Target, ...]
    outcomes: tuple[OutcomeCounts, ...]
    total: OutcomeCounts
    likenesses: tuple[Likeness, ...]
    variances: tuple[Variance, ...]
    davidson: DavidsonModels | None

    @property
    def letters(self) -> tuple[str, ...]:
        """Of the treatments, in order."""
        return tuple(one.letter for one in self.targets)

    @property
    def membership(self) -> dict[str, tuple[bool, ...]]:
        """Every model on at least one frontier, by name: on which of them it is."""
        table = np.stack([one.frontier for one in self.targets], axis=1)
        names = self.targets[0].models
        return {names[i]: tuple(table[i].tolist()) for i in np.flatnonzero(table.any(axis=1)).tolist()}

    def target(self, ties: str) -> Target:
        """By name or letter of the treatment."""
        return self.targets[self._place(ties)]

    def likeness(self, first: str, second: str) -> Likeness:
        """Of two of the treatments, the earlier one first, by name or letter."""
        wanted = {self.targets[self._place(one)].letter for one in (first, second)}
        found = [one for one in self.likenesses if set(one.letters) == wanted]
        if not found:
            raise BattleError(f"{first!r} and {second!r} are one treatment; name two")
        return found[0]

    def record(self) -> Record:
        """Everything, for JSON; infinite and undefined numbers become null."""
        return {
            "models": list(self.targets[0].models),
            "objectives": list(self.targets[0].objectives),
            "outcomes": [one.record() for one in (*self.outcomes, self.total)],
            "targets": {
                one.letter: {
                    "name": one.name,
                    "frontier": list(one.kept),
                    "minimum_gap": one.minimum_gap,
                    "hardness": finite(one.hardness),
                    "recoverable": one.recoverable,
                    "gaps": one.gaps.tolist(),
                    "borda": one.borda.tolist(),
                    "variance": variance.record(),
                }
                for one, variance in zip(self.targets, self.variances, strict=True)
            },
            "membership": {name: list(on) for name, on in self.membership.items()},
            "likenesses": [one.record() for one in self.likenesses],
            "davidson": None if self.davidson is None else self.davidson.record(),
        }

    def _place(self, ties: str) -> int:
        name = treatment(ties)
        names = [one.name for one in self.targets]
        if name not in names:
            raise BattleError(f"treatment {ties!r} was not compared; there are {', '.join(names)}")
        return names.index(name)


def compare_treatments(
    log: Log | PairCounts,
    ties: Sequence[str] = tuple(TREATMENTS),
    *,
    sizes: Sequence[int] | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare a log's targets under these treatments, by names or letters (paper, appendix 9.4).

    sizes, seed: tie-factor sizes tried for F and the seed of its held-out comparisons, see
    `davidson.davidson_models`. Raises `BattleError` as `targets.target` does.

    >>> import pareto
    >>> wins, ties, none = [[[0, 3], [1, 0]]], [[[0, 2], [2, 0]]], [[[0, 0], [0, 0]]]
    >>> counts = pareto.PairCounts(("a", "b"), ("code",), wins, ties, none)
    >>> found = pareto.compare_treatments(counts, ["decisive", "half"])
    >>> [(one.letter, one.borda.round(3).tolist()) for one in found.targets]
    [('D', [[0.75], [0.25]]), ('H', [[0.667], [0.333]])]
    """
    counts = log if isinstance(log, PairCounts) else log.counts
    names = [treatment(one) for one in ((ties,) if isinstance(ties, str) else ties)]
    if not names or len(set(names)) < len(names):
        raise BattleError(f"treatments {names}; one or more different ones are accepted")
    davidson = None
    targets = []
    for name in names:
        if name == "davidson":
            from pareto.davidson import davidson_models

            davidson = davidson_models(counts, sizes, seed=seed)
            targets.append(fitted_target(counts, davidson.probabilities))
        else:
            targets.append(target(counts, name))
    outcomes, total = count_outcomes(counts)
    return Comparison(
        targets=tuple(targets),
        outcomes=outcomes,
        total=total,
        likenesses=tuple(likeness(one, other) for one, other in combinations(targets, 2)),
        variances=tuple(_variance(one) for one in targets),
        davidson=davidson,
    )


def _variance(of: Target) -> Variance:
    variance = of.variance
    two = of.borda * (1 - of.borda)
    return Variance(
        mean=float(variance.mean()),
        smallest=float(variance.min()),
        largest=float(variance.max()),
        two_outcomes=float(two.mean()),
        half_wins=float(4 * (two - variance).mean()),
    )
