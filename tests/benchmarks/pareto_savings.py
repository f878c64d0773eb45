"""Comparisons of `interval`, `duel` and `commit` against VB-EGE on the paper's twenty settings.

Medians over the same instances and seeds, and how much `commit` takes off `duel`.
`python tests/benchmarks/pareto_savings.py [TRIALS] [SEED] [SETTING …]`
"""

import statistics
import sys
import time

import numpy as np

from pareto import simulate
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, SCALING, symmetric
from pareto.laws import LatentLaw
from pareto.samplers.schedule import PAPER
from pareto.trials.sequential import commit_trials, duel_trials, interval_trials
from pareto.trials.simulation import Setting

DELTA = 0.05
GOALS = {"interval": (8, 4), "duel": (50, 20)}
OURS = {"interval": interval_trials, "duel": duel_trials, "commit": commit_trials}
HALVED = 10
"""Settings on which `commit` is to take half of what `duel` takes, or less."""


def instances(setting, trials, seed=0):
    """Latent scores (trials, K, d) of a benchmark, or of the symmetric instance "K,d,gap"."""
    if setting in BENCHMARKS:
        return np.stack([BENCHMARKS[setting].theta(seed, trial) for trial in range(trials)])
    models, objectives, gap = setting.split(",")
    return np.stack([symmetric(int(models), int(objectives), float(gap))] * trials)


def main():
    """Print a line for every setting as it is measured, then the goals."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    chosen = sys.argv[3:] or [*(f"{k},{d},{gap}" for k, d, gap in SCALING), *BENCHMARKS]
    ratios = {name: [] for name in OURS}
    print(
        f"{'setting':16}{'vb-ege':>14}"
        + "".join(f"{name:>12}" for name in OURS)
        + f"{'vb-ege / each':>24}  duel / commit  wrong  seconds a trial"
    )
    for setting in chosen:
        theta = instances(setting, trials, seed)
        truth = np.stack([frontier(each) for each in theta])
        paper = float(np.median(simulate("vb-ege", theta, trials, seed).comparisons))
        medians, seconds, wrong = {}, {}, {}
        for name, run in OURS.items():
            start = time.process_time()
            parts = []
            for begin in range(0, trials, 4):
                few = range(begin, min(begin + 4, trials))
                rngs = [np.random.default_rng((seed, trial)) for trial in few]
                parts.append(
                    run(LatentLaw(theta[begin : begin + 4]), rngs, Setting(DELTA, PAPER, 1 << 62, 0.0))
                )
            seconds[name] = (time.process_time() - start) / trials
            medians[name] = float(np.median(np.concatenate([part.comparisons for part in parts])))
            found, decided = (
                np.concatenate([getattr(part, which) for part in parts]) for which in ("frontier", "decided")
            )
            wrong[name] = int((decided & (found != truth)).any(axis=1).sum())
            ratios[name].append(paper / medians[name])
        print(
            f"{setting:16}{paper:14,.0f}"
            + "".join(f"{medians[name]:12,.0f}" for name in OURS)
            + "".join(f"{ratios[name][-1]:8.1f}" for name in OURS)
            + f"{medians['duel'] / medians['commit']:15.2f}  "
            + " ".join(str(wrong[name]) for name in OURS)
            + "  "
            + " ".join(f"{seconds[name]:.2f}" for name in OURS),
            flush=True,
        )
    for name, (middle, least) in GOALS.items():
        found = ratios[name]
        print(
            f"{name}: median setting {statistics.median(found):.1f} (goal {middle}), "
            f"smallest {min(found):.1f} (goal {least})"
        )
    saved = [ours / theirs for ours, theirs in zip(ratios["commit"], ratios["duel"], strict=True)]
    print(
        f"commit: half of duel or less on {sum(ratio >= 2 for ratio in saved)} of {len(saved)} settings "
        f"(goal {HALVED}), at worst {min(saved):.2f} times fewer (goal 1)"
    )


if __name__ == "__main__":
    main()
