"""The study of forecasts: what is learnt, on whom, and what is counted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from certify.experiments import forecasts
from certify.experiments.forecasts import compare, learnt, left_out, pictures, prepared
from certify.policies import POLICIES


@pytest.fixture
def table() -> pl.DataFrame:
    """Simulations that miss by 0.1 on average, and on one table by 0.4."""
    rng = np.random.default_rng(3)
    rows = []
    for name in ("wine", "sonar", "digits", "magic"):
        for number in range(40):
            mean = float(rng.uniform(0.3, 0.5))
            miss = 0.4 if name == "magic" else 0.1
            rows.append(
                {
                    "key": f"{name}-731-tree",
                    "condition": f"{name}-731-tree-{number}",
                    "n": 1000,
                    "policy": POLICIES[0],
                    "labels": round(1000 * (mean + miss + rng.normal(0, 0.02))),
                    "bound": 100,
                    "mean": mean,
                    "spread": 0.01,
                }
            )
    return pl.DataFrame(rows)


def test_corrections_hold_what_they_are_to_hold(table):
    some = prepared(table).filter(pl.col("table") != "magic")
    correction = learnt(some)
    assert correction.shift == pytest.approx(0.1, abs=0.01)
    low, high = forecasts.ranges(some, correction)
    assert ((low <= some["truth"].to_numpy()) & (some["truth"].to_numpy() <= high)).mean() >= 0.9


def test_a_table_is_never_tried_on_what_it_taught(table):
    tried = left_out(prepared(table))
    inside = dict(tried.group_by("table").agg(pl.col("inside").mean()).iter_rows())
    assert inside["magic"] == 0  # nothing like it was seen on the others
    assert len(tried) == len(table)


def test_lines_and_picture_cope_with_part_of_the_results(table, tmp_path):
    lines = compare(table)
    assert [line.quantity for line in lines] == [POLICIES[0]] * 2
    assert all(line.holds is None for line in lines)
    assert compare(table.filter(pl.col("condition").str.starts_with("wine"))) == []
    default = table.with_columns(policy=pl.lit(forecasts.DEFAULT_POLICY))
    (picture,) = pictures(default, tmp_path)
    assert picture.path.exists()
    assert pictures(table.clear(), tmp_path) == []
