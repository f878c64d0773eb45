"""Rows to label and labels as files: CSV, or Label Studio's JSON where the name ends in ``.json``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from certify.errors import PoolError
from solvers.csv_writing import CsvWriter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from certify.classes import Labels
    from certify.pool import Pool

SKIPPED = "?"


def write_rows(path: Path, pool: Pool, rows: Sequence[int]) -> None:
    """Rows to label, with the columns to show; a CSV file has a blank column ``label`` to fill in."""
    if is_label_studio(path):
        from certify.label_studio import as_text, tasks

        path.write_text(as_text(tasks(pool, rows)), encoding="utf-8")
        return
    shown = [] if pool.display is None else pool.display.columns
    _write_csv(path, ["id", *shown, "label"], ({"id": pool.ids[row], **pool.shown(row)} for row in rows))


def write_labels(
    path: str | os.PathLike[str], pool: Pool, labels: Labels | Sequence[object] | npt.NDArray[np.generic]
) -> None:
    """Labels as a file that `certify.read_labels` reads: the labelled rows, and those that nobody can tell as
    ``?`` (in Label Studio's JSON: skipped). Rows without a label are left out.

    labels: as read, or one a row with None where unknown. The name's ending says which: ``.csv``, or
    ``.json`` for Label Studio's JSON. An existing file is replaced. A pool without ids gets positions from 0.

    Raises `PoolError` for other endings, and for ids that CSV cannot keep.

    >>> import certify, pathlib, tempfile
    >>> pool = certify.Pool.binary([[0, 1], [1, 1]], [[0.9, 0.6], [0.7, 0.8]], ids=["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "labels.csv"
    ...     certify.write_labels(file, pool, [None, 1])
    ...     file.read_text()
    'id,label\\nb,1\\n'
    """
    from certify.classes import Labels

    file = Path(path)
    if not isinstance(labels, Labels):
        labels = Labels(pool.codes(labels))
    if is_label_studio(file):
        from certify.label_studio import annotated_tasks, as_text

        file.write_text(as_text(annotated_tasks(pool, labels)), encoding="utf-8")
        return
    if file.suffix.lower() != ".csv":
        raise PoolError(f"{file}: labels are written as .csv, or as .json for Label Studio")
    unknown = {int(row) for row in labels.unknown}
    rows = sorted({*map(int, labels.rows), *unknown})
    _check_ids(file, [pool.ids[row] for row in rows])
    labelled = ((row, int(labels.codes[row])) for row in rows)
    _write_csv(
        file,
        ["id", "label"],
        (
            {"id": pool.ids[row], "label": SKIPPED if code < 0 else pool.classes[code]}
            for row, code in labelled
        ),
    )


def is_label_studio(path: Path) -> bool:
    """Whether the name's ending asks for Label Studio's JSON."""
    return path.suffix.lower() == ".json"


def _check_ids(path: Path, ids: Sequence[str]) -> None:
    for name in ids:
        if name != name.strip() or not name:
            raise PoolError(
                f"{path}: the id {name!r} is blank or has blanks around it, which readers of CSV drop; write "
                ".json instead"
            )


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = CsvWriter(file)
            writer.row(header)
            writer.rows([row.get(name, "") for name in header] for row in rows)
    except UnicodeEncodeError as error:
        raise PoolError(f"{path}: an id or a label is text that UTF-8 cannot hold ({error})") from None
