"""The bounds along the labels in the order in which they were read, kept at a few hundred places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement
from certify.budget import descending_sums
from certify.risks import Codes, Risks

POINTS = 400

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Course:
    """L after the first 0, 1, …, N labels.

    leader: whose lead is followed. at: the places kept, (T,), from 0 to N. lower: L_jk of the leader k
    against every candidate j at these, (K, T). settled: (K,) after how many labels L_jk met its level, −1
    where it has not. worst: min_k max_j max(0, −L_jk) after every label, (N + 1,): the smallest excess that
    could be guaranteed then, in 1/scale. firsts: after how many labels somebody met each requirement asked
    about, None where nobody has. With rounded weights (AURC) all of these are on the safe side: they may come
    a label late, never early.
    """

    leader: int
    at: Counts
    lower: PairMatrix
    settled: Counts
    worst: Counts
    firsts: tuple[int | None, ...]


def follow(
    risks: Risks,
    codes: Codes,
    rows: npt.NDArray[np.int64],
    lower: PairMatrix,
    leader: int,
    requirement: Requirement,
    others: Sequence[Requirement] = (),
) -> Course:
    """The course of the bounds along `rows`, all of them labelled in `codes`, from `lower` on; O(K²N).

    `settled` is about `requirement`, `firsts` about it and the others.
    """
    candidates, read = len(lower), len(rows)
    taken = Risks(
        np.ascontiguousarray(risks.weights[:, rows]),
        np.ascontiguousarray(risks.predictions[:, rows]),
        risks.scale,
    )
    labels = codes[rows]
    levels = [asked.levels(candidates) for asked in (requirement, *others)]
    firsts = [read + 1] * len(levels)
    at = places(read)
    kept = np.zeros((candidates, len(at)), dtype=np.int64)
    settled = np.zeros(candidates, dtype=np.int64)
    worst: Counts | None = None
    for k in range(candidates):
        excess = np.zeros(read + 1, dtype=np.int64)
        reached = [0] * len(levels)
        for j in range(candidates):
            if j == k:
                continue
            line = np.empty(read + 1, dtype=np.int64)
            line[0] = 0
            np.cumsum(taken.gain(j, k, labels), dtype=np.int64, out=line[1:])
            line += lower[j, k] - int(risks.radius[j, k])
            met = [int(np.searchsorted(line, level[j, k])) for level in levels]
            reached = list(map(max, reached, met))
            if k == leader:
                kept[j] = line[at]
                settled[j] = met[0] if met[0] <= read else -1
            np.maximum(excess, np.negative(line, out=line), out=excess)
        firsts = list(map(min, firsts, reached))
        worst = excess if worst is None else np.minimum(worst, excess, out=worst)
    assert worst is not None  # a pool has two candidates or more
    return Course(
        leader, at, kept, settled, worst, tuple(None if first > read else first for first in firsts)
    )


def places(read: int, most: int = POINTS) -> Counts:
    """Up to `most` whole numbers from 0 to `read`, evenly spread, both ends among them."""
    return np.unique(np.linspace(0, read, min(read + 1, most)).round().astype(np.int64))


@dataclass(frozen=True, eq=False)
class RuledOut:
    """budgets: numbers of labels, (B,). slack: for each the least excess, in 1/scale, that no labels of that
    number can bring down further."""

    budgets: Counts
    slack: Counts


def ruled_out(risks: Risks, lower: PairMatrix) -> RuledOut:
    """Tolerances below slack/scale are impossible with so many labels, whatever these are; O(K² n log n).

    The m largest spans are the most that m labels can add to any L_jk (paper, Theorem 3). `lower`: L before
    any label.
    """
    candidates, n = risks.shape
    budgets = places(n)
    worst = np.zeros((candidates, len(budgets)), dtype=np.int64)
    for j, k in risks.pairs():
        sums = np.concatenate([[0], descending_sums(risks.most_span(j, k))])[budgets]
        for a, b in ((j, k), (k, j)):
            np.maximum(worst[b], -(lower[a, b] + int(risks.radius[a, b]) + sums), out=worst[b])
    return RuledOut(budgets, worst.min(axis=0))
