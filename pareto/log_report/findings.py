"""Everything that is said about a log, worked out before a word of it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pareto.certainty import Certainty, certainty
from pareto.comparisons import Counts
from pareto.log_report.conventions import Weak, weak_frontier
from pareto.targets import Target, target

if TYPE_CHECKING:
    from pareto.battles import Battles
    from pareto.retention import Log

STATES = ("frontier", "dominated", "undecided")


@dataclass(frozen=True, eq=False)
class Findings:
    """What the report says.

    sources: names of the files. target: scores under the treatment of ties asked for. certainty: what the
    log is enough to say about the population its votes come from. delta: the error allowed there. weak:
    the frontier by the weak convention, None unless asked for.
    """

    sources: tuple[str, ...]
    battles: Battles
    log: Log
    target: Target
    certainty: Certainty
    delta: float
    weak: Weak | None

    @cached_property
    def order(self) -> list[int]:
        """Models as they are listed: the frontier first, then by mean score, the highest first."""
        found = self.target
        mean = found.borda.mean(axis=1)
        return sorted(range(len(mean)), key=lambda i: (not found.frontier[i], -mean[i], i))

    @cached_property
    def hardest(self) -> int:
        """The model with the smallest gap."""
        return int(np.argmin(self.target.gaps))

    @cached_property
    def tallies(self) -> dict[str, int]:
        """How many models are certainly on the frontier, certainly dominated, and undecided."""
        return {state: self.certainty.status.count(state) for state in STATES}

    @cached_property
    def comparisons(self) -> Counts:
        """(K,) comparisons that count of every model, on all objectives."""
        counts = self.log.counts
        used = counts.decided if self.target.name == "decisive" else counts.met
        return np.asarray(used.sum(axis=(0, 2)), dtype=np.int64)


def find(
    sources: Sequence[str],
    battles: Battles,
    log: Log,
    *,
    ties: str = "decisive",
    delta: float = 0.05,
    cluster: str | None = None,
    weak: bool = False,
) -> Findings:
    """Everything `Findings` says about a log, at confidence 1 − `delta`."""
    found = target(log, ties)
    return Findings(
        sources=tuple(sources),
        battles=battles,
        log=log,
        target=found,
        certainty=certainty(log, delta, cluster=cluster, ties=found.name),
        delta=delta,
        weak=weak_frontier(found) if weak else None,
    )
