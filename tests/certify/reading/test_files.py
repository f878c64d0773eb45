"""Pools from files: layouts, formats, matching by id, classes, and what is refused in which words."""

import contextlib
import math
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.audit import inputs as audit_inputs
from certify.bounds import initial_lower
from certify.budget import prelabel_bound
from certify.errors import PoolError
from certify.pool import Pool
from certify.reading.files import read_pool
from certify.reading.labels import read_labels
from certify.reading.scores import score


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def csv(name, text):
    Path(name).write_text(text, encoding="utf-8")
    return name


def parquet(name, **columns):
    pl.DataFrame(columns).write_parquet(name)
    return name


def npz(name, **arrays):
    np.savez(name, **arrays)
    return name


def two(first, second="id,prediction,confidence\nx,0,0.5\ny,1,0.25\n"):
    return [csv("a.csv", first), csv("b.csv", second)]


def refused(paths, *words, **options):
    with pytest.raises(PoolError) as caught:
        read_pool(paths, **options)
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"


GOOD = "id,prediction,confidence\nx,0,0.75\ny,1,0.5\n"


# layouts and formats


def test_one_file_a_candidate():
    pool = read_pool(two(GOOD))
    assert (pool.names, pool.classes, pool.kind, pool.ids) == (("a", "b"), ("0", "1"), "binary", ("x", "y"))
    assert pool.confidences.tolist() == [[0.75, 0.5], [0.5, 0.25]]
    assert pool.predictions.tolist() == [[0, 1]]
    assert (pool.display, pool.notices) == (None, ())


def test_the_order_of_arguments_is_the_order_of_candidates():
    assert read_pool(list(reversed(two(GOOD)))).names == ("b", "a")


def test_csv_and_parquet_mix_and_paths_may_be_objects():
    second = parquet("c.parquet", id=["y", "x"], prediction=[1.0, 0.0], confidence=[0.25, 0.5])
    pool = read_pool((Path(csv("a.csv", GOOD)), Path(second)))
    assert pool.confidences.tolist() == [[0.75, 0.5], [0.5, 0.25]]
    assert pool.predictions.tolist() == [[0, 1]]


def test_a_wide_file_splits_names_at_the_last_dot():
    header = "id,net.v1.prediction,net.v1.confidence,tree.confidence,tree.prediction,image.path\n"
    pool = read_pool(csv("wide.csv", header + "x,cat,0.5,0.25,dog,x.png\ny,dog,1,0.75,dog,y.png\n"))
    assert pool.names == ("net.v1", "tree")
    assert pool.classes == ("cat", "dog")
    assert pool.predictions.tolist() == [[0, 1], [1, 1]]
    assert pool.confidences.tolist() == [[0.5, 1.0], [0.25, 0.75]]
    assert pool.display is not None
    assert pool.display.to_dict(as_series=False) == {"image.path": ["x.png", "y.png"]}


def test_probability_columns_are_taken_by_name_not_by_place():
    first = csv("a.csv", "p_10,p_9,p_2\n0.5,0.25,0.25\n0.25,0.375,0.375\n")
    pool = read_pool([first, csv("b.csv", "p_2,p_9,p_10\n0.25,0.25,0.5\n0.375,0.375,0.25\n")])
    assert pool.classes == ("2", "9", "10")
    assert pool.kind == "shared"
    assert pool.predictions.tolist() == [[2, 0]]  # the tie of 2 and 9 goes to 2, before 10 in natural order
    assert pool.confidences.tolist() == [[0.5, 0.375]] * 2


def test_p_1_alone_is_binary():
    below, above = math.nextafter(0.5, 0), math.nextafter(0.5, 1)
    lines = "".join(f"{value!r}\n" for value in (0.0, below, 0.5, above, 1.0))
    pool = read_pool([csv("a.csv", "p_1\n" + lines), csv("b.csv", "p_1\n" + lines)])
    assert pool.classes == ("0", "1")
    assert pool.predictions.tolist() == [[0, 0, 0, 1, 1]]
    assert pool.confidences[0].tolist() == [1.0, max(below, 1 - below), 0.5, above, 1.0]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1))
def test_p_1_alone_follows_its_rule_for_any_value(values):
    parquet("a.parquet", p_1=values)
    parquet("b.parquet", p_1=values)
    pool = read_pool(["a.parquet", "b.parquet"])
    assert pool.predictions[0].tolist() == [int(p > 0.5) for p in values]
    assert pool.confidences[0].tolist() == [max(p, 1 - p) for p in values]


def test_scores_make_the_candidates_of_one_file_and_name_them():
    table = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    names = ("margin", "neg-entropy", "msp")
    parquet("m.parquet", **{f"p_{c}": table[:, c] for c in range(3)})
    for path in (npz("m.npz", predictions=table), "m.parquet"):
        pool = read_pool(path, scores=names)
        assert (pool.names, pool.classes, pool.kind) == (names, ("0", "1", "2"), "shared")
        assert pool.predictions.tolist() == [table.argmax(axis=1).tolist()]
        assert np.array_equal(pool.confidences, [score(name, table) for name in names])


def test_probabilities_of_several_files():
    random = np.random.default_rng(1)
    tables = [random.dirichlet(np.ones(4), 30).astype(np.float32) for _ in range(2)]
    paths = [npz(f"{name}.npz", predictions=table) for name, table in zip("ab", tables, strict=True)]
    plain, scored = read_pool(paths), read_pool(paths, scores="margin,msp")
    assert plain.names == ("a", "b")
    assert plain.kind == "categorical"
    assert plain.confidences.tolist() == [table.max(axis=1).tolist() for table in tables]
    assert scored.names == ("a.margin", "a.msp", "b.margin", "b.msp")
    assert scored.confidences[1].tolist() == plain.confidences[0].tolist()


def test_the_ground_truth_of_an_npz_changes_nothing():
    table = np.full((4, 2), 0.5)
    pool = read_pool(
        npz("m.npz", predictions=table, ground_truth=np.array([9, 9, 9, 9])), scores="msp,margin"
    )
    assert pool.classes == ("0", "1")
    assert pool.predictions.tolist() == [[0, 0, 0, 0]]


def test_a_given_confidence_is_used_before_a_score():
    pool = read_pool(two("id,p_0,p_1,confidence\nx,0.75,0.25,7\ny,0,1,9\n"), scores="margin")
    assert pool.names == ("a", "b")
    assert pool.confidences[0].tolist() == [7.0, 9.0]
    assert "its own confidence column is used" in pool.notices[0]
    assert "scores margin are not used" in pool.notices[-1]


def test_prediction_and_probabilities_that_agree():
    pool = read_pool(two("id,prediction,p_0,p_1\nx,0.0,0.75,0.25\ny,1.0,0,1\n"))
    assert pool.confidences[0].tolist() == [0.75, 1.0]
    assert pool.predictions.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,prediction,p_0,p_1\nx,0,0.75,0.25\ny,0,0,1\n", ("data row 2 (line 3)", "id 'y'", "'0'", "'1'")),
        ("id,prediction,p_1\nx,0,0.25\ny,0,0.75\n", ("data row 2 (line 3)", "id 'y'")),
        ("id,prediction,p_0,p_1\nx,0,0.75,0.25\ny,1,0.5,0.5\n", ("id 'y'", "exact tie", "natural order")),
        ("id,prediction,p_0,p_1\nx,cat,0.75,0.25\ny,dog,0,1\n", ("id 'x'", "cat, dog", "0, 1")),
    ],
)
def test_prediction_and_probabilities_that_disagree(text, words):
    refused(two(text), "candidate a", "a.csv", "column 'prediction'", *words)


def test_other_columns_are_shown_from_the_first_file_that_has_them():
    first = csv("a.csv", 'id,text,prediction,confidence\nx,"one, two",0,1\ny,,1,2\n')
    second = csv("b.csv", "confidence,prediction,id,path,text\n3,1,y,y.png,other\n4,0,x,x.png,other\n")
    pool = read_pool([first, second])
    assert pool.display is not None
    assert pool.display.to_dict(as_series=False) == {"text": ["one, two", ""], "path": ["x.png", "y.png"]}


def test_answers_and_index_columns_are_not_shown():
    pool = read_pool(two(",id,prediction,confidence,label\n0,x,0,1,0\n1,y,1,2,1\n"))
    assert pool.display is None
    assert len(pool.notices) == 1
    assert "'label' is neither used nor shown" in pool.notices[0]


def test_columns_without_text_are_left_out_with_a_notice():
    first = parquet("a.parquet", prediction=[0, 1], confidence=[1, 2], image=[b"x", b"y"], size=[3, 4])
    pool = read_pool([first, parquet("b.parquet", prediction=[0, 1], confidence=[1, 2])])
    assert pool.display is not None
    assert pool.display.columns == ["size"]
    assert "'image' cannot be shown" in pool.notices[0]


def test_parquet_columns_without_use_are_not_read(monkeypatch):
    read: list[list[str]] = []
    plain = pl.read_parquet

    def spy(source, *, columns, **options):
        read.append(columns)
        return plain(source, columns=columns, **options)

    monkeypatch.setattr(pl, "read_parquet", spy)
    for stem in "ab":
        parquet(f"{stem}.parquet", label=[0, 1], text=["x", "y"], confidence=[1, 2], prediction=[0, 1])
    read_pool(["a.parquet", "b.parquet"])
    assert read == [["prediction", "confidence", "text"], ["prediction", "confidence"]]


def test_a_column_that_begins_with_p_beside_a_full_answer_is_only_shown():
    pool = read_pool(two("id,prediction,confidence,p_value\nx,0,0.75,0.04\ny,1,0.5,-1\n"))
    assert pool.display is not None
    assert pool.display["p_value"].to_list() == ["0.04", "-1"]


def test_names_can_be_given():
    for folder in ("one", "two"):
        Path(folder).mkdir()
        csv(f"{folder}/m.csv", GOOD)
    paths = ["one/m.csv", "two/m.csv"]
    assert read_pool(paths, names=["one", "two"]).names == ("one", "two")
    refused(paths, "two candidates are called 'm'", "one/m.csv", "two/m.csv", "rename")
    refused(paths, "one name each", names=["one"])
    refused(paths, "one name each", names="ab")
    refused(paths, "'n' is used twice", names=["n", "n"])


def test_stems_keep_their_dots():
    assert read_pool([csv("net.v1.csv", GOOD), csv("net.v2.csv", GOOD)]).names == ("net.v1", "net.v2")


# exact numbers through whole files


def test_neighbouring_confidences_are_neither_merged_nor_split():
    low, high = 0.7, math.nextafter(0.7, 1)
    first = f"prediction,confidence\n0,0.7\n0,0.69999999999999996\n0,{high!r}\n0,{low!r}\n"
    pool = read_pool(two(first, "prediction,confidence\n0,4\n0,3\n0,2\n0,1\n"))
    assert pool.confidences[0].tolist() == [low, low, high, low]
    assert pool.risks.weights.tolist() == [[3, 3, 7, 3], [7, 5, 3, 1]]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_written_pools_come_back(rows):
    predictions, confidences = [row[0] for row in rows], [row[1] for row in rows]
    table = pl.DataFrame(
        {"prediction": predictions, "confidence": confidences}, schema_overrides={"confidence": pl.Float64}
    )
    table.write_csv("a.csv", float_scientific=None)
    table.write_parquet("b.parquet")
    lines = "".join(f"{p};{c!r}\r\n" for p, c in rows)
    Path("c.csv").write_bytes(b"\xef\xbb\xbf" + f"prediction;confidence\r\n{lines}".encode())
    pool = read_pool(["a.csv", "b.parquet", "c.csv"], classes=range(3))
    assert pool.predictions.tolist() == [predictions]
    for k in range(3):
        assert pool.confidences[k].tobytes() == np.array(confidences).tobytes()


@pytest.mark.parametrize("bad", ["NaN", "nan", "inf", "-inf", "", '""', " ", "n/a"])
def test_bad_confidences_name_candidate_row_and_column(bad):
    text = f"id,prediction,confidence\nx,0,0.75\ny,1,{bad}\n"
    refused(
        two(text), "candidate a: a.csv, data row 2 (line 3), id 'y', column 'confidence'", "finite numbers"
    )
    refused(two(GOOD, text), "candidate b: b.csv, data row 2 (line 3), id 'y', column 'confidence'")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), None])
def test_bad_confidences_in_parquet(bad):
    path = parquet("a.parquet", id=[7, 8], prediction=[0, 1], confidence=[0.5, bad])
    refused([path, path], "candidate a: a.parquet, data row 2, id '8', column 'confidence'")


def test_a_bad_cell_in_a_wide_file_names_the_candidate():
    header = "id,m.prediction,m.confidence,k.prediction,k.confidence\n"
    refused(csv("w.csv", header + "x,0,1,0,nan\n"), "candidate k: w.csv, data row 1", "column 'k.confidence'")
    refused(csv("w.csv", header + "x,0,1,,1\n"), "candidate k: w.csv, data row 1", "column 'k.prediction'")


@pytest.mark.parametrize(
    ("bad", "word"), [("-0.25", "not negative"), ("nan", "finite"), ("", "blank"), ("inf", "finite")]
)
def test_bad_probabilities(bad, word):
    refused(
        two(f"id,p_0,p_1\nx,0.5,0.5\ny,1.25,{bad}\n"), "data row 2 (line 3)", "id 'y'", "column 'p_1'", word
    )
    refused(two(f"id,p_1\nx,0.5\ny,{bad}\n"), "data row 2 (line 3)", "id 'y'", "column 'p_1'")


def test_p_1_alone_lies_between_0_and_1():
    refused(two("id,p_1\nx,0.5\ny,1.5\n"), "id 'y'", "between 0 and 1")


def test_probabilities_that_do_not_sum_to_1_are_used_as_stored_with_a_notice():
    pool = read_pool(npz("m.npz", predictions=[[0.5, 0.5], [3.0, 1.0]]), scores="msp,margin")
    assert pool.confidences.tolist() == [[0.5, 3.0], [0.0, 2.0]]
    assert "m.npz: the probabilities of 1 row do not sum to 1" in pool.notices[0].replace("does", "do")
    assert (
        read_pool(two("id,p_0,p_1\nx,50,50\ny,1,99\n")).notices[0].startswith("a.csv: the probabilities of 2")
    )


# matching by id


BLOCKS = [3, 3, 3, 2, 2, 2, 1, 1, 1]


def blocks_pool(first_order, second_order):
    ids = [f"r{row}" for row in range(9)]
    orders = {"a.csv": (first_order, BLOCKS), "b.csv": (second_order, list(reversed(BLOCKS)))}
    for name, (order, confidence) in orders.items():
        lines = "".join(f"{ids[row]},{row % 2},{confidence[row]}\n" for row in order)
        csv(name, "id,prediction,confidence\n" + lines)
    return read_pool(["a.csv", "b.csv"])


def test_rows_are_matched_by_id_whatever_the_second_order():
    plain = blocks_pool(range(9), range(9))
    assert plain.risks.weights.tolist() == [[15] * 3 + [9] * 3 + [3] * 3, [3] * 3 + [9] * 3 + [15] * 3]
    for seed in range(5):
        shuffled = blocks_pool(range(9), np.random.default_rng(seed).permutation(9))
        assert shuffled.ids == plain.ids
        assert np.array_equal(shuffled.risks.weights, plain.risks.weights)
        assert np.array_equal(shuffled.predictions, plain.predictions)


def test_shuffling_the_first_file_too_moves_rows_but_no_weight_or_bound():
    plain = blocks_pool(range(9), range(9))
    order = np.random.default_rng(9).permutation(9)
    moved = blocks_pool(order, np.random.default_rng(10).permutation(9))
    assert moved.ids == tuple(plain.ids[row] for row in order)
    assert np.array_equal(moved.risks.weights, plain.risks.weights[:, order])
    assert np.array_equal(initial_lower(moved.risks), initial_lower(plain.risks))
    assert prelabel_bound(moved) == prelabel_bound(plain)


@settings(derandomize=True, deadline=None)
@given(
    st.permutations(range(12)), st.permutations(range(12)), st.sampled_from(["csv", "parquet"]), st.booleans()
)
def test_any_orders_give_the_same_rows(first, second, ending, whole):
    names = [row * 7 if whole else f"n{row}" for row in range(12)]
    for stem, order in (("a", first), ("b", second)):
        table = pl.DataFrame(
            {
                "id": [names[row] for row in order],
                "prediction": [row % 3 for row in order],
                "confidence": [row / 16 for row in order],
                f"shown-{stem}": [f"text {row}" for row in order],
            }
        )
        table.write_csv(f"{stem}.csv")
        table.write_parquet(f"{stem}.parquet")
    pool = read_pool([f"a.{ending}", f"b.{ending}"])
    assert pool.ids == tuple(str(names[row]) for row in first)
    assert pool.confidences.tolist() == [[row / 16 for row in first]] * 2
    assert pool.predictions.tolist() == [[row % 3 for row in first]]
    assert pool.display is not None
    for stem in "ab":
        assert pool.display[f"shown-{stem}"].to_list() == [f"text {row}" for row in first]


@pytest.mark.parametrize(
    "kinds", [(pl.Int64, pl.UInt8), (pl.UInt64, pl.Int16), (pl.Int32, pl.String), (pl.Categorical, pl.String)]
)
def test_ids_of_different_kinds_are_compared_by_value(kinds):
    for stem, kind, values in zip("ab", kinds, (["1", "2"], ["2", "1"]), strict=True):
        ids = pl.Series(values).cast(kind)
        parquet(f"{stem}.parquet", id=ids, prediction=[0, 1], confidence=[int(value) / 4 for value in values])
    pool = read_pool(["a.parquet", "b.parquet"])
    assert pool.ids == ("1", "2")
    assert pool.confidences.tolist() == [[0.25, 0.5]] * 2


def test_whole_number_ids_stay_whole_numbers():
    path = parquet("a.parquet", id=[2, 1], prediction=[0, 1], confidence=[1, 2])
    pool = read_pool([path, csv("b.csv", "id,prediction,confidence\n1,1,0\n2,0,9\n")])
    assert isinstance(pool.row_ids, pl.Series)
    assert pool.row_ids.dtype == pl.Int64
    assert pool.confidences.tolist() == [[1, 2], [9, 0]]


def test_text_ids_are_not_numbers():
    refused(
        two("id,prediction,confidence\n1,0,1\n01,1,2\n", "id,prediction,confidence\n1,0,1\n1.0,1,2\n"),
        "'01'",
        "'1.0'",
    )


def test_missing_and_extra_ids_are_listed_and_counted():
    header = "id,prediction,confidence\n"
    full = header + "".join(f"r{row},0,1\n" for row in range(20))
    refused(
        two(full, header + "".join(f"r{row},0,1\n" for row in range(12))),
        "b.csv lacks 8 ids",
        "'r12'",
        "and 3 more",
        "a.csv",
    )
    refused(two(header + "x,0,1\n", header + "x,0,1\nz,0,1\n"), "b.csv has in excess 1 id: 'z'")
    refused(
        two(header + "x,0,1\ny,0,1\n", header + "x,0,1\nz,0,1\n"),
        "lacks 1 id: 'y' and has in excess 1 id: 'z'",
    )


@pytest.mark.parametrize("where", ["a", "b"])
@pytest.mark.parametrize("rows", ["x,0,1\ny,1,2\nx,0,1\n", "x,0,1\nx,0,1\n"])
def test_repeated_ids_are_listed_with_their_rows(where, rows):
    texts = {"a": GOOD, "b": GOOD, where: "id,prediction,confidence\n" + rows}
    last = rows.count("\n")
    refused(two(texts["a"], texts["b"]), f"{where}.csv", f"'x' (rows 1, {last})", "remove the repeated rows")


def test_the_same_repeated_ids_in_both_files():
    text = "id,prediction,confidence\nx,0,1\nx,0,1\n"
    refused(two(text, text), "a.csv", "'x' (rows 1, 2)")


def test_blank_and_fractional_ids():
    refused(two("id,prediction,confidence\nx,0,1\n,1,2\n"), "a.csv, data row 2 (line 3)", "the id is blank")
    refused(
        parquet("a.parquet", id=[1.0, 2.0], prediction=[0, 1], confidence=[1, 2]),
        "Float64",
        "whole numbers or text",
    )


def test_without_ids_rows_are_positions():
    text = "prediction,confidence\n0,1\n1,2\n"
    pool = read_pool(two(text, text))
    assert pool.row_ids is None
    assert pool.ids == ("0", "1")
    refused(two(text, text + "1,3\n"), "b.csv has 3 rows and a.csv has 2")


def test_all_files_have_ids_or_none_has():
    text = "prediction,confidence\n0,1\n1,2\n"
    refused(two(GOOD, text), "a.csv has an id column and b.csv has none")
    refused(two(text, GOOD), "b.csv has an id column and a.csv has none")


# classes


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        ("0 1", "1.0 0.0", ("0", "1")),
        ("cat dog", "dog cat", ("cat", "dog")),
        ("1 2", "2 1", ("1", "2")),
        ("-1 1", "1 -1", ("-1", "1")),
        ("False True", "True False", ("False", "True")),
        ("0 1", "1 2", ("0", "1", "2")),
        ("0 0", "1 1", ("0", "1")),
    ],
)
def test_classes_are_the_union_in_natural_order(first, second, classes):
    def text(values):
        return "prediction,confidence\n" + "".join(
            f"{value},{at}\n" for at, value in enumerate(values.split())
        )

    assert read_pool(two(text(first), text(second))).classes == classes


def test_true_and_false_in_parquet_are_1_and_0():
    path = parquet("a.parquet", prediction=[True, False], confidence=[1, 2])
    pool = read_pool([path, csv("b.csv", "prediction,confidence\n1.0,1\n0.0,2\n")])
    assert (pool.classes, pool.predictions.tolist()) == (("0", "1"), [[1, 0]])


def test_candidates_that_share_no_class_are_refused_naming_both_sets():
    words = "prediction,confidence\ncat,1\ndog,2\n"
    paths = two("prediction,confidence\n0,1\n1,2\n", words)
    refused(paths, "candidates a and b share no class", "a predicts 0, 1", "b predicts cat, dog", "--classes")
    assert read_pool(paths, classes="0,1,cat,dog").kind == "categorical"


def test_declared_classes_contain_the_predicted_ones():
    paths = two(GOOD)
    pool = read_pool(paths, classes=["10", 2, 1.0, "0"])
    assert (pool.classes, pool.kind) == (("0", "1", "2", "10"), "shared")
    assert read_pool(paths, classes="1,0").classes == ("0", "1")
    refused(
        paths, "'1' is predicted but not declared", "candidates: 0, 1", "declared: 0, 2", classes=["0", "2"]
    )
    refused(paths, "at least two", classes=["0"])
    refused(paths, "contain one twice", classes=["0", 0, "1"])


@pytest.mark.parametrize("only", ["0", "1"])
def test_one_binary_class_is_completed_with_a_notice(only):
    text = f"prediction,confidence\n{only},1\n{only},2\n"
    pool = read_pool(two(text, text))
    assert (pool.classes, pool.kind) == (("0", "1"), "binary")
    assert "taken to be 0 and 1" in pool.notices[0]
    assert read_pool(["a.csv", "b.csv"], classes="0,1").notices == ()


def test_any_other_single_class_must_be_declared():
    text = "prediction,confidence\ncat,1\ncat,2\n"
    refused(two(text, text), "every candidate predicts 'cat'", "--classes")
    assert read_pool(["a.csv", "b.csv"], classes="cat,dog").classes == ("cat", "dog")


def test_fractions_as_predictions_are_probably_a_mistake():
    text = "prediction,confidence\n0.25,1\n0.75,2\n"
    refused(two(text, text), "predictions of a are fractions", "p_1")
    assert read_pool(["a.csv", "b.csv"], classes=[0.25, 0.75]).classes == ("0.25", "0.75")


def test_missing_predictions():
    refused(two("id,prediction,confidence\nx,0,1\ny,nan,2\n"), "predictions of a contain 'nan'", "--classes")
    path = parquet("a.parquet", prediction=[0.0, float("inf")], confidence=[1, 2])
    refused([path, path], "data row 2, column 'prediction'", "no class name")
    refused(
        two("id,prediction,confidence\nx,0,1\ny,?,2\n"),
        "candidate a",
        "data row 2 (line 3)",
        "id 'y'",
        "every row",
    )


# files that cannot be used


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "id,prediction\nx,0\n",
            ("no column 'confidence'", "found: 'id', 'prediction'", "p_CLASS", "NAME.confidence"),
        ),
        ("id,confidence\nx,0\n", ("no column 'prediction'",)),
        ("id,guess,score\nx,0,1\n", ("no column 'prediction' and no column 'confidence'", "'guess'")),
        ("id|prediction|confidence\nx|0|1\n", ("found: 'id|prediction|confidence'",)),
        ("ID,Prediction,Confidence\nx,0,1\n", ("case-sensitive",)),
        ("id,p_0\nx,1\n", ("'p_0' is the only probability column", "p_1 alone")),
        ("id,p_1,p_1.0\nx,1,0\n", ("both about class '1'",)),
        ("id,id,prediction,confidence\nx,x,0,1\n", ("column 'id' occurs more than once",)),
        ("id,prediction, id ,confidence\nx,0,x,1\n", ("column 'id' occurs more than once",)),
        ("id,a.prediction,b.confidence\nx,0,1\n", ("candidate 'a' has no column 'a.confidence'",)),
        ("id,a.prediction,a.confidence,prediction\nx,0,1,0\n", ("mixes",)),
        ("id,prediction,confidence\n", ("no rows",)),
        ("", ("is empty",)),
        ("id,prediction,confidence\nx,0,1\ny,1\n", ("line 3", "2 fields")),
        ("id,prediction,confidence\nx,0,0,5\n", ("line 2", "4 fields")),
    ],
)
def test_unusable_tables_say_what_is_accepted(text, words):
    refused(two(text), "a.csv", *words)
    refused(two(GOOD, text), "b.csv", *words)


def test_paths_that_are_no_files():
    Path("folder.csv").mkdir()
    csv("table.xlsx", GOOD)
    csv("none", GOOD)
    refused("absent.csv", "absent.csv does not exist")
    refused("folder.csv", "is a folder")
    refused("table.xlsx", "ends in '.xlsx'", ".csv", ".parquet", ".npz")
    refused("none", "has no ending")
    refused([], "no file given")
    refused("x" * 5000, "no usable file name")
    refused("a\0.csv", "a\0.csv")


def test_long_cells_are_cut_in_messages():
    with pytest.raises(PoolError, match=r"xxx….*zzz…") as caught:
        read_pool(two(f"id,prediction,confidence\ny,0,1\n{'x' * 9999},0,{'z' * 9999}\n"))
    assert len(str(caught.value)) < 500


def test_names_with_pattern_characters_are_names():
    pool = read_pool([csv("a[1]*.csv", GOOD), csv("b?.csv", GOOD)])
    assert pool.names == ("a[1]*", "b?")
    Path("part=1").mkdir()
    path = parquet("part=1/[c].parquet", prediction=[0, 1], confidence=[1, 2])
    assert read_pool([path, path], names=["c", "d"]).display is None


def test_damaged_files():
    good = Path(parquet("good.parquet", prediction=[0, 1], confidence=[1, 2])).read_bytes()
    for data in (
        b"",
        b"PAR1",
        good[:-20],
        good[:40] + b"\xff" * 40 + good[80:],
        b"id,prediction,confidence\nx,0,1\n",
    ):
        Path("bad.parquet").write_bytes(data)
        refused(["bad.parquet"], "bad.parquet cannot be read as Parquet")
    whole = Path(npz("good.npz", predictions=np.full((9, 2), 0.5))).read_bytes()
    for data in (b"", b"PK\x03\x04", whole[:-30], whole[:150] + b"\xff" * 40 + whole[190:], b"\x93NUMPY"):
        Path("bad.npz").write_bytes(data)
        refused("bad.npz", "bad.npz cannot be read as .npz")


def test_unusable_arrays():
    refused(npz("m.npz", probabilities=[[0.5, 0.5]]), "no array 'predictions'", "found: probabilities")
    refused(npz("m.npz", predictions=[0.5, 0.5]), "shape (2,)")
    refused(npz("m.npz", predictions=[[1.0], [1.0]]), "shape (2, 1)")
    refused(npz("m.npz", predictions=[["a", "b"]]), "rows × classes")
    refused(npz("m.npz", predictions=np.empty((0, 3))), "no rows")
    refused(npz("m.npz", predictions=np.array([[{}, {}]], dtype=object)), "plain numeric arrays")
    for bad in (float("nan"), float("inf"), -0.5):
        refused(npz("m.npz", predictions=[[0.5, 0.5], [0.5, bad]]), "predictions[1, 1]", "not negative")
    np.save("m.npy", np.eye(2))
    Path("m.npy").rename("m.npz")
    refused("m.npz", "single array")


def test_one_candidate_leaves_nothing_to_choose():
    refused(csv("a.csv", GOOD), "a.csv holds one candidate")
    refused(npz("m.npz", predictions=[[0.5, 0.5]]), "several scores of msp, neg-entropy, margin")
    refused(npz("m.npz", predictions=[[0.5, 0.5]]), "unknown score 'energy'", scores=["msp", "energy"])


NAMES = ["id", "prediction", "confidence", "p_1", "p_0", "a.prediction", "a.confidence"]
PIECES = [*NAMES, *',,,\n\n"\t; -', "\r\n", "0", "1", "0.5", "nan", "\0"]
BYTES = st.lists(st.sampled_from([piece.encode() for piece in PIECES] + [b"\xff"])).map(b"".join)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(BYTES, st.sampled_from(["a.csv", "a.tsv", "a.parquet", "a.npz"]))
def test_any_bytes_give_a_pool_or_a_pool_error(data, name):
    Path(name).write_bytes(data)
    csv("b.csv", GOOD)
    for paths in ([name], [name, "b.csv"], ["b.csv", name]):
        with contextlib.suppress(PoolError):
            assert read_pool(paths).n >= 1


@pytest.mark.parametrize("name", ["predictions", "ground_truth"])
def test_damaged_archives_at_every_place(tmp_path, name):
    path = tmp_path / "net.npz"
    np.savez_compressed(path, **{name: np.full((2, 2), 0.5) if name == "predictions" else np.array([0, 1])})
    whole = path.read_bytes()
    pool = Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]])
    for at in range(0, len(whole), 2):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 9]) + whole[at + 1 :]):
            path.write_bytes(data)
            with contextlib.suppress(PoolError):
                read_pool([path], scores=["msp", "margin"])
            with contextlib.suppress(PoolError):
                read_labels(path, pool)
            with contextlib.suppress(PoolError):
                audit_inputs.read_labels(path)


def test_an_entry_that_is_no_array_is_refused(tmp_path):
    path = tmp_path / "net.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ground_truth.npy", b"no array")
    with pytest.raises(PoolError, match="'ground_truth' is no array"):
        read_labels(path, Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]]))
    with pytest.raises(PoolError, match="'ground_truth' is no array"):
        audit_inputs.read_labels(path)


def test_ids_of_control_characters_alone_are_blank(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("id,p_0,p_1\na,0.5,0.5\n\x1c,0.1,0.9\n")
    with pytest.raises(PoolError, match="the id is blank"):
        read_pool([path], scores=["msp", "margin"])


def test_columns_without_a_name_may_be_several(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("id,,p_0,,p_1\na,x,0.5,y,0.5\nb,,0.1,,0.9\n")
    assert read_pool([path], scores=["msp", "margin"]).n == 2
    assert audit_inputs.read_pool([path], None, ["msp", "margin"]).n == 2


def test_a_header_that_goes_on_in_the_next_line_is_read_by_the_auditor_too(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text('"a\nb";id;p_0;p_1\nx;a;0.5;0.5\ny;b;0.1;0.9\n')
    assert read_pool([path], scores=["msp", "margin"]).ids == ("a", "b")
    assert audit_inputs.read_pool([path], None, ["msp", "margin"]).ids == ("a", "b")
