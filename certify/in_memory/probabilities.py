"""Class probabilities as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from certify.classes import check_classes, natural_order, shorten
from certify.errors import PoolError
from certify.in_memory.assembling import Candidates, assembled
from certify.reading.probabilities import argmax_codes, check_probabilities
from certify.reading.scores import check_scores, score
from certify.reading.sources import Candidate

FloatArray = npt.NDArray[np.float64]


def from_probabilities(
    probabilities: Mapping[str, npt.ArrayLike],
    classes: Sequence[object] | None,
    scores: str | Sequence[str],
) -> Candidates:
    """See `Pool.from_probabilities`."""
    if not isinstance(probabilities, Mapping):
        raise PoolError("probabilities are not named; give {name: array of rows × classes, …}")
    names, wanted = tuple(map(str, probabilities)), check_scores(scores)
    made: list[Candidate] = []
    notices: list[str] = []
    for name, given in zip(names, probabilities.values(), strict=True):
        table = table_of(name, given)
        columns = range(table.shape[1]) if classes is None else classes
        texts = check_classes(list(columns))
        if len(texts) != table.shape[1]:
            raise PoolError(
                f"probabilities of {name} have {table.shape[1]} columns for {len(texts)} classes "
                f"({shorten(texts)}); give one column a class, in the order of the classes"
            )
        ordered, table = naturally(texts, table)
        notices += checked(name, table)
        codes = argmax_codes(table)
        made += [Candidate(name, codes, ordered, score(by, table), by) for by in wanted]
    return assembled(made, wanted, len(names), classes, notices)


def table_of(name: str, given: object, classes: Sequence[str] | None = None) -> FloatArray:
    """(n, classes ≥ 2); the probability of class 1 alone becomes (1 − p, p)."""
    try:
        table: FloatArray = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PoolError(f"probabilities of {name} are no numbers ({error})") from None
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
