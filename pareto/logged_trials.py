"""Many resampling runs on a log at once: the study of the paper's section 4.2 and appendix 9."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.identify import refuse_disorder
from pareto.logged_source import disorder, law_of
from pareto.result import Mask
from pareto.samplers import method as method_of
from pareto.samplers.phased import LARGEST
from pareto.samplers.schedule import PAPER, Constants
from pareto.targets import Target
from pareto.task import check_cap
from pareto.trials import Trials, run_trials, series

HALVES_LARGEST = LARGEST // 2
"""Tallies in halves must stay in range, too."""


def simulate_target(
    method: str,
    target: Target,
    trials: int | range,
    seed: int = 0,
    *,
    delta: float = 0.05,
    constants: Constants = PAPER,
    max_comparisons: int | None = None,
    margin: float = 0.0,
) -> Trials:
    """Run `method` on comparisons redrawn from the cells of a log.

    As `pareto.trials.simulate`; under half credit an arm's outcomes are trinomial, and points are kept in
    halves. Refuses methods that rely on majorities.
    """
    refuse_disorder(method, disorder(target))
    check_cap(max_comparisons)
    cap = HALVES_LARGEST if max_comparisons is None else min(max_comparisons, HALVES_LARGEST)
    return run_trials(
        method,
        law_of(target),
        series(trials),
        seed,
        delta=delta,
        constants=constants,
        max_comparisons=cap,
        margin=margin,
    )


@dataclass(frozen=True, eq=False)
class Resampling:
    """T runs of a method on a log; arrays (T,).

    Attributes:
        method: its name.
        target: what it is to find.
        delta: as asked for.
        trials: the runs.
        right: the answer is the frontier of the log, whether claimed or a capped run's guess.
        recovered: the method stopped by its own rule, with the frontier of the log.
        wrong: it stopped by its own rule with another.
    """

    method: str
    target: Target
    delta: float
    trials: Trials
    right: Mask

    @classmethod
    def of(cls, method: str, target: Target, delta: float, trials: Trials, margin: float = 0.0) -> Resampling:
        """With a margin, what is to be found are the models that nobody dominates by more than that."""
        true = target.certificates.lead <= margin
        return cls(method, target, delta, trials, (trials.frontier == true).all(axis=1))

    @property
    def recovered(self) -> Mask:
        """(T,) stopped by its own rule, with the frontier of the log."""
        return self.trials.stopped & self.right

    @property
    def wrong(self) -> Mask:
        """(T,) stopped by its own rule, with another frontier."""
        return self.trials.stopped & ~self.right

    @property
    def comparisons(self) -> Counts:
        """Comparisons redrawn, records counted as often as they were drawn."""
        return self.trials.comparisons

    @property
    def mean(self) -> float:
        """Of the comparisons, capped runs with what they had spent."""
        return float(sum(self.comparisons.tolist()) / len(self.comparisons))

    @property
    def final_phases(self) -> dict[int, int]:
        """Runs by the last phase (of `interval`: round) that they sampled."""
        phases, runs = np.unique(self.trials.phases, return_counts=True)
        return dict(zip(phases.tolist(), runs.tolist(), strict=True))


def resample(
    target: Target,
    methods: Sequence[str] = ("vb-ege",),
    trials: int = 100,
    seed: int = 0,
    *,
    delta: float = 0.05,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    advance: Callable[[str], None] = lambda method: None,
) -> list[Resampling]:
    """Every method on `trials` resamplings of the same log (paper, section 4.2 and appendix 9).

    target: of `pareto.target`. methods, delta, max_comparisons, margin: as of `pareto.Task`. advance: called
    with the name of each method done. Nothing follows for the population that the log came from.

    Raises `BattleError` for unknown methods, and for those that rely on majorities.

    >>> import pareto
    >>> wins = [[[0, 3, 4], [1, 0, 3], [0, 1, 0]], [[0, 1, 2], [3, 0, 3], [2, 1, 0]]]  # row over column
    >>> log = pareto.PairCounts.decisive(["a", "b", "c"], ["code", "style"], wins)
    >>> (runs,) = pareto.resample(pareto.target(log), ["interval"], trials=20)
    >>> bool(runs.recovered.all()), int(runs.wrong.sum())
    (True, 0)
    """
    if trials < 1:
        raise BattleError(f"{trials} trials; at least one is needed")
    for method in methods:
        method_of(method)  # refuse a misspelt one before the first has run
        refuse_disorder(method, disorder(target))
    found = []
    for method in methods:
        runs = simulate_target(
            method, target, trials, seed, delta=delta, max_comparisons=max_comparisons, margin=margin
        )
        found.append(Resampling.of(method, target, delta, runs, margin))
        advance(method)
    return found
