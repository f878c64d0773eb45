"""What runs of a simulation share, and what comes out of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts
from pareto.result import Mask
from pareto.samplers.schedule import Constants, Phase, phase

Generators = Sequence[np.random.Generator]
"""One for each trial."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Results of T runs.

    Attributes:
        comparisons: (T,) until stopping or capping.
        frontier: (T, K) the answer; the undecided models of a capped trial by present estimates.
        decided: (T, K) True where the method has decided.
        stopped: (T,) False where capped.
        phases: (T,) the last phase sampled; rounds of interval, duel and commit, checks of track-and-stop.
        draws: (T, K) comparisons of each model: on one objective, as focal model (vb-ege, focal-borda) or of
            each of its pairs (bt-mle, borda-plugin); on all objectives together, as focal model (interval)
            or on either side (duel, commit, track-and-stop).
    """

    comparisons: Counts
    frontier: Mask
    decided: Mask
    stopped: Mask
    phases: Counts
    draws: Counts


@dataclass(frozen=True)
class Setting:
    """What all trials share."""

    delta: float
    constants: Constants
    limit: int
    margin: float

    def phases(self, cells: int) -> Iterator[tuple[Phase, int]]:
        """Phases 1, 2, … with the draws of a cell that are new in each."""
        before, number = 0, 1
        while True:
            now = phase(number, cells, self.delta, self.constants)
            yield now, now.draws - before
            before, number = now.draws, number + 1
