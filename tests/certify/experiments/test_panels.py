"""How panels are searched, which candidates are compared, and the bundled tables."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certify.errors import PoolError
from certify.experiments.data import FOLDER, POSITIVE, table
from certify.experiments.panels import (
    COMPARED,
    CONDITIONS,
    FITTED,
    NESTED,
    compared,
    conditions_of,
    indicators,
    minority_count,
    panels,
    split_of,
)

SHAPES = {
    "ionosphere": (351, 34, 225),
    "sonar": (208, 60, 97),
    "banknote": (1372, 4, 610),
    "haberman": (306, 3, 81),
    "spambase": (4601, 57, 1813),
    "magic": (19020, 10, 12332),
    "breast": (569, 30, 357),
    "wine": (178, 13, 59),
    "digits": (1797, 64, 906),
}


@st.composite
def training_rows(draw):
    """Indicators (n, m) and labels (n,) with both classes present."""
    n, m = draw(st.integers(2, 24)), draw(st.integers(1, 7))
    shown = draw(arrays(np.bool_, (n, m)))
    positive = draw(arrays(np.bool_, n))
    positive[:2] = True, False
    return shown, positive


def brute_force_count(shown, positive):
    groups: dict[tuple[bool, ...], list[bool]] = {}
    for pattern, label in zip(shown.tolist(), positive.tolist(), strict=True):
        groups.setdefault(tuple(pattern), []).append(label)
    return sum(min(labels.count(True), labels.count(False)) for labels in groups.values())


@settings(max_examples=150, deadline=None)
@given(training_rows(), st.data())
def test_hiding_indicators_never_lowers_the_minority_count(rows, data):
    shown, positive = rows
    counted = minority_count(shown, positive)
    assert counted == brute_force_count(shown, positive)
    kept = data.draw(st.lists(st.integers(0, shown.shape[1] - 1), min_size=1, unique=True))
    assert minority_count(shown[:, kept], positive) >= counted


@settings(max_examples=150, deadline=None)
@given(training_rows())
def test_panels_keep_their_budget_and_nothing_that_could_go(rows):
    shown, positive = rows
    budgets = (0.0, 0.05, 0.16, 0.5)
    full = minority_count(shown, positive)
    for budget, panel in zip(budgets, panels(shown, positive, budgets), strict=True):
        allowed = full + int(budget * len(positive))
        assert panel == sorted(set(panel))
        assert minority_count(shown[:, panel], positive) <= allowed
        for indicator in panel if len(panel) > 1 else ():
            rest = [i for i in panel if i != indicator]
            assert minority_count(shown[:, rest], positive) > allowed


def test_there_are_108_conditions_and_four_candidates_are_among_the_eight():
    assert len(set(CONDITIONS)) == 108
    four, eight = (compared(c)[0] for c in CONDITIONS if c.name.startswith("wine-731-tree-"))
    shared = [eight.names.index(name) for name in four.names]
    assert shared == list(COMPARED[4])
    np.testing.assert_array_equal(four.risks.weights, eight.risks.weights[shared])
    np.testing.assert_array_equal(four.predictions, eight.predictions[shared])


@pytest.mark.parametrize("name", SHAPES)
def test_tables_are_whole(name):
    data = table(name)
    assert (*data.features.shape, int(data.positive.sum())) == SHAPES[name]
    assert np.isfinite(data.features).all()


def test_bundled_tables_are_small():
    assert sum((FOLDER / f"{name}.csv.xz").stat().st_size for name in POSITIVE) < 1_200_000


def test_unknown_table():
    with pytest.raises(PoolError, match="no table 'iris'"):
        table("iris")


def test_candidates_are_nested_and_fitted_once_a_collection():
    assert [c for name in FITTED for c in conditions_of(name, COMPARED)] == list(CONDITIONS)
    two, four, eight = (compared(c)[0] for c in conditions_of("wine-731-tree", NESTED))
    assert set(two.names) < set(four.names) < set(eight.names)
    for name in two.names:
        j, k = two.names.index(name), eight.names.index(name)
        np.testing.assert_array_equal(two.confidences[j], eight.confidences[k])


def test_indicators_are_quartiles_of_training_rows_feature_by_feature():
    features = np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0], [4.0, 7.0], [9.0, 8.0]])
    shown = indicators(features, np.arange(4))
    assert shown.tolist() == [[i > 0, i > 1, i > 2] for i in range(4)] + [[True] * 3]


def test_patterns_of_many_indicators_are_told_apart_by_every_word():
    shown = np.zeros((4, 130), dtype=bool)
    shown[1, 0] = shown[2, 70] = shown[3, 129] = True
    assert minority_count(shown, np.array([True, False, True, False])) == 0
    assert minority_count(shown[:, 1:129], np.array([True, False, True, False])) == 1


def test_missing_scikit_learn_is_said(monkeypatch):
    split_of.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(PoolError, match=r"certified-choice\[experiments\]"):
        split_of("sonar", 731)
