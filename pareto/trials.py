"""Many simulated runs of the paper's four methods at once, with the decisions of the samplers.

A trial's outcomes come from its own generator, seeded by (seed, trial), so it does not matter which other
trials run beside it. A draw with a uniform opponent is drawn as what it is, Bernoulli with the Borda
score as mean, so outcomes differ from those of a sampler asking a source; their law does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.borda import borda
from pareto.comparisons import Counts
from pareto.errors import BattleError
from pareto.gaps import gaps, leads
from pareto.links import Link, Reals, logistic
from pareto.result import Mask
from pareto.samplers.answers import guess
from pareto.samplers.borda_plugin import smoothed_borda
from pareto.samplers.bt_mle import fitted_scores
from pareto.samplers.elimination import Elimination
from pareto.samplers.phased import LARGEST
from pareto.samplers.schedule import PAPER, Constants, Phase, phase
from pareto.scores import Scores, as_scores
from pareto.sequential_trials import SIZES, duel_trials, interval_trials
from pareto.standing import standing
from pareto.task import check_delta

BLOCK = 1 << 19
"""Entries of the (trials, K, K) or (trials, cells) arrays worked on at a time."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Results of T runs.

    Attributes:
        comparisons: (T,) until stopping or capping.
        frontier: (T, K) the answer; the undecided models of a capped trial by present estimates.
        decided: (T, K) True where the method has decided.
        stopped: (T,) False where capped.
        phases: (T,) the last phase sampled.
        draws: (T, K) for methods with focal models, comparisons of each as focal model on one objective;
            for the others, comparisons of each pair on one objective.
    """

    comparisons: Counts
    frontier: Mask
    decided: Mask
    stopped: Mask
    phases: Counts
    draws: Counts


@dataclass(frozen=True)
class Setting:
    """What all trials share."""

    delta: float
    constants: Constants
    limit: int
    margin: float

    def phases(self, cells: int) -> Iterator[tuple[Phase, int]]:
        """Phases 1, 2, … with the draws of a cell that are new in each."""
        before, number = 0, 1
        while True:
            now = phase(number, cells, self.delta, self.constants)
            yield now, now.draws - before
            before, number = now.draws, number + 1


def simulate(
    method: str,
    theta: npt.ArrayLike,
    trials: int | range,
    seed: int = 0,
    *,
    delta: float = 0.05,
    constants: Constants = PAPER,
    max_comparisons: int | None = None,
    margin: float = 0.0,
    link: Link = logistic,
) -> Trials:
    """Run `method` on latent scores `theta` (K, d), or (T, K, d) with an instance for each trial.

    method: vb-ege, focal-borda, bt-mle or borda-plugin. trials: how many, or which of a longer series.
    """
    check_delta(delta)
    if method not in _METHODS:
        raise BattleError(f"no simulation of {method!r}; accepted are {', '.join(_METHODS)}")
    which = range(trials) if isinstance(trials, int) else trials
    latent = as_scores(theta, batch=True, least=2).astype(np.float64)
    if latent.ndim == 3 and len(latent) != len(which):
        raise BattleError(f"{len(latent)} instances for {len(which)} trials; give one each, or a single one")
    limit = LARGEST if max_comparisons is None else min(max_comparisons, LARGEST)
    setting = Setting(delta, constants, limit, margin)
    run, size = _METHODS[method]
    models, objectives = latent.shape[-2:]
    step = max(1, BLOCK // size(models, objectives))
    parts = []
    for begin in range(0, len(which), step):
        part = which[begin : begin + step]
        block = latent[begin : begin + step] if latent.ndim == 3 else latent[None]
        parts.append(run(block, [np.random.default_rng((seed, trial)) for trial in part], setting, link))
    return _joined(parts, models)


def _vb_ege(theta: Reals, rngs: list[np.random.Generator], setting: Setting, link: Link) -> Trials:
    count = len(rngs)
    models, objectives = theta.shape[1:]
    chances = np.broadcast_to(borda(theta, link), (count, models, objectives))
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
            points[trial, live] += rngs[trial].binomial(fresh, chances[trial, live])
        comparisons[open_] += cost
        phases[open_] = at.number
        draws[open_] = np.where(active[open_], at.draws, draws[open_])
        _eliminate(points, active, accepted, open_, at, setting)
        open_ = open_[active[open_].any(axis=1)]
    stopped: Mask = np.logical_not(active.any(axis=1))
    kept = accepted
    for trial in np.flatnonzero(~stopped).tolist():
        with np.errstate(invalid="ignore"):
            means = points[trial] / draws[trial, :, None]
        kept[trial] = guess(means, accepted[trial], active[trial], setting.margin)
    return Trials(comparisons, kept, ~active, stopped, phases, draws)


def _eliminate(
    points: Counts, active: Mask, accepted: Mask, open_: Counts, at: Phase, setting: Setting
) -> None:
    """The end of a phase in the open trials, on their active models only."""
    alive = active[open_]
    width = int(alive.sum(axis=1).max())
    # active models first, in their order, which is the order in which ties are broken
    who = np.argsort(~alive, axis=1, kind="stable")[:, :width]
    lead = leads(np.take_along_axis(points[open_], who[:, :, None], axis=1), setting.margin * at.draws)
    inner = Elimination(
        lead, np.take_along_axis(alive, who, axis=1), setting.constants.threshold * at.radius * at.draws
    )
    inner.run()
    where = np.broadcast_to(open_[:, None], who.shape)
    accepted[where, who] |= inner.accepted
    active[where, who] = inner.active


Estimate = Callable[[Counts, int], Scores]
"""Estimates (T, K, d) from tallies and draws of a cell; in points where whole, in which case gaps are too."""


def _focal_borda(theta: Reals, rngs: list[np.random.Generator], setting: Setting, link: Link) -> Trials:
    return _at_once(borda(theta, link), rngs, setting, theta.shape[1], lambda points, draws: points, True)


def _bt_mle(theta: Reals, rngs: list[np.random.Generator], setting: Setting, link: Link) -> Trials:
    models = theta.shape[1]

    def estimate(wins: Counts, draws: int) -> Scores:
        return fitted_scores(_squares(wins, draws, models))

    return _at_once(_pair_chances(theta, link), rngs, setting, models, estimate, False)


def _borda_plugin(theta: Reals, rngs: list[np.random.Generator], setting: Setting, link: Link) -> Trials:
    models = theta.shape[1]

    def estimate(wins: Counts, draws: int) -> Scores:
        return smoothed_borda(_squares(wins, draws, models))

    return _at_once(_pair_chances(theta, link), rngs, setting, models, estimate, False)


def _at_once(
    chances: Reals,
    rngs: list[np.random.Generator],
    setting: Setting,
    models: int,
    estimate: Estimate,
    in_points: bool,
) -> Trials:
    """All cells alike in every phase, until all gaps are clear: `chances` (T or 1, …) of the cells."""
    count = len(rngs)
    cells = chances[0].size
    wins = np.zeros((count, *chances.shape[1:]), dtype=np.int64)
    comparisons, phases = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    draws = np.zeros((count, models), dtype=np.int64)
    stopped = np.zeros(count, dtype=np.bool_)
    kept = np.ones((count, models), dtype=np.bool_)
    open_ = np.arange(count)
    for at, fresh in setting.phases(cells):
        if at.draws * cells > setting.limit:
            break
        for trial in open_.tolist():
            wins[trial] += rngs[trial].binomial(fresh, chances[trial if len(chances) > 1 else 0])
        comparisons[open_], phases[open_], draws[open_] = at.draws * cells, at.number, at.draws
        estimates = estimate(wins[open_], at.draws)
        unit = at.draws if in_points else 1
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


def _pair_chances(theta: Reals, link: Link) -> Reals:
    """(T, d, pairs): win probability of the first model of each pair i < j."""
    first, second = np.triu_indices(theta.shape[1], 1)
    return link(np.moveaxis(theta[:, first] - theta[:, second], -1, 1))


def _squares(wins: Counts, draws: int, models: int) -> Counts:
    """Wins (T, d, K, K) from those of the first models of pairs (T, d, pairs)."""
    first, second = np.triu_indices(models, 1)
    square = np.zeros((*wins.shape[:-1], models, models), dtype=np.int64)
    square[..., first, second] = wins
    square[..., second, first] = draws - wins
    return square


def _joined(parts: list[Trials], models: int) -> Trials:
    if not parts:
        nothing, nobody = np.zeros(0, dtype=np.int64), np.zeros((0, models), dtype=np.int64)
        none = nobody.astype(np.bool_)
        return Trials(nothing, none, none, nothing.astype(np.bool_), nothing, nobody)
    return Trials(
        comparisons=np.concatenate([part.comparisons for part in parts]),
        frontier=np.concatenate([part.frontier for part in parts]),
        decided=np.concatenate([part.decided for part in parts]),
        stopped=np.concatenate([part.stopped for part in parts]),
        phases=np.concatenate([part.phases for part in parts]),
        draws=np.concatenate([part.draws for part in parts]),
    )


Run = Callable[[Reals, list[np.random.Generator], Setting, Link], Trials]
Size = Callable[[int, int], int]

_METHODS: dict[str, tuple[Run, Size]] = {
    "vb-ege": (_vb_ege, lambda models, objectives: models * models),
    "focal-borda": (_focal_borda, lambda models, objectives: models * models),
    "bt-mle": (_bt_mle, lambda models, objectives: models * models * objectives),
    "borda-plugin": (_borda_plugin, lambda models, objectives: models * models * objectives),
    "interval": (interval_trials, SIZES["interval"]),
    "duel": (duel_trials, SIZES["duel"]),
}
"""For each method how a block of trials is run, and the entries one trial takes in its largest array."""
