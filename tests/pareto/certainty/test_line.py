"""Levels of claims: they add up to δ, and closing claims takes nothing from the others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto.certainty.line import line

RNG = np.random.default_rng(3)


def some_line(models=4, informed=True, seed=0):
    rng = np.random.default_rng(seed)
    return line(rng.normal(size=(models, models)), rng.normal(size=models), informed)


def test_all_claims_are_in_line_in_order():
    dominated, frontier = RNG.normal(size=(4, 4)), RNG.normal(size=4)
    queue = line(dominated, frontier, True)
    assert len(queue.model) == 16
    claims = set(zip(queue.model.tolist(), queue.witness.tolist(), strict=True))
    assert claims == {(i, j) for i in range(4) for j in range(4) if i != j} | {(i, -1) for i in range(4)}
    prospects = [
        dominated[i, j] if j >= 0 else frontier[i] for i, j in zip(queue.model, queue.witness, strict=True)
    ]
    assert prospects == sorted(prospects, reverse=True)


@given(st.lists(st.booleans(), min_size=16, max_size=16), st.booleans(), st.integers(0, 15))
def test_levels_add_up_and_only_grow(waiting, informed, closing):
    queue, waiting = some_line(informed=informed), np.array(waiting)
    before = queue.log_levels(0.05, waiting)
    assert (before[~waiting] == -np.inf).all()
    if waiting.any():
        assert np.exp(before).sum() == pytest.approx(0.05)
    fewer = waiting.copy()
    fewer[closing] = False
    after = queue.log_levels(0.05, fewer)
    assert (after[fewer] >= before[fewer] - 1e-12).all()


def test_every_open_claim_keeps_half_of_what_comes_its_way():
    queue = some_line()
    levels = np.exp(queue.log_levels(0.1, np.ones(16, dtype=bool)))
    rest = 0.1 * 0.1 * queue.spread / queue.spread.sum()
    assert np.allclose((levels - rest)[1:] / (levels - rest)[:-1], 0.5)


def test_without_outside_comparisons_claims_of_a_kind_are_alike():
    queue = some_line(informed=False)
    levels = np.exp(queue.log_levels(0.1, np.ones(16, dtype=bool)))
    assert np.allclose(levels[queue.dominated], 0.75 * 0.1 / 12)
    assert np.allclose(levels[~queue.dominated], 0.25 * 0.1 / 4)
