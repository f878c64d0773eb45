"""Cells to exact numbers, class codes and ids."""

import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.classes import class_text
from certify.errors import PoolError
from certify.reading.columns import Column, check_unique, coded, numbers, predicted, row_ids
from certify.reading.tables import TableFile

FILE = TableFile(Path("m.parquet"), ("id", "confidence"), None, ("id", "confidence"))


def column(values, name="confidence", ids=None, candidate="m"):
    return Column(FILE, name, values if isinstance(values, pl.Series) else pl.Series(values), ids, candidate)


def bits(values):
    return [struct.pack("<d", float(value)) for value in values]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_shortest_texts_come_back_bit_for_bit(values):
    assert bits(numbers(column([repr(value) for value in values]))) == bits(values)


@settings(derandomize=True, deadline=None)
@given(
    st.lists(
        st.from_regex(
            r"[+-]?([0-9]{1,25}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,2})?", fullmatch=True
        ),
        min_size=1,
    )
)
def test_any_decimal_text_is_rounded_as_python_rounds_it(texts):
    assert bits(numbers(column(texts))) == bits(map(float, texts))


@settings(derandomize=True, deadline=None)
@given(st.floats(0.0, 1.0, exclude_max=True), st.integers(-1, 1))
def test_texts_at_and_beside_the_midpoint_of_neighbours(value, side):
    above = float(np.nextafter(value, 2.0))
    middle = (Fraction(value) + Fraction(above)) / 2
    places = middle.denominator.bit_length()  # a dyadic fraction ends after that many decimal places
    digits = middle.numerator * 10**places // middle.denominator * 10**5 + side
    text = "0." + str(digits).rjust(places + 5, "0")
    low, high, read = float(value), above, numbers(column([text]))[0]
    assert read == float(text)
    assert read in ((low,) if side < 0 else (high,) if side > 0 else (low, high))


def test_neighbouring_doubles_stay_apart_and_equal_ones_together():
    low = 0.7
    texts = ["0.7", "0.69999999999999996", "0.70000000000000007", "0.6999999999999998", " 7e-1 "]
    read = numbers(column(texts))
    assert read.tolist() == [float(text) for text in texts]
    assert read[0] == read[1] == read[4] == low
    assert read[2] == np.nextafter(low, 1)
    assert read[3] == np.nextafter(low, 0)
    values = [np.nextafter(low, 0), low, np.nextafter(low, 1)]
    assert len(set(numbers(column([repr(float(value)) for value in values])))) == 3


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Float32, pl.Float64, pl.Decimal(20, 3)])
def test_stored_numbers_keep_their_value(kind):
    assert numbers(column(pl.Series([0, 1, 3]).cast(kind))).tolist() == [0.0, 1.0, 3.0]


def test_single_precision_is_widened_and_decimals_are_rounded_once():
    assert numbers(column(pl.Series([0.1], dtype=pl.Float32)))[0] == float(np.float32(0.1))
    text = "0.12345678901234567890123456789012345678"
    assert numbers(column(pl.Series([Decimal(text)], dtype=pl.Decimal(38, 38))))[0] == float(text)


def test_whole_numbers_that_would_be_merged_are_refused():
    assert numbers(column([2**53, -(2**53)])).tolist() == [2.0**53, -(2.0**53)]
    assert numbers(column([2**60]))[0] == 2.0**60
    with pytest.raises(PoolError, match=r"no double equals 18446744073709551615"):
        numbers(column(pl.Series([2**64 - 1], dtype=pl.UInt64)))
    with pytest.raises(PoolError, match=r"data row 2.*no double equals 9007199254740993"):
        numbers(column([1, 2**53 + 1]))


@pytest.mark.parametrize(
    "bad", ["nan", "NaN", "inf", "-inf", "Infinity", "", "  ", "?", "high", "1e400", "0x1", "1_0"]
)
def test_bad_texts_name_candidate_file_row_id_and_column(bad):
    ids = pl.Series(["a", "b", "c"])
    with pytest.raises(PoolError) as caught:
        numbers(column(["0.5", bad, "0.25"], ids=ids))
    for word in ("candidate m", "m.parquet", "data row 2", "id 'b'", "column 'confidence'", "finite numbers"):
        assert word in str(caught.value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), None])
def test_bad_stored_numbers_too(bad):
    with pytest.raises(PoolError, match=r"data row 3.*column 'confidence'.*finite numbers"):
        numbers(column(pl.Series([0.5, 0.25, bad], dtype=pl.Float64)))


def test_decimal_commas_get_a_hint():
    with pytest.raises(PoolError, match="decimal point, not a comma"):
        numbers(column(["0,5"]))


@pytest.mark.parametrize("values", [[True], [[0.5]], [b"x"]])
def test_kinds_that_are_no_numbers(values):
    with pytest.raises(PoolError, match="are numbers"):
        numbers(column(values))


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ([0, 1, 1], ("0", "1")),
        ([1.0, 2.0, 2.0], ("1", "2")),
        (["1.0", "2", "2.0"], ("1", "2")),
        ([False, True, True], ("0", "1")),
        ([-1, 1, 1], ("-1", "1")),
        (["cat", " dog ", "dog"], ("cat", "dog")),
        (pl.Series(["b", "c", "c"], dtype=pl.Categorical), ("b", "c")),
        (pl.Series(["10", "9", "9"], dtype=pl.Enum(["10", "9"])), ("9", "10")),
        ([10, 9, 9], ("9", "10")),
    ],
)
def test_classes_have_one_spelling_and_natural_order(values, classes):
    result = predicted(column(values))
    texts = [class_text(value) for value in pl.Series(values).to_list()]
    assert result.classes == classes
    assert [classes[code] for code in result.codes] == texts
    assert result.codes.dtype == np.int16


def test_unlabelled_cells():
    assert coded(column(["1", "?", "", " ", None, "0"])).codes.tolist() == [1, -1, -1, -1, -1, 0]
    assert coded(column([None, None])).codes.tolist() == [-1, -1]
    assert coded(column([1.0, None, float("nan")])).codes.tolist() == [0, -1, -1]


@pytest.mark.parametrize("bad", [None, "?", "", " "])
def test_every_row_is_predicted(bad):
    with pytest.raises(PoolError, match=r"candidate m.*data row 2.*id 'b'.*column 'prediction'.*no class"):
        predicted(column(["1", bad, "0"], "prediction", pl.Series(["a", "b", "c"])))


def test_more_classes_than_supported():
    with pytest.raises(PoolError, match="40000 different predictions"):
        coded(column(list(range(40_000)), "prediction"))


@pytest.mark.parametrize("values", [pl.Series([1, 2], dtype=pl.UInt8), pl.Series(["1", "01"])])
def test_ids_are_kept_as_stored(values):
    assert row_ids(column(values, "id")).to_list() == values.to_list()


@pytest.mark.parametrize("values", [[1.0, 2.0], [True, False], [[1], [2]], [None, None]])
def test_other_ids_are_refused(values):
    with pytest.raises(PoolError, match=r"column 'id': holds .* ids are whole numbers or text"):
        row_ids(column(values, "id"))


@pytest.mark.parametrize("values", [[1, None, 3], ["a", "", "c"], ["a", None, "c"]])
def test_blank_ids(values):
    with pytest.raises(PoolError, match=r"data row 2.*the id is blank"):
        row_ids(column(values, "id"))


def test_repeated_ids_are_listed_with_rows():
    check_unique(column(["a", "b"], "id"))
    with pytest.raises(
        PoolError, match=r"2 ids occur more than once: 'a' \(rows 1, 4\), 'b' \(rows 2, 3, 5\)"
    ):
        check_unique(column(["a", "b", "b", "a", "b"], "id"))
