"""The page of a log: what it says, and that nothing in a log can break it."""

from __future__ import annotations

import math
import os
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pareto.errors import BattleError
from pareto.log_report.certain import chance
from pareto.log_report.conventions import weak_frontier
from pareto.log_report.tables import hardness_text, stacked
from pareto.targets import target
from solvers.pages.canvas import Picture
from tests.pareto.battle_files import HOSTILE, write_battles
from tests.pareto.logs import logs
from tests.pareto.test_log_commands import ARENA, THREE, record, run

BROWSER = "CERTIFY_BROWSER"
"""Path of a headless Chromium, for the test that lays the page out."""


class Page(HTMLParser):
    """The page as a browser sees it: tags, their attributes, and the text outside style."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.attributes, self.texts = [], [], []
        self.feed(source)
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        if self.tags[-1:] != ["style"]:
            self.texts.append(data)


def page_of(*arguments):
    command, *rest = arguments
    run(command, *rest, "-o", "page.html")
    source = Path("page.html").read_text(encoding="utf-8")
    return Page(source), source


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def words_only(monkeypatch):
    """Pages without their pictures, which take most of the time and are tested elsewhere."""
    monkeypatch.setattr(Picture, "svg", lambda picture, narrow=False: f"<svg ><text>{narrow}</text></svg>")


@pytest.mark.usefixtures("words_only")
def test_the_page_says_what_the_record_says():
    page, _ = page_of("frontier", ARENA, *THREE, "--weak")
    found = record("frontier", ARENA, *THREE, "--weak")
    assert "gemini-2.5-flash , gemini-2.5-pro are on the frontier of this log." in page.text
    done, certainty = found["preprocessing"], found["certainty"]
    for number in (done["rows"], done["comparisons"], done["retained_records"], certainty["next"]["total"]):
        assert f"{number:,}" in page.text
    for step in done["dropped"]:
        assert step["reason"] in page.text
    for sentence in found["retention"]["explanation"]:
        assert " ".join(sentence.split()) in page.text
    for removed in found["retention"]["removed"]:
        assert removed["model"] in page.text
    for model in found["target"]["models"]:
        assert model["reason"] in page.text
        for value in model["borda"].values():
            assert f"{value:.3f}" in page.text
    decided = certainty["decided"]
    said = f"{decided['frontier']} certainly on the frontier {decided['dominated']} certainly dominated"
    assert said in page.text
    assert certainty["assumptions"] in page.text
    for headings in ("What became of the rows", "What to compare next", "Ties, treated in three ways"):
        assert headings in page.text
    assert "The weak frontier:" in page.text
    assert f"pareto frontier {ARENA} --objectives code,instruction_following,general" in page.text


@pytest.mark.usefixtures("words_only")
def test_ties_on_a_page_of_their_own_and_in_the_whole():
    arguments = ("bundled:arena140k-first5000", "--objectives", "code,general")
    alone, _ = page_of("compare-ties", *arguments)
    compared = record("compare-ties", *arguments)
    Path("page.html").unlink()
    whole, _ = page_of("frontier", *arguments, "--ties", "half")
    for page in (alone, whole):
        for one in compared["likenesses"]:
            assert f"{' and '.join(one['letters'])} {one['jaccard']:.3f} {one['rho_min']:.3f}" in page.text
        assert "claude-sonnet-4-20250514 ● – –" in page.text
        assert f"all objectives {compared['outcomes'][-1]['decisive']}" in page.text
        assert "Tie-factor sizes tried for F" in page.text
    assert "count too, as half (H) says" in whole.text
    assert "compare next" not in alone.text


@pytest.mark.usefixtures("words_only")
def test_a_log_with_one_objective_and_one_without_ties():
    rows = [("a", "b", "model_a", "x"), ("b", "a", "model_b", "x"), ("b", "c", "model_a", "x")]
    rows += [("c", "a", "model_b", "x")]
    write_battles(Path("log.csv"), rows=0, extra=rows)
    page, _ = page_of("frontier", "log.csv")
    assert "There is one objective only" in page.text
    assert "3 models · 1 objective" in page.text
    assert "a is on the frontier of this log" in page.text
    assert "Nobody voted a tie or both-bad" in page.text


@pytest.mark.usefixtures("words_only")
def test_models_that_are_linked_but_never_all_met():
    chain = [("a", "b"), ("b", "c"), ("c", "d")]
    rows = [(one, other, winner, "x") for one, other in chain for winner in ("model_a", "model_b", "tie")]
    write_battles(Path("log.csv"), rows=0, extra=rows)
    page, _ = page_of("frontier", "log.csv", "--rule", "connected", "--ties", "davidson")
    assert "4 models · 1 objective" in page.text
    assert "only the fitted treatment can be used" in page.text
    with pytest.raises(BattleError, match="no decisive comparison"):
        run("frontier", "log.csv", "--rule", "connected")


def test_nothing_in_a_log_becomes_markup_and_nothing_is_loaded(monkeypatch):
    monkeypatch.setattr(Picture, "write", lambda picture, path: Path(path).touch())  # see test_log_pictures
    objectives = ("<i>code</i>", "</svg><img src=x onerror=alert(2)>", "[math] & $y$")
    write_battles(Path("h.csv"), objectives=objectives, rows=600)
    page, source = page_of("frontier", "h.csv", "--weak", "--pictures", "pictures")
    allowed = {"html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "h3", "p"}
    allowed |= {"div", "b", "span", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th"}
    allowed |= {"td", "dl", "dt", "dd", "ul", "li", "code", "pre", "details", "summary"}
    allowed |= {"svg", "g", "path", "defs", "use", "text", "clippath", "rect"}
    assert set(page.tags) <= allowed
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "srcdoc")]
    links = [value for _, name, value in page.attributes if name.endswith("href")]
    assert links
    assert all(value.startswith("#") for value in links)
    assert "http:" not in source
    assert "https:" not in source
    assert "default-src 'none'" in source
    assert len(source) < 1_000_000
    for text in (*HOSTILE, *objectives):
        assert " ".join(text.split()) in page.text
    used = [value for _, name, value in page.attributes if name == "id"]
    assert len(used) == len(set(used))
    names = {"profiles", "projections", "spaces", "correlations", "treatments", "gaps", "held-out"}
    assert {path.stem for path in Path("pictures").iterdir()} == names
    assert {path.suffix for path in Path("pictures").iterdir()} == {".png", ".svg"}


@pytest.mark.usefixtures("words_only")
def test_the_same_log_gives_the_same_page():
    write_battles(Path("log.csv"))
    pages = []
    for name in ("one.html", "two.html"):
        run("frontier", "log.csv", "-o", name)
        pages.append(Path(name).read_bytes())
    assert pages[0] == pages[1]
    with pytest.raises(BattleError, match="exists already"):
        run("frontier", "log.csv", "-o", "one.html")


@given(logs(models=(2, 6), objectives=(1, 3), highest=2, lowest=1))
def test_weak_frontiers_against_a_plain_loop(counts):
    found = target(counts)
    weak = weak_frontier(found)
    scores = found.borda
    models = range(len(scores))

    def beats(j, i):
        return (scores[j] >= scores[i]).all() and (scores[j] > scores[i]).any()

    assert weak.frontier.tolist() == [not any(beats(j, i) for j in models) for i in models]
    assert not (weak.frontier & ~found.frontier).any()
    assert [one.model for one in weak.lost] == np.flatnonzero(found.frontier & ~weak.frontier).tolist()
    for one in weak.lost:
        assert beats(one.rival, one.model)
        assert weak.frontier[one.rival]
        tied = [found.objectives[r] for r in np.flatnonzero(scores[one.rival] == scores[one.model])]
        assert list(one.tied) == tied
        assert tied


@given(st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=60), st.integers(2, 20))
def test_stacked_names_lose_nothing_and_fit(name, width):
    lines = stacked(name, width).split("\n")
    assert "".join(lines) == name
    assert all(len(line) <= width for line in lines)


def test_numbers_as_people_read_them():
    assert stacked("instruction_following", 13) == "instruction_\nfollowing"
    assert chance(math.log(0.0123)) == "0.012"
    assert chance(-2000.0) == "1e-869"
    assert chance(-math.inf) == "0"
    assert hardness_text(math.inf) == "infinite"
    assert hardness_text(10839.6) == "10,840"


@pytest.mark.skipif(not os.environ.get(BROWSER), reason=f"needs a headless Chromium: {BROWSER}=/its/path")
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(width):
    _, source = page_of("frontier", ARENA, "--cluster", "session")
    # a frame of the wanted width, because a browser window has a least one; the page itself runs no script
    measure = (
        "<script>onload=()=>{const d=document.querySelector('iframe').contentDocument.documentElement;"
        "document.title=[d.clientWidth,d.scrollWidth,d.querySelectorAll('svg').length].join(' ')}</script>"
    )
    frame = source.replace("default-src 'none'; ", "").replace("&", "&amp;").replace('"', "&quot;")
    Path("frame.html").write_text(
        f'<!DOCTYPE html>{measure}<iframe srcdoc="{frame}" style="width:{width}px;height:800px;border:0">',
        encoding="utf-8",
    )
    command = [os.environ[BROWSER], "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run(
        [*command, Path("frame.html").absolute().as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = re.search(r"<title>(\d+) (\d+) (\d+)</title>", done.stdout)
    assert found
    visible, needed, pictures = map(int, found.groups())
    assert needed <= visible <= width
    assert pictures == 12
