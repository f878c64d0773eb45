"""Many simulated runs of a method at once.

trials = pareto.trials.simulate("vb-ege", theta, 100)    # latent scores (K, d)
trials.frontier, trials.comparisons                      # (T, K), (T,)
"""

from pareto.trials.running import run_trials, series, simulate
from pareto.trials.simulation import Trials

__all__ = ["Trials", "run_trials", "series", "simulate"]
