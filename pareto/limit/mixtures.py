"""The mixture of alternatives that is hardest to tell from the truth: an upper bound on any allocation.

If scores λ_k of alternatives are mixed with shares α_k, no allocation has more information against the worst
of them than max_e Σ_k α_k κ_e(λ_k): the best cell against the mixture. The mixture with the smallest maximum
is a linear program. Its other side is an allocation, the best one against those scores only.

Few cells matter, so the program is solved on some, and cells that turn out better are added (sifting). The
bound is worked out from the shares, over all cells, and does not depend on the solver being right.
"""

from __future__ import annotations

import time

import numpy as np

from pareto.limit.responses import Rows
from pareto.links import Reals
from pareto.scores import Mask
from solvers import LinearProgram
from solvers.backends import highs

FIRST = 200
"""Classes of cells to begin with, and to add at a time."""
ROUNDS = 50
FAINT = 1e-5
"""Information, in units of the level, that the program takes for none."""
MANY = 400
"""Scores from which on the interior-point method is faster than the simplex method."""
ROUNDED = 1 + 1e-9
"""Bounds are enlarged by this for what floating point does to sums of many positive terms."""


def bound_of(share: Reals, information: Rows, faint: float) -> float:
    """What no allocation exceeds against scores with `information` (n, classes) mixed with shares (n,).

    faint: information that was left out, at most, on each class.
    """
    return (float((information.T @ share).max()) + faint) * ROUNDED


def hardest(
    information: Rows, level: float, close: float, used: Mask, seconds: float = np.inf
) -> tuple[Reals, Reals, Mask]:
    """Shares (n,) of the hardest mixture of scores with `information` (n, classes).

    Beside them the other side, an allocation (classes,), and the classes that the program came to look at.
    level: about where the bound will be, the unit of the program. close: share by which the best cell of all
    may exceed the best that the program looked at. used: classes to begin with. seconds: for all rounds; with
    what is found by then it ends.
    """
    count, classes = information.shape
    columns = (information.T / level).tocsr()
    looked = used.copy()
    if not looked.any():
        largest = columns.max(axis=1).toarray().ravel()
        looked[np.argsort(-largest, kind="stable")[:FIRST]] = True
    looked[np.asarray(columns.argmax(axis=0)).ravel()] = True
    share, mass = np.full(count, 1.0 / count), np.full(classes, 1.0 / classes)
    ends = time.perf_counter() + seconds
    for _ in range(ROUNDS):
        left = ends - time.perf_counter()
        if left <= 0:
            break
        some = np.flatnonzero(looked)
        solver = "ipm" if count > MANY else "simplex"
        answer = highs.solve(
            _program(columns[some]), left if np.isfinite(left) else None, presolve="off", solver=solver
        )
        if answer.x is None or answer.duals is None:
            break
        share = np.maximum(answer.x[:count], 0.0)
        share /= share.sum()
        mass = np.zeros(classes)
        mass[some] = np.maximum(answer.duals[: len(some)], 0.0)
        mass /= mass.sum()
        mixed = columns @ share
        best = float(mixed[some].max())
        if mixed.max() <= (1 + close) * best:
            break
        better = np.argsort(-mixed, kind="stable")[:FIRST]
        looked[better[mixed[better] > best]] = True
    return share, mass, looked


def _program(columns: Rows) -> LinearProgram:
    """min s over shares α and s, with s ≥ Σ_k α_k κ_ke for every e: columns α then s, a row a cell."""
    from scipy.sparse import block_array, csr_array  # a slow import

    classes, count = columns.shape
    kept = columns.copy()
    kept.data[kept.data < FAINT] = 0.0
    kept.eliminate_zeros()
    one = csr_array(np.ones((classes, 1)))
    return LinearProgram(
        np.append(np.zeros(count), 1.0),
        block_array([[-kept, one], [csr_array(np.ones((1, count))), None]], format="csc"),
        row_lower=np.append(np.zeros(classes), 1.0),
        row_upper=np.append(np.full(classes, np.inf), 1.0),
    )
