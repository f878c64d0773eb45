"""Integer rank weights of AUGRC with tied confidences averaged (paper, section 2, equation 2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from solvers.disk_tables import DiskTable, like

IntArray = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


def ascending(confidence: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """Row order by confidence, smallest first, and the confidences in it; both (n,).

    Sorting integers that hold a confidence's leading bits and the row beside them is several times faster
    than an argsort; rows that the bits left out do not tell apart are sorted again by value.
    """
    n = len(confidence)
    width = max(1, (n - 1).bit_length())
    keys = confidence.view(np.int64)
    keys = keys ^ ((keys >> 63) & np.iinfo(np.int64).max)  # integers in the order of the doubles
    keys >>= width
    keys <<= width
    keys |= np.arange(n)
    keys.sort()
    order = keys & ((1 << width) - 1)
    values = confidence[order]
    if (values[1:] < values[:-1]).any():
        keys >>= width
        alike = np.zeros(n, dtype=bool)
        np.equal(keys[1:], keys[:-1], out=alike[1:])
        alike[:-1] |= alike[1:]
        at = np.flatnonzero(alike)
        again = np.lexsort((values[at], keys[at]))
        order[at], values[at] = order[at][again], values[at][again]
    return order, values


def rank_weights(confidence: Floats) -> IntArray:
    """Weights w = 2n − s − e of one candidate, largest confidence first; shape (n,), sum n².

    A block of equal confidences occupying positions [s, e) shares one weight, so nothing depends
    on the order of rows. O(n log n).
    """
    n = len(confidence)
    order, values = ascending(confidence)
    starts = np.empty(n, dtype=bool)
    starts[:1] = True
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    edges = np.append(np.flatnonzero(starts), n)
    # counted from the least confident end: positions [n − e, n − s) give the weight s' + e'
    block_weights = (edges[:-1] + edges[1:]).astype(np.int32)
    weights = np.empty(n, dtype=np.int32)
    weights[order] = block_weights if len(block_weights) == n else np.repeat(block_weights, np.diff(edges))
    return weights


def all_rank_weights(confidences: Floats) -> IntArray:
    """`rank_weights` of every candidate; (K, n) float64 to (K, n) int32. Candidates run in threads."""
    candidates, n = confidences.shape
    if isinstance(confidences, DiskTable):  # one at a time: a sort takes several times a column's memory
        return like(confidences, map(rank_weights, confidences), np.int32)
    weights = np.empty((candidates, n), dtype=np.int32)

    def fill(k: int) -> None:
        weights[k] = rank_weights(confidences[k])

    if n < 50_000:  # starting threads costs more than these sorts
        for k in range(candidates):
            fill(k)
    else:
        with ThreadPoolExecutor() as threads:
            list(threads.map(fill, range(candidates)))
    return weights
