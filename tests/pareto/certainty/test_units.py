"""Sums over independent parts, put together by model: against parts collected one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto.certainty import units as module
from pareto.certainty.differences import Differences
from pareto.certainty.protection import pair_parts
from pareto.certainty.sample import Sample, Votes
from pareto.certainty.tails import bundle, single, tail
from pareto.certainty.units import units
from tests.pareto.certainty.reference import parts_of


@st.composite
def samples(draw, clustered=None, halves=None):
    """Few models, objectives and votes; cells may be empty."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    models, objectives, votes = rng.integers(2, 6), rng.integers(1, 4), rng.integers(1, 60)
    first = rng.integers(0, models, votes)
    second = (first + rng.integers(1, models, votes)) % models
    objective = rng.integers(0, objectives, votes)
    points = np.zeros((objectives, models, models))
    total = np.zeros((objectives, models, models), dtype=np.int64)
    gained = rng.choice([0.0, 0.5, 1.0], votes)
    np.add.at(points, (objective, first, second), gained)
    np.add.at(points, (objective, second, first), 1 - gained)
    np.add.at(total, (objective, first, second), 1)
    np.add.at(total, (objective, second, first), 1)
    cluster = rng.integers(0, max(votes // 2, 1), votes)
    some = draw(st.booleans()) if clustered is None else clustered
    kept = Votes(cluster, first, second, objective) if some else None
    return Sample(points, total, draw(st.booleans()) if halves is None else halves, True, kept)


def collected(sample, i, j, r):
    """Ranges of the parts of lead r of i over j: of single comparisons, and of clusters of several."""
    votes, found = sample.votes, {}
    for number, (cluster, a, b, objective) in enumerate(
        zip(votes.cluster, votes.first, votes.second, votes.objective, strict=True)
    ):
        if objective == r and {a, b} & {i, j}:
            worth = (2 if {a, b} == {i, j} else 1) / sample.total[r, a, b]
            found.setdefault(cluster, []).append((number, worth))
    alone = [parts[0][1] for parts in found.values() if len(parts) == 1]
    return alone, [sum(worth for _, worth in parts) for parts in found.values() if len(parts) > 1]


@given(samples(), st.floats(0.05, 3), st.sampled_from([1, 7, 1 << 17]))
@settings(max_examples=80)
def test_sums_equal_those_over_parts(sample, rate, block):
    """Whatever number of pairs is worked on at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        found = [units(sample, r) for r in range(sample.objectives)]
    models = sample.models
    for r, parts in enumerate(found):
        first, second = np.nonzero(~np.eye(models, dtype=bool))
        damped, plain = parts.damped(rate, first, second), parts.plain(rate, first, second)
        for row, (i, j) in enumerate(zip(first, second, strict=True)):
            if sample.votes is None:
                cells = parts_of(sample.total, i, j, np.eye(sample.objectives, dtype=int)[r].tolist())
                alone, together = [float(size) for size, number in cells for _ in range(number)], []
            else:
                alone, together = collected(sample, i, j, r)
            fixed = sum(float(bundle(np.array(rate * size))) for size in together)
            rows = [single(np.array([rate * size]), sample.halves)[0] for size in alone]
            assert np.allclose(damped[row], fixed + sum(rows))
            assert np.isclose(
                plain[row], fixed + sum(float(bundle(np.array(rate * size))) for size in alone), atol=1e-12
            )


@given(samples())
@settings(max_examples=40)
def test_bounds_of_all_pairs_equal_those_of_one(sample):
    """Up to the choice of rates."""
    differences = Differences(sample)
    tails = differences.tails(sample.lead)
    for r, i, j in np.argwhere(sample.lead > 0):
        ranges, counts, bundles = pair_parts(sample, i, j, np.eye(sample.objectives)[r])
        variance = (counts @ ranges**2 + bundles @ bundles) / 4
        assert differences.variance[r, i, j] == pytest.approx(variance, rel=1e-4)
        alone = tail(sample.lead[r, i, j], ranges, counts, bundles, sample.halves)
        if alone.log_bound < -1.5:
            assert tails.log_bound[r, i, j] == pytest.approx(alone.log_bound, abs=0.1, rel=0.05)


@given(samples(clustered=True))
@settings(max_examples=40)
def test_a_sum_over_objectives_joins_clusters_across_them(sample):
    weights = np.linspace(0.5, 1.5, sample.objectives)
    ranges, counts, bundles = pair_parts(sample, 0, 1, weights)
    found = {}
    votes = sample.votes
    for cluster, a, b, r in zip(votes.cluster, votes.first, votes.second, votes.objective, strict=True):
        if {a, b} & {0, 1}:
            worth = (2 if {a, b} == {0, 1} else 1) * weights[r] / sample.total[r, a, b]
            found.setdefault(cluster, []).append(worth)
    assert np.allclose(
        sorted(np.repeat(ranges, counts.astype(int))), sorted(p[0] for p in found.values() if len(p) == 1)
    )
    assert np.allclose(sorted(bundles), sorted(sum(p) for p in found.values() if len(p) > 1))


@given(samples(clustered=False))
@settings(max_examples=30)
def test_clusters_of_one_vote_change_nothing(sample):
    size = int(sample.total.sum()) // 2
    r, i, j = np.nonzero(np.triu(sample.total))
    number = sample.total[r, i, j]
    votes = Votes(np.arange(size), np.repeat(i, number), np.repeat(j, number), np.repeat(r, number))
    alone = Sample(sample.points, sample.total, sample.halves, True, votes)
    one, other = (Differences(each).tails(each.lead) for each in (sample, alone))
    assert np.allclose(one.log_bound, other.log_bound, atol=1e-6)


def test_what_is_missing_counts_at_its_worst():
    total = np.array([[[0, 4, 0], [4, 0, 2], [0, 2, 0]]])
    points = np.array([[[0, 3, 0], [1, 0, 1], [0, 1, 0.0]]])
    sample = Sample(points, total, False, True)
    # model 0: ¼ over 1 and nothing known against 2
    assert sample.estimate[0, 0, 1] == pytest.approx(0.25 + 0.25)
    assert sample.lead[0, 0, 1] == pytest.approx(0.5 - 0.5)
    assert sample.lead[0, 1, 0] == pytest.approx(-0.5 - 0.5)
    assert sample.lead[0, 0, 2] == pytest.approx(0.25 - 1)


def test_few_numbers_are_remembered_however_many_sizes_there_are():
    """And what is remembered or not gives the same bounds."""
    rng = np.random.default_rng(5)
    total = np.triu(rng.integers(100, 100_000, (1, 30, 30)), 1)
    won = np.triu(rng.binomial(total, 0.52), 1)
    total, points = total + total.swapaxes(1, 2), won + np.tril((total - won).swapaxes(1, 2), -1)
    sample = Sample(points.astype(float), total, halves=False, apart=True)
    parts = units(sample, 0)
    assert len(parts.sizes) > 400
    first, second = np.array([0, 3]), np.array([1, 2])
    found = [parts.damped(rate, first, second) for rate in (3.0, 4.0, 5.0, 3.0, 4.0)]
    held = sum(one.nbytes for tables in parts._known.values() for one in tables)
    assert held <= 8 * module.REMEMBERED
    differences = Differences(sample)
    once, again = (differences.tails(sample.lead) for _ in range(2))
    assert np.array_equal(once.log_bound, again.log_bound)
    for each in differences._units:
        assert sum(one.nbytes for tables in each._known.values() for one in tables) <= 8 * module.REMEMBERED
    assert np.array_equal(found[0], found[3])
    assert np.array_equal(found[1], found[4])


def test_blocks_of_sizes_give_what_all_sizes_give(monkeypatch):
    total = np.zeros((1, 6, 6), dtype=int)
    total[0][np.triu_indices(6, 1)] = np.arange(15) * 7 + 2
    total += total.swapaxes(1, 2)
    sample = Sample(total / 2, total, halves=True, apart=True)
    rows = []
    for size in (1, 4, 64):
        monkeypatch.setattr(module, "ROWS", size)
        rows.append(units(sample, 0).damped(2.0, np.array([0, 1]), np.array([4, 5])))
    assert np.allclose(rows[0], rows[2], rtol=1e-13)
    assert np.allclose(rows[1], rows[2], rtol=1e-13)
