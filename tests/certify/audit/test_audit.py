"""The audit passes honest journals of every kind and stops at the first lie of every other."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from certify import Pool
from certify.audit import audit
from certify.errors import PoolError
from certify.session import Session
from tests.certify.audit.journal_by_hand import Book, canonical, random_pool, sha, write_labels, write_pool
from tests.certify.examples import FIGURE_2, FIGURE_2_LABELS
from tests.certify.reference import labelled_pools

KINDS = ("binary", "shared", "categorical")
TOLERANCES = ("0", "0.01", "1/30")


def story(kind="binary", tolerance="0", seed=0):
    """A journal with everything in it: owned labels, two askers, a skip, a release, a correction."""
    pool, truth = random_pool(kind, seed=seed)
    book = Book(pool, tolerance)
    book.own(3, int(truth[3]))
    book.own(5, int(truth[5]))
    book.ask(0, 1, asker="ann")
    book.ask(2, 4, asker="bob")
    book.tell(1, int(truth[1]), asker="ann")
    book.skip(0, asker="ann")
    book.release(4, asker="bob")
    book.ask(4, asker="ann")
    book.tell(2, int(truth[2] == 0), asker="bob")
    if truth[2] != int(truth[2] == 0):
        book.correct(2, int(truth[2]), asker="ann")
    book.read_until_certified(truth, range(6, pool.n))
    assert book.certified
    assert len(book.labels) < pool.n - 2
    return book, pool, truth


def failure(files, **options) -> str:
    """The name of the check that fails."""
    report = audit(files, **options)
    assert not report.ok
    assert report.first_failure is report.checks[-1]
    assert all(check.ok for check in report.checks[:-1])
    return report.first_failure.name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_honest_journals_pass(tmp_path, kind, tolerance):
    book, pool, truth = story(kind, tolerance)
    journal = book.save(tmp_path / "honest.db")
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    files = write_pool(pool, tmp_path)
    said = []
    report = audit(
        [labels, journal, *files], head=book.head, progress=lambda *progress: said.append(progress)
    )
    assert report.ok, report.first_failure
    assert report.first_failure is None
    assert [check.name for check in report.checks] == [
        "header", "frozen arrays", "hash chain", "noted head", "ids", "names", "classes", "predictions",
        "confidences", "weights", "events", "labels", "bounds and verdicts",
    ]  # fmt: skip
    assert said
    assert all(0 <= done <= total for _, done, total in said)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_head_the_report_says_what_cannot_be_seen(tmp_path, kind):
    book, _, _ = story(kind)
    report = audit([book.save(tmp_path / "j.db")])
    noted = next(check for check in report.checks if check.name == "noted head")
    assert report.ok
    assert "only against a head noted elsewhere" in noted.detail
    assert book.head in noted.detail


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labelled_pools(max_rows=6))
def test_sessions_on_any_small_pool_pass(tmp_path, case):
    pool, truth = case
    journal = tmp_path / "session.db"
    journal.unlink(missing_ok=True)
    with Session(pool, "random", "0.05" if pool.n % 2 else "0", journal=journal) as session:
        while rows := session.ask(2):
            session.tell(rows, [pool.classes[truth[row]] for row in rows])
        head = session.head
    report = audit([journal], head=head)
    assert report.ok, report.first_failure


def test_a_session_with_everything_passes(tmp_path):
    pool, truth = random_pool("categorical", n=60, candidates=4)
    label = [pool.classes[code] for code in truth]
    journal = tmp_path / "session.db"
    with Session(pool, journal=journal, owned={7: label[7], 2: label[2]}) as session:
        mine, yours = session.ask(3), session.ask(3, asker="bob")
        assert not set(mine) & set(yours)
        session.tell(mine[:2], ["?", label[mine[1]]])
        session.release(asker="bob")
        session.skip(yours[:1])
        wrong = next(name for name in pool.classes if name != label[mine[2]])
        session.tell([mine[2]], [wrong])
        session.tell([mine[2]], [label[mine[2]]])
        session.tell(range(60), label)
        assert session.verdict.certified
        head = session.head
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    report = audit([journal, labels, *write_pool(pool, tmp_path)], head=head)
    assert report.ok, report.first_failure


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_that_a_correction_takes_away_is_recorded(tmp_path, kind):
    pool, truth = random_pool(kind, seed=3)
    book = Book(pool)
    # one wrong label near the end of the reading, put right after the verdict
    for row in range(pool.n):
        if not book.certified:
            book.tell(row, int(truth[row]))
    for row in list(book.labels):
        for code in range(len(pool.classes)):
            if book.certified and code != book.labels[row]:
                book.correct(row, code)
    assert [event[2]["certified"] for event in book.events if event[1] == "verdict"][:2] == [True, False]
    journal = book.save(tmp_path / "j.db")
    assert audit([journal]).ok
    del book.events[book.place("verdict", 1)]
    assert failure([book.save(journal)]) == "bounds and verdicts"


def test_figure_2_is_certified_at_the_fourth_label_only(tmp_path):
    book = Book(FIGURE_2)
    for row in (2, 3, 0, 1):
        book.tell(row, int(FIGURE_2_LABELS[row]))
    report = audit([book.save(tmp_path / "figure-2.db")])
    assert report.ok
    assert report.checks[-1].detail == (
        "5 prefixes, 4 labels: B is certified, gap 0; first certified after 4 labels (B)"
    )


def test_pools_certified_before_any_label_say_so_first(tmp_path):
    pool = Pool.shared([[0.3, 0.2, 0.1], [0.9, 0.8, 0.7]])
    book = Book(pool)
    assert [event[1] for event in book.events] == ["verdict"]
    assert audit([book.save(tmp_path / "j.db")]).ok
    book.events.clear()
    assert failure([book.save(tmp_path / "j.db")]) == "bounds and verdicts"


# --- the chain -----------------------------------------------------------------------------------


def edit(path, statement, *values):
    """Change the file behind the chain's back."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def test_edits_that_leave_the_hashes_alone_break_the_chain(tmp_path):
    book, _, _ = story()
    journal = tmp_path / "j.db"
    rows = book.rows()
    tell = book.place("tell") + 1
    for statement in (
        f"DELETE FROM events WHERE seq = {tell}",
        f"UPDATE events SET time = '2026-01-05T10:00:00+00:00' WHERE seq = {tell}",
        f"UPDATE events SET kind = 'skip' WHERE seq = {tell}",
        f"UPDATE events SET body = replace(body, 'row\":1', 'row\":9') WHERE seq = {tell}",
        f"UPDATE events SET body = body || ' ' WHERE seq = {tell}",
        f"UPDATE events SET body = '[' WHERE seq = {tell}",
        f"UPDATE events SET body = '{'[' * 100_000}' WHERE seq = {tell}",
        f"UPDATE events SET hash = '{'0' * 64}' WHERE seq = {len(rows)}",
        f"UPDATE events SET seq = seq + 1000 WHERE seq = {len(rows)}",
        f"INSERT INTO events VALUES ({len(rows) + 1}, '', 'skip', '{{}}', '')",
    ):
        book.save(journal)
        edit(journal, statement)
        assert failure([journal]) == "hash chain", statement
    swapped = list(rows)
    for at, other in ((tell - 1, tell), (tell, tell - 1)):
        swapped[at] = (at + 1, *rows[other][1:])
    assert failure([book.save(journal, swapped)]) == "hash chain"


def test_dropping_the_last_events_shows_against_the_head(tmp_path):
    book, _, _ = story()
    rows = book.rows()
    journal = book.save(tmp_path / "j.db", rows[:-3])
    assert failure([journal], head=book.head) == "noted head"


@pytest.mark.parametrize("what", ["drop", "add", "swap"])
def test_a_rewritten_chain_shows_against_the_head(tmp_path, what):
    book, _, _ = story()
    head, at = book.head, book.place("tell", 3)
    if what == "drop":
        del book.events[book.place("release")]
    elif what == "add":
        book.skip(next(row for row in range(book.pool.n) if row not in book.labels and row != 0))
    else:
        book.events[at], book.events[at + 2] = book.events[at + 2], book.events[at]
    assert failure([book.save(tmp_path / "j.db")], head=head) == "noted head"


def test_events_appended_after_the_head_was_noted_are_counted(tmp_path):
    book, _, _ = story()
    head = book.rows()[4][-1]
    report = audit([book.save(tmp_path / "j.db")], head=head)
    assert not report.ok
    assert f"{len(book.events) - 5} events were appended" in report.first_failure.detail


def test_an_upper_case_head_is_the_same_head(tmp_path):
    book, _, _ = story()
    assert audit([book.save(tmp_path / "j.db")], head=book.head.upper()).ok


# --- lies with a chain that fits ------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_label_shows_against_the_labels_file(tmp_path, kind):
    book, pool, truth = story(kind)
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    row = book.events[book.place("tell", -1)][2]["row"]
    wrong = next(code for code in range(len(pool.classes)) if code != truth[row])
    lie = Book(pool)
    for told, code in book.labels.items():  # an honest session but for one label
        if not lie.certified:
            lie.tell(told, wrong if told == row else int(code))
    if row not in lie.labels:
        lie.tell(row, wrong)
    journal = lie.save(tmp_path / "j.db")
    assert audit([journal]).ok
    assert failure([journal, labels]) == "labels"
    assert failure([journal], labels=labels) == "labels"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_wrong_verdicts_are_found(tmp_path, kind, tolerance):
    journal = tmp_path / "j.db"

    def check(change) -> None:
        book, _, _ = story(kind, tolerance)
        change(book, book.place("verdict"))
        assert failure([book.save(journal)]) == "bounds and verdicts"

    def early(book, at):
        last_read = max(place for place in range(at) if book.events[place][1] in ("tell", "correct"))
        verdict = book.events.pop(at)
        book.events.insert(last_read, verdict)
        book.change(last_read, labels_read=verdict[2]["labels_read"] - 1)

    def late(book, at):
        row = next(row for row in range(book.pool.n) if row not in book.labels)
        verdict = book.events.pop(at)
        book.add("tell", asker="carol", row=row, label=book.pool.classes[0])
        book.events.append(verdict)

    def twice(book, at):
        book.events.insert(at + 1, book.events[at])

    def missing(book, at):
        del book.events[at]

    check(missing)
    check(early)
    check(twice)
    if len(story(kind, tolerance)[0].labels) < 40:
        check(late)
    for entry, value in (
        ("winner", lambda old: (old + 1) % 3),
        ("winner", str),
        ("winner", lambda old: old == 1),
        ("labels_read", lambda old: old - 1),
        ("gap", lambda old: old.replace("/", "1/")),
        ("gap", lambda old: "0"),
        ("certified", lambda old: False),
        ("certified", lambda old: 1),
    ):
        book, _, _ = story(kind, tolerance)
        at = book.place("verdict")
        old = book.events[at][2][entry]
        if type(value(old)) is type(old) and value(old) == old:
            continue
        book.change(at, **{entry: value(old)})
        assert failure([book.save(journal)]) == "bounds and verdicts", (entry, value(old))


def test_a_dropped_added_or_moved_label_changes_the_verdict(tmp_path):
    journal = tmp_path / "j.db"
    book, _, _ = story()
    del book.events[book.place("tell", -1)]
    assert failure([book.save(journal)]) == "bounds and verdicts"
    book, _, _ = story()
    row = max(row for row in range(book.pool.n) if row not in book.labels)
    book.events.insert(
        book.place("tell"), (book.events[0][0], "tell", {"asker": "ann", "row": row, "label": "no"})
    )
    assert failure([book.save(journal)]) == "bounds and verdicts"
    book, _, _ = story()
    book.events.append(book.events.pop(book.place("tell", -1)))
    assert failure([book.save(journal)]) == "bounds and verdicts"


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("tell", {"row": 40}),
        ("tell", {"row": -1}),
        ("tell", {"row": True}),
        ("tell", {"row": "r1"}),
        ("tell", {"row": 3}),
        ("tell", {"label": "maybe"}),
        ("tell", {"label": None}),
        ("tell", {"extra": 1}),
        ("tell", {"asker": None}),
        ("skip", {"asker": " "}),
        ("own", {"row": 5}),
        ("ask", {"rows": []}),
        ("ask", {"rows": [0, 0]}),
        ("ask", {"rows": [3]}),
        ("ask", {"rows": 0}),
        ("ask", {"expires": "soon"}),
        ("ask", {"expires": "2026-01-05T11:00:00"}),
        ("correct", {"old": "yes", "label": "yes"}),
        ("correct", {"row": 1, "label": "yes", "old": "yes"}),
        ("skip", {"row": 1}),
        ("release", {"asker": "ann"}),
        ("release", {"rows": [30]}),
    ],
)
def test_events_that_no_session_can_write_are_found(tmp_path, kind, change):
    book, _, _ = story()
    book.change(book.place(kind), **change)
    assert failure([book.save(tmp_path / "j.db")]) == "events"


def test_rows_on_loan_are_not_asked_by_another_before_the_loan_ends(tmp_path):
    pool, _ = random_pool("binary")
    book = Book(pool)
    book.ask(0, asker="ann")
    book.ask(0, asker="ann")
    assert audit([book.save(tmp_path / "j.db")]).ok
    book.ask(0, asker="bob")
    assert failure([book.save(tmp_path / "j.db")]) == "events"
    book.change(1, expires="2026-01-05T09:00:02+00:00")
    assert audit([book.save(tmp_path / "j.db")]).ok


def test_own_labels_come_first_and_kinds_are_known(tmp_path):
    book, _, _ = story()
    book.events.append(book.events.pop(book.place("own")))
    assert failure([book.save(tmp_path / "j.db")]) == "events"
    book, _, _ = story()
    book.add("peek", row=1)
    assert failure([book.save(tmp_path / "j.db")]) == "events"


# --- what was frozen ------------------------------------------------------------------------------


def test_changed_arrays_are_found_with_and_without_a_new_digest(tmp_path):
    book, pool, _ = story("categorical")
    files = write_pool(pool, tmp_path)
    journal = tmp_path / "j.db"
    changed = pool.confidences[1].copy()
    changed[9] = np.nextafter(changed[9], 2)
    codes = pool.predictions[2].copy()
    codes[4] = (codes[4] + 1) % len(pool.classes)
    ids = [*pool.ids[:-2], pool.ids[-1], pool.ids[-2]]
    for name, data, check in (
        ("confidence/1", changed.tobytes(), "confidences"),
        ("prediction/2", codes.astype("<i2").tobytes(), "predictions"),
        ("ids", canonical(ids).encode(), "ids"),
    ):
        book, _, _ = story("categorical")
        book.arrays[name] = data
        assert failure([book.save(journal), *files]) == "frozen arrays"
        book.header["digests"][name] = sha(data)
        assert failure([book.save(journal), *files]) == check


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("confidence/0", b"\0" * 8),
        ("confidence/0", np.full(40, np.nan).tobytes()),
        ("confidence/3", np.zeros(40).tobytes()),
        ("prediction/0", np.full(40, 2, dtype="<i2").tobytes()),
        ("prediction/0", np.full(40, -1, dtype="<i2").tobytes()),
        ("ids", b'["a"]'),
        ("ids", b"["),
        ("other", b""),
    ],
)
def test_unsound_arrays_are_found(tmp_path, name, data):
    book, _, _ = story()
    book.arrays[name] = data
    book.header["digests"][name] = sha(data)
    assert failure([book.save(tmp_path / "j.db")]) == "frozen arrays"


def test_missing_arrays_are_found(tmp_path):
    for name in ("confidence/2", "prediction/0", "prediction/1"):
        book, _, _ = story()
        del book.arrays[name]
        assert failure([book.save(tmp_path / "j.db")]) == "frozen arrays"
        del book.header["digests"][name]
        assert failure([book.save(tmp_path / "j.db")]) == "frozen arrays"


@pytest.mark.parametrize(
    "change",
    [
        {"names": ["a"]},
        {"names": ["a", "a", "b"]},
        {"classes": ["no"]},
        {"n": "40"},
        {"n": 0},
        {"tolerance": "-1"},
        {"tolerance": 0},
        {"tolerance": "nan"},
        {"objective": "f1"},
        {"seed": None},
        {"seed": -1},
        {"policy": 1},
        {"digests": []},
        {"more": 1},
    ],
)
def test_impossible_headers_are_found(tmp_path, change):
    book, _, _ = story()
    book.header.update(change)
    assert failure([book.save(tmp_path / "j.db")]) == "header"


def test_a_changed_tolerance_moves_the_verdict(tmp_path):
    book, _, _ = story("binary", "0.01")
    for other in ("0", "0.1"):
        book.header["tolerance"] = other
        assert failure([book.save(tmp_path / "j.db")]) == "bounds and verdicts"
    edit(tmp_path / "j.db", "UPDATE header SET json = replace(json, '0.1', '0.01')")
    assert failure([tmp_path / "j.db"]) == "hash chain"


def test_renamed_reordered_or_recoded_pools_are_found(tmp_path):
    book, pool, _ = story()
    files = write_pool(pool, tmp_path)
    journal = book.save(tmp_path / "j.db")
    assert failure([journal, files[1], files[0], files[2]]) == "names"
    assert failure([journal, *files[:2]]) == "names"
    assert failure([journal, *files], classes="no,yes,other") == "classes"
    book.header["kind"] = "categorical"
    assert failure([book.save(journal), *files]) == "frozen arrays"


# --- unusable input -------------------------------------------------------------------------------


def test_unusable_input_is_an_error_not_a_lie(tmp_path):
    book, pool, truth = story()
    journal = book.save(tmp_path / "j.db")
    files = write_pool(pool, tmp_path)
    labels = write_labels(pool, truth, tmp_path / "labels.csv")
    text = tmp_path / "text.db"
    text.write_text("hello\n")
    empty = tmp_path / "empty.db"
    with closing(sqlite3.connect(empty)) as database, database:
        database.execute("CREATE TABLE notes(text)")
    (tmp_path / "other.json").write_text('{"format": "shopping list"}')
    for given_files, options, words in (
        ([], {}, "nothing to audit"),
        (files, {}, "nothing to audit"),
        ([tmp_path / "absent.db"], {}, "absent.db"),
        ([journal, text], {}, "text.db"),
        ([empty], {}, "empty.db"),
        ([tmp_path / "other.json"], {}, "other.json"),
        ([journal], {"head": "abc"}, "64"),
        ([journal, journal], {"head": book.head}, "one journal"),
        ([journal, labels], {"labels": labels}, "give one"),
        ([journal], {"labels": files[0]}, "label"),
    ):
        with pytest.raises(PoolError, match=words):
            audit(given_files, **options)
    book.header["version"] = 2
    with pytest.raises(PoolError, match="version 2"):
        audit([book.save(journal)])
