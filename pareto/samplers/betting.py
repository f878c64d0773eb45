"""Betting against "the first wins at most half the time": capital that grows only if it is false.

A player starts with capital 1. Before an outcome Y in [0, 1] with mean at most p₀ given the past, she picks
p > p₀, and her capital is multiplied by (p/p₀)^Y ((1−p)/(1−p₀))^(1−Y). By the inequality of weighted means
that is at most Y p/p₀ + (1−Y)(1−p)/(1−p₀), whose mean is at most 1. So the capital is a nonnegative
supermartingale, whichever comparison is made next, and it ever reaches x with probability at most 1/x
(Ville). Spreading the initial capital over several p keeps that true, and after n outcomes with sum s the
capital is Σ_k w_k (p_k/p₀)^s ((1−p_k)/(1−p₀))^(n−s): two numbers of the past suffice.

The p_k lie on a geometric grid of leads, so whatever the true lead is, some p_k grows nearly as fast as the
best bet. The weights may use anything that was known when the game began.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pareto.links import Reals

Index = npt.NDArray[np.int64]

STAKES = 60
"""Grid points: λ from 0.94 down to 1e-9, each 2^(−1/2) of the one before."""
WINDOW = 12
"""Neighbouring grid points among which a game spreads its capital: leads from ÷ 11 to × 4 of the guess."""
ABOVE = 4
"""Of these, how many lie above the guess."""
SHARES = 1 << 16
"""Weights are multiples of 1 / SHARES, so that an audit has them exactly."""
SPREAD = 0.3
"""Share of the capital that is usually spread evenly over the window; the rest follows the guess."""
SLACK = 1e-6
"""Capital must pass its threshold by e^SLACK: far more than rounding can move it, far less than matters."""

_BITS = 40
LAMBDAS: Reals = np.round(0.94 * 2.0 ** (-np.arange(STAKES) / 2) * 2**_BITS) / 2**_BITS
"""(STAKES,) bets λ, multiples of 2^−40: p = p₀ + (1 − p₀) λ, so λ = 2p − 1 where p₀ = ½."""
LEADS: Reals = 2 * np.arctanh(LAMBDAS)
"""(STAKES,) the Bradley–Terry leads to which they belong at p₀ = ½."""
_LOG_LEADS = np.log(LEADS)


@dataclass(frozen=True, eq=False)
class Stakes:
    """How games begin. (...) games.

    Attributes:
        start: (...) first grid point of the window.
        shares: (..., WINDOW) whole numbers ≥ 1 that sum to at most SHARES.
    """

    start: Index
    shares: Index


def stakes(lead: Reals, spread: Reals, even: float = SPREAD) -> Stakes:
    """Stakes for guessed leads (...) on the logit scale, with standard errors `spread` (...) > 0.

    even: share of the capital spread evenly over the window.
    """
    guess = np.maximum(lead, 0.7 * spread)
    nearest = np.rint(2 * np.log2(0.94 / np.maximum(np.tanh(guess / 2), 1e-12)))
    start = np.clip(nearest - ABOVE, 0, STAKES - WINDOW).astype(np.int64)
    grid = start[..., None] + np.arange(WINDOW)
    leads = LEADS[grid]
    height = -0.5 * ((leads - lead[..., None]) / spread[..., None]) ** 2 + _LOG_LEADS[grid]
    density = np.exp(height - height.max(axis=-1, keepdims=True))
    weights = (1 - even) * density / density.sum(axis=-1, keepdims=True) + even / WINDOW
    shares = 1 + np.floor(weights * (SHARES - WINDOW - 1)).astype(np.int64)
    return Stakes(start, shares)


@dataclass(frozen=True, eq=False)
class Odds:
    """Logarithms of what a win and a loss multiply the capital by, (STAKES,), against means up to `null`."""

    null: float
    win: Reals
    loss: Reals

    @classmethod
    def against(cls, null: float) -> Odds:
        """Games whose null hypothesis is "the mean is at most `null`", in (0, 1)."""
        return cls(null, np.log1p((1 - null) / null * LAMBDAS), np.log1p(-LAMBDAS))


def log_capital(odds: Odds, start: Index, log_shares: Reals, won: Reals, played: Reals) -> Reals:
    """Log capital (...) of games with `won` (...) points in `played` (...) outcomes.

    log_shares: (..., WINDOW) logarithms of shares / SHARES.
    """
    grid = start[..., None] + np.arange(WINDOW)
    parts = log_shares + won[..., None] * odds.win[grid] + (played - won)[..., None] * odds.loss[grid]
    top = parts.max(axis=-1)
    return np.asarray(top + np.log(np.exp(parts - top[..., None]).sum(axis=-1)), dtype=np.float64)
