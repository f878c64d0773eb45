"""The studies on one small collection: facts in their order, and the paper's figures compared rightly."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.bounds import EXACT, lower_after, satisfied
from certify.experiments import (
    agreement_rows,
    measures,
    mutual_information,
    nested,
    panel_study,
    ranks,
    tabular_confidence,
)
from certify.experiments.disagreement import (
    disagreeing,
    error_counts,
    possible_winners,
    settled,
    still_needed,
)
from certify.experiments.panel_comparison import CERTIFICATES, TABLE_2, TABLE_3, compare
from certify.experiments.panels import CONDITIONS
from certify.experiments.summary import of, prepared
from certify.policies import POLICIES
from certify.policies.orders import distinct
from certify.pool import Pool
from certify.risks import UNLABELLED
from solvers.studies.engine import run
from solvers.studies.results import Results
from solvers.workers import Processes

ONE = "wine-731-tree"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studies")


@pytest.fixture(scope="module")
def panels(folder):
    """The panel study of one collection with two seeds, and its table."""
    outcome = run(panel_study.STUDY, folder, workers=Processes(1), seeds=2, only=ONE)
    keys = [key for key in panel_study.STUDY.keys(2) if key.startswith(f"{ONE}/")]
    return outcome, prepared(Results(outcome.results, measures.COLUMNS).table(keys))


def labels_of(frame, measure, tolerance="0"):
    return of(frame, measure, tolerance)["labels"].to_list()


def test_bounds_certificates_tests_and_policies_come_in_their_order(panels):
    _, frame = panels
    sizes = frame["n"].unique().to_list()
    assert sizes == [54]
    exact = of(frame, "certificate")
    assert exact["least"].to_list() == labels_of(frame, "certificate")
    for at, floor in enumerate(labels_of(frame, "certificate")):
        assert labels_of(frame, "prelabel")[at] <= floor
        shared, centred, separate = (labels_of(frame, t)[at] for t in ("shared", "centred", "separate"))
        assert floor <= shared <= centred <= separate <= 54
        assert labels_of(frame, "static-range")[at] == shared
        for policy in POLICIES:
            assert floor <= labels_of(frame, policy)[at] <= 54


def test_a_tolerance_never_costs_labels(panels):
    _, frame = panels
    for measure in ("prelabel", "certificate", "static-range", "adaptive-pair-sum"):
        costs = [labels_of(frame, measure, tolerance) for tolerance in measures.TOLERANCES]
        for tight, loose in itertools.pairwise(costs):
            assert all(a >= b for a, b in zip(tight, loose, strict=True))


def test_chance_is_repeated_and_everything_else_is_not(panels):
    _, frame = panels
    exact = frame.filter(pl.col("tolerance") == "0")
    for policy in POLICIES:
        runs = exact.filter(pl.col("measure") == policy)
        assert runs.height == (4 if policy in measures.DRAWN else 2)
        assert runs["candidate"].to_list() == [0] * runs.height  # every exact run finds the winner


def test_part_of_the_conditions_claims_nothing_that_takes_all(panels):
    outcome, _ = panels
    claims = {line.quantity: line.holds for line in outcome.lines if line.holds is not None}
    assert claims == {"C(y) proven exact": True}
    assert [picture.path.name for picture in outcome.pictures] == ["panels-policies.png"]
    assert all(picture.path.stat().st_size > 1000 for picture in outcome.pictures)


def as_in_the_paper(shift=0.0):
    """A table of all 108 conditions with exactly the paper's means; `shift` moves every C(y)."""
    n, rows = 100_000, []
    for condition in CONDITIONS:
        name = condition.dataset
        separate, centred, shared, bound, size = TABLE_2.get(
            name, (99.4, 92.3, 81.7, 26.9, CERTIFICATES[name])
        )
        figures = {
            "separate": separate,
            "centred": centred,
            "shared": shared,
            "prelabel": bound,
            "certificate": sum(size) / 2 + shift,
            **{policy: sum(pair) / 2 for policy, pair in TABLE_3.items()},
        }
        for measure, percent in figures.items():
            labels = round(percent * n / 100)
            rows.append((condition.name, n, measure, "0", labels, labels, 0, 0))
    columns = ("condition", "n", "measure", "tolerance", "labels", "least", "candidate", "steps")
    table = pl.DataFrame(rows, schema=columns, orient="row")
    return table.with_columns(pl.lit(None, pl.Float64).alias("value"), pl.col("condition").alias("key"))


def holding(lines):
    return {line.quantity: line.holds for line in lines if line.holds is not None}


def test_the_papers_own_figures_pass_and_others_do_not():
    claims = holding(compare(as_in_the_paper()))
    assert set(TABLE_2) <= claims.keys()
    assert "breast" in claims
    by_table = {name: claims[name] for name in CERTIFICATES}
    assert all(by_table.values())
    moved = holding(compare(as_in_the_paper(shift=8.0)))
    assert {name for name in CERTIFICATES if not moved[name]} == set(CERTIFICATES) - {"breast"}


def test_other_studies_of_the_same_collection(folder):
    expected = [
        (agreement_rows.STUDY, 5),
        (nested.STUDY, 3 * (2 + len(nested.POLICIES))),
        (mutual_information.STUDY, 5 + len(mutual_information.POLICIES)),
        (tabular_confidence.STUDY, 4 + len(tabular_confidence.POLICIES)),
    ]
    for study, lines in expected:
        outcome = run(study, folder, workers=Processes(1), seeds=1, only=ONE)
        assert len(outcome.lines) >= lines
        assert not any(line.holds is False for line in outcome.lines)
        assert all("nan" not in line.ours for line in outcome.lines)
        assert all(picture.path.exists() for picture in outcome.pictures)


@st.composite
def small_pools(draw):
    """A binary pool with ties and perhaps duplicates, and its labels."""
    candidates, n = draw(st.integers(2, 3)), draw(st.integers(2, 6))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    levels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    pool = Pool.binary(
        [draw(bits) for _ in range(candidates)],
        np.array([draw(levels) for _ in range(candidates)], dtype=float),
    )
    return pool, np.array(draw(bits), dtype=np.int16)


@settings(max_examples=60)
@given(small_pools())
def test_disagreement_rows_settle_accuracy_and_what_they_leave_open_is_real(drawn):
    pool, codes = drawn
    read = disagreeing(pool)
    seen = np.where(read, codes, UNLABELLED).astype(np.int16)
    assert settled(error_counts(pool), seen)
    open_rows = np.flatnonzero(~read)
    winners = set()
    for labels in itertools.product((0, 1), repeat=len(open_rows)):
        filled = seen.copy()
        filled[open_rows] = labels
        totals = pool.risks.totals(filled)
        best = np.flatnonzero(totals == totals.min())
        if len(best) == 1:
            winners.add(int(best[0]))
    if distinct(pool.risks).all():
        assert possible_winners(pool.risks, seen) <= winners
    if len(possible_winners(pool.risks, seen)) >= 2:
        assert not settled(pool.risks, seen)


@settings(max_examples=60)
@given(small_pools())
def test_labels_still_needed_against_all_subsets(drawn):
    pool, codes = drawn
    read = disagreeing(pool)
    open_rows = np.flatnonzero(~read)
    totals = pool.risks.totals(codes)
    winner = int(totals.argmin())

    def certifies(rows):
        seen = np.where(read, codes, UNLABELLED).astype(np.int16)
        seen[list(rows)] = codes[list(rows)]
        return satisfied(lower_after(pool.risks, seen), EXACT)[:, winner].all()

    fewest = next(
        size
        for size in range(len(open_rows) + 1)
        if any(certifies(rows) for rows in itertools.combinations(open_rows.tolist(), size))
    )
    low, high = still_needed(pool.risks, codes, read)
    assert low <= fewest <= high <= fewest + pool.candidates - 2 + 1


@settings(max_examples=100)
@given(st.data())
def test_mutual_information_is_the_plain_sum(data):
    n = data.draw(st.integers(2, 12))
    bits = st.lists(st.booleans(), min_size=n, max_size=n)
    shown, positive = np.array([data.draw(bits)]).T, np.array(data.draw(bits))
    expected = 0.0
    for seen, label in itertools.product((False, True), repeat=2):
        joint = ((shown[:, 0] == seen) & (positive == label)).mean()
        if joint:
            expected += joint * np.log(joint / ((shown[:, 0] == seen).mean() * (positive == label).mean()))
    assert mutual_information.mutual_information(shown, positive)[0] == pytest.approx(expected, abs=1e-12)


def test_information_panels_are_nested_and_keep_ties_in_order():
    positive = np.array([True, False] * 8)
    shown = np.column_stack([positive, *(np.arange(16) % 4 == 1 for _ in range(9))])
    panels = mutual_information.information_panels(shown, positive)
    assert [len(panel) for panel in panels] == [2, 3, 5, 10]
    assert panels[1] == [0, 1, 2]


def test_ranks_against_hand_values():
    costs = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [2.0, 1.0, 3.0]])
    assert ranks.ranks(costs).tolist() == [[1, 2, 3], [1, 2.5, 2.5], [2, 1, 3]]
    assert ranks.critical_difference(7, 9) == pytest.approx(3.002, abs=5e-4)
    assert ranks.groups([1.0, 1.5, 2.0, 4.0], 1.0) == [(0, 2)]
    assert ranks.groups([1.0, 1.5, 2.2, 4.0], 1.0) == [(0, 1), (1, 2)]


def test_friedman_permutation_against_all_shufflings():
    ranked = ranks.ranks(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]))

    def spread(table):
        return ((np.mean(table, axis=0) - 2) ** 2).sum()

    shuffled = itertools.product(*(list(itertools.permutations(row)) for row in ranked.tolist()))
    exact = np.mean([spread(table) >= spread(ranked) - 1e-9 for table in shuffled])
    observed, probability = ranks.friedman(ranked, permutations=20_000)
    assert observed == pytest.approx(spread(ranked))
    assert probability == pytest.approx(exact, abs=0.01)


def test_ranks_read_the_panel_results():
    lines = ranks.compare(as_in_the_paper().filter(pl.col("measure") != "certificate"))
    by_name = {(line.part, line.quantity): line.ours for line in lines}
    assert by_name["The paper's seven policies", "Nemenyi critical difference"] == "3.002"
    assert by_name["The paper's seven policies", "Friedman, permutation p"] == "1e-05"
    assert by_name["The paper's seven policies", "adaptive-pair-sum"] == "mean rank 1.00"


@pytest.mark.slow
def test_all_108_conditions_meet_the_paper(tmp_path):
    outcome = run(panel_study.STUDY, tmp_path, seeds=10)
    assert not [line for line in outcome.lines if line.holds is False]
    assert not [line for line in run(agreement_rows.STUDY, tmp_path).lines if line.holds is False]
