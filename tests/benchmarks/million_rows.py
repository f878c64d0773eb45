"""A million rows and eight candidates: weights, prelabel bound and a full replay against bare numpy.

    python tests/benchmarks/million_rows.py [--rows 1000000] [--candidates 8]

Random orders, identical binary predictions, error rate 0.2. Ratios are medians over alternating runs.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from certify import Pool
from certify.budget import prelabel_bound
from certify.replay import replay
from certify.weights import all_rank_weights


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    shape = (arguments.candidates, arguments.rows)
    pool = Pool.shared(rng.random(shape))
    errors = (rng.random(arguments.rows) < 0.2).astype(np.int16)
    table = np.ones(shape, dtype=np.int64)

    def sorts() -> None:
        for row in pool.confidences:
            np.argsort(row)

    def bound_and_replay() -> None:
        bound, run = prelabel_bound(pool), replay(pool, errors, "static-range")
        print(f"  bound {bound}, static-range reads {run.labels_read}")

    weighing, sorting, deciding, summing = [], [], [], []
    for _ in range(arguments.runs):
        sorting.append(seconds(sorts))
        weighing.append(seconds(lambda: all_rank_weights(pool.confidences)))
    _ = pool.risks
    for _ in range(arguments.runs):
        summing.append(seconds(lambda: np.cumsum(table, axis=1)))
        deciding.append(seconds(bound_and_replay))
    for name, ours, peer, peer_name in (
        ("weights", weighing, sorting, f"{arguments.candidates} numpy.argsort"),
        ("bound + static-range replay", deciding, summing, "numpy.cumsum (K, n) int64"),
    ):
        ratio = statistics.median(a / b for a, b in zip(ours, peer, strict=True))
        print(f"{name}: {statistics.median(ours):.3f} s, {ratio:.2f} × {peer_name}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory {peak:.2f} GiB")


if __name__ == "__main__":
    main()
