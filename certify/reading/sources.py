"""One candidates' file read into arrays, in its own row order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from certify.classes import shorten
from certify.reading.alphabets import BINARY
from certify.reading.columns import Coded, Column, FloatArray, numbers, predicted, row_ids
from certify.reading.layouts import ID, CandidateColumns, Layout, find_layout
from certify.reading.limits import MemoryLimit
from certify.reading.probabilities import argmax_codes, check_probabilities, read_probabilities
from certify.reading.scores import DEFAULT_SCORE, score
from certify.reading.tables import TableFile, check_file, open_table
from certify.risks import Codes


@dataclass(frozen=True, eq=False)
class Candidate:
    """name: None for the file's stem. codes: (n,) into this candidate's own `classes`, in natural order.
    confidence: (n,) float64. by_score: the score the confidence was computed with, if any."""

    name: str | None
    codes: Codes
    classes: tuple[str, ...]
    confidence: FloatArray
    by_score: str | None = None


@dataclass(frozen=True, eq=False)
class Source:
    """What one file holds. ids: the column of ids, None without. display: other columns, None without."""

    path: Path
    n: int
    candidates: tuple[Candidate, ...]
    ids: Column | None = None
    display: pl.DataFrame | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What of a file is wanted.

    scores: None for the default; each makes one candidate of a set of probabilities. display: the further
    columns to keep, None for all. limit: how much memory there is.
    """

    scores: tuple[str, ...] | None = None
    display: tuple[str, ...] | None = None
    limit: MemoryLimit | None = None


def read_sources(path: Path, wanted: Wanted, shown: Collection[str]) -> Iterator[Source]:
    """Reads a CSV, Parquet or .npz file: all at once, or under a memory limit one candidate after another.

    shown: display columns that need no reading, for an earlier file has them.
    """
    check_file(path)
    if path.suffix.lower() == ".npz":
        yield _from_npz(path, wanted.scores)
        return
    limit = wanted.limit
    file = open_table(path, None if limit is None else limit.folder)
    layout = find_layout(file)
    if wanted.display is not None:
        kept = tuple(name for name in layout.others if name in wanted.display)
        layout = replace(layout, others=kept)
    if limit is None:
        yield _from_table(file, layout, wanted.scores, shown)
        return
    limit.check(path, file.rows, file.text_bytes(ID) if layout.has_ids else 0)
    first, *others = layout.candidates
    source = _from_table(file, replace(layout, candidates=(first,)), wanted.scores, shown)
    ids = source.ids
    yield source
    del source
    for columns in others:
        alone = Layout((columns,), False, (), ())
        yield replace(_from_table(file, alone, wanted.scores, shown, ids), ids=ids)


def _from_npz(path: Path, scores: tuple[str, ...] | None) -> Source:
    probabilities, notices = read_probabilities(path)
    classes = tuple(map(str, range(probabilities.shape[1])))
    made = _scored(None, Coded(argmax_codes(probabilities), classes), probabilities, scores)
    return Source(path, len(probabilities), made, notices=notices)


def _scored(
    name: str | None,
    prediction: Coded,
    probabilities: npt.NDArray[np.floating | np.integer],
    scores: tuple[str, ...] | None,
) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(name, prediction.codes, prediction.classes, score(by, probabilities), by)
        for by in scores or (DEFAULT_SCORE,)
    )


def _from_table(
    file: TableFile,
    layout: Layout,
    scores: tuple[str, ...] | None,
    shown: Collection[str],
    ids: Column | None = None,
) -> Source:
    """ids: those of the file, where they are known already."""
    others = [name for name in layout.others if name not in shown]
    used = [name for candidate in layout.candidates for name in candidate.used()]
    frame = file.read([*([ID] if layout.has_ids else []), *used, *others])
    if layout.has_ids:
        column = Column(file, ID, frame[ID])
        ids = Column(file, ID, row_ids(column))
    notices: list[str] = []
    if layout.hidden:
        notices.append(
            f"{file.path}: column {shorten(map(repr, layout.hidden))} is neither used nor shown; labels "
            "come from a labels file"
        )
    made: list[Candidate] = []
    for columns in layout.candidates:
        reader = _TableReader(file, frame, ids, columns)
        made += reader.candidates(scores)
        notices += reader.notices
    display, unshown = _display(frame, others)
    if unshown:
        notices.append(
            f"{file.path}: column {shorten(map(repr, unshown))} cannot be shown as text and is left out"
        )
    return Source(file.path, frame.height, tuple(made), ids, display, tuple(notices))


def _display(frame: pl.DataFrame, names: list[str]) -> tuple[pl.DataFrame | None, list[str]]:
    unshown = [
        name
        for name in names
        if frame.schema[name].is_nested() or frame.schema[name] in (pl.Binary, pl.Object)
    ]
    kept = [name for name in names if name not in unshown]
    return (frame.select(kept) if kept else None), unshown


class _TableReader:
    """The candidates that one set of columns of a table makes."""

    def __init__(
        self, file: TableFile, frame: pl.DataFrame, ids: Column | None, columns: CandidateColumns
    ) -> None:
        self.file, self.frame, self.columns = file, frame, columns
        self.ids = None if ids is None else ids.values
        self.notices: tuple[str, ...] = ()

    def candidates(self, scores: tuple[str, ...] | None) -> tuple[Candidate, ...]:
        columns = self.columns
        given = None if columns.prediction is None else predicted(self._column(columns.prediction))
        confidence = None if columns.confidence is None else numbers(self._column(columns.confidence))
        if not columns.probabilities:
            assert given is not None
            assert confidence is not None
            return (Candidate(columns.name, given.codes, given.classes, confidence),)
        probabilities = self._probabilities()
        classes = (
            BINARY if len(columns.probabilities) == 1 else tuple(name for name, _ in columns.probabilities)
        )
        largest = Coded(argmax_codes(probabilities), classes)
        if given is not None:
            self._must_agree(given, largest, probabilities)
        if confidence is None:
            return _scored(columns.name, largest, probabilities, scores)
        if scores is not None:
            self.notices += (f"{self.file.path}: its own confidence column is used, not {', '.join(scores)}",)
        return (Candidate(columns.name, largest.codes, classes, confidence),)

    def _column(self, name: str) -> Column:
        whose = self.columns.name or self.file.path.stem
        return Column(self.file, name, self.frame[name], self.ids, whose)

    def _probabilities(self) -> FloatArray:
        """(n, classes) in natural order of the classes; p_1 alone becomes (1 − p, p)."""
        names = [column for _, column in self.columns.probabilities]
        single = len(names) == 1
        table = np.empty((self.frame.height, 2 if single else len(names)))
        for at, name in enumerate(names):
            values = numbers(self._column(name), "probabilities")
            wrong = (values < 0) | (values > 1) if single else values < 0
            if wrong.any():
                row = int(np.argmax(wrong))
                accepted = "p_1 alone lies between 0 and 1" if single else "probabilities are not negative"
                self._column(name).fail(row, f"found {values[row]}; {accepted}")
            table[:, -1 if single else at] = values
        if single:
            np.subtract(1.0, table[:, 1], out=table[:, 0])
            return table
        self.notices += check_probabilities(
            table, str(self.file.path), lambda row, at: f"{self.file.place(row)}, column {names[at]!r}"
        )
        return table

    def _must_agree(self, given: Coded, largest: Coded, probabilities: FloatArray) -> None:
        assert self.columns.prediction is not None
        column = self._column(self.columns.prediction)
        code_of = {name: code for code, name in enumerate(largest.classes)}
        table = np.array([code_of.get(name, -1) for name in given.classes], dtype=np.int16)
        differ = table[given.codes] != largest.codes
        if not differ.any():
            return
        row = int(np.argmax(differ))
        said, best = given.classes[given.codes[row]], largest.classes[largest.codes[row]]
        tie = ""
        if said in code_of and probabilities[row, code_of[said]] == probabilities[row, largest.codes[row]]:
            tie = " (an exact tie, which goes to the first class in natural order)"
        column.fail(
            row,
            f"the prediction is {said!r} but the largest probability is that of {best!r}{tie} "
            f"({int(differ.sum())} such rows; classes predicted: {shorten(given.classes, 10)}; classes "
            f"with a probability: {shorten(largest.classes, 10)}). Make them agree, or leave out the "
            "prediction or the probability columns",
        )
