"""Drawn pools, limits by integration, and the studies that stand on them."""

from __future__ import annotations

import numpy as np
import pytest

from certify.experiments import copulas, finite_pools, propositions, random_orders
from certify.experiments.copula_limits import further_apart, rank_bound_limit
from certify.experiments.data import TABLES
from certify.experiments.random_pools import copula_orders, errors, independent_orders, uniforms
from certify.policies import POLICIES
from solvers.studies.engine import run
from solvers.workers import Processes
from tests.certify.experiments.test_panels import SHAPES
from tests.certify.reference import certificate_size_of


def test_draws_depend_on_the_key_alone():
    first = uniforms("a", 2, 3)
    assert first.shape == (2, 3)
    assert (first == uniforms("a", 2, 3)).all()
    assert not (first == uniforms("b", 2, 3)).any()
    assert uniforms("a", 1)[0] == first[0, 0]
    # the stream itself must never change, or published figures would
    assert first[0].tolist() == [0.22026570694101844, 0.5441951971603168, 0.23340550076238242]


def test_draws_are_uniform_and_never_0_or_1():
    many = np.sort(uniforms("uniform", 20_000))
    assert 0 < many[0] < many[-1] < 1
    assert np.abs(many - np.arange(1, 20_001) / 20_001).max() < 0.015


def test_orders_have_no_ties_and_errors_their_rate():
    pool = independent_orders("orders", 3, 5000)
    assert pool.kind == "shared"
    for weights in pool.risks.weights:
        assert sorted(weights) == list(range(1, 10_000, 2))
    assert np.abs(np.corrcoef(pool.risks.weights)[np.triu_indices(3, 1)]).max() < 0.05
    assert abs(errors("orders", 5000, 0.3).mean() - 0.3) < 0.03


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.99])
def test_copula_orders_have_the_rank_correlation_of_their_copula(rho):
    found = copulas.spearman(copula_orders("copula", 20_000, rho))
    assert found == pytest.approx(6 / np.pi * np.arcsin(rho / 2), abs=0.02)


def test_limits_against_independent_ranks_and_the_paper():
    thresholds = np.array([0.0, 0.2, 0.7])
    assert further_apart(thresholds, 0.0) == pytest.approx((1 - thresholds) ** 2, abs=1e-12)
    flat = rank_bound_limit(0.0)
    assert (flat.share, flat.threshold) == pytest.approx((0.25, 0.5), abs=1e-9)
    assert flat.mean_difference == pytest.approx(1 / 3, abs=1e-9)
    for rho, paper in copulas.PAPER.items():
        assert rank_bound_limit(rho).share == pytest.approx(paper, abs=0.001)


def test_limits_against_large_samples():
    ranks = 1 - copula_orders("sample", 200_000, 0.6).risks.weights / 400_000
    gaps = np.abs(ranks[0] - ranks[1])
    assert further_apart(np.array([0.3]), 0.6)[0] == pytest.approx((gaps > 0.3).mean(), abs=0.004)
    assert rank_bound_limit(0.6).mean_difference == pytest.approx(gaps.mean(), abs=0.002)


def lines_of(study, folder, only, seeds=1):
    outcome = run(study, folder, workers=Processes(1), seeds=seeds, only=only)
    for picture in outcome.pictures:
        assert picture.path.stat().st_size > 5_000
    return {(line.part, line.quantity): line for line in outcome.lines}, outcome


def test_the_copula_study(tmp_path):
    _, outcome = lines_of(copulas.STUDY, tmp_path, None)
    assert len(outcome.lines) == 6
    assert all(line.holds for line in outcome.lines)
    assert "C̲ = 90" in outcome.lines[-1].ours


def test_brackets_of_drawn_pools_enclose_the_true_size():
    for at in range(6):
        pool = independent_orders(f"small {at}", 2 + at % 3, 8)
        codes = errors(f"small {at}", 8, 0.3)
        found = random_orders.measured(pool, codes)
        truth = certificate_size_of(pool, codes)
        assert found["low"] <= truth <= found["high"]
        assert found["bound"] <= truth


def test_the_random_order_study(tmp_path):
    keys = random_orders.keys(10)
    assert sum(not key.startswith("fitted") for key in keys) * random_orders.PER_SEED == 3600
    lines, outcome = lines_of(random_orders.STUDY, tmp_path, "wine")
    assert outcome.pieces == 4
    assert lines["", "pools"].ours == "40"
    assert lines["", "mean C(y)"].holds is None
    assert not outcome.pictures  # nothing fitted to compare with


def test_matched_sizes_are_the_held_out_rows():
    assert {name: -(-3 * SHAPES[name][0] // 10) for name in TABLES} == random_orders.POOL_SIZES


def test_finite_pools(tmp_path):
    lines, _ = lines_of(finite_pools.STUDY, tmp_path, "K2-n50", seeds=5)
    line = lines["K = 2, share of the pool", "C(y), n = 50"]
    assert line.paper == "37 %"
    assert line.holds


def test_propositions_at_small_sizes(tmp_path):
    lines, outcome = lines_of(propositions.STUDY, tmp_path, "K2-n1000", seeds=3)
    assert {quantity for _, quantity in lines} >= {"C̲/n", "C(y)/n", *propositions.ORDERS}
    assert all(line.holds is None for line in outcome.lines)  # small pools prove nothing
    assert 0.24 < float(lines["Two candidates: shares of the pool, and their limits", "C̲/n"].ours[:5]) < 0.26
    assert len(outcome.pictures) == 3


def test_the_negative_control_runs_every_policy_that_may_be_better():
    slow = [key for key in propositions.keys(10) if key.startswith(propositions.SLOW)]
    assert bool(slow) == (propositions.SLOW in POLICIES)
    keys = propositions.keys(10)
    assert len(keys) == len(set(keys))
    assert set(propositions.keys(1)) < set(keys)


@pytest.mark.slow
def test_limits_at_a_million_rows(tmp_path):
    lines, _ = lines_of(propositions.STUDY, tmp_path, "K2-n1000000", seeds=1)
    shares = {quantity: float(line.ours[:5]) for (_, quantity), line in lines.items() if line.ours[1] == "."}
    assert shares["C̲/n"] == pytest.approx(0.25, abs=0.002)
    assert shares["C(y)/n"] == pytest.approx(0.5, abs=0.02)
    assert min(shares[policy] for policy in propositions.ORDERS) > 0.95
