from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.audit.tables import class_name, natural
from certify.classes import class_text, encode, natural_key, natural_order, parse_label_map
from certify.errors import PoolError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (True, "1"), (np.int8(-1), "-1"), (1.0, "1"), (-0.0, "0"), ("-0.0", "0"), ("+1", "1"),
        ("1.00", "1"), ("01", "01"), ("1.5", "1.5"), (1.5, "1.5"), (" cat ", "cat"), ("²", "²"),
        ("1e3", "1e3"), (None, None), (float("nan"), None), ("", None), (" ? ", None),
    ],
)  # fmt: skip
def test_one_text_for_one_class(value, text):
    assert class_text(value) == text


@given(st.text("0123456789.+-² ?ax\u0663", max_size=6) | st.integers() | st.floats(allow_infinity=False))
def test_the_auditor_spells_and_orders_alike(value):
    text = class_text(value)
    assert class_name(value) == text
    if text is not None:
        assert tuple(natural(text)) == natural_key(text)


def test_natural_order():
    assert natural_order(["10", "2", "-1", "class10", "class2", "b"]) == (
        "-1",
        "2",
        "10",
        "b",
        "class2",
        "class10",
    )


def test_encode_arrays_and_lists():
    assert encode(np.array([1, 0, 1]), ("0", "1")).tolist() == [1, 0, 1]
    assert encode(np.array([1.0, np.nan]), ("0", "1")).tolist() == [1, -1]
    assert encode([None, "?", 1, "0.0", True], ("0", "1")).tolist() == [-1, -1, 1, 0, 1]
    assert encode(["cat", "dog"], ("0", "1"), {"cat": "0", "dog": "1"}).tolist() == [0, 1]


@pytest.mark.parametrize("labels", [["cat", "dog"], [1, 2], [-1, 1], np.array([0.5])])
def test_other_alphabets_are_refused_naming_both(labels):
    with pytest.raises(PoolError, match=r"Labels found: .*; classes: 0, 1.*--label-map"):
        encode(labels, ("0", "1"))


def test_masked_labels_are_unlabelled():
    masked = np.ma.array([0, 1, 1], mask=[False, True, False])
    assert encode(masked, ("0", "1")).tolist() == [0, -1, 1]


def test_mixed_lists_keep_each_label_as_it_is():
    assert encode(["0", float("nan"), 1, True, "9" * 5000], ("0", "1", "9" * 5000)).tolist() == [
        0,
        -1,
        1,
        1,
        2,
    ]


def test_label_maps():
    assert parse_label_map("cat=0, dog=1.0") == {"cat": "0", "dog": "1"}
    for wrong in ("cat", "cat=", "=1", "cat=0,cat=1"):
        with pytest.raises(PoolError, match="label map"):
            parse_label_map(wrong)
