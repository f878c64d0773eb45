"""How many labels a policy will probably read, foretold before the first label – a forecast, no guarantee.

Each simulation draws what the labels could be: first how far the candidates' scores can be trusted, from the
prior of `certify.policies.label_model` (too sure or too unsure of themselves, together and each alone), then
a label for every row from the probabilities that follow. The policy is replayed on them with the exact test.

Simulations disagree by chance, and the truth may lie outside what the candidates claim. Both go into the
stated range of the share of rows read: the mean of the simulations, moved by what they usually miss, plus and
minus their spread and an allowance. Shift and allowance of each policy were learnt on nine public tables, so
that nine in ten comparisons fall inside; `certify reproduce forecasts` measures how many do on tables that
were left out of the learning. No range goes below the prelabel bound, which is certain.

The share hardly depends on the size of a large pool, so a simulation sees at most `ROWS` rows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, hypot
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from certify.errors import PoolError
from certify.objectives import WeightedError
from certify.policies import POLICIES
from certify.policies.label_model import LabelModel
from certify.pool import Pool
from certify.replay import replay
from certify.risks import Codes
from certify.tolerance import Exact

Reals = npt.NDArray[np.float64]

ROWS = 1000
SIMULATIONS = 12
FEWER: Mapping[str, int] = MappingProxyType({"model-selector": 6, "expected-gain": 4})
"""How many simulations policies get that think longer about a label."""
NORMAL = 1.645
"""Half the width of a central 90 % range of a normal law, in standard deviations."""


@dataclass(frozen=True)
class Correction:
    """What simulations of a policy miss, in shares of the pool: their mean by `shift`, their spread by
    `allowance`."""

    shift: float
    allowance: float

    def around(self, mean: float, spread: float) -> tuple[float, float, float]:
        """Low end, middle and high end of the stated range, from mean and spread of the simulated shares."""
        middle, half = mean + self.shift, hypot(NORMAL * spread, self.allowance)
        low, middle, high = (min(max(share, 0.0), 1.0) for share in (middle - half, middle, middle + half))
        return low, middle, high


CORRECTIONS: Mapping[str, Correction] = MappingProxyType(
    {
        "random": Correction(0.044, 0.060),
        "static-range": Correction(0.057, 0.106),
        "static-pair-sum": Correction(0.054, 0.067),
        "adaptive-range": Correction(0.072, 0.119),
        "adaptive-pair-sum": Correction(0.071, 0.115),
        "vma": Correction(0.046, 0.059),
        "model-selector": Correction(0.053, 0.074),
        "expected-gain": Correction(0.024, 0.201),
    }
)
"""Learnt on all nine tables; `certify reproduce forecasts` prints them anew beside these."""
_UNKNOWN = Correction(0.05, 0.2)


@dataclass(frozen=True)
class Forecast:
    """labels: the middle forecast for a policy. low, high: the stated 90 % range. Whole numbers of labels."""

    policy: str
    labels: int
    low: int
    high: int


def simulations(policy: str) -> int:
    """How many simulations a policy gets."""
    return FEWER.get(policy, SIMULATIONS)


def forecast(
    pool: Pool,
    bound: int,
    policies: Sequence[str] = POLICIES,
    tolerance: Exact = "0",
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Forecast, ...]:
    """A forecast for each policy; none goes below `bound`, the prelabel bound C̲ at the tolerance.

    Some seconds whatever the size of the pool; `progress` is told how many simulations are done, of how many.
    """
    unknown = sorted(set(policies) - set(POLICIES))
    if unknown:
        raise PoolError(f"unknown policy {unknown[0]!r}; choose one of {', '.join(POLICIES)}")
    total = sum(map(simulations, policies))
    scenes = [imagined(pool, number, seed) for number in range(max(map(simulations, policies)))]
    found, done = [], 0
    for policy in policies:
        shares = np.empty(simulations(policy))
        for at, scene in enumerate(scenes[: len(shares)]):
            shares[at] = share(scene, policy, tolerance)
            done += 1
            progress(done, total)
        low, middle, high = CORRECTIONS.get(policy, _UNKNOWN).around(
            float(shares.mean()), float(shares.std(ddof=1))
        )
        labels = [floor(low * pool.n), round(middle * pool.n), ceil(high * pool.n)]
        low_, middle_, high_ = (min(max(count, bound), pool.n) for count in labels)
        found.append(Forecast(policy, middle_, low_, high_))
    return tuple(found)


def share(scene: Imagined, policy: str, tolerance: Exact = "0") -> float:
    """Share of its rows that `policy` reads in one simulation."""
    run = replay(scene.pool, scene.codes, policy, tolerance, seed=scene.seed)
    return run.labels_read / scene.pool.n


@dataclass(frozen=True, eq=False)
class Imagined:
    """A pool of at most `ROWS` rows of the real one, and labels that could be theirs."""

    pool: Pool
    codes: Codes
    seed: int


def imagined(pool: Pool, number: int, seed: int = 0) -> Imagined:
    """Simulation number `number`; the same for the same pool, number and seed, for ever."""
    bits = np.random.PCG64([seed, number])
    part = _some_rows(pool, bits)
    model = LabelModel.of(part)
    mean, precision = model.prior
    # precision = C Cᵀ, so C⁻ᵀ times normal draws has the prior's covariance
    drawn = mean + np.linalg.solve(np.linalg.cholesky(precision).T, ndtri(_uniforms(bits, len(mean))))
    chances = model.chances(drawn, np.arange(part.n))
    below = np.cumsum(chances, axis=0) < _uniforms(bits, part.n) * chances.sum(axis=0)
    outcomes = np.minimum(below.sum(axis=0), len(chances) - 1)
    return Imagined(part, _labels(model, outcomes), int(bits.random_raw() >> 33))


def _some_rows(pool: Pool, bits: np.random.PCG64) -> Pool:
    """The pool, or `ROWS` of its rows drawn without replacement."""
    if pool.n <= ROWS:
        return pool
    draws = bits.random_raw(pool.n)
    rows = np.sort(np.argpartition(draws, ROWS)[:ROWS])
    objective = pool.objective
    if isinstance(objective, WeightedError):
        objective = WeightedError(objective.weights[rows], objective.column)
    return replace(
        pool,
        predictions=pool.predictions[:, rows],
        confidences=np.ascontiguousarray(pool.confidences[:, rows]),
        row_ids=None,
        display=None,
        objective=objective,
    )


def _labels(model: LabelModel, outcomes: npt.NDArray[np.intp]) -> Codes:
    """A class code for the outcome of every row; any class that nobody predicts there for outcome 0."""
    pool = model.pool
    if pool.kind == "binary":
        return outcomes.astype(np.int16)
    codes = np.full(pool.n, -1, dtype=np.int16)
    predictions = np.broadcast_to(pool.predictions, model.slots.shape)
    for slots, predicted in zip(model.slots, predictions, strict=True):
        np.copyto(codes, predicted, where=slots == outcomes)
    open_ = codes < 0
    for code in range(len(pool.classes)):
        free = open_ & (pool.predictions != code).all(axis=0)
        codes[free] = code
        open_ &= ~free
        if not open_.any():
            break
    return codes


def _uniforms(bits: np.random.PCG64, count: int) -> Reals:
    """Strictly between 0 and 1; raw bits, because numpy keeps their stream for ever."""
    return np.asarray((bits.random_raw(count) + 0.5) / 2.0**64, dtype=np.float64)
