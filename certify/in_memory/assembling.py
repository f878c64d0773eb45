"""One table of candidates, with the classes of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from certify.errors import PoolError
from certify.reading.alphabets import pool_classes, recoded
from certify.reading.scores import SCORES
from certify.reading.sources import Candidate
from certify.risks import Codes


@dataclass(frozen=True, eq=False)
class Candidates:
    """What a pool is made of: codes (K, n) into `classes`, confidences (K, n), what the user is to know."""

    names: tuple[str, ...]
    classes: tuple[str, ...]
    codes: Codes
    confidences: npt.NDArray[np.float64]
    notices: tuple[str, ...]


def listed(what: str, given: object) -> list[object]:
    """Several values, given as any sequence or as a text with commas; `PoolError` for anything else."""
    if isinstance(given, str):
        return [part.strip() for part in given.split(",")]
    try:
        return list(given)  # type: ignore[call-overload, no-any-return]
    except TypeError as error:
        raise PoolError(f"{what}={given!r} ({error}); give a list of them") from None


def assembled(
    made: Sequence[Candidate],
    scores: Sequence[str],
    given: int,
    classes: Sequence[object] | None,
    notices: Sequence[str],
) -> Candidates:
    """Several candidates on the same rows; `given` of them had names, and each has all of the scores."""
    if len(made) < 2:
        leaves = "candidate leaves" if made else "candidates leave"
        raise PoolError(
            f"{len(made)} {leaves} nothing to choose; give two or more, or several scores of one "
            f"({', '.join(SCORES)})"
        )
    rows = [len(one.confidence) for one in made]
    uneven = next((at for at, count in enumerate(rows) if count != rows[0]), None)
    if uneven is not None:
        raise PoolError(
            f"{made[uneven].name} has {rows[uneven]} rows and {made[0].name} has {rows[0]}; all candidates "
            "predict the same rows"
        )
    declared = None if classes is None else listed("classes", classes)
    labels, assumed = pool_classes([(one.name or "", one.classes) for one in made], declared)
    names = [
        str(one.name)
        if len(scores) < 2
        else str(one.by_score)
        if given == 1
        else f"{one.name}.{one.by_score}"
        for one in made
    ]
    return Candidates(
        tuple(names),
        labels,
        np.stack([recoded(one.codes, one.classes, labels) for one in made]),
        np.stack([one.confidence for one in made]),
        (*notices, *assumed),
    )
