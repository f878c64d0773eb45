"""A log as certainty sees it: points, how many comparisons gave them, and which of them are independent.

Let p_il be the mean points of i against l on an objective and b_i their mean over l. Then, with c_ij = 2 and
c = 1 otherwise,

    (K − 1)(b_i − b_j) = Σ_l (p_il − ½) − Σ_l (p_jl − ½) = 2(p_ij − ½) + Σ_l (p_il − ½) + Σ_l (p_lj − ½):

a sum over cells, estimated by their mean points, in which a comparison counts for up to c/n, n being how many
its cell has. A cell without comparisons may be anything: its term counts as −c/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pareto.bradley_terry import count_wins
from pareto.certainty.tails import Index
from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.links import Reals
from pareto.records import BAD, FIRST_WINS, SECOND_WINS, TIED, Codes, Records

if TYPE_CHECKING:
    from pareto.retention import Log


@dataclass(frozen=True, eq=False)
class Votes:
    """Single comparisons that count, (n,): positions; those of one `cluster` may depend on each other."""

    cluster: Codes
    first: Codes
    second: Codes
    objective: Codes

    @cached_property
    def by_model(self) -> tuple[Codes, Index]:
        """Comparisons of every model, by cluster: (2n,) positions, and (K + 1,) where those of each begin."""
        model = np.concatenate([self.first, self.second]).astype(np.int64)
        key = model * (int(self.cluster.max(initial=0)) + 1) + np.tile(self.cluster.astype(np.int64), 2)
        order = np.argsort(key, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(model))])
        return (order % max(len(self.cluster), 1)).astype(np.int32), start

    def of(self, model: int) -> Codes:
        """Positions of the comparisons of one model, by cluster."""
        order, start = self.by_model
        return order[start[model] : start[model + 1]] if model + 1 < len(start) else order[:0]


@dataclass(frozen=True, eq=False)
class Sample:
    """Attributes:

    points: (d, K, K) of the row model against the column model.
    total: (d, K, K) symmetric, comparisons that count.
    halves: True if a comparison may give half a point.
    apart: True if comparisons on different objectives are independent.
    votes: of clusters; None if all comparisons of an objective are independent.
    """

    points: Reals
    total: Counts
    halves: bool
    apart: bool
    votes: Votes | None = None

    @property
    def objectives(self) -> int:
        """d."""
        return len(self.total)

    @property
    def models(self) -> int:
        """K."""
        return int(self.total.shape[1])

    @cached_property
    def estimate(self) -> Reals:
        """(d, K, K): (K − 1)(b_row − b_column) as observed, ½ for cells without comparisons."""
        known = self.total > 0
        share = np.divide(self.points, self.total, out=np.full(self.total.shape, 0.5), where=known)
        score = (share - 0.5).sum(axis=2)
        return np.asarray(score[:, :, None] - score[:, None, :], dtype=np.float64)

    @cached_property
    def lead(self) -> Reals:
        """(d, K, K): the same with cells without comparisons at their worst."""
        off = ~np.eye(self.models, dtype=np.bool_)
        empty = ((self.total == 0) & off).sum(axis=2) / 2
        found = self.estimate - empty[:, :, None] - empty[:, None, :]
        return np.asarray(np.where(off, found, 0.0), dtype=np.float64)


def sample_of(log: Log, halves: bool, clustered: bool) -> Sample:
    """What counts in a log: decisive comparisons, or with `halves` all, ties and both-bad votes for ½.

    Raises `BattleError` if clusters are asked for and the log has no single records, or not those it counts.
    """
    counts = log.counts
    points = counts.wins + 0.5 * counts.undecided if halves else counts.wins.astype(np.float64)
    total = counts.met if halves else counts.decided
    if not clustered:
        return Sample(points, total, halves, apart=not _several(log))
    records = log.records
    if records is None:
        raise BattleError(
            "the log has no record of which votes belong together; read it with a cluster (session, voter or "
            "the name of a column), or ask for certainty without clusters"
        )
    votes = _votes(records, halves)
    counted = count_wins(votes.first, votes.second, votes.objective, len(log.models), len(log.objectives))
    if not np.array_equal(counted + counted.swapaxes(1, 2), total):
        raise BattleError(
            f"the log counts {int(total.sum()) // 2} comparisons and has {len(votes.cluster)} single records,"
            " or of other pairs; both must come from the same files"
        )
    return Sample(points, total, halves, apart=True, votes=votes)


def _several(log: Log) -> bool:
    """Whether comparisons may count for several objectives, so that those of different ones depend."""
    account = log.preprocessing
    if account is None:
        return False
    return (account.records, account.undecided_records) != (account.comparisons, account.undecided)


def _votes(records: Records, halves: bool) -> Votes:
    outcomes = (FIRST_WINS, SECOND_WINS, TIED, BAD) if halves else (FIRST_WINS, SECOND_WINS)
    kept = np.isin(records.outcome, outcomes)
    return Votes(*(one[kept] for one in (records.cluster, records.first, records.second, records.objective)))
