"""The panel study: how panels are searched, the bundled tables, and certificates proven exact."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from certify.errors import PoolError
from certify.experiments import exact_certificates as study
from certify.experiments.data import FOLDER, POSITIVE, table
from certify.experiments.panels import COMPARED, CONDITIONS, compared, minority_count, panels
from certify.replay import replay

SHAPES = {
    "ionosphere": (351, 34, 225),
    "sonar": (208, 60, 97),
    "banknote": (1372, 4, 610),
    "haberman": (306, 3, 81),
    "spambase": (4601, 57, 1813),
    "magic": (19020, 10, 12332),
    "breast": (569, 30, 357),
    "wine": (178, 13, 59),
    "digits": (1797, 64, 906),
}


@st.composite
def training_rows(draw):
    """Indicators (n, m) and labels (n,) with both classes present."""
    n, m = draw(st.integers(2, 24)), draw(st.integers(1, 7))
    shown = draw(arrays(np.bool_, (n, m)))
    positive = draw(arrays(np.bool_, n))
    positive[:2] = True, False
    return shown, positive


def brute_force_count(shown, positive):
    groups: dict[tuple[bool, ...], list[bool]] = {}
    for pattern, label in zip(shown.tolist(), positive.tolist(), strict=True):
        groups.setdefault(tuple(pattern), []).append(label)
    return sum(min(labels.count(True), labels.count(False)) for labels in groups.values())


@settings(max_examples=150, deadline=None)
@given(training_rows(), st.data())
def test_hiding_indicators_never_lowers_the_minority_count(rows, data):
    shown, positive = rows
    counted = minority_count(shown, positive)
    assert counted == brute_force_count(shown, positive)
    kept = data.draw(st.lists(st.integers(0, shown.shape[1] - 1), min_size=1, unique=True))
    assert minority_count(shown[:, kept], positive) >= counted


@settings(max_examples=150, deadline=None)
@given(training_rows())
def test_panels_keep_their_budget_and_nothing_that_could_go(rows):
    shown, positive = rows
    budgets = (0.0, 0.05, 0.16, 0.5)
    full = minority_count(shown, positive)
    for budget, panel in zip(budgets, panels(shown, positive, budgets), strict=True):
        allowed = full + int(budget * len(positive))
        assert panel == sorted(set(panel))
        assert minority_count(shown[:, panel], positive) <= allowed
        for indicator in panel if len(panel) > 1 else ():
            rest = [i for i in panel if i != indicator]
            assert minority_count(shown[:, rest], positive) > allowed


def test_there_are_108_conditions_and_four_candidates_are_among_the_eight():
    assert len(set(CONDITIONS)) == 108
    four, eight = (compared(c)[0] for c in CONDITIONS if c.name.startswith("wine-731-tree-"))
    shared = [eight.names.index(name) for name in four.names]
    assert shared == list(COMPARED[4])
    np.testing.assert_array_equal(four.risks.weights, eight.risks.weights[shared])
    np.testing.assert_array_equal(four.predictions, eight.predictions[shared])


@pytest.mark.parametrize("name", SHAPES)
def test_tables_are_whole(name):
    data = table(name)
    assert (*data.features.shape, int(data.positive.sum())) == SHAPES[name]
    assert np.isfinite(data.features).all()


def test_bundled_tables_are_small():
    assert sum((FOLDER / f"{name}.csv.xz").stat().st_size for name in POSITIVE) < 1_200_000


def test_unknown_table():
    with pytest.raises(PoolError, match="no table 'iris'"):
        table("iris")


def test_missing_scikit_learn_is_said(monkeypatch, tmp_path, capsys):
    from certify.experiments.panels import split_of

    split_of.cache_clear()
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert study.main(["--only", "sonar", "--output", str(tmp_path / "results.csv")]) == 2
    assert "certified-choice[experiments]" in capsys.readouterr().err


def test_small_table_is_proven_exact_and_in_order(tmp_path, capsys):
    output = tmp_path / "results.csv"
    assert study.main(["--only", "wine", "--output", str(output)]) == 0
    assert "C(y) proven for 12 of 12" in capsys.readouterr().out
    results = study.read(output)
    assert [result.condition for result in results] == [c for c in CONDITIONS if c.dataset == "wine"]
    for result in results:
        pool, codes = compared(result.condition)
        assert result.proven in ("root", "tree")
        assert result.root_bound <= result.lower_bound == result.certificate
        read = replay(pool, codes, "static-range").labels_read
        assert result.prelabel_bound <= result.certificate <= read <= result.rows


def result_of(condition):
    return study.Result(
        condition.dataset,
        condition.split,
        condition.model,
        condition.candidates,
        54,
        9,
        30,
        31,
        31,
        "tree",
        3,
        0.01,
        850,
    )


def test_a_stopped_study_goes_on(tmp_path, monkeypatch, capsys):
    output = tmp_path / "results.csv"
    arguments = ["--only", "sonar-732", "--output", str(output)]
    asked = []

    def examine(condition):
        asked.append(condition)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return result_of(condition)

    monkeypatch.setattr(study, "examine", examine)
    assert study.main(arguments) == 130
    assert "2 of 4 conditions" in capsys.readouterr().err
    kept = output.read_bytes()
    output.write_bytes(kept + b"sonar,732,log")  # a power cut in the middle of a line
    assert study.main(arguments) == 0
    assert output.read_bytes().startswith(kept)
    assert [result.condition for result in study.read(output)] == [*asked[:2], *asked[3:]]
    assert asked[2] == asked[3]


@pytest.mark.parametrize("content", [b"id,label\n1,0\n", b"notes without a line end"])
def test_a_file_of_somebody_else_is_left_alone(tmp_path, content, capsys):
    output = tmp_path / "mine.csv"
    output.write_bytes(content)
    assert study.main(["--only", "wine", "--output", str(output)]) == 2
    assert "name another file" in capsys.readouterr().err
    assert output.read_bytes() == content


def test_unusable_lines_and_names(tmp_path, capsys):
    output = tmp_path / "results.csv"
    output.write_text(",".join(study.COLUMNS) + "\nwine,731,tree,four\n")
    assert study.main(["--only", "wine", "--output", str(output)]) == 2
    assert "line 2" in capsys.readouterr().err
    assert study.main(["--only", "win", "--output", str(output)]) == 2
    assert "no condition is called 'win'" in capsys.readouterr().err
    assert study.main(["--only", "wine", "--output", str(tmp_path / "none" / "results.csv")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.slow
def test_all_108_are_proven_exact(tmp_path):
    results = list(study.study(CONDITIONS, tmp_path / "results.csv"))
    assert len(results) == 108
    for result in results:
        assert result.proven in ("root", "tree"), result
        assert result.prelabel_bound <= result.certificate <= result.rows
    assert study.mean_percent(results, "prelabel_bound") == pytest.approx(24.50, abs=3)
    assert study.mean_percent(results, "certificate") == pytest.approx(56.8, abs=5)
