"""CSV text: the streamed and the careful reading agree, and spelling does not matter."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pareto import read_battles
from pareto.reading.csvtext import Dialect, open_csv

PLAIN = [["model_a", "model_b", "winner"], ["x", "y", "model_a"], ["y", "z", "tie"]]


def write(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,winner\nx,y,model_a\ny,z,tie\n",
        "model_a,model_b,winner\r\nx,y,model_a\r\ny,z,tie\r\n",
        "model_a,model_b,winner\rx,y,model_a\ry,z,tie\r",
        "model_a,model_b,winner\nx,y,model_a\ny,z,tie",
        "\ufeffmodel_a,model_b,winner\nx,y,model_a\ny,z,tie\n",
        '\ufeff"model_a","model_b","winner"\r\n"x","y","model_a"\r\n"y","z","tie"\r\n',
        " model_a , model_b , winner \n x ,y, model_a\ny , z,tie \n",
        "model_a\tmodel_b\twinner\nx\ty\tmodel_a\ny\tz\ttie\n",
        "model_a;model_b;winner\nx;y;model_a\ny;z;tie\n",
        "\n\nmodel_a,model_b,winner\nx,y,model_a\n\ny,z,tie\n\n\n",
        "model_a,model_b,winner\nx,y,model_a\n   \ny,z,tie\n",
        "winner,note,model_b,model_a\nmodel_a,,y,x\ntie,\"a \"\"b\"\", c\nd\",z,y\n",
        "winner,model_b,model_a,note\nmodel_a,y,x,\ntie,z,y,\n",
        ',model_a,model_b,winner\n0,x,y,model_a\n1,y,z,tie\n',
        'model_a,model_b,winner,note\nx,y,model_a,5" disk\ny,z,tie,12" disk\n',
    ],
)  # fmt: skip
def test_spellings_of_one_log(tmp_path, text):
    battles = read_battles(write(tmp_path, text))
    assert battles.models == ("x", "y", "z")
    assert battles.preprocessing.rows == 2
    assert battles.counts.wins[0].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert battles.counts.ties[0].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_rows_with_blanks_in_the_last_column_keep_their_numbers(tmp_path):
    text = "model_a,model_b,winner\n\nx,y,\n\n\nx,y,model_a\nx,y,nobody\n"
    with pytest.raises(ValueError, match="data row 3, column 'winner': found 'nobody'"):
        read_battles(write(tmp_path, text))


def test_texts_longer_than_the_csv_module_expects(tmp_path):
    limit = csv.field_size_limit()
    long = "word, \n" * 40_000
    text = f'model_a,model_b,winner,talk\nx,y,model_a,"{long}"\nx,y,model_b,\n'
    battles = read_battles(write(tmp_path, text))
    assert battles.preprocessing.rows == 2
    assert csv.field_size_limit() == limit


def test_a_well_formed_file_is_scanned_and_not_read_record_by_record(tmp_path, monkeypatch):
    monkeypatch.setattr(Dialect, "careful", lambda *_: pytest.fail("read record by record"))
    text = 'model_a,model_b,talk,winner\n"x, 1","y ""2""","one\n\ntwo",model_a\nz,"y ""2""",,tie\n'
    battles = read_battles(write(tmp_path, text))
    assert battles.models == ("x, 1", 'y "2"', "z")


cells = st.text(alphabet='ab,"\n ;\té', max_size=4)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_both_readings_of_a_written_table(tmp_path, rows, end):
    """Where polars reads a table at all and its last column is never blank, it reads what was written."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end)
    writer.writerows([("one", "two", "three"), *rows])
    dialect = open_csv(write(tmp_path, text.getvalue()))
    assert dialect.header == ("one", "two", "three")
    written = [tuple(cell or None for cell in row) for row in rows]
    careful = dialect.careful([0, 1, 2])
    assert careful.rows() == written
    if all(row[2] for row in rows):
        streamed = dialect.scan().collect(engine="streaming")
        assert [tuple(cell or None for cell in row) for row in streamed.rows()] == written
