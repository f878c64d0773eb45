"""What comparisons with models outside say about those inside, before a comparison inside is looked at.

Given which pairs were compared how often, comparisons that involve a removed model are independent of those
among the kept ones. So whatever is chosen by them, an order, a share, a weight, is as good as fixed in
advance. A Bradley–Terry fit to them, with a standard normal prior for every score, predicts every lead
inside, in units of its standard deviation, and how far it may be off. A wrong prediction costs power and no
error.

If comparisons of a cluster may depend on each other, clusters with a comparison inside say nothing here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pareto.bradley_terry import count_wins, fit
from pareto.certainty.tails import Index
from pareto.comparisons import Counts
from pareto.links import Reals, logistic
from pareto.records import FIRST_WINS, SECOND_WINS

if TYPE_CHECKING:
    from pareto.records import Records
    from pareto.retention import Log

PRIOR = 1.0
"""Inverse variance of a score."""


@dataclass(frozen=True, eq=False)
class Outlook:
    """Attributes:

    mean: (d, K, K) predicted lead of row over column, in standard deviations of its sampling error.
    spread: (d, K, K) standard deviation of that prediction.
    comparisons: how many it is from; 0 if there are none.
    """

    mean: Reals
    spread: Reals
    comparisons: int


def outlook(wins: Counts, inside: Index, variance: Reals) -> Outlook:
    """From wins (d, M, M) outside, none among `inside` (K,); variance (d, K, K) of the leads inside."""
    theta = fit(wins, ridge=PRIOR).theta
    met = wins + wins.swapaxes(1, 2)
    chance = logistic(theta[:, :, None] - theta[:, None, :])
    weight = met * chance * (1 - chance)
    precision = PRIOR * np.eye(theta.shape[1]) - weight
    np.einsum("rii->ri", precision)[...] += weight.sum(axis=2)
    block = np.linalg.inv(precision)[:, inside[:, None], inside]

    chance = chance[:, inside[:, None], inside]
    slope = -chance * (1 - chance)  # of a model's sum of chances, in every other score
    np.einsum("rii->ri", slope)[...] = 0
    np.einsum("rii->ri", slope)[...] = -slope.sum(axis=2)
    joint = slope @ block @ slope.swapaxes(1, 2)
    own = np.einsum("rii->ri", joint)
    error = np.maximum(own[:, :, None] + own[:, None, :] - 2 * joint, 0.0)

    score = chance.sum(axis=2)
    deviation = np.sqrt(np.where(variance > 0, variance, np.inf))
    return Outlook(
        mean=(score[:, :, None] - score[:, None, :]) / deviation,
        spread=np.sqrt(error) / deviation,
        comparisons=int(wins.sum()),
    )


def outside_wins(log: Log, clustered: bool) -> tuple[Counts, Index]:
    """Decisive comparisons (d, M, M) with a removed model, and where the kept models (K,) are among M."""
    everything = log.everything
    if everything is None:
        size = len(log.models)
        return np.zeros((len(log.objectives), size, size), dtype=np.int64), np.arange(size)
    place = {name: index for index, name in enumerate(everything.models)}
    inside = np.array([place[name] for name in log.models], dtype=np.int64)
    if clustered:
        return _apart(log.every_record, inside, len(everything.models), len(log.objectives)), inside
    wins = everything.wins.copy()
    wins[:, inside[:, None], inside] = 0
    return wins, inside


def _apart(records: Records | None, inside: Index, models: int, objectives: int) -> Counts:
    """Wins in clusters without a comparison inside."""
    if records is None:
        return np.zeros((objectives, models, models), dtype=np.int64)
    kept = np.isin(np.arange(models), inside)
    within = kept[records.first] & kept[records.second]
    touched = np.zeros(records.clusters, dtype=np.bool_)
    touched[records.cluster[within]] = True
    usable = ~touched[records.cluster] & np.isin(records.outcome, (FIRST_WINS, SECOND_WINS))
    won = records.outcome == FIRST_WINS
    winner = np.where(won, records.first, records.second)[usable]
    loser = np.where(won, records.second, records.first)[usable]
    return count_wins(winner, loser, records.objective[usable], models, objectives)
