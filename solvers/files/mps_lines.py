"""MPS text line by line, before HiGHS reads it: what it would skip, guess at or never come to an end with.

HiGHS takes a line with a word too many or too few for the fixed layout, in which names may hold blanks. Its
reader of that layout loses bounds of the kinds BV, LI and UI, and may not end. It skips unknown words between
sections, stops at the first letter that is none of a number, gives bounds of unknown columns to new ones, and
right-hand sides of free rows to the objective. All of these are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from solvers.errors import SolverError

SECTIONS = {
    "NAME": 0,
    "OBJSENSE": 1,
    "ROWS": 2,
    "COLUMNS": 3,
    "RHS": 4,
    "RANGES": 5,
    "BOUNDS": 5,
    "ENDATA": 6,
}
"""With their places in the order they come in."""
WITH_TEXT = ("NAME", "OBJSENSE", "QSECTION", "QCMATRIX", "CSECTION")
"""Words that begin a section whatever follows them on the line."""
VALUED, PLAIN = ("UP", "LO", "FX", "LI", "UI", "SC", "SI"), ("MI", "PL", "FR", "BV")
SENSES = ("MIN", "MAX", "MINIMIZE", "MAXIMIZE", "MINIMISE", "MAXIMISE")
FREE = "free"

_WORD = re.compile(r"[^\t\n\v\f\r ]+")  # the blanks of C, which are fewer than Python's
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.ASCII | re.I)


def check_lines(path: Path, lines: Iterable[str]) -> None:
    """Raises `SolverError` naming the first line that is not of the free MPS layout."""
    text = _Text()
    for number, line in enumerate(lines, 1):
        words = _WORD.findall(line)
        if not words or line.startswith("*"):
            continue
        try:
            text.add(words)
        except SolverError as error:
            raise SolverError(f"{path}: line {number}: {error}") from None
    if text.section != "ENDATA":
        raise SolverError(f"{path}: ENDATA is missing; the file may have been cut off.")


@dataclass
class _Text:
    """What has been read.

    section, place: the present one, and its place in the order. rows: by name "N", "G", "E", "L" or `FREE`
    for a further N. objective: whether an N was read. column: the last one. entered: rows that have an entry
    in it, or in the section.
    """

    section: str = ""
    place: int = -1
    rows: dict[str, str] = field(default_factory=dict)
    objective: bool = False
    columns: set[str] = field(default_factory=set)
    column: str = ""
    entered: set[str] = field(default_factory=set)

    def add(self, words: Sequence[str]) -> None:
        """The next line."""
        first = words[0].upper()
        if self.section == "ENDATA":
            raise SolverError("something follows after ENDATA; remove it.")
        if first in WITH_TEXT or (len(words) == 1 and first in SECTIONS):
            self._begin(first, words[1:])
        elif self.section == "OBJSENSE" and len(words) == 1:
            self._sense(words[0])
        elif self.section == "ROWS":
            self._row(words)
        elif self.section == "COLUMNS":
            self._column(words)
        elif self.section in ("RHS", "RANGES"):
            self._sides(words)
        elif self.section == "BOUNDS":
            self._bound(words)
        else:
            raise SolverError(f"{_cut(words[0])} begins no section; {', '.join(SECTIONS)} do.")

    def _begin(self, section: str, words: Sequence[str]) -> None:
        place = SECTIONS.get(section)
        if place is None:
            raise SolverError(f"section {section} is not read; {', '.join(SECTIONS)} are.")
        if place < self.place or section == self.section:
            raise SolverError(f"section {section} comes after {self.section}; the order is {list(SECTIONS)}.")
        if place > SECTIONS["ROWS"] > self.place or place > SECTIONS["COLUMNS"] > self.place:
            raise SolverError(f"section {section} comes before {'ROWS' if self.place < 2 else 'COLUMNS'}.")
        if section == "OBJSENSE" and words and [word.upper() for word in words] not in (["MIN"], ["MAX"]):
            raise SolverError(f"OBJSENSE {_cut(' '.join(words))}: MIN or MAX is expected.")
        self.section, self.place, self.entered = section, place, set()

    def _sense(self, word: str) -> None:
        if word.upper() not in SENSES:
            raise SolverError(f"OBJSENSE {_cut(word)}: MIN or MAX is expected.")

    def _row(self, words: Sequence[str]) -> None:
        if len(words) != 2 or words[0] not in ("N", "G", "E", "L"):
            raise SolverError(
                f"{_cut(' '.join(words))}: N, G, E or L and a name without blanks are expected."
            )
        kind, name = words
        if name in self.rows:
            raise SolverError(f"row {_cut(name)} is there already.")
        self.rows[name] = FREE if kind == "N" and self.objective else kind
        self.objective |= kind == "N"

    def _column(self, words: Sequence[str]) -> None:
        if words[1:2] == ["'MARKER'"] and len(words) == 3:
            return
        if len(words) not in (3, 5):
            raise SolverError(_amiss(words, "a column and one or two rows, each with a number,"))
        if words[0] != self.column:
            if words[0] in self.columns:
                raise SolverError(
                    f"column {_cut(words[0])} comes again after others; keep its lines together."
                )
            self.columns.add(words[0])
            self.column, self.entered = words[0], set()
        self._entries(words[1:])

    def _sides(self, words: Sequence[str]) -> None:
        if len(words) not in (3, 5) and (len(words) not in (2, 4) or self.section == "RANGES"):
            raise SolverError(_amiss(words, "a set and one or two rows, each with a number,"))
        named = len(words) % 2
        if named and words[0] in self.rows and self.section == "RHS":
            raise SolverError(f"a set has the name of row {_cut(words[0])}; give it another.")
        for row in words[named::2]:
            kind = self.rows.get(row)
            if kind == FREE or (kind == "N" and self.section == "RANGES"):
                raise SolverError(f"row {_cut(row)} has no bound; no entry in {self.section} is expected.")
        self._entries(words[named:])

    def _entries(self, words: Sequence[str]) -> None:
        for row, text in zip(words[::2], words[1::2], strict=True):
            if row not in self.rows:
                raise SolverError(f"row {_cut(row)} is not in ROWS.")
            if row in self.entered:
                raise SolverError(f"a second entry in row {_cut(row)}; keep one.")
            self.entered.add(row)
            _check_number(text)

    def _bound(self, words: Sequence[str]) -> None:
        kind, *rest = words
        if kind not in (*VALUED, *PLAIN):
            raise SolverError(f"bound {_cut(kind)}; {', '.join((*VALUED, *PLAIN))} are accepted.")
        most = 3 if kind in VALUED or len(rest) == 3 else 2  # people write a value behind any kind of bound
        if not most - 1 <= len(rest) <= most:
            raise SolverError(_amiss(words, "a kind, a set, a column and the bound"))
        if len(rest) == most and rest[0] in self.columns:
            raise SolverError(f"a set has the name of column {_cut(rest[0])}; give it another.")
        column = rest[1] if len(rest) == most else rest[0]
        if column not in self.columns:
            raise SolverError(f"column {_cut(column)} is not in COLUMNS.")
        if most == 3:
            _check_number(rest[-1])


def _check_number(text: str) -> None:
    if not _NUMBER.fullmatch(text):
        raise SolverError(f"{_cut(text)} is not a number.")


def _amiss(words: Sequence[str], expected: str) -> str:
    return f"{_cut(' '.join(words))}: {expected} are expected; names must not hold blanks."


def _cut(text: str) -> str:
    """As it is shown to people."""
    return repr(text if len(text) <= 60 else text[:60] + "…")
