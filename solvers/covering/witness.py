"""Incumbents of a covering program: the rounded relaxation, then exchanges in its core.

An optimal point differs from the relaxation only among columns whose reduced cost is close to zero: for
any feasible x, |x| − (dual value) is the sum of |1 − λ·g_i| over the columns that deviate from the sign
rule, plus λ·(surplus). So the search keeps everything else fixed and swaps columns within the core.
"""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.covering.prices import Mask, Reals, Relaxation
from solvers.problems import CoveringProgram

CORES = ((16, 64), (5, 50), (3, 64), (4, 40))
"""Cores tried in turn: cells per unit of λ·g, and number of columns."""
PER_CELL = 2
"""Columns kept per cell on either side of the core."""
POOL = 1600
"""Columns on either side a core is picked from."""
SHAKES = 8
"""Descents per start."""
MOST_STEPS = 20_000
"""Swap evaluations in one wide core; small ones could take very many."""
WIDTHS = (35, 70, 120)
"""Columns on either side of the wider cores."""


Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """The columns that are still open around a point x.

    Attributes:
        columns: indices into the program, by increasing |reduced cost|.
        gains: (m, c) float64 gains of those columns.
        cost: (c,) reduced costs.
        outside: bool (n,), columns taken for good.
        needed: (m,) what the core must cover.
    """

    columns: npt.NDArray[np.intp]
    gains: Reals
    cost: Reals
    outside: Mask
    needed: Reals


def _surplus(program: CoveringProgram, x: Mask) -> npt.NDArray[Any]:
    """gains @ x − demands (m,), in int64 where it fits and Python integers otherwise."""
    largest = max([0, *program.totals, *(abs(d) for d in program.demands.tolist())])
    kind = np.dtype(np.int64) if largest < 1 << 62 else np.dtype(object)
    return np.array(program.covered(x), dtype=kind) - program.demands.astype(kind)


def rounded(program: CoveringProgram, relaxation: Relaxation) -> Mask:
    """The relaxation rounded up, repaired in integers if need be, without redundant columns."""
    x = relaxation.x > 1e-9
    cost = relaxation.cost
    surplus = _surplus(program, x)
    if (surplus < 0).any():
        missing = -surplus
        outside = np.flatnonzero(~x)
        for i in outside[np.lexsort((outside, cost[outside]))]:
            gain = program.gains[:, i].astype(missing.dtype)
            if (gain[missing > 0] > 0).any():
                x[i] = True
                missing = missing - gain
                if not (missing > 0).any():
                    break
        surplus = -missing
    return without_redundant(program, x, surplus, cost)


def without_redundant(
    program: CoveringProgram, x: Mask, spare: npt.NDArray[Any], cost: Reals, tries: int = 400
) -> Mask:
    """x without columns it can ``spare``, the least useful (largest reduced cost) dropped first."""
    x = x.copy()
    taken = np.flatnonzero(x)
    if len(taken) > tries:
        taken = taken[np.argpartition(-cost[taken], tries)[:tries]]
    for i in taken[np.lexsort((-taken, -cost[taken]))]:
        left = spare - program.gains[:, i].astype(spare.dtype)
        if (left >= 0).all():
            x[i] = False
            spare = left
    return x


def _diverse(shares: Reals, order: npt.NDArray[np.intp], grain: int, size: int) -> list[int]:
    """The first ``size`` positions of ``order``, at most PER_CELL of each cell of the priced gains.

    Near λ·g = 1 most columns serve one constraint alone and are all but interchangeable: a core of those has
    no swap that moves a constraint by a fraction. Cells of width 1 / grain keep different mixtures.
    """
    cells = np.rint(np.minimum(shares * grain, 120.0)).astype(np.int8)
    seen: dict[bytes, int] = {}
    chosen: list[int] = []
    for k in order:
        cell = cells[:, k].tobytes()
        seen[cell] = seen.get(cell, 0) + 1
        if seen[cell] <= PER_CELL:
            chosen.append(int(k))
            if len(chosen) == size:
                break
    return chosen


def _nearest(program: CoveringProgram, relaxation: Relaxation, up: Mask) -> tuple[Places, Places]:
    """Taken and other columns of small |reduced cost|, by increasing |reduced cost|, at most POOL of each."""
    near = np.abs(relaxation.cost)
    pools = []
    for side in (np.flatnonzero(up), np.flatnonzero(~up)):
        pool = side
        if len(pool) > POOL:
            pool = pool[np.argpartition(near[pool], POOL)[:POOL]]
        pools.append(pool[np.lexsort((pool, near[pool]))])
    return pools[0], pools[1]


def _core(
    program: CoveringProgram, relaxation: Relaxation, up: Mask, surplus: npt.NDArray[Any], columns: Places
) -> Core:
    """The core of these columns around the point ``up`` with its ``surplus`` (m,)."""
    columns = columns[np.lexsort((columns, np.abs(relaxation.cost[columns])))]
    fixed = up.copy()
    fixed[columns] = False
    freed = program.gains[:, columns[up[columns]]].astype(object).sum(axis=1)
    return Core(
        columns=columns,
        gains=program.gains[:, columns].astype(np.float64),
        cost=relaxation.cost[columns],
        outside=fixed,
        needed=(freed - surplus).astype(np.float64),
    )


def cores(program: CoveringProgram, relaxation: Relaxation) -> Iterator[Core]:
    """Cores of columns with small |reduced cost|, half of them taken by the relaxation where possible."""
    up = relaxation.x > 0.5
    surplus = _surplus(program, up)
    inside, outside = _nearest(program, relaxation, up)
    pool = np.concatenate([inside, outside])
    shares = program.gains[:, pool].astype(np.float64) * relaxation.prices[:, None]
    known: set[bytes] = set()
    for grain, size in CORES:
        first = _diverse(shares, np.arange(len(inside)), grain, size // 2)
        second = _diverse(shares, len(inside) + np.arange(len(outside)), grain, size - len(first))
        core = _core(program, relaxation, up, surplus, pool[first + second])
        if core.columns.tobytes() not in known:
            known.add(core.columns.tobytes())
            yield core


def wide_cores(program: CoveringProgram, relaxation: Relaxation) -> Iterator[Core]:
    """Cores of the columns with the smallest |reduced cost| on either side, without regard to variety."""
    up = relaxation.x > 0.5
    surplus = _surplus(program, up)
    inside, outside = _nearest(program, relaxation, up)
    for width in WIDTHS:
        yield _core(program, relaxation, up, surplus, np.concatenate([inside[:width], outside[:width]]))
        if width >= max(len(inside), len(outside)):
            break


def _best_swap(surplus: Reals, gains: Reals, x: Mask, after: Reals, total: Reals) -> tuple[float, int, int]:
    """Priced shortfall after the best swap, with the entering and the leaving position.

    ``after`` and ``total`` are scratch space, constraints × entering × leaving and its sum: reusing it
    halves the time of a pass.
    """
    enter, leave = np.flatnonzero(~x), np.flatnonzero(x)
    np.subtract((surplus[:, None] + gains[:, enter])[:, :, None], gains[:, leave][:, None, :], out=after)
    np.minimum(after, 0.0, out=after)
    np.add.reduce(after, axis=0, out=total)
    best = int(total.argmax())
    return -float(total.flat[best]), int(enter[best // len(leave)]), int(leave[best % len(leave)])


def exchange(core: Core, prices: Reals, size: int, steps: int) -> Mask | None:
    """A covering selection of exactly ``size`` core columns, bool (c,), or None if none was found.

    Starts from the cheapest columns, with seeded noise on later starts, and takes the swap that lowers the
    priced shortfall Σ λ_j max(0, shortfall_j) most; where no swap helps, the best selection of this start is
    shaken by two random swaps.

    Args:
        steps: number of swap evaluations before giving up.
    """
    count = len(core.columns)
    if not 0 < size < count:
        return None
    weight = np.where(prices > 0, prices, float(prices.max(initial=0.0)) or 1.0)
    gains = core.gains * weight[:, None]
    after = np.empty((len(gains), count - size, size))
    total = np.empty(after.shape[1:])
    random = np.random.default_rng(0)
    spread = 0.7 * float(np.abs(core.cost).mean())
    x = best = np.zeros(count, dtype=np.bool_)
    least = float("inf")
    for start in itertools.count():
        if start % SHAKES == 0:
            noise = spread * random.normal(size=count) if start else 0.0
            x = np.zeros(count, dtype=np.bool_)
            x[np.argsort(core.cost + noise, kind="stable")[:size]] = True
            least = float("inf")
        else:
            x = best.copy()
            swaps = min(2, size, count - size)
            x[random.choice(np.flatnonzero(best), swaps, replace=False)] = False
            x[random.choice(np.flatnonzero(~best), swaps, replace=False)] = True
        while True:
            surplus = (core.gains @ x - core.needed) * weight
            short = -float(np.minimum(surplus, 0.0).sum())
            if short == 0.0:
                return x
            if steps == 0:
                return None
            steps -= 1
            left, enter, leave = _best_swap(surplus, gains, x, after, total)
            if left >= short * (1.0 - 1e-12):
                break
            x[enter], x[leave] = True, False
        if short <= least:
            best, least = x, short
    return None


def cover_of_size(
    program: CoveringProgram, relaxation: Relaxation, core: Core, size: int, steps: int
) -> Mask | None:
    """A cover of ``size`` columns that departs from the relaxation within the core, verified in integers."""
    found = exchange(core, relaxation.prices, size - int(core.outside.sum()), steps)
    if found is None:
        return None
    x = core.outside.copy()
    x[core.columns[found]] = True
    return x if program.check(x) == 0 else None


def improved(
    program: CoveringProgram, relaxation: Relaxation, x: Mask, lower: int, steps: int, deadline: float
) -> Mask:
    """The smallest cover found between ``lower`` and the size of x; x itself if there is none.

    Sizes are tried from ``lower`` upwards, each on every core.
    """
    if int(x.sum()) <= lower:
        return x
    around = list(cores(program, relaxation))
    for size in range(lower, int(x.sum())):
        for core in around:
            if time.perf_counter() > deadline:
                return x
            better = cover_of_size(program, relaxation, core, size, steps)
            if better is not None:
                return better
    return x


def sought(
    program: CoveringProgram, relaxation: Relaxation, size: int, work: int, deadline: float
) -> Mask | None:
    """A cover of ``size`` columns from the wide cores, None if none was found.

    Args:
        work: constraints × pairs of columns to evaluate in every core.
    """
    for core in wide_cores(program, relaxation):
        if time.perf_counter() > deadline:
            break
        steps = min(MOST_STEPS, work // (program.m * max(1, len(core.columns) // 2) ** 2))
        found = cover_of_size(program, relaxation, core, size, steps)
        if found is not None:
            return found
    return None
