"""The columns of all candidates as two tables, in memory or on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from certify.reading.alphabets import recoded
from certify.reading.columns import FloatArray
from certify.reading.limits import MemoryLimit
from certify.reading.sources import Candidate
from certify.risks import Codes
from solvers.disk_tables import TableWriter, stacked

_NO_CODES, _NO_CONFIDENCE = np.empty(0, dtype=np.int16), np.empty(0)


class Gathered:
    """Candidates as they are read, one after another."""

    def __init__(self, limit: MemoryLimit | None) -> None:
        self._limit = limit
        self._codes: list[Codes] = []
        self._confidences: list[FloatArray] = []
        if limit is not None:
            self._code_rows = TableWriter(np.int16)
            self._confidence_rows = TableWriter(np.float64)

    def add(self, candidate: Candidate) -> Candidate:
        """Keeps the columns, and gives back the candidate without them."""
        if self._limit is None:
            self._codes.append(candidate.codes)
            self._confidences.append(candidate.confidence)
        else:
            self._code_rows.add(candidate.codes)
            self._confidence_rows.add(candidate.confidence)
        return replace(candidate, codes=_NO_CODES, confidence=_NO_CONFIDENCE)

    def tables(
        self, alphabets: Sequence[tuple[str, ...]], classes: tuple[str, ...]
    ) -> tuple[Codes, FloatArray]:
        """Codes into `classes` and confidences, both (K, n). alphabets: the classes each was coded into."""
        found = self._codes if self._limit is None else self._code_rows.table()
        rows = (recoded(row, names, classes) for row, names in zip(found, alphabets, strict=True))
        if self._limit is None:
            return np.stack(list(rows)), np.stack(self._confidences)
        return stacked(rows, np.int16), self._confidence_rows.table()
