"""The pool a journal froze: whether its arrays are sound, and whether they say what the pool files say."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from array import array
from collections.abc import Callable, Mapping
from typing import TypeVar

from certify.audit.exact import AuditPool
from certify.audit.journal import Header, JournalFile, distinct_texts
from certify.audit.objectives import weights_column
from certify.audit.report import Lie

Number = TypeVar("Number", int, float)


def frozen_pool(journal: JournalFile, header: Header) -> AuditPool:
    """The frozen arrays, after checking digests, sizes and values."""
    count = len(header.names)
    if set(header.digests) != set(journal.arrays):
        raise Lie(f"arrays {sorted(set(header.digests) ^ set(journal.arrays))} lack a digest or are missing")
    for name, data in journal.arrays.items():
        if hashlib.sha256(data).hexdigest() != header.digests[name]:
            raise Lie(f"array {name!r} does not have the SHA-256 digest that the header froze")
    separate = "prediction/1" in journal.arrays
    predicted = range(count if separate else 1)
    wanted = {f"confidence/{k}" for k in range(count)} | {f"prediction/{k}" for k in predicted}
    weighted = weights_column(header.objective) is not None
    if weighted:
        wanted.add("weight")
    if set(journal.arrays) - {"ids", "display"} != wanted:
        raise Lie(f"arrays {sorted(journal.arrays)} are not those of {count} candidates")
    confidences = tuple(_numbers(journal, f"confidence/{k}", array("d"), header.n) for k in range(count))
    for name, numbers in zip(header.names, confidences, strict=True):
        if not all(map(math.isfinite, numbers)):
            raise Lie(f"a frozen confidence of {name} is not a finite number")
    codes = [_numbers(journal, f"prediction/{k}", array("h"), header.n) for k in predicted]
    for values in codes:
        if not all(0 <= code < len(header.classes) for code in values):
            raise Lie("a frozen prediction is not one of the frozen classes")
    kind = _kind(codes, len(header.classes))
    if header.kind not in kind:
        raise Lie(f"the header calls the pool {header.kind!r}; its predictions make it {' or '.join(kind)}")
    predictions = tuple(codes) if separate else tuple(codes * count)
    weights = _numbers(journal, "weight", array("i"), header.n) if weighted else None
    return AuditPool(
        header.names,
        header.classes,
        _ids(journal, header.n),
        predictions,
        confidences,
        row_weights=weights,
    )


_LAST_PLACES = 16


def same_ids(frozen: AuditPool, stated: AuditPool) -> str:
    """The rows are those of the files, in the first file's order."""
    if stated.n != frozen.n:
        raise Lie(f"{frozen.n} rows were frozen; the pool files have {stated.n}")
    if (stated.ids is None) != (frozen.ids is None):
        raise Lie(f"ids were {'not ' if frozen.ids is None else ''}frozen, unlike in the pool files")
    for row, (ours, theirs) in enumerate(zip(frozen.ids or (), stated.ids or (), strict=True)):
        if ours != theirs:
            raise Lie(f"row {row} was frozen as id {ours!r}; in the pool files it is {theirs!r}")
    return f"{frozen.n} rows" + (" in the same order" if frozen.ids else ", known by position")


def same_names(frozen: AuditPool, stated: AuditPool) -> str:
    """The candidates are those of the files, in the same order, which is the tie rule."""
    if stated.names != frozen.names:
        raise Lie(f"candidates {list(frozen.names)} were frozen; the pool files give {list(stated.names)}")
    return f"{len(frozen.names)}, in tie order: {', '.join(frozen.names)}"


def same_classes(frozen: AuditPool, stated: AuditPool) -> str:
    """Every class of the files is a frozen one. Further ones, declared at the start, only make the bounds
    more cautious; they are named."""
    absent, extra = set(stated.classes) - set(frozen.classes), set(frozen.classes) - set(stated.classes)
    if absent:
        raise Lie(f"classes {sorted(absent)} were not frozen, so labels were taken to be never one of them")
    beyond = f", of which the files do not show {', '.join(sorted(extra))}" if extra else ""
    return f"{len(frozen.classes)}{beyond}"


def same_predictions(frozen: AuditPool, stated: AuditPool) -> str:
    """Every frozen prediction is that of the files, compared as text."""
    code_of = {name: code for code, name in enumerate(frozen.classes)}
    recode = [code_of[name] for name in stated.classes]
    for name, ours, theirs in zip(frozen.names, frozen.predictions, stated.predictions, strict=True):
        for row, (code, other) in enumerate(zip(ours, theirs, strict=True)):
            if code != recode[other]:
                raise Lie(
                    f"{name} predicts {stated.classes[other]!r} in row {frozen.row_names[row]}; "
                    f"frozen is {frozen.classes[code]!r}"
                )
    return f"{len(frozen.names)} × {frozen.n} equal"


def same_confidences(frozen: AuditPool, stated: AuditPool) -> str:
    """Every frozen confidence is that of the files, bit for bit.

    A score with logarithms in it may differ in its last places, as another machine rounds them; decisions
    rest on the frozen values.
    """
    apart = 0
    for k, (name, ours, theirs) in enumerate(
        zip(frozen.names, frozen.confidences, stated.confidences, strict=True)
    ):
        if ours.tobytes() == theirs.tobytes():
            continue
        room = _LAST_PLACES if stated.rounded[k] else 0
        for row in range(frozen.n):
            if ours[row : row + 1].tobytes() == theirs[row : row + 1].tobytes():
                continue
            if abs(ours[row] - theirs[row]) > room * math.ulp(theirs[row]) or not room:
                raise Lie(
                    f"{name} has confidence {theirs[row]!r} in row {frozen.row_names[row]}; "
                    f"frozen is {ours[row]!r}"
                )
            apart += 1
    found = f"{len(frozen.names)} × {frozen.n} float64 values equal, bit for bit"
    return found if not apart else f"{found}, but for {apart} logarithms that differ in their last places"


def same_row_weights(frozen: AuditPool, stated: AuditPool) -> str:
    """Every frozen row weight is that of the files' column, as whole numbers in lowest terms."""
    for row, (ours, theirs) in enumerate(
        zip(frozen.row_weights or (), stated.row_weights or (), strict=True)
    ):
        if ours != theirs:
            raise Lie(f"row {frozen.row_names[row]} was frozen with weight {ours}; the files give {theirs}")
    return f"{frozen.n} equal, as whole numbers in lowest terms"


SAME: Mapping[str, Callable[[AuditPool, AuditPool], str]] = {
    "ids": same_ids,
    "names": same_names,
    "classes": same_classes,
    "predictions": same_predictions,
    "confidences": same_confidences,
}
"""What is compared between the frozen pool and that of the files, by the name of the check."""


def _numbers(journal: JournalFile, name: str, into: array[Number], n: int) -> array[Number]:
    """The little-endian blob `name` as n numbers of the type of the empty array `into`."""
    data = journal.arrays[name]
    if len(data) != n * into.itemsize:
        raise Lie(f"array {name!r} has {len(data)} bytes; {n} rows take {n * into.itemsize}")
    into.frombytes(data)
    if sys.byteorder == "big":
        into.byteswap()
    return into


def _ids(journal: JournalFile, n: int) -> tuple[str, ...] | None:
    if "ids" not in journal.arrays:
        return None
    try:
        ids = json.loads(journal.arrays["ids"])
    except ValueError:
        ids = None
    if not distinct_texts(ids) or len(ids) != n:
        raise Lie(f"array 'ids' is not a JSON list of {n} distinct texts")
    return tuple(ids)


def _kind(codes: list[array[int]], classes: int) -> tuple[str, ...]:
    """The kinds a pool with these predictions may be called."""
    alike = all(values == codes[0] for values in codes)
    if classes == 2:
        return ("binary", "shared") if alike else ("binary",)
    return ("shared",) if alike else ("categorical",)
