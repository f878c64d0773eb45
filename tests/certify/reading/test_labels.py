"""Labels from files: matching by id or position, what means unlabelled, label maps, conflicts."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.errors import PoolError
from certify.pool import Pool
from certify.reading.labels import read_labels

IDS = ("a", "b", "c", "d")
SCORES = [[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]]


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def pool(classes=("0", "1"), ids=IDS):
    return Pool.multiclass([[classes[0], classes[1]] * 2], SCORES, classes, ids=ids)


def csv(text, name="labels.csv"):
    Path(name).write_text(text, encoding="utf-8")
    return name


def refused(path, the_pool, *words, **options):
    with pytest.raises(PoolError) as caught:
        read_labels(path, the_pool, **options)
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"


def test_rows_in_any_order_and_some_missing():
    labels = read_labels(csv("label,id\n1,d\n0,a\n1,b\n"), pool())
    assert labels.codes.tolist() == [0, 1, -1, 1]
    assert labels.codes.dtype == np.int16
    assert (len(labels.rows), len(labels.codes)) == (3, 4)
    assert labels.notices == ("labels.csv: 3 rows labelled, 1 not",)


def test_question_marks_are_told_from_blanks():
    labels = read_labels(csv("id,label\nd,?\na,\nb,1\nb,?\n"), pool())
    assert (labels.rows.tolist(), labels.unknown.tolist()) == ([1], [3])


def test_all_labelled_needs_no_notice():
    assert read_labels(csv("id,label\na,0\nb,1\nc,0\nd,1\n"), pool()).notices == ()


@pytest.mark.parametrize("blank", ["", "?", " ? ", '""', '"?"'])
def test_blank_and_question_mark_mean_unlabelled(blank):
    assert read_labels(csv(f"id,label\na,0\nb,{blank}\nc,1\nd,{blank}\n"), pool()).codes.tolist() == [
        0,
        -1,
        1,
        -1,
    ]
    assert read_labels(csv(f"id,label\na,{blank}\n"), pool()).rows.tolist() == []


def test_blank_lines_are_blank_labels_when_there_is_one_column():
    assert read_labels(csv("label\n0\n\n1\n?\n"), pool(ids=None)).codes.tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize(
    "values",
    [[1, 0, 1, None], [1.0, 0.0, 1.0, float("nan")], [True, False, True, None], ["1", "0.0", "1.0", "?"]],
)
def test_stored_labels_of_every_kind(values):
    pl.DataFrame({"id": IDS, "label": values}, strict=False).write_parquet("labels.parquet")
    assert read_labels("labels.parquet", pool()).codes.tolist() == [1, 0, 1, -1]


@pytest.mark.parametrize(
    ("classes", "texts"),
    [
        (("0", "1"), ("0.0", "1.0")),
        (("1", "2"), ("1", "2")),
        (("-1", "1"), ("-1", "1.0")),
        (("cat", "dog"), ("cat", " dog")),
    ],
)
def test_alphabets(classes, texts):
    labels = read_labels(csv(f"id,label\na,{texts[0]}\nb,{texts[1]}\n"), pool(classes))
    assert labels.codes.tolist() == [0, 1, -1, -1]


@pytest.mark.parametrize(
    ("classes", "texts"),
    [
        (("0", "1"), ("cat", "dog")),
        (("0", "1"), ("1", "2")),
        (("0", "1"), ("-1", "1")),
        (("cat", "dog"), ("0", "1")),
    ],
)
def test_other_alphabets_are_refused_naming_both_sets_or_mapped(classes, texts):
    path = csv(f"id,label\na,{texts[0]}\nb,{texts[1]}\n")
    refused(
        path,
        pool(classes),
        "labels.csv",
        f"Labels found: {', '.join(texts)}",
        f"classes: {', '.join(classes)}",
    )
    mapping = dict(zip(texts, classes, strict=True))
    assert read_labels(path, pool(classes), label_map=mapping).codes.tolist() == [0, 1, -1, -1]


def test_label_maps_are_read_like_labels():
    path = csv("id,label\na,1.0\nb,2\n")
    assert read_labels(path, pool(), label_map={1: 0, "2.0": 1.0}).codes.tolist() == [0, 1, -1, -1]
    refused(path, pool(), "two classes", label_map={1: 0, "1.0": 1})
    refused(path, pool(), "maps no label", label_map={1: "?"})
    refused(path, pool(), "classes: 0, 1", label_map={1: 0, 2: 5})


def test_agreeing_repeats_are_counted():
    labels = read_labels(csv("id,label\na,1\nb,0\na,1.0\na,?\nb,0\n"), pool())
    assert labels.codes.tolist() == [1, 0, -1, -1]
    assert labels.notices[0] == "labels.csv: 3 rows repeat an id without contradicting its label"


def test_conflicting_repeats_are_refused_with_id_and_both_labels():
    path = csv("id,label\na,1\nb,0\nc,0\nb,1\n")
    refused(
        path, pool(), "labels.csv, data row 2 (line 3), id 'b'", "'0' here but '1' on data row 4", "1 id has"
    )
    refused(
        csv("id,label\na,x\na,y\na,z\n"), pool(("x", "y", "z")), "id 'a'", "'x' here but 'y' on data row 2"
    )


def test_a_map_can_settle_a_conflict():
    path = csv("id,label\na,dog\na,hound\n")
    assert read_labels(path, pool(), label_map={"dog": "1", "hound": "1"}).codes[0] == 1


def test_unknown_ids_are_listed_and_counted():
    refused(csv("id,label\na,1\nz,0\n"), pool(), "1 id is not in the pool: 'z'", "'a', 'b', 'c'")
    refused(csv("id,label\n" + "".join(f"z{k},?\n" for k in range(9))), pool(), "9 ids are not", "and 4 more")


def test_blank_ids():
    refused(csv("id,label\na,1\n,0\n"), pool(), "data row 2 (line 3)", "the id is blank")


def test_positions_stand_for_ids_where_the_pool_has_none():
    assert read_labels(csv("id,label\n3,1\n0,0\n"), pool(ids=None)).codes.tolist() == [0, -1, -1, 1]
    pl.DataFrame({"id": [3, 0], "label": [1, 0]}).write_parquet("labels.parquet")
    assert read_labels("labels.parquet", pool(ids=None)).codes.tolist() == [0, -1, -1, 1]
    refused(csv("id,label\n4,1\n-1,0\n"), pool(ids=None), "2 ids are not in the pool: '4', '-1'", "0 to 3")


def test_one_label_a_row_where_the_pool_has_no_ids():
    assert read_labels(csv("label,note\n1,x\n?,y\n0,\n1,z\n"), pool(ids=None)).codes.tolist() == [1, -1, 0, 1]
    refused(csv("label\n1\n0\n"), pool(ids=None), "2 labels for 4 rows")
    refused(csv("label\n1\n0\n1\n0\n"), pool(), "no column 'id'", "rows of the pool have ids")


def test_ids_of_other_kinds():
    numbered = Pool.multiclass([[0, 1, 0, 1]], SCORES, (0, 1), ids=(10, 20, 30, 40))
    pl.DataFrame({"id": [40, 10], "label": [1, 0]}).write_parquet("labels.parquet")
    for path in (csv("id,label\n40,1\n10,0\n"), "labels.parquet"):
        assert read_labels(path, numbered).codes.tolist() == [0, -1, -1, 1]
    pl.DataFrame({"id": [1.0], "label": [1]}).write_parquet("labels.parquet")
    refused("labels.parquet", numbered, "Float64", "whole numbers or text")


def test_the_ground_truth_of_an_npz():
    np.savez("m.npz", predictions=np.full((4, 2), 0.5), ground_truth=np.array([1, 0, 0, 1]))
    assert read_labels("m.npz", pool(ids=None)).codes.tolist() == [1, 0, 0, 1]
    refused("m.npz", pool(), "has no ids")
    np.savez("m.npz", ground_truth=np.array([1, 0]))
    refused("m.npz", pool(ids=None), "shape (2,)", "(4,)")
    np.savez("m.npz", ground_truth=np.array([1, 0, 7, 0]))
    refused("m.npz", pool(ids=None), "m.npz, ground_truth", "'7' is not among the classes")
    np.savez("m.npz", predictions=np.full((4, 2), 0.5))
    refused("m.npz", pool(ids=None), "no array 'ground_truth'", "found: predictions")


def test_unusable_files():
    refused(csv("id,truth\na,1\n"), pool(), "no column 'label'", "found: 'id', 'truth'", "blank or ?")
    refused(csv("id,label\n"), pool(), "no rows")
    refused(csv(""), pool(), "is empty")
    refused("absent.csv", pool(), "does not exist")
    refused(csv("id,label\na,1\n", "labels.txt"), pool(), "ends in '.txt'")
    refused(csv("id,label\na,1\nb\n"), pool(), "line 3", "1 fields")


def test_labels_may_lie_beside_the_predictions():
    text = "id,prediction,confidence,label\nb,0,0.5,1\na,1,0.5,0\n"
    assert read_labels(csv(text), pool()).codes.tolist() == [0, 1, -1, -1]


@settings(derandomize=True, deadline=None)
@given(
    st.permutations(range(4)),
    st.lists(st.sampled_from(["0", "1", "1.0", "?", ""]), min_size=4, max_size=4),
    st.booleans(),
)
def test_written_labels_come_back(order, texts, stored):
    expected = [{"0": 0, "1": 1, "1.0": 1}.get(text, -1) for text in texts]
    table = pl.DataFrame({"id": [IDS[row] for row in order], "label": [texts[row] for row in order]})
    if stored:
        table.write_parquet("labels.parquet")
    else:
        table.write_csv("labels.csv")
    labels = read_labels("labels.parquet" if stored else "labels.csv", pool())
    assert labels.codes.tolist() == expected
    assert len(labels.codes) == 4


def test_long_labels_are_cut_in_messages(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(f"id,label\n0,{'x' * 5000}\n")
    two = Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]])
    with pytest.raises(PoolError, match="x…") as caught:
        read_labels(path, two)
    assert len(str(caught.value)) < 1000
