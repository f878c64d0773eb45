"""Many simulated runs of a method at once.

A trial's outcomes come from its own generator, seeded by (seed, trial), so it does not matter which other
trials run beside it. A draw with a uniform opponent is drawn as what it is, Bernoulli with the Borda
score as mean, so outcomes differ from those of a sampler asking a source; their law does not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pareto.errors import BattleError
from pareto.links import Link, Reals, logistic
from pareto.phased_trials import borda_plugin_trials, bt_mle_trials, focal_borda_trials, vb_ege_trials
from pareto.samplers.phased import LARGEST
from pareto.samplers.schedule import PAPER, Constants
from pareto.scores import as_scores
from pareto.sequential_trials import SIZES, duel_trials, interval_trials
from pareto.simulation import Generators, Setting, Trials
from pareto.task import check_delta

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


Run = Callable[[Reals, Generators, Setting, Link], Trials]
Size = Callable[[int, int], int]

_METHODS: dict[str, tuple[Run, Size]] = {
    "vb-ege": (vb_ege_trials, lambda models, objectives: models * models),
    "focal-borda": (focal_borda_trials, lambda models, objectives: models * models),
    "bt-mle": (bt_mle_trials, lambda models, objectives: models * models * objectives),
    "borda-plugin": (borda_plugin_trials, lambda models, objectives: models * models * objectives),
    "interval": (interval_trials, SIZES["interval"]),
    "duel": (duel_trials, SIZES["duel"]),
}
"""For each method how a block of trials is run, and the entries one trial takes in its largest array."""
