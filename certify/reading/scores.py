"""Confidence scores: one number a row from its class probabilities, larger = accepted earlier.

All are computed in float64 from the probabilities as stored; nothing is renormalised. `msp` only copies
values and `margin` is one correctly rounded subtraction. `neg-entropy` takes logarithms and a sum, whose
last digit may differ between builds of numpy: a decision that must be repeated elsewhere should freeze
the confidences themselves, as a session's journal does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from certify.classes import shorten
from certify.errors import PoolError
from certify.risks import blocks

FloatArray = npt.NDArray[np.float64]


def msp(probabilities: FloatArray) -> FloatArray:
    """Maximum softmax probability, max_c p_c; (n, classes) to (n,)."""
    largest: FloatArray = probabilities.max(axis=1)
    return largest


def neg_entropy(probabilities: FloatArray) -> FloatArray:
    """Negative entropy Σ_c p_c ln p_c with 0 ln 0 = 0; (n, classes) to (n,).

    The sum is `numpy.sum` along the classes of a C-ordered array, so a row's value depends on that row
    alone.
    """
    logarithms = np.log(np.where(probabilities > 0, probabilities, 1.0))
    total: FloatArray = np.sum(np.ascontiguousarray(probabilities * logarithms), axis=1)
    return total


def margin(probabilities: FloatArray) -> FloatArray:
    """Largest minus second largest probability; (n, classes ≥ 2) to (n,)."""
    top_two = np.partition(probabilities, -2, axis=1)[:, -2:]
    difference: FloatArray = top_two[:, 1] - top_two[:, 0]
    return difference


SCORES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "msp": msp,
    "neg-entropy": neg_entropy,
    "margin": margin,
}
DEFAULT_SCORE = "msp"


def score(name: str, probabilities: npt.NDArray[np.floating | np.integer]) -> FloatArray:
    """The score called `name` of (n, classes) probabilities; (n,) float64. Works in blocks of rows."""
    confidences = np.empty(len(probabilities))
    for block in blocks(len(probabilities)):
        confidences[block] = SCORES[name](np.ascontiguousarray(probabilities[block], dtype=np.float64))
    return confidences


def check_scores(names: str | Iterable[str]) -> tuple[str, ...]:
    """Distinct known score names; a text may list several, separated by commas."""
    listed = [str(name).strip() for name in (names.split(",") if isinstance(names, str) else names)]
    unknown = [name for name in listed if name not in SCORES]
    if unknown or not listed:
        problem = f"unknown score {shorten(map(repr, unknown))}" if unknown else "no score named"
        raise PoolError(f"{problem}; choose from {', '.join(SCORES)}")
    if len(set(listed)) != len(listed):
        raise PoolError(f"scores {', '.join(listed)} name one twice; each score makes one candidate")
    return tuple(listed)
