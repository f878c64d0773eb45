"""Canonical witnesses: of columns with equal gains, the smallest indices are taken.

A witness is described by how it departs from the sign rule of integer multipliers (take column i exactly
when q − p·g_i < 0): for each class of equal columns that departs, its first column and how many of its
columns are taken, smallest indices first. Equal witnesses up to such exchanges get equal descriptions, and
the description stays short because few columns depart.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from solvers.exact import sign_rule
from solvers.problems import CoveringProgram, blocks
from solvers.solution import Multipliers

Deviation = tuple[int, int]
"""(first column of a class of equal columns, how many of the class are taken)."""


@cache
def _odd_numbers(m: int) -> npt.NDArray[np.uint64]:
    odd = 2 * np.random.default_rng(0).integers(1 << 62, size=m) + 1
    return np.asarray(odd).astype(np.uint64)


def column_keys(gains: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of every column of an integer matrix (m, n); equal columns have equal keys."""
    return hashed(gains, *gains.shape)


def hashed(rows: Iterable[npt.NDArray[Any]], m: int, n: int) -> npt.NDArray[np.uint64]:
    """`column_keys` of m rows of n integers each."""
    mix = _odd_numbers(m)
    key = np.zeros(n, dtype=np.uint64)
    for j, row in enumerate(rows):
        key += mix[j : j + 1] * row.astype(np.int64, copy=False).view(np.uint64)
    return key


def canonical(
    program: CoveringProgram, dual: Multipliers, x: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.bool_], tuple[Deviation, ...]]:
    """The canonical form of x and its deviations from the sign rule of ``dual``.

    Size and coverage stay the same: only columns with equal gains change places.
    """
    rule = np.zeros(program.n, dtype=np.bool_)
    for part in blocks(program.n):
        rule[part] = sign_rule(program, dual.p, dual.q, part)
    departing = np.flatnonzero(rule != x)
    if not departing.size:
        return rule, ()
    wanted = np.unique(column_keys(program.gains[:, departing]))
    found = [
        part.start + np.flatnonzero(np.isin(column_keys(program.gains[:, part]), wanted))
        for part in blocks(program.n)
    ]
    columns = np.concatenate(found)  # every column that could equal a departing one
    _, first, group, counts = np.unique(
        program.gains[:, columns], axis=1, return_index=True, return_inverse=True, return_counts=True
    )
    taken = np.bincount(group.ravel(), weights=x[columns], minlength=len(first)).astype(np.int64)
    default = np.where(rule[columns[first]], counts, 0)
    deviations: list[Deviation] = []
    for k in np.flatnonzero(taken != default):
        members = columns[group.ravel() == k]
        rule[members] = False
        rule[members[: taken[k]]] = True
        deviations.append((int(members[0]), int(taken[k])))
    return rule, tuple(sorted(deviations))
