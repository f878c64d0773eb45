"""A labelling process killed at random moments loses nothing, and two at once do not meet."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import certify
from certify.session import Session

SCRIPT = Path(__file__).with_name("labeller.py")
KILLS, START_KILLS = 200, 40

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


class Labeller:
    """The process of labeller.py."""

    def __init__(self) -> None:
        root = str(Path(certify.__file__).parents[1])
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": root, "OPENBLAS_NUM_THREADS": "1"},
        )

    def send(
        self,
        do: str,
        journal: Path,
        delay: float | None = None,
        steps: int = 0,
        asker: str = "annotator",
        pause: float = 0,
    ) -> None:
        command = {
            "do": do,
            "journal": str(journal),
            "delay": delay,
            "steps": steps,
            "pause": pause,
            "asker": asker,
            "acknowledged": str(acknowledgements(journal, asker)),
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the labeller stopped; its message is on stderr"
        return json.loads(line)

    def run(self, do: str, journal: Path, delay: float | None = None, steps: int = 0) -> dict[str, float]:
        self.send(do, journal, delay, steps)
        return self.answer()

    def close(self) -> None:
        self.process.communicate(timeout=60)


@pytest.fixture
def labeller() -> Iterator[Labeller]:
    started = Labeller()
    yield started
    started.close()


@pytest.fixture(scope="module")
def example() -> tuple[certify.Pool, list[str]]:
    spec = importlib.util.spec_from_file_location("labeller", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.example()


def acknowledgements(journal: Path, asker: str) -> Path:
    return journal.with_suffix(f".{asker}.acknowledged")


def acknowledged(journal: Path, asker: str = "annotator") -> list[tuple[int, str]]:
    path = acknowledgements(journal, asker)
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(row), label) for row, label in (line.split(",") for line in lines)]


def answered(journal: Path) -> list[tuple[int, str]]:
    """Rows and labels of the tell and skip events, in order."""
    with closing(sqlite3.connect(journal)) as connection:
        events = connection.execute(
            "SELECT body FROM events WHERE kind IN ('tell', 'skip') ORDER BY seq"
        ).fetchall()
    bodies = [json.loads(body) for (body,) in events]
    return [(body["row"], body.get("label", "?")) for body in bodies]


def asked(journal: Path) -> list[int]:
    with closing(sqlite3.connect(journal)) as connection:
        events = connection.execute("SELECT body FROM events WHERE kind = 'ask' ORDER BY seq").fetchall()
    return [row for (body,) in events for row in json.loads(body)["rows"]]


def uninterrupted(pool: certify.Pool, answers: list[str]) -> tuple[Session, list[tuple[int, str]]]:
    session, order = Session(pool), []
    while rows := session.ask():
        session.tell(rows, [answers[rows[0]]])
        order.append((rows[0], answers[rows[0]]))
    return session, order


def test_killed_at_random_moments(
    tmp_path: Path, labeller: Labeller, example: tuple[certify.Pool, list[str]]
) -> None:
    pool, answers = example
    reference, order = uninterrupted(pool, answers)
    moments = random.Random(20)
    kills, working, torn, rounds = 0, 0, 0, 0
    while kills < KILLS:
        journal = tmp_path / f"{rounds}.journal"
        rounds += 1
        Session(pool, journal=journal).close()
        finished, resuming, seen, unheard = False, 0.02, 0, 0
        while not finished:
            # a quarter of the kills fall between the fork and the first label, the others on ask, tell
            # and acknowledge, a random number of labels later
            steps = moments.choice((0, 1, 2, 3, 4, 5, 6, 7))
            delay = moments.uniform(0, 0.01 if steps else 1.2 * resuming) if kills < KILLS else None
            finished = not labeller.run("label", journal, delay, steps)["killed"]
            kills += not finished
            torn += Path(f"{journal}-journal").exists()  # a change cut off half-way, to be undone
            promised = acknowledged(journal)
            working += not finished and len(promised) > seen
            seen = len(promised)
            begin = time.perf_counter()
            with Session.resume(journal) as session:  # which checks the hash chain
                resuming = time.perf_counter() - begin
                recorded = answered(journal)
                assert recorded == order[: len(recorded)]
                assert set(promised) <= set(recorded)
                # a kill between commit and acknowledgement loses the acknowledgement of that one label
                assert len(promised) >= len(recorded) - unheard - (not finished)
                unheard = len(recorded) - len(promised)
        assert recorded == order
        assert asked(journal) == [row for row, _ in order]
        assert session.verdict == reference.verdict
        np.testing.assert_array_equal(session.lower, reference.lower)
    assert torn, "no kill fell inside a commit"
    assert working > KILLS / 2, "too few kills fell on the labelling itself"


def test_killed_while_starting(
    tmp_path: Path, labeller: Labeller, example: tuple[certify.Pool, list[str]]
) -> None:
    pool, _ = example
    reference = Session(pool)
    spare = tmp_path / "spare.journal"
    usual = labeller.run("start", spare)["seconds"]
    delays = random.Random(21)
    journal = tmp_path / "started.journal"
    absent = 0
    for _ in range(START_KILLS):
        labeller.run("start", journal, delays.uniform(0, 1.2 * usual))
        absent += not journal.exists()
        if journal.exists():
            with Session.resume(journal) as session:
                assert session.verdict == reference.verdict
                np.testing.assert_array_equal(session.pool.confidences, pool.confidences)
            journal.unlink()
    assert absent
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".certify-")} == {spare.name}
    labeller.run("start", journal)
    Session.resume(journal).close()


def test_two_processes_at_once(tmp_path: Path, example: tuple[certify.Pool, list[str]]) -> None:
    pool, answers = example
    reference, order = uninterrupted(pool, answers)
    journal = tmp_path / "shared.journal"
    with Session(pool, journal=journal) as session:
        before = order[: len(order) // 2]  # the first half in one go, to save time
        session.tell(*zip(*before, strict=True))
    pair = {"anna": Labeller(), "ben": Labeller()}
    for asker, process in pair.items():
        process.send("label", journal, asker=asker, pause=0.004)
    for process in pair.values():
        process.answer()
        process.close()
    with Session.resume(journal) as session:
        verdict = session.verdict
    assert (verdict.certified, verdict.winner) == (reference.verdict.certified, reference.verdict.winner)
    rows = asked(journal)
    assert len(rows) == len(set(rows))
    told = [acknowledged(journal, asker) for asker in pair]
    assert min(map(len, told)) > 10
    assert sorted(before + told[0] + told[1]) == sorted(answered(journal))
