"""Forecasts: the fewest comparisons, and that they would do if estimates are the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto.certainty import certainty
from pareto.certainty.differences import Differences
from pareto.certainty.filling import filled
from pareto.certainty.judging import judge
from pareto.certainty.outside import outlook, outside_wins
from pareto.certainty.sample import Sample, sample_of
from pareto.pair_counts import PairCounts
from pareto.retention import retain_counts
from tests.pareto.logs import arena, counted

CLIQUES = {10: None, 15: ("code", "instruction_following", "general"), 35: ("code", "general")}


def variance(worth, numbers):
    used = worth > 0
    return (worth[used] ** 2 / (4 * numbers[used])).sum() if (numbers[used] > 0).all() else np.inf


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_filling_is_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    numbers, worth = rng.integers(0, 4, 3), rng.choice([0.0, 0.5, 1.0, 2.0], 3)
    allowed = float(rng.uniform(0.05, 2))
    found = filled(numbers, worth, np.array(allowed))
    assert (found >= numbers).all()
    assert variance(worth, found) <= allowed * (1 + 1e-9)
    assert (found[worth == 0] == numbers[worth == 0]).all()
    tried = [
        np.array(one)
        for one in itertools.product(*(range(n, int(f) + 3) for n, f in zip(numbers, found, strict=True)))
    ]
    least = min(one.sum() for one in tried if variance(worth, one) <= allowed)
    assert found.sum() <= least + 2  # each cell is rounded up


def test_filling_many_at_once():
    rng = np.random.default_rng(5)
    numbers, worth = rng.integers(0, 9, (4, 3, 6)), rng.choice([0.0, 1.0, 2.0], (4, 3, 6))
    allowed = rng.uniform(0.05, 2, (4, 3))
    found = filled(numbers, worth, allowed)
    for at in np.ndindex(4, 3):
        assert (found[at] == filled(numbers[at], worth[at], np.array(allowed[at]))).all()


@pytest.mark.parametrize("size", CLIQUES)
def test_a_plan_settles_its_model_if_estimates_are_the_truth(size):
    log = retain_counts(arena(), CLIQUES[size])
    certain = certainty(log)
    assert {plan.model for plan in certain.next.plans} == {
        i for i, status in enumerate(certain.status) if status == "undecided"
    }
    sample = sample_of(log, False, False)
    view = outlook(*outside_wins(log, False), Differences(sample).variance)
    for plan in certain.next.plans:
        assert plan.more == np.triu(np.maximum(plan.wanted - sample.total, 0)).sum()
        total = np.maximum(sample.total, plan.wanted)
        scale = np.divide(total, sample.total, out=np.ones(total.shape), where=sample.total > 0)
        richer = Sample(sample.points * scale, total, False, True)
        judged = judge(richer, Differences(richer), view, 0.05)
        if plan.looks == "dominated":
            level = judged.decisions.log_waiting[plan.model, plan.rivals[0]]
            shown = judged.tails.log_bound[:, plan.rivals[0], plan.model].max() <= level
            assert judged.decisions.dominated[plan.model] or shown
        else:
            level = judged.decisions.log_hoping[plan.model]
            assert all(judged.protection.test(plan.model, rival).log_p <= level for rival in plan.rivals)


def test_cells_wanted_for_several_models_are_filled_once():
    log = retain_counts(arena(), CLIQUES[15])
    found = certainty(log).next
    most = np.max([np.maximum(plan.wanted - log.counts.decided, 0) for plan in found.plans], axis=0)
    assert (most[found.objective, found.first, found.second] == found.more).all()
    assert found.total == np.triu(most).sum() < sum(plan.more for plan in found.plans)
    assert (np.diff(found.more) <= 0).all()
    assert (found.have == log.counts.decided[found.objective, found.first, found.second]).all()
    for cell, settles in enumerate(found.settles):
        where = found.objective[cell], found.first[cell], found.second[cell]
        wanting = [plan.model for plan in found.plans if plan.wanted[where] > found.have[cell]]
        assert list(settles) == wanting
        assert wanting


def test_no_number_is_given_for_equal_models():
    log = retain_counts(counted([[[0, 7], [7, 0]]]))
    found = certainty(log).next
    assert [plan.more for plan in found.plans] == [None, None]
    assert all("equal" in plan.reason for plan in found.plans)
    assert found.total == 0


def test_more_is_wanted_for_closer_models():
    wanted = []
    for won in (52, 54, 58):
        wins = np.array([[[0, won], [100 - won, 0]]])
        log = retain_counts(PairCounts.decisive(("a", "b"), ("x",), wins))
        wanted.append(certainty(log).next.total)
    assert wanted[0] > 3 * wanted[1] > 3 * wanted[2] > 0
