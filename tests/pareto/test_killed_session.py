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
from pareto.session import Session
from tests.pareto.voting import events, judge, open_session

ROOT = str(Path(__file__).parents[2])
KILLS = 12

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

    def start(self, journal, acknowledged, asker="annotator"):
        """The number of a child that votes."""
        self.process.stdin.write(f"{journal} {acknowledged} {asker}\n")
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


def test_killed_at_random_moments(tmp_path, voters):
    with open_session("duel", tmp_path / "whole") as reference:
        while queries := reference.ask(3):
            judge(reference, queries)
        result, comparisons = reference.result, reference.comparisons
    journal, acknowledged = tmp_path / "killed", tmp_path / "acknowledged"
    open_session("duel", journal).close()
    moments = random.Random(8)
    kills = 0
    while True:
        process = voters[0].start(journal, acknowledged)
        if kills < KILLS:
            time.sleep(moments.uniform(0, 0.02 * (kills + 1)))  # the first ones too early to be done
            with suppress(ProcessLookupError):  # it may have finished
                os.kill(process, signal.SIGKILL)
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
