"""The classes of a pool from the classes of its candidates."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from certify.classes import MAX_CLASSES, check_classes, natural_order, shorten
from certify.errors import PoolError
from certify.risks import Codes

BINARY = ("0", "1")
_FRACTION = re.compile(r"[+-]?\d*\.\d*[1-9]\d*([eE][+-]?\d+)?|[+-]?\d+(\.\d+)?[eE]-\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def pool_classes(
    alphabets: Sequence[tuple[str, tuple[str, ...]]], declared: str | Sequence[object] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pool's classes in natural order, and notices.

    alphabets: name and classes of each candidate. declared: all classes a label may be (a text lists them
    with commas), which must contain every class of the candidates; None takes the union. Raises `PoolError`
    naming the sets when two candidates share no class, when a class is not declared, when predictions look
    like measurements, and when one class is all there is.
    """
    union = natural_order(name for _, names in alphabets for name in names)
    if declared is not None:
        listed = declared.split(",") if isinstance(declared, str) else declared
        known = natural_order(check_classes(listed))
        unknown = [name for name in union if name not in known]
        if unknown:
            raise PoolError(
                f"{shorten(map(repr, unknown))} {'is' if len(unknown) == 1 else 'are'} predicted but not "
                f"declared. Classes of the candidates: {shorten(union, 10)}; classes declared: "
                f"{shorten(known, 10)}. Declare every class a label may be, spelled as the predictions are"
            )
        return known, ()
    for name, names in alphabets:
        _check_names_of_classes(name, names)
    if union and set(union) <= set(BINARY):
        return BINARY, _assumed(union)
    _check_shared_spelling(alphabets)
    if len(union) < 2:
        raise PoolError(
            f"every candidate predicts {union[0]!r} on every row, so the other classes are unknown; declare "
            f"them all, for example classes=({union[0]!r}, 'other') (--classes {union[0]},other)"
        )
    if len(union) > MAX_CLASSES:
        raise PoolError(f"{len(union)} classes are predicted; at most {MAX_CLASSES} are supported")
    return union, ()


def recoded(codes: Codes, names: tuple[str, ...], classes: tuple[str, ...]) -> Codes:
    """Codes into `names` as codes into `classes`, which contain them; (n,)."""
    if names == classes:
        return codes
    code_of = {name: code for code, name in enumerate(classes)}
    return np.array([code_of[name] for name in names], dtype=np.int16)[codes]


def _assumed(union: tuple[str, ...]) -> tuple[str, ...]:
    if len(union) == 2:
        return ()
    return (
        f"every candidate predicts {union[0]!r} on every row; the classes are taken to be 0 and 1 "
        "(declare classes if they are not)",
    )


def _check_names_of_classes(candidate: str, names: tuple[str, ...]) -> None:
    """Refuses what is probably no class, unless it is declared."""
    missing = [name for name in names if name.lower() == "nan"]
    if missing:
        raise PoolError(
            f"predictions of {candidate} contain {missing[0]!r}, which looks like a missing value; every "
            "candidate predicts every row, so fill it in, or declare it if a class is called so (--classes)"
        )
    if all(map(_NUMBER.fullmatch, names)) and any(map(_FRACTION.fullmatch, names)):
        raise PoolError(
            f"predictions of {candidate} are fractions ({shorten(names)}), which looks like probabilities or "
            "measurements; class names are expected. Give the probability of class 1 as a column p_1, or "
            "declare the classes if they really are called so (--classes)"
        )


def _check_shared_spelling(alphabets: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    distinct = {frozenset(names): (candidate, names) for candidate, names in reversed(alphabets)}
    sets = list(reversed(distinct.items()))
    for at, (first, (candidate, names)) in enumerate(sets):
        for second, (other, other_names) in sets[:at]:
            if first.isdisjoint(second):
                raise PoolError(
                    f"candidates {other} and {candidate} share no class: {other} predicts "
                    f"{shorten(other_names, 10)}; {candidate} predicts {shorten(names, 10)}. Spell the "
                    "classes alike in all files, or declare all of them if they do differ (--classes)"
                )
