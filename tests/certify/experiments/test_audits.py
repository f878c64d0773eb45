"""The audit study: real paths pass, altered ones do not, and the counts are those of the paths."""

from __future__ import annotations

import polars as pl
import pytest

from certify.audit.paths import check_path
from certify.audit.report import Lie
from certify.experiments import audits, deep_confidence
from certify.experiments.measures import DRAWN, TOLERANCES
from certify.policies import POLICIES
from solvers.studies.engine import run
from solvers.workers import Processes

WINE = "wine-731-tree-4"


def table_of(key):
    return pl.DataFrame([{"key": key, **row} for row in audits.work(key)])


def test_every_policy_seed_and_comparison_has_its_piece():
    keys = audits.keys(10)
    assert len(keys) == (12 + 108) * (len(POLICIES) - len(DRAWN) + 10) == len(set(keys))
    assert set(audits.keys(3)) < set(keys)


def test_a_fixed_policy_is_audited_at_every_tolerance():
    found = table_of(f"panels/{WINE}/static-range")
    assert found["tolerance"].to_list() == list(TOLERANCES)
    assert found["labels"].to_list() == sorted(found["labels"], reverse=True)
    assert (found["prefixes"] == found["labels"] + 1).all()
    assert found["altered"].drop_nulls().to_list() == found["caught"].drop_nulls().to_list() == [4]


def test_drawn_policies_are_audited_once_a_seed():
    found = table_of(f"panels/{WINE}/drawn/1")
    assert found["policy"].to_list() == list(DRAWN)
    assert (found["prefixes"] == found["labels"] + 1).all()


def test_altered_paths_are_rejected_one_by_one():
    pool, codes, audited = audits.compared("panels", WINE)
    altered = list(audits.alterations(pool, codes))
    assert len(altered) == 4
    for claim in altered:
        with pytest.raises(Lie):
            check_path(audited, claim, codes)


def test_a_network(tmp_path):
    name = deep_confidence.COMPARISONS[0]
    outcome = run(audits.STUDY, tmp_path, workers=Processes(1), seeds=1, only=f"deep/{name}/static-range")
    whole, as_in_paper, everything, wrong = outcome.lines
    assert whole.holds
    assert as_in_paper.ours == "8,863 of 1 paths"
    assert everything.ours.endswith("of 6 paths")
    assert (wrong.ours, wrong.holds) == ("4 of 4", True)


def test_an_objection_is_reported():
    found = table_of(f"panels/{WINE}/static-range").with_columns(lie=pl.lit("label 1 is wrong"))
    line = audits.compare(found)[0]
    assert line.holds is False
    assert line.note == "label 1 is wrong"
