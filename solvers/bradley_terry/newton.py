"""A primal-dual interior-point method for ordered Bradley–Terry fits, in floating point.

Models tied by cycles are merged first. With F the negative objective per comparison, n the group sizes and
G φ ≤ h the box and order constraints, every iteration is one Newton step on

    ∇F(φ) + Gᵀλ − ν n = 0,   n·φ = 0,   λ_k (h − G φ)_k = τ,

whose matrix is the Hessian (a weighted Laplacian) plus a diagonal for the box plus a Laplacian for the
order. Feasibility holds from the start; a line search on the residual makes it converge from there.

If some models have never been compared, even indirectly, only their constraints tie them together and the
optimum is not unique. A ridge of 1e-9 per comparison then picks (nearly) the point of least norm.
"""

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from solvers.bradley_terry.polytope import Groups, centred
from solvers.ordered_bradley_terry import OrderedBradleyTerry

Reals = npt.NDArray[np.float64]

ITERATIONS = 80
TARGET = 1e-14
"""Complementarity per comparison and constraint at which to stop."""
PRECISION = "no further progress in float64"
TIGHT = 10.0
"""Ratio of multiplier to slack from which an order constraint's multiplier is not eliminated."""
FAINT = 1e-9
"""Ridge per comparison where the optimum is not unique."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What the method ended with.

    Attributes:
        theta: (K,).
        prices: multipliers (m,) ≥ 0 of the order constraints, in units of the objective.
        iterations: Newton steps.
        stopped: "" or what ended it early.
    """

    theta: Reals
    prices: Reals
    iterations: int
    stopped: str


def connected(wins: Reals) -> bool:
    """True if the comparisons link all groups (K, K)."""
    met = (wins + wins.T) > 0
    reached = np.zeros(len(met), dtype=np.bool_)
    frontier = np.zeros(len(met), dtype=np.bool_)
    frontier[0] = True
    while frontier.any():
        reached |= frontier
        frontier = met[frontier].any(axis=0) & ~reached
    return bool(reached.all())


def _merged(wins: Reals, groups: Groups) -> Reals:
    size = len(groups.sizes)
    if size == len(wins):
        order = np.argsort(groups.of)
        same: Reals = wins[np.ix_(order, order)]
        return same
    flat: Reals = np.bincount(
        (groups.of[:, None] * size + groups.of[None, :]).ravel(), weights=wins.ravel(), minlength=size * size
    ).astype(np.float64)
    flat = flat.reshape(size, size)
    np.fill_diagonal(flat, 0.0)
    return flat


def _interior(groups: Groups, box: float) -> Reals:
    """A point strictly inside all constraints: groups spread evenly along their depth in the order."""
    depth = np.zeros(len(groups.sizes))
    for a, b in groups.pairs[np.argsort(groups.pairs[:, 0], kind="stable")].tolist():
        depth[b] = max(depth[b], depth[a] + 1)
    spread = float(depth.max())
    if spread == 0:
        return depth
    height = -depth * (min(box, 1.0) / spread)
    return centred(height, groups.sizes, 2 * box) * 0.9


class _Model:
    """The scaled problem over groups, and its derivatives."""

    def __init__(self, problem: OrderedBradleyTerry, groups: Groups) -> None:
        wins = _merged(problem.wins, groups)
        self.sizes = groups.sizes
        self.box = problem.box
        self.upper, self.lower = groups.pairs[:, 0], groups.pairs[:, 1]
        largest = max(float(wins.max()), problem.ridge)
        self.scale = largest * float((wins / largest).sum()) + problem.ridge if largest else 1.0
        self.wins = wins / self.scale
        self.both = self.wins + self.wins.T
        ridge = problem.ridge / self.scale
        self.ridge = (ridge if ridge or connected(wins) else FAINT) * self.sizes
        self.order_rows = len(groups.pairs)

    def derivatives(self, x: Reals) -> tuple[Reals, Reals]:
        """Gradient and Hessian of the scaled negative objective."""
        upset = 1.0 / (1.0 + np.exp(np.clip(x[:, None] - x[None, :], -700, 700)))
        terms = self.wins * upset
        gradient = terms.sum(axis=0) - terms.sum(axis=1) + self.ridge * x
        hessian = -(self.both * (upset * upset.T))
        np.fill_diagonal(hessian, 0.0)
        np.fill_diagonal(hessian, self.ridge - hessian.sum(axis=1))
        return gradient, hessian

    def slacks(self, x: Reals) -> Reals:
        return np.concatenate((self.box - x, self.box + x, x[self.upper] - x[self.lower]))

    def pushed(self, multipliers: Reals) -> Reals:
        """Gᵀλ."""
        k = len(self.sizes)
        total: Reals = multipliers[:k] - multipliers[k : 2 * k]
        if self.order_rows:
            order = multipliers[2 * k :]
            total = total - np.bincount(self.upper, weights=order, minlength=k)
            total = total + np.bincount(self.lower, weights=order, minlength=k)
        return total

    def opened(self, step: Reals) -> Reals:
        """−G·step, the change of the slacks."""
        return np.concatenate((-step, step, step[self.upper] - step[self.lower]))

    def stiffened(self, hessian: Reals, weight: Reals) -> Reals:
        """hessian + Gᵀ diag(weight) G."""
        k = len(self.sizes)
        matrix = hessian.copy()
        diagonal = weight[:k] + weight[k : 2 * k]
        if self.order_rows:
            order = weight[2 * k :]
            matrix[self.upper, self.lower] -= order
            matrix[self.lower, self.upper] -= order
            diagonal = diagonal + np.bincount(self.upper, weights=order, minlength=k)
            diagonal = diagonal + np.bincount(self.lower, weights=order, minlength=k)
        matrix[np.diag_indices(k)] += diagonal
        return matrix


class _Step:
    """The Newton system at one iterate, factorised once.

    The multipliers of order constraints that are nearly tight stay in the system: eliminating them would
    add weights so large that the Hessian drowns in their rounding.
    """

    def __init__(self, model: _Model, hessian: Reals, slack: Reals, multipliers: Reals) -> None:
        from scipy.linalg.lapack import dgetrf  # a slow import

        self.model, self.slack, self.multipliers = model, slack, multipliers
        k = len(model.sizes)
        weight = multipliers / slack
        self.tight = np.flatnonzero(weight[2 * k :] > TIGHT) + 2 * k
        t = len(self.tight)
        loose = weight.copy()
        loose[self.tight] = 0.0
        self.loose = loose
        system = np.zeros((k + t + 1, k + t + 1))
        system[:k, :k] = model.stiffened(hessian, loose)
        rows = np.arange(k, k + t)
        upper, lower = model.upper[self.tight - 2 * k], model.lower[self.tight - 2 * k]
        system[rows, upper] = system[upper, rows] = -1.0
        system[rows, lower] = system[lower, rows] = 1.0
        system[rows, rows] = -slack[self.tight] / multipliers[self.tight]
        system[k + t, :k] = system[:k, k + t] = -model.sizes
        self.factors = dgetrf(system, overwrite_a=1)[:2]

    def towards(self, products: Reals, residual: Reals) -> tuple[Reals, Reals, float, Reals]:
        """Steps of x, multipliers, level and slacks that bring multiplier times slack to ``products``."""
        from scipy.linalg.lapack import dgetrs

        k, t = len(self.model.sizes), len(self.tight)
        wanted = products - self.slack * self.multipliers
        push = wanted / self.slack
        push[self.tight] = 0.0
        right = np.zeros(k + t + 1)
        right[:k] = -(residual + self.model.pushed(push))
        right[k : k + t] = -wanted[self.tight] / self.multipliers[self.tight]
        solved: Reals = dgetrs(*self.factors, right)[0]
        step = solved[:k]
        opened = self.model.opened(step)
        change = push - self.loose * opened
        change[self.tight] = solved[k : k + t]
        opened[self.tight] = (wanted - self.slack * change)[self.tight] / self.multipliers[self.tight]
        return step, change, float(solved[-1]), opened


def _longest(values: Reals, steps: Reals) -> float:
    """Largest step in [0, 1] that keeps positive values positive, shortened a little."""
    shrinking = steps < 0
    if not shrinking.any():
        return 1.0
    return min(1.0, 0.995 * float((-values[shrinking] / steps[shrinking]).min()))


def fit(problem: OrderedBradleyTerry, groups: Groups, deadline: float) -> Fit:
    """Maximise by at most :data:`ITERATIONS` Newton steps; the best point so far when time is up."""
    model = _Model(problem, groups)
    sizes = model.sizes
    x = _interior(groups, problem.box)
    slack = model.slacks(x)
    multipliers = np.full(len(slack), 0.1) / np.maximum(slack, 0.1)
    multipliers /= len(slack)
    gradient, hessian = model.derivatives(x)
    level = 0.0
    stopped = "iteration limit"
    steps = 0
    for steps in range(ITERATIONS):  # noqa: B007 - reported
        residual = gradient + model.pushed(multipliers) - level * sizes
        mean = float(slack @ multipliers) / len(slack)
        if mean <= TARGET and float(np.abs(residual).max()) <= 1e-14:
            stopped = ""
            break
        if time.perf_counter() > deadline:
            stopped = "time limit"
            break
        newton = _Step(model, hessian, slack, multipliers)

        _, first_m, _, first_s = newton.towards(np.zeros(len(slack)), residual)
        reach = min(_longest(slack, first_s), _longest(multipliers, first_m))
        ahead = float((slack + reach * first_s) @ (multipliers + reach * first_m)) / len(slack)
        centre = max(mean * min(1.0, (ahead / mean) ** 3), 0.1 * TARGET)
        step, step_m, shift, step_s = newton.towards(centre - first_s * first_m, residual)
        reach = min(_longest(slack, step_s), _longest(multipliers, step_m))
        before = float(np.abs(residual).max()) + mean
        for _ in range(30):
            moved = x + reach * step
            new_slack = slack + reach * step_s  # not recomputed: differences of near equals would cancel
            new_multipliers = multipliers + reach * step_m
            new_level = level + reach * shift
            new_gradient, new_hessian = model.derivatives(moved)
            left = new_gradient + model.pushed(new_multipliers) - new_level * sizes
            after = float(np.abs(left).max()) + float(new_slack @ new_multipliers) / len(slack)
            good = bool((new_slack > 0).all() and (new_multipliers > 0).all())
            if good and after <= (1 - 0.01 * reach) * before:
                break
            reach *= 0.5
        else:
            stopped = PRECISION
            break
        x, slack, multipliers, level = moved, new_slack, new_multipliers, new_level
        gradient, hessian = new_gradient, new_hessian
    prices = np.zeros(problem.m)
    if len(groups.pairs):
        found = multipliers[2 * len(sizes) :] * model.scale
        shares = np.bincount(groups.source[groups.source >= 0], minlength=len(found))
        proper = groups.source >= 0
        prices[proper] = (found / shares)[groups.source[proper]]
    return Fit(x[groups.of], prices, steps, stopped)
