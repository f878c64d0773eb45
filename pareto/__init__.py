"""Which models are worth keeping when quality has several sides.

pareto.frontier(scores)                          # who is not beaten on every objective
source = pareto.BradleyTerrySource(theta, seed=0)    # or CallbackSource(function, models, objectives)
pareto.identify(source, method="vb-ege", delta=0.05).frontier    # the same, from noisy comparisons
session = pareto.Session(models, objectives, journal="votes.journal")    # ask, tell, result: people vote
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solvers.lazy_package import load_lazily

if TYPE_CHECKING:
    from pareto.battles import Battles, read_battles
    from pareto.borda import borda
    from pareto.bundled import bundled_log
    from pareto.certainty import Certainty, certainty
    from pareto.comparisons import Outcomes, Queries
    from pareto.errors import BattleError
    from pareto.frontier import dominates, frontier
    from pareto.gaps import gaps
    from pareto.identify import identify
    from pareto.logged_source import LoggedSource
    from pareto.logged_trials import Resampling, resample
    from pareto.pair_counts import PairCounts
    from pareto.result import Result, Status
    from pareto.retention import Log
    from pareto.samplers import METHODS, make_sampler
    from pareto.session import Session
    from pareto.session.driving import drive
    from pareto.sources import BradleyTerrySource, CallbackSource, ProbabilitySource
    from pareto.standing import Standing, standing
    from pareto.targets import Target, target
    from pareto.task import Task
    from pareto.treatments import compare_treatments
    from pareto.trials import Trials, simulate

_HOMES = {
    "METHODS": "samplers",
    "BattleError": "errors",
    "Battles": "battles",
    "BradleyTerrySource": "sources",
    "CallbackSource": "sources",
    "Certainty": "certainty",
    "Log": "retention",
    "LoggedSource": "logged_source",
    "Outcomes": "comparisons",
    "PairCounts": "pair_counts",
    "ProbabilitySource": "sources",
    "Queries": "comparisons",
    "Resampling": "logged_trials",
    "Result": "result",
    "Session": "session",
    "Standing": "standing",
    "Status": "result",
    "Target": "targets",
    "Task": "task",
    "Trials": "trials",
    "borda": "borda",
    "bundled_log": "bundled",
    "certainty": "certainty",
    "compare_treatments": "treatments",
    "dominates": "frontier",
    "drive": "session.driving",
    "frontier": "frontier",
    "gaps": "gaps",
    "identify": "identify",
    "make_sampler": "samplers",
    "read_battles": "battles",
    "resample": "logged_trials",
    "simulate": "trials",
    "standing": "standing",
    "target": "targets",
}

__all__ = [
    "METHODS",
    "BattleError",
    "Battles",
    "BradleyTerrySource",
    "CallbackSource",
    "Certainty",
    "Log",
    "LoggedSource",
    "Outcomes",
    "PairCounts",
    "ProbabilitySource",
    "Queries",
    "Resampling",
    "Result",
    "Session",
    "Standing",
    "Status",
    "Target",
    "Task",
    "Trials",
    "borda",
    "bundled_log",
    "certainty",
    "compare_treatments",
    "dominates",
    "drive",
    "frontier",
    "gaps",
    "identify",
    "make_sampler",
    "read_battles",
    "resample",
    "simulate",
    "standing",
    "target",
]

load_lazily(__name__, _HOMES)
