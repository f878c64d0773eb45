"""Results as records for a frame."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import pareto
from pareto.report import model_records

THETA = np.array([[2.0, 0.5], [0.0, 2.0], [-2.0, -1.5]])


@pytest.mark.parametrize("cap", [None, 60])
def test_records_are_a_frame_that_says_what_the_result_says(cap):
    source = pareto.BradleyTerrySource(THETA, seed=1)
    result = pareto.identify(source, method="interval", delta=0.1, seed=2, max_comparisons=cap)
    records = result.records()
    frame = pl.DataFrame(records)
    assert frame["model"].to_list() == list(result.models)
    assert frame["frontier"].to_list() == result.frontier.tolist()
    assert [name == "undecided" for name in frame["status"]] == (~result.decided).tolist()
    estimates = frame.select(f"estimate.{one}" for one in result.objectives)
    assert np.array_equal(
        estimates.cast(pl.Float64).fill_null(np.nan).to_numpy(), result.estimates, equal_nan=True
    )
    spent = frame.select(f"comparisons.{one}" for one in result.objectives).to_numpy()
    assert np.array_equal(spent, result.allocation)
    for ours, shown in zip(records, model_records(result), strict=True):
        assert {name: ours[name] for name in ("status", "rival", "objective")} == {
            name: shown[name] for name in ("status", "rival", "objective")
        }


def test_records_of_a_target_are_those_of_its_certificates_with_scores():
    log = pareto.read_battles(pareto.bundled_log("arena140k-decisive")).retain()
    target = pareto.target(log)
    records = target.records()
    frame = pl.DataFrame(records)
    assert frame.filter(status="frontier")["model"].to_list() == list(target.kept)
    assert frame["gap"].to_list() == target.gaps.tolist()
    assert np.array_equal(frame.select(f"borda.{one}" for one in target.objectives).to_numpy(), target.borda)
    again = target.certificates.records(target.models, target.objectives)
    assert [{key: one[key] for key in again[0]} for one in records] == again
