"""What policies cost a label, and the longest pause between two.

    PYTHONPATH=. python tests/benchmarks/policies.py [--rows 10000] [--candidates 8] [--kind KIND]

Softmax outputs of candidates that share some mistakes. Each policy reads up to `--labels` labels, as many as
its verdict needs where not given. Times are processor time of the policy alone, so that busy
neighbours matter little; the last column is relative to Model Selector, which scores patterns of predictions.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify import Pool
from certify.bounds import EXACT, added, initial_lower, satisfied
from certify.policies import Policy, Seen, make_policy
from certify.risks import Codes, Risks

POLICIES = ("model-selector", "vma", "adaptive-pair-sum", "expected-gain")
_STRIDE = 1000  # labels read at once where the policy would allow more


def softmax_pool(n: int, candidates: int, classes: int) -> tuple[Pool, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, n)
    common = rng.normal(size=(n, classes))
    common[np.arange(n), labels] += 2
    predictions = np.empty((candidates, n), dtype=np.int64)
    confidences = np.empty((candidates, n))
    for k in range(candidates):
        outputs = np.exp(common + rng.normal(size=(n, classes)) * rng.uniform(0.3, 1))
        predictions[k] = outputs.argmax(axis=1)
        confidences[k] = outputs.max(axis=1) / outputs.sum(axis=1)
    return Pool.multiclass(predictions, confidences, range(classes)), labels


@dataclass
class Cost:
    """Seconds of processor time: labels read, all that the policy took, the longest it took at once."""

    read: int = 0
    total: float = 0.0
    longest: float = 0.0


def cost(policy: Policy, pool: Pool, codes: Codes, most: int) -> Cost:
    """What the policy takes until somebody is certified or `most` labels are read."""
    spent, lower = Cost(), initial_lower(pool.risks)
    readable, known = np.ones(pool.n, dtype=bool), np.full(pool.n, -1, dtype=np.int16)
    told = np.empty(pool.n, dtype=np.int64)
    while spent.read < most and not satisfied(lower, EXACT).all(axis=0).any():
        began = time.process_time()
        stretch = policy.stretch(Seen(lower, known, told[: spent.read]), readable, 1)
        took = time.process_time() - began
        spent.total, spent.longest = spent.total + took, max(spent.longest, took)
        rows = stretch.rows[readable[stretch.rows]]
        rows = rows[: min(stretch.labels or _STRIDE, _STRIDE, most - spent.read)]
        told[spent.read : spent.read + len(rows)] = rows
        spent.read += len(rows)
        readable[rows], known[rows] = False, codes[rows]
        part = Risks(pool.risks.weights[:, rows], pool.risks.predictions[:, rows], pool.risks.scale)
        lower = lower + added(part, codes[rows])
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--kind", choices=["binary", "categorical"], default="binary")
    parser.add_argument("--labels", type=int)
    arguments = parser.parse_args()
    classes = 2 if arguments.kind == "binary" else 10
    pool, labels = softmax_pool(arguments.rows, arguments.candidates, classes)
    codes = pool.codes(labels.tolist())
    print(f"{pool.kind}, n = {pool.n}, K = {len(pool.risks.weights)}")
    reference = None
    for name in POLICIES:
        began = time.process_time()
        policy = make_policy(name, pool, 0)
        start = time.process_time() - began
        spent = cost(policy, pool, codes, arguments.labels or pool.n)
        each = spent.total / max(1, spent.read)
        reference = reference or each
        print(
            f"{name:18} start {start:6.2f} s, read {spent.read:8} ({spent.read / pool.n:6.1%}), "
            f"{1e3 * each:8.4f} ms a label, longest pause {1e3 * spent.longest:7.1f} ms, "
            f"{each / reference:6.2f} × Model Selector"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
