"""Class probabilities as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from certify.classes import check_classes, natural_order, shorten
from certify.errors import PoolError
from certify.in_memory.assembling import Candidates, assembled, listed
from certify.reading.probabilities import argmax_codes, check_probabilities
from certify.reading.scores import check_scores, score
from certify.reading.sources import Candidate

FloatArray = npt.NDArray[np.float64]


def from_probabilities(
    probabilities: Mapping[str, npt.ArrayLike],
    classes: Sequence[object] | None,
    scores: str | Sequence[str],
) -> Candidates:
    """Candidates by name, from class probabilities; what `Pool.from_probabilities` makes its pool of.

    probabilities: name → (n, classes ≥ 2), or (n,) for the probability of class 1, the same n ≥ 1 for all;
    arrays, lists or frames. classes: of the columns, (classes,), by default "0", "1", …. scores: names out
    of `certify.reading.scores.SCORES`, one or several. The result has a row for every name and score, the
    scores of a name one after another: codes and confidences (names × scores, n).

    Raises `PoolError` for shapes that do not fit, values that are no numbers, negative, infinite or NaN,
    classes or scores that cannot be used, and fewer than two candidates.
    """
    if not isinstance(probabilities, Mapping):
        raise PoolError("probabilities are not named; give {name: array of rows × classes, …}")
    names = tuple(map(str, probabilities))
    wanted = check_scores(scores if isinstance(scores, str) else map(str, listed("scores", scores)))
    given_classes = None if classes is None else listed("classes", classes)
    made: list[Candidate] = []
    notices: list[str] = []
    for name, given in zip(names, probabilities.values(), strict=True):
        table = table_of(name, given)
        texts = check_classes(list(range(table.shape[1])) if given_classes is None else given_classes)
        if len(texts) != table.shape[1]:
            raise PoolError(
                f"probabilities of {name} have {table.shape[1]} columns for {len(texts)} classes "
                f"({shorten(texts)}); give one column a class, in the order of the classes"
            )
        ordered, table = naturally(texts, table)
        notices += checked(name, table)
        codes = argmax_codes(table)
        made += [Candidate(name, codes, ordered, score(by, table), by) for by in wanted]
    return assembled(made, wanted, len(names), given_classes, notices)


def table_of(name: str, given: object, classes: Sequence[str] | None = None) -> FloatArray:
    """(n, classes ≥ 2); the probability of class 1 alone becomes (1 − p, p)."""
    table = as_doubles(f"probabilities of {name}", given)
    if table.ndim == 1 and classes is None:
        wrong = ~((table >= 0) & (table <= 1))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise PoolError(
                f"probabilities of {name}, row {row}: {table[row]}; one number a row is the probability of "
                "class 1"
            )
        table = np.stack([1.0 - table, table], axis=1)
    fits = table.ndim == 2 and (table.shape[1] >= 2 if classes is None else table.shape[1] == len(classes))
    if not fits or not len(table):
        columns = "two or more" if classes is None else len(classes)
        raise PoolError(
            f"probabilities of {name} have shape {table.shape}; rows × classes is accepted, with {columns} "
            "classes and at least one row"
        )
    return table


def as_doubles(what: str, given: object) -> FloatArray:
    """Any table of numbers; `PoolError` for one of other things, or with rows of several lengths."""
    try:
        values = np.asarray(given)
        if np.iscomplexobj(values):
            raise TypeError("complex ones have no order")
        table: FloatArray = values.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise PoolError(f"{what} are no numbers ({error}); give one number a cell") from None
    return table


def naturally(classes: Sequence[str], table: FloatArray) -> tuple[tuple[str, ...], FloatArray]:
    """Columns in the natural order of their classes, in which ties are settled everywhere."""
    ordered = natural_order(classes)
    if ordered == tuple(classes):
        return ordered, table
    return ordered, np.ascontiguousarray(table[:, [list(classes).index(name) for name in ordered]])


def checked(name: str, table: FloatArray) -> tuple[str, ...]:
    """Notices about values that do not look like probabilities; NaN and negative ones are refused."""
    whose = f"probabilities of {name}"
    return check_probabilities(table, name, lambda row, column: f"{whose}, row {row}, column {column}")
