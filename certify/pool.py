"""The pool: what K frozen candidates say about n unlabelled rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from certify.classes import Labels, check_classes, encode, natural_order, predicted_codes, shorten
from certify.confidences import as_confidences, check_confidences
from certify.errors import PoolError
from certify.objectives import Augrc, Objective, parse_objective
from certify.risks import Codes, Risks
from certify.tolerance import Exact

if TYPE_CHECKING:
    import polars as pl

    from certify.in_memory import Candidates

Kind = Literal["binary", "shared", "categorical"]


@dataclass(frozen=True, eq=False)
class Pool:
    """K candidates on n rows; rows and candidates are known by their 0-based positions.

    names: of the candidates, whose order is the tie rule: the earlier wins a tie. classes: what a label may
    be. kind: ``binary`` for two classes, ``shared`` when all candidates predict alike, ``categorical``
    otherwise. predictions: (K, n) int16 codes into `classes`, or (1, n) when shared. confidences: (K, n)
    float64, finite, larger = accepted earlier. Either may be a table on disk (`solvers.disk_tables`), where
    `certify.read_pool` puts them under a memory limit. row_ids: names of the rows, None for positions; see
    `ids`. display: columns shown to the annotator. notices: what the reader wants the user to know. The best
    candidate is the one with the least of `objective`.

    Raises `PoolError` for shapes that do not fit, names used twice, codes of no class, and confidences that
    are not finite.

    Build one with `binary`, `shared`, `multiclass`, `from_probabilities`, `from_estimators`, or
    `certify.read_pool`.

    >>> import certify
    >>> pool = certify.Pool.binary([[0, 1, 1], [1, 1, 0]], [[9, 6, 8], [7, 8, 6]], names=["a", "b"])
    >>> pool.n, pool.names, pool.classes, pool.kind
    (3, ('a', 'b'), ('0', '1'), 'binary')
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    kind: Kind
    predictions: Codes
    confidences: npt.NDArray[np.float64]
    row_ids: pl.Series | Sequence[str] | None = None
    display: pl.DataFrame | None = None
    notices: tuple[str, ...] = ()
    objective: Objective = Augrc()  # noqa: RUF009 – it is immutable

    def __post_init__(self) -> None:
        if self.confidences.dtype != np.float64 or self.predictions.dtype != np.int16:
            raise PoolError(
                f"confidences are {self.confidences.dtype} and predictions {self.predictions.dtype}; "
                "float64 and int16 class codes are accepted (`Pool.binary`, `.shared`, `.multiclass` convert)"
            )
        candidates, n = check_confidences(self.confidences, self.names)
        if len(self.names) != candidates:
            raise PoolError(f"{len(self.names)} names for {candidates} candidates; give one name each")
        repeated = sorted({name for name in self.names if self.names.count(name) > 1})
        if repeated:
            raise PoolError(f"candidate name {repeated[0]!r} is used twice; names must differ")
        if self.predictions.shape not in ((1, n), (candidates, n)):
            raise PoolError(
                f"predictions of shape {self.predictions.shape} do not fit confidences of shape "
                f"{(candidates, n)}; both are candidates × rows"
            )
        if any(row.min() < 0 or row.max() >= len(self.classes) for row in self.predictions):
            raise PoolError(f"prediction codes must run from 0 to {len(self.classes) - 1}, one a class")
        if self.row_ids is not None and len(self.row_ids) != n:
            raise PoolError(f"{len(self.row_ids)} ids for {n} rows; give one id a row")

    @classmethod
    def binary(
        cls,
        predictions: npt.ArrayLike,
        confidences: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        ids: Sequence[object] | None = None,
    ) -> Pool:
        """Two classes 0 and 1. predictions: (K, n) of 0/1 (or bool); confidences: (K, n)."""
        return cls.multiclass(predictions, confidences, (0, 1), names=names, ids=ids)

    @classmethod
    def shared(
        cls,
        confidences: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
        ids: Sequence[object] | None = None,
    ) -> Pool:
        """One classifier, K confidence scores (K, n). The label of a row is its error bit: 1 = wrong.

        Paper, section 4.5.
        """
        scores = as_confidences(confidences)
        return cls(
            names=_names(names, len(scores)),
            classes=("0", "1"),
            kind="shared",
            predictions=np.zeros((1, scores.shape[1]), dtype=np.int16),
            confidences=scores,
            row_ids=_ids(ids),
        )

    @classmethod
    def multiclass(
        cls,
        predictions: npt.ArrayLike,
        confidences: npt.ArrayLike,
        classes: Sequence[object],
        *,
        names: Sequence[str] | None = None,
        ids: Sequence[object] | None = None,
    ) -> Pool:
        """predictions: (K, n) labels out of `classes` (two or more); confidences: (K, n).

        A row's true label may be any of `classes`, predicted or not.
        """
        scores = as_confidences(confidences)
        names = _names(names, len(scores))
        texts = check_classes(classes)
        try:
            given = np.atleast_2d(np.asarray(predictions))
        except ValueError as error:
            raise PoolError(f"predictions are not one table, candidates × rows ({error})") from None
        if given.ndim != 2 or len(given) not in (1, len(scores)):
            raise PoolError(
                f"predictions of shape {given.shape} do not fit confidences of shape {scores.shape}; "
                "both are candidates × rows"
            )
        codes = np.stack([predicted_codes(row, texts, name) for row, name in zip(given, names, strict=False)])
        return cls.from_codes(names, texts, codes, scores, row_ids=_ids(ids))

    @classmethod
    def from_probabilities(
        cls,
        probabilities: Mapping[str, npt.ArrayLike],
        classes: Sequence[object] | None = None,
        *,
        scores: str | Sequence[str] = "msp",
        ids: Sequence[object] | None = None,
    ) -> Pool:
        """Candidates by name, each with class probabilities (n, classes), as arrays or frames.

        One number a row, (n,), is the probability of class 1. classes: of the columns, by default "0", "1", …
        scores: confidences computed from the probabilities, out of `certify.reading.scores.SCORES`; several
        make a candidate each, called NAME.SCORE, or SCORE if there is one NAME. The prediction is the class
        of the largest probability, the first in natural order at exact ties. Nothing is renormalised.

        >>> import certify
        >>> one = [[0.7, 0.2, 0.1], [0.1, 0.5, 0.4]]
        >>> classes = ["cat", "dog", "eel"]
        >>> pool = certify.Pool.from_probabilities({"net": one}, classes, scores=["msp", "margin"])
        >>> pool.names, [pool.classes[code] for code in pool.predictions[0]], pool.confidences[0].tolist()
        (('msp', 'margin'), ['cat', 'dog'], [0.7, 0.5])
        """
        from certify.in_memory import from_probabilities

        return cls._of(from_probabilities(probabilities, classes, scores), ids)

    @classmethod
    def from_estimators(
        cls,
        estimators: object,
        X: object,
        *,
        names: Sequence[str] | None = None,
        classes: Sequence[object] | None = None,
        scores: str | Sequence[str] | None = None,
        ids: Sequence[object] | None = None,
    ) -> Pool:
        """Fitted classifiers of scikit-learn, or that look like them, on the rows of X.

        estimators: name → classifier, a list of (name, classifier), or a list of classifiers, with `names`.
        Each has ``classes_``, and ``predict_proba`` or ``decision_function``; pipelines and searches are
        fine. What `predict` says is the prediction; a notice counts rows where the largest probability says
        otherwise. classes: declares classes a label may be although nobody learnt them.

        scores: as for `from_probabilities`, or "decision", the margin of ``decision_function``. By default
        msp, and "decision" for a classifier without probabilities, with a notice.
        """
        from certify.in_memory import from_estimators

        return cls._of(from_estimators(estimators, X, names, classes, scores), ids)

    @classmethod
    def _of(cls, made: Candidates, ids: Sequence[object] | None) -> Pool:
        return cls.from_codes(
            made.names, made.classes, made.codes, made.confidences, row_ids=_ids(ids), notices=made.notices
        )

    @classmethod
    def from_codes(
        cls,
        names: tuple[str, ...],
        classes: tuple[str, ...],
        codes: Codes,
        confidences: npt.NDArray[np.float64],
        *,
        row_ids: pl.Series | Sequence[str] | None = None,
        display: pl.DataFrame | None = None,
        notices: tuple[str, ...] = (),
    ) -> Pool:
        """A pool from class codes, its kind found out: two classes → binary, equal predictions → shared."""
        if len(codes) == 1 or all(np.array_equal(row, codes[0]) for row in codes):
            codes = codes[:1]
        kind: Kind = "binary" if len(classes) == 2 else "shared" if len(codes) == 1 else "categorical"
        return cls(names, classes, kind, codes, confidences, row_ids, display, notices)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.confidences.shape[1])

    @property
    def candidates(self) -> int:
        """Number of candidates, K."""
        return len(self.names)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Row ids as text; the 0-based position where the files had none."""
        if self.row_ids is None:
            return tuple(map(str, range(self.n)))
        return tuple(map(str, self.row_ids))

    def ids_of(self, rows: Iterable[int]) -> list[str]:
        """Ids of some rows, without spelling out those of all."""
        ids = self.row_ids
        return [str(int(row) if ids is None else ids[int(row)]) for row in rows]

    @cached_property
    def position(self) -> dict[str, int]:
        """Row position of each id."""
        return {name: row for row, name in enumerate(self.ids)}

    @cached_property
    def risks(self) -> Risks:
        """The objective in integers: r_j / scale, for AUGRC with scale 2n² (paper, section 2)."""
        return self.objective.risks(self.confidences, self.predictions)

    def with_objective(self, objective: Objective | str) -> Pool:
        """The same pool, compared by another objective.

        As text: ``augrc``, ``aurc``, ``accuracy``, ``selective-error@0.8`` or ``weighted-error:COLUMN``,
        where COLUMN is one of `display`, which holds whatever else the files say about a row. Row weights
        from elsewhere: `certify.objectives.WeightedError.of`.

        Raises `PoolError` for anything that is not a sum of row losses with weights fixed before labelling.
        """
        chosen = parse_objective(objective, self._column) if isinstance(objective, str) else objective
        pool = replace(self, objective=chosen)
        _ = pool.risks  # whatever does not fit the pool shows here
        return pool

    def with_ids(self, ids: Sequence[object]) -> Pool:
        """The same pool with other row ids, (n,), distinct."""
        return replace(self, row_ids=_ids(ids))

    def shown(self, row: int) -> dict[str, str]:
        """What whoever labels a row is shown of it: the texts of `display`, blank for nothing."""
        if self.display is None:
            return {}
        values = self.display.row(row, named=True)
        return {name: "" if value is None else str(value) for name, value in values.items()}

    def _column(self, name: str) -> Sequence[Exact]:
        columns = () if self.display is None else tuple(self.display.columns)
        if self.display is None or name not in columns:
            found = f"found: {shorten(map(repr, columns), 12)}" if columns else "there is no further column"
            raise PoolError(
                f"no column {name!r} with row weights ({found}); give it in the file of a candidate, beside "
                "prediction and confidence"
            )
        values: list[Exact | None] = self.display[name].to_list()
        for row, value in enumerate(values):
            if value is None or value == "":
                raise PoolError(
                    f"column {name!r}: row {self.ids[row]} has no weight; every row needs one, 0 at least"
                )
        return [value for value in values if value is not None]

    def codes(self, labels: Labels | Sequence[object] | npt.NDArray[np.generic]) -> Codes:
        """Class codes of a label for every row, −1 where not labelled; see `certify.classes.encode`."""
        given = labels.codes if isinstance(labels, Labels) else labels
        if len(given) != self.n:
            raise PoolError(f"{len(given)} labels for {self.n} rows; give one a row (None where unknown)")
        return labels.codes if isinstance(labels, Labels) else encode(labels, self.classes)


def _names(names: Sequence[str] | None, candidates: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"candidate-{k}" for k in range(candidates))
    return tuple(str(name) for name in names)


def _ids(ids: Sequence[object] | None) -> tuple[str, ...] | None:
    if ids is None:
        return None
    texts = tuple(str(name) for name in ids)
    if len(set(texts)) != len(texts):
        seen: set[str] = set()
        twice = natural_order(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise PoolError(f"ids {shorten(twice)} occur more than once; ids must differ")
    return texts
