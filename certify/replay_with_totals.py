"""Where along a replayed path the stopping test fires when class totals are known.

Policies do not look at totals, so the path is the one without them, cut short. Labels only take completions
away: once somebody is certified, somebody is at every longer prefix, and the first such prefix is found by
halving.
"""

from __future__ import annotations

import numpy as np

from certify.bounds import PairMatrix, Requirement, best, gap
from certify.pool import Pool
from certify.replay import Replay
from certify.risks import UNLABELLED, Codes
from certify.tolerance import Exact, exact_tolerance
from certify.totals import Totals, lower_with_totals


def cut_short(pool: Pool, codes: Codes, run: Replay, totals: Totals, tolerance: Exact = "0") -> Replay:
    """`run`, a replay on the labels `codes` ((n,)) without totals, up to where the test with totals fires.

    A session with totals stops there too when `run` reads `every_row`: its other rows say something as well.
    About log₂ n times K(K − 1) bounds. Raises `PoolError` where the labels read contradict the totals.
    """
    risks = pool.risks
    requirement = Requirement.of(exact_tolerance(tolerance), risks.scale)

    def after(count: int) -> PairMatrix:
        read = np.full(len(codes), UNLABELLED, dtype=np.int16)
        read[run.rows[:count]] = codes[run.rows[:count]]
        return lower_with_totals(risks, read, totals)

    few, many = -1, len(run.rows)
    lower = after(many)
    while many - few > 1:
        middle = (few + many) // 2
        found = after(middle)
        if best(found, requirement)[1]:
            many, lower = middle, found
        else:
            few = middle
    winner, certified = best(lower, requirement)
    return Replay(run.rows[:many], certified, winner, gap(lower, winner, risks.scale), lower)
