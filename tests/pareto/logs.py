"""Small logs for tests, and counts of the bundled one by a plain loop over its rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
from hypothesis import strategies as st

from pareto.bundled import bundled_log
from pareto.pair_counts import PairCounts

PRIORITY = ("code", "math", "creative_writing", "instruction_following")
ARENA_OBJECTIVES = ("general", *PRIORITY)


def counted(wins, ties=None, objectives=None):
    """A log of models a, b, … from wins (d, K, K) and, both given by their upper triangle, ties."""
    wins = np.asarray(wins, dtype=np.int64)
    ties = np.zeros_like(wins) if ties is None else np.asarray(ties, dtype=np.int64)
    ties = np.triu(ties, 1) + np.triu(ties, 1).swapaxes(1, 2)
    models = tuple("abcdefghijklmnop"[: wins.shape[1]])
    objectives = tuple("xyzuvw"[: len(wins)]) if objectives is None else objectives
    return PairCounts(models, objectives, wins, ties, np.zeros_like(ties))


@st.composite
def logs(draw, models=(2, 6), objectives=(1, 3), highest=2, lowest=0, ties=True):
    """Counts of few comparisons; with `lowest` 1 every pair has won and lost on every objective."""
    size, width = draw(st.integers(*models)), draw(st.integers(*objectives))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    off = ~np.eye(size, dtype=bool)
    wins = rng.integers(lowest, highest + 1, (width, size, size)) * off
    tied = np.triu(rng.integers(0, 3 if ties else 1, (width, size, size)), 1)
    return counted(wins, tied)


@cache
def arena(priority=True):
    """The bundled log, decisive comparisons only, objectives by priority or by every flag that is set."""
    columns = ["model_a", "model_b", "winner", "is_code", *PRIORITY[1:]]
    rows = pl.read_parquet(bundled_log("arena140k-decisive"), columns=columns).rows()
    models = sorted({name for row in rows for name in row[:2]})
    wins = np.zeros((len(ARENA_OBJECTIVES), len(models), len(models)), dtype=np.int64)
    for a, b, winner, *flags in rows:
        first, second = (a, b) if winner == "model_a" else (b, a)
        chosen = [number for number, flag in enumerate(flags, 1) if flag] or [0]
        for objective in chosen[:1] if priority else chosen:
            wins[objective, models.index(first), models.index(second)] += 1
    return PairCounts.decisive(models, ARENA_OBJECTIVES, wins)
