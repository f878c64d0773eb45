"""Synthetic latent scores (frontier paper, section 4.1 and appendix 8.1).

Where the paper's text leaves a number out, it is that of the authors' earlier published configuration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from pareto.errors import BattleError
from pareto.frontier import frontier
from pareto.links import Reals

LARGEST = 4_000_000
"""K²·d of a symmetric instance, of which methods keep arrays for many runs at once."""
ATTEMPTS = 1000
"""Redraws of a dominated model before the whole Witness instance is drawn again."""

Generator = np.random.Generator


@dataclass(frozen=True)
class Benchmark:
    """A family of random instances.

    Attributes:
        name, models, objectives, kept: K, d and the number of frontier models, None where it varies.
        draw: latent scores (K, d) from a generator.
        instances: how many instances a study of 500 trials uses.
    """

    name: str
    models: int
    objectives: int
    kept: int | None
    draw: Callable[[Generator], Reals]
    instances: int = 500

    def theta(self, seed: int, instance: int = 0) -> Reals:
        """Latent scores (K, d) of one instance."""
        return self.draw(np.random.default_rng((seed, instance)))


def symmetric(models: int, objectives: int, gap: float) -> Reals:
    """The hard instance (8): one model at 0, all others at −gap on every objective."""
    if models < 2 or objectives < 1 or not 0 < gap < np.inf:
        raise BattleError(
            f"{models} models, {objectives} objectives, gap {gap}; 2 or more, 1 or more and a number > 0 "
            "are accepted"
        )
    if models**2 * objectives > LARGEST:
        raise BattleError(
            f"{models:,} models on {objectives:,} objectives are {models**2 * objectives:,} ordered pairs to "
            f"keep count of in every run; at most {LARGEST:,} are accepted"
        )
    theta = np.full((models, objectives), -float(gap))
    theta[0] = 0.0
    return theta


def line(rng: Generator, models: int, kept: int, low: float, high: float) -> Reals:
    """Convex-2D: frontier models evenly on a line, the others below random ones of them."""
    t = np.arange(kept) / (kept - 1)
    best = np.column_stack((0.20 + 0.65 * t, 0.85 - 0.65 * t))
    return below(rng, best, models, low, high)


def simplex(
    rng: Generator, models: int, objectives: int, kept: int, alpha: float, low: float, high: float
) -> Reals:
    """Convex-3D and Arena: frontier models on a simplex, the others below random ones of them."""
    return below(rng, simplex_points(rng, kept, objectives, alpha), models, low, high)


def simplex_points(rng: Generator, kept: int, objectives: int, alpha: float) -> Reals:
    """(kept, d): 0.15 + 0.75 z with z Dirichlet(α, …, α), none dominating another."""
    points: Reals = 0.15 + 0.75 * rng.dirichlet(np.full(objectives, alpha), size=kept)
    return points


def below(rng: Generator, best: Reals, models: int, low: float, high: float) -> Reals:
    """`best` and further models, K in all, each a random one of `best` minus U[low, high]^d (eq. 21)."""
    kept, objectives = best.shape
    parents = rng.integers(kept, size=models - kept)
    margins = rng.uniform(low, high, size=(models - kept, objectives))
    return np.concatenate((best, best[parents] - margins))


def witness(
    rng: Generator, kept: int, each: int, objectives: int, alpha: float, low: float, high: float
) -> Reals:
    """Witness: `each` models below every frontier model, which no other frontier model dominates."""
    while True:
        best = simplex_points(rng, kept, objectives, alpha)
        parents = np.repeat(np.arange(kept), each)
        others = np.empty((len(parents), objectives))
        redo = np.arange(len(parents))
        for _ in range(ATTEMPTS):
            margins = rng.uniform(low, high, size=(len(redo), objectives))
            others[redo] = best[parents[redo]] - margins
            dominators = (best[None] > others[redo, None]).all(axis=2).sum(axis=1)
            redo = redo[dominators != 1]
            if not len(redo):
                return np.concatenate((best, others))


def two_groups(rng: Generator, low: int, high: int, objectives: int) -> Reals:
    """Two-group: `high` models in U[0.55, 0.75]^d first, then `low` ones in U[0.20, 0.45]^d."""
    return np.concatenate(
        (rng.uniform(0.55, 0.75, size=(high, objectives)), rng.uniform(0.20, 0.45, size=(low, objectives)))
    )


def _on_simplex(
    name: str,
    models: int,
    objectives: int,
    kept: int,
    alpha: float,
    low: float,
    high: float,
    instances: int = 500,
) -> Benchmark:
    draw = partial(simplex, models=models, objectives=objectives, kept=kept, alpha=alpha, low=low, high=high)
    return Benchmark(name, models, objectives, kept, draw, instances)


def _witness(name: str, kept: int, objectives: int, low: float, high: float) -> Benchmark:
    each = 4
    draw = partial(witness, kept=kept, each=each, objectives=objectives, alpha=0.7, low=low, high=high)
    return Benchmark(name, kept * (each + 1), objectives, kept, draw)


def frontier_family(objectives: int, kept: int) -> Benchmark:
    """The frontier-size study: Arena with K = 64, d = 4 or 10; the paper's `kept` are 4, 8, 16, 32."""
    margins = {4: (0.08, 0.25), 10: (0.06, 0.20)}
    if objectives not in margins:
        raise BattleError(f"{objectives} objectives; the frontier-size study has 4 or 10")
    return _on_simplex(f"arena-{objectives}-p{kept}", 64, objectives, kept, 0.7, *margins[objectives])


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("convex-2d", 60, 2, 15, partial(line, models=60, kept=15, low=0.03, high=0.18)),
        _on_simplex("convex-3d", 60, 3, 15, 1.0, 0.03, 0.18, instances=50),
        _on_simplex("arena-4-small", 32, 4, 8, 0.7, 0.08, 0.25),
        _on_simplex("arena-4-medium", 64, 4, 12, 0.7, 0.08, 0.25),
        _on_simplex("arena-10", 64, 10, 16, 0.7, 0.06, 0.20, instances=50),
        _witness("witness-4", 8, 4, 0.04, 0.16),
        _witness("witness-10", 16, 10, 0.035, 0.14),
        Benchmark("two-group-10", 64, 10, None, partial(two_groups, low=48, high=16, objectives=10)),
    )
}
"""The paper's eight."""

SCALING: tuple[tuple[int, int, float], ...] = (
    *((models, 4, 1.0) for models in (16, 32, 64, 128)),
    *((64, objectives, 1.0) for objectives in (2, 4, 10)),
    *((64, 10, gap) for gap in (0.5, 0.75, 1.0, 1.25, 1.5)),
)
"""(K, d, Δ) of the symmetric instances, in the paper's three groups; two settings occur twice."""

CONFIDENCES: tuple[float, ...] = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def benchmark(name: str) -> Benchmark:
    """One of the eight by name."""
    if name not in BENCHMARKS:
        raise BattleError(f"no benchmark {name!r}; accepted are {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def kept_models(theta: Reals) -> int:
    """How many models are on the strict frontier."""
    return int(frontier(theta).sum())
