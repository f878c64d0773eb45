"""Comparisons of `duel` and `interval` against VB-EGE on the paper's twenty settings.

Medians over the same instances and seeds. `python tests/benchmarks/pareto_savings.py [TRIALS] [SETTING …]`
"""

import statistics
import sys
import time

import numpy as np

from pareto import simulate
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, SCALING, symmetric
from pareto.links import logistic
from pareto.samplers.schedule import PAPER
from pareto.sequential_trials import duel_trials, interval_trials
from pareto.simulation import Setting

DELTA = 0.05
GOALS = {"interval": (8, 4), "duel": (50, 20)}
OURS = {"interval": interval_trials, "duel": duel_trials}


def instances(setting, trials):
    """Latent scores (trials, K, d) of a benchmark, or of the symmetric instance "K,d,gap"."""
    if setting in BENCHMARKS:
        return np.stack([BENCHMARKS[setting].theta(0, trial) for trial in range(trials)])
    models, objectives, gap = setting.split(",")
    return np.stack([symmetric(int(models), int(objectives), float(gap))] * trials)


def main():
    """Print a line for every setting as it is measured, then the goals."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    chosen = sys.argv[2:] or [*(f"{k},{d},{gap}" for k, d, gap in SCALING), *BENCHMARKS]
    ratios = {name: [] for name in OURS}
    print(f"{'setting':16}{'vb-ege':>14}{'interval':>12}{'duel':>12}{'ratios':>15}  seconds a trial, wrong")
    for setting in chosen:
        theta = instances(setting, trials)
        truth = np.stack([frontier(each) for each in theta])
        paper = float(np.median(simulate("vb-ege", theta, trials).comparisons))
        medians, seconds, wrong = {}, {}, {}
        for name, run in OURS.items():
            start = time.process_time()
            parts = []
            for begin in range(0, trials, 4):
                rngs = [np.random.default_rng((0, trial)) for trial in range(begin, min(begin + 4, trials))]
                parts.append(
                    run(theta[begin : begin + 4], rngs, Setting(DELTA, PAPER, 1 << 62, 0.0), logistic)
                )
            seconds[name] = (time.process_time() - start) / trials
            medians[name] = float(np.median(np.concatenate([part.comparisons for part in parts])))
            wrong[name] = int((np.concatenate([part.frontier for part in parts]) != truth).any(axis=1).sum())
            ratios[name].append(paper / medians[name])
        print(
            f"{setting:16}{paper:14,.0f}{medians['interval']:12,.0f}{medians['duel']:12,.0f}"
            f"{ratios['interval'][-1]:7.1f}{ratios['duel'][-1]:8.1f}  "
            f"{seconds['interval']:.2f} {seconds['duel']:.2f}, {wrong['interval']} {wrong['duel']}",
            flush=True,
        )
    for name, (middle, least) in GOALS.items():
        found = ratios[name]
        print(
            f"{name}: median setting {statistics.median(found):.1f} (goal {middle}), "
            f"smallest {min(found):.1f} (goal {least})"
        )


if __name__ == "__main__":
    main()
