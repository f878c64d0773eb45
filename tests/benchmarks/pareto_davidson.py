"""Davidson fits against leaderbot 0.4.3, the same model on the same counts: 129 models, 1.67 million votes.

    python tests/benchmarks/pareto_davidson.py [SIZE ...]        (needs `pip install leaderbot`)

leaderbot's `Davidson(k_cov=None, k_tie=k)` has the tie weights of size k here, cosine basis and all; its
models with a covariance are other models. Ties and both-bad votes count as ties for both. All losses printed
are means over votes, computed by one function from the fitted parameters, and must agree with its own. CPU
seconds, one thread; its functions are compiled before, nothing is remembered between fits here. Its method
L-BFGS-B runs for every size; its default BFGS, which keeps a dense matrix, up to size `BFGS`.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
from collections.abc import Callable

import numpy as np
from leaderbot.models import Davidson

from pareto.battles import read_battles
from pareto.bundled import bundled_log
from pareto.davidson import Outcomes, fit_davidson
from pareto.davidson.tie_spaces import tie_space
from pareto.pair_counts import PairCounts

SIZES = (0, 1, 2, 5, 10)
BFGS = 2
REPEATS = 5


def timed(work: Callable[[], object], repeats: int) -> float:
    """Least CPU seconds of a few runs."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def as_peer_data(counts: PairCounts) -> dict[str, object]:
    """One row for each pair that met: positions, and wins, losses and ties of the first."""
    wins, ties = counts.wins[0], counts.undecided[0]
    first, second = np.nonzero(np.triu(wins + wins.T + ties))
    outcomes = np.stack((wins[first, second], wins[second, first], ties[first, second]), axis=1)
    return {"X": np.stack((first, second), axis=1), "Y": outcomes, "models": list(counts.models)}


def peer(data: dict[str, object], size: int, method: str) -> tuple[float, Davidson]:
    """Seconds of training, and the trained model."""
    model = Davidson(data, k_cov=None, k_tie=size)
    start = time.process_time()
    model.train(method=method)
    return time.process_time() - start, model


def loss_of(parameters: np.ndarray, size: int, counts: PairCounts) -> float:
    """Mean loss of leaderbot's parameters: scores, then γ or the rows of V."""
    models = len(counts.models)
    ties = parameters[models:].reshape((models, size) if size else (1,))
    outcomes = Outcomes.at(parameters[:models], tie_space(size, models).weights_of(ties))
    wins, tied = counts.wins[0].astype(float), counts.undecided[0].astype(float)
    return -outcomes.log_likelihood(wins, tied) / float(counts.records[0])


def compare(counts: PairCounts, size: int) -> None:
    """Print one size."""
    wins, ties = counts.wins[0], counts.undecided[0]
    found = fit_davidson(wins, ties, size)

    def cold() -> None:
        tie_space.cache_clear()
        fit_davidson(wins, ties, size)

    ours = timed(cold, REPEATS)
    loss = -found.log_likelihood / float(counts.records[0])
    print(
        f"k={size}: {ours * 1e3:.1f} ms, loss {loss:.10f}, {found.iterations} steps, gradient "
        f"{found.gradient:.0e}, converged {found.converged}",
        flush=True,
    )
    data = as_peer_data(counts)
    for method in ("L-BFGS-B", "BFGS") if size <= BFGS else ("L-BFGS-B",):
        seconds, model = peer(data, size, method)
        theirs = loss_of(model.param, size, counts)
        assert abs(theirs - model.loss()) < 1e-10, "the two losses are not of the same model"
        result = model._result
        print(
            f"  leaderbot, {method}: {seconds:.2f} s ({seconds / ours:.0f}×), loss {theirs:.10f} "
            f"({theirs - loss:+.1e}), {result.nit} steps: {result.message}",
            flush=True,
        )


def main() -> None:
    """Sizes from the command line, or `SIZES`."""
    counts = read_battles([bundled_log("chatbot-arena-2024-08-pairs")]).counts
    print(f"{len(counts.models)} models, {int(counts.records[0]):,} votes")
    peer(as_peer_data(counts.of_models(counts.models[:30])), 1, "L-BFGS-B")
    peer(as_peer_data(counts.of_models(counts.models[:30])), 0, "L-BFGS-B")
    for size in [int(text) for text in sys.argv[1:]] or SIZES:
        compare(counts, size)


if __name__ == "__main__":
    main()
