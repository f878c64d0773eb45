from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from certify import Pool, choose, minimum_certificate, prelabel_bound
from certify.errors import PoolError
from certify.replay import replay
from tests.certify.reference import labelled_pools

SCORES = [[0.9, 0.8], [0.8, 0.9]]


@settings(max_examples=150, deadline=None)
@given(labelled_pools(kinds=("binary", "shared"), max_rows=7))
def test_the_categorical_form_reduces_to_the_others(case):
    pool, labels = case
    predictions = np.broadcast_to(pool.predictions, pool.confidences.shape)
    general = Pool(pool.names, pool.classes, "categorical", predictions, pool.confidences)
    assert prelabel_bound(general) == prelabel_bound(pool)
    ours, theirs = minimum_certificate(general, labels), minimum_certificate(pool, labels)
    assert (ours.rows.tolist(), ours.winner, ours.lower_bound) == (
        theirs.rows.tolist(),
        theirs.winner,
        theirs.lower_bound,
    )
    for policy in ("static-range", "adaptive-pair-sum"):
        assert replay(general, labels, policy).rows.tolist() == replay(pool, labels, policy).rows.tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pool.shared([[0.9, 0.8]]), "at least two"),
        (lambda: Pool.shared(np.empty((2, 0))), "no rows"),
        (lambda: Pool.shared([[0.9, 0.8], [0.9]]), "one table of numbers"),
        (lambda: Pool.shared([[0.9, "x"], [0.9, 0.1]]), "one table of numbers"),
        (
            lambda: Pool.shared([[0.9, float("nan")], [0.9, 0.1]], names=("a", "b")),
            "confidence of a at row 1",
        ),
        (lambda: Pool.shared([[0.9, 10**400], [0.9, 0.1]]), "one table of numbers"),
        (lambda: Pool.shared([[1, 2**53 + 1], [1, 2]]), "a double cannot hold"),
        (lambda: Pool.shared(np.ones((2, 2), dtype=complex)), "complex"),
        (lambda: Pool.shared(SCORES, names=("a", "a")), "used twice"),
        (lambda: Pool.shared(SCORES, names=("a",)), "1 names for 2"),
        (lambda: Pool.shared(SCORES, ids=("r", "r")), "more than once"),
        (lambda: Pool.shared(SCORES, ids=("r",)), "1 ids for 2 rows"),
        (lambda: Pool.binary([[0, 1], [0, 2]], SCORES), "classes: 0, 1"),
        (lambda: Pool.binary([[0, 1], [0, None]], SCORES), "no prediction at row 1"),
        (lambda: Pool.binary([[0, 1], [0]], SCORES), "one table"),
        (lambda: Pool.binary([[0, 1, 1], [0, 1, 1]], SCORES), "do not fit"),
        (lambda: Pool.multiclass([[0, 0], [0, 0]], SCORES, [0]), "at least two"),
        (lambda: Pool.multiclass([[0, 0], [0, 0]], SCORES, [0, 0.0]), "twice"),
        (lambda: Pool.multiclass([[0, 0], [0, 0]], SCORES, [0, "?"]), "not labelled"),
        (lambda: choose(Pool.shared(SCORES), lambda row: 0, budget=-1), "budget -1"),
    ],
)
def test_unusable_arrays_are_refused(make, message):
    with pytest.raises(PoolError, match=message):
        make()
