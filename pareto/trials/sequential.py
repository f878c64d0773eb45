"""Many simulated runs of `duel`, `commit` and `interval` at once, with the decisions of the samplers.

As in `running`: a trial's outcomes come from its own generator, and a draw with a uniform opponent is drawn
as what it is, with the Borda score as mean. Arguments and results are those of `phased`; phases are
rounds, and draws those of a model on all objectives: as focal model, or on either side of a duel.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pareto.comparisons import Counts
from pareto.laws import Chances, Law
from pareto.links import Reals
from pareto.result import Mask
from pareto.samplers.answers import guess
from pareto.samplers.commit_choice import CommitRace
from pareto.samplers.duel_choice import DuelRace, Duels
from pareto.samplers.interval_choice import Draws, IntervalRace
from pareto.samplers.rounds import LARGEST
from pareto.trials.simulation import Generators, Setting, Trials


def duel_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `duel`, one for each generator."""
    return raced(DuelRace, law, rngs, setting)


def commit_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `commit`, one for each generator."""
    return raced(CommitRace, law, rngs, setting)


def raced(kind: type[DuelRace], law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `duel`, or of a method whose race is a `kind` of its."""
    count, (_, models, objectives) = len(rngs), law.shape
    race = kind(count, models, objectives, setting.delta, setting.margin)
    rounds, met = np.zeros(count, dtype=np.int64), np.zeros((count, models), dtype=np.int64)
    capped = np.zeros(count, dtype=np.bool_)
    while len(_going(race.open, capped)):
        duels = race.want()
        share = _share(duels.trial, duels.count, race.spent, min(setting.limit, LARGEST), capped)
        some = share > 0
        duels = Duels(
            duels.trial[some], duels.first[some], duels.second[some], duels.objective[some], share[some]
        )
        if not len(duels.trial):
            break
        chances = law.cells(duels.trial, duels.first, duels.second, duels.objective)
        points = _drawn(duels.trial, duels.count, chances, rngs)
        rounds[np.unique(duels.trial)] += 1
        np.add.at(met, (duels.trial, duels.first), duels.count)
        np.add.at(met, (duels.trial, duels.second), duels.count)
        race.take(duels, points)
    tickets = race.tickets
    latent = np.moveaxis(race.belief.theta, 1, 2)
    kept = _kept(tickets.accepted, tickets.rejected, latent, race.latent_margin)
    return _trials(race.spent, kept, tickets.decided, rounds, met)


def interval_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    """Runs of `interval`, one for each generator."""
    count, (_, models, objectives) = len(rngs), law.shape
    arms = law.arms()
    race = IntervalRace(count, models, objectives, setting.delta, setting.margin)
    rounds = np.zeros(count, dtype=np.int64)
    capped = np.zeros(count, dtype=np.bool_)
    while len(_going(race.open, capped)):
        draws = race.want()
        share = _share(draws.trial, draws.count, race.spent, min(setting.limit, LARGEST), capped)
        some = share > 0
        draws = Draws(draws.trial[some], draws.model[some], draws.objective[some], share[some])
        if not len(draws.trial):
            break
        which = draws.trial if len(arms.win) > 1 else np.zeros_like(draws.trial)
        points = _drawn(draws.trial, draws.count, arms[which, draws.model, draws.objective], rngs)
        rounds[np.unique(draws.trial)] += 1
        race.take(draws, points)
    claims = race.tests
    with np.errstate(invalid="ignore"):
        means = race.points / race.draws
    kept = _kept(claims.accepted, claims.rejected, means, setting.margin)
    focal = np.rint(race.draws.sum(axis=2)).astype(np.int64)
    return _trials(race.spent, kept, ~claims.undecided, rounds, focal)


def _going(open_: Counts, capped: Mask) -> Counts:
    return open_[~capped[open_]]


def _share(trial: Counts, count: Counts, spent: Counts, limit: int, capped: Mask) -> Counts:
    """`count` (m,) where a trial can afford all its rows; else the first that fit. Marks who is capped."""
    wanted = np.bincount(trial, weights=count, minlength=len(spent))
    over = spent + wanted >= limit
    kept = count.copy()
    for index in np.flatnonzero(over & (wanted > 0)).tolist():
        rows = np.flatnonzero(trial == index)
        left = limit - int(spent[index])
        before = np.cumsum(count[rows]) - count[rows]
        kept[rows] = np.clip(left - before, 0, count[rows])
        capped[index] = True
    already = spent[trial] >= limit
    kept[already] = 0
    return kept


def _drawn(trial: Counts, count: Counts, chances: Chances, rngs: Generators) -> Reals:
    """Points (m,), each trial's from its own generator, in the order of its rows."""
    points = np.empty(len(trial))
    order = np.argsort(trial, kind="stable")
    who, begins = np.unique(trial[order], return_index=True)
    for index, rows in zip(who.tolist(), np.split(order, begins[1:]), strict=True):
        points[rows] = chances[rows].drawn(rngs[index], count[rows]) / chances.unit
    return points


def _kept(accepted: Mask, rejected: Mask, estimates: Reals, margin: float) -> Mask:
    """The claims, and a guess where there is none."""
    kept = accepted.copy()
    for trial in np.flatnonzero(~(accepted | rejected).all(axis=1)).tolist():
        kept[trial] = guess(estimates[trial], accepted[trial], ~rejected[trial], margin)
    return kept


def _trials(comparisons: Counts, kept: Mask, decided: Mask, rounds: Counts, draws: Counts) -> Trials:
    return Trials(
        comparisons=comparisons,
        frontier=kept,
        decided=decided,
        stopped=np.asarray(decided.all(axis=1)),
        phases=rounds,
        draws=draws,
    )


SIZES: dict[str, Callable[[int, int], int]] = {
    "duel": lambda models, objectives: 8 * models * models * objectives,
    "commit": lambda models, objectives: 8 * models * models * objectives,
    "interval": lambda models, objectives: 4 * models * models * objectives,
}
"""Entries that a trial keeps in arrays."""
