from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from certify import Pool
from certify.policies.label_model import DOUBT, LabelModel, strengths
from certify.policies.outlook import Outlook
from tests.certify.reference import labelled_pools, small_pools


def slow_chances(model: LabelModel, coefficients, row: int) -> list[float]:
    """Probabilities of outcomes 0 … A on one row, from the definition."""
    slots, strength = model.slots[:, row].tolist(), model.strengths[:, row].tolist()
    odds = [1.0]
    if model.pool.kind == "categorical" and max(slots) == len(model.pool.classes):
        odds = [0.0]
    for outcome in range(1, model.alternatives + 1):
        if model.pool.kind == "categorical" and outcome > max(slots):
            odds.append(0.0)
            continue
        share = sum(slot == outcome for slot in slots) / len(slots)
        signed = [s if slot == outcome else -s for s, slot in zip(strength, slots, strict=True)]
        features = [1.0, *signed, 2 * share - 1]
        odds.append(np.exp(sum(b * x for b, x in zip(coefficients, features, strict=True))))
    return [value / sum(odds) for value in odds]


def slow_posterior(model: LabelModel, rows, codes, coefficients) -> float:
    """Minus the log posterior density, but for a constant."""
    mean, precision = model.prior
    away = coefficients - mean
    total = away @ precision @ away / 2
    for row, code in zip(rows, codes, strict=True):
        (outcome,) = model.outcomes(np.array([row]), np.array([code]))
        total -= np.log(slow_chances(model, coefficients, row)[outcome])
    return total


@settings(max_examples=60, deadline=None)
@given(labelled_pools(max_candidates=5))
def test_a_candidate_is_right_when_the_outcome_is_its_slot(case):
    pool, labels = case
    model = LabelModel.of(pool)
    outcomes = model.outcomes(np.arange(pool.n), labels)
    assert ((model.slots == outcomes) == (pool.predictions == labels)).all()
    assert outcomes.max() <= model.alternatives


@settings(max_examples=25, deadline=None)
@given(labelled_pools(max_rows=8), st.integers(0, 8))
def test_the_fit_is_the_mode_of_the_posterior(case, told):
    pool, labels = case
    model, rows = LabelModel.of(pool), np.arange(min(told, pool.n))
    found = model.fit(rows, labels[rows])
    slope = approx_fprime(found, lambda b: slow_posterior(model, rows, labels[rows], b), 1e-6)
    assert np.abs(slope).max() < 1e-3


@settings(max_examples=40, deadline=None)
@given(small_pools(max_candidates=5), st.integers(0, 9))
def test_chances_are_the_models_but_for_a_little_doubt(pool, seed):
    model = LabelModel.of(pool)
    coefficients = np.random.default_rng(seed).normal(size=pool.candidates + 2)
    chances = model.chances(coefficients, np.arange(pool.n))
    assert chances.min() >= DOUBT
    np.testing.assert_allclose(chances.sum(axis=0), 1, atol=1e-12)
    expected = np.array([slow_chances(model, coefficients, row) for row in range(pool.n)]).T
    np.testing.assert_allclose(chances, expected * (1 - DOUBT * len(expected)) + DOUBT, atol=1e-6)


@pytest.mark.parametrize("scores", ["probabilities", "margins", "entropies", "ranks", "constant"])
@pytest.mark.parametrize("kind", ["binary", "shared", "categorical"])
def test_any_score_gives_finite_log_odds_in_its_own_order(kind, scores):
    rng = np.random.default_rng(3)
    probabilities = 0.5 + rng.random((3, 50)) / 2
    values = {
        "probabilities": probabilities,
        "margins": 2 * probabilities - 1,
        "entropies": probabilities * np.log(probabilities) - 5,
        "ranks": probabilities.argsort(axis=1).argsort(axis=1).astype(float),
        "constant": np.full((3, 50), 7.0),
    }[scores]
    predictions = rng.integers(0, 2 if kind == "binary" else 4, (3, 50))
    pool = Pool.shared(values) if kind == "shared" else Pool.multiclass(predictions, values, range(4))
    if kind == "binary":
        pool = Pool.binary(predictions, values)
    found = strengths(pool)
    assert np.isfinite(found).all()
    for own, given_ in zip(found, values, strict=True):
        assert (np.diff(own[np.argsort(given_, kind="stable")]) >= -1e-6).all()


def test_labels_teach_what_the_scores_are_worth():
    """One candidate knows, one guesses with as much confidence: the fit finds out which is which."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 800).astype(np.int16)
    guesses = rng.integers(0, 2, 800)
    confidences = rng.uniform(0.6, 0.95, (2, 800))
    knows = np.where(rng.random(800) < 0.95, labels, 1 - labels)
    model = LabelModel.of(Pool.binary([guesses, knows], confidences))
    told, rest = np.arange(400), np.arange(400, 800)
    before, after = model.prior[0], model.fit(told, labels[told])

    def loss(coefficients):
        return -np.log(np.take_along_axis(model.chances(coefficients, rest), labels[None, rest], 0)).mean()

    assert after[2] > 3 * abs(after[1])
    assert loss(after) < 0.5 * loss(before)


@settings(max_examples=40, deadline=None)
@given(small_pools(max_candidates=5), st.integers(0, 99), st.sampled_from([1.0, 2.5, 7.0, 1e9]))
def test_expected_gains_are_means_over_the_outcomes(pool, seed, most):
    """Against `Risks.gain` of every class that stands for an outcome."""
    rng = np.random.default_rng(seed)
    model, rows = LabelModel.of(pool), np.arange(pool.n)
    coefficients = rng.normal(size=pool.candidates + 2)
    kept = np.arange(pool.candidates)
    view = Outlook.of(model, coefficients, pool.risks, kept, rows)
    winners = rng.integers(0, pool.candidates, 3)
    gains = view.gains(winners, np.full((3, pool.candidates), most))
    expected = np.zeros(gains.shape)
    for row in rows:
        for outcome, chance in enumerate(view.chances[:, row]):
            codes = range(len(pool.classes))
            matching = [c for c in codes if model.outcomes(rows[row : row + 1], np.array([c]))[0] == outcome]
            if not matching:
                continue  # an outcome that this row does not have
            label = np.array([matching[0]], dtype=np.int16)
            for s, k in enumerate(winners):
                for j in kept:
                    if j != k:
                        gain = pool.risks.gain(int(j), int(k), label, rows[row : row + 1])[0]
                        expected[s, j, row] += chance * min(gain, most)
    # outcomes that a row lacks keep the chance DOUBT, which counts as if another class had come up
    np.testing.assert_allclose(gains, expected, atol=4 * DOUBT * 2 * 2 * pool.n, rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(small_pools(max_candidates=4), st.integers(0, 99))
def test_imagined_risks_are_those_of_labels(pool, seed):
    rng = np.random.default_rng(seed)
    model, rows = LabelModel.of(pool), np.arange(pool.n)
    view = Outlook.of(model, model.prior[0], pool.risks, np.arange(pool.candidates), rows)
    uniforms = rng.random((4, pool.n))
    for drawn, risks in zip(uniforms, view.imagined(uniforms), strict=True):
        outcome = [int((np.cumsum(view.chances[:, i]) <= drawn[i]).sum()) for i in rows]
        assert risks.tolist() == (pool.risks.weights * (model.slots != outcome)).sum(axis=1).tolist()
