from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto.samplers.betting import LAMBDAS, SHARES, WINDOW, Odds, log_capital, stakes

NULLS = (0.5, 0.625, 0.25)


def begin(lead, spread):
    chosen = stakes(np.array([lead]), np.array([spread]))
    return chosen, np.log(chosen.shares / SHARES)


def exact_capital(chosen, null, outcomes):
    """Bet by bet, in fractions, with linear pay-offs."""
    total = Fraction(0)
    for k, share in zip(range(WINDOW), chosen.shares[0].tolist(), strict=True):
        p0 = Fraction(null)
        p = p0 + (1 - p0) * Fraction(float(LAMBDAS[int(chosen.start[0]) + k]))
        purse = Fraction(share, SHARES)
        for outcome in outcomes:
            purse *= outcome * p / p0 + (1 - outcome) * (1 - p) / (1 - p0)
        total += purse
    return total


@given(st.floats(-3, 6), st.floats(1e-4, 3), st.lists(st.booleans(), max_size=12), st.sampled_from(NULLS))
def test_capital_is_that_of_the_bets(lead, spread, outcomes, null):
    chosen, log_shares = begin(lead, spread)
    won, played = np.array([float(sum(outcomes))]), np.array([float(len(outcomes))])
    got = np.exp(log_capital(Odds.against(null), chosen.start, log_shares, won, played))[0]
    want = exact_capital(chosen, null, [Fraction(int(outcome)) for outcome in outcomes])
    assert got == pytest.approx(float(want), rel=1e-9)


@given(st.floats(-3, 6), st.floats(1e-4, 3), st.lists(st.integers(0, 4), max_size=8), st.sampled_from(NULLS))
def test_fractional_outcomes_never_give_more_than_linear_bets(lead, spread, quarters, null):
    chosen, log_shares = begin(lead, spread)
    outcomes = [Fraction(quarter, 4) for quarter in quarters]
    won, played = np.array([float(sum(outcomes))]), np.array([float(len(outcomes))])
    got = np.exp(log_capital(Odds.against(null), chosen.start, log_shares, won, played))[0]
    assert got <= float(exact_capital(chosen, null, outcomes)) * (1 + 1e-9)


@given(st.floats(-50, 50), st.floats(1e-9, 50))
def test_shares_are_whole_positive_and_never_more_than_everything(lead, spread):
    chosen, _ = begin(lead, spread)
    assert chosen.shares.min() >= 1
    assert chosen.shares.sum() <= SHARES


def crossings(null, p, goal, odds=None, paths=4000, draws=3000, seed=0):
    """Share of paths whose capital ever reaches `goal`."""
    rng = np.random.default_rng(seed)
    odds = odds or Odds.against(null)
    chosen, log_shares = begin(0.6, 0.4)
    start, log_shares = np.repeat(chosen.start, paths), np.repeat(log_shares, paths, axis=0)
    crossed, won = np.zeros(paths, dtype=bool), np.zeros(paths)
    for played in range(1, draws + 1):
        # after every outcome at first, later after every tenth
        won += rng.random(paths) < p
        if played < 300 or played % 10 == 0:
            crossed |= log_capital(odds, start, log_shares, won, np.full(paths, float(played))) >= np.log(
                goal
            )
    return crossed.mean()


def test_ville_at_a_half_is_kept_and_nearly_reached():
    share = crossings(0.5, 0.5, 10.0, paths=1500, draws=1500)
    assert 0.065 < share < 0.1 + 3 * (0.1 * 0.9 / 1500) ** 0.5


def test_ville_with_a_margin():
    assert crossings(0.6, 0.6, 10.0, paths=800, draws=600) < 0.1 + 3 * (0.1 * 0.9 / 800) ** 0.5


def test_bets_on_both_sides_would_be_noticed():
    odds = Odds.against(0.5)
    signs = np.where(np.arange(len(LAMBDAS)) % 2 == 0, 1, -1)
    both = Odds(0.5, np.log1p(signs * LAMBDAS), np.log1p(-signs * LAMBDAS))
    assert crossings(0.5, 0.35, 10.0, both, paths=200, draws=300) > 0.9
    assert crossings(0.5, 0.35, 10.0, odds, paths=200, draws=300) < 0.1


def test_a_clear_lead_costs_little_more_than_its_information():
    p, goal = 0.6225, 2560.0
    chosen, log_shares = begin(0.5, 0.5)
    played = np.arange(1.0, 1000.0)
    capital = log_capital(
        Odds.against(0.5),
        np.repeat(chosen.start, 999),
        np.repeat(log_shares, 999, axis=0),
        p * played,
        played,
    )
    needed = np.argmax(capital >= np.log(goal)) + 1
    information = np.log(goal) / (np.log(2) + p * np.log(p) + (1 - p) * np.log(1 - p))
    assert needed < 1.2 * information
