"""The statistic and the threshold of Track-and-Stop, for many trials at a time (paper, appendix 10).

Wins are (T, d, K, K), row over column; scores inside are (T, d, K).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pareto.comparisons import Counts
from pareto.exact_glr import exact_glr
from pareto.gaps import leads
from pareto.glr.log_ratios import log_likelihood_ratio
from pareto.glr.ordered_fits import OrderedFits, fit_ordered
from pareto.glr.screening import Screened, fisher_scores, screen
from pareto.links import Reals
from pareto.samplers.track_constants import TrackConstants
from pareto.scores import Mask


@dataclass(frozen=True, eq=False)
class Check:
    """What a check finds in each of T trials.

    Attributes:
        theta: (T, d, K) the fit ϑ̂ within the box.
        frontier: (T, K) its strict frontier.
        screened: the alternative that screening picks, and its score.
        other: (T, d, K) the fit ϑ̃ under that alternative; if all are tested, the closest scores of any.
        score: (T,) that of screening; inf if all alternatives are tested.
        ratio: (T,) G_alt, the certified log-likelihood ratio against it, or against all.
        converged: (T,) True where both fits are, on every objective.
        threshold: (T,) β_t(δ).
    """

    theta: Reals
    frontier: Mask
    screened: Screened
    other: Reals
    score: Reals
    ratio: Reals
    converged: Mask
    threshold: Reals

    @property
    def statistic(self) -> Reals:
        """Ψ = min(score, ratio), (T,)."""
        return np.minimum(self.score, self.ratio)

    @property
    def stopping(self) -> Mask:
        """True where the rule says stop, (T,)."""
        return np.asarray(self.converged & (self.statistic >= self.threshold))


def check(wins: Counts, delta: float, constants: TrackConstants, start: Reals | None = None) -> Check:
    """Fit, screen, refit. start: (T, d, K) scores that may be close, the last check's for example."""
    trials, objectives, models, _ = wins.shape
    real = wins.astype(np.float64)
    cases = (trials * objectives, models)
    nobody, first = np.zeros(cases, dtype=np.bool_), np.zeros(cases[0], dtype=np.int64)
    flat = real.reshape(*cases, models)
    begin = None if start is None else start.reshape(cases)
    free = _fitted(flat, first, nobody, constants, begin)
    theta = free.theta.reshape(trials, objectives, models)
    scores = np.moveaxis(theta, 1, 2)
    frontier = np.asarray(~(leads(scores) > 0).any(axis=2))
    counts = real + real.swapaxes(2, 3)
    screened = screen(fisher_scores(scores, counts), frontier)
    score, refitted = screened.score, np.ones(len(flat), dtype=np.bool_)
    limit = threshold(theta, counts, delta, constants)
    if constants.exact:
        every = zip(scores, counts, limit.tolist(), strict=True)
        closest = [exact_glr(one, met, enough=beta) for one, met, beta in every]
        other = np.stack([one.scores.T for one in closest])
        # the fit may be short of the maximum likelihood by its gaps, and every ratio too long by as much
        gaps = free.gap.reshape(trials, objectives).sum(axis=1)
        score, ratio = np.full(trials, np.inf), np.array([one.lower for one in closest]) - gaps
    else:
        other, parts, refitted = _against(flat, free.theta, screened, constants)
        ratio = parts.reshape(trials, objectives).sum(axis=1)
    both = (free.converged & refitted).reshape(trials, objectives)
    return Check(
        theta=theta,
        frontier=frontier,
        screened=screened,
        other=other.reshape(theta.shape),
        score=score,
        ratio=ratio,
        converged=np.asarray(both.all(axis=1)),
        threshold=limit,
    )


def threshold(theta: Reals, counts: Reals, delta: float, constants: TrackConstants) -> Reals:
    """β (T,) = log(1/δ) + (λ/2) Σ_r ‖ϑ̂_r‖² + ½ Σ_r log det(I + (σ̄²/λ) Ω_r); Ω_r the counts' Laplacian.

    Common shifts have eigenvalue 1, which would drown in the rounding of large counts and take the sign of
    the determinant with it. They are given the mean eigenvalue, which is taken off again.
    """
    models = theta.shape[-1]
    matrix = (-constants.variance / constants.ridge) * counts
    np.einsum("trii->tri", matrix)[...] = 1.0 - matrix.sum(axis=-1)
    level = np.einsum("trii->tr", matrix) / models
    matrix += (level / models)[:, :, None, None]
    size = 0.5 * constants.ridge * (theta * theta).sum(axis=(1, 2))
    volume = 0.5 * (np.linalg.slogdet(matrix)[1] - np.log1p(level)).sum(axis=1)
    return np.asarray(np.log(1 / delta) + size + volume)


def _fitted(
    wins: Reals, top: Counts, below: Mask, constants: TrackConstants, start: Reals | None
) -> OrderedFits:
    return fit_ordered(wins, top, below, constants.box, start, constants.tolerance, constants.iterations)


def _against(
    wins: Reals, theta: Reals, screened: Screened, constants: TrackConstants
) -> tuple[Reals, Reals, Mask]:
    """ϑ̃ (n, K), certified losses beyond ϑ̂ and convergence (n,), n = T·d; only orders that bind are fitted."""
    objectives, models = screened.below.shape[1:]
    below = screened.below.reshape(-1, models)
    some = np.flatnonzero(below.any(axis=1))
    other, ratio = theta.copy(), np.zeros(len(theta))
    converged = np.ones(len(theta), dtype=np.bool_)
    if len(some):
        top = np.repeat(screened.top, objectives)[some]
        found = _fitted(wins[some], top, below[some], constants, theta[some])
        other[some], converged[some] = found.theta, found.converged
        lost = log_likelihood_ratio(wins[some], theta[some], found.theta)
        ratio[some] = np.maximum(lost - found.gap, 0.0)
    return other, ratio, converged
