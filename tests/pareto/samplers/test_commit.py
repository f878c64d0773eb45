import dataclasses

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
    simulate,
)
from pareto.frontier import frontier
from pareto.instances import BENCHMARKS, symmetric
from pareto.laws import LatentLaw
from pareto.links import probit
from pareto.samplers import commit_pledges
from pareto.samplers.commit import Commit
from pareto.samplers.commit_choice import COMMIT_HABITS, CommitRace
from pareto.samplers.commit_pledges import NONE, WHOLE, Pledges, ticket_log, withdrawal_log
from pareto.samplers.duel_tickets import Tickets
from pareto.samplers.rounds import LARGEST
from pareto.samplers.schedule import PAPER
from pareto.trials.sequential import commit_trials, raced
from pareto.trials.simulation import Setting
from tests.pareto.samplers.provoked import near_ties, play, tied

DELTA = 0.2


def run(source, **task):
    sampler = Commit(Task(source.models, source.objectives, joint=source.joint, **task))
    while not sampler.done:
        sampler.tell(source.answer(sampler.ask()))
    return sampler.result


class Hasty(CommitRace):
    """Pledges everybody almost at once, and takes much back."""

    def __init__(self, *args, **kwargs):
        habits = dataclasses.replace(
            COMMIT_HABITS,
            pilot=0.0,
            long_pilot=0.0,
            wait=0.0,
            wait_apart=0.0,
            clear_above=-0.5,
            clear_above_apart=-0.5,
            clear_below=-0.5,
            middle=-0.5,
            main=0.7,
            main_apart=0.7,
            allowance=3,
        )
        super().__init__(*args, **kwargs, habits=habits)


def hasty_trials(law, rngs, setting):
    return raced(Hasty, law, rngs, setting)


@pytest.mark.parametrize("seed", range(3))
def test_finds_the_frontier_with_any_link(seed):
    theta = BENCHMARKS["arena-4-small"].theta(seed)[:14]
    for source in (BradleyTerrySource(theta, seed), BradleyTerrySource(theta, seed, link=probit)):
        found = run(source)
        assert found.status is Status.CERTIFIED
        assert np.array_equal(found.frontier, frontier(theta))
        for i, (j, r) in enumerate(zip(found.rival.tolist(), found.objective.tolist(), strict=True)):
            ahead = theta[j] > theta[i]
            assert ahead.all() if not found.frontier[i] else not ahead[r]


@pytest.mark.parametrize("allowance", [1, 2, 5, 40])
def test_shares_of_withdrawals_sum_to_one_and_do_not_increase(allowance):
    place = np.arange(1, 200_000)
    share = np.exp(-withdrawal_log(np.full(place.shape, allowance), place))
    assert (np.diff(share) <= 0).all()
    assert 0.9 <= share.sum() <= 1 + 1e-12


def test_shares_of_tickets_sum_to_one():
    assert 0.999 < np.exp(-ticket_log(np.arange(1, 200_000))).sum() <= 1 + 1e-12


def pledged(trials, models, allowance=1, share=WHOLE, delta=DELTA):
    """Model 0 pledged to be kept, all others to be dropped through it, by one objective; tickets open."""
    tickets = Pledges(trials, models, 1, delta)
    for trial in range(trials):
        tickets.pledge(trial, np.array([0]), np.arange(1, models), share, allowance)
    return tickets


def open_all(tickets, opened=Pledges.open_rejection):
    trial, model = (axis.ravel() for axis in np.indices((len(tickets.wins), tickets.models))[:, :, 1:])
    guess = np.full((len(trial), 1), 0.4)
    opened(tickets, trial, model, np.zeros_like(model), guess, guess)


def play_ties(tickets, rounds=200, seed=0):
    """All games against model 0, which is exactly as good; capital is looked at after every round."""
    rng = np.random.default_rng(seed)
    trials, models = len(tickets.wins), tickets.models
    trial, model = (axis.ravel() for axis in np.indices((trials, models))[:, :, 1:])
    for _ in range(rounds):
        won = rng.binomial(2, 0.5, size=(trials, models - 1))
        tickets.wins[:, 0, 0, 1:] += won
        tickets.wins[:, 0, 1:, 0] += 2 - won
        tickets.rejection_need(trial, model)


def wrong_after_withdrawing(models=6, allowance=5, trials=600):
    """How often some of the equal models can be kept pledged and passed when others are withdrawn."""
    tickets = pledged(trials, models, allowance)
    open_all(tickets)
    play_ties(tickets)
    everyone = np.arange(trials)
    wrong = np.zeros(trials, dtype=bool)
    worst = tickets.peaks[:, 1:, 0].argsort(axis=1) + 1
    for out in range(models - 1):
        tickets.judge(everyone)
        wrong |= ~tickets.undecided.any(axis=1) | (tickets.rejected[:, 1:].sum(axis=1) == models - 1 - out)
        tickets.withdraw(everyone, worst[:, out])
    return wrong.mean()


def test_withdrawing_whom_the_games_are_against_does_not_help():
    assert DELTA / 4 < wrong_after_withdrawing() <= DELTA
    assert wrong_after_withdrawing(allowance=1) <= DELTA
    assert wrong_after_withdrawing(models=3, allowance=2) <= DELTA


def wrong_kept_after_withdrawing(models=6, allowance=5, trials=500):
    """The same of models that are a little worse than model 0, all pledged to be kept."""
    tickets, rng, everyone = Pledges(trials, models, 1, DELTA), np.random.default_rng(3), np.arange(trials)
    for trial in range(trials):
        tickets.pledge(trial, np.arange(models), np.array([], dtype=np.int64), WHOLE, allowance)
    trial, model = (axis.ravel() for axis in np.indices((trials, models))[:, :, 1:])
    zero, guess = np.zeros_like(model), np.full(len(model), 0.4)
    tickets.open_acceptance(trial, model, zero, zero, guess, guess)
    for _ in range(200):
        won = rng.binomial(2, 0.4999, size=(trials, models - 1))
        tickets.wins[:, 0, 1:, 0] += won
        tickets.wins[:, 0, 0, 1:] += 2 - won
        tickets.acceptance_need(trial, model, zero)
    wrong = np.zeros(trials, dtype=bool)
    worst = tickets.pair_peaks[:, 1:, 0].argsort(axis=1) + 1
    for out in range(models - 1):
        goal = tickets.acceptance_goal(trial, model, zero).reshape(trials, -1)
        wrong |= ((tickets.pair_peaks[:, 1:, 0] >= goal) | (tickets.side[:, 1:] == NONE)).all(axis=1)
        tickets.withdraw(everyone, worst[:, out])
    return wrong.mean()


def test_withdrawing_who_loses_to_the_better_model_does_not_help():
    assert DELTA / 5 < wrong_kept_after_withdrawing() <= DELTA
    assert wrong_kept_after_withdrawing(allowance=1) <= DELTA


def test_withdrawals_that_cost_nothing_would_be_noticed(monkeypatch):
    monkeypatch.setattr(
        commit_pledges, "withdrawal_log", lambda allowance, place: np.zeros(np.shape(place), dtype=float)
    )
    assert wrong_after_withdrawing() > 1.5 * DELTA
    assert wrong_kept_after_withdrawing() > 1.5 * DELTA


def wrong_by_the_time_of_the_pledge(models=6, trials=500):
    """The game that went best, pledged after the games, and opened when?"""
    rates = []
    for before in (False, True):
        tickets = Pledges(trials, models, 1, DELTA)
        everyone = np.arange(trials)
        if before:
            open_all(tickets, Tickets.open_rejection)
        play_ties(tickets)
        best = tickets.wins[:, 0, 0, 1:].argmax(axis=1) + 1
        if before:
            best = tickets.peaks[:, 1:, 0].argmax(axis=1) + 1
        for trial in range(trials):
            tickets.pledge(trial, np.array([0]), best[trial : trial + 1], WHOLE, 1)
        if not before:
            guess = np.full((trials, 1), 0.4)
            tickets.open_rejection(everyone, best, np.zeros_like(best), guess, guess)
            play_ties(tickets, seed=1)
        tickets.judge(everyone)
        rates.append(tickets.rejected[everyone, best].mean())
    return rates


def test_games_seen_before_the_pledge_would_be_noticed():
    after, before = wrong_by_the_time_of_the_pledge()
    assert after <= DELTA
    assert before > 1.5 * DELTA


def hindsight(count_old):
    """Share of equal models pledged to be kept, by the objective of the best record of a thousand."""
    trials, objectives, rng = 100, 1000, np.random.default_rng(1)
    tickets = Pledges(trials, 2, objectives, DELTA)
    everyone, zero, one = np.arange(trials), np.zeros(trials, dtype=np.int64), np.ones(trials, dtype=np.int64)
    won = rng.binomial(60, 0.499, size=(trials, objectives)).astype(float)
    best = won.argmax(axis=1)
    guess = np.full(trials, 0.6)
    for trial in range(trials):
        tickets.pledge(trial, np.array([1]), np.array([0]), WHOLE, 1)
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


def test_a_withdrawal_raises_what_others_need_and_forgets_what_the_model_had():
    tickets = pledged(1, 4)
    open_all(tickets)
    zero = np.array([0])
    tickets.wins[0, 0, 0, 1:] += 30
    tickets.judge(zero)
    assert tickets.rejected.tolist() == [[False, True, True, True]]
    assert tickets.accepted.tolist() == [[True, False, False, False]]
    assert tickets.decided.all()
    low = tickets.rejection_goal(zero, np.array([2]))
    tickets.withdraw(zero, np.array([1]))
    tickets.judge(zero)
    assert tickets.rejection_goal(zero, np.array([2])) > low + 2
    assert not tickets.decided.any()
    with pytest.raises(ValueError, match="not pledged"):
        tickets.open_rejection(zero, np.array([1]), zero, np.array([[1.0]]), np.array([[1.0]]))


def test_a_model_pledged_anew_starts_anew():
    tickets = pledged(1, 3, share=WHOLE // 2)
    open_all(tickets)
    zero, one = np.array([0]), np.array([1])
    tickets.wins[0, 0, 0, 1:] += 200
    tickets.judge(zero)
    assert tickets.rejected[0, 1]
    tickets.withdraw(zero, one)
    tickets.pledge(0, np.array([], dtype=np.int64), one, WHOLE // 4, 1)
    tickets.judge(zero)
    assert not tickets.rejected[0, 1]
    wide = np.array([[1.0]])
    tickets.open_rejection(zero, one, zero, wide, wide)
    tickets.judge(zero)
    assert not tickets.rejected[0, 1]
    assert np.isclose(tickets.rejection_goal(zero, one), np.log(4 / DELTA) - np.log(0.9) - np.log(0.85))
    tickets.wins[0, 0, 0, 1] += 200
    tickets.judge(zero)
    assert tickets.rejected[0, 1]


def test_more_than_the_whole_cannot_be_given():
    tickets = pledged(1, 3, share=WHOLE - 5)
    tickets.withdraw(np.array([0]), np.array([1]))
    with pytest.raises(ValueError, match="left to give"):
        tickets.pledge(0, np.array([1]), np.array([], dtype=np.int64), 6, 1)
    with pytest.raises(ValueError, match="left to give"):
        tickets.pledge(0, np.array([2]), np.array([], dtype=np.int64), 1, 1)


@pytest.mark.parametrize("trials", [100, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [tied, near_ties])
@pytest.mark.parametrize("run_trials", [commit_trials, hasty_trials])
def test_wrong_claims_are_rare_on_ties_and_near_ties(run_trials, make, trials):
    wrong, decided = play(run_trials, make(trials, 4, 2), DELTA, 6000)
    assert wrong <= DELTA / 2
    assert decided > (0.05 if make is tied else 0.15)


def test_nothing_is_claimed_before_everything_is():
    theta = BENCHMARKS["arena-4-small"].theta(1)[:8]
    source = BradleyTerrySource(theta, 1)
    sampler = Commit(Task(source.models, source.objectives))
    while not sampler.done:
        assert not sampler.result.decided.any()
        sampler.tell(source.answer(sampler.ask()))
    assert sampler.result.decided.all()


def test_a_source_without_an_order_is_refused():
    cyclic = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])[:, :, None]
    with pytest.raises(BattleError, match="majorities may be cyclic"):
        identify(ProbabilitySource(cyclic), "commit")


def test_answers_in_any_order_and_parts_lead_to_the_same_result():
    theta = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.7]])
    results = []
    for parts in (1, 3):
        source = BradleyTerrySource(theta, 5)
        sampler = Commit(Task(source.models, source.objectives))
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
    assert not found.decided.any()


def test_equal_models_are_left_open_at_the_largest_count_there_is():
    found = run(BradleyTerrySource(np.array([[0.0, 0.0], [0.0, 0.0], [-1.0, -1.0]]), 2))
    assert found.status is Status.CAPPED
    assert found.comparisons == LARGEST
    assert not found.decided.any()


def test_half_points_for_ties_and_a_margin():
    theta = np.array([[0.6, 0.6], [0.5, 0.5], [-1.0, -1.0]])
    source = BradleyTerrySource(theta, 1)
    found = run(source, margin=0.1)
    assert found.frontier.tolist() == [True, True, False]
    assert found.status is Status.CERTIFIED
    sampler = Commit(Task(source.models, source.objectives))
    while not sampler.done:
        answer = source.answer(sampler.ask())
        half = 0.5 * answer.count / 2 + answer.points / 2  # every second comparison a tie
        sampler.tell(Outcomes(answer.first, answer.second, answer.objective, answer.count, half))
    assert sampler.result.frontier.tolist() == [True, False, False]
    with pytest.raises(BattleError, match=r"commit: margin .* below 0\.5"):
        run(source, margin=0.5)


def test_a_showing_that_answers_everything_is_paid_once():
    theta = BENCHMARKS["arena-4-small"].theta(3)[:10]
    alone, joint = run(BradleyTerrySource(theta, 3)), run(BradleyTerrySource(theta, 3, joint=True))
    assert np.array_equal(joint.frontier, frontier(theta))
    assert joint.comparisons < 0.9 * alone.comparisons


def test_a_trial_does_not_depend_on_its_neighbours():
    theta = np.stack([BENCHMARKS["arena-4-small"].theta(0, trial)[:9] for trial in range(3)])
    setting = Setting(0.05, PAPER, 1 << 62, 0.0)
    together = commit_trials(LatentLaw(theta), [np.random.default_rng((0, t)) for t in range(3)], setting)
    for trial in range(3):
        rngs = [np.random.default_rng((0, trial))]
        alone = commit_trials(LatentLaw(theta[trial : trial + 1]), rngs, setting)
        assert alone.comparisons[0] == together.comparisons[trial]


def test_half_the_comparisons_of_duel_where_one_model_leads():
    theta = symmetric(32, 10, 1.0)
    spent = {name: np.median(simulate(name, theta, 8).comparisons) for name in ("duel", "commit")}
    assert spent["duel"] > 2 * spent["commit"]
