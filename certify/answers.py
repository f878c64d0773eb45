"""Checking what callers of a session hand in: rows, labels, askers, leases, owned labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from certify.classes import Labels, class_text, shorten
from certify.errors import PoolError
from certify.pool import Pool
from certify.risks import UNLABELLED

Owned = Labels | Mapping[int, object] | Sequence[object] | npt.NDArray[np.generic]
LONGEST_LEASE = 1e9  # seconds


def checked_row(row: object, n: int) -> int:
    """A position in a pool of n rows."""
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n:
        raise PoolError(
            f"row {row!r} is not in the pool; rows are whole numbers from 0 to {n - 1} "
            "(`pool.position[id]` is the row of an id)"
        )
    return int(row)


def label_code(label: object, row: int, code_of: Mapping[str, int]) -> int:
    """Class code of the label given for `row`, −1 when it means *not labelled*."""
    text = class_text(label)
    if text is None:
        return UNLABELLED
    code = code_of.get(text)
    if code is None:
        raise PoolError(
            f"label {label!r} of row {row} is not among the classes of this pool: {shorten(code_of, 10)}; "
            "give one of these, or '?' for a row that cannot be labelled"
        )
    return code


def checked_asker(asker: object) -> str:
    """A name that is not blank and can be written to a file."""
    if not isinstance(asker, str) or not asker.strip():
        raise PoolError(f"asker {asker!r} is not a name; give a text that is not blank")
    try:
        asker.encode()
    except UnicodeEncodeError:
        raise PoolError(f"asker {asker!r} is not text that UTF-8 can hold; spell it otherwise") from None
    return asker


def checked_lease(seconds: object) -> float:
    """The length of a lease."""
    if not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_LEASE:
        raise PoolError(
            f"a lease of {seconds!r} seconds is impossible; give a number above 0, up to {LONGEST_LEASE:.0f}"
        )
    return float(seconds)


def owned_labels(pool: Pool, owned: Owned | None) -> list[tuple[int, int]]:
    """Rows and class codes of the owned labels, in row order; −1 where nobody can tell."""
    if owned is None:
        return []
    if isinstance(owned, Mapping):
        code_of = {text: code for code, text in enumerate(pool.classes)}
        codes_by_row: dict[int, int] = {}
        for key, label in owned.items():
            row, code = checked_row(key, pool.n), label_code(label, key, code_of)
            if code != UNLABELLED or _nobody_can_tell(label):
                codes_by_row[row] = code
        return sorted(codes_by_row.items())
    codes = pool.codes(owned)
    known = codes != UNLABELLED
    unknown = owned.unknown if isinstance(owned, Labels) else list(map(_nobody_can_tell, owned))
    known[unknown] = True
    return [(int(row), int(codes[row])) for row in np.flatnonzero(known)]


def _nobody_can_tell(label: object) -> bool:
    return isinstance(label, str) and label.strip() == "?"
