from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings

from certify import Pool
from certify.paths import whole_order
from certify.policies.orders import distinct
from certify.policies.vma import vma_order, vma_scores
from tests.certify.examples import FIGURE_3
from tests.certify.reference import small_pools, weights_of


@settings(max_examples=200, deadline=None)
@given(small_pools(kinds=("binary", "shared")))
def test_score_is_the_expected_difference_of_losses_under_even_odds(pool):
    weights = [[w / pool.n for w in weights_of(list(confidence))] for confidence in pool.confidences]
    kept = np.flatnonzero(distinct(pool.risks))
    for row, score in enumerate(vma_scores(pool)):
        expected = 0.01
        for j, k in combinations(kept, 2):
            for label in (0, 1):
                losses = [
                    weights[c][row] * (pool.predictions[c % len(pool.predictions)][row] != label)
                    for c in (j, k)
                ]
                expected += abs(losses[0] - losses[1]) / 2
        assert score == pytest.approx(expected, rel=1e-12)


def test_scores_of_figure_3():
    # coefficients a: A (−1, 7, −3, 5), B (3, −5, −7, −1), C (7, −5, 3, 1); n = 4
    spans = [4 + 8 + 4, 12 + 12 + 0, 4 + 6 + 10, 6 + 4 + 2]
    assert vma_scores(FIGURE_3) == pytest.approx([0.01 + span / 8 for span in spans])


def test_categorical_rows_count_half_their_span():
    pool = Pool.multiclass([[0, 1], [2, 1]], [[0.9, 0.1], [0.8, 0.3]], classes=[0, 1, 2])
    assert vma_scores(pool) == pytest.approx([0.01 + (3 + 3) / 4, 0.01])


def test_draws_are_without_replacement_and_proportional_to_the_score():
    pool = Pool.binary([[0, 0, 1, 0], [0, 1, 1, 0]], [[0.9, 0.8, 0.7, 0.6], [0.6, 0.9, 0.8, 0.7]])
    scores = vma_scores(pool)
    seeds = 3000
    orders = [tuple(vma_order(pool, seed).order.tolist()) for seed in range(seeds)]
    for order in permutations(range(pool.n)):
        rest, chance = scores.sum(), 1.0
        for row in order:
            chance *= scores[row] / rest
            rest -= scores[row]
        spread = np.sqrt(chance * (1 - chance) / seeds)
        assert abs(orders.count(order) / seeds - chance) < 4.5 * spread + 1e-9


def test_equal_scores_give_the_order_of_random():
    same = np.linspace(0.1, 0.9, 50)
    pool = Pool.binary(np.zeros((2, 50), dtype=int), np.stack([same, same]))
    assert whole_order(pool, "vma", 4).tolist() == whole_order(pool, "random", 4).tolist()


def test_order_of_a_seed_is_the_same_for_ever():
    n = 12
    pool = Pool.shared(np.stack([np.arange(n) / n, np.arange(n)[::-1] / n]))
    assert whole_order(pool, "vma", 1).tolist() == [9, 2, 0, 11, 4, 10, 8, 7, 1, 5, 3, 6]


def test_other_objectives_have_weights_of_mean_one():
    rng = np.random.default_rng(3)
    pool = Pool.binary(rng.integers(0, 2, (3, 30)), rng.random((3, 30))).with_objective("accuracy")
    disputes = [sum(a != b for a, b in combinations(column, 2)) for column in pool.predictions.T.tolist()]
    assert vma_scores(pool) == pytest.approx([0.01 + count for count in disputes])
    assert sorted(whole_order(pool.with_objective("aurc"), "vma").tolist()) == list(range(30))
