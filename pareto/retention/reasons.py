"""Why models were not kept, which objective cost most of them, and what weaker demands would keep."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from pareto.comparisons import Counts
from pareto.pair_counts import PairCounts
from pareto.retention.rules import Choice, candidates, clique, connected

SHOWN = 3
"""Names and pairs listed in a sentence before "and so many more"."""
PATIENCE = 0.5
"""Seconds for each set of models that is only reported; one that takes longer is given as a lower bound."""


@dataclass(frozen=True)
class Removed:
    """A model that was not kept, and why.

    Attributes:
        absent: objectives on which it has no decisive comparison with anybody.
        missing: kept models with whom it has none on the objectives named; the rule `clique` asks for one.
    """

    model: str
    absent: tuple[str, ...]
    missing: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def cells(self) -> int:
        """Decisive comparisons, one for a kept model and objective, after which it could have stayed too."""
        return sum(len(objectives) for _, objectives in self.missing)

    @property
    def reason(self) -> str:
        """A sentence."""
        if self.absent:
            return f"{self.model}: no decisive comparison at all on {_listed(self.absent)}"
        if not self.missing:
            return f"{self.model}: not linked to the kept models by decisive comparisons on every objective"
        pairs = [f"{other} on {_listed(objectives)}" for other, objectives in self.missing]
        return f"{self.model}: no decisive comparison with {_listed(pairs, '; ')}"


@dataclass(frozen=True)
class ObjectiveCost:
    """What an objective costs.

    Attributes:
        absent: models without a decisive comparison on it.
        pairs: pairs of candidates without one on it.
        only: of these, pairs that have one on every other objective.
        without: the set kept if it were left out; None if it is the only objective.
    """

    objective: str
    absent: int
    pairs: int
    only: int
    without: Choice | None


@dataclass(frozen=True)
class Weaker:
    """A weaker demand, in words, and the set of models that meets it.

    way: what to do to have it; empty for demands that are only reported.
    """

    demand: str
    kept: Choice
    way: str = ""


def removed_models(counts: PairCounts, kept: Sequence[str], rule: str) -> tuple[Removed, ...]:
    """Every model not in `kept`, in the order of the log."""
    decided = counts.decided
    inside = np.isin(np.array(counts.models), kept)
    partners = np.flatnonzero(inside).tolist()
    met_anybody = decided.sum(axis=2) > 0
    found = []
    for i in np.flatnonzero(~inside).tolist():
        absent = tuple(
            name for name, met in zip(counts.objectives, met_anybody[:, i], strict=True) if not met
        )
        missing = []
        for j in partners if rule == "clique" else ():
            lacking = np.flatnonzero(decided[:, i, j] == 0).tolist()
            if lacking:
                missing.append((counts.models[j], tuple(counts.objectives[r] for r in lacking)))
        found.append(Removed(counts.models[i], absent, tuple(missing)))
    return tuple(found)


def objective_costs(counts: PairCounts) -> tuple[ObjectiveCost, ...]:
    """What each objective costs, the dearest first: without it most models would be kept."""
    decided = counts.decided
    pairs, only = _lacking(decided)
    costs = []
    for r, objective in enumerate(counts.objectives):
        rest = np.delete(decided, r, axis=0)
        costs.append(
            ObjectiveCost(
                objective,
                absent=int((decided[r].sum(axis=1) == 0).sum()),
                pairs=pairs[r],
                only=only[r],
                without=clique(rest, counts.models, time_limit=PATIENCE) if len(rest) else None,
            )
        )
    return tuple(sorted(costs, key=lambda cost: (-len(cost.without or ()), -cost.only, -cost.pairs)))


def _lacking(decided: Counts) -> tuple[list[int], list[int]]:
    """By objective: pairs of candidates without a decisive comparison on it, and those lacking only that."""
    who = candidates(decided)
    pair = np.triu(who[:, None] & who, 1)
    lacking = (decided == 0) & pair
    alone = lacking & (lacking.sum(axis=0) == 1)
    return lacking.sum(axis=(1, 2)).tolist(), alone.sum(axis=(1, 2)).tolist()


def weaker_demands(counts: PairCounts, costs: Sequence[ObjectiveCost]) -> tuple[Weaker, ...]:
    """Sets of models that weaker demands would keep; `costs` as by `objective_costs`."""
    decided, objectives = counts.decided, len(counts.objectives)
    found = _fewer_objectives(counts, costs)
    if objectives > 1:
        half = math.ceil(objectives / 2)
        kept = clique(decided, counts.models, needed=half, time_limit=PATIENCE)
        found.append(Weaker(f"a pair needs a decisive comparison on {half} of {objectives} objectives", kept))
    if counts.undecided.any():
        kept = clique(counts.met, counts.models, time_limit=PATIENCE)
        found.append(Weaker("ties and both-bad votes count as comparisons too", kept))
    kept = connected(decided, counts.models)
    demand = "rule 'connected': links, however indirect, on every objective"
    found.append(Weaker(demand, kept, "take the rule connected"))
    return tuple(found)


def _fewer_objectives(counts: PairCounts, costs: Sequence[ObjectiveCost]) -> list[Weaker]:
    """Objectives left out one after another, while that keeps more models.

    First the dearest, then always the one that most pairs lack alone.
    """
    found: list[Weaker] = []
    out: list[str] = []
    kept, worst = costs[0].without, costs[0].objective
    while kept is not None:
        out.append(worst)
        if not found or len(kept) > len(found[-1].kept):
            found.append(Weaker("without " + " and ".join(out), kept, "name fewer objectives"))
        counts = counts.on([name for name in counts.objectives if name != worst])
        if len(counts.objectives) == 1:
            break
        pairs, only = _lacking(counts.decided)
        r = max(range(len(only)), key=lambda number: (only[number], pairs[number]))
        worst = counts.objectives[r]
        rest = np.delete(counts.decided, r, axis=0)
        kept = clique(rest, counts.models, time_limit=PATIENCE)
    return found


@dataclass(frozen=True)
class Split:
    """Models that fall into groups which no decisive comparison links.

    Attributes:
        objective: on which; None if on none of the objectives.
        groups: sorted names, the largest group first.
    """

    objective: str | None
    groups: tuple[tuple[str, ...], ...]

    def reason(self, kept: Sequence[str]) -> str:
        """A sentence about it, and about the side taken by the models `kept`."""
        where = "" if self.objective is None else f" on {self.objective}"
        shown = "; ".join("{" + _listed(group) + "}" for group in self.groups[:SHOWN])
        more = f"; and {len(self.groups) - SHOWN} more" if len(self.groups) > SHOWN else ""
        sides = [number for number, group in enumerate(self.groups, 1) if set(group) & set(kept)]
        side = f". Only models of group {sides[0]} were kept" if len(sides) == 1 < len(kept) else ""
        groups = f"{len(self.groups)} groups of models never met{where}"
        return f"{groups}: {shown}{more}{side}"


def splits(counts: PairCounts) -> tuple[Split, ...]:
    """Groups that never met at all, or else on single objectives; models that met nobody are no group."""
    everywhere = _groups(counts.decided.sum(axis=0), counts.models)
    if len(everywhere) > 1:
        return (Split(None, everywhere),)
    found = zip(counts.objectives, (_groups(met, counts.models) for met in counts.decided), strict=True)
    return tuple(Split(objective, groups) for objective, groups in found if len(groups) > 1)


def _groups(met: Counts, models: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    _, label = connected_components(met > 0, directed=False)
    members: dict[int, list[str]] = {}
    for name, group in zip(models, label.tolist(), strict=True):
        members.setdefault(group, []).append(name)
    found = [tuple(sorted(group)) for group in members.values() if len(group) > 1]
    return tuple(sorted(found, key=lambda group: (-len(group), group)))


def _listed(names: Sequence[str], separator: str = ", ") -> str:
    more = f"{separator}and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return separator.join(names[:SHOWN]) + more
