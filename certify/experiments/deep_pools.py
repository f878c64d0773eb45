"""Three networks on CIFAR test images, each a pool that asks which confidence score to trust.

Sources and licences: `certify/data/SOURCES.md` and `certify/experiments/data/SOURCES.md`.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from certify.bundled import CIFAR10_VGG16, CONFIDENCE_SCORES
from certify.errors import PoolError
from certify.experiments.data import FOLDER
from certify.pool import Pool
from certify.reading.probabilities import argmax_codes
from certify.reading.scores import score
from certify.risks import Codes

IMAGES = 10_000
_PACKED = {"wrn-16-4-cifar-10": 10, "wrn-16-4-cifar-100": 100}
"""The pools packed by us and their numbers of classes."""
DEEP_POOLS = ("vgg-16-cifar-10", *_PACKED)


@dataclass(frozen=True, eq=False)
class Outputs:
    """probabilities: (images, classes) float32 as the network gave them. truth: (images,) class codes."""

    probabilities: npt.NDArray[np.float32]
    truth: Codes


@lru_cache(maxsize=1)
def outputs(name: str) -> Outputs:
    """Softmax outputs and labels of one of `DEEP_POOLS`; `PoolError` for any other name."""
    if name in _PACKED:
        with lzma.open(FOLDER / f"{name}.xz") as file:
            return unpacked(file.read(), _PACKED[name])
    if name not in DEEP_POOLS:
        raise PoolError(f"there is no deep pool {name!r}; the deep pools are {', '.join(DEEP_POOLS)}")
    with np.load(CIFAR10_VGG16, allow_pickle=False) as arrays:
        return Outputs(arrays["predictions"], arrays["ground_truth"].astype(np.int16))


def unpacked(content: bytes, classes: int) -> Outputs:
    """The packed layout: a byte a label, then byte 0 of every little-endian float32, then bytes 1, 2 and 3.

    Bytes of like meaning beside each other compress better, and the floats come back bit by bit.
    """
    planes = np.frombuffer(content, dtype=np.uint8, offset=IMAGES).reshape(4, IMAGES * classes)
    floats = np.ascontiguousarray(planes.T).view("<f4").reshape(IMAGES, classes)
    truth = np.frombuffer(content, dtype=np.uint8, count=IMAGES).astype(np.int16)
    return Outputs(floats.astype(np.float32, copy=False), truth)


def deep_pool(name: str, scores: Sequence[str] = CONFIDENCE_SCORES) -> tuple[Pool, Codes]:
    """Confidence scores of one network as candidates, in the order of ties, and the true classes.

    Scores are computed in float64 from the stored values (paper, section 6.3.1).
    """
    found = outputs(name)
    pool = Pool.from_codes(
        tuple(scores),
        tuple(map(str, range(found.probabilities.shape[1]))),
        argmax_codes(found.probabilities)[None, :],
        np.stack([_confidences(name, by) for by in scores]),
    )
    return pool, found.truth


@lru_cache(maxsize=len(CONFIDENCE_SCORES))
def _confidences(name: str, by: str) -> npt.NDArray[np.float64]:
    return score(by, outputs(name).probabilities)
