"""A slow, obvious reader: one row after another, each rule written out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

WON = {"model_a": 0, "model-a": 0, "a": 0, "left": 0, "model_b": 1, "model-b": 1, "b": 1, "right": 1}
UNDECIDED = {"tie": 2, "both_bad": 3, "bothbad": 3, "tie (bothbad)": 3}
OUTCOMES = {**WON, **UNDECIDED}


@dataclass
class Read:
    """What is left of a log, and what was dropped."""

    dropped: Counter = field(default_factory=Counter)
    votes: Counter = field(default_factory=Counter)  # (first, second, outcome, objective)
    comparisons: int = 0
    undecided: int = 0
    models: set = field(default_factory=set)
    missing: Counter = field(default_factory=Counter)
    records: list = field(default_factory=list)  # (cluster, first, second, objective, outcome)

    def counts(self, models, objectives):
        """wins, ties, both_bad, (d, K, K) each."""
        wins, ties, both_bad = (
            np.zeros((len(objectives), len(models), len(models)), dtype=int) for _ in range(3)
        )
        for (first, second, outcome, objective), number in self.votes.items():
            r, i, j = objectives.index(objective), models.index(first), models.index(second)
            if outcome == 0:
                wins[r, i, j] += number
            elif outcome == 1:
                wins[r, j, i] += number
            else:
                array = ties if outcome == 2 else both_bad
                array[r, i, j] += number
                array[r, j, i] += number
        return wins, ties, both_bad


def read(rows, objectives_of, renamed=None):
    """`rows`: dictionaries with model_a, model_b, winner. objectives_of: a row → names of objectives."""
    found = Read()
    for row in rows:
        first, second = (renamed_name(row[side], renamed or {}) for side in ("model_a", "model_b"))
        word = (row["winner"] or "").strip().lower()
        found.models |= {name for name in (first, second) if name}
        if first and first == second:
            found.dropped["self-battle, voted" if word else "self-battle, no outcome"] += 1
            continue
        if not word:
            found.dropped["no outcome"] += 1
            continue
        outcome = OUTCOMES[word]
        for name, value in row.get("flags", {}).items():
            found.missing[name] += value is None
        objectives = objectives_of(row)
        if outcome > 1:
            found.dropped["tie" if outcome == 2 else "both bad"] += 1
            found.undecided += bool(objectives)
        elif not objectives:
            found.dropped["no objective"] += 1
        else:
            found.comparisons += 1
        for objective in objectives:
            found.votes[first, second, outcome, objective] += 1
            found.records.append((row.get("session"), first, second, objective, outcome))
    return found


def renamed_name(name, renamed):
    stripped = (name or "").strip()
    return renamed.get(stripped, stripped)


def first_flag(row):
    """Priority rule of arena-140k."""
    for name, value in row["flags"].items():
        if value:
            return [name]
    return ["general"]


def every_flag(row):
    """Multi-label rule."""
    return [name for name, value in row["flags"].items() if value]


def named(row):
    """The objective a row names."""
    name = (row["objective"] or "").strip()
    return [name] if name else []
