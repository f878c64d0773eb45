"""Labels and rows to label written to files, and back."""

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import certify
from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
from certify.classes import Labels
from certify.cli import app
from certify.errors import PoolError
from certify.label_files import write_rows
from certify.label_studio import labelling_interface
from certify.pool import Pool


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    found = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def run_json(*arguments):
    notes, brace, rest = run(*arguments, "--json").partition("{")
    # releases of click before 8.2 put what is said on stderr here too
    assert all(line.startswith("note: ") for line in notes.splitlines())
    return json.loads(brace + rest)


def made(ids, classes, display=None):
    n = len(ids)
    codes = np.zeros((1, n), dtype=np.int16)
    return Pool(("m", "o"), classes, "shared", codes, np.ones((2, n)), ids, display)


def drawn(ids, classes):
    """A pool, and labels for some of its rows."""
    return st.tuples(
        st.lists(ids, min_size=1, max_size=6, unique=True),
        st.lists(classes, min_size=2, max_size=4, unique=True),
    ).flatmap(
        lambda both: st.tuples(
            st.just(made(tuple(both[0]), tuple(both[1]))),
            st.lists(st.integers(-2, len(both[1]) - 1), min_size=len(both[0]), max_size=len(both[0])),
        )
    )


def labels_of(codes):
    given = np.array(codes, dtype=np.int16)
    return Labels(np.maximum(given, -1), np.flatnonzero(given == -2))


TEXT = st.text(max_size=8)
CLASS = TEXT.filter(lambda text: certify.classes.class_text(text) == text)
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=8)
CSV_CLASS = CELL.filter(lambda text: certify.classes.class_text(text) == text)


@given(drawn(TEXT, CLASS))
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_come_back_from_label_studio(case):
    pool, codes = case
    labels = labels_of(codes)
    certify.write_labels("labels.json", pool, labels)
    found = (
        certify.read_labels("labels.json", pool)
        if (labels.codes >= 0).any() or len(labels.unknown)
        else labels
    )
    assert found.codes.tolist() == labels.codes.tolist()
    assert found.unknown.tolist() == labels.unknown.tolist()


@given(drawn(CELL.filter(lambda text: text == text.strip()), CSV_CLASS))
@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_come_back_from_csv(case):
    pool, codes = case
    labels = labels_of(codes)
    certify.write_labels("labels.csv", pool, labels)
    if (labels.codes < 0).all() and not len(labels.unknown):
        return
    found = certify.read_labels("labels.csv", pool)
    assert found.codes.tolist() == labels.codes.tolist()
    assert found.unknown.tolist() == labels.unknown.tolist()


def test_positions_stand_for_ids():
    pool = Pool.binary([[0, 1, 1], [1, 1, 0]], np.ones((2, 3)))
    for name in ("labels.csv", "labels.json"):
        certify.write_labels(name, pool, [1, None, 0])
        assert certify.read_labels(name, pool).codes.tolist() == [1, -1, 0]


@pytest.mark.parametrize("name", [" a", "", "b\n"])
def test_ids_that_csv_cannot_keep_are_refused(name):
    pool = made((name, "z"), ("0", "1"))
    with pytest.raises(PoolError, match=r"labels\.csv: the id .* write \.json"):
        certify.write_labels("labels.csv", pool, [1, 0])
    certify.write_labels("labels.csv", pool, [None, 0])


def test_text_that_utf8_cannot_hold_and_other_endings_are_refused():
    pool = made(("\ud800", "z"), ("0", "1"))
    with pytest.raises(PoolError, match="UTF-8 cannot hold"):
        certify.write_labels("labels.csv", pool, [1, 0])
    with pytest.raises(PoolError, match=r"\.csv, or as \.json"):
        certify.write_labels("labels.xlsx", pool, [1, 0])


def test_rows_to_label_hold_what_is_shown_and_no_prediction():
    shown = pl.DataFrame({"text": ["good", None, "a,b"], "length": [4, 0, 3]})
    pool = made(("r1", "r2", "r3"), ("bad", "good"), shown)
    write_rows(Path("todo.json"), pool, [2, 1])
    assert json.loads(Path("todo.json").read_text()) == [
        {"data": {"certify_id": "r3", "text": "a,b", "length": "3"}},
        {"data": {"certify_id": "r2", "text": "", "length": "0"}},
    ]
    write_rows(Path("todo.csv"), pool, [2])
    with Path("todo.csv").open() as file:
        assert list(csv.DictReader(file)) == [{"id": "r3", "text": "a,b", "length": "3", "label": ""}]
    clash = made(("r1",), ("0", "1"), pl.DataFrame({"certify_id": ["x"]}))
    with pytest.raises(PoolError, match="'certify_id'"):
        write_rows(Path("clash.json"), clash, [0])


def test_the_labelling_interface_asks_for_the_classes_as_they_are_spelled():
    shown = pl.DataFrame({"text": ["good"], "not a name": ["x"]})
    pool = made(("r1",), ('<"a"&b>', "it's"), shown)
    view = ET.fromstring(labelling_interface(pool))
    assert [one.get("value") for one in view.iter("Text")] == ["$certify_id", "$text"]
    (choices,) = view.iter("Choices")
    assert (choices.get("name"), choices.get("toName"), choices.get("choice")) == ("label", "row", "single")
    assert choices.get("toName") in {one.get("name") for one in view.iter("Text")}
    assert [one.get("value") for one in choices] == list(pool.classes)


def test_a_session_labelled_in_label_studio():
    """Tasks out, annotations in, and everything exported again."""
    with IONOSPHERE_LABELS.open() as file:
        truth = dict(csv.reader(file))
    run("start", "work.journal", *IONOSPHERE)
    assert '<Choice value="b"/>' in run("ask", "work.journal", "-m", 5, "-o", "tasks.json")
    assert "labelling_interface" in run_json("ask", "work.journal", "-m", 5, "-o", "again.json")
    tasks = json.loads(Path("tasks.json").read_text())
    assert tasks == json.loads(Path("again.json").read_text())
    for at, task in enumerate(tasks):
        name = task["data"]["certify_id"]
        result = {
            "from_name": "label",
            "to_name": "row",
            "type": "choices",
            "value": {"choices": [truth[name]]},
        }
        task["annotations"] = [{"result": [] if at == 2 else [result], "was_cancelled": at == 2}]
    Path("export.json").write_text(json.dumps(tasks))
    told = run_json("tell", "work.journal", "--labels", "export.json")
    assert (told["told"], told["labels_read"]) == (5, 4)
    assert run_json("tell", "work.journal", "--labels", "export.json")["head"] == told["head"]
    for name in ("kept.csv", "kept.json"):
        kept = run_json("export", "work.journal", "-o", name)
        assert (kept["labels"], kept["skipped"]) == (4, 1)
        run("start", f"{name}.journal", *IONOSPHERE, "--owned", name)
        status = run_json("status", f"{name}.journal")
        assert (status["labels_read"], status["skipped"]) == (4, 1)
    with pytest.raises(PoolError, match=r"kept\.json: the auditor reads labels as CSV"):
        run("audit", *IONOSPHERE, "work.journal", "--labels", "kept.json")
    run("audit", *IONOSPHERE, "work.journal", "--labels", "kept.csv")
    with pytest.raises(PoolError, match=r"kept\.csv exists already"):
        run("export", "work.journal", "-o", "kept.csv")


def test_a_whole_table_of_labels_in_either_form_chooses_alike():
    pool = certify.read_pool(IONOSPHERE)
    certify.write_labels("truth.json", pool, certify.read_labels(IONOSPHERE_LABELS, pool))
    ours, theirs = (
        run_json("certificate", *IONOSPHERE, "--labels", labels)
        for labels in ("truth.json", IONOSPHERE_LABELS)
    )
    assert {**ours, "proof": None} == {**theirs, "proof": None}
