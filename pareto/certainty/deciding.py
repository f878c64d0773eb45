"""Which claims are made: all that are significant at their level, again and again while levels rise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.certainty.line import Line
from pareto.certainty.protection import Protection
from pareto.certainty.tails import Index
from pareto.links import Reals
from pareto.result import Mask

SCREEN = 0.5
"""A test whose p a normal tail puts at more than e^0.5 times the level is not worth working out."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """Attributes:

    dominated, frontier: (K,) what was claimed.
    witness: (K,) who dominates a model, −1 for the others.
    log_level: (K,) at which the claim was made, 0 where none was.
    log_waiting: (K, K) log level of the claims still open that column dominates row, −∞ for the others.
    log_hoping: (K,) the same of the claims that a model is on the frontier.
    """

    dominated: Mask
    frontier: Mask
    witness: Index
    log_level: Reals
    log_waiting: Reals
    log_hoping: Reals


def decide(queue: Line, log_dominated: Reals, protection: Protection, delta: float) -> Decisions:
    """Claims at error δ; log_dominated (K, K): p of the claim that column dominates row, the largest over
    objectives."""
    models = len(log_dominated)
    said = queue.dominated
    log_p = np.where(said, log_dominated[queue.model, queue.witness], 0.0)
    waiting = np.ones(len(said), dtype=np.bool_)
    dominated, frontier = np.zeros(models, dtype=np.bool_), np.zeros(models, dtype=np.bool_)
    witness, log_level = np.full(models, -1, dtype=np.int64), np.zeros(models)
    while True:
        levels = queue.log_levels(delta, waiting)
        # a model of which one thing was said is left alone, though the other claim about it stays in line
        free = waiting & ~(dominated | frontier)[queue.model]
        made = np.flatnonzero(free & said & (log_p <= levels))
        hoped = [
            at
            for at in np.flatnonzero(free & ~said).tolist()
            if _protected(int(queue.model[at]), ~dominated, protection, float(levels[at]))
        ]
        if not len(made) and not hoped:
            break
        for at in made.tolist():
            model = queue.model[at]
            if not dominated[model]:
                dominated[model], witness[model], log_level[model] = True, queue.witness[at], levels[at]
        for at in hoped:
            model = queue.model[at]
            if not dominated[model]:  # both at once contradict each other: the witness is kept
                frontier[model], log_level[model] = True, levels[at]
                waiting[at] = False
        waiting &= ~(said & dominated[queue.model])
    levels = np.where(waiting, levels, -np.inf)
    log_waiting = np.full((models, models), -np.inf)
    log_waiting[queue.model[said], queue.witness[said]] = levels[said]
    log_hoping = np.full(models, -np.inf)
    log_hoping[queue.model[~said]] = levels[~said]
    return Decisions(dominated, frontier, witness, log_level, log_waiting, log_hoping)


def _protected(i: int, live: Mask, protection: Protection, log_level: float) -> bool:
    """True if some test protects i from every other live model."""
    rivals = live.copy()
    rivals[i] = False
    if (protection.promise[i, rivals] > log_level + SCREEN).any():
        return False
    return all(protection.test(i, j).log_p <= log_level for j in np.flatnonzero(rivals).tolist())
