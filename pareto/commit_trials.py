"""Many simulated runs of `commit` at once, with the decisions of the sampler: as for `duel`, another race."""

from __future__ import annotations

from pareto.laws import Law
from pareto.samplers.commit_choice import CommitRace
from pareto.sequential_trials import raced
from pareto.simulation import Generators, Setting, Trials


def commit_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `commit`, one for each generator; see `sequential_trials`."""
    return raced(CommitRace, law, rngs, setting)
