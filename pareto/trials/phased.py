"""Many simulated runs of the paper's four methods at once, with the decisions of the samplers.

Arguments: what comparisons are drawn from, a generator for each of T trials, and what trials share. Points
are in whole units throughout, and thresholds on points with them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pareto.comparisons import Counts
from pareto.gaps import gaps, leads
from pareto.laws import Chances, Law
from pareto.result import Mask
from pareto.samplers.answers import guess
from pareto.samplers.borda_plugin import smoothed_borda
from pareto.samplers.bt_mle import fitted_scores
from pareto.samplers.elimination import Elimination
from pareto.samplers.schedule import Phase
from pareto.scores import Scores
from pareto.standing import standing
from pareto.trials.simulation import Generators, Setting, Trials


def vb_ege_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    count = len(rngs)
    _, models, objectives = law.shape
    chances = law.arms()
    points = np.zeros((count, models, objectives), dtype=np.int64)
    active = np.ones((count, models), dtype=np.bool_)
    accepted = np.zeros_like(active)
    comparisons, phases = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    draws = np.zeros((count, models), dtype=np.int64)
    open_ = np.arange(count)
    for at, fresh in setting.phases(models * objectives):
        cost = [fresh * objectives * int(live) for live in active[open_].sum(axis=1)]
        fits = [
            spent + more <= setting.limit
            for spent, more in zip(comparisons[open_].tolist(), cost, strict=True)
        ]
        open_, cost = open_[fits], [more for more, fit in zip(cost, fits, strict=True) if fit]
        if not len(open_):
            break
        for trial in open_.tolist():
            live = active[trial]
            points[trial, live] += chances.of(trial)[live].drawn(rngs[trial], fresh)
        comparisons[open_] += cost
        phases[open_] = at.number
        draws[open_] = np.where(active[open_], at.draws, draws[open_])
        _eliminate(points, active, accepted, open_, at, setting, chances.unit)
        open_ = open_[active[open_].any(axis=1)]
    stopped: Mask = np.logical_not(active.any(axis=1))
    kept = accepted
    for trial in np.flatnonzero(~stopped).tolist():
        with np.errstate(invalid="ignore"):
            means = points[trial] / (draws[trial, :, None] * chances.unit)
        kept[trial] = guess(means, accepted[trial], active[trial], setting.margin)
    return Trials(comparisons, kept, ~active, stopped, phases, draws)


def _eliminate(
    points: Counts, active: Mask, accepted: Mask, open_: Counts, at: Phase, setting: Setting, unit: int
) -> None:
    """The end of a phase in the open trials, on their active models only."""
    alive = active[open_]
    width = int(alive.sum(axis=1).max())
    # active models first, in their order, which is the order in which ties are broken
    who = np.argsort(~alive, axis=1, kind="stable")[:, :width]
    lead = leads(np.take_along_axis(points[open_], who[:, :, None], axis=1), setting.margin * at.draws * unit)
    threshold = setting.constants.threshold * at.radius * at.draws * unit
    inner = Elimination(lead, np.take_along_axis(alive, who, axis=1), threshold)
    inner.run()
    where = np.broadcast_to(open_[:, None], who.shape)
    accepted[where, who] |= inner.accepted
    active[where, who] = inner.active


Estimate = Callable[[Counts, int, int], Scores]
"""Estimates (T, K, d) from tallies in units, draws of a cell, and units to a point."""


def focal_borda_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    return _at_once(law.arms(), rngs, setting, law.shape[1], lambda points, draws, unit: points, True)


def bt_mle_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    models = law.shape[1]

    def estimate(wins: Counts, draws: int, unit: int) -> Scores:
        return fitted_scores(squares(wins, draws, unit, models))

    return _at_once(law.pairs(), rngs, setting, models, estimate, False)


def borda_plugin_trials(law: Law, rngs: Generators, setting: Setting) -> Trials:
    models = law.shape[1]

    def estimate(wins: Counts, draws: int, unit: int) -> Scores:
        return smoothed_borda(squares(wins, draws, unit, models))

    return _at_once(law.pairs(), rngs, setting, models, estimate, False)


def _at_once(
    chances: Chances,
    rngs: Generators,
    setting: Setting,
    models: int,
    estimate: Estimate,
    in_points: bool,
) -> Trials:
    """All cells alike in every phase, until all gaps are clear: `chances` (T or 1, …) of the cells.

    in_points: estimates are tallies, whole and in units, and then gaps are too.
    """
    count = len(rngs)
    cells = chances.win[0].size
    wins = np.zeros((count, *chances.win.shape[1:]), dtype=np.int64)
    comparisons, phases = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    draws = np.zeros((count, models), dtype=np.int64)
    stopped = np.zeros(count, dtype=np.bool_)
    kept = np.ones((count, models), dtype=np.bool_)
    open_ = np.arange(count)
    for at, fresh in setting.phases(cells):
        if at.draws * cells > setting.limit:
            break
        for trial in open_.tolist():
            wins[trial] += chances.of(trial).drawn(rngs[trial], fresh)
        comparisons[open_], phases[open_], draws[open_] = at.draws * cells, at.number, at.draws
        estimates = estimate(wins[open_], at.draws, chances.unit)
        unit = at.draws * chances.unit if in_points else 1
        smallest = gaps(estimates, margin=setting.margin * unit).min(axis=1)
        clear = smallest > setting.constants.threshold * at.radius * unit
        for trial, values in zip(open_.tolist(), estimates, strict=True):
            kept[trial] = standing(values).lead <= setting.margin * unit
        stopped[open_[clear]] = True
        open_ = open_[~clear]
        if not len(open_):
            break
    decided = np.repeat(stopped[:, None], models, axis=1)
    return Trials(comparisons, kept, decided, stopped, phases, draws)


def squares(wins: Counts, draws: int, unit: int, models: int) -> Scores:
    """Wins (T, d, K, K) from those of the first models of pairs (T, d, pairs); halves as fractions."""
    first, second = np.triu_indices(models, 1)
    square = np.zeros((*wins.shape[:-1], models, models), dtype=np.int64)
    square[..., first, second] = wins
    square[..., second, first] = draws * unit - wins
    return square if unit == 1 else square / unit
