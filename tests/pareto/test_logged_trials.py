"""Many resampling runs at once: against samplers that ask a source, exact halves, and a real log."""

from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, LoggedSource, identify, make_sampler, target
from pareto.comparisons import Outcomes
from pareto.gaps import gaps
from pareto.logged_trials import resample, simulate_target
from pareto.retention import retain_counts
from pareto.samplers.schedule import phase
from pareto.task import Task
from pareto.trials.phased import squares
from tests.pareto.logs import arena, counted
from tests.pareto.test_logged_source import CYCLE, LOG, ON_BORDA, ON_ORDER


@pytest.mark.parametrize("ties", ["decisive", "half"])
@pytest.mark.parametrize("name", ON_BORDA)
def test_runs_follow_the_law_of_samplers_on_the_source(name, ties):
    goal = target(LOG, ties)
    many = simulate_target(name, goal, 60, seed=1, delta=0.1)
    assert many.stopped.all()
    assert (many.frontier == goal.frontier).all()
    single = [identify(LoggedSource(goal, seed), name, 0.1, seed).comparisons for seed in range(30)]
    error = np.hypot(np.std(single) / 30**0.5, np.std(many.comparisons) / 60**0.5)
    assert abs(np.mean(single) - np.mean(many.comparisons)) <= 4 * error + 1e-9 * np.mean(single)


def test_sampler_and_engine_decide_alike_on_the_same_halves():
    """Feed a sampler the engine's draws of each arm, spread over its opponents."""
    goal = target(LOG, "half")
    won = (goal.probabilities - goal.tie_share / 2).sum(axis=1) - 0.5
    win, half = won / 3, goal.tie_share.sum(axis=1) / 3
    found = simulate_target("vb-ege", goal, range(2, 3), seed=6, delta=0.05)
    sampler, rng = make_sampler("vb-ege", Task(goal.models, goal.objectives)), np.random.default_rng((6, 2))
    while not sampler.done:
        queries = sampler.ask()
        focal = np.unique(queries.first)
        fresh = queries.count[(queries.first == focal[0]) & (queries.objective == 0)].sum()
        tied = rng.binomial(fresh, half[focal])
        points = tied / 2 + rng.binomial(fresh - tied, win[focal] / (1 - half[focal]))
        left = dict(zip([(i, r) for i in focal for r in (0, 1)], points.ravel().tolist(), strict=True))
        told = np.zeros(len(queries))
        for row, (i, r, count) in enumerate(
            zip(queries.first.tolist(), queries.objective.tolist(), queries.count.tolist(), strict=True)
        ):
            told[row] = min(left[i, r], count)
            left[i, r] -= told[row]
        sampler.tell(Outcomes.of(queries, told))
    result = sampler.result
    assert result.comparisons == found.comparisons[0]
    assert np.array_equal(result.frontier, found.frontier[0])
    assert sampler.closed.number == found.phases[0]


def test_a_trial_does_not_depend_on_its_neighbours():
    goal = target(LOG, "half")
    together = simulate_target("interval", goal, 5, seed=2)
    alone = simulate_target("interval", goal, range(3, 4), seed=2)
    assert alone.comparisons[0] == together.comparisons[3]
    assert np.array_equal(alone.draws[0], together.draws[3])


def test_a_gap_of_zero_is_capped_and_half_decided():
    """c is dominated by both others, which tie on everything."""
    wins = [[[0, 5, 8], [5, 0, 8], [2, 2, 0]]]
    goal = target(counted(wins))
    assert goal.frontier.tolist() == [True, True, False]
    assert not goal.recoverable
    found = simulate_target("vb-ege", goal, 8, max_comparisons=300_000)
    assert not found.stopped.any()
    assert found.decided[:, 2].all()
    assert (found.comparisons <= 300_000).all()


def test_tallies_in_halves_make_wins_of_both_sides():
    """Three pairs drawn 4 times each; the first models won 5, 3 and 8 halves of 8."""
    halves = np.array([[[5, 3, 8]]])
    assert squares(halves, 4, 2, 3).tolist() == [[[[0, 2.5, 1.5], [1.5, 0, 4], [2.5, 0, 0]]]]
    assert squares(halves, 8, 1, 3).dtype == np.int64


@pytest.mark.parametrize("name", ["focal-borda", "borda-plugin"])
def test_without_elimination_the_last_phase_fixes_the_total(name):
    goal = target(LOG, "half")
    found = simulate_target(name, goal, 5)
    cells = 8 if name == "focal-borda" else 12
    for total, number in zip(found.comparisons.tolist(), found.phases.tolist(), strict=True):
        assert total == cells * phase(number, cells, 0.05).draws


def test_a_margin_moves_what_is_to_be_found():
    goal = target(LOG)
    closest = sorted(goal.certificates.lead[~goal.frontier])[0]
    (found,) = resample(goal, ["vb-ege"], 5, margin=closest + 0.08, delta=0.1)
    assert found.recovered.all()
    assert found.trials.frontier[0].sum() > goal.frontier.sum()


def test_summary_of_resampling():
    done = []
    runs = resample(target(LOG), ["vb-ege", "interval"], 20, seed=3, advance=done.append)
    assert done == ["vb-ege", "interval"]
    paper, ours = runs
    assert paper.recovered.all()
    assert not paper.wrong.any()
    assert paper.mean == np.mean(paper.comparisons)
    assert sum(paper.final_phases.values()) == 20
    assert ours.mean < paper.mean
    (capped,) = resample(target(LOG), ["vb-ege"], 3, max_comparisons=10)
    assert not capped.recovered.any()
    assert not capped.wrong.any()


@pytest.mark.parametrize(
    ("objectives", "models", "factor"),
    [(None, 10, 4), (("code", "instruction_following", "general"), 15, 8)],
)
def test_resampling_the_bundled_log(objectives, models, factor):
    """All of 100 trials at δ = 0.05 find the frontier; `interval` draws `factor` times less."""
    goal = target(retain_counts(arena(), objectives))
    assert len(goal.models) == models
    paper, ours = resample(goal, ["vb-ege", "interval"], 100)
    assert paper.recovered.all()
    assert ours.recovered.all()
    assert paper.mean >= factor * ours.mean
    assert np.median(paper.comparisons) >= factor * np.median(ours.comparisons)
    assert gaps(goal.borda).min() == pytest.approx(goal.minimum_gap)


@pytest.mark.parametrize("name", ON_ORDER)
def test_methods_that_need_an_order_are_refused_before_any_runs(name):
    done = []
    with pytest.raises(BattleError, match="majorities in a log"):
        resample(target(CYCLE), ["vb-ege", name], 2, max_comparisons=100, advance=done.append)
    assert done == []
    with pytest.raises(BattleError, match="majorities in a log"):
        simulate_target(name, target(CYCLE), 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resample(target(LOG), ["best"]), "no method 'best'"),
        (lambda: resample(target(LOG), trials=0), "0 trials"),
        (lambda: simulate_target("vb-ege", target(LOG), 2, delta=1.0), "delta"),
        (lambda: simulate_target("vb-ege", target(LOG), 2, margin=-1.0), "margin"),
    ],
)
def test_unusable_settings_are_refused(call, message):
    with pytest.raises(BattleError, match=message):
        call()
