"""Weights of every objective against their definitions, spelling, limits, and what must hold exactly."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify import Pool
from certify.budget import plan, prelabel_bound
from certify.certificate import minimum_certificate
from certify.errors import PoolError
from certify.objectives import FORMS, Accuracy, Augrc, SelectiveError, WeightedError
from certify.policies import POLICIES
from certify.replay import replay
from certify.session import Session
from tests.certify.examples import FIGURE_1, worst_case
from tests.certify.objective_reference import OBJECTIVES, objective_pools, true_weights
from tests.certify.reference import augrc_by_auroc


@settings(max_examples=200, deadline=None)
@given(objective_pools(max_rows=9, exclude=("aurc",)))
def test_whole_weights_are_the_definition_times_the_scale(pool):
    risks = pool.risks
    whole = [[Fraction(int(w), risks.scale) for w in row] for row in risks.weights]
    assert whole == true_weights(pool)
    assert risks.weights.dtype == np.int32


@settings(max_examples=100, deadline=None)
@given(objective_pools(max_rows=9))
def test_weights_do_not_depend_on_the_order_of_rows_and_sum_to_at_most_one(pool):
    order = np.random.default_rng(1).permutation(pool.n)
    if not pool.objective.name.startswith("weighted"):
        predictions = np.broadcast_to(pool.predictions, pool.confidences.shape)
        shuffled = Pool.from_codes(
            pool.names, pool.classes, predictions[:, order], pool.confidences[:, order].copy()
        )
        moved = shuffled.with_objective(pool.objective).risks
        assert (moved.weights == pool.risks.weights[:, order]).all()
    sums = pool.risks.weights.sum(axis=1, dtype=np.int64)
    slack = pool.n if pool.objective.name == "aurc" else 0
    limit = pool.risks.scale // 2 if pool.objective.name == "augrc" else pool.risks.scale
    assert ((limit - slack <= sums) & (sums <= limit)).all()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([0.2, 0.5, 0.5000000000000001, 0.9]), min_size=1, max_size=9), st.data())
def test_augrc_identity(confidence, data):
    errors = data.draw(st.lists(st.integers(0, 1), min_size=len(confidence), max_size=len(confidence)))
    pool = Pool.shared([confidence, confidence])
    total = int(pool.risks.totals(np.array(errors, dtype=np.int16))[0])
    assert Fraction(total, pool.risks.scale) == augrc_by_auroc(confidence, errors)


def test_the_boundary_block_is_shared_evenly():
    confidence = [0.9, 0.5, 0.5, 0.5, 0.1]
    pool = Pool.shared([confidence, [0.5, 0.4, 0.3, 0.2, 0.1]]).with_objective("selective-error@0.6")
    assert pool.objective.name == "selective-error@0.6"
    risks = pool.risks
    assert (risks.weights.tolist(), risks.scale) == ([[3, 2, 2, 2, 0], [3, 3, 3, 0, 0]], 9)


@pytest.mark.parametrize(
    ("coverage", "accepted"), [("0.8", 8), ("0.81", 9), ("1", 10), ("1/1000000", 1), (Decimal("0.30"), 3)]
)
def test_accepted_rows_are_rounded_up(coverage, accepted):
    assert SelectiveError(coverage).accepted(10) == accepted


def test_full_coverage_is_accuracy():
    rng = np.random.default_rng(0)
    pool = Pool.binary(rng.integers(0, 2, (3, 50)), np.round(rng.random((3, 50)), 1))
    labels = rng.integers(0, 2, 50)
    sizes = [
        minimum_certificate(pool.with_objective(name), labels).size
        for name in ("accuracy", "selective-error@1")
    ]
    assert sizes[0] == sizes[1]


def test_weighted_error_with_equal_weights_is_accuracy():
    weights = WeightedError.of(["0.7"] * 5)
    assert (weights.weights.tolist(), weights.scale) == ([1] * 5, 5)
    pool = worst_case(5)
    assert (pool.with_objective(weights).risks.weights == pool.with_objective(Accuracy()).risks.weights).all()


def test_row_weights_of_every_kind_are_exact():
    given_weights = ["0.1", "1/3", 0.3, Decimal("0.2"), Fraction(1, 6), 2, np.float64(0.1), "0", "1e-1"]
    found = WeightedError.of(given_weights)
    assert found.weights.tolist() == [3, 10, 9, 6, 5, 60, 3, 0, 3]
    assert WeightedError.of(np.array([0.5, 0.25])).weights.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "-1"], "row 1: weight -1 is negative"),
        (["1", "much"], "row 1: weight 'much' is not a usable number"),
        (["1", float("nan")], "not a usable number"),
        (["0", 0], "every weight is 0"),
        (["1", "1e-30"], "exceed 1073741823"),
        ([f"1/{p}" for p in (1009, 1013, 1019, 1021, 1031)], "exceed 1073741823"),
        ([], "one number a row"),
        (np.ones((2, 2)), "one number a row"),
    ],
)
def test_unusable_row_weights(values, message):
    with pytest.raises(PoolError, match=message):
        WeightedError.of(values)


def test_as_many_weights_as_rows():
    with pytest.raises(PoolError, match="3 row weights for 5 rows"):
        worst_case(5).with_objective(WeightedError.of([1, 2, 3]))


def test_a_common_denominator_beyond_the_limit_is_refused():
    n, rng = 2000, np.random.default_rng(2)
    blocks = [1009, 1013, 1019, 1021]
    confidences = np.stack([np.where(rng.permutation(n) < size, 0.5, 0.1) for size in blocks])
    with pytest.raises(PoolError, match=r"common denominator .* up to 1073741823 is supported"):
        Pool.shared(confidences).with_objective("selective-error@0.4")


def test_row_weights_from_a_column():
    pool = Pool.from_codes(
        ("a", "b"),
        ("0", "1"),
        np.array([[0, 1], [1, 1]], dtype=np.int16),
        np.array([[0.5, 0.6], [0.7, 0.8]]),
        display=pl.DataFrame({"Cost": ["0.25", "1.00"], "gap": ["1", ""]}),
    )
    weighted = pool.with_objective("weighted-error:Cost")
    assert (weighted.objective.name, weighted.risks.weights.tolist()) == (
        "weighted-error:Cost",
        [[1, 4], [1, 4]],
    )
    with pytest.raises(PoolError, match=r"no column 'cost' .*'Cost', 'gap'"):
        pool.with_objective("weighted-error:cost")
    with pytest.raises(PoolError, match="row 1 has no weight"):
        pool.with_objective("weighted-error:gap")
    with pytest.raises(PoolError, match="there is no further column"):
        FIGURE_1.with_objective("weighted-error:cost")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f1", "not a sum of row losses with weights fixed"),
        ("precision@0.5", "not a sum of row losses with weights fixed"),
        ("AUROC", "not a sum of row losses with weights fixed"),
        ("happiness", "unknown"),
        ("selective-error", "needs a coverage"),
        ("weighted-error:", "needs a column"),
    ],
)
def test_refused_objectives_list_the_accepted(text, reason):
    with pytest.raises(PoolError, match=reason) as caught:
        FIGURE_1.with_objective(text)
    assert all(form in str(caught.value) for form in FORMS)


@pytest.mark.parametrize("coverage", ["0", "1.01", "80%", "-0.1", "nan", "1/0"])
def test_unusable_coverages(coverage):
    with pytest.raises(PoolError, match=r"coverage"):
        FIGURE_1.with_objective(f"selective-error@{coverage}")


def test_objectives_are_spelled_in_any_case():
    assert FIGURE_1.with_objective(" AUGRC ").objective == Augrc()
    assert FIGURE_1.with_objective("Selective-Error@1/2").objective == SelectiveError("0.50")


@pytest.mark.parametrize("n", [2, 5, 40])
def test_worst_case_of_section_4_2_needs_no_label_for_accuracy(n):
    pool = worst_case(n).with_objective("accuracy")
    zeros = np.zeros(n, dtype=np.int16)
    assert prelabel_bound(pool) == minimum_certificate(pool, zeros).size == 0
    assert plan(pool, budget=0).possible is True
    session = Session(pool)
    assert (session.verdict.certified, session.verdict.winner, session.ask(5)) == (True, 0, [])
    assert minimum_certificate(worst_case(n), zeros).size == n - 1


@settings(max_examples=100, deadline=None)
@given(objective_pools(max_rows=12, only=("accuracy",)), st.data())
def test_disagreement_rows_settle_accuracy(pool, data):
    size = {"min_size": pool.n, "max_size": pool.n}
    labels = np.array(data.draw(st.lists(st.integers(0, len(pool.classes) - 1), **size)), dtype=np.int16)
    agree = (pool.predictions == pool.predictions[:1]).all(axis=0)
    known: list[str | None] = [
        None if same else pool.classes[y] for same, y in zip(agree, labels, strict=True)
    ]
    session = Session(pool, owned=known)
    assert session.verdict.certified
    assert not set(np.flatnonzero(agree)) & set(minimum_certificate(pool, labels).rows.tolist())


@pytest.mark.parametrize("policy", POLICIES)
def test_rows_that_cannot_matter_are_never_read(policy):
    rng = np.random.default_rng(8)
    confidences = np.round(rng.random((3, 200)), 3)
    pool = Pool.shared(confidences).with_objective("selective-error@0.3")
    labels = (rng.random(200) < 0.3).astype(np.int16)
    matters = np.ptp(pool.risks.weights, axis=0) > 0
    assert (pool.risks.matters == matters).all()
    assert 0 < matters.sum() < 150
    run = replay(pool, labels, policy)
    assert run.certified
    assert matters[run.rows].all()
    session = Session(pool, policy)
    while rows := session.ask(7):
        session.tell(rows, labels[rows].tolist())
    assert session.verdict.certified


@pytest.mark.parametrize("text", OBJECTIVES)
def test_the_objective_and_its_weights_survive_in_the_journal(tmp_path, text):
    rng = np.random.default_rng(4)
    pool = Pool.binary(rng.integers(0, 2, (3, 30)), np.round(rng.random((3, 30)), 1))
    weights = WeightedError.of(rng.integers(0, 9, 30))
    pool = pool.with_objective(weights if text == "weighted-error" else text)
    labels = [str(y) for y in rng.integers(0, 2, 30)]
    whole = Session(pool, tolerance="0.01")
    with Session(pool, tolerance="0.01", journal=tmp_path / "kept"):
        pass
    while rows := whole.ask(3):
        whole.tell(rows, [labels[row] for row in rows])
        with Session.resume(tmp_path / "kept") as session:
            assert session.pool.objective.name == text
            assert session.ask(3) == rows
            session.tell(rows, [labels[row] for row in rows])
            assert (session.pool.risks.weights == pool.risks.weights).all()
            assert session.verdict == whole.verdict
    assert whole.verdict.certified
