"""Transportation with three costs a row against the assignment problem with a column for every place."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from certify.transport import RowCosts, cheapest


def random_costs(rng: np.random.Generator, rows: int, classes: int, most: int) -> RowCosts:
    """What r_j − r_k costs on each row, as for two candidates with weights below `most`."""
    first = rng.integers(0, classes, rows)
    second = np.where(rng.random(rows) < 0.5, first, rng.integers(0, classes, rows))
    w_j, w_k = rng.integers(0, most, (2, rows))
    agree = first == second
    return RowCosts(first, second, np.where(agree, 0, -w_k), np.where(agree, 0, w_j), w_j - w_k)


def by_assignment(costs: RowCosts, room: np.ndarray) -> int:
    table = np.stack([costs.at(cls) for cls in range(len(room))], axis=1)
    places = table[:, np.repeat(np.arange(len(room)), room)]
    rows, chosen = linear_sum_assignment(places)
    return int(places[rows, chosen].sum())


@pytest.mark.parametrize("classes", [2, 3, 4, 9])
def test_cheapest_equals_the_assignment_problem(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for _ in range(250):
        rows = int(rng.integers(1, 30))
        costs = random_costs(rng, rows, classes, int(rng.integers(2, 40)))
        used = rng.integers(1, classes + 1)  # so that some classes often have no room
        room = np.bincount(rng.permutation(classes)[rng.integers(0, used, rows)], minlength=classes)
        assert cheapest(costs, room) == by_assignment(costs, room)


def test_classes_that_nobody_predicts() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        rows = int(rng.integers(1, 20))
        costs = random_costs(rng, rows, 3, 12)
        room = np.bincount(rng.integers(0, 6, rows), minlength=6)
        assert cheapest(costs, room) == by_assignment(costs, room)


def test_no_rows() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert cheapest(RowCosts(*[nothing] * 5), np.zeros(3, dtype=np.int64)) == 0


def test_large_weights_stay_exact() -> None:
    rng = np.random.default_rng(4)
    costs = random_costs(rng, 60, 5, 2**30)
    room = np.bincount(rng.integers(0, 5, 60), minlength=5)
    assert cheapest(costs, room) == by_assignment(costs, room)
