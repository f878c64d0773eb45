"""Strict dominance, and the models nobody strictly dominates (paper, Definition 1.1).

Model i is strictly dominated when some rival is larger on *every* objective. So a tie on one objective
protects a model. Most other software uses the weak convention – at least as large everywhere and larger
somewhere – which keeps fewer models; ask for it with `weak=True`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pareto.scores import Mask, Scores, as_scores

BLOCK = 256
"""Models compared with the frontier found so far at a time."""
PIVOTS = 24
"""Strong models that thin out the field before the search."""


def frontier(scores: npt.ArrayLike, *, weak: bool = False) -> Mask:
    """Which models are on the Pareto frontier of `scores` (K, d); (K,) bool.

    Strict unless `weak`: see the module. Exact comparisons of the numbers given. O(K log K) up to two
    objectives, O(K·|frontier|·d) in general.

    >>> import pareto
    >>> pareto.frontier([[10, 100], [5, 100], [1, 1]]).tolist()  # the tie protects the second
    [True, True, False]
    >>> pareto.frontier([[10, 100], [5, 100], [1, 1]], weak=True).tolist()
    [True, False, False]
    """
    checked = as_scores(scores, compared=True)
    kept = np.zeros(len(checked), dtype=np.bool_)
    if checked.shape[1] == 1:
        return np.asarray(checked[:, 0] == checked[:, 0].max())
    who = _thinned(checked, weak=weak)
    left = checked[who]
    order = _strongest_first(left)
    if checked.shape[1] == 2 and not weak:
        kept[who[order[_staircase(left[order])]]] = True
    else:
        kept[who[order[_search(left[order], weak=weak)]]] = True
    return kept


def dominates(scores: npt.ArrayLike, *, weak: bool = False) -> Mask:
    """Who dominates whom: (K, K) bool, [j, i] True if j dominates i; O(K²d) time, O(K²) memory.

    >>> import pareto
    >>> pareto.dominates([[3, 3], [2, 2]]).tolist()
    [[False, True], [False, False]]
    """
    checked = as_scores(scores, compared=True)
    return _beats(checked, checked, weak=weak)


def _strongest_first(scores: Scores) -> npt.NDArray[np.int64]:
    """An order in which everybody comes after all who dominate it.

    A dominator's sum of scores is larger or, after rounding, equal. Then the first unequal objective
    decides, which a dominator wins.
    """
    with np.errstate(over="ignore"):
        total = scores.sum(axis=1, dtype=np.float64)
    order: npt.NDArray[np.int64] = np.argsort(-total, kind="stable").astype(np.int64)
    sums = total[order]
    if (sums[1:] == sums[:-1]).any():
        keys = [-scores[:, r] for r in range(scores.shape[1] - 1, -1, -1)]
        order = np.lexsort((*keys, -total)).astype(np.int64)
    return order


def _staircase(ordered: Scores) -> Mask:
    """Two objectives: sweep from the largest first coordinate, remembering the best second one."""
    order = np.lexsort((ordered[:, 1], -ordered[:, 0]))
    first, second = ordered[order, 0], ordered[order, 1]
    best = np.maximum.accumulate(second)
    # only those with a strictly larger first coordinate count, which are those before the group of equals
    start = np.searchsorted(-first, -first, side="left")
    kept = np.empty(len(ordered), dtype=np.bool_)
    kept[order] = (start == 0) | (second >= best[np.maximum(start - 1, 0)])
    return kept


def _thinned(scores: Scores, *, weak: bool) -> npt.NDArray[np.int64]:
    """Positions of the models that a few strong ones do not dominate: a superset of the frontier.

    Which models serve as strong ones is a matter of speed alone, so rounding, overflow and NaN in their
    choice do no harm.
    """
    who = np.arange(len(scores), dtype=np.int64)
    if len(scores) <= 4 * BLOCK:
        return who
    sample = scores[:: len(scores) // BLOCK].astype(np.float64)
    with np.errstate(all="ignore"):
        low = sample.min(axis=0)
        scale = 1.0 / (sample.max(axis=0) - low)
        strength = scores[:, 0] * scale[0]
        for r in range(1, scores.shape[1]):
            strength += scores[:, r] * scale[r]
    rival = int(np.argmax(strength))
    beaten = _beaten_by_one([scores[:, r] for r in range(scores.shape[1])], scores[rival], weak=weak)
    who = who[~beaten]
    columns = [scores[who, r] for r in range(scores.shape[1])]
    with np.errstate(all="ignore"):
        strength = (columns[0] - low[0]) * scale[0]
        for column, least, factor in zip(columns[1:], low[1:], scale[1:], strict=True):
            # a large product of heights means a large volume of dominated points
            strength *= (column - least) * factor
    beaten = np.zeros(len(who), dtype=np.bool_)
    for _ in range(PIVOTS):
        if not len(who):
            break
        rival = int(np.argmax(strength))
        strength[rival] = -1.0
        beaten |= _beaten_by_one(columns, scores[who[rival]], weak=weak)
        strength[beaten] = -1.0
        if 3 * np.count_nonzero(beaten) > len(who):
            stay = ~beaten
            who, strength = who[stay], strength[stay]
            columns = [column[stay] for column in columns]
            beaten = np.zeros(len(who), dtype=np.bool_)
    return who[~beaten]


def _beaten_by_one(columns: list[Scores], rival: Scores, *, weak: bool) -> Mask:
    """Which models a single rival (d,) dominates; `columns` are the d objectives, (K,) each."""
    compare = np.less_equal if weak else np.less
    beaten: Mask = compare(columns[0], rival[0])
    for column, limit in zip(columns[1:], rival[1:], strict=True):
        beaten &= compare(column, limit)
    if weak:
        same = np.equal(columns[0], rival[0])
        for column, limit in zip(columns[1:], rival[1:], strict=True):
            same &= column == limit
        beaten &= ~same
    return beaten


def _search(ordered: Scores, *, weak: bool) -> npt.NDArray[np.int64]:
    """Positions on the frontier; `ordered` as by `_strongest_first`.

    A chain of dominators ends on the frontier, and all of it comes earlier: comparing with the frontier
    found so far and within the block is enough.
    """
    found = np.zeros(0, dtype=np.int64)
    for begin in range(0, len(ordered), BLOCK):
        block = np.arange(begin, min(begin + BLOCK, len(ordered)), dtype=np.int64)
        for part in range(0, len(found), BLOCK):
            rivals = ordered[found[part : part + BLOCK]]
            block = block[~_beats(rivals, ordered[block], weak=weak).any(axis=0)]
        inside = _beats(ordered[block], ordered[block], weak=weak).any(axis=0)
        found = np.concatenate((found, block[~inside]))
    return found


def _beats(rivals: Scores, models: Scores, *, weak: bool) -> Mask:
    """(rivals, models) bool: the rival dominates the model."""
    above = np.ones((len(rivals), len(models)), dtype=np.bool_)
    compare = np.greater_equal if weak else np.greater
    for r in range(models.shape[1]):
        above &= compare(rivals[:, r, None], models[None, :, r])
    if weak:
        same = np.ones_like(above)
        for r in range(models.shape[1]):
            same &= rivals[:, r, None] == models[None, :, r]
        above &= ~same
    return above
