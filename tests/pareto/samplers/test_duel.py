import itertools

import numpy as np
import pytest

from pareto import (
    BattleError,
    BradleyTerrySource,
    Outcomes,
    ProbabilitySource,
    Status,
    Task,
    identify,
    samplers,
    simulate,
)
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, symmetric
from pareto.laws import LatentLaw
from pareto.links import probit
from pareto.samplers import duel_tickets
from pareto.samplers.betting import Odds
from pareto.samplers.duel import Duel
from pareto.samplers.duel_tickets import Tickets, log_threshold
from pareto.samplers.rounds import LARGEST
from pareto.samplers.schedule import PAPER
from pareto.trials.sequential import duel_trials
from pareto.trials.simulation import Setting
from tests.pareto.samplers.provoked import near_ties, play, tied

DELTA = 0.2


def run(source, **task):
    sampler = Duel(Task(source.models, source.objectives, joint=source.joint, **task))
    while not sampler.done:
        sampler.tell(source.answer(sampler.ask()))
    return sampler.result


def test_shares_of_all_tickets_of_a_model_sum_to_its_budget():
    number = np.arange(1, 100_000)
    spent = np.exp(-log_threshold(7, 0.05, number)).sum()
    assert 0.99 * 0.05 / 7 < spent <= 0.05 / 7


@pytest.mark.parametrize("seed", range(4))
def test_finds_the_frontier_with_any_link(seed):
    theta = BENCHMARKS["arena-4-small"].theta(seed)[:14]
    for source in (BradleyTerrySource(theta, seed), BradleyTerrySource(theta, seed, link=probit)):
        found = run(source)
        assert found.status is Status.CERTIFIED
        assert np.array_equal(found.frontier, frontier(theta))
        for i, (j, r) in enumerate(zip(found.rival.tolist(), found.objective.tolist(), strict=True)):
            ahead = theta[j] > theta[i]
            assert ahead.all() if not found.frontier[i] else not ahead[r]


def test_a_draw_counts_for_both_directions_and_only_after_the_ticket():
    tickets = Tickets(1, 2, 1, DELTA)
    zero, one = np.array([0]), np.array([1])
    tickets.wins[0, 0, 0, 1] = 1000.0
    wide = np.array([[1.0]])
    tickets.open_rejection(zero, one, zero, wide, wide)
    tickets.open_acceptance(zero, zero, one, zero, wide[0], wide[0])
    tickets.judge(zero)
    assert not tickets.rejected.any()
    assert not tickets.accepted.any()
    tickets.wins[0, 0, 0, 1] += 60
    tickets.judge(zero)
    assert tickets.rejected.tolist() == [[False, True]]
    assert tickets.accepted.tolist() == [[True, False]]


@pytest.mark.parametrize("make", [tied, near_ties])
@pytest.mark.parametrize("trials", [150, pytest.param(2000, marks=pytest.mark.slow)])
def test_wrong_claims_are_rare_on_ties_and_near_ties(make, trials):
    wrong, decided = play(duel_trials, make(trials, 4, 2), DELTA, 6000)
    assert wrong <= DELTA / 2
    assert decided > (0.1 if make is tied else 0.3)


def witnesses_in_turn(trials=200):
    """Share of wrong rejections of equal models, all rivals tried as witnesses in turn."""
    models, rng = 8, np.random.default_rng(2)
    tickets = Tickets(trials, models, 1, DELTA)
    everyone, guess = np.arange(trials), np.full((trials, 1), 1.0)
    for i, j in itertools.permutations(range(models), 2):
        model = np.full(trials, i)
        tickets.open_rejection(everyone, model, np.full(trials, j), guess, guess)
        for _ in range(15):
            won = rng.binomial(8, 0.5, size=trials)
            tickets.wins[:, 0, j, i] += won
            tickets.wins[:, 0, i, j] += 8 - won
            tickets.judge(everyone)
    return tickets.rejected.any(axis=1).mean()


def test_many_witnesses_in_turn_share_one_budget():
    assert 0 < witnesses_in_turn() <= DELTA


MUTANTS = {
    "no budget for each model": lambda models, delta, number: log_threshold(1, delta, number),
    "no budget for each ticket": lambda models, delta, number: np.full(number.shape, np.log(models / delta)),
    "half the log threshold": lambda models, delta, number: log_threshold(models, delta, number) / 2,
}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_cheaper_thresholds_would_be_noticed(monkeypatch, mutant):
    monkeypatch.setattr(duel_tickets, "log_threshold", mutant)
    assert witnesses_in_turn() > 1.25 * DELTA


def rejected_by_a_worse_model():
    trials, rng = 200, np.random.default_rng(3)
    tickets = Tickets(trials, 2, 1, DELTA)
    everyone, zero, one = np.arange(trials), np.zeros(trials, dtype=np.int64), np.ones(trials, dtype=np.int64)
    tickets.open_rejection(everyone, zero, one, np.full((trials, 1), 0.5), np.full((trials, 1), 0.5))
    for _ in range(10):
        won = rng.binomial(20, 0.3, size=trials)
        tickets.wins[:, 0, 1, 0] += won
        tickets.wins[:, 0, 0, 1] += 20 - won
        tickets.judge(everyone)
    return tickets.rejected[:, 0].mean()


def test_bets_on_the_wrong_side_would_be_noticed(monkeypatch):
    assert rejected_by_a_worse_model() == 0
    right = Odds.against
    monkeypatch.setattr(Odds, "against", lambda null: Odds(null, right(null).loss, right(null).win))
    assert rejected_by_a_worse_model() > 2 * DELTA


def hindsight(count_old):
    """Share of wrong acceptances when the objective is that of the best record so far, of a thousand."""
    trials, objectives, rng = 100, 1000, np.random.default_rng(1)
    tickets = Tickets(trials, 2, objectives, DELTA)
    everyone, zero, one = np.arange(trials), np.zeros(trials, dtype=np.int64), np.ones(trials, dtype=np.int64)
    won = rng.binomial(60, 0.499, size=(trials, objectives)).astype(float)
    best = won.argmax(axis=1)
    guess = np.full(trials, 0.6)
    if count_old:
        tickets.open_acceptance(everyone, one, zero, best, guess, guess)
    tickets.wins[:, :, 1, 0], tickets.wins[:, :, 0, 1] = won, 60 - won
    if not count_old:
        tickets.open_acceptance(everyone, one, zero, best, guess, guess)
    for _ in range(50):
        more = rng.binomial(4, 0.499, size=trials)
        tickets.wins[everyone, best, 1, 0] += more
        tickets.wins[everyone, best, 0, 1] += 4 - more
        tickets.judge(everyone)
    return tickets.accepted[:, 1].mean()


def test_choosing_by_data_and_counting_it_would_be_noticed():
    assert hindsight(count_old=False) <= DELTA
    assert hindsight(count_old=True) > 2 * DELTA


def test_a_source_without_an_order_is_refused(monkeypatch):
    monkeypatch.setitem(samplers._HOMES, "duel", ("duel", "Duel"))
    cyclic = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])[:, :, None]
    with pytest.raises(BattleError, match="majorities may be cyclic"):
        identify(ProbabilitySource(cyclic), "duel")


def test_answers_in_any_order_and_parts_lead_to_the_same_result():
    theta = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.7]])
    results = []
    for parts in (1, 3):
        source = BradleyTerrySource(theta, 5)
        sampler = Duel(Task(source.models, source.objectives))
        while not sampler.done:
            outcomes = source.answer(sampler.ask())
            for part in range(parts):
                rows = np.arange(len(outcomes))[::-1][part::parts]
                sampler.tell(
                    Outcomes(
                        outcomes.first[rows],
                        outcomes.second[rows],
                        outcomes.objective[rows],
                        outcomes.count[rows],
                        outcomes.points[rows],
                    )
                )
        results.append(sampler.result)
    one, other = results
    assert one.comparisons == other.comparisons
    assert np.array_equal(one.estimates, other.estimates)
    assert one.named_pairs == other.named_pairs == ()


def test_the_cap_is_kept_and_said():
    source = BradleyTerrySource(symmetric(5, 2, 0.2), 0)
    found = run(source, max_comparisons=777)
    assert found.status is Status.CAPPED
    assert found.comparisons == 777
    assert found.undecided
    assert found.named_pairs


def test_equal_models_are_left_open_at_the_largest_count_there_is():
    found = run(BradleyTerrySource(np.array([[0.0, 0.0], [0.0, 0.0], [-1.0, -1.0]]), 2))
    assert found.status is Status.CAPPED
    assert found.comparisons == LARGEST
    assert found.decided.tolist() == [False, False, True]


def test_a_showing_that_answers_everything_is_paid_once():
    theta = BENCHMARKS["arena-4-small"].theta(3)[:10]
    alone, joint = run(BradleyTerrySource(theta, 3)), run(BradleyTerrySource(theta, 3, joint=True))
    assert np.array_equal(joint.frontier, frontier(theta))
    assert joint.comparisons < 0.9 * alone.comparisons


def test_half_points_for_ties_and_a_margin():
    theta = np.array([[0.6, 0.6], [0.5, 0.5], [-1.0, -1.0]])
    source = BradleyTerrySource(theta, 1)
    found = run(source, margin=0.1)
    assert found.frontier.tolist() == [True, True, False]
    assert found.status is Status.CERTIFIED
    sampler = Duel(Task(source.models, source.objectives))
    while not sampler.done:
        answer = source.answer(sampler.ask())
        half = 0.5 * answer.count / 2 + answer.points / 2  # every second comparison a tie
        sampler.tell(Outcomes(answer.first, answer.second, answer.objective, answer.count, half))
    assert sampler.result.frontier.tolist() == [True, False, False]
    with pytest.raises(BattleError, match=r"below 0\.5"):
        run(source, margin=0.5)


def test_a_trial_does_not_depend_on_its_neighbours():

    theta = np.stack([BENCHMARKS["arena-4-small"].theta(0, trial)[:9] for trial in range(3)])
    setting = Setting(0.05, PAPER, 1 << 62, 0.0)
    together = duel_trials(LatentLaw(theta), [np.random.default_rng((0, t)) for t in range(3)], setting)
    for trial in range(3):
        alone = duel_trials(LatentLaw(theta[trial : trial + 1]), [np.random.default_rng((0, trial))], setting)
        assert alone.comparisons[0] == together.comparisons[trial]


def test_fewer_comparisons_than_vb_ege_by_the_stated_factor():
    theta = symmetric(16, 4, 1.0)

    rngs = [np.random.default_rng((0, trial)) for trial in range(10)]
    ours = duel_trials(LatentLaw(theta[None]), rngs, Setting(0.05, PAPER, 1 << 62, 0.0))
    paper = simulate("vb-ege", theta, 10)
    assert np.median(paper.comparisons) > 50 * np.median(ours.comparisons)
