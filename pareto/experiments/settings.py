"""What methods are tried on: symmetric instances, the eight benchmarks, and Arena with frontiers of any size.

Trials come in blocks of equal size, ten of which make the paper's number. A trial with number t of a setting
is the same instance for every method; its outcomes are the method's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from pareto.instances import BENCHMARKS, SCALING, Benchmark, frontier_family
from pareto.instances import symmetric as symmetric_scores
from pareto.links import Reals
from solvers.studies.study import seed_of

SIZES = (4, 8, 16, 32)
"""Frontier models in the frontier-size study."""


@dataclass(frozen=True)
class Setting:
    """One setting.

    name: in keys and files. text: for people. models, objectives: K and d. block: trials of a block.
    instances: how many instances there are; trials go round them.
    draw: latent scores (K, d) of an instance.
    """

    name: str
    text: str
    models: int
    objectives: int
    block: int
    instances: int
    draw: Callable[[int], Reals]

    def trials(self, block: int) -> range:
        """Numbers of the trials of a block."""
        return range(self.block * block, self.block * (block + 1))

    def theta(self, block: int) -> Reals:
        """Latent scores of the trials of a block, (trials, K, d), or (K, d) where all are the same."""
        if self.instances == 1:
            return self.draw(0)
        return _drawn(self.name, tuple(trial % self.instances for trial in self.trials(block)))

    def unit(self, trial: int) -> int:
        """What a trial has in common only with trials that are not independent of it: its instance.

        The trial itself where there is one instance, which is then no random thing.
        """
        return trial if self.instances == 1 else trial % self.instances


@lru_cache(maxsize=4)
def _drawn(name: str, instances: tuple[int, ...]) -> Reals:
    draw = SETTINGS[name].draw
    return np.stack([draw(instance) for instance in instances])


def _symmetric(models: int, objectives: int, gap: float) -> Setting:
    return Setting(
        name=f"symmetric-{models}-{objectives}-{gap:.2f}",
        text=f"K = {models}, d = {objectives}, Δ = {gap:g}",
        models=models,
        objectives=objectives,
        block=50,
        instances=1,
        draw=lambda _instance: symmetric_scores(models, objectives, gap),
    )


def _random(family: Benchmark, text: str, block: int, instances: int) -> Setting:
    seed = seed_of(f"instances of {family.name}")
    return Setting(
        family.name, text, family.models, family.objectives, block, instances, partial(family.theta, seed)
    )


_TEXTS = {
    "convex-2d": "Convex-2D",
    "convex-3d": "Convex-3D",
    "arena-4-small": "Arena-4 small",
    "arena-4-medium": "Arena-4 medium",
    "arena-10": "Arena-10",
    "witness-4": "Witness-4",
    "witness-10": "Witness-10",
    "two-group-10": "Two-group-10",
}

SCALED: dict[tuple[int, int, float], Setting] = {at: _symmetric(*at) for at in SCALING}
"""The symmetric settings by (K, d, Δ); ten, because two of the paper's twelve occur in two of its panels."""
TASKS: dict[str, Setting] = {
    name: _random(family, _TEXTS[name], 50, family.instances) for name, family in BENCHMARKS.items()
}
"""The eight benchmarks by name."""
FAMILIES: dict[tuple[int, int], Setting] = {
    (objectives, kept): _random(
        frontier_family(objectives, kept), f"Arena-{objectives}, |P| = {kept}", 30, 300
    )
    for objectives in (4, 10)
    for kept in SIZES
}
"""The frontier-size study by (d, |P|)."""

SETTINGS: dict[str, Setting] = {
    setting.name: setting for setting in (*SCALED.values(), *TASKS.values(), *FAMILIES.values())
}
