"""The page of a session: what it says, what it leaves out, and that nothing in a journal can break it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import certify
from certify.bounds import Requirement, initial_lower, lower_after, row_gains, satisfied
from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
from certify.cli import app
from certify.report_page.anatomy import dissect
from certify.report_page.course import follow, places, ruled_out
from certify.report_page.findings import TOLERANCES, find
from certify.report_page.history import read_history
from certify.report_page.waste import waste
from certify.tolerance import exact_tolerance
from solvers.pages.canvas import Picture

BROWSER = "CERTIFY_BROWSER"
"""Path of a headless Chromium, for the test that lays the page out."""
HOSTILE = (
    "<script>alert(1)</script>",
    "_$x^2$ & \"two\" 'quotes'",
    "</svg><img src=x onerror=alert(2)>",
    "a very long name " * 6,
)


def pool_of(n=60, names=HOSTILE, seed=3, ids=None):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    wrong = rng.random((len(names), n)) < 0.3
    predictions = np.where(wrong, rng.integers(0, 3, (len(names), n)), truth)
    confidences = rng.integers(0, 30, (len(names), n))
    return certify.Pool.multiclass(predictions, confidences, (0, 1, 2), names=names, ids=ids), truth


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


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=True)
    if isinstance(result.exception, certify.PoolError):  # what `main` turns into code 2
        assert code == 2, result.exception
        return str(result.exception)
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def page_of(journal, *arguments):
    output = Path(f"{journal}.html")
    run("report", journal, "-o", output, *arguments)
    return Page(output.read_text(encoding="utf-8")), output.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def finished():
    pool = certify.read_pool(IONOSPHERE)
    labels = certify.read_labels(IONOSPHERE_LABELS, pool)
    with certify.Session(pool, "static-range", journal="done.journal", sources=IONOSPHERE) as session:
        rows = certify.replay(pool, labels.codes, "static-range").rows.tolist()
        session.tell(rows, [pool.classes[labels.codes[row]] for row in rows])
        return session.verdict


@pytest.fixture
def words_only(monkeypatch):
    """Pages without their pictures, which take most of the time and are tested elsewhere."""
    monkeypatch.setattr(Picture, "svg", lambda picture, narrow=False: f"<svg ><text>{narrow}</text></svg>")


@pytest.mark.usefixtures("words_only")
def test_a_certified_session_says_so_and_what_is_missing(finished):
    page, _ = page_of("done.journal")
    with certify.Session.resume("done.journal") as session:
        assert str(session.head) in page.text
        names = session.pool.names
    assert f"CERTIFIED {names[finished.winner]} is the best of 4 candidates." in page.text
    assert f"{finished.labels_read} labels read, of 106" in page.text
    assert "it holds for this pool, not for the population" in page.text
    assert "can be told only when the label of every row is known" in page.text
    assert "static-range (seed 0)" in page.text
    run("report", "done.journal", "-o", "again.html")
    assert Path("again.html").read_bytes() == Path("done.journal.html").read_bytes()
    assert "tree.csv, logistic.csv" in page.text


@pytest.mark.usefixtures("words_only")
def test_known_labels_add_the_minimum_and_the_policies(finished):
    page, _ = page_of("done.journal", "-l", IONOSPHERE_LABELS)
    pool = certify.read_pool(IONOSPHERE)
    labels = certify.read_labels(IONOSPHERE_LABELS, pool)
    certificate = certify.minimum_certificate(pool, labels)
    assert f"exactly {certificate.size} of 106" in page.text
    assert f"read {finished.labels_read - certificate.size} labels beyond it" in page.text
    assert "can be told only" not in page.text
    for policy in ("random", "static-range", "adaptive-pair-sum"):
        read = certify.replay(pool, labels.codes, policy).labels_read
        assert f"{policy} {read} {100 * read / 106:.1f} % {read - certificate.size}" in page.text


def test_nothing_in_a_journal_becomes_markup_and_nothing_is_loaded():
    ids = [f"<b onclick=alert({row})>" for row in range(60)]
    pool, truth = pool_of(ids=ids)
    asker = "<i>ann & co</i>"
    with certify.Session(pool, "random", journal="h.journal", asker=asker, sources=["<u>.csv"]) as session:
        session.tell(range(60), truth.tolist())
    page, source = page_of("h.journal", "--policies", "static-range")
    allowed = {"html", "head", "meta", "title", "style", "body", "main", "section", "h1", "h2", "h3", "p"}
    allowed |= {"div", "b", "span", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th"}
    allowed |= {"td", "dl", "dt", "dd", "ol", "li", "code", "pre", "details", "summary"}
    allowed |= {"svg", "g", "path", "defs", "use", "text", "clippath", "rect"}
    assert set(page.tags) <= allowed
    assert not [name for _, name, _ in page.attributes if name.startswith("on") or name in ("src", "srcdoc")]
    links = [value for _, name, value in page.attributes if name.endswith("href")]
    assert links
    assert all(value.startswith("#") for value in links)
    assert "http:" not in source
    assert "https:" not in source
    assert "default-src 'none'" in source
    assert len(source) < 500_000
    for text in (*HOSTILE[:3], asker, "<b onclick=alert(", "<u>.csv"):
        assert " ".join(text.split()) in page.text
    used = [value for _, name, value in page.attributes if name == "id"]
    assert len(used) == len(set(used))


@pytest.mark.usefixtures("words_only")
def test_an_open_session_with_everything_in_it():
    pool, truth = pool_of(90, ("a", "b", "c", "d", "e"))
    owned = {row: int(truth[row]) for row in range(5)}
    with certify.Session(pool, tolerance="0.001", journal="m.journal", owned=owned, asker="ann") as session:
        for step in range(30):
            who = ("ann", "bob")[step % 2]
            (row,) = session.ask(1, who)
            if step in (4, 9):
                session.skip([row], who)
            else:
                session.tell([row], [int(truth[row])], who)
        session.tell([0], [(int(truth[0]) + 1) % 3], "bob")
        verdict, told = session.verdict, session.labels
        history = read_history(Path("m.journal"), session)
        assert sorted(history.rows.tolist()) == np.flatnonzero(told >= 0).tolist()
        assert history.owned == 5
        assert history.corrections == 1
        # an even step is ann's: 15 of them, one of these a skip
        assert [(part.asker, part.labels, part.skips) for part in history.work] == [
            ("ann", 14, 1),
            ("bob", 14, 1),
        ]
    page, _ = page_of("m.journal")
    assert "NOT CERTIFIED" in page.text
    assert f"≥ {verdict.at_least}" in page.text
    assert "1 label was corrected later" in page.text
    assert "The first 5 labels were there at the start" in page.text
    assert "The choice is not certain yet" in page.text
    assert "0.001 (this session)" in page.text
    assert "bob 14 1 1" in page.text


@pytest.mark.usefixtures("words_only")
def test_sessions_without_labels_and_without_rows_left():
    pool, truth = pool_of()
    certify.Session(pool, journal="fresh.journal").close()
    page, _ = page_of("fresh.journal")
    assert "No label is read yet" in page.text
    assert "Nobody has labelled anything yet" in page.text
    with certify.Session(pool, journal="gone.journal") as session:
        session.skip(range(40))
        session.tell(range(40, 60), truth[40:].tolist())
        assert session.verdict.at_least is None
    page, _ = page_of("gone.journal")
    assert "no row is left to ask for" in page.text


@pytest.mark.usefixtures("words_only")
def test_class_totals_leave_out_what_needs_additive_gains():
    pool, truth = pool_of()
    totals = {str(label): int((truth == label).sum()) for label in range(3)}
    with certify.Session(pool, journal="t.journal", totals=totals) as session:
        while rows := session.ask(1):
            session.tell(rows, [int(truth[row]) for row in rows])
        assert session.verdict.certified
    page, _ = page_of("t.journal")
    assert "CERTIFIED" in page.text
    assert page.text.count("Not shown for a session with known class totals") == 3
    assert "impossible below" not in page.text
    assert f"0 {totals['0']}, 1 {totals['1']}" in page.text


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize("objective", ["aurc", "accuracy", "selective-error@0.5"])
def test_other_objectives_are_named(objective):
    pool, truth = pool_of(40, ("a", "b", "c"))
    pool = pool.with_objective(objective)
    with certify.Session(pool, journal="o.journal") as session:
        session.tell(range(40), truth.tolist())
        assert session.verdict.certified
    page, _ = page_of("o.journal", "--policies", "static-range")
    assert "CERTIFIED" in page.text
    assert f"{objective}: the least {pool.objective.unit} wins" in page.text
    assert "AUGRC" not in page.text
    assert "not yet" not in page.text.split("Budgets and tolerances")[1].split("The fewest labels")[0]


def test_the_course_agrees_with_reading_one_label_after_the_other():
    pool, truth = pool_of(40, ("a", "b", "c", "d"))
    codes = truth.astype(np.int16)
    rows = np.random.default_rng(1).permutation(40)
    risks, before = pool.risks, initial_lower(pool.risks)
    asked = [Requirement.of(exact_tolerance(text), risks.scale) for text in TOLERANCES]
    course = follow(risks, codes, rows, before, 2, asked[0], asked[1:])
    lower, bounds = before, [before]
    for row in rows.tolist():
        lower = lower + row_gains(risks, row, int(codes[row]))
        bounds.append(lower)
    for count, at in zip(course.at.tolist(), range(len(course.at)), strict=True):
        expected = bounds[count][:, 2].copy()
        expected[2] = course.lower[2, at]  # the diagonal means nothing
        assert course.lower[:, at].tolist() == expected.tolist()
    worst = [int(np.maximum(-lower, 0).max(axis=0).min()) for lower in bounds]
    assert course.worst.tolist() == worst
    for requirement, first in zip(asked, course.firsts, strict=True):
        good = [
            count for count, lower in enumerate(bounds) if satisfied(lower, requirement).all(axis=0).any()
        ]
        assert first == (good[0] if good else None)
    levels = asked[0].levels(4)
    for j in (0, 1, 3):
        good = [count for count, lower in enumerate(bounds) if lower[j, 2] >= levels[j, 2]]
        assert course.settled[j] == (good[0] if good else -1)


def test_tolerances_ruled_out_are_those_of_the_plan():
    pool, _ = pool_of(30, ("a", "b", "c"))
    found = ruled_out(pool.risks, initial_lower(pool.risks))
    assert found.budgets.tolist() == list(range(31))
    for budget, slack in zip(found.budgets.tolist(), found.slack.tolist(), strict=True):
        smallest = certify.plan(pool, budget=budget).smallest_tolerance
        assert Fraction(slack, pool.risks.scale) == smallest


@pytest.mark.parametrize(("read", "most"), [(0, 5), (1, 5), (7, 5), (1_000_000, 400)])
def test_places_are_few_and_hold_both_ends(read, most):
    found = places(read, most)
    assert found[0] == 0
    assert found[-1] == read
    assert len(found) <= most
    assert (np.diff(found) > 0).all()


def test_waste_starts_at_the_minimum_and_ends_at_nothing():
    pool, truth = pool_of(40, ("a", "b", "c"))
    codes = truth.astype(np.int16)
    before = initial_lower(pool.risks)
    requirement = Requirement.of(Fraction(0), pool.risks.scale)
    minimum = certify.minimum_certificate(pool, codes.tolist()).size
    run_ = certify.replay(pool, codes, "random")
    found = waste(pool.risks, codes, run_.rows, before, requirement, minimum)
    assert found.needed[0] == minimum
    assert found.needed[-1] == 0
    # each label saves at most one of the rest, and none is ever added
    assert (np.diff(found.needed) <= 0).all()
    assert (found.at + found.needed >= minimum).all()
    # a certificate read first, in any order, wastes nothing
    certificate = certify.minimum_certificate(pool, codes.tolist()).rows
    assert waste(pool.risks, codes, certificate, before, requirement, minimum).needed.tolist() == [
        minimum - count for count in places(minimum, 11).tolist()
    ]


def test_the_anatomy_adds_up():
    pool, truth = pool_of(50, ("a", "b", "c", "d"))
    codes = truth.astype(np.int16)
    requirement = Requirement.of(Fraction(0), pool.risks.scale)
    before = initial_lower(pool.risks)
    found = dissect(pool, codes, before, requirement, Fraction(0))
    assert (found.covered >= found.demand).all()
    assert (found.available >= found.covered).all()
    assert found.gains.sum(axis=1).tolist() == found.covered.tolist()
    assert sorted(found.rows.tolist()) == found.certificate.rows.tolist()
    assert len(set(found.ranks.tolist())) == len(found.rows)
    only = np.full(50, -1, dtype=np.int16)
    only[found.rows] = codes[found.rows]
    assert satisfied(lower_after(pool.risks, only), requirement)[:, found.certificate.winner].all()
    only[found.rows[0]] = -1
    assert dissect(pool, only, before, requirement, Fraction(0)) is None


def test_findings_join_known_labels_and_refuse_contradictions():
    pool, truth = pool_of(40, ("a", "b", "c"))
    with certify.Session(pool, journal="j.journal") as session:
        session.tell(range(10), truth[:10].tolist())
    known = truth.astype(object)
    known[12:] = None
    with certify.Session.resume("j.journal") as session:
        found = find(Path("j.journal"), session, certify.Labels(pool.codes(known)), ["random"])
        assert found.unknown == 28
        assert found.comparison is None
        assert session.verdict.labels_read == 10
    rows = "\n".join(f"{row},{(truth[row] + (row == 7)) % 3}" for row in range(40))
    Path("wrong.csv").write_text(f"id,label\n{rows}\n")
    message = run("report", "j.journal", "-l", "wrong.csv", "-o", "x.html", code=2)
    assert "'7'" in message
    assert "certify tell" in message
    assert not Path("x.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.journal"], "missing.journal does not exist"),
        (["done.journal", "-o", "taken.html"], "taken.html exists"),
        (["done.journal", "-o", "no/where.html"], "no"),
        (["done.journal", "--pictures", "taken.html"], "taken.html exists"),
        (["done.journal", "--policies", "greedy"], "'greedy' is no policy"),
        (["done.journal", "--policies", ","], "is no policy"),
        (["taken.html"], "not a certify journal"),
        (["done.journal", "--labels", "missing.csv"], "missing.csv"),
    ],
)
@pytest.mark.usefixtures("finished")
def test_unusable_input(arguments, message):
    Path("taken.html").write_text("mine")
    assert message in run("report", *arguments, code=2)
    assert Path("taken.html").read_text() == "mine"
    assert not Path("report.html").exists()


@pytest.mark.usefixtures("finished", "words_only")
def test_pictures_as_files_and_a_record():
    labels = ("-l", IONOSPHERE_LABELS)
    record = json.loads(run("report", "done.journal", "--pictures", "pictures", "--json", *labels))
    names = {"bounds", "budget-map", "coverage", "ranks", "beyond", "policies"}
    assert {Path(file).stem for file in record["pictures"]} == names
    assert all(Path(file).stat().st_size > 1000 for file in record["pictures"])
    assert set(record["alternative_texts"]) == names
    assert record["page"] == "report.html"
    assert record["beyond"] == record["verdict"]["labels_read"] - record["minimum_certificate"]["size"]


@pytest.mark.skipif(not os.environ.get(BROWSER), reason=f"needs a headless Chromium: {BROWSER}=/its/path")
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(width):
    pool, truth = pool_of()
    with certify.Session(pool, "random", journal="w.journal") as session:
        session.tell(range(60), truth.tolist())
    _, source = page_of("w.journal", "--policies", "static-range")
    # a frame of the wanted width, because a browser window has a least one; the page itself runs no script
    measure = (
        "<script>onload=()=>{const d=document.querySelector('iframe').contentDocument.documentElement;"
        "document.title=[d.clientWidth,d.scrollWidth,d.querySelectorAll('svg').length].join(' ')}</script>"
    )
    source = source.replace("default-src 'none'; ", "")
    frame = source.replace("&", "&amp;").replace('"', "&quot;")
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
