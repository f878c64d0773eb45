"""A voting process killed at random moments loses nothing that was acknowledged, and two do not meet."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pareto.audit import audit
from pareto.errors import BattleError
from pareto.session import Session
from tests.pareto.voting import events, judge, open_session

ROOT = str(Path(__file__).parents[2])
KILLS, START_KILLS = 12, 15

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


class Voter:
    """The process of voter.py."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.pareto.voter"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": ROOT, "OPENBLAS_NUM_THREADS": "1"},
        )

    def start(self, journal, acknowledged="", asker="annotator"):
        """The number of a child that votes, or only starts a session if nothing is to be acknowledged."""
        self.process.stdin.write(f"{journal} {acknowledged} {asker}\n" if acknowledged else f"{journal}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self):
        """The exit code of the child."""
        return int(self.process.stdout.readline())

    def close(self):
        self.process.communicate(timeout=60)


@pytest.fixture
def voters():
    pair = Voter(), Voter()
    yield pair
    for one in pair:
        one.close()


def told(journal):
    return [
        answer[0]
        for _, kind, body in events(journal)
        if kind == "tell"
        for answer in json.loads(body)["answers"]
    ]


def kill(process):
    with suppress(ProcessLookupError):  # it may have finished
        os.kill(process, signal.SIGKILL)


@pytest.mark.parametrize("seed", [8, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 40))])
def test_killed_at_random_moments(tmp_path, voters, seed):
    with open_session("duel", tmp_path / "whole") as reference:
        while queries := reference.ask(3):
            judge(reference, queries)
        result, comparisons = reference.result, reference.comparisons
    journal, acknowledged = tmp_path / "killed", tmp_path / "acknowledged"
    open_session("duel", journal).close()
    moments = random.Random(seed)
    kills = 0
    while True:
        process = voters[0].start(journal, acknowledged)
        if kills < KILLS:
            time.sleep(moments.uniform(0, 0.02 * (kills + 1)))  # the first ones too early to be done
            kill(process)
        kills += voters[0].end() == -signal.SIGKILL
        promised = [int(line) for line in acknowledged.read_text().split()] if acknowledged.exists() else []
        recorded = told(journal)
        assert promised == [number for number in recorded if number in set(promised)]
        with Session.resume(journal) as session:
            if session.done:
                break
    assert kills >= 3
    assert session.comparisons == comparisons
    assert session.result.kept == result.kept
    assert recorded == told(tmp_path / "whole")
    assert audit(journal).ok


def usable(journal):
    """Whether there is a journal, which must then be that of a session that has just begun."""
    if not journal.exists():
        return False
    with Session.resume(journal) as session, open_session("duel") as fresh:
        assert (str(session.result), session.setup) == (str(fresh.result), fresh.setup)
    journal.unlink()
    return True


def test_killed_while_starting(tmp_path, voters):
    journal = tmp_path / "started"
    begin = time.perf_counter()
    voters[0].start(journal)
    assert voters[0].end() == 0
    usual = time.perf_counter() - begin
    moments = random.Random(22)
    found = [usable(journal)]
    for number in range(START_KILLS):
        process = voters[0].start(journal)
        time.sleep(moments.uniform(0, 1.2 * usual * number / START_KILLS))  # the first at once
        kill(process)
        voters[0].end()
        found.append(usable(journal))
    assert not all(found)
    assert all(path.name.startswith(".pareto-") for path in tmp_path.iterdir())
    open_session("duel", journal).close()
    with Session.resume(journal) as session, open_session("duel") as fresh:
        assert session.ask(None) == fresh.ask(None)
    assert audit(journal).ok


@pytest.mark.slow
def test_the_command_killed_while_it_starts(tmp_path):
    journal, moments = tmp_path / "votes", random.Random(23)
    arguments = ["start", str(journal), "--models", "a,b,c", "--objectives", "x,y", "--method", "interval"]
    command = [sys.executable, "-m", "pareto", *arguments]
    begin = time.perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    usual = time.perf_counter() - begin
    journal.unlink()
    absent = 0
    for _ in range(60):
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        time.sleep(moments.choice((moments.uniform(0, 1.2), moments.uniform(0.7, 1.1))) * usual)
        process.kill()
        process.wait()
        absent += not journal.exists()
        if journal.exists():
            try:
                with Session.resume(journal) as session:
                    assert session.ask(1)
            except BattleError as error:
                assert "is empty, as a start that was interrupted leaves it; remove it" in str(error)  # noqa: PT017
            journal.unlink()
    assert absent
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)


def test_an_empty_file_is_what_an_interrupted_start_may_leave(tmp_path):
    (tmp_path / "empty").touch()
    with pytest.raises(BattleError, match=r"empty is empty, as a start .*; remove it and start again"):
        Session.resume(tmp_path / "empty")


def test_two_processes_at_once(tmp_path, voters):
    journal = tmp_path / "shared"
    open_session("duel", journal).close()
    for process, name in zip(voters, ("anna", "ben"), strict=True):
        process.start(journal, tmp_path / name, name)
    assert [process.end() for process in voters] == [0, 0]
    with Session.resume(journal) as session:  # one may have left while the other still held some
        while queries := session.ask(None, "anna") or session.ask(None, "ben"):
            judge(session, queries)
        assert session.done
        assert session.state.surplus == 0
    numbers = told(journal)
    assert len(numbers) == len(set(numbers))
    assert audit(journal).ok
