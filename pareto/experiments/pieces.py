"""A piece of work: one method on one block of trials of one setting; a row for every trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pareto.experiments.settings import SETTINGS, Setting
from pareto.frontier import frontier
from pareto.samplers.schedule import PAPER, Constants
from pareto.trials import Trials, simulate
from solvers.studies.study import Columns, Row, seed_of

BASELINES = ("focal-borda", "bt-mle", "borda-plugin")
"""The paper's methods beside its own."""
OURS = ("interval", "duel", "commit")
"""Ours."""
BASE = "vb-ege"
"""The paper's own method, which all others are measured against."""
METHODS = (BASE, *BASELINES, *OURS)

DELTA = 0.05

COLUMNS: Columns = {
    "setting": str,
    "method": str,
    "delta": float,
    "trial": int,
    "unit": int,
    "comparisons": int,
    "wrong": int,
    "stopped": int,
}
"""unit: trials that share it share their instance. wrong: 1 where the frontier is not the true one."""


@dataclass(frozen=True)
class Piece:
    """One piece; its key names it and is its seed, so it does not matter what else is run."""

    setting: Setting
    method: str
    block: int
    delta: float = DELTA

    @property
    def key(self) -> str:
        """``SETTING/METHOD/BLOCK``, with ``/DELTA`` before the block where it is not 0.05."""
        middle = "" if self.delta == DELTA else f"{self.delta:g}/"
        return f"{self.setting.name}/{self.method}/{middle}{self.block}"

    @classmethod
    def of(cls, key: str) -> Piece:
        """The piece that has this key."""
        name, method, *delta, block = key.split("/")
        return cls(SETTINGS[name], method, int(block), float(delta[0]) if delta else DELTA)

    def run(self, constants: Constants = PAPER) -> Trials:
        """The trials of the block."""
        return simulate(
            self.method,
            self.setting.theta(self.block),
            self.setting.trials(self.block),
            seed_of(self.key),
            delta=self.delta,
            constants=constants,
        )

    def rows(self, constants: Constants = PAPER) -> list[Row]:
        """A row for each trial."""
        found = self.run(constants)
        theta = self.setting.theta(self.block)
        true = frontier(theta) if theta.ndim == 2 else np.stack([frontier(one) for one in theta])
        wrong = (found.frontier != true).any(axis=1)
        return [
            {
                "setting": self.setting.name,
                "method": self.method,
                "delta": self.delta,
                "trial": trial,
                "unit": self.setting.unit(trial),
                "comparisons": spent,
                "wrong": int(bad),
                "stopped": int(stopped),
            }
            for trial, spent, bad, stopped in zip(
                self.setting.trials(self.block),
                found.comparisons.tolist(),
                wrong.tolist(),
                found.stopped.tolist(),
                strict=True,
            )
        ]


def keys(
    settings: Iterable[Setting],
    seeds: int,
    methods: Sequence[str] = METHODS,
    deltas: Sequence[float] = (DELTA,),
) -> list[str]:
    """Keys of all blocks 0 … seeds − 1; those of a setting's block are neighbours and share its instances."""
    return [piece.key for setting in settings for piece in _pieces(setting, seeds, methods, deltas)]


def _pieces(setting: Setting, seeds: int, methods: Sequence[str], deltas: Sequence[float]) -> Iterator[Piece]:
    for block in range(seeds):
        for delta in deltas:
            for method in methods:
                yield Piece(setting, method, block, delta)


def work(key: str) -> list[Row]:
    """The rows of the piece called `key`."""
    return Piece.of(key).rows()
