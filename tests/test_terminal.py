"""What commands print: nothing cut off, and no name commands the terminal."""

from __future__ import annotations

import pytest

from solvers.new_paths import new_file, new_folder
from solvers.terminal import emit, facts, grid, printable

RED = "\x1b[31mred\x07\x9b"


def test_control_characters_are_written_out():
    assert printable(RED) == "\\x1b[31mred\\x07\\x9b"
    assert printable("a\tb\nü😀[bold]") == "a\tb\nü😀[bold]"


def test_names_do_not_command_the_terminal(capsys):
    emit({}, False, lambda: [RED, grid("t", ["h" + RED], [[RED]]), facts("t", [("name", RED)])])
    said = capsys.readouterr().out
    assert said.count("\\x1b[31mred") == 4
    assert not set(said) & {"\x1b", "\x07", "\x9b"}


def test_a_table_that_does_not_fit_is_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    table = grid("t", [f"column{at}" for at in range(9)], [[f"{at}.5" for at in range(9)]])
    for column in table.columns:
        column.min_width = 7
    emit({}, False, lambda: [table])
    said = capsys.readouterr().out
    assert all(f"{at}.5" in said for at in range(9))


def _half_a_file(path, error):
    with new_file(path) as stream:
        stream.write("half")
        raise error


def _half_a_folder(path, error):
    with new_folder(path):
        (path / "one.png").write_text("one")
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
@pytest.mark.parametrize("half", [_half_a_file, _half_a_folder])
def test_what_is_cut_short_leaves_nothing(tmp_path, half, error):
    with pytest.raises(error):
        half(tmp_path / "new", error)
    assert not list(tmp_path.iterdir())


def test_what_is_there_already_stays(tmp_path):
    file, folder = tmp_path / "page.html", tmp_path / "pictures"
    file.write_text("first")
    folder.mkdir()
    (folder / "one.png").write_text("one")
    with pytest.raises(FileExistsError), new_file(file):
        pass
    with pytest.raises(FileExistsError), new_folder(folder):
        pass
    assert file.read_text() == "first"
    assert (folder / "one.png").exists()
