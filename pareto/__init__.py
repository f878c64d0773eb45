"""Which models are worth keeping when quality has several sides.

pareto.frontier(scores)                          # who is not beaten on every objective
source = pareto.BradleyTerrySource(theta, seed=0)    # or CallbackSource(function, models, objectives)
pareto.identify(source, method="vb-ege", delta=0.05).frontier    # the same, from noisy comparisons
session = pareto.Session(models, objectives, journal="votes.journal")    # ask, tell, result: people vote
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pareto.borda import borda
    from pareto.comparisons import Outcomes, Queries
    from pareto.driving import drive
    from pareto.errors import BattleError
    from pareto.frontier import dominates, frontier
    from pareto.gaps import gaps
    from pareto.identify import identify
    from pareto.result import Result, Status
    from pareto.samplers import METHODS, make_sampler
    from pareto.session import Session
    from pareto.simulation import Trials
    from pareto.sources import BradleyTerrySource, CallbackSource, ProbabilitySource
    from pareto.standing import Standing, standing
    from pareto.task import Task
    from pareto.trials import simulate

_HOMES = {
    "METHODS": "samplers",
    "BattleError": "errors",
    "BradleyTerrySource": "sources",
    "CallbackSource": "sources",
    "Outcomes": "comparisons",
    "ProbabilitySource": "sources",
    "Queries": "comparisons",
    "Result": "result",
    "Session": "session",
    "Standing": "standing",
    "Status": "result",
    "Task": "task",
    "Trials": "simulation",
    "borda": "borda",
    "dominates": "frontier",
    "drive": "driving",
    "frontier": "frontier",
    "gaps": "gaps",
    "identify": "identify",
    "make_sampler": "samplers",
    "simulate": "trials",
    "standing": "standing",
}

__all__ = [
    "METHODS",
    "BattleError",
    "BradleyTerrySource",
    "CallbackSource",
    "Outcomes",
    "ProbabilitySource",
    "Queries",
    "Result",
    "Session",
    "Standing",
    "Status",
    "Task",
    "Trials",
    "borda",
    "dominates",
    "drive",
    "frontier",
    "gaps",
    "identify",
    "make_sampler",
    "simulate",
    "standing",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pareto' has no attribute {name!r}")
    return getattr(import_module(f"pareto.{_HOMES[name]}"), name)


class _Package(ModuleType):
    """A package in which importing `pareto.frontier` does not hide the function of that name."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and _HOMES.get(name) == name:
            return  # the import system binding a submodule; `__getattr__` gives the function
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
