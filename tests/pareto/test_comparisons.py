from __future__ import annotations

import numpy as np
import pytest

from pareto import BattleError, BradleyTerrySource, Outcomes, Queries, identify
from pareto.task import numbered

DENSE = np.zeros((3, 3, 2), dtype=np.int64)
DENSE[0, 1, 0], DENSE[0, 2, 1], DENSE[2, 1, 0] = 4, 1, 7


def test_dense_and_listed_queries_agree():
    queries = Queries.from_dense(DENSE)
    back = np.zeros_like(DENSE)
    back[queries.first, queries.second, queries.objective] = queries.count
    assert np.array_equal(back, DENSE)
    assert queries.total == 12
    assert len(Queries.none()) == Queries.none().total == 0


@pytest.mark.parametrize("limit", range(14))
def test_the_head_is_the_beginning(limit):
    queries = Queries.from_dense(DENSE)
    head = queries.head(limit)
    assert head.total == min(limit, 12)
    assert (head.count > 0).all()
    expanded = np.repeat(np.arange(3), queries.count)[:limit]
    assert np.array_equal(np.repeat(np.arange(len(head)), head.count), expanded)


def test_totals_beyond_64_bits_are_right():
    count = np.full(4, 1 << 62, dtype=np.int64)
    cells = np.arange(4)
    assert Queries(cells, cells + 1, cells * 0, count).total == 4 << 62


def test_whole_points_are_whole_however_written():
    names, sides = ("a", "b"), ("x",)
    assert Outcomes.one(0, 1, 0, 1.0).checked(names, sides).whole
    assert Outcomes.one(0, 1, 0, True).checked(names, sides).points.tolist() == [1]
    assert not Outcomes.one(0, 1, 0, 0.5).checked(names, sides).whole
    joined = Outcomes.many([Outcomes.one(0, 1, 0, 1), Outcomes.one(1, 0, 0, 0)]).checked(names, sides)
    assert joined.total == 2
    assert joined.points.tolist() == [1, 0]
    with pytest.raises(BattleError, match=r"row 0: points is 1\.5"):
        Outcomes.one(0, 1, 0, 1.5).checked(names, sides)


def test_default_names_sort_as_numbers_do():
    names = numbered("model", 12)
    assert names[0] == "model-01"
    assert list(names) == sorted(names)


def test_progress_is_reported_after_every_batch():
    seen = []
    source = BradleyTerrySource([[1.5, 0.0], [0.0, 1.5], [-1.5, -1.5]])
    found = identify(source, progress=lambda sampler: seen.append(sampler.comparisons))
    assert seen == sorted(set(seen))
    assert seen[-1] == found.comparisons
