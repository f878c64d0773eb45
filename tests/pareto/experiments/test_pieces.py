"""Settings and pieces of work: names, blocks, seeds, and rows that depend on their key alone."""

from __future__ import annotations

import numpy as np
import pytest

from pareto.experiments import settings as made
from pareto.experiments.catalogue import CATALOGUE
from pareto.experiments.methods import GROUPS
from pareto.experiments.pieces import METHODS, Piece, keys, work
from pareto.experiments.settings import FAMILIES, SCALED, SETTINGS, TASKS
from pareto.frontier import frontier
from pareto.samplers.schedule import Constants
from solvers.studies.study import SEEDS


def test_every_study_loads_and_more_seeds_only_add():
    for name in CATALOGUE.names:
        study = CATALOGUE.load(name)
        assert study.name == name
        assert study.seconds > 0
        found = study.keys(2)
        assert len(set(found)) == len(found)
        assert set(found) <= set(study.keys(3))
        assert study.results is None or set(found) <= set(CATALOGUE.load(study.results).keys(2))


def test_the_papers_numbers_of_trials():
    trials = [SEEDS * setting.block for group in GROUPS.values() for setting in group]
    assert (len(trials), sum(trials)) == (28, 12_400)
    assert {SEEDS * setting.block for setting in (*SCALED.values(), *TASKS.values())} == {500}
    assert len(SCALED) == 10
    assert len(SETTINGS) == 26


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_blocks_share_no_trial_and_fifty_instances_come_round(setting):
    trials = [trial for block in range(SEEDS) for trial in setting.trials(block)]
    assert trials == list(range(SEEDS * setting.block))
    units = np.bincount([setting.unit(trial) for trial in trials])
    assert set(units) == {10 if setting.name in ("convex-3d", "arena-10") else 1}


def test_instances_depend_on_their_number_alone():
    task = TASKS["arena-4-small"]
    first = task.theta(1)
    made._drawn.cache_clear()
    task.theta(0)
    assert (task.theta(1) == first).all()
    assert (first[3] == task.draw(53)).all()
    assert (TASKS["arena-10"].theta(0) == TASKS["arena-10"].theta(4)).all()
    assert SCALED[16, 4, 1.0].theta(0).shape == (16, 4)


def test_frontiers_have_the_size_that_they_are_named_for():
    for (objectives, kept), setting in FAMILIES.items():
        theta = setting.draw(0)
        assert theta.shape == (64, objectives)
        assert frontier(theta).sum() == kept


def test_a_key_names_its_piece():
    everything = keys(SETTINGS.values(), 2, deltas=(0.05, 0.001))
    assert len(set(everything)) == len(everything) == 26 * 2 * 2 * len(METHODS)
    for key in everything:
        assert Piece.of(key).key == key
    assert Piece.of("arena-10/duel/0.001/7") == Piece(TASKS["arena-10"], "duel", 7, 0.001)


def test_rows_depend_on_the_key_alone():
    key = "symmetric-16-4-1.00/vb-ege/1"
    first = work(key)
    made._drawn.cache_clear()
    work("arena-4-small/vb-ege/0")
    assert work(key) == first != work("symmetric-16-4-1.00/vb-ege/2")
    assert [row["trial"] for row in first] == list(range(50, 100))
    assert {row["wrong"] for row in first} == {0}


def test_a_method_that_answers_at_random_is_wrong():
    rows = Piece.of("arena-4-small/vb-ege/0").rows(Constants(sampling=1e-3, threshold=1e-3))
    assert sum(row["wrong"] for row in rows) > 25
