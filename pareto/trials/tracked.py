"""Many simulated runs of `track-and-stop` at once, with the decisions of the sampler.

As in `running`: a trial's outcomes come from its own generator, pairs in order, batch after batch. Of the
results, phases are checks, and draws those of a model on either side, on all objectives.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pareto.errors import BattleError
from pareto.laws import Law
from pareto.samplers.track_and_stop import refuse_margin
from pareto.samplers.track_constants import EARLIER
from pareto.samplers.track_race import TrackRace
from pareto.trials.simulation import Generators, Setting, Trials


def track_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `track-and-stop`, one for each generator."""
    refuse_margin(setting.margin)
    chances = law.pairs()
    if chances.half is not None:
        raise BattleError("track-and-stop takes wins and losses; half wins have no place in its likelihood")
    count, (_, models, objectives) = len(rngs), law.shape
    constants = replace(EARLIER, most=min(setting.limit, EARLIER.most))
    race = TrackRace(count, models, objectives, setting.delta, constants)
    while len(open_ := race.open):
        plan = race.plan[open_]
        drawn = [
            chances.of(trial).drawn(rngs[trial], wanted)
            for trial, wanted in zip(open_.tolist(), plan, strict=True)
        ]
        race.take(open_, plan, np.stack(drawn))
    return Trials(
        comparisons=race.spent,
        frontier=race.frontier,
        decided=np.repeat(race.stopped[:, None], models, axis=1),
        stopped=race.stopped,
        phases=race.checks,
        draws=race.met.sum(axis=1),
    )
