"""Which columns of a candidates' file mean what."""

from __future__ import annotations

from dataclasses import dataclass

from certify.classes import class_text, natural_order, shorten
from certify.errors import PoolError
from certify.reading.tables import TableFile, quoted

ID, PREDICTION, CONFIDENCE = "id", "prediction", "confidence"
PROBABILITY = "p_"
TRUTHS = ("label", "ground_truth")
"""Columns that would give the answer away; they are never shown to an annotator."""
INDEX = "__index_level_0__"
"""What pandas calls an unnamed index in Parquet; nothing to show."""
ACCEPTED = (
    "accepted: prediction and confidence; or probability columns p_CLASS, one for each class; or p_1 alone "
    "for classes 0 and 1; or, in one wide file, NAME.prediction and NAME.confidence for each candidate; "
    "each with or without an id column (names are case-sensitive)"
)


@dataclass(frozen=True)
class CandidateColumns:
    """Columns of one candidate. name: None for the file's stem. probabilities: (class, column) in natural
    order of the classes; a single one is p_1, the probability of class 1 against 0."""

    name: str | None
    prediction: str | None
    confidence: str | None
    probabilities: tuple[tuple[str, str], ...] = ()

    def used(self) -> tuple[str, ...]:
        columns = (self.prediction, self.confidence, *(column for _, column in self.probabilities))
        return tuple(column for column in columns if column is not None)


@dataclass(frozen=True)
class Layout:
    """Columns of a file: its candidates, whether it has ids, what else it could show, what it must hide."""

    candidates: tuple[CandidateColumns, ...]
    has_ids: bool
    others: tuple[str, ...]
    hidden: tuple[str, ...]


def find_layout(file: TableFile) -> Layout:
    """Reads the header's meaning; raises `PoolError` naming the columns found and the accepted ones."""
    wide = _wide(file)
    if wide and (PREDICTION in file.columns or CONFIDENCE in file.columns):
        raise PoolError(
            f"{file.path} mixes columns of one candidate with columns of named ones such as "
            f"{wide[0].prediction!r} (found: {_found(file)}); {ACCEPTED}"
        )
    candidates = wide or (_single(file),)
    used = {ID, "", INDEX, *TRUTHS}.union(*(candidate.used() for candidate in candidates))
    others = tuple(name for name in file.columns if name not in used)
    hidden = tuple(name for name in file.columns if name in TRUTHS)
    return Layout(candidates, ID in file.columns, others, hidden)


def _wide(file: TableFile) -> tuple[CandidateColumns, ...]:
    parts = [name.rpartition(".") for name in file.columns]
    names = dict.fromkeys(name for name, _, part in parts if name and part in (PREDICTION, CONFIDENCE))
    found = []
    for name in names:
        columns = CandidateColumns(name, f"{name}.{PREDICTION}", f"{name}.{CONFIDENCE}")
        missing = [column for column in columns.used() if column not in file.columns]
        if missing:
            raise PoolError(
                f"{file.path}: candidate {name!r} has no column {missing[0]!r} (found: {_found(file)}); "
                "every candidate of a wide file has both NAME.prediction and NAME.confidence"
            )
        found.append(columns)
    return tuple(found)


def _single(file: TableFile) -> CandidateColumns:
    prediction = PREDICTION if PREDICTION in file.columns else None
    confidence = CONFIDENCE if CONFIDENCE in file.columns else None
    column_of: dict[str, str] = {}
    for column in file.columns:
        name = class_text(column.removeprefix(PROBABILITY)) if column.startswith(PROBABILITY) else None
        if name is not None and column_of.setdefault(name, column) != column:
            raise PoolError(
                f"{file.path}: columns {column_of[name]!r} and {column!r} are both about class {name!r}; "
                "keep one of them"
            )
    probabilities = tuple((name, column_of[name]) for name in natural_order(column_of))
    complete = prediction is not None and confidence is not None
    if len(probabilities) == 1 and probabilities[0][0] != "1":
        if not complete:
            raise PoolError(
                f"{file.path}: {probabilities[0][1]!r} is the only probability column; give one for each "
                f"class, or p_1 alone for classes 0 and 1 (found: {_found(file)})"
            )
        probabilities = ()  # beside a full answer, one column that begins with p_ is only something to show
    if not probabilities and not complete:
        missing = [
            repr(name) for name, has in ((PREDICTION, prediction), (CONFIDENCE, confidence)) if has is None
        ]
        raise PoolError(
            f"{file.path} has no column {' and no column '.join(missing)} (found: {_found(file)}); {ACCEPTED}"
        )
    return CandidateColumns(None, prediction, confidence, probabilities)


def _found(file: TableFile) -> str:
    return shorten(map(quoted, file.columns), 12)
