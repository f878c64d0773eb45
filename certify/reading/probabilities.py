"""Class probabilities: checks, the predicted class, and reading them from .npz files."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from certify.classes import shorten
from certify.errors import PoolError
from certify.reading.tables import check_file
from certify.risks import Codes, blocks
from solvers.errors import first_line

Probabilities = npt.NDArray[np.floating | np.integer]
PREDICTIONS, TRUTH = "predictions", "ground_truth"
SUM_TOLERANCE = 1e-3
"""How far the sum of a row may be from 1 before the reader says so; values are used as stored anyway."""


def argmax_codes(probabilities: Probabilities) -> Codes:
    """Column of the largest probability of each row, the first at exact ties; (n, classes) to (n,)."""
    largest: Codes = probabilities.argmax(axis=1).astype(np.int16)
    return largest


def check_probabilities(
    probabilities: Probabilities, where: str, cell: Callable[[int, int], str]
) -> tuple[str, ...]:
    """Notices about (n, classes) values that do not look like probabilities.

    `cell` words a (row, column) position. Raises `PoolError` at the first NaN, infinite or negative value.
    """
    furthest, rows = 0.0, 0
    for block in blocks(len(probabilities)):
        values = probabilities[block].astype(np.float64)
        good = (values >= 0) & (values < np.inf)
        if not good.all():
            row, column = (int(at) for at in np.argwhere(~good)[0])
            raise PoolError(
                f"{cell(block.start + row, column)}: found {values[row, column]}; "
                "probabilities are finite and not negative"
            )
        distances = np.abs(values.sum(axis=1) - 1)
        furthest = max(furthest, float(distances.max()))
        rows += int((distances > SUM_TOLERANCE).sum())
    if not rows:
        return ()
    return (
        f"{where}: the probabilities of {rows} {'row does' if rows == 1 else 'rows do'} not sum to 1 "
        f"(up to {furthest:.3g} away); they are used as stored, without renormalising",
    )


def read_array(path: Path, name: str) -> npt.NDArray[np.generic] | None:
    """The array called `name` of an .npz file, None when there is none; pickled objects are refused."""
    check_file(path, (".npz",))
    try:
        with path.open("rb") as stream:
            arrays = np.load(stream, allow_pickle=False)
            if not isinstance(arrays, np.lib.npyio.NpzFile):
                raise ValueError("it is a single array, not an archive of named ones")
            if name not in arrays.files:
                return None
            array = arrays[name]
            if not isinstance(array, np.ndarray):  # bytes: its entry does not begin as an array does
                raise ValueError(f"{name!r} is no array")
            return array
    except (OSError, ValueError, EOFError, KeyError, RuntimeError, MemoryError) as error:
        # RuntimeError: encrypted, or packed in a way that zipfile does not know
        reason = first_line(error)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, SyntaxError) as error:
        reason = f"damaged archive, {first_line(error)}"
    raise PoolError(
        f"{path} cannot be read as .npz ({reason}); write it with numpy.savez, from plain numeric arrays"
    )


def array_names(path: Path) -> str:
    """The names of the arrays in a readable .npz file, for messages."""
    with np.load(path, allow_pickle=False) as arrays:
        return shorten(arrays.files, 10) or "none"


def read_probabilities(path: Path) -> tuple[Probabilities, tuple[str, ...]]:
    """The (n, classes ≥ 2) `predictions` of an .npz file, as stored, and notices."""
    array = read_array(path, PREDICTIONS)
    if array is None:
        raise PoolError(
            f"{path} has no array {PREDICTIONS!r} (found: {array_names(path)}); it holds the class "
            "probabilities, rows × classes"
        )
    if array.ndim != 2 or array.shape[1] < 2 or array.dtype.kind not in "fiu":
        raise PoolError(
            f"{path}: {PREDICTIONS!r} has shape {array.shape} and type {array.dtype}; accepted are numbers, "
            "rows × classes, with two classes or more"
        )
    probabilities: Probabilities = array  # type: ignore[assignment]  # its kind was just checked
    if not len(probabilities):
        raise PoolError(f"{path}: {PREDICTIONS!r} has no rows; give at least one")
    notices = check_probabilities(
        probabilities, str(path), lambda row, column: f"{path}, {PREDICTIONS}[{row}, {column}]"
    )
    return probabilities, notices
