"""Closing in on the information limit from both sides.

Upwards, allocations: what one has against its closest alternative is proven by branch and bound
(`exact_glr`). Downwards, mixtures of alternatives (`mixtures`). In between, a pool of alternatives that
mattered so far, and steps that raise the information against all of them together (`reweighting`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pareto.alternatives import Alternative
from pareto.exact_glr import Wanted, near
from pareto.frontier import frontier
from pareto.limit.cells import Cells
from pareto.limit.mixtures import bound_of, hardest
from pareto.limit.responses import Responses, Row, merged, stacked
from pareto.limit.reweighting import reweighted
from pareto.links import Reals
from pareto.scores import Mask

MANY = Wanted(reach=4.0, spread=0.3, most=8, nodes=1_000)


@dataclass(frozen=True)
class Habits:
    """Numbers that only change how fast the bounds meet.

    Attributes:
        wanted: which alternatives join the pool at every step.
        power: the model's steps are taken to this power, as it is too cautious.
        shrink: no share falls below this part of itself in one step, as the pool does not know everything.
        floor: least share of a cell, by that of an even allocation, so that no cell is forgotten.
        fall: a step that loses more than this share is taken back.
        patience: after so many steps in a row without a gain, for which no new alternative is to blame, steps
            start from the best allocation and become shorter,
        shorter, longer, shortest: by these factors, back again after a gain, and not below this.
        settled: a step that gains less than this share asks for the linear program,
        pause: but not so soon after the last one.
        mix: share of the linear program's allocation in the step after it.
        share: alternatives with a smaller share of the pool's mixture stay out of the linear program.
        forget: alternatives with a smaller part of the largest multiplier leave the pool.
    """

    wanted: Wanted = MANY
    power: float = 1.5
    shrink: float = 0.3
    floor: float = 1e-3
    fall: float = 0.1
    patience: int = 3
    shorter: float = 0.7
    longer: float = 1.5
    shortest: float = 0.05
    settled: float = 0.01
    pause: int = 4
    mix: float = 0.1
    share: float = 1e-6
    forget: float = 1e-9


HABITS = Habits()
FAINT = 1e-6
"""Information, in units of what is known to be reached, that is added to bounds instead of kept."""


class Search:
    """Allocations, alternatives and bounds so far, from shares `start` (classes,).

    level: information that some allocation is known to reach.

    Attributes:
        mass: (classes,) the best allocation so far.
        reached: its proven information a comparison: 1/T* is at least this.
        bound: 1/T* is at most this.
        mixture: the alternatives, with shares, that prove `bound`; one may occur several times.
        steps: allocations looked at.
        ends: by `time.perf_counter`, when linear programs are to end; without one they take what they take.
    """

    def __init__(
        self, theta: Reals, cells: Cells, start: Reals, level: float, habits: Habits = HABITS
    ) -> None:
        self.theta, self.cells, self.habits = theta, cells, habits
        self._faint = FAINT * level
        self.kept: Mask = frontier(theta)
        self.mass = start
        self.reached, self.bound = 0.0, np.inf
        self.mixture: list[tuple[Alternative, float]] = []
        self.steps = 0
        self.ends = np.inf
        self._next = start
        self._pool: dict[Alternative, float] = {}
        self._best: Responses
        self._length, self._idle = 1.0, 0
        self._carried: list[tuple[Alternative, Row]] = []
        self._used: Mask = np.zeros(len(start), dtype=np.bool_)
        self._last_program = 0

    @property
    def gap(self) -> float:
        """By which share the bounds on T* differ."""
        return self.bound / self.reached - 1 if self.reached else np.inf

    def step(self) -> None:
        """Look at one more allocation."""
        habits, before = self.habits, self.reached
        here = Responses(self.theta, self.cells, self._next, self._faint)
        found = near(here.costs, self.kept, habits.wanted, self.cells.representative)
        self.steps += 1
        taken = found.lower >= (1 - habits.fall) * self.reached
        if taken:  # else what does not matter here may matter a step further
            least = habits.forget * max(self._pool.values(), default=0.0)
            self._pool = {one: value for one, value in self._pool.items() if value > least}
        known = len(self._pool)
        for _, alternative in found.found:
            self._pool.setdefault(alternative, 0.0)
        fresh = len(self._pool) > known
        if found.lower > before or self.steps == 1:
            self.reached, self.mass, self._best = found.lower, self._next, here
            self._idle, self._length = 0, min(1.0, habits.longer * self._length)
        else:
            self._idle += not fresh or taken
            if self._idle > habits.patience:
                taken, self._length = False, max(habits.shortest, habits.shorter * self._length)
        settled = self.reached < (1 + habits.settled) * before and (taken or not fresh)
        self._next = self._moved(here if taken else self._best, settled)

    def _moved(self, centre: Responses, settled: bool) -> Reals:
        """The next allocation, by what all of the pool answers to this one."""
        habits, pool = self.habits, list(self._pool)
        values, rows = centre.of(pool)
        information = stacked(rows, len(centre.mass))
        multipliers = np.array(list(self._pool.values()))
        multipliers[multipliers == 0] = 1e-2 / len(pool)
        moved, multipliers = reweighted(centre.mass, values, information, multipliers)
        share = multipliers / (values * values)
        share /= share.sum()
        self._prove(bound_of(share, information, self._faint), zip(pool, share.tolist(), strict=True))
        mass = centre.mass * (moved / centre.mass) ** (habits.power * self._length)
        mass = np.maximum(mass / mass.sum(), habits.shrink * centre.mass)
        mass /= mass.sum()
        if settled and self.steps >= self._last_program + habits.pause:
            self._last_program = self.steps
            live = (share > habits.share).tolist()
            new = zip(pool, rows, live, strict=True)
            other = self._program([(one, row) for one, row, used in new if used])
            mass = (1 - habits.mix * self._length) * mass + habits.mix * self._length * other
        self._pool = dict(zip(pool, multipliers.tolist(), strict=True))
        mass = np.maximum(mass, habits.floor * self.cells.even)
        return np.asarray(mass / mass.sum())

    def _program(self, new: list[tuple[Alternative, Row]]) -> Reals:
        """Tighten the bound by the hardest mixture of these and those of last time; its other side."""
        pairs = [*new, *self._carried]
        information = stacked([row for _, row in pairs], len(self.mass))
        close = max(1e-3, min(self.gap / 10, 0.02))
        share, mass, self._used = hardest(
            information, self.reached, close, self._used, self.ends - time.perf_counter()
        )
        self._carried = merged(pairs, share)
        used = ((one, part) for (one, _), part in zip(pairs, share.tolist(), strict=True))
        self._prove(bound_of(share, information, self._faint), used)
        return np.asarray(mass)

    def _prove(self, bound: float, mixture: Iterable[tuple[Alternative, float]]) -> None:
        if bound < self.bound:
            self.bound, self.mixture = bound, [(one, share) for one, share in mixture if share > 0]
