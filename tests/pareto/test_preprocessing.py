"""Accounts of a log: rows in, comparisons out, every dropped row in one step."""

from __future__ import annotations

import json

import pytest

from pareto import BattleError
from pareto.preprocessing import NO_OUTCOME, OUTSIDE, TIE, Preprocessing, Step

ACCOUNTS = Preprocessing(10, (Step(NO_OUTCOME, 2, "why"), Step(TIE, 3)), 5, 8, 3, 4, notices=("so it was",))


def test_a_row_that_is_in_no_step_is_an_error():
    with pytest.raises(BattleError, match="10 rows and the steps leave 8 comparisons, not 5"):
        Preprocessing(10, (Step(TIE, 2),), 5, 5)


def test_before_and_after_models_are_kept():
    assert ACCOUNTS.retained_records is None
    assert ACCOUNTS.dropped(TIE) == 3
    assert ACCOUNTS.dropped(OUTSIDE) == 0
    kept = ACCOUNTS.after(Step(OUTSIDE, 2, "models not retained: 1"), 4)
    assert (kept.retained_records, kept.retained_comparisons) == (6, 4)
    assert kept.table() == [
        ("rows read", 10, ""),
        (NO_OUTCOME, -2, "why"),
        (TIE, -3, ""),
        ("assigned comparisons", 5, ""),
        ("objective records", 8, ""),
        (OUTSIDE, -2, "models not retained: 1"),
        ("retained records", 6, "from 4 comparisons"),
    ]
    assert ACCOUNTS.table() == kept.table()[:-2]


def test_the_record_says_everything():
    record = json.loads(json.dumps(ACCOUNTS.after(Step(OUTSIDE, 2), 4).record()))
    assert record["rows"] - sum(step["rows"] for step in record["dropped"]) == record["comparisons"] == 5
    assert record["records"] - record["outside"]["rows"] == record["retained_records"] == 6
    assert record["retained_comparisons"] == 4
    assert (record["undecided"], record["undecided_records"]) == (3, 4)
    assert record["notices"] == ["so it was"]
