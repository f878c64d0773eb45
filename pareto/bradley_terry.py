"""Bradley–Terry scores from pair counts, one objective at a time, many fits at once.

With wins W_ij of i over j, the fit minimises

    F(θ) = Σ_ij W_ij log(1 + exp(θ_j − θ_i)) + (ridge / 2) ‖θ‖²

over Σθ = 0, by Newton's method from a few of Newman's fixed-point sweeps. Let D = max s − min s for a step
s. Along s the third derivative of F is at most D times the second (self-concordance of logistic losses,
Bach 2010), for which the whole step decreases F if D ≤ ½, and log(1 + D)/D of it always does: no line
search, no cancellation between two large sums, convergence from any start, quadratic at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dpotrf, dpotrs

from pareto.errors import BattleError
from pareto.links import Reals
from pareto.pair_graph import PairGraph
from pareto.scores import as_table
from pareto.task import numbered

LARGEST = 1e100
"""Of wins and ridge: their sums and products stay finite."""
RIDGE = 1e-8
"""Of the log-likelihood as a whole; too weak to be seen unless scores would otherwise be infinite."""
TOLERANCE = 1e-9
"""Largest entry of the gradient, per comparison, that counts as converged."""
STEP = 3e-5
"""Spread of a Newton step after which the remaining error, below half its square, is under 1e-9."""
CHORD = 3e-10
"""The same for a step with an older Hessian, whose error shrinks as the last two steps did: for the spread
times that ratio."""
SHRINK = 0.1
"""A step with an older Hessian that is not so much smaller than the last is dropped for a Newton step."""
REUSE = 0.1
"""Spread of a step from which on its Hessian may serve for the next."""
FLAT = 1e-13
"""Added to the Hessian, in units of its mean diagonal, where rounding has made it singular."""
WHOLE = 0.5
"""Spread up to which a Newton step is taken whole."""
SWEEPS = 6
"""Fixed-point sweeps before Newton's method: much cheaper than its steps, and good until an error of 0.01."""
ITERATIONS = 200
FARTHEST = 300.0
"""Scores are held within this of the largest while computing; only a ridge below 1e-100 would reach it."""
BATCH = 1 << 16
"""Entries of the (fits, K, K) arrays worked on at a time."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Fitted scores and how they were reached. (...) are the leading dimensions of the wins.

    Attributes:
        theta: (..., K) scores; the sum over models is 0.
        converged: (...) True where the gradient is within `TOLERANCE` per comparison and the steps have
            shrunk until the remaining error in theta is below 1e-9.
        iterations: (...) steps, with a new Hessian or an older one.
        gradient: (...) largest entry of the gradient of F, divided by the number of comparisons.
        ridge: as given.
        wins: (..., K, K) as given.
    """

    theta: Reals
    converged: npt.NDArray[np.bool_]
    iterations: npt.NDArray[np.int64]
    gradient: Reals
    ridge: float
    wins: Reals

    @property
    def scores(self) -> Reals:
        """Models × objectives, (..., K, d), of a fit to wins (..., d, K, K)."""
        return np.moveaxis(self.theta, -1, -2)

    @cached_property
    def graphs(self) -> tuple[PairGraph, ...]:
        """Connection and separation of every fit, in the order of the flattened leading dimensions."""
        models = self.wins.shape[-1]
        return tuple(PairGraph.of(wins) for wins in self.wins.reshape(-1, models, models))

    def troubles(self, models: Sequence[str], objectives: Sequence[str]) -> list[str]:
        """Disconnection and separation by name, for wins (d, K, K): scores there depend on the ridge."""
        texts = (graph.trouble(models, name) for graph, name in zip(self.graphs, objectives, strict=True))
        return [text for text in texts if text]


def fit(wins: npt.ArrayLike, ridge: float = RIDGE, start: npt.ArrayLike | None = None) -> Fit:
    """Fit scores to `wins` (..., K, K), row over column, objectives and refits leading.

    Wins may be fractions (half a win each for a tie); the diagonal must be 0. start: (..., K) where to
    begin, any finite numbers. With ridge 0 the maximum must exist; `BattleError` names what is in its way.
    A fit's time is O(K³) for each of about six iterations, more where wins separate the models.
    """
    given = _checked(wins)
    if not 0 <= ridge <= LARGEST:
        raise BattleError(f"ridge is {ridge}; a number from 0 to {LARGEST:g} is accepted")
    lead, models = given.shape[:-2], given.shape[-1]
    flat = np.ascontiguousarray(given.reshape(-1, models, models))
    if ridge == 0:
        _refuse_without_maximum(flat)
    theta = np.zeros((len(flat), models))
    if start is not None:
        theta = np.broadcast_to(np.asarray(start, dtype=np.float64), (*lead, models)).reshape(-1, models)
        if not np.isfinite(theta).all():
            raise BattleError("the start contains infinite or missing numbers; finite ones are accepted")
        theta = theta - theta.mean(axis=1, keepdims=True)
    iterations = np.zeros(len(flat), dtype=np.int64)
    gradient = np.zeros(len(flat))
    converged = np.zeros(len(flat), dtype=np.bool_)
    size = max(1, BATCH // (models * models))
    for begin in range(0, len(flat), size):
        part = slice(begin, begin + size)
        begun = _swept(flat[part]) if start is None else theta[part]
        theta[part], iterations[part], gradient[part], converged[part] = _newton(flat[part], ridge, begun)
    return Fit(
        theta=theta.reshape(*lead, models),
        converged=converged.reshape(lead),
        iterations=iterations.reshape(lead),
        gradient=gradient.reshape(lead),
        ridge=ridge,
        wins=given,
    )


def bootstrap(wins: npt.ArrayLike, refits: int, seed: int = 0, ridge: float = RIDGE) -> Fit:
    """Refit on comparisons redrawn with replacement: theta (refits, ..., K) for wins (..., K, K).

    Whole wins only. Every objective's comparisons are redrawn on their own: a multinomial over who beat
    whom. Starts from the fit to `wins`.
    """
    given = _checked(wins)
    if not np.array_equal(given, np.rint(given)):
        raise BattleError("the bootstrap redraws single comparisons: whole wins are accepted, not fractions")
    if refits < 1:
        raise BattleError(f"{refits} refits; 1 or more are accepted")
    models = given.shape[-1]
    center = fit(given, ridge)
    rng = np.random.default_rng(seed)
    flat = given.reshape(-1, models * models)
    drawn = np.empty((refits, *flat.shape))
    for index, cells in enumerate(flat):
        total = int(cells.sum())
        some = np.flatnonzero(cells)
        drawn[:, index, :] = 0
        if total:
            drawn[:, index, some] = rng.multinomial(total, cells[some] / cells.sum(), size=refits)
    return fit(drawn.reshape(refits, *given.shape), ridge, start=center.theta)


def count_wins(
    winners: npt.ArrayLike,
    losers: npt.ArrayLike,
    objectives: npt.ArrayLike | None,
    models: int,
    width: int = 1,
) -> npt.NDArray[np.int64]:
    """Wins (d, K, K) from battles: arrays (n,) of positions; `objectives` None puts all on the only one."""
    cells = np.asarray(winners, dtype=np.int64) * models + np.asarray(losers, dtype=np.int64)
    if objectives is not None:
        cells += np.asarray(objectives, dtype=np.int64) * (models * models)
    return np.bincount(cells, minlength=width * models * models).reshape(width, models, models)


def _newton(
    wins: Reals, ridge: float, start: Reals
) -> tuple[Reals, npt.NDArray[np.int64], Reals, npt.NDArray[np.bool_]]:
    """All fits (n, K, K) at once; those that have converged leave the batch.

    A factor of the Hessian serves again while steps shrink by `SHRINK` or more; then a new one is due.
    """
    count = len(wins)
    theta, open_ = start.copy(), np.arange(count)
    iterations = np.zeros(count, dtype=np.int64)
    settled = np.zeros(count, dtype=np.bool_)
    due, last = np.ones(count, dtype=np.bool_), np.full(count, np.inf)
    factors: list[Reals] = [start[:0]] * count
    total = wins.sum(axis=(1, 2))
    met = wins + wins.swapaxes(1, 2)
    gauge = _gauges(met)
    for _ in range(ITERATIONS):
        whole = len(open_) == count  # spares copies of the large arrays
        strength = _strengths(theta[open_])
        sums = strength[:, :, None] + strength[:, None, :]
        downhill = _downhill(wins if whole else wins[open_], strength, sums) - ridge * theta[open_]
        fresh = due[open_]
        if fresh.any():
            new = open_[fresh]
            hessian = _hessian(met if len(new) == count else met[new], strength[fresh], sums[fresh], ridge)
            for index, factor in zip(new.tolist(), _factors(hessian, _some(gauge, new)), strict=True):
                factors[index] = factor
        step = np.stack(
            [_solved(factors[i], right) for i, right in zip(open_.tolist(), downhill, strict=True)]
        )
        step -= np.squeeze(_some(gauge, open_) @ step[:, :, None], axis=2)
        spread = step.max(axis=1) - step.min(axis=1)
        useful = fresh | (spread <= SHRINK * last[open_])
        length = np.where(spread <= WHOLE, 1.0, np.log1p(spread) / np.maximum(spread, WHOLE))
        theta[open_] += np.where(useful, length, 0.0)[:, None] * step
        iterations[open_] += useful
        settled[open_] = useful & np.where(fresh, spread <= STEP, spread * spread <= CHORD * last[open_])
        last[open_] = spread
        due[open_] = ~useful | (spread > REUSE)
        open_ = open_[~settled[open_]]
        if not len(open_):
            break
    theta -= np.squeeze(gauge @ theta[:, :, None], axis=2)
    strength = _strengths(theta)
    downhill = _downhill(wins, strength, strength[:, :, None] + strength[:, None, :]) - ridge * theta
    gradient = np.abs(downhill).max(axis=1) / np.where(total > 0, total, 1.0)
    return theta, iterations, gradient, settled & (gradient <= TOLERANCE)


def _some(gauge: Reals, which: npt.NDArray[np.int64]) -> Reals:
    return gauge if len(gauge) == 1 else gauge[which]


def _swept(wins: Reals) -> Reals:
    """A start (n, K): Newman's sweeps (2023) from the logits of win shares, half a win added to each side.

    w_i ← Σ_j W_ij w_j / (w_i + w_j) over Σ_j W_ji / (w_i + w_j).
    """
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    theta: Reals = np.log((won + 0.5) / (lost + 0.5))
    for _ in range(SWEEPS):
        strength = _strengths(theta)
        rate = wins / (strength[:, :, None] + strength[:, None, :])
        up = np.squeeze(rate @ strength[:, :, None], axis=2)
        theta = np.log((up + 0.25) / (rate.sum(axis=1) * strength + 0.25)) + np.log(strength)
    centred: Reals = theta - theta.mean(axis=1, keepdims=True)
    return centred


def _strengths(theta: Reals) -> Reals:
    """exp θ, the largest 1: (n, K). i beats j with probability w_i / (w_i + w_j)."""
    strength: Reals = np.exp(np.maximum(theta - theta.max(axis=1, keepdims=True), -FARTHEST))
    return strength


def _downhill(wins: Reals, strength: Reals, total: Reals) -> Reals:
    """−∇F without the ridge, (n, K): surprising wins minus surprising losses, each precise when tiny."""
    rate = wins / total
    up = np.squeeze(rate @ strength[:, :, None], axis=2)
    downhill: Reals = up - rate.sum(axis=1) * strength
    return downhill


def _hessian(met: Reals, strength: Reals, total: Reals, ridge: float) -> Reals:
    """∇²F, (n, K, K): a weighted graph Laplacian plus the ridge."""
    hessian: Reals = met / total
    hessian /= total
    hessian *= -strength[:, :, None]
    hessian *= strength[:, None, :]
    np.einsum("nii->ni", hessian)[...] = ridge - hessian.sum(axis=2)
    return hessian


def _gauges(met: Reals) -> Reals:
    """Projections onto the shifts that leave the likelihood as it is: (1 or n, K, K).

    One common shift of each group of models that comparisons link. All fits being connected, the common
    shift of all models does for everybody.
    """
    models = met.shape[1]
    adjacent = met > 0
    np.einsum("nii->ni", adjacent)[...] = True
    hub = np.any(np.all(adjacent, axis=2), axis=1)
    loose = np.flatnonzero(~hub)  # nobody has met everybody: look closer
    groups = {index: PairGraph.of(met[index]) for index in loose.tolist()}
    split = {index: graph.group for index, graph in groups.items() if not graph.connected}
    common = np.full((1, models, models), 1.0 / models)
    if not split:
        return common
    gauge = np.repeat(common, len(met), axis=0)
    for index, group in split.items():
        same = group[:, None] == group[None, :]
        gauge[index] = same / same.sum(axis=1)
    return gauge


def _factors(hessian: Reals, gauge: Reals) -> list[Reals]:
    """Cholesky factors of Hessians (n, K, K) whose shifts are given curvature.

    Shifts have none but the ridge's; giving them the mean curvature of the rest keeps the system
    well-conditioned, and the optimum, ridge or not, has no shift.
    """
    level = np.einsum("nii->n", hessian) / hessian.shape[1]
    level = np.where(level > 0, level, 1.0)
    hessian += level[:, None, None] * gauge
    found = []
    for matrix, scale in zip(hessian, level.tolist(), strict=True):
        factor, failed = dpotrf(matrix.T, lower=1)
        if failed:  # rounding made a nearly flat direction negative: separated wins
            factor, _ = dpotrf(matrix.T + np.eye(len(matrix)) * (FLAT * scale), lower=1)
        found.append(factor)
    return found


def _solved(factor: Reals, right: Reals) -> Reals:
    solution: Reals = dpotrs(factor, right, lower=1)[0]
    return solution


def _checked(wins: npt.ArrayLike) -> Reals:
    given = as_table(wins, "wins")
    if given.ndim < 2 or given.shape[-1] != given.shape[-2]:
        raise BattleError(f"wins of shape {given.shape}; (..., models, models) is accepted, row over column")
    if given.shape[-1] < 2:
        raise BattleError("wins of a single model; at least two models are needed")
    if given.dtype.kind not in "biuf":
        raise BattleError(f"wins are {given.dtype}; numbers ≥ 0 are accepted")
    reals = given.astype(np.float64)
    bad = ~((reals >= 0) & (reals <= LARGEST))
    if bad.any():
        where = tuple(int(index) for index in np.argwhere(bad)[0])
        raise BattleError(f"wins{list(where)} is {reals[where]}; numbers from 0 to {LARGEST:g} are accepted")
    own = np.einsum("...ii->...i", reals)
    if own.any():
        model = int(np.argwhere(own > 0)[0][-1])
        raise BattleError(f"model {model} has wins over itself; leave self-battles out and count them")
    return reals


def _refuse_without_maximum(flat: Reals) -> None:
    for index, wins in enumerate(flat):
        graph = PairGraph.of(wins)
        if not graph.has_maximum:
            trouble = graph.trouble(numbered("model", len(wins)), f"#{index}")
            raise BattleError(
                f"no maximum-likelihood scores exist: {trouble}. Give a ridge > 0, e.g. {RIDGE}"
            )
