"""What cannot be read is refused with file, row, column and what is accepted; never a traceback."""

from __future__ import annotations

import gzip
import json
import re

import polars as pl
import pytest

from pareto import BattleError, read_battles
from pareto.reading import jsonlines

HEADER = "model_a,model_b,winner\n"
GOOD = "x,y,model_a\n" * 3


def refusal(*arguments, **options):
    with pytest.raises(BattleError) as caught:
        read_battles(*arguments, **options)
    return str(caught.value)


def write(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_outcomes_that_are_none(tmp_path):
    path = write(tmp_path, HEADER + GOOD + "x,y,draw\n" + GOOD + "y,x,draw\n")
    said = refusal(path)
    assert re.search(r"log\.csv, data row 4, column 'winner': found 'draw' \(2 rows like it\)", said)
    for accepted in ("model_a", "model-b", "left", "tie", "both_bad", "tie (bothbad)", "blank"):
        assert accepted in said


def test_a_models_name_is_no_outcome(tmp_path):
    said = refusal(write(tmp_path, HEADER + GOOD + "x,gpt-4,gpt-4\n"))
    assert "data row 4, column 'winner': found 'gpt-4', which names a model" in said


@pytest.mark.parametrize("row", ["b,a,a", "c,b,a", "c,a,A\na,c,a", "tie,c,tie"])
def test_an_outcome_that_names_a_model_elsewhere_is_ambiguous(tmp_path, row):
    said = refusal(write(tmp_path, HEADER + "a,b,model_a\n" + row + "\n"))
    assert "is a model's name too" in said
    assert "data row" in said


@pytest.mark.parametrize(
    ("models", "word", "advice"),
    [
        (("model_a", "x"), "model_a", "write left, model_b, tie, both_bad"),
        (("x", "model_b"), "model_b", "write model_a, right, tie, both_bad"),
        (("tie", "x"), "tie", "give the model another name in every column"),
        (("tie", "Model_A"), "model_a", "write left, model_b, both_bad"),
    ],
)
def test_what_to_write_where_models_are_called_as_outcomes_are(tmp_path, models, word, advice):
    one, other = models
    said = refusal(write(tmp_path, HEADER + f"{one},{other},{word}\n{other},{one},{word}\n"))
    assert said.endswith(advice)


def test_an_outcome_that_names_the_right_model_is_fine(tmp_path):
    battles = read_battles(write(tmp_path, HEADER + "a,b,a\na,b,b\na,c,a\n"))
    assert battles.counts.wins[0].tolist() == [[0, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_the_words_that_are_accepted(tmp_path):
    words = {
        "model_a": 0, "model-a": 0, "A": 0, "left": 0, "Model_B": 1, "model-b": 1, "b": 1, "RIGHT": 1,
        "tie": 2, "both_bad": 3, "bothbad": 3, "tie (bothbad)": 3, " Tie (bothbad) ": 3,
    }  # fmt: skip
    battles = read_battles(write(tmp_path, HEADER + "".join(f"x,y,{word}\n" for word in words)))
    counts = battles.counts
    found = [counts.wins[0, 0, 1], counts.wins[0, 1, 0], counts.ties[0, 0, 1], counts.both_bad[0, 0, 1]]
    assert found == [sum(code == outcome for code in words.values()) for outcome in range(4)]


def test_numbers_are_no_outcomes(tmp_path):
    path = tmp_path / "log.parquet"
    pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": [1]}).write_parquet(path)
    assert "column 'winner' holds Int64; outcomes are text" in refusal(path)


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_vote_on_a_nameless_model_is_an_error(tmp_path, blank):
    said = refusal(write(tmp_path, HEADER + GOOD + f"x,{blank},tie\n"))
    assert "log.csv, data row 4, column 'model_b': the name is blank (1 row" in said


def test_a_nameless_row_without_an_outcome_is_dropped_and_counted(tmp_path):
    battles = read_battles(write(tmp_path, HEADER + GOOD + "x,,\n,, \n"))
    assert battles.preprocessing.dropped("no outcome") == 2
    step = next(step for step in battles.preprocessing.steps if step.reason == "no outcome")
    assert step.detail == "2 of them without a model's name"


@pytest.mark.parametrize("rows", ["x,x,model_a\n", "x,,\n"])
def test_one_model_only(tmp_path, rows):
    assert "has 'x' only; at least 2 models" in refusal(write(tmp_path, HEADER + rows))


def test_no_vote_at_all(tmp_path):
    said = refusal(write(tmp_path, HEADER + "x,y,\ny,y,tie\n"))
    assert "no comparison is left of 2 rows (self-battle, voted 1, no outcome 1)" in said


def test_flags_that_are_none(tmp_path):
    text = "model_a,model_b,winner,hard\nx,y,tie,yes\nx,y,tie,maybe\n"
    said = refusal(write(tmp_path, text), flags=["hard"])
    assert "data row 2, column 'hard': found 'maybe'; flags are true or false" in said
    path = tmp_path / "log.parquet"
    pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"], "hard": [0.5]}).write_parquet(path)
    assert "data row 1, column 'hard': found '0.5'" in refusal(path, flags=["hard"])
    pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"], "hard": [[1]]}).write_parquet(path)
    assert "column 'hard' holds List(Int64)" in refusal(path, flags=["hard"])


def test_spellings_of_flags(tmp_path):
    cells = ("True", "false", "1", "0", "YES", "no", "1.0", "0.0", " true ", "")
    text = "model_a,model_b,winner,hard,end\n" + "".join(f"x,y,tie,{cell},.\n" for cell in cells)
    battles = read_battles(write(tmp_path, text), flags=["hard"])
    assert dict(zip(battles.objectives, battles.counts.records, strict=True)) == {"hard": 5, "general": 5}
    assert battles.preprocessing.notices == ("1 row without the flag hard, which counts as false",)
    numbers = pl.DataFrame(
        {"model_a": "x", "model_b": "y", "winner": "tie", "hard": [1.0, 0.0, None, float("nan")]}
    )
    numbers.write_parquet(tmp_path / "log.parquet")
    battles = read_battles(tmp_path / "log.parquet", flags=["hard"])
    assert battles.counts.records.tolist() == [1, 3]
    assert battles.preprocessing.notices == ("2 rows without the flag hard, which counts as false",)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("-1", "'-1'"),
        ("1.5", "'1.5'"),
        ("", "the cell is blank"),
        ("many", "'many'"),
        ("1e3", "'1e3'"),
        ("9" * 14, "9999"),
    ],
)
def test_counts_that_are_none(tmp_path, cell, said):
    text = "model_a,model_b,wins_a,wins_b,ties,end\nx,y,3,4,0,.\nx,z,3,{},0,.\n"
    message = refusal(write(tmp_path, text.format(cell)))
    assert "log.csv, data row 2, column 'wins_b': " in message
    assert said in message
    assert "whole numbers from 0" in message


def test_counts_of_other_types(tmp_path):
    path = tmp_path / "log.parquet"
    given = {"model_a": ["x", "x"], "model_b": ["y", "z"], "wins_a": [1.0, 2.0]}
    pl.DataFrame({**given, "wins_b": [1, 0]}).write_parquet(path)
    assert read_battles(path).counts.wins[0].tolist() == [[0, 1, 2], [1, 0, 0], [0, 0, 0]]
    for wrong in ([0.5, 1.0], [None, 1], [float("nan"), 1.0], [True, False]):
        pl.DataFrame({**given, "wins_b": wrong}).write_parquet(path)
        assert "column 'wins_b'" in refusal(path)


def test_self_battles_of_a_table_of_counts_are_its_votes(tmp_path):
    path = write(tmp_path, "model_a,model_b,wins_a,wins_b,both_bad\nx,y,3,4,1\nx,x,3,4,5\n")
    battles = read_battles(path)
    assert battles.preprocessing.rows == 20
    assert battles.preprocessing.dropped("self-battle, voted") == 12
    assert battles.counts.both_bad.sum() == 2
    assert battles.counts.ties.sum() == 0
    said = refusal(path, cluster="session")
    assert "table of counts, which does not say who voted" in said


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("log.csv", "", "is empty"),
        ("log.csv", "\n \n", "is empty"),
        ("log.csv", HEADER, "has columns but no rows"),
        ("log.csv", HEADER + "x,y\n", "line 2: 2 fields where the header has 3"),
        ("log.csv", HEADER + GOOD + "x,y,tie,more\n", "line 5: 4 fields where the header has 3"),
        ("log.csv", HEADER + GOOD + "x,y,tie,", "line 5: 4 fields where the header has 3"),
        ("log.csv", "note," + HEADER + '",",x,y,tie\na,x,y,tie,more\nb,x,y,tie\n', "line 3: 5 fields where"),
        ("log.csv", HEADER + '"x,y,tie\n' + GOOD, "line 2"),
        ("log.csv", HEADER.encode() + b"\xe9,y,tie\n", "is not UTF-8 text"),
        ("log.csv", "model_a,model_b,winner,winner\nx,y,tie,tie\n", "column 'winner' occurs more than once"),
        ("log.csv", b"PAR1....PAR1", "not CSV text but a Parquet file"),
        ("log.csv", gzip.compress(HEADER.encode(), mtime=0), "compressed with gzip"),
        ("log.csv", b"\xff\xfem\x00o\x00", "UTF-16"),
        ("log.csv", b"model_a\0,b\n", "is not text"),
        ("log.parquet", "", "cannot be read as Parquet"),
        ("log.parquet", HEADER + GOOD, "cannot be read as Parquet"),
        ("log.jsonl", "", "is empty"),
        ("log.jsonl", '{"model_a": "x", "model_b": "y", "winner": "tie"}\n{"model_a"\n', "line 2: no JSON"),
        ("log.jsonl", '[{"model_a": "x", "model_b": "y", "winner": "tie"}]\n', "line 1: found"),
        ("log.jsonl", '{"model_a": "x", "model_b": "y", "winner": NaN}\n', "line 1: no JSON"),
        ("log.jsonl", b'{"model_a": "\xe9"}\n', "line 1: no JSON"),
        ("log.json", "[]", "its name ends in '.json'; accepted are .csv"),
        ("log", "", "its name has no ending"),
    ],
)  # fmt: skip
def test_files_that_are_no_logs(tmp_path, name, content, said):
    path = write(tmp_path, content, name)
    message = refusal(path)
    assert said in message
    assert str(path) in message


def test_a_truncated_parquet_file_among_good_ones(tmp_path):
    table = pl.DataFrame({"model_a": ["x"] * 5000, "model_b": ["y"] * 5000, "winner": ["tie"] * 5000})
    paths = [tmp_path / f"{number}.parquet" for number in range(3)]
    for path in paths:
        table.write_parquet(path)
    content = paths[1].read_bytes()
    paths[1].write_bytes(content[: len(content) // 2])
    assert f"{paths[1]} cannot be read as Parquet" in refusal(paths)
    paths[1].write_bytes(
        content[:4] + b"\xff" * 200 + content[204:]
    )  # the footer is intact, the pages are not
    assert "cannot be read as Parquet" in refusal(paths)


def test_an_empty_parquet_file_among_good_ones(tmp_path):
    table = pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]})
    table.write_parquet(tmp_path / "1.parquet")
    table.clear().write_parquet(tmp_path / "2.parquet")
    assert "2.parquet has columns but no rows" in refusal(tmp_path / "*.parquet")


def test_paths(tmp_path, monkeypatch):
    path = write(tmp_path, HEADER + GOOD)
    monkeypatch.chdir(tmp_path)
    assert "no file given" in refusal([])
    assert "does not exist" in refusal(tmp_path / "none.csv")
    assert "no file matches 'none*.csv'" in refusal("none*.csv")
    assert re.search(r"is a folder; .*\*\.parquet", refusal(tmp_path))
    assert "is no usable file name" in refusal("half a letter \ud800.csv")
    assert "is no file name" in refusal([3])
    for twice in ([path, path], [path, "log.csv"], [path, "*.csv"], ["l*.csv", "*.csv"]):
        assert "is given twice" in refusal(twice)
    (tmp_path / "link.csv").symlink_to(path)
    assert "is given twice" in refusal("*.csv")


def test_a_name_with_brackets_is_a_file_before_it_is_a_pattern(tmp_path):
    path = write(tmp_path, HEADER + GOOD, "log[1].csv")
    assert read_battles(path).preprocessing.rows == 3


def test_files_of_different_layouts(tmp_path):
    one = write(tmp_path, HEADER + GOOD, "one.csv")
    two = write(tmp_path, "model_a,model_b,wins_a,wins_b\nx,y,1,2\n", "two.csv")
    three = write(tmp_path, "model_a,model_b,winner,objective\nx,y,tie,code\n", "three.csv")
    said = refusal([one, two])
    assert f"{one} is laid out as plain without objectives and {two} as counts without objectives" in said
    assert "read them apart, and add their counts" in said
    assert f"{three} as plain; read them apart" in refusal([one, three])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"schema": "arena"}, "accepted are auto, arena-140k, search-arena, vision-arena, plain, counts"),
        ({"winner": "vote"}, "no column 'vote'"),
        ({"model_a": "left"}, "no column 'left'"),
        ({"model_b": "model_a"}, "one column is named for two purposes"),
        ({"objective": "task"}, "no column 'task'"),
        ({"objective": "task", "flags": ["hard"]}, "are both given"),
        ({"flags": ["hard"]}, "lacks 'hard'"),
        ({"flags": "hard"}, "flags is the text 'hard'"),
        ({"flags": []}, "flags name none"),
        ({"flags": ["hard", "hard"]}, "each once"),
        ({"flags": {"hard": []}}, "flags name 'hard'"),
        ({"flags": {"hard": [1]}}, "flags name 'hard'"),
        ({"flags": [f"f{k}" for k in range(32)]}, "1 to 31"),
        ({"flags": ["hard"], "schema": "counts"}, "flags belong to the layout plain"),
        ({"objective": "task", "schema": "search-arena"}, "belongs to the layout plain or counts"),
        ({"schema": "search-arena"}, "no column 'primary_intent'"),
        ({"schema": "arena-140k"}, "looks like arena-140k but lacks"),
        ({"schema": "counts"}, "no column 'wins_a'"),
        ({"multi_label": True}, "is read as plain, which has no flags"),
        ({"objectives": ["code"]}, "no objective 'code'; choose among overall"),
        ({"objectives": []}, "objectives none"),
        ({"objectives": "overall"}, "objectives is the text 'overall'"),
        ({"names": 3}, "a mapping of names, or a CSV file"),
        ({"names": {"x": " "}}, "a name is blank"),
        ({"names": {"x": 1}}, "a name is blank or no text"),
        ({"names": {"x": "a", " x": "b"}}, "'x' has two new names"),
        ({"names": "absent.csv"}, "is no CSV file of names"),
        ({"cluster": "judge"}, "no column 'judge'"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(tmp_path, given, said):
    assert said in refusal(write(tmp_path, HEADER + GOOD), **given)


def test_a_file_of_names_without_its_columns(tmp_path):
    names = write(tmp_path, "old,new\nx,y\n", "names.csv")
    assert "has no column 'from' (found: old, new)" in refusal(write(tmp_path, HEADER + GOOD), names=names)


def test_unknown_columns_are_listed_with_the_layouts(tmp_path):
    said = refusal(write(tmp_path, "left,right,vote\nx,y,a\n"))
    assert "fits no known layout (found: 'left', 'right', 'vote')" in said
    for name in (
        "arena-140k",
        "search-arena",
        "vision-arena",
        "plain",
        "counts",
        "columns are called otherwise",
    ):
        assert name in said


def test_columns_of_two_layouts_are_ambiguous(tmp_path):
    text = "model_a,model_b,winner,is_code,math,creative_writing,instruction_following,objective\n"
    path = write(tmp_path, text + "x,y,tie,1,0,0,0,task\n")
    said = refusal(path)
    assert "fits several layouts: arena-140k and plain" in said
    assert "name the layout to take" in said
    assert read_battles(path, schema="arena-140k").objectives == ("code",)
    assert read_battles(path, schema="plain").objectives == ("task",)
    both = write(tmp_path, "model_a,model_b,winner,wins_a,wins_b,objective\nx,y,tie,1,2,o\n", "both.csv")
    assert "fits several layouts: plain and counts" in refusal(both)


def test_nested_columns_where_plain_ones_are_meant(tmp_path):
    path = write(
        tmp_path, json.dumps({"model_a": {"name": "x"}, "model_b": "y", "winner": "tie"}), "log.jsonl"
    )
    assert "has no column 'model_a' that is not nested" in refusal(path)


def test_too_many_models_are_no_models(tmp_path):
    rows = "".join(f"prompt {row},answer {row},tie\n" for row in range(2500))
    assert "5000 models on 1 objectives; counts of at most" in refusal(write(tmp_path, HEADER + rows))


def test_too_many_objectives_are_no_objectives(tmp_path):
    rows = "".join(f"x,y,tie,prompt {row}\n" for row in range(100_001))
    path = write(tmp_path, "model_a,model_b,winner,task\n" + rows)
    assert "100,001 different objectives; at most 100,000 accepted" in refusal(path, objective="task")


def test_a_cluster_of_another_type(tmp_path):
    path = tmp_path / "log.parquet"
    pl.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["tie"], "who": [[1]]}).write_parquet(path)
    assert "column 'who' holds List(Int64); a cluster is named by text or a number" in refusal(
        path, cluster="who"
    )


def test_a_quote_inside_a_field_swallows_no_rows(tmp_path):
    rows = 'a,b,1,2,"code"\n"b","c","2","0","co"b","b","0","30",""\n"a","c","1","1",""'
    said = refusal(write(tmp_path, f"model_a,model_b,wins_a,wins_b,objective\n{rows}"))
    assert "line 3" in said
    assert "in quotes" in said


def test_a_return_within_a_line_ends_it(tmp_path):
    said = refusal(write(tmp_path, "model_a,model_b,winner\nx\ry,z,tie\n"))
    assert "line 2" in said


@pytest.mark.parametrize(
    ("value", "shown"), [("1.0", "1.0"), ("1e2", "100.0"), ('["x"]', "['x']"), ("true", "True"), ("[]", "[]")]
)
def test_names_in_json_lines_are_text_or_whole_numbers(tmp_path, value, shown):
    line = '{"model_a": %s, "model_b": "y", "winner": "tie"}\n'
    said = refusal(write(tmp_path, line % '"1"' + line % value, "log.jsonl"))
    assert f"log.jsonl, line 2, key 'model_a': found {shown}; names are text or whole numbers" in said


def test_names_that_only_look_like_other_values_are_names(tmp_path):
    line = '{"model_a": %s, "model_b": "%s", "winner": "tie"}\n'
    assert read_battles(
        write(tmp_path, line % ('"[x]"', "1.0") + line % (12, "true"), "log.jsonl")
    ).models == ("1.0", "12", "[x]", "true")


def test_a_key_twice_in_a_line_is_refused(tmp_path):
    good = '{"model_a": "x", "model_b": "winner", "winner": "tie", "more": {"winner": 1}}\n'
    assert read_battles(write(tmp_path, good, "log.jsonl")).preprocessing.rows == 1
    twice = '{"model_a": "x", "model_b": "y", "winner": "tie", "winner": "left"}\n'
    assert "line 2: the key 'winner' occurs twice" in refusal(write(tmp_path, good + twice, "log.jsonl"))


@pytest.mark.parametrize("limit", [{}, {"memory_limit": "4GB"}])
@pytest.mark.parametrize(
    ("key", "again"), [("model_a", r"model\u005fa"), ("model_a", r"mode\u006C_a"), ("winner", r"\u0077inner")]
)
def test_a_key_twice_of_which_one_is_spelled_with_an_escape_is_refused(
    tmp_path, monkeypatch, limit, key, again
):
    monkeypatch.setattr(jsonlines, "BLOCK", 7)  # so that escapes lie across the ends of blocks
    good = {"model_a": "x", "model_b": "y", "winner": "tie", "text": "caf\u00e9 \u2013 so"}
    line = json.dumps(good) + "\n"
    assert read_battles(write(tmp_path, line * 3, "log.jsonl"), **limit).preprocessing.rows == 3
    once = line.replace(f'"{key}"', f'"{again}"')
    assert read_battles(write(tmp_path, line + once, "log.jsonl"), **limit).preprocessing.rows == 2
    twice = line.replace("{", f'{{"{again}": "z", ')
    said = refusal(write(tmp_path, line + twice, "log.jsonl"), **limit)
    assert f"line 2: the key {key!r} occurs twice" in said


def test_escapes_of_any_letter_are_found():
    letters = 'aJ/é\n"\\\U0001f600\x1f'
    escapes = jsonlines._escapes(letters)
    spelled = [r"\u0061", r"\u004a", r"\u004A", r"\/", r"\u00E9", r"\u000a", r"\u0022", r"\u005C", r"\uD83d"]
    assert all(escapes.search(b'"x' + one.encode()) for one in [*spelled, r"\uDE00", r"\u001F"])
    assert not escapes.search(rb'"x\u0062\n\"\t\u2013"')
    assert not jsonlines._escapes("a").search(rb"\/")


@pytest.mark.parametrize("limit", [{}, {"memory_limit": "4GB"}])
@pytest.mark.parametrize("start", [b"", b"\n", b" \r\n"])
def test_json_lines_with_a_byte_order_mark(tmp_path, limit, start):
    line = b'{"model_a": "x", "model_b": "y", "winner": "model_a"}\n'
    path = write(tmp_path, b"\xef\xbb\xbf" + start + line * 3, "log.jsonl")
    found = read_battles(path, **limit)
    assert (found.models, found.preprocessing.rows) == (("x", "y"), 3)
    mixed = write(tmp_path, b"\xef\xbb\xbf" + start + line + line.replace(b'"y"', b"7"), "log.jsonl")
    assert read_battles(mixed, **limit).models == ("7", "x", "y")
    number = 2 + start.count(b"\n")
    for wrong, words in (
        (b"{}\n[]\n", f"line {number}: found"),
        (
            line + line.replace(b'"tie"', b"1").replace(b"model_b", b"model_a"),
            f"line {number}: the key 'model_a'",
        ),
        (line + line.replace(b'"x"', b"1.5"), f"line {number}, key 'model_a': found 1.5"),
        (line + line.replace(b'"model_a"}', b'"maybe"}'), "found 'maybe'"),
        (b"", "is empty"),
    ):
        said = refusal(write(tmp_path, b"\xef\xbb\xbf" + start + wrong, "log.jsonl"), **limit)
        assert words in said


def test_a_name_of_control_characters_alone_is_blank(tmp_path):
    assert "the name is blank" in refusal(write(tmp_path, HEADER + GOOD + "\x1c,y,tie\n"))


@pytest.mark.parametrize("key", ["model_b", "objective"])
def test_halves_of_characters_are_no_names(tmp_path, key):
    row = {"model_a": "x", "model_b": "y", "winner": "tie", "objective": "z"}
    said = refusal(write(tmp_path, json.dumps(row) + "\n" + json.dumps({**row, key: "\ud800"}), "log.jsonl"))
    assert f"line 2, key {key!r}: found '\\ud800', which has half of a character" in said


def test_stated_bounds_that_contradict_the_cells_hide_no_row(tmp_path):
    path = tmp_path / "log.parquet"
    rows = {"model_a": ["x", "x"], "model_b": ["y", "z"], "winner": ["both_bad", "tie"]}
    pl.DataFrame(rows).write_parquet(path, compression="uncompressed")
    path.write_bytes(
        path.read_bytes().replace(b"both_bad", b'b"th_bad', 1)
    )  # the cell, not the smallest value
    assert "data row 1, column 'winner': found 'b\"th_bad'" in refusal(path)


def test_rows_that_are_all_longer_than_the_header_are_refused(tmp_path):
    text = "model_a,model_b,wins_a,wins_b,tixth_bad,objective\n" + "x,y,1,2,0,1,code\n" * 3
    assert "line 2: 7 fields where the header has 6" in refusal(write(tmp_path, text))
