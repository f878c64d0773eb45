"""Trials of any method, in blocks that fit into memory.

A trial's outcomes come from its own generator, seeded by (seed, trial), so it does not matter which other
trials run beside it. A draw with a uniform opponent is drawn as what it is, Bernoulli with the Borda
score as mean, so outcomes differ from those of a sampler asking a source; their law does not.

What comparisons are drawn from is a law: here latent scores and a link, in `logged_trials` a log.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError
from pareto.laws import LatentLaw, Law
from pareto.links import Link, logistic
from pareto.samplers.phased import LARGEST
from pareto.samplers.schedule import PAPER, Constants
from pareto.scores import as_scores
from pareto.task import check_cap, check_delta, check_margin, check_seed
from pareto.trials.phased import borda_plugin_trials, bt_mle_trials, focal_borda_trials, vb_ege_trials
from pareto.trials.sequential import SIZES, commit_trials, duel_trials, interval_trials
from pareto.trials.simulation import Generators, Setting, Trials
from pareto.trials.tracked import track_trials

BLOCK = 1 << 19
"""Entries of the (trials, K, K) or (trials, cells) arrays worked on at a time."""


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

    method: any of `pareto.METHODS`. trials: how many, or which of a longer series. constants: of the four
    methods that work in phases; the others have none. max_comparisons: of each trial, None for as many as
    can be counted. margin: as of `pareto.Task`; track-and-stop takes none.

    Raises `BattleError` for an unknown method, and for scores, trials, seed, delta, cap or margin out of
    range.

    >>> import pareto
    >>> trials = pareto.simulate("vb-ege", [[2.0, 0.5], [0.0, 2.0], [-2.0, -1.5]], 20)
    >>> trials.frontier.mean(axis=0).tolist(), bool(trials.stopped.all())
    ([1.0, 1.0, 0.0], True)
    """
    which = series(trials)
    latent = as_scores(theta, batch=True, least=2).astype(np.float64)
    if latent.ndim == 3 and len(latent) != len(which):
        raise BattleError(f"{len(latent)} instances for {len(which)} trials; give one each, or a single one")
    law = LatentLaw(latent if latent.ndim == 3 else latent[None], link)
    return run_trials(
        method,
        law,
        which,
        seed,
        delta=delta,
        constants=constants,
        max_comparisons=max_comparisons,
        margin=margin,
    )


def run_trials(
    method: str,
    law: Law,
    which: range,
    seed: int,
    *,
    delta: float,
    constants: Constants = PAPER,
    max_comparisons: int | None = None,
    margin: float = 0.0,
) -> Trials:
    """Run the trials `which` of a series; see `simulate` for the rest."""
    check_delta(delta)
    check_seed(seed)
    check_cap(max_comparisons)
    check_margin(margin)
    if method not in _METHODS:
        raise BattleError(f"no simulation of {method!r}; accepted are {', '.join(_METHODS)}")
    limit = LARGEST if max_comparisons is None else min(int(max_comparisons), LARGEST)
    setting = Setting(delta, constants, limit, margin)
    run, size = _METHODS[method]
    _, models, objectives = law.shape
    step = max(1, BLOCK // size(models, objectives))
    parts = []
    for begin in range(0, len(which), step):
        rngs = [np.random.default_rng((seed, trial)) for trial in which[begin : begin + step]]
        parts.append(run(law.part(begin, begin + step), rngs, setting))
    return _joined(parts, models)


def series(trials: int | range) -> range:
    """The numbers of the trials meant: the first so many, or these."""
    if isinstance(trials, range):
        return trials
    if not isinstance(trials, Integral) or isinstance(trials, bool) or trials < 0:
        raise BattleError(f"trials is {trials!r}; how many, or a range of their numbers, is accepted")
    return range(int(trials))


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


Run = Callable[[Law, Generators, Setting], Trials]
Size = Callable[[int, int], int]

_METHODS: dict[str, tuple[Run, Size]] = {
    "vb-ege": (vb_ege_trials, lambda models, objectives: models * models),
    "focal-borda": (focal_borda_trials, lambda models, objectives: models * models),
    "bt-mle": (bt_mle_trials, lambda models, objectives: models * models * objectives),
    "borda-plugin": (borda_plugin_trials, lambda models, objectives: models * models * objectives),
    "track-and-stop": (track_trials, lambda models, objectives: 8 * models * models * objectives),
    "interval": (interval_trials, SIZES["interval"]),
    "duel": (duel_trials, SIZES["duel"]),
    "commit": (commit_trials, SIZES["commit"]),
}
"""For each method how a block of trials is run, and the entries one trial takes in its largest array."""
