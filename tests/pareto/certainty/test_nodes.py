"""Sums over many ranges from weights of few nodes: against the sums themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pareto.certainty.nodes import NODES, Nodes, condensed
from pareto.certainty.tails import bundle


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e5), st.floats(1e-8, 1.0), st.floats(1.0, 1e6))
@settings(max_examples=100)
def test_sums_by_group(seed, rate, low, spread):
    rng = np.random.default_rng(seed)
    many, groups = int(rng.integers(1, 200)), int(rng.integers(1, 5))
    ranges = low * spread ** rng.random(many)
    group, sign = rng.integers(0, groups, many), rng.choice([-1.0, 1.0], many)
    nodes = Nodes.between(ranges.min(), ranges.max())
    found = nodes.weights(group, ranges, sign, groups) @ bundle(rate * nodes.ranges)
    each = bundle(rate * ranges)
    for at in range(groups):
        here = group == at
        assert found[at] == pytest.approx(sign[here] @ each[here], rel=0, abs=1e-13 * each[here].sum())


def test_ends_of_bins_are_no_exception():
    ranges = np.concatenate([2.0 ** (np.arange(-9, 10) / 2) * nudge for nudge in (1 - 1e-16, 1, 1 + 1e-15)])
    nodes = Nodes.between(ranges.min(), ranges.max())
    weights = nodes.weights(np.arange(len(ranges)), ranges, np.ones(len(ranges)), len(ranges))
    assert weights @ bundle(nodes.ranges) == pytest.approx(bundle(ranges), rel=1e-13)


@pytest.mark.parametrize("many", [0, 1, NODES, NODES + 1, 5000])
def test_condensed(many):
    ranges = np.random.default_rng(many).exponential(size=many) + 1e-3
    nodes, weights = condensed(ranges)
    assert len(nodes) <= max(NODES, 30 * NODES)
    for rate in (0.01, 1.0, 50.0):
        assert weights @ bundle(rate * nodes) == pytest.approx(bundle(rate * ranges).sum(), rel=1e-12)
