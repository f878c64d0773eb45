"""Verdicts, stops, certificates and bounds of every objective against enumeration in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.budget import plan, prelabel_bound
from certify.certificate import minimum_certificate
from certify.policies import POLICIES
from certify.replay import replay
from certify.session import Session
from tests.certify.objective_reference import Enumeration, objective_pools

TOLERANCES = st.sampled_from([Fraction(0)] * 3 + [Fraction(1, 10), Fraction(1, 7), Fraction(1, 10**9)])


def labels_of(data, pool) -> np.ndarray:
    codes = st.integers(0, len(pool.classes) - 1)
    return np.array(data.draw(st.lists(codes, min_size=pool.n, max_size=pool.n)), dtype=np.int16)


@settings(max_examples=150, deadline=None)
@given(objective_pools(), TOLERANCES, st.sampled_from(POLICIES), st.data())
def test_every_verdict_equals_enumeration_and_replay_stops_there(pool, tolerance, policy, data):
    labels, truth, known = labels_of(data, pool), Enumeration(pool), dict[int, int]()
    session = Session(pool, policy, tolerance, seed=2)
    while True:
        found = session.verdict
        certified, winner, excess = truth.verdict(known, tolerance)
        assert (found.certified, found.winner, found.gap == 0) == (certified, winner, excess == 0)
        if pool.objective.name == "aurc":
            assert excess <= found.gap < excess + Fraction(1, 2**25)
        else:
            assert found.gap == excess
        assert found.at_least == 0 if certified else found.at_least >= 1
        rows = session.ask(1)
        if not rows:
            break
        session.tell(rows, [pool.classes[labels[rows[0]]]])
        known[rows[0]] = int(labels[rows[0]])
    assert session.verdict.certified
    run = replay(pool, labels, policy, tolerance, seed=2)
    assert run.rows.tolist() == list(known)
    assert (run.certified, run.winner, run.gap) == (True, session.verdict.winner, session.verdict.gap)


@settings(max_examples=100, deadline=None)
@given(objective_pools(), TOLERANCES, st.data())
def test_certificates_and_bounds_equal_enumeration(pool, tolerance, data):
    labels, truth = labels_of(data, pool), Enumeration(pool)
    smallest = truth.certificate_size(labels, tolerance)
    found = minimum_certificate(pool, labels, tolerance)
    read = {int(row): int(labels[row]) for row in found.rows}
    assert truth.verdict(read, tolerance)[0]
    assert prelabel_bound(pool, tolerance) <= found.lower_bound <= smallest <= found.size
    if pool.objective.name != "aurc":
        assert found.proven


@settings(max_examples=60, deadline=None)
@given(objective_pools(max_rows=4), st.integers(0, 4), st.data())
def test_tolerances_ruled_out_are_impossible(pool, budget, data):
    """No labels of that number certify anybody within less than the smallest tolerance left open."""
    found = plan(pool, budget=budget)
    smallest = found.smallest_tolerance
    assert smallest is not None
    if not smallest:
        return
    labels, truth = labels_of(data, pool), Enumeration(pool)
    size = min(budget, pool.n)
    rows = data.draw(st.lists(st.integers(0, pool.n - 1), min_size=size, max_size=size, unique=True))
    known = {row: int(labels[row]) for row in rows}
    assert truth.verdict(known, Fraction(1, 10**30))[2] >= smallest
