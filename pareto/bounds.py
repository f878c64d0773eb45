"""How many comparisons: what VB-EGE needs at most, and what anybody needs at least (paper, section 3).

All are real numbers of comparisons; infinite where a gap is 0, because then VB-EGE need not stop.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pareto.borda import half_range, slope_floor
from pareto.errors import BattleError
from pareto.gaps import gaps
from pareto.links import Reals
from pareto.scores import as_scores
from pareto.task import check_delta


def vb_ege_borda_bound(borda: npt.ArrayLike, delta: float) -> float:
    """Proposition B.4: dK + 128 d Σ_i L_i / (Δ_i^B)² from Borda scores (K, d).

    With probability at least 1 − δ VB-EGE, C = (2, 4, 4), is right and needs no more.
    """
    scores = as_scores(borda, least=2).astype(np.float64)
    return _upper_bound(scores, delta, slope=1.0)


def vb_ege_latent_bound(theta: npt.ArrayLike, delta: float, bound: float | None = None) -> float:
    """Theorem 3.1: dK + (128 d / κ_B²) Σ_i L_i / (Δ_i^θ)² from latent Bradley–Terry scores (K, d).

    bound: a B with all differences of scores on an objective within 2B; None takes the smallest.
    """
    scores = as_scores(theta, least=2).astype(np.float64)
    smallest = half_range(scores)
    used = smallest if bound is None else bound
    if used < smallest:
        raise BattleError(f"B is {bound}, but differences reach {2 * smallest}; B ≥ {smallest} is accepted")
    if used == 0:
        check_delta(delta)
        return math.inf  # all models alike
    return _upper_bound(scores, delta, slope=slope_floor(used))


def worst_case_lower_bound(models: int, objectives: int, gap: float, delta: float) -> float:
    """Theorem 3.2: d(K − 1)/Δ² · kl(1 − 2δ, δ).

    Whatever is δ-correct on all instances with latent gaps ≥ Δ needs at least that many comparisons, with
    probability more than δ, on one of them. For 0 < Δ ≤ min(1, B) and δ < 1/3.
    """
    _check_size(models, objectives)
    if not 0 < gap <= 1:
        raise BattleError(f"gap is {gap}; the bound is stated for 0 < Δ ≤ min(1, B)")
    if not 0 < delta < 1 / 3:
        raise BattleError(f"delta is {delta}; the bound is stated for 0 < δ < 1/3")
    return objectives * (models - 1) / gap**2 * bernoulli_kl(1 - 2 * delta, delta)


def vb_ege_worst_case_bound(models: int, objectives: int, bound: float, gap: float, delta: float) -> float:
    """Corollary 3.3: dK + 128dK/(κ_B²Δ²) · log(4Kd ⌈log₂(8/(κ_B Δ))⌉² / δ).

    VB-EGE's (1 − δ)-quantile is no larger on any instance within B whose latent gaps are ≥ Δ.
    """
    _check_size(models, objectives)
    check_delta(delta)
    if not gap > 0:
        raise BattleError(f"gap is {gap}; a number > 0 is accepted")
    slope = slope_floor(bound)
    phases = math.ceil(math.log2(8 / (slope * gap)))
    arms = models * objectives
    return arms + 128 * arms / (slope * gap) ** 2 * math.log(4 * arms * phases**2 / delta)


def bernoulli_kl(p: float, q: float) -> float:
    """kl(p, q) of two Bernoulli laws, with the usual conventions at 0 and 1."""
    return _term(p, q) + _term(1 - p, 1 - q)


def _term(p: float, q: float) -> float:
    if p == 0:
        return 0.0
    return math.inf if q == 0 else p * math.log(p / q)


def _upper_bound(scores: Reals, delta: float, slope: float) -> float:
    check_delta(delta)
    models, objectives = scores.shape
    gap = gaps(scores)
    if not (gap > 0).all():
        return math.inf
    arms = models * objectives
    effective = slope * gap
    phases = 1 + np.ceil(np.log2(4 / effective))
    weights = np.log(4 * arms * phases**2 / delta)
    return float(arms + 128 * objectives * (weights / effective**2).sum())


def _check_size(models: int, objectives: int) -> None:
    if models < 2 or objectives < 1:
        raise BattleError(f"{models} models on {objectives} objectives; at least 2 and 1 are needed")
