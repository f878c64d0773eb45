"""Resampling runs of several methods on one log, in parts that may be done side by side or cut short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pareto.identify import refuse_disorder
from pareto.logged_source import disorder
from pareto.logged_trials import Resampling, simulate_target
from pareto.run_parts import Advance, Part, ignored, run_parts
from pareto.runs import Runs, summary
from pareto.samplers import method as find_method
from pareto.targets import Target
from solvers.workers import Processes, Workers


@dataclass(frozen=True, eq=False)
class LogRuns:
    """Runs of one method, and their processor time in seconds. asked: how many runs there should be."""

    resampling: Resampling
    seconds: float
    asked: int

    @property
    def method(self) -> str:
        return self.resampling.method

    @property
    def runs(self) -> Runs:
        """As simulations on synthetic instances have them."""
        found = self.resampling
        return Runs(found.method, found.comparisons, found.trials.stopped, found.wrong, self.seconds)

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        found = self.resampling
        return {
            **summary(self.runs),
            "asked": self.asked,
            "recovered": int(found.recovered.sum()),
            "right_when_cut": int((found.right & ~found.trials.stopped).sum()),
            "final_phases": {str(phase): runs for phase, runs in found.final_phases.items()},
        }


def run_log(
    methods: Sequence[str],
    target: Target,
    trials: int,
    seed: int,
    delta: float,
    *,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    workers: Workers = Processes(1),  # noqa: B008 - frozen
    advance: Advance = ignored,
) -> tuple[list[LogRuns], bool]:
    """Every method on `trials` resamplings, the same whoever works; and whether all were run.

    Interrupted by Ctrl-C it returns the runs finished until then: of each method the first ones, and none of
    a method without any. advance: called with a method and how many of its trials were just finished.
    """

    def part(method: str, block: range) -> Part:
        return partial(
            simulate_target,
            method,
            target,
            block,
            seed,
            delta=delta,
            max_comparisons=max_comparisons,
            margin=margin,
        )

    found, whole = run_parts(methods, trials, part, workers, advance)
    return [
        LogRuns(Resampling.of(one.method, target, delta, one.trials, margin), one.seconds, trials)
        for one in found
    ], whole


def check_methods(methods: Sequence[str], target: Target) -> None:
    """Refuse methods that do not exist, or that rely on majorities, before any has run."""
    for name in methods:
        find_method(name)
        refuse_disorder(name, disorder(target))
