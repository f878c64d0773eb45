"""The exact likelihood ratio against enumeration, other back ends, and closed forms."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from pareto import BattleError, frontier
from pareto.alternatives import Add, Drop, alternatives, how_many
from pareto.bradley_terry import fit
from pareto.exact_glr import (
    BoxCosts,
    DivergenceCosts,
    Wanted,
    exact_glr,
    exact_glr_in_box,
    near,
    ratio_against,
)
from pareto.exact_glr.divergence import Divergence
from pareto.exact_glr.forced import forced
from pareto.glr.log_ratios import bernoulli_divergence, log_likelihood_ratio
from pareto.glr.screening import fisher_scores, screen
from pareto.instances import benchmark
from pareto.limit import information_limit
from pareto.samplers.likelihood_ratio import check
from pareto.samplers.track_constants import TrackConstants
from pareto.samplers.track_race import TrackRace
from solvers import OrderedBradleyTerry, solve


def drawn_weights(rng, shape, spread=1.0, share=1.0):
    """(…, K, K) symmetric weights, some of them 0."""
    weights = np.exp(spread * rng.normal(size=shape)) * (rng.random(shape) < share)
    weights = np.triu(weights, 1)
    return weights + weights.swapaxes(-1, -2)


def drawn_scores(rng, models, objectives, scale=1.0, slope=2.0):
    """(K, d) scores; the larger the slope, the smaller the frontier."""
    return scale * (rng.normal(size=(models, objectives)) - slope * np.sort(rng.random(models))[:, None])


def drawn_wins(rng, theta, most=60):
    """(d, K, K) wins, every pair met once at least."""
    models, objectives = theta.shape
    played = np.triu(rng.integers(1, most, size=(objectives, models, models)), 1)
    won = rng.binomial(played, expit(theta.T[:, :, None] - theta.T[:, None, :]))
    return won + np.swapaxes(np.triu(played - won, 1), 1, 2)


def enumerated(costs, kept, objectives):
    """The smallest cost of all alternatives, one by one."""
    return min(ratio_against(costs, one)[1] for one in alternatives(kept, objectives))


def divergence_by_decimals(lead, shift):
    """kl(σ(lead), σ(lead + shift)) in fifty digits."""
    with localcontext() as context:
        context.prec = 80
        first, second = Decimal(lead), Decimal(lead) + Decimal(shift)
        p, q = 1 / (1 + (-first).exp()), 1 / (1 + (-second).exp())
        other, rest = 1 / (1 + first.exp()), 1 / (1 + second.exp())
        return p * (p / q).ln() + other * (other / rest).ln()


@given(
    st.floats(-30, 30),
    st.floats(-12, 1).map(lambda power: 10.0**power),
    st.booleans(),
)
@example(0.3, 1e-5, True)
@example(0.0, 0.5, False)
@example(40.0, 1.0, True)
def test_a_divergence_is_right_to_its_last_digits(lead, size, down):
    shift = -size if down else size
    truth = divergence_by_decimals(lead, shift)
    found = Decimal(float(bernoulli_divergence(np.float64(lead), np.float64(shift))))
    assert abs(found - truth) <= Decimal("2e-15") * (8 + Decimal(abs(lead))) * truth


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_to_the_last_digit(seed):
    """For two models the closest alternative is a tie on one objective, known to any precision."""
    rng = np.random.default_rng(seed)
    for lead in 10.0 ** rng.uniform(-7, 0.5, size=25):
        theta = np.array([[lead], [0.0]])
        found = exact_glr(theta, np.array([[[0.0, 3.0], [3.0, 0.0]]]))
        assert Decimal(found.lower) <= 3 * divergence_by_decimals(lead, -lead)
        limit = information_limit(theta)
        truth = 1 / divergence_by_decimals(lead, -lead)
        assert Decimal(limit.low) <= truth <= Decimal(limit.high)


def test_an_approximate_fit_is_paid_for():
    """At 10^15 comparisons a fit within tolerance may be short of the maximum by a part of a nat."""
    rng = np.random.default_rng(0)
    theta = np.array([[0.5], [0.2], [-0.7]])
    played = np.triu(np.full((3, 3), 10**15), 1)
    won = rng.binomial(played, expit(theta[:, 0][:, None] - theta[:, 0]))
    wins = np.array([[won + (played - won).T]])
    wins[0, 0][np.eye(3, dtype=bool)] = 0
    exact = check(wins, 0.05, TrackConstants(exact=True))
    rough = check(wins, 0.05, TrackConstants(exact=True, iterations=3))
    counts = (wins + wins.swapaxes(2, 3))[0].astype(float)
    for found in (exact, rough):
        paid = exact_glr(found.theta[0].T, counts).lower - found.ratio[0]
        assert paid >= 0
    assert paid > 1.0  # nats, after three steps


def test_wins_in_a_box_are_checked():
    with pytest.raises(BattleError, match="2 models or more"):
        exact_glr_in_box(np.zeros((2, 1, 1)))
    with pytest.raises(BattleError, match="cannot be used"):
        exact_glr_in_box(-np.ones((1, 3, 3)))
    for wins, message in (
        ("abc", "no numbers"),
        ([[[1.0], [1.0, 2.0]]], "different lengths"),
        (None, "shape"),
    ):
        with pytest.raises(BattleError, match=f"wins .*{message}"):
            exact_glr_in_box(wins)


@pytest.mark.parametrize("lead", [1e-7, 0.3, 2.0])
def test_two_models_have_to_tie(lead):
    theta = np.array([[lead, 0.0], [0.0, lead]])
    found = exact_glr(theta, np.array([[[0, 7], [7, 0]], [[0, 9], [9, 0]]]))
    tie = float(bernoulli_divergence(np.float64(lead), np.float64(-lead)))
    assert found.value == pytest.approx(7 * tie, rel=1e-9)
    assert found.alternative == Drop(0, 1)
    assert found.scores[0, 0] == pytest.approx(found.scores[1, 0], abs=1e-12)
    assert found.lower == pytest.approx(found.value, rel=1e-8)


@pytest.mark.parametrize("seed", range(12))
def test_forcing_orders_agrees_with_back_ends_and_the_bound_holds(seed):
    rng = np.random.default_rng((1, seed))
    models = int(rng.integers(2, 14))
    theta = rng.normal(size=models) * rng.choice([0.01, 0.5, 2.0])
    weights = drawn_weights(rng, (models, models), rng.choice([0.0, 1.0, 3.0]), rng.choice([0.4, 1.0]))
    top = int(rng.integers(models))
    others = [i for i in range(models) if i != top]
    below = tuple(int(i) for i in rng.choice(others, size=rng.integers(1, models), replace=False))
    found = forced(Divergence(theta, weights), top, below)
    moved = theta + found.moves
    assert found.met[list(below)].all()
    assert (found.met == (found.moves <= theta[top] - theta)).all()
    assert found.lower <= found.value
    assert found.lower >= found.value * (1 - 1e-6) - 1e-15 * weights.sum()
    lead, shift = theta[:, None] - theta, found.moves[:, None] - found.moves
    assert found.value == pytest.approx((weights * bernoulli_divergence(lead, shift)).sum() / 2, rel=1e-9)
    assert moved.max() <= theta.max() + 1e-9 + max(0.0, (theta[list(below)] - theta[top]).max())
    if weights.any():
        wins = weights * expit(lead)
        box = 3 * float(np.ptp(theta))
        free = solve(OrderedBradleyTerry(wins, (), box))
        tied = solve(OrderedBradleyTerry(wins, tuple((top, p) for p in below), box))
        low, high = float(free.objective - tied.bound), float(free.bound - tied.objective)
        room = 1e-10 * weights.sum()
        assert low - room <= found.value <= high + room


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_more_constraints_never_cost_less_and_single_ones_are_bracketed(seed):
    rng = np.random.default_rng(seed)
    models = int(rng.integers(3, 8))
    theta = rng.normal(size=models) * rng.choice([1e-4, 1.0, 3.0])
    divergence = Divergence(theta, drawn_weights(rng, (models, models), 2.0, 0.7))
    order = rng.permutation(models).tolist()
    top, rest = order[0], order[1:]
    before = 0.0
    for count in range(1, models):
        found = forced(divergence, top, tuple(rest[:count]))
        assert found.value >= before * (1 - 1e-9)
        before = found.lower
    low, high = divergence.single_orders
    for other in rest:
        found = forced(divergence, top, (other,))
        assert low[top, other] <= found.value * (1 + 1e-9)
        assert found.lower <= high[top, other] * (1 + 1e-9)


def test_a_slow_minimiser_finds_nothing_cheaper():
    rng = np.random.default_rng(5)
    theta, weights = rng.normal(size=5), drawn_weights(rng, (5, 5))
    top, below = int(theta.argmin()), (int(theta.argmax()), int(np.argsort(theta)[2]))
    divergence = Divergence(theta, weights)
    slow = minimize(
        lambda moves: divergence.value(moves),
        np.zeros(5),
        constraints=[
            {"type": "ineq", "fun": lambda moves, p=p: (theta + moves)[top] - (theta + moves)[p]}
            for p in below
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    found = forced(divergence, top, below)
    assert found.lower <= slow.fun * (1 + 1e-7)
    assert found.value == pytest.approx(slow.fun, rel=1e-5)


@pytest.mark.parametrize("seed", range(30))
def test_the_minimum_is_that_of_enumeration(seed):
    rng = np.random.default_rng((2, seed))
    models, objectives = int(rng.integers(3, 10)), int(rng.integers(1, 5))
    theta = drawn_scores(rng, models, objectives, rng.choice([0.1, 1.0]), rng.choice([0.0, 2.0, 5.0]))
    kept = frontier(theta)
    if how_many(kept, objectives) > 3000:
        theta[:, 1:] = theta[:, :1]  # one model is best everywhere
        kept = frontier(theta)
    weights = drawn_weights(rng, (objectives, models, models), rng.choice([0.0, 1.0, 2.0]))
    costs = DivergenceCosts(theta, weights)
    slow = enumerated(costs, kept, objectives)
    found = exact_glr(theta, weights)
    assert found.value == pytest.approx(slow, rel=1e-8)
    assert found.value * (1 - 1e-6) <= found.lower <= found.value
    assert ratio_against(costs, found.alternative)[1] == pytest.approx(slow, rel=1e-8)
    shown = found.scores
    shown[[found.alternative.top]] += 1e-9  # past the edge the frontier is another one
    assert (frontier(shown) != kept).any()


@pytest.mark.slow
def test_the_minimum_is_that_of_enumeration_up_to_4096_assignments():
    rng = np.random.default_rng(3)
    done = 0
    while done < 6:
        theta = drawn_scores(rng, 14, 4, 0.5, 2.0)
        kept = frontier(theta)
        if kept.sum() != 6:
            continue
        done += 1
        weights = drawn_weights(rng, (4, 14, 14), 1.0)
        slow = enumerated(DivergenceCosts(theta, weights), kept, 4)
        assert exact_glr(theta, weights).value == pytest.approx(slow, rel=1e-8)


@pytest.mark.parametrize("box", [0.4, 2.0, 30.0])
@pytest.mark.parametrize("backend", ["ordered-newton", "cvxpy-clarabel"])
def test_within_a_box_any_back_end_finds_the_minimum_of_enumeration(box, backend):
    rng = np.random.default_rng((4, round(box)))
    for _ in range(1 if backend != "ordered-newton" else 4):
        theta = drawn_scores(rng, 4, 2, 0.7, 3.0)
        wins = drawn_wins(rng, theta)
        costs = BoxCosts(wins.astype(np.float64), box, backend)
        slow = enumerated(costs, frontier(costs.theta), 2)
        found = exact_glr_in_box(wins, box, backend)
        assert found.value == pytest.approx(slow, rel=1e-9, abs=1e-12)
        # the cone solver ends within 1e-5 of a comparison's worth, and says so
        loose = 1e-6 if backend == "ordered-newton" else 1e-5
        assert found.lower <= found.value <= found.lower + loose * wins.sum()
        assert np.abs(found.scores).max() <= box * (1 + 1e-12)
        wide = exact_glr(costs.theta, wins + wins.swapaxes(1, 2))
        assert wide.lower <= found.value + 1e-9
        if box == 30.0 and np.abs(found.scores).max() < 20:
            assert wide.value == pytest.approx(found.value, rel=1e-6)


def test_it_is_the_likelihood_ratio():
    rng = np.random.default_rng(8)
    wins = drawn_wins(rng, drawn_scores(rng, 6, 3), 200)
    theta = fit(wins, ridge=0).scores
    found = exact_glr(theta, wins + wins.swapaxes(1, 2))
    ratio = log_likelihood_ratio(wins.astype(np.float64), theta.T, found.scores.T).sum()
    assert found.value == pytest.approx(ratio, rel=1e-7)


def test_nothing_cancels_at_huge_counts_and_tiny_gaps():
    rng = np.random.default_rng(9)
    theta, weights = drawn_scores(rng, 6, 2), drawn_weights(rng, (2, 6, 6))
    one, many = exact_glr(theta, weights), exact_glr(theta, weights * 2.0**60)
    assert many.value == pytest.approx(one.value * 2.0**60, rel=1e-9)
    # at small differences everything is quadratic
    small, smaller = (exact_glr(theta * size, weights) for size in (1e-5, 1e-9))
    assert smaller.value * 1e8 == pytest.approx(small.value, rel=1e-4)
    assert smaller.lower >= smaller.value * (1 - 1e-6)


@pytest.mark.parametrize("size", [20.0, 59.0, 590.0])
def test_certain_wins_leave_bounds_that_hold(size):
    theta = np.array([[size, 0.0], [0.0, 1e-3], [-1.0, -1.0]])
    theta[:, 0] -= size / 2
    found = exact_glr(theta, np.ones((2, 3, 3)) - np.eye(3))
    assert 0 <= found.lower <= found.value
    # a tie on the last objective: an eighth of the lead's square, and up to half more by way of the third
    assert 0.99e-6 / 8 <= found.value <= 1.5e-6 / 8
    with pytest.raises(BattleError, match="range over"):
        exact_glr(theta * 100, np.ones((2, 3, 3)) - np.eye(3))


def test_who_never_met_is_no_evidence():
    theta = np.array([[1.0], [0.0], [-1.0]])
    weights = np.zeros((1, 3, 3))
    weights[0, 0, 1] = weights[0, 1, 0] = 100.0
    found = exact_glr(theta, weights)
    assert (found.value, found.lower, found.alternative) == (0.0, 0.0, Add(2, (0,), (0,)))


def test_near_lists_what_enumeration_does():
    rng = np.random.default_rng(12)
    theta, weights = drawn_scores(rng, 7, 3, 0.6), drawn_weights(rng, (3, 7, 7))
    costs, kept = DivergenceCosts(theta, weights), frontier(theta)
    best: dict[object, float] = {}
    for one in alternatives(kept, 3):
        name = one if isinstance(one, Drop) else one.model
        best[name] = min(best.get(name, np.inf), ratio_against(costs, one)[1])
    closest = min(best.values())
    wanted = sorted(value for value in best.values() if value <= 1e4 * closest)
    found = near(costs, kept, Wanted(reach=1e4))
    assert [value for value, _ in found.found] == pytest.approx(wanted, rel=1e-8)
    assert found.lower == pytest.approx(closest, rel=1e-6)
    more = near(costs, kept, Wanted(reach=1e4, spread=0.5, most=5))
    assert len(more.found) > len(found.found)
    for value, alternative in more.found:
        assert ratio_against(costs, alternative)[1] == pytest.approx(value, rel=1e-8)


def test_screening_is_sometimes_wrong_and_never_below():
    task, wrong = benchmark("arena-4-small"), 0
    for instance in range(25):
        theta = task.theta(1, instance)
        weights = np.ones((4, 32, 32)) - np.eye(32)
        picked = screen(fisher_scores(theta, weights)[None], frontier(theta)[None]).alternative()
        found = exact_glr(theta, weights)
        ratio = ratio_against(DivergenceCosts(theta, weights), picked)[1]
        assert ratio >= found.lower
        wrong += ratio > found.value * (1 + 1e-6)
    assert 0 < wrong < 25


def test_nodes_and_enough_end_the_search_with_bounds_that_hold():
    theta = benchmark("arena-10").theta(3)
    theta = theta + 0.3 * np.random.default_rng(0).normal(size=theta.shape)  # most are on the frontier
    weights = np.ones((10, 64, 64)) - np.eye(64)
    rough = exact_glr(theta, weights, nodes=2)
    finer = exact_glr(theta, weights, nodes=20)
    assert rough.lower <= finer.lower <= finer.value <= rough.value * (1 + 1e-9)
    some = exact_glr(theta, weights, nodes=2, enough=1e9)
    assert some.lower <= finer.lower * (1 + 1e-9)
    assert some.value >= finer.lower
    assert exact_glr(theta[:6], weights[:, :6, :6]).exact


def test_track_and_stop_can_test_all_alternatives():
    theta = drawn_scores(np.random.default_rng(14), 5, 2, 1.0, 3.0)
    race = TrackRace(1, 5, 2, 0.1, TrackConstants(exact=True))
    rng = np.random.default_rng(0)
    while len(race.open):
        plan = race.plan[:1]
        chance = expit(theta[race.first] - theta[race.second]).T
        race.take(np.zeros(1, dtype=np.int64), plan, rng.binomial(plan[0], chance)[None])
        counts = np.zeros((2, 5, 5))
        counts[:, race.first, race.second] = race.counts[0]
        found = exact_glr(race.theta[0].T, counts + counts.swapaxes(1, 2))
        if race.stopped[0]:
            assert race.statistic[0] == pytest.approx(found.value, rel=1e-6)
            assert race.statistic[0] >= race.threshold[0]
        else:
            assert found.lower < race.threshold[0]
    assert race.stopped[0]
    assert (race.frontier[0] == frontier(theta)).all()


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.ones((2, 3, 3)), "shape"),
        (-np.ones((1, 3, 3)), "negative"),
        (np.full((1, 3, 3), np.nan), "missing"),
        (np.triu(np.ones((1, 3, 3))), "differ"),
        ("text", "no numbers"),
        ([["1"]], "no numbers"),
        ([[[0, 1j], [1, 0]]], "no numbers"),
        ([[[0, 1, 1], [1, 0]]], "different lengths"),
        (np.array([[[0, 1, 1], [1, 0, 1e-250], [1, 1e-250, 0]]]), "from 1e-250 to 1;"),
    ],
)
def test_unusable_counts(counts, message):
    with pytest.raises(BattleError, match=message):
        exact_glr(np.zeros((3, 1)), counts)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": -1}, "nodes is -1; a whole number, 0 or more"),
        ({"nodes": 2.5}, "nodes is 2.5"),
        ({"nodes": True}, "nodes is True"),
        ({"enough": np.nan}, "enough is nan"),
        ({"enough": "5"}, "enough is '5'"),
    ],
)
def test_unusable_options(options, message):
    with pytest.raises(BattleError, match=message):
        exact_glr(np.zeros((3, 1)), np.ones((1, 3, 3)), **options)


def test_resistances_lost_in_rounding_say_nothing():
    theta = np.array([29.95790071358947, -13.441156192408998, 27.692630254290968])
    weights = np.array([[0, 0, 10.0], [0, 0, 10], [10, 10, 0]])
    found = exact_glr(theta[:, None], weights[None])
    assert found.lower <= found.value == pytest.approx(3.813597, rel=1e-6)
    least, most = Divergence(theta, weights).single_orders
    assert not np.isnan(least).any()
    assert least[2, 0] <= forced(Divergence(theta, weights), 2, (0,)).value <= most[2, 0]


@pytest.mark.parametrize("scale", [1.0, 20.0, 100.0])
def test_bounds_on_single_orders_hold_however_far_scores_and_counts_are_apart(scale):
    rng = np.random.default_rng(30)
    for _ in range(40):
        models = int(rng.integers(2, 6))
        theta = rng.normal(0, scale, models)
        weights = np.triu(rng.choice([0, 1, 10, 1e9, 1e-9, 1e-150], (models, models)), 1)
        one = Divergence(theta, weights + weights.T)
        least, most = one.single_orders
        assert np.isfinite(least).all()
        assert not np.isnan(most).any()
        for a, b in zip(*np.nonzero(~np.eye(models, dtype=np.bool_)), strict=True):
            fit = forced(one, int(a), (int(b),))
            assert least[a, b] <= fit.value * (1 + 1e-9)
            assert fit.lower <= most[a, b] * (1 + 1e-9)


@pytest.mark.parametrize("power", [-1030, -600, 600, 1020])
def test_the_unit_of_counts_changes_nothing(power):
    theta, counts = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], np.ones((2, 3, 3))
    usual, found = exact_glr(theta, counts), exact_glr(theta, np.ldexp(counts, power))
    assert found.alternative == usual.alternative
    assert (found.scores == usual.scores).all()
    assert found.value == np.ldexp(usual.value, power)
    assert found.lower <= found.value
    assert np.ldexp(found.lower, -power) <= usual.lower
    assert found.exact


def test_whole_scores_are_subtracted_before_they_are_rounded():
    counts = np.ones((1, 2, 2))
    assert exact_glr([[2**60 + 1], [2**60]], counts).value == exact_glr([[1], [0]], counts).value > 0
