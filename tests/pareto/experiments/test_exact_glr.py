"""The study of the exact rule: a tiny piece, and what made-up results say."""

from __future__ import annotations

import pytest

from pareto.experiments import exact_glr as study
from pareto.experiments.settings import SCALED, TASKS
from tests.pareto.experiments.rows import line, table

SMALL = SCALED[16, 4, 1.0].name


def made(setting, **more):
    row = dict.fromkeys(study.COLUMNS, 0) | {"setting": setting, "worst": 1.0, "checks": 20, "known": 16}
    row |= {f"{name}{end}": 1 for name in ("", "exact_", "own_") for end in ("stopped",)}
    return [row | {"comparisons": 100, "exact_comparisons": 180, "own_comparisons": 324} | more]


def test_a_piece_counts_its_checks_and_ends_both_rules():
    (row,) = study.work(f"{SMALL}/0")
    assert set(row) == set(study.COLUMNS)
    assert row["checks"] >= row["known"] > 0
    assert row["missed"] <= row["known"]
    assert row["worst"] >= 1.0
    assert row["above"] == 0
    assert row["stopped"] == row["exact_stopped"] == row["own_stopped"] == 1
    assert row["exact_comparisons"] in (105_819, 190_475, 342_855)
    assert study.work(f"{SMALL}/0") == [row]


def test_lines_count_what_screening_missed():
    parts = (made(SMALL, missed=4, worst=1.5, last_missed=1), made(SMALL, above=2))
    found = study.compare(table(*parts, columns=study.COLUMNS))
    text = SCALED[16, 4, 1.0].text
    missed = line(found, text, "Screening picked")
    assert missed.ours == "4 of 32 checks (12%)"
    assert "up to 1.50 ×" in missed.note
    assert "stopped in 1 of 2 runs; 8 checks not known" in missed.note
    assert line(found, text, "The paper's statistic").ours == "2 of 32 checks"
    spent = line(found, text, "Median comparisons")
    assert spent.ours == "180 (1.80 × the paper's rule)"
    assert "later in 2, earlier in 0 of 2 runs" in spent.note
    assert line(found, "exact rule: wrong of all").ours == "0 of 2"


def test_runs_that_give_up_are_capped_and_checks_may_be_unknown():
    part = made(TASKS["arena-10"].name, known=0, exact_stopped=0, exact_wrong=1)
    found = study.compare(table(part, columns=study.COLUMNS))
    assert not [one for one in found if one.part.startswith("Screening")]
    end = line(found, "exact rule: wrong of all")
    assert (end.ours, end.note) == ("1 of 1", "1 capped")


@pytest.mark.parametrize("parts", [(), (made(SMALL), made(TASKS["convex-2d"].name, missed=3))])
def test_pictures(parts, tmp_path):
    (picture,) = study.pictures(table(*parts, columns=study.COLUMNS), tmp_path)
    assert picture.path.stat().st_size > 2000
