"""Slow, obvious answers on small pools: everything by enumeration of completions, in plain integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from certify import Pool


def weights_of(confidence):
    """w = 2n − s − e from the definition: s rows are more confident, e − s share the confidence."""
    n = len(confidence)
    return [
        2 * n - sum(c > own for c in confidence) - sum(c >= own for c in confidence) for own in confidence
    ]


def risks_of(pool: Pool, labels) -> list[int]:
    """r_j for a complete labelling by class codes."""
    return completion_risks(pool, labels)[0].tolist()


def winner_of(totals) -> int:
    return min(range(len(totals)), key=lambda k: (totals[k], k))


def completions(pool: Pool, codes) -> np.ndarray:
    """Every labelling that agrees with `codes` (−1 = unread), (completions, n)."""
    choices = [range(len(pool.classes)) if code < 0 else [int(code)] for code in codes]
    return np.array(list(product(*choices)), dtype=np.int64).reshape(-1, len(choices))


def completion_risks(pool: Pool, codes) -> np.ndarray:
    """r_j under every completion, (completions, K), from losses and the definition of the weights."""
    labels = completions(pool, codes)
    risks = []
    for j in range(pool.candidates):
        weights = np.array(weights_of(list(pool.confidences[j])))
        wrong = labels != pool.predictions[j % len(pool.predictions)]
        risks.append((wrong * weights).sum(axis=1))
    return np.stack(risks, axis=1)


def verdict_of(pool: Pool, codes, slack: int | None = None):
    """(certified, candidate, its excess) by enumeration; slack None means the exact test and tie rule."""
    return _verdict(completion_risks(pool, codes), slack)


def _verdict(risks: np.ndarray, slack: int | None):
    excess = (risks - risks.min(axis=1, keepdims=True)).max(axis=0).tolist()
    if slack is None:
        winners = set(risks.argmin(axis=1).tolist())  # the first of equal risks
        sure = sorted(winners) if len(winners) == 1 else []
    else:
        sure = [k for k, worst in enumerate(excess) if worst <= slack]
    best = min(sure or range(len(excess)), key=lambda k: (excess[k], k))
    return bool(sure), best, excess[best]


def certificate_size_of(pool: Pool, labels, slack: int | None = None) -> int:
    """Fewest rows whose labels settle the choice, by trying all sets of rows."""
    unread = [-1] * pool.n
    every, risks = completions(pool, unread), completion_risks(pool, unread)
    agrees = every == np.asarray(labels)
    for size in range(pool.n + 1):
        for rows in combinations(range(pool.n), size):
            if _verdict(risks[agrees[:, list(rows)].all(axis=1)], slack)[0]:
                return size
    raise AssertionError("reading every row settles every choice")


def augrc_by_auroc(confidence, errors) -> Fraction:
    """AUGRC = (1 − AUROC_f)·e·(1−e) + e²/2 in fractions, ties counted one half."""
    n = len(errors)
    wrong = [c for c, e in zip(confidence, errors, strict=True) if e]
    right = [c for c, e in zip(confidence, errors, strict=True) if not e]
    rate = Fraction(len(wrong), n)
    if not wrong or not right:
        return rate * rate / 2
    above = sum(Fraction(int(r > w)) + Fraction(int(r == w), 2) for r in right for w in wrong)
    auroc = above / (len(wrong) * len(right))
    return (1 - auroc) * rate * (1 - rate) + rate * rate / 2


@st.composite
def small_pools(draw, max_rows: int = 8, max_candidates: int = 4, kinds=("binary", "shared", "multiclass")):
    """Pools with many ties and frequent duplicate candidates."""
    n = draw(st.integers(1, max_rows))
    candidates = draw(st.integers(2, max_candidates))
    kind = draw(st.sampled_from(kinds))
    level = st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9])
    classes = 2 if kind == "binary" else 3
    rows = [
        (
            draw(st.lists(level, min_size=n, max_size=n)),
            draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)),
        )
        for _ in range(candidates)
    ]
    if draw(st.booleans()):
        rows[draw(st.integers(1, candidates - 1))] = rows[0]
    confidences = np.array([row[0] for row in rows])
    predictions = np.array([row[1] for row in rows])
    if kind == "shared":
        return Pool.shared(confidences)
    if kind == "binary":
        return Pool.binary(predictions, confidences)
    return Pool.multiclass(predictions, confidences, [0, 1, 2])


@st.composite
def labelled_pools(draw, **options):
    pool = draw(small_pools(**options))
    labels = draw(st.lists(st.integers(0, len(pool.classes) - 1), min_size=pool.n, max_size=pool.n))
    return pool, np.array(labels, dtype=np.int16)
