from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.weights import all_rank_weights, ascending, rank_weights
from tests.certify.reference import augrc_by_auroc, weights_of

confidences = st.lists(st.sampled_from([-2.0, -0.0, 0.0, 0.1, 0.5, 0.7, 1e300]), min_size=1, max_size=12)


@given(confidences)
def test_equal_definition_and_sum_to_n_squared(confidence):
    weights = rank_weights(np.array(confidence))
    assert weights.tolist() == weights_of(confidence)
    assert weights.sum() == len(confidence) ** 2


@given(st.data())
def test_augrc_equals_the_auroc_identity_in_fractions(data):
    confidence = data.draw(confidences)
    errors = data.draw(st.lists(st.integers(0, 1), min_size=len(confidence), max_size=len(confidence)))
    n = len(confidence)
    risk = int((rank_weights(np.array(confidence)) * errors).sum())
    assert augrc_by_auroc(confidence, errors) * 2 * n * n == risk


@pytest.mark.parametrize(
    ("confidence", "errors", "risk"),
    [
        ([0.9, 0.9, 0.9, 0.7, 0.7, 0.6, 0.55, 0.8], [1, 0, 0, 1, 0, 0, 1, 0], 20),
        ([0.8] * 6, [1, 0, 0, 1, 0, 0], 12),
        ([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1], 4),
    ],
)
def test_check_values_of_other_tools(confidence, errors, risk):
    assert int((rank_weights(np.array(confidence)) * errors).sum()) == risk


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    st.lists(st.sampled_from([0, 1, 2, 3, 2**20]), min_size=1, max_size=40),
)
def test_order_is_by_value_down_to_the_last_bit(values, steps):
    given = np.array(values)
    near = (given[: len(steps)].view(np.int64) + np.array(steps[: len(values)])).view(np.float64)
    close = np.concatenate([given, near[np.isfinite(near)]])
    order, ordered = ascending(close)
    assert sorted(order.tolist()) == list(range(len(close)))
    assert (close[order] == ordered).all()
    assert (np.sort(close) == ordered).all()


def test_many_confidences_that_share_their_leading_bits():
    rng = np.random.default_rng(2)
    close = 0.75 + rng.integers(0, 1000, 5000) * 2.0**-52
    order, ordered = ascending(close)
    assert (np.sort(close) == ordered).all()
    assert (close[order] == ordered).all()


def test_neighbouring_doubles_are_not_tied():
    up = np.nextafter(0.7, 1)
    assert rank_weights(np.array([0.7, up, 0.7])).tolist() == [2, 5, 2]


def test_six_levels_on_many_rows_do_not_depend_on_row_order():
    rng = np.random.default_rng(7)
    confidence = rng.choice([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], 1470)
    shuffle = rng.permutation(1470)
    assert (rank_weights(confidence)[shuffle] == rank_weights(confidence[shuffle])).all()


def test_threads_and_loop_agree():
    scores = np.random.default_rng(1).integers(0, 5000, (3, 60_000)) / 7.0
    assert (all_rank_weights(scores) == np.stack([rank_weights(row) for row in scores])).all()
    assert len(np.unique(all_rank_weights(np.full((2, 60_000), 0.5)))) == 1
