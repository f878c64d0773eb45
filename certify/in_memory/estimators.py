"""Fitted classifiers, whichever library made them.

A classifier is anything with ``classes_`` and ``predict_proba``, or ``decision_function`` in its place, as
scikit-learn's are; none is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from certify.classes import check_classes, predicted_codes, shorten
from certify.errors import PoolError
from certify.in_memory.assembling import Candidates, assembled, listed
from certify.in_memory.probabilities import FloatArray, as_doubles, checked, naturally, table_of
from certify.reading.probabilities import argmax_codes
from certify.reading.scores import DEFAULT_SCORE, check_scores, score
from certify.reading.sources import Candidate

DECISION = "decision"
"""Confidence from ``decision_function``: its absolute value for two classes, otherwise the largest value less
the second largest. An order is all that confidences are for, so values need not be probabilities."""


def from_estimators(
    estimators: object,
    X: object,
    names: Sequence[str] | None,
    classes: Sequence[object] | None,
    scores: str | Sequence[str] | None,
) -> Candidates:
    """Candidates from fitted classifiers; what `Pool.from_estimators` makes its pool of.

    estimators: name → classifier, a list of (name, classifier), a list of classifiers, or one classifier. X:
    what their methods take, n ≥ 1 rows. Of each, ``classes_`` is (classes ≥ 2,), ``predict_proba(X)`` (n,
    classes) or else ``decision_function(X)`` (n, classes), (n,) where there are two classes, and
    ``predict(X)``, if it has one, (n,). names: of a list of classifiers, one each. classes: whatever a label
    may be, by default all that were learnt. scores: names out of `certify.reading.scores.SCORES` or
    "decision", one or several; None for what each classifier has. The result has a row for every classifier
    and score, the scores of a classifier one after another: codes and confidences (classifiers × scores, n).

    Raises `PoolError` for classifiers that are not fitted, lack a method or fail, for shapes that do not fit,
    values that are no finite numbers, names, classes or scores that cannot be used, and fewer than two
    candidates.
    """
    pairs = _listed(estimators, names)
    wanted = None if scores is None else _known_scores(scores)
    made: list[Candidate] = []
    notices: list[str] = []
    for name, estimator in pairs:
        candidates, said = _candidates(name, estimator, X, wanted)
        made += candidates
        notices += said
    return assembled(made, wanted or (), len(pairs), classes, notices)


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
            given = (
                [f"candidate-{at}" for at in range(len(estimators))]
                if names is None
                else [names]
                if isinstance(names, str)
                else listed("names", names)
            )
            if len(given) != len(estimators) or isinstance(names, str):
                raise PoolError(f"names={names!r} for {len(estimators)} estimators; give one name each")
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
    names = [str(name) for name in listed("scores", scores)]
    if names == [DECISION]:
        return (DECISION,)
    if DECISION in names:
        raise PoolError(f"score {DECISION!r} stands alone; the others are computed from probabilities")
    return check_scores(names)


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
        ordered, values = naturally(classes, values)
        by: tuple[str, ...] = (DECISION,)
    else:
        if not has_probabilities:
            raise PoolError(f"{name} ({type(estimator).__name__}) {_no_way('predict_proba')}")
        ordered, values = naturally(
            classes, table_of(name, _called(name, estimator, "predict_proba", X), classes)
        )
        notices += checked(name, values)
        by = scores or (DEFAULT_SCORE,)
    codes = argmax_codes(values)
    if hasattr(estimator, "predict"):
        try:
            given = np.asarray(_called(name, estimator, "predict", X))
        except ValueError as error:
            if isinstance(error, PoolError):
                raise
            raise PoolError(f"predict of {name} gives no list ({error}); give one class a row") from None
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
    given = estimator.classes_
    if (
        isinstance(given, str)
        or not isinstance(given, Iterable)
        or (hasattr(given, "ndim") and not given.ndim)
    ):
        raise PoolError(
            f"classes_ of {name} ({type(estimator).__name__}) is {given!r}, no list of classes; give fitted "
            "classifiers (call fit first)"
        )
    known = list(given)
    if any(isinstance(one, list | tuple) or getattr(one, "ndim", 0) for one in known):
        raise PoolError(f"{name} predicts several outputs at once; give a classifier of one output")
    if len(known) < 2:
        raise PoolError(
            f"{name} ({type(estimator).__name__}) learnt {len(known)} class ({shorten(known)}); fit it on "
            "labels of two classes or more, or leave it out"
        )
    try:
        return check_classes(known)
    except PoolError as error:
        raise PoolError(f"classes_ of {name} ({type(estimator).__name__}): {error}") from None


def _called(name: str, estimator: object, method: str, X: object) -> object:
    try:
        return getattr(estimator, method)(X)
    except Exception as error:  # whatever an estimator of any library raises
        raise PoolError(
            f"{method} of {name} failed ({type(error).__name__}: {error}); give fitted classifiers and the X "
            "they take"
        ) from error


def _decisions(name: str, given: object, classes: Sequence[str]) -> FloatArray:
    """(n, classes); one value a row is for the second of two classes, its negative for the first."""
    values = as_doubles(f"values of decision_function of {name}", given)
    finite = np.isfinite(values)
    if not finite.all():
        at = tuple(int(place) for place in np.argwhere(~finite)[0])
        raise PoolError(
            f"decision_function of {name} gives {values[at]} at row {at[0] if at else 0} "
            f"({int((~finite).sum())} such values); finite numbers are needed"
        )
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
