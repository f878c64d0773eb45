"""Track-and-Stop: its pieces against slow references, counts up to 10^18, and the paper's checks."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto import (
    BattleError,
    BradleyTerrySource,
    Outcomes,
    Queries,
    Status,
    Task,
    frontier,
    identify,
    make_sampler,
    simulate,
)
from pareto.alternatives import free_problem, problem
from pareto.experiments.known import TRACK_RATIOS
from pareto.experiments.scaling import PANELS
from pareto.glr.log_ratios import bernoulli_divergence, log_likelihood_ratio
from pareto.glr.screening import fisher_scores
from pareto.instances import benchmark, symmetric
from pareto.laws import CellLaw
from pareto.samplers import method
from pareto.samplers.likelihood_ratio import check, threshold
from pareto.samplers.schedule import PAPER
from pareto.samplers.track_constants import EARLIER, TrackConstants
from pareto.samplers.track_race import TrackRace
from pareto.samplers.tracking import apportioned, mixed, reweighted
from pareto.trials.simulation import Setting
from pareto.trials.tracked import track_trials
from solvers import solve

THETA = np.array([[1.2, 0.0], [0.0, 1.2], [-1.0, -1.2], [-1.2, -1.0]])
TASK = Task(("a", "b", "c", "d"), ("x", "y"), delta=0.1)


def some_wins(rng, objectives, models, games=60):
    """(d, K, K), every pair met."""
    upper = np.triu(rng.integers(1, games, size=(objectives, models, models)), 1)
    theta = rng.normal(size=(objectives, models)) * 0.7
    chance = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
    wins = np.triu(rng.binomial(upper, chance), 1)
    return wins + np.tril((upper - wins).swapaxes(1, 2), -1)


# --- likelihoods, term by term ------------------------------------------------------------------------------


def exactly(wins, theta, other):
    """ℓ(theta) − ℓ(other) with sixty digits."""
    with localcontext() as context:
        context.prec = 60
        total = Decimal(0)
        for i, j in combinations(range(len(theta)), 2):
            for a, b in ((i, j), (j, i)):
                chances = [
                    1 / (1 + (Decimal(float(scores[b])) - Decimal(float(scores[a]))).exp())
                    for scores in (theta, other)
                ]
                total += int(wins[a, b]) * (chances[0] / chances[1]).ln()
        return total


@pytest.mark.parametrize("apart", [1.0, 1e-3, 1e-8])
def test_ratios_of_likelihoods_do_not_cancel_at_1e18(apart):
    rng = np.random.default_rng(0)
    theta = rng.normal(size=5) * 0.3
    other = theta + rng.normal(size=5) * apart
    games = np.triu(rng.integers(10**16, 10**17, size=(5, 5)), 1)
    wins = np.triu((games / (1 + np.exp(theta[None] - theta[:, None]))).astype(np.int64), 1)
    wins = wins + np.tril((games - wins).T, -1)
    true = float(exactly(wins, theta, other))
    found = float(log_likelihood_ratio(wins.astype(float), theta, other))
    assert found == pytest.approx(true, rel=1e-6)

    def likelihood(scores):
        return -(wins * np.log1p(np.exp(scores[None] - scores[:, None]))).sum()

    if apart == 1e-8:  # the difference of two sums is noise
        assert abs(likelihood(theta) - likelihood(other) - true) > 10 * abs(found - true)


@pytest.mark.parametrize("shift", [0.0, 1e-9, 3e-6, 2e-5, 1e-2, 3.0])
def test_divergences_of_close_coins(shift):
    leads = np.linspace(-3, 3, 13)
    for sign in (1, -1):
        found = bernoulli_divergence(leads, np.full(13, sign * shift))
        for lead, value in zip(leads.tolist(), found.tolist(), strict=True):
            with localcontext() as context:
                context.prec = 60
                p, q = (1 / (1 + (-x).exp()) for x in (Decimal(lead), Decimal(lead) + Decimal(sign * shift)))
                true = float(p * (p / q).ln() + (1 - p) * ((1 - p) / (1 - q)).ln())
            assert value == pytest.approx(true, rel=1e-9, abs=1e-300)


# --- one check ----------------------------------------------------------------------------------------------


def test_the_threshold_is_the_stated_one():
    rng = np.random.default_rng(1)
    wins, theta = some_wins(rng, 3, 5), rng.normal(size=(3, 5))
    counts = (wins + wins.swapaxes(1, 2)).astype(float)
    expected = np.log(1 / 0.05) + 0.05 * (theta**2).sum()
    for r in range(3):
        laplacian = np.zeros((5, 5))
        for i, j in combinations(range(5), 2):
            unit = np.eye(5)[i] - np.eye(5)[j]
            laplacian += counts[r, i, j] * np.outer(unit, unit)
        expected += 0.5 * np.log(np.linalg.det(np.eye(5) + 2.5 * laplacian))
    assert threshold(theta[None], counts[None], 0.05, EARLIER)[0] == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1, 10**6, 10**13, 10**17])
def test_the_threshold_holds_at_large_counts(scale):
    """Against exact elimination: the determinant of large counts must not lose its eigenvalue 1."""
    rng = np.random.default_rng(11)
    upper = np.triu(rng.integers(1, 10, size=(1, 4, 4)), 1)
    counts = (upper + upper.swapaxes(1, 2)) * scale
    rows = [[Fraction(0)] * 4 for _ in range(4)]
    for i in range(4):
        for j in range(4):
            rows[i][j] = Fraction(int(i == j)) + Fraction(5, 2) * (
                int(counts[0, i].sum()) if i == j else -int(counts[0, i, j])
            )
    determinant = Fraction(1)
    for k in range(4):
        determinant *= rows[k][k]
        for i in range(k + 1, 4):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    logarithm = math.log(determinant.numerator) - math.log(determinant.denominator)
    found = threshold(np.zeros((1, 1, 4)), counts[None].astype(float), 0.5, EARLIER)[0]
    assert found == pytest.approx(math.log(2) + logarithm / 2, rel=1e-12)


def test_a_check_is_what_the_back_ends_say():
    """Ψ from problems stated to `solvers`, one at a time, on several trials beside each other."""
    rng = np.random.default_rng(2)
    wins = np.stack([some_wins(rng, 2, 5) for _ in range(6)])
    found = check(wins, 0.05, EARLIER)
    assert found.converged.all()
    for trial in range(6):
        counts = wins[trial] + wins[trial].swapaxes(1, 2)
        free = [solve(free_problem(r, wins[trial])) for r in range(2)]
        theta = np.column_stack([one.x for one in free])
        assert np.abs(found.theta[trial].T - theta).max() < 1e-6
        assert np.array_equal(found.frontier[trial], frontier(theta))
        alternative = found.screened.alternative(trial)
        tied = [solve(problem(alternative, r, wins[trial])) for r in range(2)]
        ratio = sum(float(a.objective - b.objective) for a, b in zip(free, tied, strict=True))
        assert found.ratio[trial] == pytest.approx(ratio, abs=1e-8)
        score = fisher_scores(theta, counts)
        parts = [[score[r, better, worse] for better, worse in alternative.constraints(r)] for r in range(2)]
        drop = found.screened.dropped[trial] >= 0
        expected = sum(map(sum, parts)) if drop else max(value for part in parts for value in part)
        assert found.screened.score[trial] == pytest.approx(expected, rel=1e-6)
        assert found.statistic[trial] == min(found.screened.score[trial], found.ratio[trial])
    assert not found.stopping.any()


def test_a_check_stops_only_when_fits_have_converged():
    wins = some_wins(np.random.default_rng(3), 2, 6)[None] * 1000
    assert check(wins, 0.05, EARLIER).stopping[0]
    rough = check(wins, 0.05, TrackConstants(tolerance=1e-300))
    assert rough.statistic[0] > rough.threshold[0]
    assert not rough.converged[0]
    assert not rough.stopping[0]


# --- where the next batch goes ------------------------------------------------------------------------------


def test_weights_and_mixing_are_the_stated_ones():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    divergence = np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 1e-20]])
    found = reweighted(weights, divergence, np.array([4, 1]), 0.8, 1e-15)
    grown = weights[0] * np.exp([0.0, 0.4, 0.2])
    assert np.allclose(found[0], grown / grown.sum())
    assert np.allclose(found[1], weights[1])  # all κ below ε_κ: nothing is told apart
    share = mixed(weights, np.array([1000, 10**18]), 1 / 3)
    assert np.allclose(share[0], 0.9 * weights[0] + 0.1 / 3)
    assert np.allclose(share[1], weights[1], atol=1e-5)


@settings(max_examples=150)
@given(st.lists(st.floats(0, 1e18), min_size=1, max_size=9), st.integers(0, 10**18))
def test_batches_are_dealt_exactly(deficits, batch):
    found = apportioned(np.array([deficits, deficits[::-1]]), np.array([batch, batch // 3]))
    assert found.dtype == np.int64
    for row, given_, total in zip(
        found.tolist(), (deficits, deficits[::-1]), (batch, batch // 3), strict=True
    ):
        assert sum(row) == total
        assert min(row) >= 0
        behind = sum(map(Fraction, given_))
        if behind > Fraction(1, 10**200):
            room = 2 + total / 2**48
            for share, one in zip(given_, row, strict=True):
                assert abs(one - total * Fraction(share) / behind) <= room
                assert share > 0 or one == 0


def test_checks_are_scheduled_in_whole_numbers():
    assert EARLIER.next_check(40_320, 20_160) == 72_576  # 1.8 is no double: the product is not rounded up
    assert EARLIER.next_check(960, 480) == 1728
    assert EARLIER.next_check(100, 480) == 580
    assert EARLIER.next_check(10**17 + 1, 3) == 180_000_000_000_000_002
    assert EARLIER.next_check(9 * 10**17, 3) == 10**18
    assert EARLIER.next_check(10**18, 3) == 10**18


@pytest.mark.parametrize(
    "change",
    [
        {"box": 0.0},
        {"ridge": -1.0},
        {"variance": float("nan")},
        {"growth": 1.0},
        {"growth": float("inf")},
        {"growth": "1.8"},
        {"growth": 10**400},
        {"box": None},
        {"step": [0.8]},
        {"first": 0},
        {"first": 2.0},
        {"first": "2"},
        {"most": np.float64(5)},
        {"most": 10**18 + 1},
        {"iterations": 0},
        {"least_divergence": 0.0},
    ],
)
def test_impossible_constants_are_refused(change):
    with pytest.raises(BattleError, match=next(iter(change))):
        TrackConstants(**change)


def test_constants_may_be_numbers_of_numpy():
    theirs = TrackConstants(growth=np.float64(1.8), box=np.int64(2), first=np.int32(2), most=np.int64(10**18))
    assert theirs == EARLIER
    assert repr(theirs) == repr(EARLIER)
    assert theirs.next_check(40_320, 20_160) == 72_576
    assert TrackConstants(growth=np.float32(1.5), step=1).next_check(100, 3) == 150


def test_targets_are_tracked():
    """After every batch cells hold what their targets say, up to rounding and what they had beyond it."""
    race = TrackRace(1, 5, 2, 0.05, TrackConstants(most=3000))
    rng, which = np.random.default_rng(4), np.zeros(1, dtype=np.int64)
    chance = np.full((2, 10), 0.7)
    seen = []
    while len(race.open):
        plan = race.plan[0]
        assert (plan >= 0).all()
        race.take(which, race.plan[which], rng.binomial(plan, chance)[None])
        behind = race._target[0] - race.counts[0].ravel()
        assert behind.sum() == pytest.approx(race.plan.sum() if len(race.open) else 0, abs=1e-6)
        seen.append(int(race.spent[0]))
    assert seen[:3] == [40, 72, 130]
    assert seen[-1] == 3000
    assert race._weights[0].max() > 2 * race._weights[0].min()


# --- the sampler --------------------------------------------------------------------------------------------


def test_it_promises_nothing_and_says_so():
    stated = method("track-and-stop").guarantee
    assert (stated.certified, stated.needs_order, stated.fractions) == (False, True, False)
    assert stated.claim.startswith("None")
    found = identify(BradleyTerrySource(THETA, 0), "track-and-stop")
    assert found.status is Status.STOPPED
    assert found.scale == "latent"
    assert np.array_equal(found.frontier, frontier(THETA))
    assert np.abs(found.estimates - THETA + THETA.mean(axis=0)).max() < 0.3
    assert found.allocation.sum() == 2 * found.comparisons


def test_the_paper_s_checks():
    """The totals at which its runs on these settings stop, by its ratios and the schedule of checks."""
    for objectives, gap, total in ((10, 1.0, 25_913_151), (10, 1.5, 14_396_195), (2, 1.0, 888_731)):
        theta = symmetric(64, objectives, gap)
        found = simulate("track-and-stop", theta, 1)
        assert found.comparisons.tolist() == [total]
        assert found.stopped.all()
        assert np.array_equal(found.frontier[0], frontier(theta))


@pytest.mark.slow
@pytest.mark.parametrize("panel", PANELS, ids=[panel.symbol for panel in PANELS])
def test_the_paper_s_ratios_within_a_factor(panel):
    for at in panel.settings:
        theta, papers = symmetric(*at), TRACK_RATIOS[panel.symbol][at[panel.index]]
        means = [simulate(name, theta, 5).comparisons.mean() for name in ("track-and-stop", "vb-ege")]
        assert papers / 1.5 <= means[0] / means[1] <= papers * 1.5


def test_sampler_and_engine_decide_alike_on_the_same_draws():
    theta = benchmark("arena-4-small").theta(1)[:12]
    found = simulate("track-and-stop", theta, range(3, 4), seed=5, max_comparisons=3_000_000)
    source = BradleyTerrySource(theta)
    sampler = make_sampler(
        "track-and-stop", Task(source.models, source.objectives, max_comparisons=3_000_000)
    )
    rng = np.random.default_rng((5, 3))
    first, second = np.triu_indices(12, 1)
    chance = 1 / (1 + np.exp(theta[second] - theta[first]))
    while not sampler.done:
        queries = sampler.ask()
        assert (queries.first < queries.second).all()
        wanted = np.zeros((12, 12, 4), dtype=np.int64)
        wanted[queries.first, queries.second, queries.objective] = queries.count
        points = np.zeros_like(wanted)
        points[first, second] = rng.binomial(wanted[first, second].T, chance.T).T
        sampler.tell(Outcomes.of(queries, points[queries.first, queries.second, queries.objective]))
    result = sampler.result
    assert result.comparisons == found.comparisons[0]
    assert np.array_equal(result.frontier, found.frontier[0])
    assert np.array_equal(result.allocation.sum(axis=1), found.draws[0])
    assert sampler.race.checks[0] == found.phases[0]
    assert result.stopped == found.stopped[0]


def test_a_trial_does_not_depend_on_its_neighbours():
    theta = np.stack([np.random.default_rng(one).normal(size=(6, 2)) for one in range(5)])
    together = simulate("track-and-stop", theta, 5, seed=2, max_comparisons=10**7)
    for trial in range(5):
        alone = simulate(
            "track-and-stop", theta[trial], range(trial, trial + 1), seed=2, max_comparisons=10**7
        )
        assert alone.comparisons[0] == together.comparisons[trial]
        assert np.array_equal(alone.draws[0], together.draws[trial])


def test_parts_in_any_order_give_the_same_run():
    rng, source = np.random.default_rng(6), BradleyTerrySource(THETA, 1)
    whole, parts = (make_sampler("track-and-stop", TASK) for _ in range(2))
    while not whole.done:
        outcomes = source.answer(whole.ask())
        whole.tell(outcomes)
        columns = [outcomes.first, outcomes.second, outcomes.objective, outcomes.count, outcomes.points]
        order = rng.permutation(len(outcomes))
        half = len(order) // 2
        for some in (order[half:], order[:half]):
            parts.tell(Outcomes(*(column[some] for column in columns)))
    assert np.array_equal(whole.result.estimates, parts.result.estimates)
    assert np.array_equal(whole.result.allocation, parts.result.allocation)


def test_a_tie_is_given_up_at_1e18_and_every_comparison_is_counted():
    """Exact whole numbers to the end: no count passes through a double."""
    theta = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]])
    found = identify(BradleyTerrySource(theta, 0), "track-and-stop")
    assert found.status is Status.CAPPED
    assert not found.stopped
    assert found.comparisons == 10**18
    assert sum(found.allocation.ravel().tolist()) == 2 * 10**18
    assert found.allocation.max() % 2**10  # not a multiple of what doubles of this size can tell apart
    assert not found.decided.any()
    trials = simulate("track-and-stop", theta, 2)
    assert trials.comparisons.tolist() == [10**18] * 2
    assert not trials.stopped.any()


@pytest.mark.parametrize("cap", [5, 30, 700])
def test_a_cap_acts_as_a_smaller_t_max(cap):
    capped = identify(BradleyTerrySource(THETA * 0.01, 0), "track-and-stop", max_comparisons=cap)
    given_up = identify(
        BradleyTerrySource(THETA * 0.01, 0), "track-and-stop", constants=TrackConstants(most=cap)
    )
    assert capped.status is given_up.status is Status.CAPPED
    assert capped.comparisons == given_up.comparisons == cap
    assert np.array_equal(capped.estimates, given_up.estimates)
    trial = simulate("track-and-stop", THETA * 0.01, 1, max_comparisons=cap)
    assert trial.comparisons[0] == cap


def test_a_showing_that_answers_all_objectives_costs_once():
    found = identify(BradleyTerrySource(THETA, 2, joint=True), "track-and-stop")
    assert np.array_equal(found.frontier, frontier(THETA))
    assert found.comparisons == found.allocation.sum() // 4
    capped = identify(BradleyTerrySource(THETA, 2, joint=True), "track-and-stop", max_comparisons=50)
    assert capped.comparisons == 50
    assert capped.status is Status.CAPPED


def test_what_it_cannot_use_is_refused():
    with pytest.raises(BattleError, match="no margin"):
        make_sampler("track-and-stop", Task(("a", "b"), ("x",), margin=0.1))
    with pytest.raises(BattleError, match="no margin"):
        simulate("track-and-stop", THETA, 1, margin=0.1)
    with pytest.raises(BattleError, match="TrackConstants"):
        make_sampler("track-and-stop", TASK, constants=PAPER)
    halves = CellLaw(np.full((2, 2, 1), 0.5), np.full((2, 2, 1), 0.2))
    with pytest.raises(BattleError, match="half wins"):
        track_trials(halves, [np.random.default_rng(0)], Setting(0.05, PAPER, 100, 0.0))
    sampler = make_sampler("track-and-stop", TASK)
    queries = sampler.ask()
    more = Queries(queries.first, queries.second, queries.objective, queries.count + 1)
    with pytest.raises(BattleError, match="'a' with 'b' on 'x' were told"):
        sampler.tell(Outcomes.of(more, queries.count))
    assert sampler.comparisons == 0


def test_scores_beyond_the_box_are_fitted_at_its_walls():
    theta = np.array([[5.0, 0.0], [0.0, 5.0], [-5.0, -5.0]])
    found = identify(BradleyTerrySource(theta, 0), "track-and-stop")
    assert found.stopped
    assert np.abs(found.estimates).max() <= 2.0
    assert np.array_equal(found.frontier, frontier(theta))
