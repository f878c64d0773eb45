"""What is certain about the bundled log, against Hoeffding intervals, and how the order of claims pays.

Prints, for the three cliques of `arena140k-decisive`: models decided by simultaneous Hoeffding intervals and
by `certainty`, with votes independent and clustered by session, with seconds; then the expected number of
decided models in logs drawn from the posterior of outside comparisons, by how much of δ an open claim keeps,
and by the part of δ that is sent along the line. `python tests/benchmarks/pareto_certainty.py [LOGS]`
"""

import sys
import time

import numpy as np

from pareto.battles import read_battles
from pareto.bradley_terry import fit
from pareto.bundled import bundled_log
from pareto.certainty import certainty
from pareto.certainty import line as line_module
from pareto.certainty.differences import Differences
from pareto.certainty.judging import judge
from pareto.certainty.outside import outlook, outside_wins
from pareto.certainty.sample import sample_of

CLIQUES = (None, ("code", "instruction_following", "general"), ("code", "general"))
DELTA = 0.05
KEPT, WALK = (0.8, 0.5, 0.3, 0.15), (1.0, 0.9, 0.5, 0.0)


def hoeffding(log):
    """Models decided by intervals for all scores at once: dominated, on the frontier."""
    counts = log.counts
    models = len(log.models)
    number = np.where(np.eye(models, dtype=bool), np.inf, counts.decided)
    radius = np.sqrt(np.log(2 * models * len(counts.decided) / DELTA) / 2 * (1 / number).sum(axis=2))
    radius /= models - 1
    score = log.borda().T
    low, high = score - radius, score + radius
    dominated = (low[:, None, :] > high[:, :, None]).all(axis=0).any(axis=1)
    beaten = (low[:, :, None] > high[:, None, :]).any(axis=0)
    live = ~dominated
    return int(dominated.sum()), int((beaten | ~live | np.eye(models, dtype=bool)).all(axis=1)[live].sum())


def expected(log, logs):
    """Mean number of decided models, by (kept, walk), in logs whose chances inside are drawn from outside."""
    sample = sample_of(log, False, False)
    differences = Differences(sample)
    wins, inside = outside_wins(log, False)
    view = outlook(wins, inside, differences.variance)
    theta = fit(wins, ridge=1.0).theta
    chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
    weight = (wins + wins.swapaxes(1, 2)) * chance * (1 - chance)
    precision = np.stack([np.diag(row.sum(axis=1) + 1) - row for row in weight])
    spread = np.linalg.cholesky(np.linalg.inv(precision)[:, inside[:, None], inside])
    rng = np.random.default_rng(0)
    total = {(kept, 0.9): 0 for kept in KEPT} | {(0.5, walk): 0 for walk in WALK}
    first, second = np.triu_indices(len(inside), 1)
    for _ in range(logs):
        drawn = theta[:, inside] + np.einsum("rij,rj->ri", spread, rng.normal(size=(len(theta), len(inside))))
        points = np.zeros(sample.total.shape)
        rates = 1 / (1 + np.exp(drawn[:, second] - drawn[:, first]))
        points[:, first, second] = rng.binomial(sample.total[:, first, second], rates)
        points[:, second, first] = sample.total[:, first, second] - points[:, first, second]
        each = type(sample)(points, sample.total, False, True)
        for kept, walk in total:
            line_module.KEPT, line_module.WALK = kept, walk
            found = judge(each, differences, view, DELTA).decisions
            total[kept, walk] += int((found.dominated | found.frontier).sum())
    line_module.KEPT, line_module.WALK = 0.5, 0.9
    return {setting: decided / logs for setting, decided in total.items()}


def main():
    """Print both tables."""
    logs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    battles = read_battles(bundled_log("arena140k-decisive"), cluster="session")
    for objectives in CLIQUES:
        log = battles.retain(objectives)
        print(f"{len(log.models)} models; Hoeffding: {sum(hoeffding(log))} decided", flush=True)
        for cluster in (None, "session"):
            start = time.perf_counter()
            found = certainty(log, DELTA, cluster=cluster)
            seconds = time.perf_counter() - start
            kinds = ", ".join(f"{len(found.having(kind))} {kind}" for kind in ("dominated", "frontier"))
            print(f"  clusters {cluster}: {kinds}; next {found.next.total:,}; {seconds:.2f} s")
        for (kept, walk), decided in expected(log, logs).items():
            print(f"  kept {kept}, walk {walk}: {decided:.2f} expected")


if __name__ == "__main__":
    main()
