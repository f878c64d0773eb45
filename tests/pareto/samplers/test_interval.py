import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto import BradleyTerrySource, Outcomes, ProbabilitySource, Status, Task, simulate
from pareto.borda import borda_of_probabilities
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, symmetric
from pareto.laws import LatentLaw
from pareto.samplers.interval import Interval
from pareto.samplers.interval_choice import IntervalRace
from pareto.samplers.interval_claims import Claims
from pareto.samplers.rounds import LARGEST
from pareto.samplers.schedule import PAPER
from pareto.trials.sequential import interval_trials
from pareto.trials.simulation import Setting
from tests.pareto.samplers.provoked import near_ties, play, tied

DELTA = 0.2


def run(source, **task):
    sampler = Interval(Task(source.models, source.objectives, joint=source.joint, **task))
    while not sampler.done:
        sampler.tell(source.answer(sampler.ask()))
    return sampler.result


def mixture(points, draws, mean, weight):
    """M of the argument, for one arm."""
    return (weight / (draws + weight)) ** 0.5 * np.exp(2 * (points - draws * mean) ** 2 / (draws + weight))


@given(st.integers(0, 300), st.floats(0, 1), st.floats(0, 1), st.integers(1, 500))
def test_an_arms_evidence_against_the_true_mean_does_not_grow_on_average(draws, share, mean, weight):
    points = share * draws
    later = mean * mixture(points + 1, draws + 1, mean, weight)
    later += (1 - mean) * mixture(points, draws + 1, mean, weight)
    assert later <= mixture(points, draws, mean, weight) * (1 + 1e-9)


@given(st.integers(1, 300), st.integers(1, 300), st.floats(0, 1), st.floats(0, 1), st.integers(1, 400))
def test_evidence_is_the_smallest_product_over_equal_means(one, two, first, second, weight):
    claims = Claims(1, 2, 1, DELTA)
    claims.draws[0, :, 0] = one, two
    claims.points[0, :, 0] = one * first, two * second
    both = np.arange(2)
    lead, evidence = claims._evidence(np.array([0]), 0, both, both, np.full((1, 2, 2), float(weight)))
    assert lead[0, 0, 1] == pytest.approx(second - first)
    means = np.linspace(min(first, second), max(first, second), 2001)
    products = np.log(mixture(one * first, one, means, weight)) + np.log(
        mixture(two * second, two, means, weight)
    )
    assert evidence[0, 0, 1] == evidence[0, 1, 0]
    assert evidence[0, 0, 1] <= products.min() + 1e-9
    assert evidence[0, 0, 1] == pytest.approx(products.min(), abs=1e-3)


def crossings(trials=3000):
    """Share of trials in which either of two equal arms is ever shown to be the better, at level 0.2."""
    rng = np.random.default_rng(4)
    claims = Claims(trials, 2, 1, 1.0)
    everyone = np.arange(trials)
    rank = np.ones((trials, 2, 2), dtype=np.int64)
    claims.begin(everyone, np.full((trials, 1, 2, 2), 60.0), rank, rank[:, None])
    claims.reject_goal[...] = np.log(5)
    claims.accept_goal[...] = np.inf
    for _ in range(120):
        claims.draws += 10
        claims.points += rng.binomial(10, 0.5, size=claims.points.shape)
        claims.judge(everyone)
    return claims.rejected.any(axis=1).mean()


def test_ville_for_two_equal_arms_is_kept_and_not_by_saying_nothing():
    # E bounds a product of two martingales by its minimum, so it stays below its level
    assert 0.02 < crossings() <= 0.2


def test_shares_of_witnesses_and_of_objectives_sum_to_the_budget():
    race = IntervalRace(2, 6, 3, 0.05)
    rng = np.random.default_rng(0)
    while not race.tests.ready.all():
        draws = race.want()
        if not race.tests.ready.all():
            race.take(draws, rng.binomial(draws.count, 0.5).astype(float))
    own = ~np.eye(6, dtype=bool)
    reject = np.exp(-race.tests.reject_goal)
    assert (np.where(own, reject, 0).sum(axis=2) <= 0.05 / 6).all()
    assert (np.exp(-race.tests.accept_goal).sum(axis=1) <= 0.05 / 6).all()


def test_tallies_begin_anew_when_the_pilot_has_fixed_the_shares():
    race = IntervalRace(1, 5, 2, 0.05)
    rng = np.random.default_rng(0)
    while len(race.open):
        draws = race.want()
        if race.tests.ready.all():
            break
        race.take(draws, rng.binomial(draws.count, 0.5).astype(float))
    assert race.draws.min() > 0
    assert race.tests.draws.max() == 0
    assert race.tests.points.max() == 0


@pytest.mark.parametrize("seed", range(4))
def test_finds_the_frontier_and_says_why(seed):
    theta = BENCHMARKS["arena-4-small"].theta(seed)[:14]
    found = run(BradleyTerrySource(theta, seed))
    assert found.status is Status.CERTIFIED
    assert np.array_equal(found.frontier, frontier(theta))
    for i, (j, r) in enumerate(zip(found.rival.tolist(), found.objective.tolist(), strict=True)):
        ahead = theta[j] > theta[i]
        assert ahead.all() if not found.frontier[i] else not ahead[r]


def test_cyclic_majorities_are_no_trouble():
    cyclic = np.full((4, 4, 2), 0.5)
    for i, j, p in ((0, 1, 0.9), (1, 2, 0.7), (2, 0, 0.6), (0, 3, 0.9), (1, 3, 0.8), (2, 3, 0.9)):
        cyclic[i, j], cyclic[j, i] = p, 1 - p
    found = run(ProbabilitySource(cyclic, 1))
    assert np.array_equal(found.frontier, frontier(borda_of_probabilities(cyclic)))
    assert found.status is Status.CERTIFIED


@pytest.mark.parametrize("make", [tied, near_ties])
@pytest.mark.parametrize("trials", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_wrong_claims_are_rare_on_ties_and_near_ties(make, trials):
    wrong, decided = play(interval_trials, make(trials, 4, 2), DELTA, 6000)
    assert wrong <= DELTA / 2
    assert decided > (0.1 if make is tied else 0.2)


def all_alike(change=lambda claims: None, trials=40, models=60):
    """Share of trials with a rejection among equal models on one objective, all arms drawn alike."""
    rng = np.random.default_rng(5)
    claims = Claims(trials, models, 1, DELTA)
    everyone = np.arange(trials)
    shape = (trials, models, models)
    witness = np.argsort(np.argsort(rng.random(shape), axis=2), axis=2) + 1
    claims.begin(
        everyone, np.full((trials, 1, *shape[1:]), 60.0), witness, np.ones((trials, 1, *shape[1:]), dtype=int)
    )
    change(claims)
    for _ in range(40):
        claims.draws += 30
        claims.points += rng.binomial(30, 0.5, size=claims.points.shape)
        claims.judge(everyone)
    return claims.rejected.any(axis=1).mean()


def no_budget(claims):
    claims.reject_goal -= np.log(claims.models)


def no_union_at_all(claims):
    claims.reject_goal[...] = -np.log(claims.delta)


def half_radii(claims):
    claims.reject_goal /= 4  # evidence grows with the square of the lead


def test_the_bound_holds_where_all_models_are_alike():
    assert all_alike() <= DELTA / 2


@pytest.mark.parametrize("cheaper", [no_budget, no_union_at_all, half_radii])
def test_cheaper_thresholds_would_be_noticed(cheaper):
    assert all_alike(cheaper) > 1.25 * DELTA


def test_answers_in_any_order_and_parts_lead_to_the_same_result():
    theta = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.7]])
    results = []
    for parts in (1, 3):
        source = BradleyTerrySource(theta, 5)
        sampler = Interval(Task(source.models, source.objectives))
        while not sampler.done:
            outcomes = source.answer(sampler.ask())
            for part in range(parts):
                rows = np.arange(len(outcomes))[::-1][part::parts]
                columns = (
                    outcomes.first,
                    outcomes.second,
                    outcomes.objective,
                    outcomes.count,
                    outcomes.points,
                )
                sampler.tell(Outcomes(*(column[rows] for column in columns)))
        results.append(sampler.result)
    one, other = results
    assert one.comparisons == other.comparisons
    assert np.array_equal(one.estimates, other.estimates)


def test_the_cap_is_kept_and_said():
    found = run(BradleyTerrySource(symmetric(5, 2, 0.2), 0), max_comparisons=777)
    assert found.status is Status.CAPPED
    assert found.comparisons == 777
    assert found.undecided
    assert found.named_pairs


def test_equal_models_are_left_open_at_the_largest_count_there_is():
    found = run(BradleyTerrySource(np.zeros((3, 1)), 2))
    assert found.status is Status.CAPPED
    assert found.comparisons == LARGEST
    assert not found.decided.any()


def test_a_showing_that_answers_everything_is_paid_once():
    theta = BENCHMARKS["arena-4-small"].theta(3)[:10]
    alone, joint = run(BradleyTerrySource(theta, 3)), run(BradleyTerrySource(theta, 3, joint=True))
    assert np.array_equal(joint.frontier, frontier(theta))
    assert joint.comparisons < 0.7 * alone.comparisons


def test_a_margin_keeps_those_hardly_dominated():
    theta = np.array([[0.6, 0.6], [0.5, 0.5], [-1.0, -1.0]])
    found = run(BradleyTerrySource(theta, 1), margin=0.1)
    assert found.frontier.tolist() == [True, True, False]
    assert found.status is Status.CERTIFIED


def test_trials_follow_the_law_of_the_sampler():
    theta = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.7], [-0.4, -0.4]])
    single = [run(BradleyTerrySource(theta, seed)).comparisons for seed in range(30)]
    rngs = [np.random.default_rng((9, trial)) for trial in range(60)]
    many = interval_trials(LatentLaw(theta[None]), rngs, Setting(0.05, PAPER, 1 << 62, 0.0)).comparisons
    error = np.hypot(np.std(single) / 30**0.5, np.std(many) / 60**0.5)
    assert abs(np.mean(single) - np.mean(many)) < 4 * error


def test_fewer_comparisons_than_vb_ege_by_the_stated_factor():
    theta = symmetric(16, 4, 1.0)
    rngs = [np.random.default_rng((0, trial)) for trial in range(10)]
    ours = interval_trials(LatentLaw(theta[None]), rngs, Setting(0.05, PAPER, 1 << 62, 0.0))
    assert np.median(simulate("vb-ege", theta, 10).comparisons) > 15 * np.median(ours.comparisons)
