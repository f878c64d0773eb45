"""How far from the end a session was after so many labels, knowing them all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.bounds import PairMatrix, Requirement, added
from certify.report_page.course import Counts, places
from certify.risks import UNLABELLED, Codes, Risks
from solvers import CoveringProgram, solve

_PLACES = 11
_LARGEST = 60_000
"""Cells of gains, K × n, up to which the places between the two ends are worked out."""


@dataclass(frozen=True, eq=False)
class Waste:
    """at: numbers of labels read, (T,). needed: how many further ones would have been enough, (T,)."""

    at: Counts
    needed: Counts


def waste(
    risks: Risks,
    codes: Codes,
    rows: npt.NDArray[np.int64],
    before: PairMatrix,
    requirement: Requirement,
    minimum: int,
) -> Waste:
    """The waste along `rows`, read in this order; every row is labelled in `codes`.

    After each number of labels the rest is a covering program of its own: the deficits left, and the gains of
    the rows not read.
    """
    candidates, n = risks.shape
    at = places(len(rows), _PLACES if candidates * n <= _LARGEST else 2)
    needed = np.zeros(len(at), dtype=np.int64)
    needed[0] = minimum
    for place, count in enumerate(at[1:].tolist(), 1):
        read = np.full(n, UNLABELLED, dtype=np.int16)
        read[rows[:count]] = codes[rows[:count]]
        lower = before + added(risks, read)
        needed[place] = _fewest(risks, codes, read == UNLABELLED, lower, requirement)
    return Waste(at, needed)


def _fewest(
    risks: Risks, codes: Codes, unread: npt.NDArray[np.bool_], lower: PairMatrix, requirement: Requirement
) -> int:
    """The fewest further labels that certify somebody."""
    candidates = len(lower)
    deficits = np.maximum(requirement.levels(candidates) - lower, 0)
    rows = np.flatnonzero(unread)
    fewest = len(rows)
    for k in range(candidates):
        rivals = [j for j in range(candidates) if deficits[j, k]]
        if not rivals:
            return 0
        gains = np.stack([risks.gain(j, k, codes[rows], rows) for j in rivals])
        demands = deficits[rivals, k]
        if (gains.sum(axis=1, dtype=np.int64) < demands).any():
            continue  # the labels make it no winner
        useful = gains.any(axis=0)
        solution = solve(CoveringProgram(np.ascontiguousarray(gains[:, useful]), demands))
        if solution.x is not None:
            fewest = min(fewest, int(solution.x.sum()))
    return fewest
