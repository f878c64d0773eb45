"""From the counts of a log to the models that can be compared on every objective (paper, appendix 9).

Win rates exist for a pair of models and an objective only if the two had a decisive comparison there. So a
log is cut down to models for which all of them exist; see `rules`. Nothing is dropped silently: a
`Retention` names every model that went, says why, which objective cost most, and what would keep more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.pair_counts import PairCounts
from pareto.retention.reasons import (
    ObjectiveCost,
    Removed,
    Split,
    Weaker,
    objective_costs,
    removed_models,
    splits,
    weaker_demands,
)
from pareto.retention.rules import RULES, Choice, candidates, clique, connected
from pareto.targets import target

if TYPE_CHECKING:
    from pareto.preprocessing import Preprocessing
    from pareto.records import Records

TIME_LIMIT = 60.0
"""Seconds for the search. Logs take milliseconds; hundreds of models who met at random may take forever."""


@dataclass(frozen=True)
class Retention:
    """What was kept of a log, and why not more.

    Attributes:
        rule: "clique" or "connected", see `rules`.
        members: sorted names of the models kept.
        objectives: names.
        models: how many the log has.
        candidates: how many of them have a decisive comparison on every objective.
        removed: the others, with reasons.
        costs: what each objective costs, the dearest first.
        weaker: weaker demands, and the sets that meet them.
        splits: groups of models that never met.
        records: decisive comparisons of kept models, counted once for each of their objectives.
        dropped: those with a removed model.
        backend: the solver that found the set; empty if none was needed.
        proven: True if it was established exactly that no set is preferred.
        bound: no set that satisfies the rule is larger.
    """

    rule: str
    members: tuple[str, ...]
    objectives: tuple[str, ...]
    models: int
    candidates: int
    removed: tuple[Removed, ...]
    costs: tuple[ObjectiveCost, ...]
    weaker: tuple[Weaker, ...]
    splits: tuple[Split, ...]
    records: int
    dropped: int
    backend: str
    proven: bool
    bound: int

    @property
    def collapsed(self) -> bool:
        """True if at most half of the candidates, or fewer than two, were kept."""
        return len(self.members) < 2 or 2 * len(self.members) <= self.candidates

    @property
    def explanation(self) -> tuple[str, ...]:
        """Sentences: what was kept, who went and why, and, if models were lost, what would keep more."""
        said = [self._kept()]
        if not self.removed:
            return tuple(said)
        absent = sum(bool(one.absent) for one in self.removed)
        said.append(
            f"removed models: {len(self.removed)} ({absent} with no decisive comparison on some objective, "
            f"{len(self.removed) - absent} for want of decisive comparisons with models kept); decisive "
            f"records gone with them: {self.dropped}, left: {self.records}"
        )
        said.extend(split.reason(self.members) for split in self.splits)
        said.extend(self._cost())
        more = (one for one in self.weaker if len(one.kept) > len(self.members))
        said.extend(f"{one.demand}: models kept would be {one.kept.size}" for one in more)
        return tuple(said)

    def _kept(self) -> str:
        demand = (
            "of which every two have a decisive comparison on every objective"
            if self.rule == "clique"
            else "that decisive comparisons link, however indirectly, on every objective"
        )
        unproven = f"the largest set found in the time allowed (none has more than {self.bound} models)"
        largest = "the largest set" if self.proven else unproven
        objectives = ", ".join(self.objectives)
        return f"{len(self.members)} of {self.models} models kept on {objectives}: {largest} {demand}"

    def _cost(self) -> list[str]:
        dearest = self.costs[0]
        if dearest.without is None:
            return []
        if len(dearest.without) <= len(self.members):
            return ["no single objective is to blame: leaving one out keeps no more models"]
        return [
            f"{dearest.objective} costs most: pairs of candidates with no decisive comparison there: "
            f"{dearest.pairs}, lacking it only there: {dearest.only}; models with none there at all: "
            f"{dearest.absent}"
        ]


@dataclass(frozen=True, eq=False)
class Log:
    """The models kept of a log and what was said about them.

    Attributes:
        counts: of the kept models, in the order of their names. Under the rule `clique` every pair has a
            decisive comparison on every objective; ties and both-bad votes are kept beside.
        retention: what was kept, and why.
        preprocessing: what was dropped before, and here, by reason; None for bare counts.
        records: single comparisons of kept models where a column of clusters was read; None otherwise.
        everything: counts of all models of the log on these objectives; None if they are not known.
        every_record: single comparisons of all of those models, by positions in `everything`; None likewise.
    """

    counts: PairCounts
    retention: Retention
    preprocessing: Preprocessing | None = None
    records: Records | None = None
    everything: PairCounts | None = None
    every_record: Records | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Sorted names."""
        return self.counts.models

    @property
    def objectives(self) -> tuple[str, ...]:
        """Names."""
        return self.counts.objectives

    def borda(self, ties: str = "decisive") -> Reals:
        """(K, d) empirical Borda scores, by how ties are treated; see `pareto.targets`."""
        return target(self, ties).borda


def retain_counts(
    counts: PairCounts,
    objectives: Sequence[str] | None = None,
    rule: str = "clique",
    *,
    backend: str = "auto",
    time_limit: float | None = TIME_LIMIT,
) -> Log:
    """Keep the models that `rule` keeps on these objectives, None for all.

    backend, time_limit: of `solvers.solve`; with a limit the set may not be proven, which is then said.
    Raises `BattleError` if fewer than two models would be left, and says what would leave more.
    """
    if rule not in RULES:
        raise BattleError(f"no rule {rule!r}; accepted are {', '.join(RULES)}")
    if isinstance(objectives, str):
        raise BattleError(f"objectives is the text {objectives!r}; give a list of names")
    chosen = counts if objectives is None else counts.on(objectives)
    if not chosen.objectives:
        raise BattleError("no objective to keep models on; name one or more of the log's")
    decided = chosen.decided
    if rule == "clique":
        choice = clique(decided, chosen.models, backend=backend, time_limit=time_limit)
    else:
        choice = connected(decided, chosen.models)
    retention = _explained(chosen, choice, rule)
    if len(choice) < 2:
        raise BattleError(
            "no two models can be compared on every objective. "
            + ". ".join(retention.explanation)
            + _advice(retention)
        )
    return Log(chosen.of_models(choice.models), retention, everything=chosen)


def _explained(counts: PairCounts, choice: Choice, rule: str) -> Retention:
    costs = objective_costs(counts)
    decisive = int(counts.decided.sum()) // 2
    left = int(counts.of_models(choice.models).decided.sum()) // 2
    return Retention(
        rule=rule,
        members=choice.models,
        objectives=counts.objectives,
        models=len(counts.models),
        candidates=int(candidates(counts.decided).sum()),
        removed=removed_models(counts, choice.models, rule),
        costs=costs,
        weaker=weaker_demands(counts, costs),
        splits=splits(counts),
        records=left,
        dropped=decisive - left,
        backend=choice.backend,
        proven=choice.proven,
        bound=choice.bound,
    )


def _advice(retention: Retention) -> str:
    ways = dict.fromkeys(one.way for one in retention.weaker if len(one.kept) >= 2 and one.way)
    if not ways:
        return ". No rule and no choice of objectives keeps two models: more decisive comparisons are needed"
    return f". To go on, {', '.join(ways)}, or collect more decisive comparisons"
