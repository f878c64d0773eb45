"""Pools from class probabilities in memory and from fitted classifiers, whichever library made them.

A classifier is anything with ``classes_`` and ``predict_proba``, or ``decision_function`` in its place, as
scikit-learn's are; none is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.classes import natural_order, shorten
from certify.errors import PoolError
from certify.pool import Pool, check_classes, predicted_codes
from certify.reading.alphabets import pool_classes, recoded
from certify.reading.probabilities import argmax_codes, check_probabilities
from certify.reading.scores import DEFAULT_SCORE, SCORES, check_scores, score
from certify.reading.sources import Candidate

FloatArray = npt.NDArray[np.float64]
DECISION = "decision"
"""Confidence from ``decision_function``: its absolute value for two classes, otherwise the largest value less
the second largest. An order is all that confidences are for, so values need not be probabilities."""


def from_probabilities(
    probabilities: Mapping[str, npt.ArrayLike],
    classes: Sequence[object] | None,
    scores: str | Sequence[str],
    ids: Sequence[object] | None,
) -> Pool:
    """See `Pool.from_probabilities`."""
    if not isinstance(probabilities, Mapping):
        raise PoolError("probabilities are not named; give {name: array of rows × classes, …}")
    names, wanted = tuple(map(str, probabilities)), check_scores(scores)
    made: list[Candidate] = []
    notices: list[str] = []
    for name, given in zip(names, probabilities.values(), strict=True):
        table = _table(name, given)
        columns = range(table.shape[1]) if classes is None else classes
        texts = check_classes(list(columns))
        if len(texts) != table.shape[1]:
            raise PoolError(
                f"probabilities of {name} have {table.shape[1]} columns for {len(texts)} classes "
                f"({shorten(texts)}); give one column a class, in the order of the classes"
            )
        ordered, table = _naturally(texts, table)
        notices += _checked(name, table)
        codes = argmax_codes(table)
        made += [Candidate(name, codes, ordered, score(by, table), by) for by in wanted]
    return _assembled(made, wanted, len(names), classes, ids, notices)


def from_estimators(
    estimators: object,
    X: object,
    names: Sequence[str] | None,
    classes: Sequence[object] | None,
    scores: str | Sequence[str] | None,
    ids: Sequence[object] | None,
) -> Pool:
    """See `Pool.from_estimators`."""
    listed = _listed(estimators, names)
    wanted = None if scores is None else _known_scores(scores)
    made: list[Candidate] = []
    notices: list[str] = []
    for name, estimator in listed:
        candidates, said = _candidates(name, estimator, X, wanted)
        made += candidates
        notices += said
    return _assembled(made, wanted or (), len(listed), classes, ids, notices)


def _assembled(
    made: Sequence[Candidate],
    scores: Sequence[str],
    given: int,
    classes: Sequence[object] | None,
    ids: Sequence[object] | None,
    notices: Sequence[str],
) -> Pool:
    if len(made) < 2:
        raise PoolError(
            f"{len(made)} candidate leaves nothing to choose; give two or more, or several scores of one "
            f"({', '.join(SCORES)})"
        )
    rows = [len(one.confidence) for one in made]
    uneven = next((at for at, count in enumerate(rows) if count != rows[0]), None)
    if uneven is not None:
        raise PoolError(
            f"{made[uneven].name} has {rows[uneven]} rows and {made[0].name} has {rows[0]}; all candidates "
            "predict the same rows"
        )
    labels, assumed = pool_classes([(one.name or "", one.classes) for one in made], classes)
    names = [
        str(one.name)
        if len(scores) < 2
        else str(one.by_score)
        if given == 1
        else f"{one.name}.{one.by_score}"
        for one in made
    ]
    pool = Pool.from_codes(
        tuple(names),
        labels,
        np.stack([recoded(one.codes, one.classes, labels) for one in made]),
        np.stack([one.confidence for one in made]),
        notices=(*notices, *assumed),
    )
    return pool if ids is None else pool.with_ids(ids)


def _listed(estimators: object, names: Sequence[str] | None) -> list[tuple[str, Any]]:
    """Names and estimators; ensembles and pipelines look like lists and are none."""
    if isinstance(estimators, Mapping):
        pairs = [(str(name), one) for name, one in estimators.items()]
    elif _is_classifier(estimators):
        pairs = [(type(estimators).__name__, estimators)]
    elif isinstance(estimators, Sequence) and not isinstance(estimators, str):
        named = all(
            isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in estimators
        )
        if not named:
            if names is not None and (isinstance(names, str) or len(names) != len(estimators)):
                raise PoolError(f"names={names!r} for {len(estimators)} estimators; give one name each")
            given = names or [f"candidate-{at}" for at in range(len(estimators))]
            return [(str(name), one) for name, one in zip(given, estimators, strict=True)]
        pairs = list(estimators)
    else:
        raise PoolError(
            f"estimators are {type(estimators).__name__}; give {{name: fitted classifier, …}}, a list of "
            "(name, classifier), or a list of classifiers with names"
        )
    if names is not None:
        raise PoolError(
            f"names={names!r}, but the estimators have names already ({shorten(n for n, _ in pairs)})"
        )
    return pairs


def _is_classifier(given: object) -> bool:
    return hasattr(given, "predict_proba") or hasattr(given, "decision_function") or hasattr(given, "predict")


def _known_scores(scores: str | Sequence[str]) -> tuple[str, ...]:
    listed = [scores] if isinstance(scores, str) else list(scores)
    if listed == [DECISION]:
        return (DECISION,)
    if DECISION in listed:
        raise PoolError(f"score {DECISION!r} stands alone; the others are computed from probabilities")
    return check_scores(scores)


def _candidates(
    name: str, estimator: Any, X: object, scores: tuple[str, ...] | None
) -> tuple[list[Candidate], list[str]]:
    classes = _classes(name, estimator)
    has_probabilities = hasattr(estimator, "predict_proba")
    notices: list[str] = []
    if scores == (DECISION,) or (scores is None and not has_probabilities):
        if not hasattr(estimator, "decision_function"):
            raise PoolError(f"{name} ({type(estimator).__name__}) {_no_way('decision_function')}")
        if scores is None:
            notices.append(f"{name} has no predict_proba; its confidence is the margin of decision_function")
        values = _decisions(name, _called(name, estimator, "decision_function", X), classes)
        ordered, values = _naturally(classes, values)
        by: tuple[str, ...] = (DECISION,)
    else:
        if not has_probabilities:
            raise PoolError(f"{name} ({type(estimator).__name__}) {_no_way('predict_proba')}")
        ordered, values = _naturally(
            classes, _table(name, _called(name, estimator, "predict_proba", X), classes)
        )
        notices += _checked(name, values)
        by = scores or (DEFAULT_SCORE,)
    codes = argmax_codes(values)
    if hasattr(estimator, "predict"):
        given = np.asarray(_called(name, estimator, "predict", X))
        if given.shape != codes.shape:
            raise PoolError(
                f"predict of {name} gives shape {given.shape} for {len(codes)} rows; give one class a row"
            )
        stated = predicted_codes(given, ordered, name)
        differ = int((stated != codes).sum())
        if differ:
            notices.append(
                f"{name}: predict differs from the class of the largest value on {differ} of {len(codes)} "
                "rows; predict is what is compared"
            )
        codes = stated
    confidences = [_margins(values) if one == DECISION else score(one, values) for one in by]
    return [
        Candidate(name, codes, ordered, found, one) for found, one in zip(confidences, by, strict=True)
    ], notices


def _no_way(method: str) -> str:
    return (
        f"has no {method}; leave scores out to take what each has, calibrate it, or give predictions and "
        "confidences yourself (Pool.multiclass)"
    )


def _classes(name: str, estimator: object) -> tuple[str, ...]:
    if not hasattr(estimator, "classes_"):
        raise PoolError(
            f"{name} ({type(estimator).__name__}) has no classes_; give fitted classifiers (call fit first)"
        )
    given = list(estimator.classes_)
    if any(np.ndim(one) for one in given):
        raise PoolError(f"{name} predicts several outputs at once; give a classifier of one output")
    return check_classes(given)


def _called(name: str, estimator: object, method: str, X: object) -> object:
    try:
        return getattr(estimator, method)(X)
    except Exception as error:  # whatever an estimator of any library raises
        raise PoolError(
            f"{method} of {name} failed ({type(error).__name__}: {error}); give fitted classifiers and the X "
            "they take"
        ) from error


def _table(name: str, given: object, classes: Sequence[str] | None = None) -> FloatArray:
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


def _decisions(name: str, given: object, classes: Sequence[str]) -> FloatArray:
    """(n, classes); one value a row is for the second of two classes, its negative for the first."""
    values: FloatArray = np.asarray(given, dtype=np.float64)
    if values.ndim == 1 and len(classes) == 2:
        return np.stack([-values, values], axis=1)
    if values.ndim != 2 or values.shape[1] != len(classes):
        raise PoolError(
            f"decision_function of {name} gives shape {values.shape} for {len(classes)} classes; one value a "
            'class is needed (in scikit-learn, decision_function_shape="ovr")'
        )
    return values


def _margins(values: FloatArray) -> FloatArray:
    """Largest value less the second largest; of (−v, v) half of it, |v|."""
    if values.shape[1] == 2 and bool((values[:, 0] == -values[:, 1]).all()):
        return np.abs(values[:, 1])
    two = np.partition(values, -2, axis=1)[:, -2:]
    found: FloatArray = two[:, 1] - two[:, 0]
    return found


def _naturally(classes: Sequence[str], table: FloatArray) -> tuple[tuple[str, ...], FloatArray]:
    """Columns in the natural order of their classes, in which ties are settled everywhere."""
    ordered = natural_order(classes)
    if ordered == tuple(classes):
        return ordered, table
    return ordered, np.ascontiguousarray(table[:, [list(classes).index(name) for name in ordered]])


def _checked(name: str, table: FloatArray) -> tuple[str, ...]:
    whose = f"probabilities of {name}"
    return check_probabilities(table, name, lambda row, column: f"{whose}, row {row}, column {column}")
