"""How often simulated runs make a wrong claim, on instances made to provoke them."""

from __future__ import annotations

import numpy as np

from pareto.frontier import frontier
from pareto.laws import LatentLaw
from pareto.samplers.schedule import PAPER
from pareto.trials.simulation import Setting


def near_ties(trials, models, objectives, step=0.15, seed=0):
    """Scores on a coarse grid, every one moved by ± step or not at all."""
    rng = np.random.default_rng(seed)
    shape = (trials, models, objectives)
    return rng.integers(4, size=shape) * 1.0 + rng.integers(-1, 2, size=shape) * step


def tied(trials, models, objectives, seed=0):
    """Scores on a coarse grid: many equal coordinates, many equal models."""
    return near_ties(trials, models, objectives, 0.0, seed)


def play(run, theta, delta, cap, seed=0):
    """(share of trials with a wrong claim, share decided within the cap)."""
    rngs = [np.random.default_rng((seed, trial)) for trial in range(len(theta))]
    found = run(LatentLaw(theta), rngs, Setting(delta, PAPER, cap, 0.0))
    truth = np.stack([frontier(each) for each in theta])
    assert (found.comparisons <= cap).all()
    wrong = (found.decided & (found.frontier != truth)).any(axis=1)
    return wrong.mean(), found.stopped.mean()
