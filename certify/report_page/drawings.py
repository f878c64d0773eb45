"""The pictures of a page from its findings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from certify.pictures.anatomy import ByRank, Coverage, by_rank, coverage
from certify.pictures.beyond import Beyond, beyond
from certify.pictures.bound_lines import BoundLines, bound_lines
from certify.pictures.budget_map import BudgetMap, budget_map
from certify.pictures.policy_bars import policy_bars
from certify.report_page.course import places
from certify.report_page.findings import Findings
from certify.report_page.wording import objective_name
from solvers.pages.canvas import Picture


def pictures(found: Findings) -> dict[str, Picture]:
    """By name, those that the findings allow."""
    drawn = [bound_lines(_lines(found))]
    if found.ruled_out is not None:
        drawn += [budget_map(_map(found)), coverage(_coverage(found))]
    if found.anatomy is not None:
        drawn.append(by_rank(_ranks(found)))
    if found.waste is not None and found.verdict.labels_read:
        drawn.append(beyond(Beyond(found.waste.at, found.waste.needed, int(found.waste.needed[0]))))
    if found.comparison is not None and found.anatomy is not None:
        drawn.append(_policies(found))
    return {picture.name: picture for picture in drawn}


def _lines(found: Findings) -> BoundLines:
    scale, leader = found.pool.risks.scale, found.leader
    rivals = [j for j in range(found.pool.candidates) if j != leader]
    settled = [int(found.course.settled[j]) for j in rivals]
    return BoundLines(
        leader=found.pool.names[leader],
        rivals=[found.pool.names[j] for j in rivals],
        at=found.course.at,
        lower=found.course.lower[rivals] / scale,
        level=-found.requirement.slack / scale,
        settled=[None if at < 0 else at for at in settled],
        objective=objective_name(found),
        owned=found.history.owned,
    )


def _map(found: Findings) -> BudgetMap:
    assert found.ruled_out is not None
    scale = found.pool.risks.scale
    at = places(len(found.history.rows))
    return BudgetMap(
        n=found.pool.n,
        budgets=found.ruled_out.budgets,
        ruled_out=found.ruled_out.slack / scale,
        at=at,
        certified=found.course.worst[at] / scale,
        tolerance=float(found.settings.tolerance),
        objective=objective_name(found),
    )


def _coverage(found: Findings) -> Coverage:
    scale, anatomy = found.pool.risks.scale, found.anatomy
    if anatomy is not None:
        winner, rivals = anatomy.certificate.winner, list(anatomy.rivals)
        amounts = (anatomy.demand, anatomy.covered, anatomy.available)
    else:
        winner = found.leader
        rivals = [j for j in range(found.pool.candidates) if j != winner]
        levels = found.requirement.levels(found.pool.candidates)
        read = (found.lower - found.before)[rivals, winner]
        amounts = (np.maximum(levels - found.before, 0)[rivals, winner], read, read)
    demand, covered, available = (np.asarray(amount / scale, dtype=np.float64) for amount in amounts)
    return Coverage(
        leader=found.pool.names[winner],
        rivals=[found.pool.names[j] for j in rivals],
        demand=demand,
        covered=covered,
        available=available,
        objective=objective_name(found),
        certificate=anatomy is not None,
    )


def _ranks(found: Findings) -> ByRank:
    anatomy = found.anatomy
    assert anatomy is not None

    def counted(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.histogram(ranks, anatomy.bins)[0].astype(np.int64)

    return ByRank(
        leader=found.pool.names[anatomy.certificate.winner],
        ranks=anatomy.bins,
        rows=np.diff(anatomy.bins),
        # the last bin of a histogram is closed, and no rank is as large as its end
        right=counted(anatomy.ranks[~anatomy.wrong]),
        wrong=counted(anatomy.ranks[anatomy.wrong]),
    )


def _policies(found: Findings) -> Picture:
    assert found.comparison is not None
    assert found.anatomy is not None
    n = found.pool.n
    session = "this session"
    reads = {session: [100 * found.verdict.labels_read / n]}
    for name, run in sorted(found.comparison.runs, key=lambda item: item[1].labels_read):
        reads[name] = [100 * run.labels_read / n]
    return policy_bars(
        reads,
        bound=100 * found.bound / n,
        certificate=100 * found.anatomy.certificate.size / n,
        marked=session,
    )
