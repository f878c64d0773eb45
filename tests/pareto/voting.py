"""Sessions and judges for the tests."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from pareto.session import Session

THETA = np.array([[1.4, 0.0], [0.0, 1.4], [-1.2, -1.4], [-1.4, -1.2]])
MODELS, OBJECTIVES = ("a", "b", "c", "d"), ("x", "y")
ALL = ("vb-ege", "focal-borda", "bt-mle", "borda-plugin", "track-and-stop", "interval", "duel", "commit")
GUARANTEED = tuple(name for name in ALL if name not in ("bt-mle", "track-and-stop"))


class Clock:
    """Seconds since 2026-01-05, moved by hand; a little with every look."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.now = 1767571200.0 + seconds

    def __call__(self) -> float:
        self.now += 0.001
        return self.now


def open_session(method: str = "vb-ege", journal: Path | None = None, **options) -> Session:
    options.setdefault("clock", Clock())
    return Session(MODELS, OBJECTIVES, method, 0.2, 3, journal, ordered=True, **options)


def opinion(query, objective: int | None = None, theta=THETA) -> str:
    """What the judge of these tests says to a query: fixed by its number, as Bradley–Terry has it."""
    r = query.objectives[0] if objective is None else objective
    text = f"{query.number}/{r}".encode()
    dice = int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "big") / 2**32
    chance = 1 / (1 + np.exp(theta[query.right, r] - theta[query.left, r]))
    return "left" if dice < chance else "right"


def points(query, objective: int, theta=THETA) -> tuple[int, int]:
    """What the judge says to a query of many comparisons: fixed by its number."""
    chance = 1 / (1 + np.exp(theta[query.right, objective] - theta[query.left, objective]))
    rng = np.random.default_rng((query.number, objective))
    return int(rng.binomial(query.count, chance)), query.count


def judge(session: Session, queries, theta=THETA) -> None:
    """Answer these queries."""
    objectives = session.setup.task.objectives
    session.tell(
        queries, [{objectives[r]: points(query, r, theta) for r in query.objectives} for query in queries]
    )


def judge_all(session: Session, theta=THETA) -> Session:
    """Answer whole rounds, in two calls each, until the session is done."""
    while queries := session.ask(None):
        judge(session, queries[::2], theta)
        judge(session, queries[1::2], theta)
    assert session.done
    return session


def events(journal: Path) -> list[tuple[int, str, str]]:
    """(number, kind, body text) of every event."""
    with closing(sqlite3.connect(journal)) as connection:
        return connection.execute("SELECT seq, kind, body FROM events ORDER BY seq").fetchall()
