"""Integer rank weights of AUGRC with tied confidences averaged (paper, section 2, equation 2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]


def rank_weights(confidence: npt.NDArray[np.float64]) -> IntArray:
    """Weights w = 2n − s − e of one candidate, largest confidence first; shape (n,), sum n².

    A block of equal confidences occupying positions [s, e) shares one weight, so nothing depends
    on the order of rows. O(n log n).
    """
    n = len(confidence)
    order = np.argsort(confidence)
    ascending = confidence[order]
    starts = np.empty(n, dtype=bool)
    starts[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=starts[1:])
    edges = np.append(np.flatnonzero(starts), n)
    # counted from the least confident end: positions [n − e, n − s) give the weight s' + e'
    block_weights = (edges[:-1] + edges[1:]).astype(np.int32)
    weights = np.empty(n, dtype=np.int32)
    weights[order] = block_weights if len(block_weights) == n else np.repeat(block_weights, np.diff(edges))
    return weights


def all_rank_weights(confidences: npt.NDArray[np.float64]) -> IntArray:
    """`rank_weights` of every candidate; (K, n) float64 to (K, n) int32. Candidates run in threads."""
    candidates, n = confidences.shape
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
