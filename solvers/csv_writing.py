"""CSV as others read it: whatever a cell holds, it comes back."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from io import StringIO
from typing import TextIO


class CsvWriter:
    """Writes rows that end in a newline to a file opened with ``newline=""``.

    Before Python 3.13 the writer of the standard library leaves a lone carriage return without quotes unless
    rows end in one too, and readers take it for the end of a row.
    """

    def __init__(self, file: TextIO) -> None:
        self._file, self._line = file, StringIO(newline="")
        self._writer = csv.writer(self._line)

    def row(self, cells: Iterable[object]) -> None:
        """One row; None is blank."""
        self._writer.writerow(cells)
        self._file.write(self._line.getvalue().removesuffix("\r\n") + "\n")
        self._line.seek(0)
        self._line.truncate()

    def rows(self, table: Iterable[Iterable[object]]) -> None:
        """Some rows."""
        for cells in table:
            self.row(cells)
