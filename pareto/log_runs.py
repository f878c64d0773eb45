"""Resampling runs of several methods on one log, in parts that may be done side by side or cut short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pareto.identify import refuse_disorder
from pareto.logged_source import disorder
from pareto.logged_trials import Resampling, simulate_target
from pareto.runs import PART, Runs, summary
from pareto.samplers import method as find_method
from pareto.targets import Target
from pareto.trials import Trials
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


@dataclass(frozen=True, eq=False)
class _Part:
    """Some trials of one method."""

    method: str
    target: Target
    trials: range
    seed: int
    delta: float
    max_comparisons: int | None
    margin: float

    def run(self) -> Trials:
        return simulate_target(
            self.method,
            self.target,
            self.trials,
            self.seed,
            delta=self.delta,
            max_comparisons=self.max_comparisons,
            margin=self.margin,
        )


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
    advance: Callable[[str, int], None] = lambda method, trials: None,
) -> tuple[list[LogRuns], bool]:
    """Every method on `trials` resamplings, the same whoever works; and whether all were run.

    Interrupted by Ctrl-C it returns the runs finished until then: of each method the first ones, and none of
    a method without any. advance: called with a method and how many of its trials were just finished.
    """
    parts = {
        method: [
            _Part(
                method,
                target,
                range(begin, min(begin + PART, trials)),
                seed,
                delta,
                max_comparisons,
                margin,
            )
            for begin in range(0, trials, PART)
        ]
        for method in methods
    }
    found: list[LogRuns] = []
    for method, work in parts.items():
        done: dict[int, Trials] = {}
        seconds = 0.0
        whole = True
        try:
            with closing(workers.each(_Part.run, work)) as pieces:
                for piece in pieces:
                    done[piece.at] = piece.value
                    seconds += piece.seconds
                    advance(method, len(piece.value.comparisons))
        except KeyboardInterrupt:
            whole = False
        first = [done[at] for at in range(len(done)) if all(earlier in done for earlier in range(at + 1))]
        if first:
            found.append(LogRuns(_joined(method, target, delta, margin, first), seconds, trials))
        if not whole:
            return found, False
    return found, True


def check_methods(methods: Sequence[str], target: Target) -> None:
    """Refuse methods that do not exist, or that rely on majorities, before any has run."""
    for name in methods:
        find_method(name)
        refuse_disorder(name, disorder(target))


def _joined(method: str, target: Target, delta: float, margin: float, parts: list[Trials]) -> Resampling:
    trials = Trials(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Trials))
    )
    return Resampling.of(method, target, delta, trials, margin)
